/**
 * Wakes an object without a request: the one alarm that the platform gives it, and the day on which its site next has work that is due by
 * date (merges, rollups, `retention_days`). The day is a record, so an object that starts often lists its files once a day, and one without
 * such work never wakes.
 */
import type { EpochMs, LocalDate, SiteId } from "../../src/storage/event.ts";
import type { DurableObjectStorage } from "./platform.ts";
import { readJsonRecord, type RecordStore, replaceJsonRecord } from "../../src/storage/record-store.ts";
import { CLOCK_DISTRUST_MS } from "../../src/runtime/base/config/limits.ts";
import { reasonOf } from "../../src/runtime/base/metrics/log.ts";
import type { Services } from "../../src/runtime/service/services.ts";
import { addDays, type Calendar } from "../../src/storage/calendar.ts";

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

const RECORD = "upkeep.json";

/** Delay after the beginning of the day, so that late events of the day before are in files. */
const DELAY_MS = 60_000;

interface UpkeepOptions {
  readonly siteId: SiteId;
  readonly records: RecordStore;
  readonly services: Services;
}

/** Expired days wait this long at a time for the clock to be trusted again. */
const TRUST_PAUSE_MS = CLOCK_DISTRUST_MS + 60_000;

export class Upkeep {
  readonly #options: UpkeepOptions;
  /** null if no work will be due. */
  #dueOn: LocalDate | null;
  #retentionDays: unknown;
  #notBeforeMs: EpochMs = 0;

  private constructor(options: UpkeepOptions, dueOn: LocalDate | null, retentionDays: unknown) {
    this.#options = options;
    this.#dueOn = dueOn;
    this.#retentionDays = retentionDays;
    options.services.eventStore.observe({
      // A merge or rollup of a past day is due now; those of today tomorrow.
      beforeRelease: async (_siteId, _segment, days) => {
        const isPast = [...days.keys()].some((day) => day < this.#today());
        await this.#bringForward(isPast ? this.#today() : addDays(this.#today(), 1));
      },
      beforeDelete: () => this.#bringForward(this.#today()),
    });
    // A site may have nothing else.
    options.services.crawls?.counts.observe(() => this.#bringForward(addDays(this.#today(), 1)));
  }

  /** Checks the files if there is no record yet, or if the retention differs from the recorded one: days may then expire earlier. */
  static async open(options: UpkeepOptions): Promise<Upkeep> {
    const { siteId, records, services } = options;
    const record = await readJsonRecord(records, RECORD);
    if (record === null) return new Upkeep(options, services.sites.calendarOf(siteId).dateOf(services.now()), null);
    const { dueOn, retentionDays } = record;
    const upkeep = new Upkeep(options, typeof dueOn === "string" ? (dueOn as LocalDate) : null, retentionDays);
    if (retentionDays !== services.expiry.daysOf(siteId)) await upkeep.noteChange();
    return upkeep;
  }

  get isDue(): boolean {
    return this.msUntilDue() === 0;
  }

  /** Infinite if nothing will be due. */
  msUntilDue(): number {
    if (this.#dueOn === null) return Number.POSITIVE_INFINITY;
    const nowMs = this.#options.services.now();
    const dueMs = this.#dueOn <= this.#today() ? this.#notBeforeMs : this.#calendar.startOf(this.#dueOn) + DELAY_MS;
    return Math.max(0, dueMs - nowMs);
  }

  /** Call it when all jobs have run. What they have left is due again. */
  async noteRun(): Promise<void> {
    const { siteId, services } = this.#options;
    if (services.rollups.msUntilDue() < Number.POSITIVE_INFINITY || services.compaction.hasWork(siteId)) return;
    const dropped = (await services.droppedEvents?.storedDays(siteId)) ?? [];
    const crawled = (await services.crawls?.counts.storedDays(siteId)) ?? [];
    const days = [...(await services.daysOf(siteId)), ...dropped, ...crawled].sort();
    const hasToday = days.some((day) => day >= this.#today());
    const [next = null] = [...this.#expiryOf(days), ...(hasToday ? [addDays(this.#today(), 1)] : [])].sort();
    // An expired day that is still there waits until the clock is trusted.
    this.#notBeforeMs = services.now() + TRUST_PAUSE_MS;
    await this.#write(next);
  }

  get #calendar(): Calendar {
    const { siteId, services } = this.#options;
    return services.sites.calendarOf(siteId);
  }

  #today(): LocalDate {
    return this.#calendar.dateOf(this.#options.services.now());
  }

  /** Called when the site's settings have changed: its days may expire earlier. */
  async noteChange(): Promise<void> {
    await this.#bringForward(this.#today());
  }

  #expiryOf([oldest]: readonly LocalDate[]): LocalDate[] {
    const { siteId, services } = this.#options;
    const retentionDays = services.expiry.daysOf(siteId);
    return oldest === undefined || retentionDays === 0 ? [] : [addDays(oldest, retentionDays + 1)];
  }

  async #bringForward(day: LocalDate): Promise<void> {
    this.#notBeforeMs = 0;
    if (this.#dueOn === null || day < this.#dueOn) await this.#write(day);
  }

  /** A day that cannot be recorded counts until the object ends; the next file tries again. */
  async #write(dueOn: LocalDate | null): Promise<void> {
    const { siteId, records, services } = this.#options;
    const retentionDays = services.expiry.daysOf(siteId);
    if (dueOn === this.#dueOn && retentionDays === this.#retentionDays) return;
    this.#dueOn = dueOn;
    this.#retentionDays = retentionDays;
    await replaceJsonRecord(records, RECORD, { dueOn, retentionDays }).catch((error: unknown) => {
      services.log.warn("the day of the next upkeep could not be recorded", { reason: reasonOf(error) });
    });
  }
}
