/**
 * GET /api/stats/properties: the keys of custom properties; keys of nested objects are joined by dots.
 * GET /api/stats/property-values: visitors and events for each value of one key (docs/http-api.md, "Properties").
 */
import { PROPS_CHARS_MAX } from "../base/config/limits.ts";
import { PROPERTY_KEYS_MAX, PROPERTY_VALUES_MAX } from "../base/config/report-limits.ts";
import { invalidInput } from "../base/errors.ts";
import { propertyValuesOfDays } from "../query/day-sums.ts";
import { type AggregateQuery, planOf } from "../query/plan.ts";
import { list, text } from "../base/json-schema.ts";
import { optional, searchFor, type Values } from "../query/parameters.ts";
import { fragment, numberIn, sql, type SqlText, textCode, textIn } from "../query/sql.ts";
import { eventsIn, type Scope, within } from "../query/scope.ts";
import { EVENTS, VISITORS, rows } from "./measures/fields.ts";
import { report } from "./report.ts";
import { exceedsChars } from "../../shared/text.ts";

export const keysOfEvents = fragment(
  (events: SqlText, limit: SqlText) => sql`
    WITH carried AS (SELECT DISTINCT props FROM (${events}) AS scoped WHERE props <> 0),
    found AS (SELECT DISTINCT code FROM properties JOIN carried ON carried.props = properties.props)
    SELECT coalesce(text, '(unknown)') AS value
    FROM found LEFT JOIN property_texts ON property_texts.code = found.code
    ${limit}`,
);

const keysWith = (scope: Scope, limit: SqlText): AggregateQuery => ({
  keys: [],
  names: ["value"],
  counts: [],
  property: null,
  partial: (range) => keysOfEvents(eventsIn(within(scope, range)), limit),
});

/** Rows `value`, however many. */
export const allKeys = (scope: Scope): AggregateQuery => keysWith(scope, sql``);

/**
 * Rows `value`, ascending. Without a search, each chunk is limited: keys beyond a chunk's limit cannot be in the result. A search may
 * match any key, so its rows are not limited, and rollups do not store them.
 */
const keysIn = (scope: Scope, search: string | null = null): AggregateQuery =>
  search === null
    ? { ...keysWith(scope, sql`ORDER BY value LIMIT ${PROPERTY_KEYS_MAX}`), top: { rowsMax: PROPERTY_KEYS_MAX } }
    : { ...allKeys(scope), top: { rowsMax: PROPERTY_KEYS_MAX, search } };

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
  rolled: (scope) => ({ properties: { query: keysIn(scope), over: "properties", by: ["key"] } }),
  plan: ({ scope, values: { search } }) => planOf(scope, [keysIn(scope, search)], (found) => found.map((row) => textIn(row, "value"))),
});

/** The keys that `key` takes. Events may have others. */
const PROPERTY_KEY = /^[A-Za-z0-9_.-]+$/;

const VALUES_PARAMETERS = {
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

/** The requested key; 400 unless exactly one of the two parameters is given. */
function keyOf({ key, name }: Pick<Values<typeof VALUES_PARAMETERS>, "key" | "name">): string {
  const requested = key ?? name;
  if (requested === null) throw invalidInput('"key" is required, or "name" for a key with other characters than "key" takes');
  if (key !== null && name !== null) {
    throw invalidInput(
      'Either "key" (ASCII letters, digits, "_", "-" and "." only) or ' +
        `"name" (any key of at most ${PROPS_CHARS_MAX} characters) is required, not both`,
    );
  }
  return requested;
}

export const countsOfValues = fragment(
  (events: SqlText, _key: string, isCounted: SqlText) => sql`
      WITH counted AS (
        SELECT properties.code AS code, count(DISTINCT visitor_id) AS visitors, count(*) AS events
        FROM (${events}) AS scoped JOIN properties ON properties.props = scoped.props
        WHERE ${isCounted}
        GROUP BY properties.code
      )
      SELECT coalesce(text, '(unknown)') AS value, visitors, events
      FROM counted LEFT JOIN property_texts ON property_texts.code = counted.code`,
);

/** Rows `value`, `visitors`, `events` of events with the key. Rollups store them for all events, not for one event name. */
export function countsByPropertyValue(scope: Scope, key: string, eventName: string | null): AggregateQuery {
  const isCounted = eventName === null ? sql`true` : sql`event_name = ${textCode(eventName)}`;
  return {
    keys: [],
    names: ["value"],
    counts: ["visitors", "events"],
    property: key,
    ...(eventName === null && propertyValuesOfDays(scope, key, { visitors: "visitors", events: "events" })),
    partial: (range) => countsOfValues(eventsIn(within(scope, range)), key, isCounted),
  };
}

export const propertyValues = report({
  path: "/api/stats/property-values",
  operationId: "getPropertyValues",
  summary: "Values of one custom property",
  description: "Requires either `key` or `name`.",
  parameters: VALUES_PARAMETERS,
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
      found.map((row) => ({ value: textIn(row, "value"), visitors: numberIn(row, "visitors"), events: numberIn(row, "events") })),
    );
  },
});
