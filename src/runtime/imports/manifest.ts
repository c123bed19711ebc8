/** What an import would add, before it adds anything: totals by table and month, days that others have too, and rows that are left out. */
import type { Calendar } from "../../storage/calendar.ts";
import type { EpochMs, LocalDate } from "../../storage/event.ts";
import { IMPORT_BAD_ROWS_SHOWN_MAX, IMPORT_REMARKS_MAX } from "../base/config/limits.ts";
import { PAGEVIEW } from "../base/config/names.ts";
import { PropertyKeys } from "./day-sums.ts";
import type { BadRow, BadRowReason, CrawlRow, DayCounts, DayRow, DayTable, Hit, LeftOutReason, Row } from "./rows.ts";

/** Hits as one table beside those of days. */
export type TotalsTable = DayTable | "hits";

/** `YYYY-MM`. */
export type Month = string;

export interface DayRange {
  readonly firstDay: LocalDate;
  readonly lastDay: LocalDate;
}

/** Where the import ends, because the site's own events begin. */
export interface CutOff {
  readonly firstOwnDay: LocalDate;
  /** Hits from this instant on are left out; rows of days, those from `firstOwnDay` on. */
  readonly endMs: EpochMs;
  /** A sentence for people. */
  readonly reason: string;
}

export interface EarlierImport {
  readonly number: number;
  readonly days: ReadonlySet<LocalDate>;
}

/** The days of the site that others than this import have. */
export interface CoveredDays {
  /** The site's first event of its own; null without any. */
  readonly firstOwn: { readonly timestampMs: EpochMs; readonly day: LocalDate; readonly pageviewsOfDay: number } | null;
  /** Earlier imports of the site, hidden ones as well. */
  readonly imports: readonly EarlierImport[];
}

export interface ShownBadRow {
  readonly path: string;
  readonly line: number;
  readonly reason: BadRowReason;
  readonly column: string | null;
  readonly value: string;
}

export interface Manifest {
  readonly rows: number;
  /** The first and last date of its rows; null without any. */
  readonly range: DayRange | null;
  /** Days with rows. */
  readonly days: number;
  readonly totals: ReadonlyMap<TotalsTable, ReadonlyMap<Month, DayCounts>>;
  readonly cutOff: CutOff | null;
  readonly ownDays: number;
  /** Days that an earlier import has, too. */
  readonly overlaps: readonly (DayRange & { readonly import: number; readonly days: number })[];
  readonly bad: { readonly counts: ReadonlyMap<BadRowReason, number>; readonly first: readonly ShownBadRow[] };
  readonly leftOut: ReadonlyMap<LeftOutReason, number>;
  /** Requests of AI crawlers. */
  readonly crawls: number;
  /** Sentences of files about all of their rows, each once. */
  readonly remarks: readonly string[];
}

const MONTH_CHARS = "YYYY-MM".length;

export const monthOf = (day: LocalDate): Month => day.slice(0, MONTH_CHARS);

const rangeOf = (sorted: readonly LocalDate[]): DayRange | null => {
  const [firstDay, lastDay] = [sorted[0], sorted.at(-1)];
  return firstDay === undefined || lastDay === undefined ? null : { firstDay, lastDay };
};

const increment = <Key>(counts: Map<Key, number>, key: Key): void => void counts.set(key, (counts.get(key) ?? 0) + 1);

/** Adds up the rows of an import. Memory is bounded by the days since `IMPORT_FIRST_DATE`, whatever the number of rows. */
export class ManifestTotals {
  readonly #calendar: Pick<Calendar, "dateOf">;
  readonly #totals = new Map<TotalsTable, Map<Month, DayCounts>>();
  /** Page views of hits by day. Rows of days count none here. */
  readonly #days = new Map<LocalDate, number>();
  readonly #bad = new Map<BadRowReason, number>();
  readonly #firstBad: ShownBadRow[] = [];
  readonly #leftOut = new Map<LeftOutReason, number>();
  readonly #remarks = new Set<string>();
  readonly #properties = new PropertyKeys();
  #rows = 0;
  #crawls = 0;

  /** `calendar`: the site's. */
  constructor(calendar: Pick<Calendar, "dateOf">) {
    this.#calendar = calendar;
  }

