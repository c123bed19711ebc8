/** GET /api/stats/breakdown/{dimension}: visitors, page views and events for each value of a dimension (docs/http-api.md, "Breakdowns"). */
import { BREAKDOWN_ROWS_DEFAULT, BREAKDOWN_ROWS_MAX } from "../config/report-limits.ts";
import type { AggregateQuery } from "../execution/aggregate-query.ts";
import { planOf } from "../execution/plan.ts";
import { text } from "../query/json-schema.ts";
import {
  DIMENSIONS,
  SESSION_DIMENSIONS,
  columnOf,
  isDimension,
  parseDimension,
  type Dimension,
  type SessionDimension,
} from "../query/dimensions.ts";
import { rowLimit, type Parameter } from "../query/parameters.ts";
import { numberIn, textIn } from "../query/row-values.ts";
import { eventsIn, within, type Scope } from "../query/scope.ts";
import { column, sql, type ColumnName } from "../query/sql.ts";
import { EVENTS, PAGEVIEWS, VISITORS, rows } from "./measures/fields.ts";
import { sessionPages } from "./measures/session-pages.ts";
import { COUNT_PAGEVIEWS } from "./measures/visitor-counts.ts";
import { report } from "./report.ts";

/** Rows `value`, `visitors`, `pageviews`, `events`; visitors descending, then value ascending. */
const countsByValue = (scope: Scope, name: ColumnName, limit: number): AggregateQuery => ({
  keys: [],
  codes: ["value"],
  counts: ["visitors", "pageviews", "events"],
  partial: (range) => sql`
    SELECT ${column(name)} AS value, count(DISTINCT visitor_id) AS visitors, ${COUNT_PAGEVIEWS} AS pageviews, count(*) AS events
    FROM (${eventsIn(within(scope, range))}) AS scoped
    GROUP BY ${column(name)}`,
  top: { by: "visitors", rowsMax: limit },
});

const DIMENSION: Parameter<Dimension | SessionDimension> = {
  in: "path",
  description: `The dimension of the breakdown. ${SESSION_DIMENSIONS.join(" and ")} need the behavioral extension.`,
  required: true,
  schema: text("A dimension.", { enum: [...DIMENSIONS, ...SESSION_DIMENSIONS] }),
  example: "pages",
  parse: (slug) => parseDimension(slug ?? ""),
};

export const breakdown = report({
  path: "/api/stats/breakdown/:dimension",
  operationId: "getBreakdown",
  summary: "Visitors, page views and events by value of a dimension",
  parameters: { dimension: DIMENSION, limit: rowLimit("Maximum number of rows.", BREAKDOWN_ROWS_MAX, BREAKDOWN_ROWS_DEFAULT) },
  result: {
    name: "Breakdown",
    schema: rows("Most visitors first, then by value.", BREAKDOWN_ROWS_MAX, {
      value: text("The value; `(unknown)` if it was not recorded."),
      visitors: VISITORS,
      pageviews: PAGEVIEWS,
      events: EVENTS,
    }),
  },
  extension: ({ dimension }) => (isDimension(dimension) ? "unused" : "needed"),
  rolled: (scope, { sessionGapMs, hasExtension }) => ({
    ...Object.fromEntries(DIMENSIONS.map((dimension) => [dimension, countsByValue(scope, columnOf(dimension), BREAKDOWN_ROWS_MAX)])),
    ...(hasExtension && {
      "entry-pages": sessionPages(scope, sessionGapMs, "first", BREAKDOWN_ROWS_MAX),
      "exit-pages": sessionPages(scope, sessionGapMs, "last", BREAKDOWN_ROWS_MAX),
    }),
  }),
  refusals: { extension_missing: "The dimension needs the behavioral extension, which is not loaded." },
  plan({ scope, values: { dimension, limit } }, { sessionGapMs }) {
    if (!isDimension(dimension)) {
      const end = dimension === "entry-pages" ? "first" : "last";
      // Each session counts once, both as an event and as a page view.
      return planOf(scope, [sessionPages(scope, sessionGapMs, end, limit)], (found) =>
        found.map((row) => ({
          value: textIn(row, "value"),
          visitors: numberIn(row, "visitors"),
          pageviews: numberIn(row, "sessions"),
          events: numberIn(row, "sessions"),
        })),
      );
    }
    return planOf(scope, [countsByValue(scope, columnOf(dimension), limit)], (found) =>
      found.map((row) => ({
        value: textIn(row, "value"),
        visitors: numberIn(row, "visitors"),
        pageviews: numberIn(row, "pageviews"),
        events: numberIn(row, "events"),
      })),
    );
  },
});
