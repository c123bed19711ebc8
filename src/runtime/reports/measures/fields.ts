/** Result fields that several reports share, and their values in rows (docs/http-api.md, "Numbers"). */
import { UTC, type Calendar } from "../../../storage/calendar.ts";
import type { EpochMs } from "../../../storage/event.ts";
import { PAGEVIEW } from "../../base/config/names.ts";
import { Decimal, decimalFromCents } from "../../base/decimal.ts";
import { closed, count, exactNumber, list, text, type Properties } from "../../base/json-schema.ts";
import { numberIn, type SqlRow, textIn } from "../../query/sql.ts";

export const VISITORS = count("Distinct visitors.");
export const PAGEVIEWS = count(`Events named \`${PAGEVIEW}\`.`);
export const EVENTS = count("All events.");
export const MONEY = exactNumber("In units of the currency, exact to the hundredth. It may have more digits than a double holds.");
export const DAY = text("A date of the site's calendar.", { format: "date" });
export const TIME_ZONE = text("The IANA name of the site's time zone. Missing in UTC.", { minLength: 1 });

/** The source of visitors that came without one. */
export const DIRECT = "(direct)";

/** Absent in UTC. */
export function timeZoneField(nowMs: EpochMs, calendar: Calendar): { readonly time_zone?: string } {
  const timeZone = calendar.zoneAt(nowMs);
  return timeZone === UTC ? {} : { time_zone: timeZone };
}

export const REVENUE_FIELDS = {
  currency: text("ISO 4217 code; `(unknown)` if it was not recorded."),
  total: MONEY,
  transactions: count("Events with a revenue amount, refunds included."),
};

export const centsIn = (row: SqlRow, name: string): bigint => BigInt(textIn(row, name));

/** 0 without a row. */
export const moneyIn = (row: SqlRow | undefined, name: string): Decimal => new Decimal(decimalFromCents(row ? centsIn(row, name) : 0n));

/** The values of `REVENUE_FIELDS` in a row `currency`, `total` (hundredths), `transactions`. */
export const revenueOf = (row: SqlRow) => ({
  currency: textIn(row, "currency"),
  total: moneyIn(row, "total"),
  transactions: numberIn(row, "transactions"),
});

export const rows = <const P extends Properties>(description: string, rowsMax: number, fields: P) =>
  list(`${description} At most ${rowsMax}.`, closed(fields), { maxItems: rowsMax });