  add(path: string, row: Row): void {
    if (row.kind === "remark") {
      if (this.#remarks.size < IMPORT_REMARKS_MAX) this.#remarks.add(row.text);
      return;
    }
    this.#rows++;
    if (row.kind === "bad") this.#addBad(path, row);
    else if (row.kind === "left out") increment(this.#leftOut, row.reason);
    else if (row.kind === "day") this.#addDay(row);
    else if (row.kind === "crawl") this.#addCrawl(row);
    else this.#addHit(row);
  }

  #addBad(path: string, { line, reason, column, value }: BadRow): void {
    increment(this.#bad, reason);
    if (this.#firstBad.length < IMPORT_BAD_ROWS_SHOWN_MAX) this.#firstBad.push({ path, line, reason, column: column ?? null, value });
  }

  #addCrawl({ atMs }: CrawlRow): void {
    const day = this.#calendar.dateOf(atMs);
    if (!this.#days.has(day)) this.#days.set(day, 0);
    this.#crawls++;
  }

  #addHit({ atMs, name }: Hit): void {
    const day = this.#calendar.dateOf(atMs);
    const isPageview = name === PAGEVIEW;
    this.#addCounts("hits", day, isPageview ? { pageviews: 1 } : { events: 1 });
    if (isPageview) increment(this.#days, day);
  }

  #addDay(row: DayRow): void {
    if (this.#properties.admits(row)) this.#addCounts(row.table, row.date, row.counts);
    else increment(this.#leftOut, "property_limit");
  }

  #addCounts(table: TotalsTable, day: LocalDate, counts: DayRow["counts"]): void {
    if (!this.#days.has(day)) this.#days.set(day, 0);
    let months = this.#totals.get(table);
    if (!months) this.#totals.set(table, (months = new Map()));
    const month = monthOf(day);
    months.set(month, addedCounts(months.get(month), counts));
  }

  manifest(covered: CoveredDays, calendar: Pick<Calendar, "startOf">): Manifest {
    const days = [...this.#days.keys()].sort();
    // Requests of crawlers are in no event.
    const cutOff =
      this.#totals.size === 0 ? null : cutOffOf(covered.firstOwn, this.#days, { calendar, hasTimes: this.#totals.has("hits") });
    return {
      rows: this.#rows,
      range: rangeOf(days),
      days: days.length,
      totals: this.#totals,
      cutOff,
      ownDays: cutOff ? days.filter((day) => day >= cutOff.firstOwnDay).length : 0,
      overlaps: covered.imports.flatMap(({ number, days: theirs }) => {
        const shared = days.filter((day) => theirs.has(day));
        const range = rangeOf(shared);
        return range ? [{ import: number, days: shared.length, ...range }] : [];
      }),
      bad: { counts: this.#bad, first: this.#firstBad },
      leftOut: this.#leftOut,
      crawls: this.#crawls,
      remarks: [...this.#remarks],
    };
  }
}

export function addedCounts(sums: DayCounts | undefined, counts: DayCounts): DayCounts {
  const added: Record<string, number> = { ...sums };
  for (const [measure, count] of Object.entries(counts) as [string, number][]) added[measure] = (added[measure] ?? 0) + count;
  return added;
}

/** The cut-off of a site whose own events have begun since the files were read: they are later than nearly all of the source's. */
export const lateCutOff = ({ day, timestampMs }: NonNullable<CoveredDays["firstOwn"]>): CutOff => ({
  firstOwnDay: day,
  endMs: timestampMs,
  reason: `Own events have begun on ${day}, after the files were read: the import ends with the first of them.`,
});

interface SourceTimes {
  readonly calendar: Pick<Calendar, "startOf">;
  /** False for rows of days, which cannot be parted. */
  readonly hasTimes: boolean;
}

/**
 * Own events are never deleted, so the first own day can only be shared if the source has times. It is where the source has more page
 * views: then own counting began in the middle of that day.
 */
function cutOffOf(
  firstOwn: CoveredDays["firstOwn"],
  pageviewsByDay: ReadonlyMap<LocalDate, number>,
  { calendar, hasTimes }: SourceTimes,
): CutOff | null {
  if (firstOwn === null) return null;
  const { day: firstOwnDay, timestampMs, pageviewsOfDay } = firstOwn;
  const ofSource = pageviewsByDay.get(firstOwnDay) ?? 0;
  if (hasTimes && ofSource > pageviewsOfDay) {
    const reason = `Own events begin on ${firstOwnDay}, on which the source has more page views (${ofSource} to ${pageviewsOfDay}): until the first own event, that day is the source's.`;
    return { firstOwnDay, endMs: timestampMs, reason };
  }
  const why = hasTimes
    ? "which has at least as many page views as the source's"
    : "which the source's totals of whole days cannot complete";
  return {
    firstOwnDay,
    endMs: calendar.startOf(firstOwnDay),
    reason: `Own events begin on ${firstOwnDay}, ${why}: the import ends before.`,
  };
}
