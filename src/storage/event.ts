/** What one stored event is (docs/http-api.md, "Stored values"). `null` means "not recorded". */

/** A valid site id (docs/http-api.md, "Site ids"). Made by `parseSiteId` only. */
export type SiteId = string & { readonly brand: "SiteId" };

/** A date of a site's calendar, `YYYY-MM-DD`. */
export type LocalDate = string & { readonly brand: "LocalDate" };

/** Milliseconds since the Unix epoch. */
export type EpochMs = number;

export interface StoredEvent {
  readonly siteId: SiteId;
  readonly timestampMs: EpochMs;
  /** The date assigned on acceptance (`calendar.ts`), which decides the event's partition. Not a column. */
  readonly date: LocalDate;
  /** First 64 bits of the visitor hash, unsigned. */
  readonly visitorId: bigint;
  readonly eventName: string;
  readonly pathname: string;
  readonly hostname: string | null;
  readonly referrer: string | null;
  readonly referrerSource: string | null;
  readonly countryCode: string | null;
  readonly region: string | null;
  readonly city: string | null;
  readonly browser: string | null;
  readonly browserVersion: string | null;
  readonly os: string | null;
  readonly osVersion: string | null;
  readonly deviceType: string | null;
  readonly screenSize: string | null;
  readonly utmSource: string | null;
  readonly utmMedium: string | null;
  readonly utmCampaign: string | null;
  readonly utmContent: string | null;
  readonly utmTerm: string | null;
  /** A JSON object as text, as `JSON.stringify` writes it, except that numbers too long for JavaScript keep the spelling in which they were sent. */
  readonly props: string | null;
  /** Hundredths of the currency's unit: exact, where a float would not be. */
  readonly revenueCents: number | null;
  readonly currency: string | null;
}

export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

/** Characters of the time in an ISO 8601 instant. Years after 9999 have a longer date before it. */
const TIME_CHARS = "T00:00:00.000Z".length;

/** The last result of `utcDateOf`: consecutive events mostly have the same date. */
let lastDay: { readonly index: number; readonly day: LocalDate } = { index: 0, day: "1970-01-01" as LocalDate };

/** The UTC date an instant falls on. */
export function utcDateOf(timestampMs: EpochMs): LocalDate {
  const index = Math.floor(timestampMs / DAY_MS);
  if (lastDay.index !== index) lastDay = { index, day: new Date(timestampMs).toISOString().slice(0, -TIME_CHARS) as LocalDate };
  return lastDay.day;
}

/** The first instant of a UTC date. */
export function startOfDayMs(day: LocalDate): EpochMs {
  return Date.parse(`${day}T00:00:00.000Z`);
}

/** Whether the text is a real calendar date spelled `YYYY-MM-DD`. The first is 0001-01-01: dates a year before it can be spelled too. */
export function isLocalDate(text: string): text is LocalDate {
  if (!/^(?!0000)\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const startMs = startOfDayMs(text as LocalDate);
  return !Number.isNaN(startMs) && utcDateOf(startMs) === text;
}
