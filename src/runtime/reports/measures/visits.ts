/** Events with what their visits have: the numbers of each value of a visit dimension (docs/reports.md, "Visit dimensions"). */
import { valuesOfDays, VISITOR_COLUMNS } from "../../query/day-sums.ts";
import type { AggregateQuery } from "../../query/plan.ts";
import { VISIT_DIMENSIONS, type VisitDimension } from "../../query/filters.ts";
import { eventsIn, type Scope, visitsBy, within } from "../../query/scope.ts";
import { column, type ColumnName, fragment, joinSql, resultColumn, sql, type SqlText } from "../../query/sql.ts";
import { oneOf, parameter, type Parameter } from "../../query/parameters.ts";
import { invalidInput } from "../../base/errors.ts";
import { count, text } from "../../base/json-schema.ts";
import { COUNT_PAGEVIEWS, revenueIn } from "./counts.ts";

/** The parameter of reports with a list of sources. */
export const ATTRIBUTION = oneOf("The source of a page view: its own, or that of its visit (`visit-sources`).", ["event", "visit"]);

/** A field of answers that rules of arrivals decide. */
export const RULES_VERSION = count("The version of the built-in rules that name sources and channels of visits.", { minimum: 1 });

export type Attribution = "event" | "visit";

/** Further columns of a raw export, by name: `visit_source` is what `visit-sources` says of the visit of an event. */
const VISIT_COLUMNS: ReadonlyMap<string, VisitDimension> = new Map(
  VISIT_DIMENSIONS.map((dimension) => [dimension.replace(/s$/, "").replaceAll("-", "_"), dimension]),
);

export interface VisitColumn {
  readonly name: string;
  readonly dimension: VisitDimension;
}

const VISIT_COLUMN = [...VISIT_COLUMNS.keys()].join("|");

export const EXPORTED_VISIT_COLUMNS: Parameter<readonly VisitColumn[]> = parameter(
  {
    description: "Further columns of `raw`, joined by commas: what the visit of each event has. They come after all others.",
    schema: text("Names of columns.", { pattern: `^(?:(?:${VISIT_COLUMN})(?:,(?:${VISIT_COLUMN}))*)?$` }),
    example: "visit_source,visit_channel",
  },
  (value, name) =>
    [...new Set(value === null || value === "" ? [] : value.split(",", VISIT_COLUMNS.size + 1))].map((word) => {
      const dimension = VISIT_COLUMNS.get(word);
      if (dimension) return { name: word, dimension };
      throw invalidInput(`"${name}": unknown column "${word}". Use any of ${[...VISIT_COLUMNS.keys()].join(", ")}, joined by commas`);
    }),
);

/** The relation of the scope's events with these columns of their visits besides all others. */
export const eventsWithVisitColumns = fragment((scope: Scope, columns: readonly VisitColumn[]) =>
  columns.reduce(
    (events, { name, dimension }) => sql`
    SELECT events.*, valued.value AS ${resultColumn(name)}
    FROM (${events}) AS events JOIN (${visitsBy(dimension, scope)}) AS valued ON valued.session = events.session`,
    eventsIn(scope),
  ),
);

/** Columns of events that are read beside the value of their visits. */
export type EventColumn = "day" | ColumnName;

export const eventColumn = (name: EventColumn): SqlText => (name === "day" ? sql`day` : column(name));

/** The relation of the scope's events with these columns, and `visit_value`: the value of the dimension that their visit has. */
export const eventsWithVisit = fragment(
  (scope: Scope, dimension: VisitDimension, columns: readonly EventColumn[]) => sql`
    SELECT ${joinSql(columns.map(eventColumn), ", ")}, value AS visit_value
    FROM (${eventsIn(scope)}) AS scoped JOIN (${visitsBy(dimension, scope)}) AS valued ON valued.session = scoped.session`,
);

interface VisitCounts {
  readonly dimension: VisitDimension;
  readonly currency: string | null;
}

/** Rows `value`, `pageviews`, `events` and perhaps `visitors` and `revenue` of the matching events. */
export function countsOfVisits(scope: Scope, { dimension, currency }: VisitCounts, withVisitors: boolean): SqlText {
  const columns: readonly EventColumn[] = [
    "visitor_id",
    "event_name",
    ...(currency === null ? [] : (["currency", "revenue_amount"] as const)),
  ];
  return sql`
    SELECT visit_value AS value, ${withVisitors ? sql`count(DISTINCT visitor_id) AS visitors, ` : sql``}${COUNT_PAGEVIEWS} AS pageviews, count(*) AS events${
      currency === null ? sql`` : sql`, ${revenueIn(currency)} AS revenue`
    }
    FROM (${eventsWithVisit(scope, dimension, columns)}) AS visited
    GROUP BY visit_value`;
}

/**
 * The events of the scope by a value of their visits: rows `value`, `visitors`, `pageviews`, `events` and, with a currency, `revenue`
 * (hundredths). Rollups store them without a filter.
 */
export const countsByVisit = (scope: Scope, dimension: VisitDimension, currency: string | null = null): AggregateQuery => ({
  keys: [],
  codes: ["value"],
  counts: ["visitors", "pageviews", "events"],
  ...(currency !== null && { amounts: ["revenue"] }),
  ...(currency === null && valuesOfDays(scope, dimension, VISITOR_COLUMNS)),
  partial: (range) => countsOfVisits(within(scope, range), { dimension, currency }, true),
});
