/** The pages state the limits of the program, and the defaults of the options that set limits. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { detectDevice, NO_CLIENT_HINTS, parseScreenWidth, parseUserAgent } from "../../src/runtime/ingest/device.ts";
import * as admin from "../../src/runtime/base/config/admin-limits.ts";
import * as limits from "../../src/runtime/base/config/limits.ts";
import * as reports from "../../src/runtime/base/config/report-limits.ts";
import * as shared from "../../src/shared/limits.ts";
import { HISTORY_DAYS, TYPICAL_DAYS_MAX } from "../../src/runtime/reports/changes/input.ts";
import { QUERY_TESTS_MAX } from "../../src/runtime/duckdb/engine.ts";
import { RANGE_LIMITS } from "../../src/runtime/bots/count-sums.ts";
import { BATCHES_MAX, DAY_LIMITS, PATH_CHARS_MAX } from "../../src/storage/day-counts.ts";
import { IMPORT_NUMBERS } from "../../src/storage/partitions.ts";
import { isOptionName, optionNamed } from "../../src/runtime/base/config/options.ts";
import { PAGE, codesIn, count, rowsOf, sectionOf } from "./http-api-page.ts";

const each = (value: number, unit: string): string => `${count(value)} ${unit} each`;
const between = (min: number, max: number): string => `${count(min)} to ${count(max)}`;
const rows = (otherwise: number, max: number): string => `${count(otherwise)} by default, at most ${count(max)}`;
const mebibytes = (bytes: number): string => `${bytes / 1024 ** 2} MiB`;

/** The table of limits, by its first column. */
const LIMITS: Readonly<Record<string, string>> = {
  "Body of a `POST` or `PUT`": `${count(limits.BODY_BYTES_MAX)} bytes`,
  "Body of `POST /api/imports`": `${count(limits.IMPORT_BODY_BYTES_MAX)} bytes`,
  "Files of an upload": `${count(shared.IMPORT_UPLOAD_FILES_MAX)}, of ${shared.IMPORT_UPLOAD_BYTES_MAX / 1024 ** 3} GiB together (Workers: ${mebibytes(limits.IMPORT_UPLOAD_BYTES_MAX_IN_WORKERD)})`,
  "Part of an uploaded file": `${shared.IMPORT_PART_BYTES_MIN / 1024 ** 2} to ${mebibytes(shared.IMPORT_PART_BYTES_MAX)}, the last one of a file from 1 byte on`,
  "Parts that are received at the same time": count(limits.IMPORT_PARTS_AT_ONCE),
  "Bytes of the disk that an upload leaves free": `${limits.IMPORT_FREE_BYTES_MIN / 1024 ** 3} GiB`,
  "Lines of a followed log at once": mebibytes(shared.FOLLOWED_LINES_BYTES_MAX),
  "Logs followed into a site": String(limits.FOLLOWED_LOGS_MAX),
  "Files of events of a followed log": count(limits.FOLLOWED_FILES_MAX),
  Imports: `${count(limits.IMPORTS_MAX)}; at most ${limits.IMPORTS_WAITING_MAX} of them wait for files or a confirmation, for ${limits.IMPORT_WAITING_DAYS} days`,
  "Changes of imports that wait to be stored": count(limits.IMPORT_CHANGES_WAITING_MAX),
  "Files of sums of days of an import": `${count(limits.IMPORT_DAY_FILES_MAX)}, of ${count(limits.IMPORT_DAY_GROUPS)} different days and values each (workerd: ${count(limits.IMPORT_DAY_GROUPS_IN_WORKERD)})`,
  "Custom properties of an import with sums of days": count(limits.IMPORT_DAY_PROPERTIES_MAX),
  "Archives of sites": `${limits.EXPORTS_KEPT_MAX}, for ${limits.EXPORT_KEPT_MS / 3_600_000} hours each, one of them being made`,
  "Bytes of the disk for archives of sites": `${limits.EXPORT_FREE_BYTES_MIN / 1024 ** 3} GiB to begin one, ${limits.EXPORT_FREE_BYTES_LEFT_MIN / 1024 ** 3} GiB while it is made`,
  "Entries of `coverage`": count(reports.COVERAGE_MAX),
  "Earlier names of sites": `${count(admin.SITE_NAMES_MAX)}, for ${admin.SITE_NAME_DAYS} days each`,
  "Renames and merges that wait to begin": count(admin.SITE_MOVES_WAITING_MAX),
  "Wait of an event while its site gets another name": `${admin.SITE_HOLD_MS_MAX / 1000} seconds`,
  "Wait of the response to a rename or merge for its end": `${admin.SITE_MOVE_ANSWER_MS / 1000} seconds`,
  // The program's own answer holds this one: `http-api-examples.test.ts`.
  "Request line and headers (Node)": "65,536 bytes",
  "Query parameters (Stats API, data deletion, pixel, tags of other products)": count(limits.QUERY_PARAMETERS_MAX),
  "`d`, `site_id`, `n`": each(Math.max(limits.SITE_ID_CHARS_MAX, limits.EVENT_NAME_CHARS_MAX), "characters"),
  "`u`, `r`": each(limits.URL_CHARS_MAX, "characters"),
  "Host in `u`, with port and credentials": `${count(limits.URL_HOST_CHARS_MAX)} characters`,
  "`p`, `name` of a property": each(limits.PROPS_CHARS_MAX, "characters"),
  "`rc`": `${count(limits.CURRENCY_CHARS_MAX)} characters`,
  "Sites that `d` of an event names, separated by commas": `${count(limits.EVENT_SITES_MAX)} sites`,
  "Pings of engaged time that wait for the end of their day": `${count(limits.PINGS_OF_DAY_MAX)} of a site and day, ${mebibytes(limits.PINGS_BYTES_MAX)} of all, for ${limits.PINGS_LATE_DAYS} days`,
  "Id in a tag of another product": `${count(limits.EARLIER_TAG_ID_CHARS_MAX)} characters`,
  "`requests` in a body of Matomo's tracking API": count(limits.MATOMO_REQUESTS_MAX),
  "Unknown ids of other products' tags that the installation check lists": count(limits.UNKNOWN_ALIASES_MAX),
  "`e`": `${between(0, limits.ENGAGED_SECONDS_MAX)} seconds`,
  "`utm_` value": `${count(limits.UTM_CHARS_MAX)} characters`,
  "Recorded path": `${count(limits.PATHNAME_CHARS_MAX)} characters`,
  "Parsed part of the `User-Agent`": `${count(limits.USER_AGENT_CHARS_MAX)} characters`,
  "Revenue amount, either sign": count(limits.REVENUE_CENTS_MAX / 100),
  "Events that wait to be written to files": `${count(limits.UNFLUSHED_EVENTS_MAX)}, or ${mebibytes(limits.UNFLUSHED_BYTES_MAX)} (workerd: ${mebibytes(limits.UNFLUSHED_BYTES_MAX_IN_WORKERD)})`,
  "Date range": `${count(shared.RANGE_DAYS_MAX)} days`,
  "Date range with `interval` or `period=all`": `${count(shared.LONG_RANGE_DAYS_MAX)} days`,
  "Range with `interval=minute`": `${shared.INTERVAL_MINUTE_DAYS_MAX} day`,
  "Range with hourly buckets by default": `${count(shared.HOURLY_DAYS_MAX)} days`,
  "Range with `interval=hour`": `${count(shared.INTERVAL_HOUR_DAYS_MAX)} days`,
  "Conditions of `filters`": `${count(shared.FILTER_CONDITIONS_MAX)} conditions`,
  "Values of all conditions of `filters`": `${count(shared.FILTER_VALUES_MAX)} values`,
  "Value of a condition, key of its property": each(shared.FILTER_VALUE_CHARS_MAX, "characters"),
  "Classes of characters in a regular expression": `${count(reports.FILTER_EXPRESSION_CLASSES_MAX)}, with ranges of at most ${count(reports.FILTER_EXPRESSION_RANGE_CHARS_MAX)} characters in all`,
  "Regular expressions of a filter": count(reports.FILTER_EXPRESSIONS_MAX),
  "Regular expression of a condition": `${count(shared.FILTER_EXPRESSION_CHARS_MAX)} characters, ${count(reports.FILTER_EXPRESSION_INSTRUCTIONS_MAX)} instructions`,
  "Tests of texts, and of properties, in the filters, steps and goals of a request, without ClickHouse": each(
    QUERY_TESTS_MAX,
    "different ones",
  ),
  "Steps of the tests of texts in a query of a guest, without ClickHouse": `${count(reports.GUEST_TEST_STEPS_MAX)} steps`,
  "Rows of a breakdown": rows(reports.BREAKDOWN_ROWS_DEFAULT, shared.BREAKDOWN_ROWS_MAX),
  "Rows of a raw export": rows(reports.EXPORT_ROWS_DEFAULT, shared.EXPORT_ROWS_MAX),
  "`offset` of a breakdown": `${count(shared.BREAKDOWN_OFFSET_MAX)} rows`,
  "`search`, `unknown_label`": `${count(reports.SEARCH_CHARS_MAX)} characters`,
  "Sites of an overview": rows(reports.OVERVIEW_SITES_DEFAULT, shared.OVERVIEW_SITES_MAX),
  "Rows of each list of dropped events": rows(reports.BREAKDOWN_ROWS_DEFAULT, shared.BREAKDOWN_ROWS_MAX),
  "Paths of the dropped events of a site and day": `${count(DAY_LIMITS.pathsMax)}, of ${PATH_CHARS_MAX} characters each; ${count(RANGE_LIMITS.pathsMax)} in a report`,
  "Reports of dropped events and of crawlers that wait": count(reports.COUNT_REPORTS_WAITING_MAX),
  "Time between writes of counts of dropped events": `${limits.COUNT_WRITE_MS / 1000} seconds`,
  "Body of `POST /api/crawls`": `${count(limits.CRAWL_BODY_BYTES_MAX)} bytes`,
  "`requests` in it, `batch_id`": `${between(1, limits.CRAWL_REQUESTS_MAX)} requests; ${between(1, limits.CRAWL_BATCH_ID_CHARS_MAX)} characters`,
  "`time` in it": `${limits.CRAWL_AGE_DAYS_MAX} days ago to ${limits.CRAWL_AHEAD_MS_MAX / 60_000} minutes ahead`,
  "Batches of crawlers' requests that wait": `${limits.CRAWL_BATCHES_OF_SITE_MAX} of a site, ${limits.CRAWL_BATCHES_WAITING_MAX} of all`,
  "Batches that are known again": `${count(BATCHES_MAX)} of a site and day`,
  "Rows of each dimension of changes": rows(reports.CHANGE_ROWS_DEFAULT, reports.CHANGE_ROWS_MAX),
  "Values of each dimension of changes, in each window": count(reports.CHANGE_VALUES_MAX),
  "Period of `drill` in changes, and events that it reads": `${reports.CHANGE_DRILL_DAYS_MAX} days, ${count(reports.CHANGE_DRILL_EVENTS_MAX)}`,
  "Items of a feed": `${reports.FEED_WEEKS_MAX} weeks or ${reports.FEED_DAYS_MAX} days`,
  "Rows of a flow": rows(reports.FLOW_ROWS_DEFAULT, reports.FLOW_ROWS_MAX),
  "Rows of each list of realtime": `${count(reports.REALTIME_ROWS_MAX)}; ${count(reports.REALTIME_COUNTRIES_MAX)} countries`,
  "`minutes` of realtime": `${between(1, reports.REALTIME_MINUTES_MAX)} minutes`,
  "Rows of each list of revenue": count(reports.REVENUE_ROWS_MAX),
  "Goals, property keys, property values": `${count(Math.max(reports.GOAL_ROWS_MAX, reports.PROPERTY_KEYS_MAX, reports.PROPERTY_VALUES_MAX))} each`,
  "Steps of a funnel or a sequence": `${between(shared.STEPS_MIN, shared.CONDITIONS_MAX)} steps`,
  "Conditions of a pattern": `${between(1, shared.CONDITIONS_MAX)} conditions`,
  "Path or event name of a step": `${count(reports.STEP_CHARS_MAX)} characters`,
  "`pattern`": `${count(reports.PATTERN_CHARS_MAX)} characters and ${reports.PATTERN_EVENTS_MAX} events`,
  "`window` of a funnel": `${count(reports.FUNNEL_WEEKS_MAX)} weeks`,
  "`weeks` of retention": `${between(reports.RETENTION_WEEKS_MIN, reports.RETENTION_WEEKS_MAX)} weeks`,
  "Queries that wait for a slot, or for the check of their expressions": `${count(reports.QUERIES_WAITING_MAX)}, and as many of guests`,
  "`X-Progress-Id`": `${between(reports.PROGRESS_ID_CHARS_MIN, reports.PROGRESS_ID_CHARS_MAX)} characters`,
  "`ids` of a request for progress": `${count(reports.PROGRESS_IDS_MAX)} ids`,
  "Requests whose progress is known": `${count(reports.WATCHED_REPORTS_MAX)}, of guests half`,
  "Exports of guests at the same time": `${count(reports.GUEST_EXPORTS_MAX)}; 1 of a link or public site, 1 of an address`,
  "Cached results": `${count(reports.CACHE_CHARS_MAX)} characters together, of guests a quarter`,
  "Response of which the client takes nothing": `${limits.RESPONSE_STALL_MS / 1000} seconds`,
  [`Average rate at which an export is read, from ${limits.RESPONSE_GRACE_MS / 1000} seconds on`]: `${limits.RESPONSE_BYTES_PER_SECOND_MIN / 1024} KiB per second; guests ${limits.GUEST_BYTES_PER_SECOND_MIN / 1024} KiB, and ${limits.GUEST_BYTES_PER_SECOND_MIN_WANTED / 1024} KiB while another one is refused for them`,
  "Admin password": `${shared.ADMIN_PASSWORD_CHARS_MIN} characters to ${count(admin.PASSWORD_BYTES_MAX)} bytes of UTF-8`,
  "Passwords that wait to be checked": `${count(admin.PASSWORD_CHECKS_WAITING_MAX)} logins, ${count(admin.SHARE_PASSWORDS_WAITING_MAX)} of share links`,
  "Login sessions": count(admin.SESSIONS_MAX),
  "Persistent sessions": `${admin.PERSISTENT_SESSIONS_MAX}, each for ${admin.PERSISTENT_SESSION_DAYS} days after its last use`,
  "Name of a browser or system in the list of sessions": `${admin.DEVICE_NAME_CHARS_MAX} characters`,
  "API keys, revoked ones included": count(admin.API_KEYS_MAX),
  "Name of an API key": `${between(1, shared.API_KEY_NAME_CHARS_MAX)} characters`,
  "Key changes that wait to be stored": count(admin.API_KEY_CHANGES_WAITING_MAX),
  "Body of `PUT /api/settings`": `${count(admin.SETTINGS_FILE_BYTES_MAX)} bytes`,
  "Name of a site": `${between(1, shared.SITE_NAME_CHARS_MAX)} characters`,
  "Parameters of a site's pages": `${admin.PAGE_PARAMETERS_MAX}`,
  "Entries of a list in a site's settings": `${admin.SITE_LIST_ENTRIES_MAX} entries of ${admin.SITE_LIST_ENTRY_CHARS_MAX} characters`,
  "Rules of channels of a site": `${admin.CHANNEL_RULES_MAX} rules with ${admin.CHANNEL_VALUES_MAX} values`,
  "Goals of a site": count(admin.GOALS_MAX),
  "Segments of a site": count(admin.SEGMENTS_MAX),
  "Annotations of a site": count(admin.ANNOTATIONS_MAX),
  "Rules of a site": count(admin.RULES_MAX),
  "Filters of a rule": `${count(admin.RULE_CHARS_MAX)} characters`,
  "Filters of all applied rules of a site": `${admin.RULES_CONDITIONS_MAX} conditions, ${shared.FILTER_VALUES_MAX} values, ${count(admin.RULE_CHARS_MAX)} characters`,
  "Each text that a segment saves": `${count(admin.SEGMENT_CHARS_MAX)} characters`,
  "Text of an annotation": `${between(1, shared.ANNOTATION_CHARS_MAX)} characters`,
  "Name of a goal, a segment or a rule": `${between(1, shared.ITEM_NAME_CHARS_MAX)} characters`,
  "Property of a goal, key and value": `${between(1, admin.GOAL_PROPERTY_CHARS_MAX)} characters each`,
  "Goals, segments, annotations or rules of a site, as JSON": `${count(admin.COLLECTION_BYTES_MAX)} bytes`,
  "Changes of goals, segments, annotations or rules that wait to be stored": `${count(admin.COLLECTION_CHANGES_WAITING_MAX)} each`,
  "`retention_days` of a site": `${between(0, shared.RETENTION_DAYS_MAX)} days`,
  "Changes of settings that wait to be stored": count(admin.SITE_CHANGES_WAITING_MAX),
  "Sites of a limited API key": `${between(1, admin.API_KEY_SITES_MAX)} sites`,
  "Share links, revoked ones included": `${count(admin.SHARES_MAX)}, and ${admin.SHARES_OF_SITE_MAX} of a site`,
  "Name of a share link": `${between(1, shared.SHARE_NAME_CHARS_MAX)} characters`,
  "Password of a share link": `${admin.SHARE_PASSWORD_CHARS_MIN} characters to ${count(admin.PASSWORD_BYTES_MAX)} bytes of UTF-8`,
  "Origins that may embed a share link": count(admin.SHARE_FRAME_ANCESTORS_MAX),
  "Changes of share links that wait to be stored": count(admin.SHARE_CHANGES_WAITING_MAX),
  "Guest tokens": `${count(admin.GUEST_TOKENS_MAX)}, and ${count(admin.GUEST_TOKENS_OF_SHARE_MAX)} of a link, each for ${admin.GUEST_TOKEN_SECS / 3600} hours`,
  "Passwords for a share link": `${admin.SHARE_UNLOCKS_AT_ONCE} at once, ${admin.SHARE_UNLOCKS_PER_SECOND} per second, and as many from its reserve`,
  "Wrong passwords of a network from the reserve of a share link": `${admin.SHARE_UNLOCKS_OF_NETWORK_AT_ONCE} at once, ${admin.SHARE_UNLOCKS_OF_NETWORK_PER_SECOND * 86_400} per day`,
  "Requests with `X-Share` of an address": `${admin.GUEST_REQUESTS_AT_ONCE} at once, ${admin.GUEST_REQUESTS_PER_SECOND} per second`,
  "Requests to the MCP server of an address": `${admin.GUEST_REQUESTS_AT_ONCE} at once, ${admin.GUEST_REQUESTS_PER_SECOND} per second, together with those with \`X-Share\``,
  "Text as the id of a message to the MCP server": `${count(limits.MCP_ID_CHARS_MAX)} characters`,
  "Names whose events are counted by outcome": count(limits.OUTCOME_NAMES_MAX),
  "Other names of an installation check": count(limits.OTHER_NAMES_MAX),
  "Read part of a checked page": mebibytes(limits.PAGE_BYTES_MAX),
  "Time for the requests of a checked page": `${limits.PAGE_TIMEOUT_MS / 1000} seconds`,
  "Redirects of a checked page": `${limits.PAGE_REDIRECTS_MAX} redirects`,
  "Time between two page checks": `${1 / limits.PAGE_CHECKS_PER_SEC} seconds`,
  "Session cookies of a request": count(limits.CREDENTIALS_TRIED_MAX),
  "Open connections (Node)": count(limits.CONNECTIONS_MAX),
  "Pipelined requests that wait, per connection (Node)": count(limits.PIPELINED_REQUESTS_MAX),
};

