/** The columns of a breakdown's rows: how each is computed, ordered and described (docs/http-api.md, "Columns of a breakdown"). */
import type { AggregateQuery } from "../../query/aggregate-query.ts";
import { decimalFromCents, Decimal } from "../../query/decimal.ts";
import { columnOf, isDimension, type Dimension, type SessionDimension } from "../../query/dimensions.ts";
import { closed, count, fraction, number, type Described } from "../../query/json-schema.ts";
import { numberIn, ratio, textIn } from "../../query/row-values.ts";
import type { Scope } from "../../query/scope.ts";
import type { SqlRow } from "../../query/sql.ts";
import type { OrderKey } from "../../query/top.ts";
import type { Goal } from "../../sites/goal.ts";
import { EVENTS, MONEY, PAGEVIEWS, VISITORS } from "./fields.ts";
import { sessionPages } from "./session-pages.ts";
import { countsByValue, revenueByValue } from "./value-counts.ts";
import { sessionsByValue } from "./value-sessions.ts";

/** What every row has besides its value. */
const COUNTS = { visitors: VISITORS, pageviews: PAGEVIEWS, events: EVENTS };

/** What a row has if the request names it. */
const FURTHER = {
  sessions: count("Sessions with a matching event of this value, or that begin or end at this page."),
  bounce_rate: fraction("Share of these sessions with exactly one page view and no other event."),
  avg_visit_duration_secs: number("Mean time from the first event of these sessions to their last.", { minimum: 0 }),
  views_per_visit: number("Mean number of page views of these sessions, on all pages.", { minimum: 0 }),
  conversions: count("Distinct visitors of these sessions with an event that meets the goal."),
  conversion_rate: fraction("Conversions divided by visitors."),
  revenue: MONEY,
};

export type FurtherColumn = keyof typeof FURTHER;
export type CountColumn = keyof typeof COUNTS | FurtherColumn;

export const FURTHER_COLUMNS = Object.keys(FURTHER) as readonly FurtherColumn[];
export const COUNT_COLUMNS = [...Object.keys(COUNTS), ...FURTHER_COLUMNS] as readonly CountColumn[];

/** The numbers of a row. */
export const ROW_FIELDS = { ...COUNTS, ...FURTHER };

export const ROW_NUMBERS = closed(ROW_FIELDS, { optional: FURTHER_COLUMNS });
export type RowNumbers = Described<typeof ROW_NUMBERS>;

const ORDER_KEYS: Readonly<Record<CountColumn, OrderKey>> = {
  visitors: "visitors",
  pageviews: "pageviews",
  events: "events",
  sessions: "sessions",
  bounce_rate: { part: "bounces", whole: "sessions" },
  avg_visit_duration_secs: { part: "duration_ms", whole: "sessions" },
  views_per_visit: { part: "session_pageviews", whole: "sessions" },
  conversions: "conversions",
  conversion_rate: { part: "conversions", whole: "visitors" },
  revenue: "revenue",
};

/** Each session is one page view and one event of the page where it begins or ends. */
const SESSION_ORDER_KEYS: Readonly<Record<CountColumn, OrderKey>> = { ...ORDER_KEYS, pageviews: "sessions", events: "sessions" };

const centsIn = (row: SqlRow | undefined): string => (row ? textIn(row, "revenue") : "0");

const FURTHER_VALUES: { readonly [Column in FurtherColumn]: (row: SqlRow | undefined) => Described<(typeof FURTHER)[Column]> } = {
  sessions: (row) => numberIn(row, "sessions"),
  bounce_rate: (row) => ratio(numberIn(row, "bounces"), numberIn(row, "sessions")),
  avg_visit_duration_secs: (row) => ratio(numberIn(row, "duration_ms"), 1000 * numberIn(row, "sessions")),
  views_per_visit: (row) => ratio(numberIn(row, "session_pageviews"), numberIn(row, "sessions")),
  conversions: (row) => numberIn(row, "conversions"),
  conversion_rate: (row) => ratio(numberIn(row, "conversions"), numberIn(row, "visitors")),
  revenue: (row) => new Decimal(decimalFromCents(BigInt(centsIn(row)))),
};

/** Which rows of which columns are wanted. */
export interface ValueRows {
  readonly dimension: Dimension | SessionDimension;
  readonly columns: readonly FurtherColumn[];
  /** Set if conversions are wanted. */
  readonly goal: Goal | null;
  /** Set if revenue is wanted. */
  readonly currency: string | null;
}

const needsSessions = (columns: readonly FurtherColumn[]): boolean => columns.some((column) => column !== "revenue");

/** Whether the behavioral extension is needed. */
export const readsSessions = ({ dimension, columns }: Pick<ValueRows, "dimension" | "columns">): boolean =>
  !isDimension(dimension) || needsSessions(columns);

/** All rows by `value`. Without further columns and without a filter, rollups have them. */
export function queryOfRows(scope: Scope, { dimension, columns, goal, currency }: ValueRows, sessionGapMs: number): AggregateQuery {
  const wantsRevenue = columns.includes("revenue") ? currency : null;
  if (needsSessions(columns) || (wantsRevenue !== null && !isDimension(dimension))) {
    return sessionsByValue(scope, { dimension, sessionGapMs, goal, currency: wantsRevenue });
  }
  if (!isDimension(dimension)) return sessionPages(scope, sessionGapMs, dimension === "entry-pages" ? "first" : "last");
  const name = columnOf(dimension);
  return wantsRevenue === null ? countsByValue(scope, name) : revenueByValue(scope, name, wantsRevenue);
}

/** What rows are ordered by. */
export const orderKeyOf = (column: CountColumn, { counts }: AggregateQuery): OrderKey =>
  (counts.includes("events") ? ORDER_KEYS : SESSION_ORDER_KEYS)[column];

/** The numbers of a row of such a query; zeros without one. */
export function numbersOf(row: SqlRow | undefined, columns: readonly FurtherColumn[]): RowNumbers {
  const sessions = row && !("events" in row) ? numberIn(row, "sessions") : null;
  return {
    visitors: numberIn(row, "visitors"),
    pageviews: sessions ?? numberIn(row, "pageviews"),
    events: sessions ?? numberIn(row, "events"),
    ...Object.fromEntries(columns.map((column) => [column, FURTHER_VALUES[column](row)])),
  };
}

/** Rows of the same values, added up by value: of windows in parts, which share no visitors. */
export function sumsByValue(rows: readonly SqlRow[]): ReadonlyMap<string, SqlRow> {
  const sums = new Map<string, Record<string, SqlRow[string]>>();
  for (const row of rows) {
    const value = textIn(row, "value");
    const sum = sums.get(value);
    if (!sum) {
      sums.set(value, { ...row });
      continue;
    }
    for (const name of Object.keys(row)) {
      if (name === "revenue") sum[name] = String(BigInt(centsIn(sum)) + BigInt(centsIn(row)));
      else if (name !== "value") sum[name] = numberIn(sum, name) + numberIn(row, name);
    }
  }
  return sums;
}
