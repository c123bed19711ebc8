/**
 * The demo site: made, brought up to date and removed on request (docs/http-api.md, "Demo site"). Its days are files that appear one by
 * one, so that a crash leaves a shorter demo, which the next call completes or removes. Nothing of it is in the journal.
 */
import { dayNumberOf, addDays, daysBetween } from "../../storage/calendar.ts";
import { DAY_MS, type EpochMs, eventText, type LocalDate, MINUTE_MS } from "../../storage/event.ts";
import type { FileOfDay, Partition, PartitionFile } from "../../storage/partitions.ts";
import type { DeletedDays, EventStore } from "../../storage/event-store.ts";
import { severalAtOnce } from "../../storage/object-store.ts";
import type { Config } from "../base/config/config.ts";
import { AppError, storageUnavailable } from "../base/errors.ts";
import type { SiteAdmission } from "../ingest/admission.ts";
import type { CalendarOf } from "../sites/sites.ts";
import { demoDay } from "./demo-events.ts";
import { DEMO_DAYS, DEMO_FILES_AT_ONCE } from "../base/config/limits.ts";
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
  readonly calendarOf: CalendarOf;
  readonly now: () => EpochMs;
  /** Lets requests be answered between two days. */
  readonly pause: () => Promise<void>;
  /** Older days are not made; 0 makes all. */
  readonly retentionDaysOf: (siteId: typeof DEMO_SITE) => number;
  /** `ingest`: another node makes and removes the demo site, and this one cannot know whether it exists. */
  readonly role: Config["role"];
}

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

export class DemoSite {
  readonly #options: DemoSiteOptions;
  /** null until the files were checked. */
  #exists: boolean | null = null;
  #making: { readonly done: Promise<number>; readonly abort: AbortController } | null = null;
  #removing: Promise<unknown> = Promise.resolve();

  constructor(options: DemoSiteOptions) {
    this.#options = options;
    options.eventStore.observe({
      onSiteWithoutFiles: (siteId) => {
        if (siteId === DEMO_SITE) this.#exists = false;
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
      const done = this.#removing.then(() => this.#makeMissing(abort.signal)).finally(() => (this.#making = null));
      this.#making = { done, abort };
    }
    return this.#making.done;
  }

  /** Removes the demo site. 409 if its name also has events that were not made up. */
  remove(): Promise<Pick<DeletedDays, "events" | "days">> {
    const stopped = this.stop();
    const removed = Promise.all([stopped, this.#removing]).then(() => this.#remove());
    this.#removing = removed.catch(() => {
      // The caller gets the error.
    });
    return removed;
  }

  /** Ends making it after the current files. */
  async stop(): Promise<void> {
    this.#making?.abort.abort();
    await this.#making?.done.catch(() => {
      // Whoever called for it gets the error.
    });
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
    const missing = this.#missingIn(stored);
    let added = 0;
    try {
      await severalAtOnce(missing, DEMO_FILES_AT_ONCE, async (next) => {
        if (signal.aborted) throw new AppError({ code: "unavailable", retryAfterSecs: 1 }, "The demo site is not made: it was stopped.");
        const events = await this.#add(next);
        added += events;
        await this.#options.pause();
      });
    } finally {
      // A file whose writing failed may be there all the same.
      this.#exists = added > 0 ? true : null;
      if (added > 0) this.#options.stats.dropSite(DEMO_SITE);
    }
    return added;
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
    const { eventStore, calendarOf } = this.#options;
    const calendar = calendarOf(DEMO_SITE);
    const startMs = calendar.startOf(day);
    // Days of 25 hours have an hour without events.
    const endMs = Math.min(calendar.startOf(addDays(day, 1)), startMs + DAY_MS);
    const minuteOf = (timestampMs: EpochMs): number => Math.floor((timestampMs - startMs) / MINUTE_MS);
    const events = demoDay({ siteId: DEMO_SITE, date: day, startMs, endMs, index }).filter(({ timestampMs }) => {
      const minute = minuteOf(timestampMs);
      return from <= minute && minute < to;
    });
    if (events.length > 0) await eventStore.addFile(DEMO_SITE, demoFile(day, index, { from, to }), events.map(eventText));
    return events.length;
  }
}