const IMPORTED_FILES: Readonly<Record<string, string>> = {
  "Files of an import, with those in archives": count(limits.IMPORT_FILES_MAX),
  "Path of a file, with its archives": `${count(limits.IMPORT_PATH_CHARS_MAX)} characters`,
  "Archives in archives": `${limits.IMPORT_NESTING_MAX} deep`,
  "Directory of a ZIP": mebibytes(limits.IMPORT_DIRECTORY_BYTES_MAX),
  "Decompressed file": `${limits.IMPORT_FILE_BYTES_MAX / 1024 ** 3} GiB, and ${limits.IMPORT_EXPANSION_MAX} times its compressed size from ${mebibytes(limits.IMPORT_EXPANSION_BYTES_FREE)} on`,
  "Header and first lines by which a file is recognized": `${limits.IMPORT_OPENING_BYTES / 1024} KiB, of all files together ${mebibytes(limits.IMPORT_OPENINGS_BYTES_MAX)}`,
  "Line of a file, record of CSV": mebibytes(limits.IMPORT_LINE_BYTES_MAX),
  "Object in JSON or XML, such as a visit with its actions": `${count(limits.IMPORT_OBJECT_CHARS_MAX)} characters`,
  "Columns of a row group of Parquet that are read, and a Parquet file in an archive": mebibytes(limits.IMPORT_PARQUET_BYTES_MAX),
  "Footer of a Parquet file": mebibytes(limits.IMPORT_PARQUET_FOOTER_BYTES_MAX),
  "Memory for rows that are joined with those of another file": `${mebibytes(limits.IMPORT_JOIN_BYTES)} in each of ${limits.IMPORT_JOIN_PASSES_MAX} passes`,
  Dates: `from ${limits.IMPORT_FIRST_DATE} to tomorrow`,
  Counts: between(0, limits.IMPORT_COUNT_MAX),
  "Name of a browser, a system, a place or a source": `${limits.IMPORT_NAME_CHARS_MAX} characters`,
  "`log_format`": `${count(limits.IMPORT_LOG_FORMAT_CHARS_MAX)} characters`,
  "Bad rows that are shown, all of them counted": `${limits.IMPORT_BAD_ROWS_SHOWN_MAX}, with ${limits.IMPORT_BAD_VALUE_CHARS_MAX} characters of each`,
  "Files that the manifest names in each list, and its remarks": `${limits.IMPORT_FILES_SHOWN_MAX} each`,
  "Files of events that an import writes": count(IMPORT_NUMBERS),
  "Files of events of a followed log": count(limits.FOLLOWED_FILES_MAX),
  "Devices whose last visitor is remembered, for Simple Analytics": count(limits.IMPORT_VISITORS_REMEMBERED_MAX),
};

