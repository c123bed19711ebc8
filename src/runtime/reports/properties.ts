/** GET /api/stats/properties: the keys of custom properties, those of nested objects joined by dots (docs/http-api.md, "Properties"). */
import { PROPERTY_KEYS_MAX } from "../base/config/report-limits.ts";
import { KEYS_WITH_VALUE, withPairs } from "../query/property-pairs.ts";
import type { AggregateQuery } from "../query/aggregate-query.ts";
import { planOf } from "../query/plan.ts";
import { list, text } from "../query/json-schema.ts";
import { searchFor } from "../query/parameters.ts";
import { textIn } from "../query/row-values.ts";
import { eventsIn, within, type Scope } from "../query/scope.ts";
import { perDialect, sql } from "../query/sql.ts";
import { report } from "./report.ts";

/**
 * Rows `value`, ascending. Each chunk may be limited: keys beyond the limit of a chunk cannot be in the result. Not for a search, whose
 * keys may be anywhere, so rollups do not have its rows.
 */
const keysIn = (scope: Scope, search: string | null = null): AggregateQuery => {
  const limit = search === null ? sql`ORDER BY value LIMIT ${PROPERTY_KEYS_MAX}` : sql``;
  return {
    keys: [],
    names: ["value"],
    counts: [],
    property: null,
    partial: (range) =>
      perDialect(
        sql`
    WITH carried AS (SELECT DISTINCT props FROM (${eventsIn(within(scope, range))}) AS scoped WHERE props <> 0),
    found AS (SELECT DISTINCT code FROM properties JOIN carried ON carried.props = properties.props)
    SELECT coalesce(text, '(unknown)') AS value
    FROM found LEFT JOIN property_texts ON property_texts.code = found.code
    ${limit}`,
        sql`
    SELECT DISTINCT arrayJoin(${KEYS_WITH_VALUE}) AS value
    FROM (${withPairs(sql`SELECT props FROM (${eventsIn(within(scope, range))}) AS scoped WHERE props IS NOT NULL GROUP BY props`)}) AS read
    ${limit}`,
      ),
    top: { rowsMax: PROPERTY_KEYS_MAX, ...(search !== null && { search }) },
  };
};

export const properties = report({
  path: "/api/stats/properties",
  operationId: "getProperties",
  summary: "Keys of custom properties",
  parameters: { search: searchFor("keys") },
  result: {
    name: "PropertyKeys",
    schema: list(`In ascending order. At most ${PROPERTY_KEYS_MAX}.`, text("A key; keys of nested objects are joined by dots."), {
      maxItems: PROPERTY_KEYS_MAX,
    }),
  },
  rolled: (scope) => ({ properties: keysIn(scope) }),
  plan: ({ scope, values: { search } }) => planOf(scope, [keysIn(scope, search)], (found) => found.map((row) => textIn(row, "value"))),
});
