/**
 * Decides whether deletion by date may rely on the clock. A clock that is more than a day ahead of the expected time is not trusted until
 * it has stayed there for an hour. The expected time comes from a monotonic clock while the process runs, and after a start from the last
 * recorded time. A machine that was really off for a week waits an hour.
 */
import { DAY_MS, type EpochMs } from "../../storage/event.ts";
import { isInstant, type JsonObject, readRecord, type RecordStore, replaceJsonRecord } from "../../storage/record-store.ts";
import { CLOCK_DISTRUST_MS, CLOCK_JUMP_MS_MAX, CLOCK_RECORD_MS } from "../base/config/limits.ts";
import { reasonOf, type Log } from "../base/metrics/log.ts";

/** The record of the time that was last trusted, and since when another one is there that is not trusted. Both ISO 8601, UTC. */
export const CLOCK_RECORD = "clock.json";

interface TrustedClockParts {
  readonly records: Pick<RecordStore, "read" | "write">;
  readonly monotonicMs: () => number;
  readonly log: Log;
}

interface Reading {
  readonly wallMs: EpochMs;
  readonly monotonicMs: number;
}

/** null if there is none. */
function instantOf(value: unknown = null): EpochMs | null {
  if (value === null) return null;
  if (!isInstant(value)) throw new Error("it holds no times");
  return Date.parse(value);
}

/** The advance of the wall clock beyond the monotonic one between two readings. */
const gainMs = (from: Reading, to: Reading): number => to.wallMs - from.wallMs - (to.monotonicMs - from.monotonicMs);

export class TrustedClock {
  readonly #parts: TrustedClockParts;
  /** The last reading that was trusted. */
  #trusted: Reading | null = null;
  /** The first reading of a time that is not trusted. */
  #distrusted: Reading | null = null;
  #recordedAtMs = Number.NEGATIVE_INFINITY;
  #recording: Promise<void> = Promise.resolve();

  private constructor(parts: TrustedClockParts) {
    this.#parts = parts;
  }

  /** Continues from the record of an earlier process. Without a record, or with a damaged one, no time is trusted at first. */
  static async open(parts: TrustedClockParts, nowMs: EpochMs): Promise<TrustedClock> {
    const clock = new TrustedClock(parts);
    try {
      await readRecord(parts.records, CLOCK_RECORD, (json) => clock.#restore(json, nowMs));
    } catch (error) {
      parts.log.warn("the time that was last seen cannot be read; retention_days waits for an hour", { reason: reasonOf(error) });
    }
    return clock;
  }

  #restore({ seenAt, distrustedSince }: JsonObject, nowMs: EpochMs): void {
    const monotonicMs = this.#parts.monotonicMs();
    const [seenMs, sinceMs] = [instantOf(seenAt), instantOf(distrustedSince)];
    if (seenMs !== null) this.#trusted = { wallMs: seenMs, monotonicMs };
    // What has passed since is the wall clock's word only, so no more than a day of it counts.
    const waitedMs = sinceMs === null ? -1 : nowMs - sinceMs;
    if (waitedMs >= 0 && waitedMs <= CLOCK_JUMP_MS_MAX)
      this.#distrusted = { wallMs: nowMs - waitedMs, monotonicMs: monotonicMs - waitedMs };
  }

  /** Called on every tick; records the time once an hour. */
  isTrusted(nowMs: EpochMs): boolean {
    const now = { wallMs: nowMs, monotonicMs: this.#parts.monotonicMs() };
    const isAhead = this.#trusted === null || gainMs(this.#trusted, now) > CLOCK_JUMP_MS_MAX;
    if (isAhead && !this.#hasStayed(now)) return false;
    const hasDoubted = this.#distrusted !== null;
    this.#trusted = now;
    this.#distrusted = null;
    if (hasDoubted || now.monotonicMs - this.#recordedAtMs >= CLOCK_RECORD_MS) this.#record(now);
    return true;
  }

  /** True if the clock has stayed ahead for long enough. The first call starts the wait. */
  #hasStayed(now: Reading): boolean {
    if (this.#distrusted === null || Math.abs(gainMs(this.#distrusted, now)) > CLOCK_JUMP_MS_MAX) {
      this.#distrusted = now;
      this.#record(now);
      if (this.#trusted) this.#logJump(this.#trusted, now);
    }
    return now.monotonicMs - this.#distrusted.monotonicMs >= CLOCK_DISTRUST_MS;
  }

  #logJump(last: Reading, now: Reading): void {
    this.#parts.log.warn(
      "the clock is more than a day ahead of when it was last seen; retention_days erases nothing until it has stayed there for an hour",
      {
        lastSeen: new Date(last.wallMs).toISOString(),
        daysAhead: Math.floor(gainMs(last, now) / DAY_MS),
      },
    );
  }

  #record({ monotonicMs }: Reading): void {
    const { records, log } = this.#parts;
    const textOf = (reading: Reading | null) => (reading ? new Date(reading.wallMs).toISOString() : null);
    const value = { seenAt: textOf(this.#trusted), distrustedSince: textOf(this.#distrusted) };
    this.#recordedAtMs = monotonicMs;
    this.#recording = this.#recording.then(() =>
      replaceJsonRecord(records, CLOCK_RECORD, value).catch((error: unknown) => {
        log.warn("the time could not be recorded; after a start retention_days may wait for an hour", { reason: reasonOf(error) });
      }),
    );
  }

  async settled(): Promise<void> {
    await this.#recording;
  }
}
