/** The rows of queries from sums of days that imports have in place of events, for the days of a range that have no event. */
import { UNRECORDED } from "../../shared/filters.ts";
import { addDays, dayNumberOf } from "../../storage/calendar.ts";
import { type Columns, memoryOf, rowCountOf } from "../../storage/columns.ts";
import {
  CUSTOM_EVENTS,
  DAY_SUMS_DEFINITIONS,
  DAY_TOTALS,
  daySumsKey,
  type ImportedDays,
  withoutOtherDays,
} from "../../storage/day-sums.ts";
import type { LocalDate } from "../../storage/event.ts";
import { LruMap } from "../../storage/lru-map.ts";
import type { ObjectKey, ObjectStore } from "../../storage/object-store.ts";
import type { PartitionVersion } from "../../storage/partitions.ts";
import { isPropertyMeasure, type RollupHeader } from "../../storage/rollup.ts";
import { openRollup } from "../../storage/rollup-file.ts";
import { PAGEVIEW } from "../base/config/names.ts";
import { IMPORTED_DAYS_BYTES_MAX, IMPORTED_DAYS_HEADERS_MAX } from "../base/config/report-limits.ts";
import { type Log, reasonOf } from "../base/metrics/log.ts";
import type { CoveredDays, Lack } from "./coverage.ts";
import type { DateRange } from "./date-range.ts";
import { DAY_COUNTS, DAY_MEASURES, type DayCount, type RowsOfDays } from "./day-sums.ts";
import type { Condition } from "./filters.ts";
import type { AggregateQuery, PlanStep } from "./plan.ts";
import { compiledTest } from "./text-matching.ts";

/** Rows of one measure: `bucket`, perhaps `value`, and counts. */
type Rows = Columns;

interface RowsOfImport {
  readonly ofQueries: readonly Columns[];
  readonly lacks: readonly Lack[];
}

interface ImportedRows {
  /** The rows of each query of the step, in parts that add up. */
  readonly parts: readonly (readonly Columns[])[];
  readonly days: readonly CoveredDays[];
}

interface ImportedDaysOptions {
  readonly objects: Pick<ObjectStore, "get">;
  readonly log: Log;
}

/** Keeps the measures that were read last: files never change. */
export class ImportedDaysReader {
  readonly #options: ImportedDaysOptions;
  readonly #headers = new LruMap<ObjectKey, RollupHeader>({ max: IMPORTED_DAYS_HEADERS_MAX });
  readonly #measures = new LruMap<string, Rows>({ max: IMPORTED_DAYS_BYTES_MAX, weightOf: memoryOf });

  constructor(options: ImportedDaysOptions) {
    this.#options = options;
  }

  /**
   * `eventDays`: the versions of the days of the step that have events, which count in place of sums. Days of `leftOut` are not answered.
   * null without days of sums.
   */
  async rowsOf(
    { siteRange, queries }: PlanStep,
    eventDays: readonly PartitionVersion[],
    leftOut: readonly DateRange[],
  ): Promise<ImportedRows | null> {
    const { imported = [], range } = siteRange;
    const daysOfEvents = new Set(eventDays.map(({ day }) => day));
    const parts: Columns[][] = queries.map(() => []);
    const days: CoveredDays[] = [];
    const note = (number: number, [firstDay, ...others]: readonly LocalDate[], rows: RowsOfImport | null) => {
      if (firstDay === undefined) return;
      days.push({ import: number, firstDay, lastDay: others.at(-1) ?? firstDay, isAnswered: rows !== null, lacks: rows?.lacks ?? [] });
    };
    for (const each of imported) {
      const all = daysWithout(range, each, daysOfEvents);
      const wanted = all.filter((day) => !leftOut.some(({ firstDay, lastDay }) => firstDay <= day && day <= lastDay));
      const rows = wanted.length === 0 ? null : await this.#rowsOfImport(each, queries, wanted);
      rows?.ofQueries.forEach((ofQuery, i) => parts[i]?.push(ofQuery));
      note(each.import, wanted, rows);
      if (wanted.length < all.length) {
        const isWanted = new Set(wanted);
        note(
          each.import,
          all.filter((day) => !isWanted.has(day)),
          null,
        );
      }
    }
    return days.length === 0 ? null : { parts, days };
  }

