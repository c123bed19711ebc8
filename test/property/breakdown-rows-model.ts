/** The expected rows of a breakdown with columns, an order, pages and a comparison: each row has the numbers that a filter on its value gives. */
import { eventsByValue, type Condition } from "./filter-model.ts";
import { figuresOf, isPageview, keptSessions, ratio, visitorsIn, type Dimension, type Events, type Scope } from "./model.ts";
import type { VisitDimension } from "../../src/runtime/query/filters.ts";
import type { StoredEvent } from "../../src/storage/event.ts";

export type AnyDimension = Dimension | VisitDimension | "entry-pages" | "exit-pages";

export const COLUMNS = [
  "sessions",
  "bounce_rate",
  "avg_visit_duration_secs",
  "views_per_visit",
  "conversions",
  "conversion_rate",
  "revenue",
] as const;

export type Column = (typeof COLUMNS)[number];

export interface RowsQuestion {
  readonly dimension: AnyDimension;
  readonly columns: readonly Column[];
  /** The name of events. */
  readonly goal: string;
  readonly currency: string;
  /** Null for all rows. */
  readonly search: string | null;
  /** Null for `(unknown)`. */
  readonly unknownLabel: string | null;
  readonly sort: { readonly column: "value" | "visitors" | "pageviews" | "events" | Column; readonly direction: "asc" | "desc" };
  readonly limit: number;
  readonly offset: number;
}

type Numbers = Readonly<Record<string, number>>;

/** Of the events of a row and the sessions that it describes. */
function numbersOf(own: Events, counts: Numbers, sessions: readonly Events[], { columns, goal, currency }: RowsQuestion): Numbers {
  const { total_sessions, ...figures } = figuresOf(sessions);
  const converted = sessions.filter((session) => session.some((event) => event.eventName === goal)).flat();
  const cents = own.filter((event) => event.currency === currency).reduce((sum, { revenueCents }) => sum + (revenueCents ?? 0), 0);
  const all: Readonly<Record<Column, number>> = {
    sessions: total_sessions,
    ...figures,
    conversions: visitorsIn(converted),
    conversion_rate: ratio(visitorsIn(converted), counts["visitors"] ?? 0),
    revenue: cents / 100,
  };
  return { ...counts, ...Object.fromEntries(columns.map((column) => [column, all[column]])) };
}

/** The rows that are searched for, by value. */
export function foundIn(rows: ReadonlyMap<string, Numbers>, { search, unknownLabel }: RowsQuestion): ReadonlyMap<string, Numbers> {
  const shown = (value: string) => (value === "(unknown)" ? (unknownLabel ?? value) : value);
  return new Map(
    [...rows].filter(([value]) =>
      shown(value)
        .toLowerCase()
        .includes((search ?? "").toLowerCase()),
    ),
  );
}

/** All rows, by value. */
export function numbersByValue(events: Events, scope: Scope, gapMs: number, asked: RowsQuestion): ReadonlyMap<string, Numbers> {
  const { dimension } = asked;
  const rows = new Map<string, Numbers>();
  if (dimension === "entry-pages" || dimension === "exit-pages") {
    const end = dimension === "entry-pages" ? 0 : -1;
    const pages = new Map<string, StoredEvent[][]>();
    for (const session of keptSessions(events, scope, gapMs)) {
      const page = session.filter(isPageview).at(end)?.pathname;
      if (page !== undefined) pages.set(page, [...(pages.get(page) ?? []), session]);
    }
    for (const [page, sessions] of pages) {
      const counts = { visitors: visitorsIn(sessions.flat()), pageviews: sessions.length, events: sessions.length };
      rows.set(page, numbersOf(sessions.flat(), counts, sessions, asked));
    }
    return rows;
  }
  for (const [value, own] of eventsByValue(events, { ...scope, sessionGapMs: gapMs }, dimension)) {
    const only: Condition = { dimension, operator: "in", isNegated: false, values: [value] };
    const clicked = { ...scope, conditions: [...scope.conditions, only] };
    const counts = { visitors: visitorsIn(own), pageviews: own.filter(isPageview).length, events: own.length };
    const sessions = asked.columns.length === 0 ? [] : keptSessions(events, clicked, gapMs);
    rows.set(value, numbersOf(own, counts, sessions, asked));
  }
  return rows;
}

export const noNumbers = ({ columns }: RowsQuestion): Numbers =>
  Object.fromEntries(["visitors", "pageviews", "events", ...columns].map((name) => [name, 0]));

const compareTexts = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** The page of rows. */
export function pageOf(rows: ReadonlyMap<string, Numbers>, { sort, limit, offset }: RowsQuestion) {
  const sign = sort.direction === "asc" ? 1 : -1;
  return [...rows]
    .map(([value, numbers]) => ({ value, ...numbers }))
    .sort((a, b) => {
      if (sort.column === "value") return sign * compareTexts(a.value, b.value);
      const [left, right] = [rows.get(a.value)?.[sort.column] ?? 0, rows.get(b.value)?.[sort.column] ?? 0];
      return sign * (left - right) || compareTexts(a.value, b.value);
    })
    .slice(offset, offset + limit);
}
