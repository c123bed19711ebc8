/** GET /api/stats/property-values: visitors and events for each value of a custom property (docs/http-api.md, "Properties"). */
import { exceedsChars } from "../base/text.ts";
import { PROPS_CHARS_MAX } from "../base/config/limits.ts";
import { PROPERTY_VALUES_MAX } from "../base/config/report-limits.ts";
import { invalidInput } from "../base/errors.ts";
import { mayHaveKey, tokenOfKey, valueOf, withPairs } from "../query/property-pairs.ts";
import type { AggregateQuery } from "../query/aggregate-query.ts";
import { planOf } from "../query/plan.ts";
import { text } from "../query/json-schema.ts";
import { optional, searchFor, type Values } from "../query/parameters.ts";
import type { DateRange } from "../query/date-range.ts";
import { numberIn, textIn } from "../query/row-values.ts";
import { eventsIn, within, type Scope } from "../query/scope.ts";
import { perDialect, sql, textCode } from "../query/sql.ts";
import { EVENTS, VISITORS, rows } from "./measures/fields.ts";
import { report } from "./report.ts";

/** What `key` takes. Events may have other keys, too. */
const PROPERTY_KEY = /^[A-Za-z0-9_.-]+$/;

const PARAMETERS = {
  key: optional(
    {
      description: "The key of the property. Required without `name`.",
      schema: text("A key of ASCII letters, digits, `_`, `-` and `.`.", { pattern: PROPERTY_KEY.source }),
      example: "plan",
    },
    (key, name) => {
      if (!PROPERTY_KEY.test(key)) throw invalidInput(`"${name}" must consist of ASCII letters, digits, "_", "-" and "." only`);
      return key;
    },
  ),
  name: optional(
    {
      description: "In place of `key`: any key that events may have.",
      schema: text("A key of any characters.", { maxLength: PROPS_CHARS_MAX }),
      example: "plan name",
    },
    (key, name) => {
      if (exceedsChars(key, PROPS_CHARS_MAX)) throw invalidInput(`"${name}" must be at most ${PROPS_CHARS_MAX} characters`);
      return key;
    },
  ),
  event: optional(
    { description: "Count only events of this name.", schema: text("An event's name."), example: "signup" },
    (eventName) => eventName,
  ),
  search: searchFor("values"),
};

/** The wanted key; 400 unless exactly one of the two parameters is given. */
function keyOf({ key, name }: Pick<Values<typeof PARAMETERS>, "key" | "name">): string {
  const wanted = key ?? name;
  if (wanted === null) throw invalidInput('"key" is required, or "name" for a key with other characters than "key" takes');
  if (key !== null && name !== null)
    throw invalidInput(
      'Either "key" (ASCII letters, digits, "_", "-" and "." only) or ' +
        `"name" (any key of at most ${PROPS_CHARS_MAX} characters) is required, not both`,
    );
  return wanted;
}

/** Rows `value`, `visitors`, `events` of events with the key, and with the event name if there is one. */
export function countsByPropertyValue(scope: Scope, key: string, eventName: string | null): AggregateQuery {
  const ofEvent = eventName === null ? sql`true` : sql`event_name = ${textCode(eventName)}`;
  const ofClickhouse = (range: DateRange) => {
    const carried = sql`
      SELECT props, uniqExactState(visitor_id) AS visitor_set, count(*) AS event_count
      FROM (${eventsIn(within(scope, range))}) AS scoped
      WHERE ${mayHaveKey(key)} AND ${ofEvent}
      GROUP BY props`;
    return sql`
      SELECT ${valueOf(sql`token`)} AS value, uniqExactMerge(visitor_set) AS visitors, sum(event_count) AS events
      FROM (SELECT visitor_set, event_count, ${tokenOfKey(key)} AS token FROM (${withPairs(carried)})) AS read
      GROUP BY value`;
  };
  return {
    keys: [],
    names: ["value"],
    counts: ["visitors", "events"],
    property: key,
    partial: (range) =>
      perDialect(
        sql`
      WITH counted AS (
        SELECT properties.code AS code, count(DISTINCT visitor_id) AS visitors, count(*) AS events
        FROM (${eventsIn(within(scope, range))}) AS scoped JOIN properties ON properties.props = scoped.props
        WHERE ${ofEvent}
        GROUP BY properties.code
      )
      SELECT coalesce(text, '(unknown)') AS value, visitors, events
      FROM counted LEFT JOIN property_texts ON property_texts.code = counted.code`,
        ofClickhouse(range),
      ),
  };
}

export const propertyValues = report({
  path: "/api/stats/property-values",
  operationId: "getPropertyValues",
  summary: "Values of one custom property",
  description: "Requires either `key` or `name`.",
  parameters: PARAMETERS,
  check: keyOf,
  result: {
    name: "PropertyValues",
    schema: rows("Most visitors first, then by value.", PROPERTY_VALUES_MAX, {
      value: text("The value as a string."),
      visitors: VISITORS,
      events: EVENTS,
    }),
  },
  plan({ scope, values }) {
    const counts = countsByPropertyValue(scope, keyOf(values), values.event);
    const { search } = values;
    const top = { by: "visitors", rowsMax: PROPERTY_VALUES_MAX, ...(search !== null && { search }) };
    return planOf(scope, [{ ...counts, top }], (found) =>
      found.map((row) => ({
        value: textIn(row, "value"),
        visitors: numberIn(row, "visitors"),
        events: numberIn(row, "events"),
      })),
    );
  },
});
