/** Limits that the service enforces and its page respects before it sends a request (docs/http-api.md, "Limits"). Names end with the unit. */

/** Longest date range, both ends included. */
export const RANGE_DAYS_MAX = 366;

/** Longest range of a request with `interval` or `period=all`: 27 years, for which a time zone remembers its offsets (see `TimeZone`). */
export const LONG_RANGE_DAYS_MAX = 10_000;

/** Ranges of at most this many days have hourly buckets by default, longer ones daily, and those beyond `RANGE_DAYS_MAX` monthly. */
export const HOURLY_DAYS_MAX = 2;

/** Longest ranges with buckets of minutes or hours, if a request asks for them. */
export const INTERVAL_MINUTE_DAYS_MAX = 1;
export const INTERVAL_HOUR_DAYS_MAX = 31;

export const FILTER_CONDITIONS_MAX = 12;
export const FILTER_VALUE_CHARS_MAX = 512;
export const FILTER_EXPRESSION_CHARS_MAX = 256;

/** Values of all conditions together. */
export const FILTER_VALUES_MAX = 100;

export const BREAKDOWN_ROWS_MAX = 1000;
export const BREAKDOWN_OFFSET_MAX = 1_000_000;
export const OVERVIEW_SITES_MAX = 1000;
export const EXPORT_ROWS_MAX = 1_000_000;

/** Steps of a funnel or sequence. */
export const STEPS_MIN = 2;

/** Steps of a funnel or sequence, and conditions of a pattern. */
export const CONDITIONS_MAX = 32;

/** Files and bytes of an upload of an import. */
export const IMPORT_UPLOAD_FILES_MAX = 1_000;
export const IMPORT_UPLOAD_BYTES_MAX = 20 * 1024 ** 3;

/** Bytes of a part of a file. Only its last part may be smaller, because each part is a file until the import ends. */
export const IMPORT_PART_BYTES_MIN = 1024 ** 2;
export const IMPORT_PART_BYTES_MAX = 8 * IMPORT_PART_BYTES_MIN;

/** Whole lines of a followed log that are sent at once. */
export const FOLLOWED_LINES_BYTES_MAX = 2 * IMPORT_PART_BYTES_MIN;

// Texts, in code points

export const ADMIN_PASSWORD_CHARS_MIN = 12;
export const API_KEY_NAME_CHARS_MAX = 128;
export const SHARE_NAME_CHARS_MAX = 128;
export const SITE_NAME_CHARS_MAX = 128;

/** Longest name of a goal or a segment. */
export const ITEM_NAME_CHARS_MAX = 100;
export const ANNOTATION_CHARS_MAX = 200;

/** A hundred years, for an installation or a site. */
export const RETENTION_DAYS_MAX = 36_500;

/** Bytes of a ZIP that the service or its page writes, and of each of its files: readers without ZIP64 read no more. */
export const ZIP_BYTES_MAX = 2 ** 32 - 1;
