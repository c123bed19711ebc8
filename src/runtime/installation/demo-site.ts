/**
 * The demo site: made and removed on request, and continued each minute while it exists (docs/http-api.md, "Demo site"). Its days are files
 * that appear one by one, so that a crash leaves a shorter demo, which the next call completes or removes. Nothing of it is in the journal.
 */
import { dayNumberOf, addDays, daysBetween } from "../../storage/calendar.ts";
import { DAY_MS, type EpochMs, eventText, type LocalDate, MINUTE_MS, type StoredEvent } from "../../storage/event.ts";
import type { FileOfDay, Partition, PartitionFile } from "../../storage/partitions.ts";
import type { DeletedDays, EventStore } from "../../storage/event-store.ts";
import { severalAtOnce } from "../../storage/object-store.ts";
import type { Config } from "../base/config/config.ts";
import { AppError, storageUnavailable } from "../base/errors.ts";
import { type Log, reasonOf } from "../base/metrics/log.ts";
import { type Job, PeriodicJob } from "../base/periodic-job.ts";
import type { SiteAdmission } from "../ingest/admission.ts";
import type { CalendarOf } from "../sites/sites.ts";
import { demoDay } from "./demo-events.ts";
import { DEMO_DAYS, DEMO_FILES_AT_ONCE, DEMO_RETRY_MS, DEMO_RETRY_MS_MAX } from "../base/config/limits.ts";
import { DEMO_SITE } from "../base/config/names.ts";

export const MINUTES_OF_DAY = 1440;

/** The last number of a hundred years. Segments are numbered by the clock's milliseconds (docs/data-format.md, "Partitions"). */
const NUMBER_MAX = 100 * 366 * MINUTES_OF_DAY;

/**
 * The stored part of the demo. The range in a file's name counts minutes since the demo's first day, so the names alone say where the demo
 * begins, what it lacks, and that a file is made up: segments of the journal have far larger numbers.
 */
interface StoredDemo {
  /** The number of the demo's first day; null without a demo. */
  readonly firstDay: number | null;
  /** Minutes of each day that are stored, from midnight on. */
  readonly minutes: ReadonlyMap<LocalDate, number>;
  /** The last day with stored minutes; null without a demo. */
  readonly lastDay: LocalDate | null;
  readonly hasOthers: boolean;
}

const isMadeUp = ({ first, last }: FileOfDay): boolean => first > 0 && last <= NUMBER_MAX;

const firstDayOf = ({ day, first }: FileOfDay): number => dayNumberOf(day) - Math.floor((first - 1) / MINUTES_OF_DAY);

const minutesOf = ({ last }: FileOfDay): number => ((last - 1) % MINUTES_OF_DAY) + 1;

export function storedDemo(partitions: readonly Partition[]): StoredDemo {
  const files: PartitionFile[] = partitions.flatMap((partition) => partition.files);
  const made = files.filter(isMadeUp);
  const minutes = new Map<LocalDate, number>();
  for (const file of made) minutes.set(file.day, Math.max(minutes.get(file.day) ?? 0, minutesOf(file)));
  return {
    firstDay: made[0] ? firstDayOf(made[0]) : null,
    minutes,
    lastDay: [...minutes.keys()].reduce<LocalDate | null>((last, day) => (last === null || day > last ? day : last), null),
    hasOthers: made.length < files.length || partitions.some(({ journaled }) => journaled.length > 0),
  };
}

/** The file of some minutes of a day, `from` to below `to`. */
export function demoFile(day: LocalDate, index: number, { from, to }: { readonly from: number; readonly to: number }): FileOfDay {
  const before = index * MINUTES_OF_DAY;
  return { day, first: before + from + 1, last: before + to };
}

const FIRST_DAY = "0001-01-01" as LocalDate;
const LAST_DAY = "9999-12-31" as LocalDate;

interface DemoSiteOptions {
  readonly eventStore: EventStore;
  readonly erasure: {
    erase(siteId: typeof DEMO_SITE, firstDay: LocalDate, lastDay: LocalDate): Promise<Pick<DeletedDays, "events" | "days">>;
  };
  /** Its cached results are dropped when events are added. */
  readonly stats: { dropSite(siteId: typeof DEMO_SITE): void };
  readonly knownSites: Pick<SiteAdmission, "has">;
  /** False if it is known, without a look at the files, that there is no demo site. */
  readonly mayExist: () => boolean;
  /** Merges the files of a day, of which each minute with events adds one. */
  readonly compaction: { noteFiles(siteId: typeof DEMO_SITE, days: Iterable<LocalDate>): void };
  /** False while events are refused because they cannot be stored. */
  readonly isAccepting: () => boolean;
  readonly calendarOf: CalendarOf;
  readonly log: Log;
  readonly now: () => EpochMs;
  readonly monotonicMs: () => number;
  /** Lets requests be answered between two days. */
  readonly pause: () => Promise<void>;
  /** Older days are not made; 0 makes all. */
  readonly retentionDaysOf: (siteId: typeof DEMO_SITE) => number;
  /** `ingest`: another node makes and removes the demo site, and this one cannot know whether it exists. */
  readonly role: Config["role"];
}

