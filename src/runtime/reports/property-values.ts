/** GET /api/stats/property-values: visitors and events for each value of a custom property (docs/http-api.md, "Properties"). */
import { PROPERTY_VALUES_MAX } from "../config/limits.ts";
import { invalidInput } from "../errors.ts";
import type { AggregateQuery } from "../execution/aggregate-query.ts";
import { planOf } from "../execution/plan.ts";
import { text } from "../query/json-schema.ts";
import { optional, required, type Parameter } from "../query/parameters.ts";
import { PROPERTY_KEY } from "../query/property-key.ts";
import { numberIn, textIn } from "../query/row-values.ts";
import { eventsIn, within, type Scope } from "../query/scope.ts";
import { sql, textCode } from "../query/sql.ts";
import { EVENTS, VISITORS, rows } from "./measures/fields.ts";
import { report } from "./report.ts";

const KEY: Parameter<string> = required(
  { description: "The key of the property.", schema: text("A property key.", { pattern: PROPERTY_KEY.source }), example: "plan" },
  (key, name) => {
    if (!PROPERTY_KEY.test(key)) throw invalidInput(`"${name}" must consist of ASCII letters, digits, "_", "-" and "." only`);
    return key;
  },
);

/** Rows `value`, `visitors`, `events` of events with the key, and with the event name if there is one. */
export function countsByPropertyValue(scope: Scope, key: string, eventName: string | null): AggregateQuery {
  const ofEvent = eventName === null ? sql`true` : sql`event_name = ${textCode(eventName)}`;
  return {
    keys: [],
    names: ["value"],
    counts: ["visitors", "events"],
    property: key,
    partial: (range) => sql`
      WITH counted AS (
        SELECT properties.code AS code, count(DISTINCT visitor_id) AS visitors, count(*) AS events
        FROM (${eventsIn(within(scope, range))}) AS scoped JOIN properties ON properties.props = scoped.props
        WHERE ${ofEvent}
        GROUP BY properties.code
      )
      SELECT coalesce(text, '(unknown)') AS value, visitors, events
      FROM counted LEFT JOIN property_texts ON property_texts.code = counted.code`,
    top: { by: "visitors", rowsMax: PROPERTY_VALUES_MAX },
  };
}

export const propertyValues = report({
  path: "/api/stats/property-values",
  operationId: "getPropertyValues",
  summary: "Values of one custom property",
  parameters: {
    key: KEY,
    event: optional(
      { description: "Count only events of this name.", schema: text("An event's name."), example: "signup" },
      (eventName) => eventName,
    ),
  },
  result: {
    name: "PropertyValues",
    schema: rows("Most visitors first, then by value.", PROPERTY_VALUES_MAX, {
      value: text("The value as a string."),
      visitors: VISITORS,
      events: EVENTS,
    }),
  },
  plan: ({ scope, values: { key, event } }) =>
    planOf(scope, [countsByPropertyValue(scope, key, event)], (found) =>
      found.map((row) => ({
        value: textIn(row, "value"),
        visitors: numberIn(row, "visitors"),
        events: numberIn(row, "events"),
      })),
    ),
});
