/** Makes a rollup from other rollups and from the files of events. Remembers days that cannot be in one. */
import { addDays, type Calendar } from "../../../storage/calendar.ts";
import type { EventStore } from "../../../storage/event-store.ts";
import type { LocalDate, SiteId } from "../../../storage/event.ts";
import type { PartitionVersion } from "../../../storage/partitions.ts";
import type { RollupOrigin } from "../../../storage/rollup.ts";
import { NO_ARRIVAL_RULES } from "../../arrivals/arrival-names.ts";
import type { ArrivalRules } from "../../arrivals/arrivals.ts";
import { ROLLUP_DAYS_SKIPPED_MAX } from "../../base/config/report-limits.ts";
import type { Log } from "../../base/metrics/log.ts";
import { unlessAborted } from "../../base/queue.ts";
import { type DateRange, isInUtc } from "../../query/date-range.ts";
import type { CalendarOf } from "../../sites/sites.ts";
import type { DayToRead, EventsToRead } from "./event-measures.ts";
import type { RolledMeasures } from "./rollup-execution.ts";
import type { RollupCalculator } from "./rollup-calculator.ts";
import { areUnchanged } from "./rollup-origin.ts";
import type { RollupStore, RollupToMake } from "./rollup-store.ts";

const isWithin = ({ firstDay, lastDay }: DateRange, day: LocalDate): boolean => firstDay <= day && day <= lastDay;

const dayToRead = ({ day, files }: PartitionVersion, calendar: Calendar): DayToRead => ({
  day,
  startMs: calendar.startOf(day),
  endMs: calendar.startOf(addDays(day, 1)),
  files: files.map(({ key }) => key),
});

/** The events of these ranges of whole salt periods; `days` are those of the site. */
export function eventsToRead(
  ranges: readonly DateRange[],
  days: readonly PartitionVersion[],
  { toCompute: measures }: Pick<RolledMeasures, "toCompute">,
  calendar: Calendar,
  arrivalRules = NO_ARRIVAL_RULES,
): EventsToRead {
  const read = days.filter(({ day }) => ranges.some((range) => isWithin(range, day))).map((version) => dayToRead(version, calendar));
  const [startMs, endMs] = [read[0]?.startMs ?? 0, read.at(-1)?.endMs ?? 0];
  const areInUtc = ranges.every((range) => isInUtc(range, calendar));
  return { days: read, offsets: areInUtc ? null : calendar.offsetsBetween(startMs, endMs), measures, arrivalRules };
}

export interface RollupMakerOptions {
  readonly eventStore: Pick<EventStore, "versions">;
  readonly calculator: Pick<RollupCalculator, "make">;
  readonly rollupStore: RollupStore;
  readonly rolled: RolledMeasures;
  readonly calendarOf: CalendarOf;
  readonly arrivalRulesOf: (siteId: SiteId) => ArrivalRules;
  readonly log: Log;
}

/** `changed`: events were added or deleted, files merged or rules of the site changed meanwhile. `skipped`: its days are skipped from now on. */
type MakeOutcome = "made" | "changed" | "skipped";

export class RollupMaker {
  readonly #options: RollupMakerOptions;
  readonly #skipped = new Map<string, string>();

  constructor(options: RollupMakerOptions) {
    this.#options = options;
  }

  /** True if the day cannot be in a rollup until its events change: files cannot be read, or the events need too much memory. */
  isSkipped(siteId: SiteId, { day, version }: PartitionVersion): boolean {
    return this.#skipped.get(`${siteId} ${day}`) === version;
  }

  /** Makes and stores a rollup; `days` are those of the site. Rejects if it may be tried again. */
  async make({ origin, rollups, events }: RollupToMake, days: readonly PartitionVersion[], signal: AbortSignal): Promise<MakeOutcome> {
    const { calculator, calendarOf, arrivalRulesOf, rolled, rollupStore } = this.#options;
    const arrivalRules = arrivalRulesOf(origin.siteId);
    if (rolled.arrivalsOf(arrivalRules) !== origin.arrivals) return "changed";
    const read = eventsToRead(events, days, rolled, calendarOf(origin.siteId), arrivalRules);
    const made = await unlessAborted(calculator.make(origin, rollups, read), signal);
    if ("bytes" in made) return (await rollupStore.put(origin, made.bytes)) ? "made" : "changed";
    if (!(await this.#isUnchanged(origin))) return "changed";
    this.#skip(origin.siteId, made.unusable, days, made.reason);
    return "skipped";
  }

  /** False if a file may be missing because it was merged or deleted meanwhile. */
  async #isUnchanged(origin: RollupOrigin): Promise<boolean> {
    const { siteId, firstDay, lastDay } = origin;
    return areUnchanged(origin, await this.#options.eventStore.versions(siteId, firstDay, lastDay));
  }

  #skip(siteId: SiteId, range: DateRange, days: readonly PartitionVersion[], reason: string): void {
    if (this.#skipped.size >= ROLLUP_DAYS_SKIPPED_MAX) this.#skipped.clear();
    for (const { day, version } of days) if (isWithin(range, day)) this.#skipped.set(`${siteId} ${day}`, version);
    const { firstDay, lastDay } = range;
    this.#options.log.warn("days cannot be in a rollup until their events change; reports read their events", {
      site: siteId,
      firstDay,
      lastDay,
      reason,
    });
  }
}
