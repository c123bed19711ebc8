/** Custom properties of a scope's events: which keys there are, and one key's values. */
import { PROPERTY_KEYS_MAX, PROPERTY_VALUES_MAX } from "../../config/limits.ts";
import { eventsIn, within, type Scope } from "../../query/scope.ts";
import { sql, textCode } from "../../query/sql.ts";
import type { AggregateQuery } from "../../execution/partial-aggregate.ts";

/** Rows `name`, ascending. Beyond the first ones of a chunk none can be among the first of all. */
export const queryPropertyKeys = (scope: Scope): AggregateQuery => ({
  keys: [],
  names: ["name"],
  counts: [],
  property: null,
  partial: (range) => sql`
    WITH carried AS (SELECT DISTINCT props FROM (${eventsIn(within(scope, range))}) AS scoped WHERE props <> 0),
    found AS (SELECT DISTINCT code FROM properties JOIN carried ON carried.props = properties.props)
    SELECT coalesce(text, '(unknown)') AS name
    FROM found LEFT JOIN property_texts ON property_texts.code = found.code
    ORDER BY name
    LIMIT ${PROPERTY_KEYS_MAX}`,
  finalize: sql`SELECT name FROM figures ORDER BY name LIMIT ${PROPERTY_KEYS_MAX}`,
});

/** Rows `value`, `visitors`, `events` of the events that carry the key; of one event's only where it is named. */
export function queryPropertyValues(scope: Scope, key: string, eventName: string | null): AggregateQuery {
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
    finalize: sql`
      SELECT value, visitors, events
      FROM figures
      ORDER BY visitors DESC, value ASC
      LIMIT ${PROPERTY_VALUES_MAX}`,
  };
}
