/** What the files of an import have: page views and events, counts of days, and rows that are neither. */
import type { EpochMs, LocalDate } from "../../storage/event.ts";

/** Where a row stands: lines are counted from 1, as an editor counts them. In a binary file the number of the row. */
interface Located {
  readonly line: number;
}

/** Custom properties as an object, or as the JSON text of one. */
export type HitProps = Readonly<Record<string, string | number | boolean>> | string;

export interface Revenue {
  /** Decimal digits, in units of the currency. */
  readonly amount: string;
  readonly currency: string | null;
}

/** One page view or event. What is absent was not recorded. Values are those of the source: the import normalizes them as for own events. */
export interface Hit extends Located {
  readonly kind: "hit";
  readonly atMs: EpochMs;
  /**
   * The visitor as far as the source tells them apart, for instance a session id, or address and User-Agent. Never stored: the import
   * hashes it with the day and a salt that is deleted afterwards. null if unknown.
   */
  readonly visitor: string | null;
  /** Looked up for the location and the site's exclusions. Never stored. */
  readonly clientAddress?: string | null;
  /** Unique in the source, so that an event in overlapping exports counts once. */
  readonly identity?: string | null;
  /** `PAGEVIEW`, or the event's name. */
  readonly name: string;
  readonly hostname?: string | null;
  /** Begins with "/", and ends with query and fragment if the source has them: the site's rules for pages apply as for own events. */
  readonly path: string;
  /** A URL; if the source keeps no scheme, one that begins with "https://". */
  readonly referrer?: string | null;
  /** The source's own name for where the visit came from, used if there is no `referrer`: "Google". */
  readonly referrerSource?: string | null;
  /** Parsed by the import. Sources without it have the fields below. */
  readonly userAgent?: string | null;
  readonly browser?: string | null;
  readonly browserVersion?: string | null;
  readonly os?: string | null;
  readonly osVersion?: string | null;
  /** One of the values of `DeviceInfo.deviceType`. */
  readonly deviceType?: string | null;
  readonly screenWidth?: number | null;
  /** ISO 3166-1 alpha-2, in capitals. */
  readonly countryCode?: string | null;
  /** A name, or an ISO 3166-2 code such as `US-CA`. */
  readonly region?: string | null;
  readonly city?: string | null;
  readonly utmSource?: string | null;
  readonly utmMedium?: string | null;
  readonly utmCampaign?: string | null;
  readonly utmContent?: string | null;
  readonly utmTerm?: string | null;
  /** One of `CLICK_IDS`: the kind, never the value. */
  readonly clickId?: string | null;
  readonly props?: HitProps | null;
  readonly revenue?: Revenue | null;
  readonly engagedSeconds?: number | null;
  /** false for an event that is no interaction. */
  readonly interactive?: boolean;
  /** Codes of evidence, as they are stored. Own exports have them. */
  readonly evidence?: string | null;
}

/**
 * The dimensions of a table together: rows of `sources` are joint over source, referrer and campaign. Visitors of one table add up over
 * days, never over tables; `totals` has the day's true ones.
 */
export const DAY_TABLES = {
  totals: [],
  sources: ["referrerSource", "referrer", "utmSource", "utmMedium", "utmCampaign", "utmContent", "utmTerm"],
  pages: ["hostname", "pathname"],
  "entry-pages": ["hostname", "pathname"],
  "exit-pages": ["hostname", "pathname"],
  locations: ["countryCode", "region", "city"],
  devices: ["deviceType"],
  browsers: ["browser", "browserVersion"],
  "operating-systems": ["os", "osVersion"],
  events: ["eventName", "linkUrl", "pathname"],
  properties: ["property", "value"],
} as const satisfies Record<string, readonly string[]>;

export type DayTable = keyof typeof DAY_TABLES;

export type DayDimension = (typeof DAY_TABLES)[DayTable][number];

/** None is negative. What is absent was not recorded. */
export type DayCounts = Readonly<Partial<Record<(typeof DAY_COUNT_NAMES)[number], number>>>;