  /**
   * The rows of each query; null if there is one that the import cannot answer, because numbers of an answer must be of the same days. Sums
   * without visitors have views and events alone: they count in these numbers, and in no others.
   */
  async #rowsOfImport(
    imported: ImportedDays,
    queries: readonly AggregateQuery[],
    wanted: readonly LocalDate[],
  ): Promise<RowsOfImport | null> {
    const described = queries.flatMap(({ ofDays }) => ofDays ?? []);
    if (described.length < queries.length) return null;
    try {
      const ofQueries: Columns[] = [];
      const lacks = new Set<Lack>();
      for (const [i, ofDays] of described.entries()) {
        const query = queries[i];
        const sums = query && (await this.#sumsOf(imported, ofDays, wanted));
        if (!sums) return null;
        const missing = missingIn(sums, ofDays);
        if (missing.length > 0 && !isOfViews(sums)) return null;
        for (const count of missing) {
          const lack = LACKS[count];
          if (lack === null) return null;
          lacks.add(lack);
        }
        // Page views beside visits are those of the visits: those of days without visits would make visits longer.
        const isOfVisits = missing.some((count) => LACKS[count] === "visits");
        ofQueries.push(resultOf(query, ofDays, isOfVisits ? [] : sums.map((rows) => withNone(rows, missing))));
      }
      return { ofQueries, lacks: [...lacks] };
    } catch (error) {
      this.#options.log.warn("sums of days of an import cannot be read; reports leave them out", {
        import: imported.import,
        reason: reasonOf(error),
      });
      return null;
    }
  }

  /** The rows that the query is made of; null if the import lacks the measure. */
  async #sumsOf(imported: ImportedDays, ofDays: RowsOfDays, wanted: readonly LocalDate[]): Promise<readonly Rows[] | null> {
    const { measure, isWithoutPageviews = false } = ofDays;
    const read = (name: string) => this.#read(imported, name, wanted);
    const totals = async () => withEvents((await read(DAY_TOTALS)) ?? [], (await read(CUSTOM_EVENTS)) ?? []);
    let sums = await read(measure ?? DAY_TOTALS);
    if (sums === null) return null;
    if (measure === null) sums = await totals();
    else if (measure === DAY_MEASURES.events) {
      const pageviews = isWithoutPageviews ? [] : (await totals()).map(asPageviews);
      sums = [...sums.map(withoutViews), ...pageviews];
    } else if (!isPropertyMeasure(measure)) sums = sums.map(viewsAsEvents);
    if (measure !== null && LOCATIONS.has(measure) && !isOfViews(sums))
      sums = [...sums, ...unlocated((await totals()).map(viewsAsEvents), sums)];
    return sums;
  }

  /**
   * The rows of a measure on these days, of each file that has some, or of one file without any: its columns are those of the measure. null if
   * the import has no such measure.
   */
  async #read({ import: number, files }: ImportedDays, measure: string, wanted: readonly LocalDate[]): Promise<Rows[] | null> {
    const numbers = new Set(wanted.map(dayNumberOf));
    const [firstDay = "", lastDay = ""] = [wanted[0], wanted.at(-1)];
    const keys: { readonly key: ObjectKey; readonly isOfRange: boolean }[] = [];
    for (const index of files) {
      const key = daySumsKey(number, index);
      const header = this.#headers.get(key) ?? (await this.#open(key)).header;
      if (header.measures[measure] === undefined) continue;
      keys.push({ key, isOfRange: header.firstDay <= lastDay && firstDay <= header.lastDay });
    }
    const ofRange = keys.filter(({ isOfRange }) => isOfRange);
    const found: Rows[] = [];
    for (const { key } of ofRange.length > 0 ? ofRange : keys.slice(0, 1)) {
      found.push(withoutOtherDays(await this.#rowsIn(key, measure), (day) => numbers.has(day)));
    }
    return found.length === 0 ? null : found;
  }

  async #open(key: ObjectKey) {
    const bytes = await this.#options.objects.get(key);
    if (!bytes) throw new Error(`${key} is missing`);
    const file = openRollup(bytes);
    if (file.header.definitions !== DAY_SUMS_DEFINITIONS) throw new Error(`${key} is of another version of Sandpiper`);
    this.#headers.set(key, file.header);
    return file;
  }

  async #rowsIn(key: ObjectKey, measure: string): Promise<Rows> {
    const name = `${key}\n${measure}`;
    const known = this.#measures.get(name);
    if (known) return known;
    const rows = (await (await this.#open(key)).measure(measure)) ?? {};
    this.#measures.set(name, rows);
    return rows;
  }
}

function daysWithout({ firstDay, lastDay }: DateRange, { days }: ImportedDays, daysOfEvents: ReadonlySet<LocalDate>): LocalDate[] {
  const wanted: LocalDate[] = [];
  for (const [first, last] of days) {
    const end = last < lastDay ? last : lastDay;
    for (let day = first > firstDay ? first : firstDay; day <= end; day = addDays(day, 1)) if (!daysOfEvents.has(day)) wanted.push(day);
  }
  return wanted.sort();
}

const LOCATIONS: ReadonlySet<string> = new Set([DAY_MEASURES.countries, DAY_MEASURES.regions, DAY_MEASURES.cities]);

/** What each number is missing from if a source without visitors lacks it; null if such a source has it. */
const LACKS: Readonly<Record<DayCount, Lack | null>> = {
  visitors: "visitors",
  pageviews: null,
  events: null,
  sessions: "visits",
  bounces: "visits",
  duration_ms: "visits",
};

const missingIn = (sums: readonly Rows[], { columns }: RowsOfDays): readonly DayCount[] =>
  Object.values(columns).filter((count) => count !== null && sums.some((rows) => !(count in rows))) as readonly DayCount[];

