/** Custom properties of a scope's events: which keys there are, and one key's values. */
import { PROPERTY_KEYS_MAX, PROPERTY_VALUES_MAX } from "../../limits.ts";
import { eventsIn, within, type Scope } from "../scope.ts";
import { sql, textCode } from "../sql.ts";
import type { SummedQuery } from "../summed-query.ts";

/** Rows `name`, ascending. */
export const queryPropertyKeys = (scope: Scope): SummedQuery => ({
  keys: ["code"],
  counts: [],
  rowsIn: (range) => sql`
    WITH carried AS (SELECT DISTINCT props FROM (${eventsIn(within(scope, range))}) AS scoped WHERE props <> 0)
    SELECT DISTINCT key AS code FROM properties JOIN carried ON carried.props = properties.props`,
  total: sql`
    SELECT coalesce(texts.text, '(unknown)') AS name
    FROM figures LEFT JOIN texts ON texts.code = figures.code
    ORDER BY name
    LIMIT ${PROPERTY_KEYS_MAX}`,
});

/** Rows `value`, `visitors`, `events` of the events that carry the key; of one event's only where it is named. */
export function queryPropertyValues(scope: Scope, key: string, eventName: string | null): SummedQuery {
  const ofEvent = eventName === null ? sql`true` : sql`event_name = ${textCode(eventName)}`;
  return {
    keys: ["code"],
    counts: ["visitors", "events"],
    rowsIn: (range) => sql`
      SELECT properties.value AS code, count(DISTINCT visitor_id) AS visitors, count(*) AS events
      FROM (${eventsIn(within(scope, range))}) AS scoped JOIN properties ON properties.props = scoped.props
      WHERE properties.key = ${textCode(key)} AND ${ofEvent}
      GROUP BY properties.value`,
    total: sql`
      SELECT coalesce(texts.text, '(unknown)') AS value, visitors, events
      FROM figures LEFT JOIN texts ON texts.code = figures.code
      ORDER BY visitors DESC, value ASC
      LIMIT ${PROPERTY_VALUES_MAX}`,
  };
}
