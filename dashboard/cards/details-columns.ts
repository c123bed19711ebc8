/** Columns of a dimension's values under the filters of the view: names in the API, labels, and formats. */
import type { BreakdownPage, Dimension } from "../api/types.ts";
import { filterDimensionOf } from "../format/dimensions.ts";
import { formatAverage, formatCount, formatDuration, formatMoney, formatRate } from "../format/locale.ts";
import { onlyValueOf } from "../state/filters.ts";
import { filteredGoal, filterKind, filters, hasConversionRates } from "../state/view-filters.ts";
import { fill, words } from "../words/words.ts";

export type Row = BreakdownPage["rows"][number];

export type ColumnId = Exclude<keyof Row, "value" | "comparison">;

export interface Column {
  readonly id: ColumnId;
  readonly label: string;
  readonly format: (value: number) => string;
  readonly isLessBetter?: boolean;
  /** Changes in points. */
  readonly isRate?: boolean;
}

/** Columns that every row has. The API returns the others only if they are requested. */
const COUNTED: readonly ColumnId[] = ["visitors", "pageviews", "events"];

export const isCounted = ({ id }: Pick<Column, "id">): boolean => COUNTED.includes(id);

const count = (id: ColumnId, label: string): Column => ({ id, label, format: formatCount });

const VISITORS = count("visitors", words.details.visitors);

const OF_SESSIONS: readonly Column[] = [
  { id: "bounce_rate", label: words.metrics.bounceRate, format: formatRate, isLessBetter: true, isRate: true },
  { id: "avg_visit_duration_secs", label: words.metrics.duration, format: formatDuration },
  { id: "views_per_visit", label: words.metrics.viewsPerVisit, format: formatAverage },
];

const VISITS = count("sessions", words.metrics.visits);

const OF_VISITORS = [VISITORS, count("pageviews", words.metrics.pageviews), count("events", words.details.events), VISITS, ...OF_SESSIONS];

/** Columns under a filter on events for which no rate is known. */
const OF_EVENTS = [count("visitors", words.details.conversions), count("events", words.details.totalConversions)];

const OF_GOAL: readonly Column[] = [
  VISITORS,
  count("conversions", words.details.conversions),
  { id: "conversion_rate", label: words.metrics.conversionRate, format: formatRate, isRate: true },
  VISITS,
  ...OF_SESSIONS,
];

/** Entry and exit pages: both of their other counts are sessions (docs/http-api.md, "Breakdowns"). */
const OF_SESSION_PAGES = [VISITORS, count("pageviews", words.metrics.visits), ...OF_SESSIONS];

/** The goal for which rows have conversions. The other numbers then count everybody, not only conversions. */
export function goalOfFilters(): string | null {
  if (filterKind.value !== "goal" || !hasConversionRates.value) return filteredGoal.value;
  const [only, ...others] = filters.value.filter(({ dimension }) => dimension === "events");
  return (only && others.length === 0 && onlyValueOf(only)) || null;
}

const revenueIn = (currency: string): Column => ({
  id: "revenue",
  label: fill(words.details.revenueIn, { currency }),
  format: (amount) => formatMoney(amount, currency),
});

interface Known {
  readonly goal: string | null;
  /** null if the site has no revenue. */
  readonly currency: string | null;
  /** False without the behavioral extension: then there are only counts. */
  readonly hasSessions: boolean;
}

function columnsWithoutRevenue(dimension: Dimension, { goal, hasSessions }: Known): readonly Column[] {
  if (goal !== null && hasSessions) return OF_GOAL;
  if (filterDimensionOf(dimension) !== dimension) return OF_SESSION_PAGES;
  if (filterKind.value === "goal") return OF_EVENTS;
  return hasSessions ? OF_VISITORS : OF_VISITORS.filter(isCounted);
}

export function columnsOf(dimension: Dimension, known: Known): readonly Column[] {
  const columns = columnsWithoutRevenue(dimension, known);
  return known.currency === null ? columns : [...columns, revenueIn(known.currency)];
}

/** Orders rows by their values or by a number. */
export interface Order {
  readonly column: "value" | ColumnId;
  readonly isAscending: boolean;
}

/** A click on a column head: values from A, numbers from the largest; a second click reverses the order. */
export const orderAfter = (column: Order["column"], order: Order): Order =>
  order.column === column ? { column, isAscending: !order.isAscending } : { column, isAscending: column === "value" };

/** Falls back to the default order if the chosen column is not shown. */
export function orderIn(columns: readonly Column[], chosen: Order | null): Order {
  if (chosen && (chosen.column === "value" || columns.some(({ id }) => id === chosen.column))) return chosen;
  return { column: columns.some(({ id }) => id === "conversions") ? "conversions" : "visitors", isAscending: false };
}