/** The source counts views without visitors. */
const isOfViews = (sums: readonly Rows[]): boolean => sums.length > 0 && sums.every((rows) => !("visitors" in rows));

const withNone = (rows: Rows, missing: readonly DayCount[]): Rows =>
  missing.reduce((all, name) => withCount(all, name, new Float64Array(rowCountOf(rows))), rows);

const numbersIn = (rows: Rows, name: string): Float64Array => rows[name] as Float64Array;

const withCount = (rows: Rows, name: DayCount, counts: Float64Array): Rows => ({ ...rows, [name]: counts });

/** Sums of visits have page views, and no other events. */
const viewsAsEvents = (rows: Rows): Rows => ("pageviews" in rows ? withCount(rows, "events", numbersIn(rows, "pageviews")) : rows);

/** Events other than page views. */
const withoutViews = (rows: Rows): Rows => withCount(rows, "pageviews", new Float64Array(rowCountOf(rows)));

/** The row of page views among those of events. */
const asPageviews = (rows: Rows): Rows => ({
  ...viewsAsEvents(rows),
  value: Array.from({ length: rowCountOf(rows) }, () => PAGEVIEW),
});

/** All events of a day are its page views and the others, which are counted by their name. */
function withEvents(totals: readonly Rows[], others: readonly Rows[]): Rows[] {
  const left = new Map<number, number>();
  for (const rows of others) {
    numbersIn(rows, "bucket").forEach((day, i) => left.set(day, (left.get(day) ?? 0) + (numbersIn(rows, "events")[i] ?? 0)));
  }
  return totals.map((rows) => {
    if (!("pageviews" in rows)) return rows;
    const views = numbersIn(rows, "pageviews");
    const events = numbersIn(rows, "bucket").map((day, i) => {
      const ofDay = left.get(day) ?? 0;
      left.delete(day);
      return (views[i] ?? 0) + ofDay;
    });
    return withCount(rows, "events", events);
  });
}

/** Sources leave visits without a location out of the table of locations: what is missing from the day's totals. */
function unlocated(totals: readonly Rows[], located: readonly Rows[]): Rows[] {
  const names = DAY_COUNTS.filter((name) => [...totals, ...located].every((rows) => name in rows));
  const missing = new Map<number, Map<DayCount, number>>();
  const add = (rows: Rows, sign: 1 | -1) =>
    numbersIn(rows, "bucket").forEach((day, i) => {
      const ofDay = missing.get(day) ?? new Map<DayCount, number>();
      missing.set(day, ofDay);
      for (const name of names) ofDay.set(name, (ofDay.get(name) ?? 0) + sign * (numbersIn(rows, name)[i] ?? 0));
    });
  for (const rows of totals) add(rows, 1);
  for (const rows of located) add(rows, -1);
  const days = [...missing].filter(([, counts]) => [...counts.values()].some((count) => count > 0));
  if (days.length === 0) return [];
  const counts = names.map((name) => [name, Float64Array.from(days, ([, ofDay]) => Math.max(0, ofDay.get(name) ?? 0))]);
  return [{ bucket: Float64Array.from(days, ([day]) => day), value: days.map(() => UNRECORDED), ...Object.fromEntries(counts) }];
}

/** A missing value equals `(unknown)`, and fails every other test (see `Condition`). */
function passes({ test, isNegated }: Condition, value: string): boolean {
  const isPassed = value === UNRECORDED ? test.kind === "is" && test.values.includes(UNRECORDED) : compiledTest(test)(value);
  return isPassed !== isNegated;
}

/** The rows that the query has of these. */
function resultOf(
  query: AggregateQuery,
  { isByValue, condition, columns, isWithoutPageviews }: RowsOfDays,
  sums: readonly Rows[],
): Columns {
  const isByDay = query.keys.includes("bucket");
  const places = new Map<string, number>();
  const [days, values]: [number[], string[]] = [[], []];
  const counts = Object.entries(columns).map(([name, count]) => ({ name, count, sums: [] as number[] }));
  for (const rows of sums) {
    const texts = (rows["value"] ?? []) as readonly string[];
    const buckets = numbersIn(rows, "bucket");
    for (const [row, day] of buckets.entries()) {
      const value = texts[row] ?? "";
      if ((condition && !passes(condition, value)) || (isWithoutPageviews && value === PAGEVIEW)) continue;
      const key = `${isByDay ? day : ""} ${isByValue ? value : ""}`;
      const place = places.get(key) ?? places.size;
      if (place === places.size) {
        places.set(key, place);
        days.push(day);
        values.push(value);
      }
      for (const { count, sums: ofColumn } of counts)
        ofColumn[place] = (ofColumn[place] ?? 0) + (count === null ? 0 : (numbersIn(rows, count)[row] ?? 0));
    }
  }
  return {
    ...(isByValue && { value: values }),
    ...(isByDay && { bucket: Float64Array.from(days) }),
    ...Object.fromEntries(counts.map(({ name, sums: ofColumn }) => [name, Float64Array.from(ofColumn)])),
  };
}