describe("the limits of imported files", () => {
  it("every limit of docs/importing.md is that of src/runtime/base/config", () => {
    const page = readFileSync(new URL("../../docs/importing.md", import.meta.url), "utf8");
    const stated = rowsOf({ title: "Limits of files", text: page }, "Limit").map(([name = "", value = ""]) => [name, value]);
    expect(Object.fromEntries(stated), 'edit docs/importing.md, "Limits of files"').toEqual(IMPORTED_FILES);
    expect(limits.IMPORT_FILES_SHOWN_MAX, "they share a row").toBe(limits.IMPORT_REMARKS_MAX);
  });
});

describe("the limits of the page", () => {
  const table = rowsOf(sectionOf("Limits"), "Limit");

  it("every limit of docs/http-api.md is that of src/runtime/base/config", () => {
    const stated = table.map(([name = "", value = ""]) => [name, value]);
    expect(Object.fromEntries(stated), 'edit docs/http-api.md, "Limits", and LIMITS of this test').toEqual(LIMITS);
  });

  it("that share a row are equal", () => {
    expect(limits.SITE_ID_CHARS_MAX).toBe(limits.EVENT_NAME_CHARS_MAX);
    expect(new Set([reports.GOAL_ROWS_MAX, reports.PROPERTY_KEYS_MAX, reports.PROPERTY_VALUES_MAX]).size).toBe(1);
  });

  it("are the same wherever else they appear", () => {
    // How far back year_over_year looks is no limit, nor are the days that say what is typical.
    const known = [...Object.values(LIMITS), "365 days", `${HISTORY_DAYS / 7} weeks`, `${TYPICAL_DAYS_MAX} days`].join(" | ");
    const stated = PAGE.match(/\b\d[\d,.]* (?:to \d[\d,]* )?(?:characters|bytes|days|weeks|steps|conditions|seconds)\b/g) ?? [];
    expect(stated.length).toBeGreaterThan(40);
    expect(
      stated.filter((phrase) => !known.includes(phrase)),
      'docs/http-api.md states numbers that are not in its section "Limits"',
    ).toEqual([]);
  });

  it("that are options have the defaults of the options", () => {
    const stated = rowsOf(sectionOf("Limits"), "Option").map(([name = "", value = ""]) => [codesIn(name)[0] ?? name, value]);
    const defaults = stated.map(([name = ""]) => [name, isOptionName(name) ? String(optionNamed(name).default) : `no option ${name}`]);
    expect(stated, 'edit docs/http-api.md, "Limits"').toEqual(defaults);
  });

  it("of screen widths are those that classify devices", () => {
    const [column = [], devices = []] = ["`screen_size`", "`device_type`"].map((name) =>
      rowsOf(sectionOf("Stored values"), "Column").find(([first]) => first === name),
    );
    const widest = Number(/1 to (\d+)/.exec(column[1] ?? "")?.[1]);
    expect([parseScreenWidth(widest), parseScreenWidth(widest + 1)]).toEqual([widest, null]);
    const deviceAt = (width: number) => detectDevice(parseUserAgent(""), NO_CLIENT_HINTS, width).deviceType;
    const [mobileEnd = 0, tabletEnd = 0] = [...(devices[1] ?? "").matchAll(/below (\d+)/g)].map(([, width]) => Number(width));
    expect([mobileEnd - 1, mobileEnd, tabletEnd - 1, tabletEnd].map(deviceAt)).toEqual(["mobile", "tablet", "tablet", "desktop"]);
  });
});
