/**
 * Sums of days: what an import has of days whose source has no single events. A file has the form of a rollup, and measures by dimension with
 * a row for each day and value (docs/data-format.md, "Sums of days").
 */
import { addDays, dayNumberOf, daysBetween } from "./calendar.ts";
import { type Columns, rowCountOf } from "./columns.ts";
import type { LocalDate, SiteId } from "./event.ts";
import type { ObjectKey } from "./object-store.ts";
import type { Measures, Rollup, RollupHeader } from "./rollup.ts";

/** Consecutive days, from the first to the last. */
export type DaySpan = readonly [first: LocalDate, last: LocalDate];

/** What queries have to know of an import with sums of days. Data, because it is sent to the thread that runs them. */
export interface ImportedDays {
  readonly import: number;
  /** Its files, which add up, by their place. */
  readonly files: readonly number[];
  readonly days: readonly DaySpan[];
}

/** Raise it when the rows of a measure mean something else. Earlier files are then left out of reports, and `verify` names them. */
export const DAY_SUMS_DEFINITIONS = "days 1";

/** The measure of all visits of a day together, without values. */
export const DAY_TOTALS = "totals";

/** The measure of all events but page views of a day, without values: `events` only. */
export const CUSTOM_EVENTS = "custom-events";

const folderOf = (importNumber: number): ObjectKey => `imports/${importNumber}/days`;

/** The file at a place among those of an import, counted from 0. */
export const daySumsKey = (importNumber: number, index: number): ObjectKey => `${folderOf(importNumber)}/${index}.parquet`;

/** The import and the place of a file; null for another key. */
export function parseDaySumsKey(key: ObjectKey): { readonly importNumber: number; readonly index: number } | null {
  const [, importNumber, index] = /^imports\/(\d{1,6})\/days\/(\d{1,6})\.parquet$/.exec(key) ?? [];
  return importNumber === undefined ? null : { importNumber: Number(importNumber), index: Number(index) };
}

/** The folder of these files of an import. */
export const daySumsFolder = folderOf;

export const isInSpans = (spans: readonly DaySpan[], day: LocalDate): boolean => spans.some(([first, last]) => first <= day && day <= last);

export const dayCountOf = (spans: readonly DaySpan[]): number =>
  spans.reduce((days, [first, last]) => days + daysBetween(first, last) + 1, 0);

/** All days of the spans. */
export function daysOfSpans(spans: readonly DaySpan[]): LocalDate[] {
  const days: LocalDate[] = [];
  for (const [first, last] of spans) for (let day = first; day <= last; day = addDays(day, 1)) days.push(day);
  return days;
}

/** The shortest list of spans with these days. */
export function spansOf(days: Iterable<LocalDate>): DaySpan[] {
  const spans: [LocalDate, LocalDate][] = [];
  for (const day of [...new Set(days)].sort()) {
    const last = spans.at(-1);
    if (last && dayNumberOf(day) === dayNumberOf(last[1]) + 1) last[1] = day;
    else spans.push([day, day]);
  }
  return spans;
}

/** The shortest list of spans with these spans, which may overlap. */
export function joinedSpans(spans: readonly DaySpan[]): DaySpan[] {
  const joined: [LocalDate, LocalDate][] = [];
  for (const [first, last] of [...spans].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const before = joined.at(-1);
    if (!before || dayNumberOf(first) > dayNumberOf(before[1]) + 1) joined.push([first, last]);
    else if (last > before[1]) before[1] = last;
  }
  return joined;
}

export function daySums(siteId: SiteId, importNumber: number, days: readonly LocalDate[], measures: Measures): Rollup {
  const [firstDay, lastDay] = [days[0], days.at(-1)];
  if (firstDay === undefined || lastDay === undefined) throw new Error("sums of days need a day");
  return {
    siteId,
    firstDay,
    lastDay,
    definitions: DAY_SUMS_DEFINITIONS,
    sessionWindowMinutes: 0,
    saltRotationDays: 1,
    arrivals: "",
    events: days.map((day) => [day, `import ${importNumber}`]),
    measures,
    hasAllProperties: false,
  };
}

/** The rows of some days. */
export function withoutOtherDays(columns: Columns, isWanted: (dayNumber: number) => boolean): Columns {
  const rows: number[] = [];
  (columns["bucket"] ?? []).forEach((bucket: number | bigint | string, row: number) => {
    if (isWanted(Number(bucket))) rows.push(row);
  });
  return Object.fromEntries(
    Object.entries(columns).map(([name, values]) => [
      name,
      Array.isArray(values)
        ? rows.map((row) => String(values[row]))
        : Float64Array.from(rows, (row) => Number((values as Float64Array)[row])),
    ]),
  );
}

/** The measures with the rows of these days, without those that have none left. */
export function measuresOfDays(measures: Measures, days: readonly LocalDate[]): Measures {
  const wanted = new Set(days.map(dayNumberOf));
  const left = [...measures].map(([name, rows]) => [name, withoutOtherDays(rows, (day) => wanted.has(day))] as const);
  return new Map(left.filter(([, rows]) => rowCountOf(rows) > 0));
}

export const daysOfHeader = ({ events }: Pick<RollupHeader, "events">): readonly LocalDate[] => events.map(([day]) => day);
