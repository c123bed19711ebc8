/** The object's alarm: the earliest time at which something is due. An object without one sleeps until its next request. */
import type { EpochMs } from "../../src/storage/event.ts";
import type { DurableObjectStorage } from "./platform.ts";

type AlarmStorage = Pick<DurableObjectStorage, "getAlarm" | "setAlarm">;

/** Uses the platform's clock. In tests, the service has another one. */
export class Alarm {
  readonly #storage: AlarmStorage;
  /** Infinite if none is set. */
  #atMs: EpochMs;

  private constructor(storage: AlarmStorage, atMs: EpochMs) {
    this.#storage = storage;
    this.#atMs = atMs;
  }

  static async open(storage: AlarmStorage): Promise<Alarm> {
    return new Alarm(storage, (await storage.getAlarm()) ?? Number.POSITIVE_INFINITY);
  }

  /** Sets an earlier alarm if that is needed. `ms` may be infinite. */
  async ensureWithin(ms: number): Promise<void> {
    const atMs = Date.now() + ms;
    if (atMs >= this.#atMs) return;
    this.#atMs = atMs;
    await this.#storage.setAlarm(atMs);
  }

  /** The platform has taken it away. */
  noteFired(): void {
    this.#atMs = Number.POSITIVE_INFINITY;
  }
}
