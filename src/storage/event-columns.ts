/** The one table of an event's columns: it drives the Parquet schema, the journal's lines, the engine's tables and exports. */
import type { StoredEvent } from "./event.ts";

/**
 * How a column's values are stored.
 * `text`: UTF-8, `json`: a JSON object as UTF-8, `cents`: DECIMAL(12,2) as hundredths,
 * `visitor`: unsigned 64-bit, `timestamp`: UTC milliseconds.
 */
export type ColumnKind = "text" | "json" | "cents" | "visitor" | "timestamp";

export interface EventColumn {
  readonly field: keyof StoredEvent;
  /** The column's name in Parquet files, in the engine and in raw exports. */
  readonly name: string;
  readonly kind: ColumnKind;
  /** False where an event may have no value. */
  readonly required: boolean;
}

/** Stored in every event, so that a renamed folder is noticed. */
export const SITE_COLUMN = { field: "siteId", name: "site_id", kind: "text", required: true } as const satisfies EventColumn;

const text = (field: keyof StoredEvent, name: string): EventColumn => ({ field, name, kind: "text", required: false });

/** The order of Parquet files and journal lines. New columns go to the end: lines are positional (see `event-text.ts`). */
export const EVENT_COLUMNS = [
  { ...text("eventName", "event_name"), required: true },
  { ...text("pathname", "pathname"), required: true },
  text("hostname", "hostname"),
  text("referrer", "referrer"),
  text("referrerSource", "referrer_source"),
  text("countryCode", "country_code"),
  text("region", "region"),
  text("city", "city"),
  text("browser", "browser"),
  text("browserVersion", "browser_version"),
  text("os", "os"),
  text("osVersion", "os_version"),
  text("deviceType", "device_type"),
  text("screenSize", "screen_size"),
  text("utmSource", "utm_source"),
  text("utmMedium", "utm_medium"),
  text("utmCampaign", "utm_campaign"),
  text("utmContent", "utm_content"),
  text("utmTerm", "utm_term"),
  { field: "props", name: "props", kind: "json", required: false },
  { field: "revenueCents", name: "revenue_amount", kind: "cents", required: false },
  text("currency", "currency"),
  { field: "visitorId", name: "visitor_id", kind: "visitor", required: true },
  SITE_COLUMN,
  { field: "timestampMs", name: "timestamp", kind: "timestamp", required: true },
] as const satisfies readonly EventColumn[];