const minuteAt = (ms: EpochMs): number => Math.floor(ms / MINUTE_MS);

interface MissingMinutes {
  readonly day: LocalDate;
  /** Days since the first of the demo. */
  readonly index: number;
  readonly from: number;
  readonly to: number;
}

const nameIsTaken = (): AppError => {
  const message = `${DEMO_SITE} has events that were not made up, so it cannot be the demo site. Delete them first.`;
  return new AppError({ code: "already_configured" }, message);
};

export class DemoSite implements Job {
  readonly #options: DemoSiteOptions;
  readonly #continuation: PeriodicJob;
  /** null until the files were checked. */
  #exists: boolean | null = null;
  /** The minute of the clock up to which a job has continued it. */
  #continuedTo = Number.NEGATIVE_INFINITY;
  /** The last day that was made: making all of a day each minute would hold up requests for 10 ms. */
  #madeDay: { readonly key: string; readonly events: readonly StoredEvent[] } | null = null;
  #making: { readonly done: Promise<number>; readonly abort: AbortController } | null = null;
  #removing: Promise<unknown> = Promise.resolve();
  #removals = 0;

  constructor(options: DemoSiteOptions) {
    this.#options = options;
    this.#continuation = new PeriodicJob({
      monotonicMs: options.monotonicMs,
      isDue: () => this.#isDue,
      run: ({ signal }) => this.#continue(signal),
      retryMs: DEMO_RETRY_MS,
      retryMsMax: DEMO_RETRY_MS_MAX,
    });
    options.eventStore.observe({
      onSiteWithoutFiles: (siteId) => {
        if (siteId !== DEMO_SITE) return;
        this.#exists = false;
        this.#madeDay = null;
      },
    });
  }

  /**
   * 403 for an event of the demo site while there is or may be one: events of pages do not mix with made-up ones. 503 if storage cannot
   * be read.
   */
  async refuseEvent(): Promise<void> {
    if (this.#options.role === "all" && this.#making === null && !(await this.#isStored())) return;
    throw new AppError(
      { code: "demo_site" },
      `Field "d" must not be ${DEMO_SITE}: it is this service's demo site, whose events are made up. Remove the demo site to use its name.`,
    );
  }

  async #isStored(): Promise<boolean> {
    try {
      return (this.#exists ??= (await this.#stored()).firstDay !== null);
    } catch (error) {
      throw storageUnavailable("The event cannot be taken, because storage could not be read. Try again later.", error);
    }
  }

  #stored(): Promise<StoredDemo> {
    return this.#options.eventStore.withSnapshot(DEMO_SITE, FIRST_DAY, LAST_DAY, async (partitions) => storedDemo(partitions));
  }

  /**
   * Makes the demo site, or the days and hours that it lacks; returns how many events were added. 409 if its name is taken. Calls at
   * the same time share one run. After a rejection some days may be there; may be retried.
   */
  make(): Promise<number> {
    if (this.#making === null) {
      const abort = new AbortController();
      const others = Promise.all([this.#removing, this.#continuation.settled()]);
      const done = others.then(() => this.#makeMissing(abort.signal)).finally(() => (this.#making = null));
      this.#making = { done, abort };
    }
    return this.#making.done;
  }

  /** Removes the demo site. 409 if its name also has events that were not made up. */
  remove(): Promise<Pick<DeletedDays, "events" | "days">> {
    const others = [this.#stopMaking(), this.#removing, this.#continuation.settled()];
    this.#removals++;
    const removed = Promise.all(others)
      .then(() => this.#remove())
      .finally(() => this.#removals--);
    this.#removing = removed.catch(() => {
      // The caller gets the error.
    });
    return removed;
  }

  /** Ends making it after the current files. */
  async #stopMaking(): Promise<void> {
    this.#making?.abort.abort();
    await this.#making?.done.catch(() => {
      // Whoever called for it gets the error.
    });
  }

  /** Continues it if it exists and a minute has passed. */
  tick(): void {
    this.#continuation.tick();
  }

  settled(): Promise<void> {
    return this.#continuation.settled();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#stopMaking(), this.#continuation.stop()]);
  }

  /** False with `role = "ingest"`: another node has the demo site. */
  get #isDue(): boolean {
    const { role, now, mayExist, isAccepting } = this.#options;
    if (role !== "all" || this.#making !== null || this.#removals > 0 || minuteAt(now()) <= this.#continuedTo) return false;
    return (this.#exists ?? mayExist()) && isAccepting();
  }

  /**
   * Adds the minutes since the last stored one: all visits are a function of their day, so none comes twice or is left out, however long
   * the process was down. Days before it that a crash, a deletion or another retention left out stay so: a removal that was interrupted
   * must not be undone.
   */
  async #continue(signal: AbortSignal): Promise<boolean> {
    const { log, now } = this.#options;
    const minute = minuteAt(now());
    const isStopped = () => signal.aborted || this.#removals > 0 || this.#exists === false;
    try {
      const stored = await this.#stored();
      const { lastDay, hasOthers } = stored;
      this.#exists = lastDay !== null;
      const newest = lastDay === null || hasOthers ? [] : this.#missingIn(stored).filter(({ day }) => day >= lastDay);
      await this.#addAll(newest, isStopped);
      this.#continuedTo = minute;
      return true;
    } catch (error) {
      if (isStopped()) return true;
      log.warn("the demo site could not be continued; it is tried again", { reason: reasonOf(error) });
      return false;
    }
  }

  async #remove(): Promise<Pick<DeletedDays, "events" | "days">> {
    const { firstDay, hasOthers } = await this.#stored();
    if (hasOthers && firstDay !== null) throw nameIsTaken();
    if (hasOthers) return { events: 0, days: 0 };
    // Also without files: a crash before the first one leaves folders.
    return this.#options.erasure.erase(DEMO_SITE, FIRST_DAY, LAST_DAY);
  }

  async #makeMissing(signal: AbortSignal): Promise<number> {
    const stored = await this.#stored();
    // An event that was accepted before `make` was called may still be on its way to the journal.
    const isNameKnown = stored.firstDay === null && this.#options.knownSites.has(DEMO_SITE);
    if (stored.hasOthers || isNameKnown) throw nameIsTaken();
    return this.#addAll(this.#missingIn(stored), () => signal.aborted);
  }

  /** Returns how many events were added. */
  async #addAll(missing: readonly MissingMinutes[], isStopped: () => boolean): Promise<number> {
    let added = 0;
    try {
      await severalAtOnce(missing, DEMO_FILES_AT_ONCE, async (next) => {
        if (isStopped()) throw new AppError({ code: "unavailable", retryAfterSecs: 1 }, "The demo site is not made: it was stopped.");
        // Read `added` after the wait: others add to it meanwhile.
        const events = await this.#add(next);
        added += events;
        await this.#options.pause();
      });
      if (added > 0) this.#exists = true;
      return added;
    } catch (error) {
      // A file whose writing failed may be there all the same.
      this.#exists = null;
      throw error;
    } finally {
      if (added > 0) this.#options.stats.dropSite(DEMO_SITE);
    }
  }

  /** Oldest first. */
  #missingIn({ firstDay, minutes }: StoredDemo): MissingMinutes[] {
    const { calendarOf, now, retentionDaysOf } = this.#options;
    const [calendar, retentionDays] = [calendarOf(DEMO_SITE), retentionDaysOf(DEMO_SITE)];
    const nowMs = now();
    const today = calendar.dateOf(nowMs);
    const minutesOfToday = Math.min(MINUTES_OF_DAY, Math.floor((nowMs - calendar.startOf(today)) / MINUTE_MS));
    const beginning = firstDay ?? dayNumberOf(today) - (DEMO_DAYS - 1);
    const daysKept = Math.min(DEMO_DAYS - 1, dayNumberOf(today) - beginning, retentionDays === 0 ? DEMO_DAYS : retentionDays);
    const days = Array.from({ length: daysKept + 1 }, (_, i) => addDays(today, i - daysKept));
    return days
      .map((day) => ({
        day,
        index: dayNumberOf(day) - beginning,
        from: minutes.get(day) ?? 0,
        to: daysBetween(day, today) === 0 ? minutesOfToday : MINUTES_OF_DAY,
      }))
      .filter(({ from, to }) => from < to);
  }

  async #add({ day, index, from, to }: MissingMinutes): Promise<number> {
    const { eventStore, compaction, calendarOf } = this.#options;
    const startMs = calendarOf(DEMO_SITE).startOf(day);
    const events = this.#eventsOf(day, index).filter(({ timestampMs }) => {
      const minute = Math.floor((timestampMs - startMs) / MINUTE_MS);
      return from <= minute && minute < to;
    });
    if (events.length === 0) return 0;
    await eventStore.addFile(DEMO_SITE, demoFile(day, index, { from, to }), events.map(eventText));
    compaction.noteFiles(DEMO_SITE, [day]);
    return events.length;
  }

  #eventsOf(day: LocalDate, index: number): readonly StoredEvent[] {
    const calendar = this.#options.calendarOf(DEMO_SITE);
    const startMs = calendar.startOf(day);
    // Days of 25 hours have an hour without events.
    const endMs = Math.min(calendar.startOf(addDays(day, 1)), startMs + DAY_MS);
    const key = [day, index, startMs, endMs].join(" ");
    if (this.#madeDay?.key !== key) this.#madeDay = { key, events: demoDay({ siteId: DEMO_SITE, date: day, startMs, endMs, index }) };
    return this.#madeDay.events;
  }
}
