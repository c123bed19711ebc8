/** Result fields that several reports share (docs/http-api.md, "Numbers"). */
import { BUCKETS_MAX, HOURLY_DAYS_MAX, LONG_RANGE_DAYS_MAX, RANGE_DAYS_MAX } from "../../base/config/report-limits.ts";
import { PAGEVIEW } from "../../base/config/names.ts";
import { UTC, type Calendar } from "../../../storage/calendar.ts";
import type { EpochMs } from "../../../storage/event.ts";
import { closed, count, exactNumber, list, text, type Described, type Properties, type Schema } from "../../query/json-schema.ts";

export const VISITORS = count("Distinct visitors.");
export const PAGEVIEWS = count(`Events named \`${PAGEVIEW}\`.`);
export const EVENTS = count("All events.");
export const CURRENCY = text("ISO 4217 code; `(unknown)` if it was not recorded.");
export const MONEY = exactNumber("In units of the currency, exact to the hundredth. It may have more digits than a double holds.");
export const DAY = text("A date of the site's calendar.", { format: "date" });
export const TIME_ZONE = text("The IANA name of the site's time zone. Missing in UTC.", { minLength: 1 });
export const BUCKET = text(
  "`YYYY-MM-DD HH:MM` of a minute or an hour, or `YYYY-MM-DD`: the first day of the bucket in the range. In the site's time zone.",
  { pattern: "^\\d{4}-\\d{2}-\\d{2}( \\d{2}:\\d{2})?$" },
);

/** The field of a site that is not in UTC. */
export function timeZoneField(nowMs: EpochMs, calendar: Calendar): { readonly time_zone?: string } {
  const timeZone = calendar.zoneAt(nowMs);
  return timeZone === UTC ? {} : { time_zone: timeZone };
}

/** A list of objects with these fields. */
export const rows = <const P extends Properties>(description: string, rowsMax: number, fields: P) =>
  list(`${description} At most ${rowsMax}.`, closed(fields), { maxItems: rowsMax });

/** A point for each day of a range. */
export const dailyPoints = <Point extends Schema>(description: string, point: Point) =>
  list(description, point as Schema<Described<Point>>, { minItems: 1, maxItems: LONG_RANGE_DAYS_MAX });

/** A point for each bucket of a range. */
export const pointsOf = <Point extends Schema>(point: Point) =>
  list(
    `Every bucket of the range: hours up to ${HOURLY_DAYS_MAX} days, days up to ${RANGE_DAYS_MAX} and months beyond, or those of ` +
      "`interval`; oldest first, empty ones included.",
    point as Schema<Described<Point>>,
    { minItems: 1, maxItems: BUCKETS_MAX },
  );