export const DAY_COUNT_NAMES = ["visitors", "visits", "bounces", "durationSeconds", "pageviews", "events"] as const;

/** Counts of one date and value. Several rows of the same date and values are added. */
export interface DayRow extends Located {
  readonly kind: "day";
  /** A date in the zone of the recognition. */
  readonly date: LocalDate;
  readonly table: DayTable;
  /** null if the source recorded no value; absent if it has no such dimension. */
  readonly values: Partial<Readonly<Record<DayDimension, string | null>>>;
  readonly counts: DayCounts;
}

/** Why a row could not be read; the sentence is shown with its number of rows. */
export const BAD_ROW_REASONS = {
  line_too_long: "The line is longer than 1 MB.",
  wrong_field_count: "The row has fewer or more fields than its header.",
  unclosed_quote: "A quoted value has no end.",
  not_json: "The line is not JSON.",
  not_a_log_line: "The line does not have the format of the others.",
  missing_value: "A value that every row needs is missing.",
  bad_date: "The date or time cannot be read.",
  date_out_of_range: "The date is before 1995 or after tomorrow.",
  bad_number: "A number cannot be read.",
  number_out_of_range: "A number is negative or above 10 billion.",
} as const;

export type BadRowReason = keyof typeof BAD_ROW_REASONS;

export interface BadRow extends Located {
  readonly kind: "bad";
  readonly reason: BadRowReason;
  /** The column, if one is to blame. */
  readonly column?: string;
  /** The value or the line, cut to `IMPORT_BAD_VALUE_CHARS_MAX`, without addresses and control characters. */
  readonly value: string;
}

/** Why a good row is not imported; the sentence is shown with its number of rows. */
export const LEFT_OUT_REASONS = {
  bot: "Sent by a bot.",
  static_file: "A request for a file that is not a page.",
  method: "A request with another method than GET.",
  redirect: "A response that sends the visitor to another page.",
  error: "A response with an error.",
  not_a_request: "A line about the connection, not about a request.",
  no_user_agent: "A request without a User-Agent, which browsers never send.",
  prefetch: "A page that was loaded ahead, and perhaps never seen.",
  not_a_hit: "Neither a page view nor an event, such as a measurement of speed or of engagement.",
  link: "A click on a link or a view of a pixel outside the site's pages.",
  superseded: "A row that a later one of the source takes back or replaces.",
  other_site: "A row of another site than the first one of its file.",
  imported_there: "A row that the source itself had imported from another product.",
  not_web: "An event of an app, or without the address of a page.",
  unsupported_report: "A row of a report without a date, or over dimensions that have no counterpart here.",
  unattributed: "A row that the source does not attribute to any date or value.",
  excluded: "Excluded by the site's settings.",
  own_day: "From the time on from which the site has events of its own.",
  already_imported: "An event that an earlier import of the site has.",
  imported_day: "On a day that an earlier import of the site has.",
  erased_day: "On a day that was erased while the import ran.",
  property_limit: "Of a custom property beyond the first 1,000 of the files.",
} as const;

export type LeftOutReason = keyof typeof LEFT_OUT_REASONS;

export interface LeftOutRow extends Located {
  readonly kind: "left out";
  readonly reason: LeftOutReason;
}

/** A request of an AI crawler, which is no event and counts apart (docs/bots.md). */
export interface CrawlRow extends Located {
  readonly kind: "crawl";
  readonly atMs: EpochMs;
  /** The name of the crawler. */
  readonly name: string;
  readonly status: number;
  /** Compared with address lists, and not kept; null if it is not known. */
  readonly address: string | null;
  /** The path of the page, as in `Hit`. */
  readonly path: string;
}

/** What a file says about all of its rows, such as that they are a sample. */
export interface Remark extends Located {
  readonly kind: "remark";
  /** A sentence for people. */
  readonly text: string;
}

export type Row = Hit | DayRow | CrawlRow | BadRow | LeftOutRow | Remark;
