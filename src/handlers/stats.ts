/** The Stats API: sites, overview, reports and exports (docs/http-api.md, "Stats API"). */
import { mayRead, NOBODY, principalOf } from "../runtime/access/principal.ts";
import type { SharedView } from "../runtime/access/shares.ts";
import type { Reader } from "../runtime/query/scope.ts";
import { lensReaderOf } from "../runtime/service/lens-reader.ts";
import {
  RESPONSE_BYTES_PER_SECOND_MIN,
  GUEST_BYTES_PER_SECOND_MIN,
  GUEST_BYTES_PER_SECOND_MIN_WANTED,
} from "../runtime/base/config/limits.ts";
import {
  OVERVIEW_TIME_SHARE,
  EXPORT_ROWS_DEFAULT,
  PROGRESS_ID_CHARS_MAX,
  PROGRESS_ID_CHARS_MIN,
  PROGRESS_IDS_MAX,
} from "../runtime/base/config/report-limits.ts";
import { AppError, invalidInput } from "../runtime/base/errors.ts";
import { rangeOfAll, rangeOfDays } from "../runtime/query/date-range.ts";
import type { Condition } from "../runtime/query/filters.ts";
import { reference, text, type Schema, boolean, closed, count, list, orNull } from "../runtime/base/json-schema.ts";
import { optionalOneOf, oneOf, required, rowLimit } from "../runtime/query/parameters.ts";
import { answerOf as coveredAnswer, COVERAGE } from "../runtime/query/coverage.ts";
import { checkSite, SCOPE_PARAMETERS, scopeOf } from "../runtime/query/scope.ts";
import { DAILY_EXPORT } from "../runtime/reports/exports/daily-export.ts";
import { ATTRIBUTION, EXPORTED_VISIT_COLUMNS } from "../runtime/reports/measures/visits.ts";
import { RAW_EXPORT } from "../runtime/reports/exports/raw-export.ts";
import { OVERVIEW_PARAMETERS, OVERVIEW } from "../runtime/reports/overview/overview.ts";
import { REPORTS, type ReportPath } from "../runtime/reports/registry.ts";
import { BOM_PARAMETER } from "../runtime/reports/exports/formats.ts";
import { EXPORT, FIRST_DAY, FORMATS, queryOf, STORED_FIRST_DAY } from "../runtime/reports/queries.ts";
import type { PreparedReport, Report } from "../runtime/reports/report.ts";
import type { ReportQuery } from "../runtime/query/query-engine.ts";
import type { Sites } from "../runtime/sites/sites.ts";
import { type EpochMs, type LocalDate, type SiteId, utcDateOf } from "../storage/event.ts";
import { askerOf, exporterOf, stillShown } from "./access.ts";
import { COVERED, NOT_STORED, TIME_ZONE, FILE_NAME } from "./openapi/headers.ts";
import {
  answer,
  TOO_MANY_VIEWS,
  documented,
  SCOPE,
  PROGRESS_ID_HEADER,
  SITE,
  UNDATED_SCOPE,
  type Operation,
  type Answer,
  type Operations,
} from "./openapi/operation.ts";
import { coverageHeaders, fileReply, jsonReply, jsonTextReply, Query, timeZoneHeaders } from "./http.ts";
import type { StreamSource } from "./response-streams.ts";
import { shownSettings } from "./site-settings.ts";
import type { Context, Handler } from "./route.ts";
import { BOM } from "../shared/csv.ts";
import { PRODUCT_NAME } from "../shared/names.ts";
import { EXPORT_ROWS_MAX } from "../shared/limits.ts";
import { CARDS, WEEK_STARTS } from "../shared/site-choices.ts";

type FirstDayContext = Pick<Context, "services" | "reader" | "deadline">;

/** A date up to `cache_ttl_secs` old. Rejects as reports do. */
async function cachedDay(query: ReportQuery, context: FirstDayContext): Promise<LocalDate | null> {
  const { siteId, range, conditions, arrivalRules } = query.scope;
  const key = { report: query.name, siteId, parameters: [range.firstDay, range.lastDay, conditions, arrivalRules] };
  return JSON.parse(await context.services.stats.cached(key, query, askerOf(context))) as LocalDate | null;
}

/** Any range: the query reads all events. */
const NO_RANGE = rangeOfDays(utcDateOf(0), utcDateOf(0));

/**
 * The first date of all events, from the listing of the site. ClickHouse is queried instead: while the server fails, its listing lacks the
 * other nodes' days.
 */
async function firstStoredDay(siteId: SiteId, context: FirstDayContext): Promise<LocalDate | null> {
  const { services, reader } = context;
  if (services.config.engine !== "clickhouse") return (await services.daysOf(siteId))[0] ?? null;
  const moment = { nowMs: reader.nowMs, calendar: reader.calendarOf(siteId) };
  return cachedDay(queryOf(STORED_FIRST_DAY, { siteId, range: NO_RANGE, conditions: [] }, moment), context);
}

/** Runs a query like that of a daily series if there are conditions. */
async function firstDayOf(siteId: SiteId, conditions: readonly Condition[], context: FirstDayContext): Promise<LocalDate | null> {
  const { nowMs, calendarOf, arrivalRulesOf, sessionRules } = context.reader;
  const firstDay = await firstStoredDay(siteId, context);
  if (firstDay === null || conditions.length === 0) return firstDay;
  const calendar = calendarOf(siteId);
  const range = rangeOfAll(firstDay, calendar.dateOf(nowMs));
  const scope = { siteId, range, conditions, shared: { conditions, range: null }, sessionRules, arrivalRules: arrivalRulesOf(siteId) };
  return cachedDay(queryOf(FIRST_DAY, scope, { nowMs, calendar }), context);
}

export function readerOf({ services, nowMs, standing, deadline }: Omit<Context, "reader">, isAgent = false): Reader {
  const { sites, segments } = services;
  const principal = standing === null ? NOBODY : principalOf(standing);
  const reader: Reader = {
    ...lensReaderOf(services),
    principal,
    comesLast: isAgent || principal.view !== null,
    nowMs,
    calendarOf: (siteId) => sites.calendarOf(siteId),
    weekStartOf: (siteId) => sites.settingsOf(siteId).weekStart,
    firstDayOf: (siteId, conditions) => firstDayOf(siteId, conditions, { services, deadline, reader }),
    segmentOf: (siteId, id) => segments.get(siteId, id)?.fields.parameters["filters"] ?? null,
  };
  return reader;
}

const PROGRESS_ID_SHAPE = `[A-Za-z0-9_-]{${PROGRESS_ID_CHARS_MIN},}`;

const PROGRESS_ID = new RegExp(`^[A-Za-z0-9_-]{${PROGRESS_ID_CHARS_MIN},${PROGRESS_ID_CHARS_MAX}}$`);

/** null without one, and for a text that somebody could guess. */
function progressIdOf({ headers }: Request): string | null {
  const id = headers.get("x-progress-id");
  return id !== null && PROGRESS_ID.test(id) ? id : null;
}

const PROGRESS_PARAMETERS = {
  site_id: SCOPE_PARAMETERS.site_id,
  ids: required(
    {
      description: `Up to ${PROGRESS_IDS_MAX} texts that requests were sent with as \`X-Progress-Id\`, joined by commas.`,
      schema: text(
        `Separated by commas. Each has at most ${PROGRESS_ID_CHARS_MAX} characters. Bounds of numbers are not in the pattern, which RE2 can compile.`,
        { pattern: `^${PROGRESS_ID_SHAPE}(?:,${PROGRESS_ID_SHAPE})*$` },
      ),
      example: "0123456789abcdefghij_-",
    },
    (value, name) => {
      const ids = value.split(",", PROGRESS_IDS_MAX + 1);
      if (ids.length <= PROGRESS_IDS_MAX && ids.every((id) => PROGRESS_ID.test(id))) return ids;
      throw invalidInput(
        `"${name}" must be up to ${PROGRESS_IDS_MAX} ids, each of ${PROGRESS_ID_CHARS_MIN} to ${PROGRESS_ID_CHARS_MAX} letters, digits, "_" and "-"`,
      );
    },
  ),
};

/** Answers from memory. */
export const getProgress: Handler = (_request, { services, reader, url }) => {
  const { site_id: siteId, ids } = new Query(url).parse(PROGRESS_PARAMETERS);
  checkSite(reader, siteId);
  const reports = services.stats.progressOf(siteId, ids);
  return jsonReply({ reports: reports.map(({ id, days, daysRead, reading }) => ({ id, days, days_read: daysRead, reading })) });
};

/** Cached unless it is of the present. With an id, the reader can ask how far it has come. */
export function resultOf({ query, cacheKey }: PreparedReport, context: Context, id: string | null = null): Promise<string> {
  const { stats } = context.services;
  const asker = askerOf(context);
  return cacheKey ? stats.cached(cacheKey, query, asker, id) : stats.fresh(query, asker);
}

/** Invalid parameters are a 400 even if the required behavioral extension is missing, which is a 503. */
export const reportHandler =
  ({ prepare }: Report): Handler =>
  async (request, context) => {
    const { reader, url, params } = context;
    const given = new Query(url);
    const read = (name: string, from: "query" | "path") => (from === "path" ? (params[name] ?? null) : given.text(name));
    const prepared = await prepare(read, reader);
    const { timeZone, file } = prepared;
    const result = await resultOf(prepared, context, progressIdOf(request));
    if (file) return fileReply(result, file, timeZoneHeaders(timeZone));
    const { json, coverage } = coveredAnswer(result);
    return jsonTextReply(json, 200, { ...timeZoneHeaders(timeZone), ...coverageHeaders(coverage) });
  };

const SITES_PARAMETERS = {
  include: optionalOneOf("What the response has in addition.", ["settings"], "`settings`: what the dashboard needs to show a site."),
};

const shown = (sites: Sites, siteId: SiteId, nowMs: EpochMs) => {
  const { name, isPublic } = sites.settingsOf(siteId);
  return { site_id: siteId, name, ...shownSettings(sites, siteId, nowMs), public: isPublic };
};

export const getSites: Handler = async (_request, { services, nowMs, url, reader: { principal } }) => {
  const { include } = new Query(url).parse(SITES_PARAMETERS);
  const sites = (await services.siteIds()).filter((siteId) => mayRead(principal, siteId));
  return jsonReply(include === null ? { sites } : { sites, settings: sites.map((siteId) => shown(services.sites, siteId, nowMs)) });
};

export const getOverview: Handler = async (_request, { services, reader, url, beganMs, deadline }) => {
  const values = new Query(url).parse(OVERVIEW_PARAMETERS);
  const untilMs = beganMs + services.config.requestTimeoutSecs * 1000 * OVERVIEW_TIME_SHARE;
  return jsonReply(await services.overview.of({ reader, values, untilMs, signal: deadline.signal }));
};

const ratesOf = (isGuest: boolean, wantedSinceMs: () => number | null): Pick<StreamSource, "bytesPerSecondMin" | "whileWanted"> =>
  isGuest
    ? {
        bytesPerSecondMin: GUEST_BYTES_PER_SECOND_MIN,
        whileWanted: { bytesPerSecondMin: GUEST_BYTES_PER_SECOND_MIN_WANTED, sinceMs: wantedSinceMs },
      }
    : { bytesPerSecondMin: RESPONSE_BYTES_PER_SECOND_MIN };

const EXPORT_PARAMETERS = {
  kind: oneOf("One row for each date, or one for each event.", ["daily", "raw"]),
  format: oneOf("The file format.", ["csv", "json"]),
  bom: BOM_PARAMETER,
  limit: rowLimit("Maximum number of events, the oldest ones; `raw` only.", EXPORT_ROWS_MAX, EXPORT_ROWS_DEFAULT),
  attribution: ATTRIBUTION,
  columns: EXPORTED_VISIT_COLUMNS,
};

/** An object in place of a generator: `return` has to reach the chunks even before the first one is read. */
function afterBom(chunks: StreamSource["chunks"]): StreamSource["chunks"] {
  let isBegun = false;
  return {
    next() {
      if (isBegun) return chunks.next();
      isBegun = true;
      return Promise.resolve({ done: false, value: new TextEncoder().encode(BOM) });
    },
    return: () => chunks.return?.() ?? Promise.resolve({ done: true, value: undefined }),
  };
}

const RAW_NOT_SHOWN = "Single events are not shared, but their daily totals are: use kind=daily";

export const getExport: Handler = async (request, context) => {
  const { services, reader, url, deadline, streams } = context;
  const given = new Query(url);
  const scope = await scopeOf(given.parse(SCOPE_PARAMETERS), reader);
  const { bom, ...values } = given.parse(EXPORT_PARAMETERS);
  const format = FORMATS[values.format];
  const isShown = ({ hasRawExport }: SharedView): boolean => values.kind === "daily" || hasRawExport;
  if (reader.principal.view !== null && !isShown(reader.principal.view)) throw new AppError({ code: "forbidden" }, RAW_NOT_SHOWN);
  const asker = askerOf(context);
  const calendar = reader.calendarOf(scope.siteId);
  const query = queryOf(EXPORT, scope, { nowMs: reader.nowMs, calendar }, { ...values, hasEvidence: reader.principal.view === null });
  const { chunks, wantedSinceMs, release } = await services.stats.held(query, asker, exporterOf(request, context));
  const timeZone = calendar.zoneAt(reader.nowMs);
  const name = `${PRODUCT_NAME.toLowerCase()}-${values.kind}-${scope.range.firstDay}.${format.extension}`;
  const body = streams.open({
    ...{
      chunks: bom === "true" && values.format === "csv" ? afterBom(chunks) : chunks,
      onEnd: release,
      signal: deadline.signal,
      isAllowed: stillShown(request, context, isShown),
    },
    ...ratesOf(asker.isGuest, wantedSinceMs),
  });
  return fileReply(body, { name, contentType: format.contentType }, timeZoneHeaders(timeZone));
};

// Description in the OpenAPI document

const SITES_REFUSALS = {
  request_timeout: "The result was not computed within the time limit.",
  internal: "An unexpected error, not caused by the request.",
} as const;

const OVERVIEW_REFUSALS = {
  ...SITES_REFUSALS,
  invalid_input: "A parameter is missing, invalid, or given more than once.",
  too_many_requests: `The maximum number of stats queries is running. Or: ${TOO_MANY_VIEWS}`,
} as const;

export const STATS_REFUSALS = {
  ...OVERVIEW_REFUSALS,
  unavailable: "The query engine has too little memory for the range at the moment.",
} as const;

const EXTENSION_MISSING = { extension_missing: "The required behavioral extension is not loaded." } as const;

const CSV = text(
  "A header line of column names and a line for each row, with the columns of the JSON form. Values are quoted; " +
    "those that a spreadsheet could read as a formula begin with an apostrophe.",
);

function answerOf({ result, hasFile }: Report): Answer {
  const [first = {}, ...others] = [result.name, ...Object.keys(result.forms ?? {})].map((name) => reference(name));
  const json = answer("The report.", others.length === 0 ? first : { anyOf: [first, ...others] }, {
    ...NOT_STORED,
    ...TIME_ZONE,
    ...COVERED,
  });
  if (!hasFile) return json;
  return {
    ...json,
    headers: { ...json.headers, "Content-Disposition": FILE_NAME },
    content: { ...json.content, "text/csv": { schema: CSV } },
  };
}

function operationOf(report: Report): Operation {
  const { operationId, summary, description, hasDates, parameters, mayNeedExtension, refusals } = report;
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    // A report's own declaration of a common parameter takes its place.
    parameters: [
      ...(hasDates ? SCOPE : UNDATED_SCOPE).filter(({ name }) => !Object.hasOwn(parameters, name)),
      ...documented(parameters),
      ...(hasDates ? [PROGRESS_ID_HEADER] : []),
    ],
    answers: { 200: answerOf(report) },
    refusals: { ...STATS_REFUSALS, ...(mayNeedExtension && EXTENSION_MISSING), ...refusals },
  };
}

const REPORT_OPERATIONS = Object.fromEntries(REPORTS.map((report: Report) => [`GET ${report.path}`, operationOf(report)])) as Readonly<
  Record<`GET ${ReportPath}`, Operation>
>;

/** A list has no place for a coverage: it is in the header only. */
const covered = (schema: Schema): Schema =>
  schema.type === "object" ? { ...schema, properties: { ...schema.properties, coverage: reference("Coverage") } } : schema;

const REPORT_SCHEMAS: Readonly<Record<string, Schema>> = Object.fromEntries(
  REPORTS.flatMap(({ result }: Report) => [
    ...Object.entries({ [result.name]: result.schema, ...result.forms }).map(([name, schema]) => [name, covered(schema)] as const),
    ...Object.entries(result.components ?? {}),
  ]),
);

const SCHEMAS = {
  Sites: closed(
    {
      sites: list("In ascending order.", text("A site id.")),
      settings: list(
        "In the same order. Only with `include=settings`.",
        closed({
          site_id: text("The site."),
          name: orNull(text("What the dashboard calls the site; null for its id.")),
          time_zone: text("IANA name of the zone of the current day."),
          today: text("The site's current date.", { format: "date" }),
          week_start: text("The first day of a week.", { enum: WEEK_STARTS }),
          hidden_cards: list("Cards that the dashboard does not show.", text("A card.", { enum: CARDS })),
          public: boolean("Whether everyone may read the site's statistics."),
        }),
      ),
    },
    { optional: ["settings"] },
  ),
  Overview: OVERVIEW,
  Progress: closed({
    reports: list(
      "The requests that are under way and read events, in the order of `ids`.",
      closed({
        id: text("The `X-Progress-Id` of the request."),
        days: count("Days that it asks for. Grows when the days of a comparison are begun."),
        days_read: count("Days whose events need not be read any more."),
        reading: orNull(text("The first date with events of the part that is being read; null if none is yet.", { format: "date" })),
      }),
      { maxItems: PROGRESS_IDS_MAX },
    ),
  }),
  DailyExport: DAILY_EXPORT,
  RawExport: RAW_EXPORT,
};

const OPERATIONS = {
  "GET /api/sites": {
    operationId: "getSites",
    summary: "All sites with events, with settings or in `site_ids`",
    parameters: documented(SITES_PARAMETERS),
    answers: { 200: answer("The site ids.", "Sites") },
    refusals: { ...SITES_REFUSALS, invalid_input: "`include` is none of its values." },
  },
  "GET /api/stats/overview": {
    operationId: "getOverview",
    summary: "Visitors of all sites",
    parameters: documented(OVERVIEW_PARAMETERS),
    answers: { 200: answer("The sites that the caller may read.", "Overview") },
    refusals: OVERVIEW_REFUSALS,
  },
  "GET /api/stats/progress": {
    operationId: "getProgress",
    summary: "How far reports have come that are being computed",
    parameters: [SITE, ...documented({ ids: PROGRESS_PARAMETERS.ids })],
    answers: { 200: answer("The progress.", "Progress") },
    refusals: { invalid_input: "A parameter is missing or invalid." },
  },
  "GET /api/stats/export": {
    operationId: "getExport",
    summary: "Export of dates or events",
    parameters: [...SCOPE, ...documented(EXPORT_PARAMETERS)],
    answers: {
      200: {
        description: "The file.",
        headers: { ...NOT_STORED, ...TIME_ZONE, "Content-Disposition": { ...FILE_NAME, required: true } },
        content: {
          "text/csv": { schema: CSV },
          "application/json": { schema: { anyOf: [reference("DailyExport"), reference("RawExport")] } },
        },
      },
    },
    refusals: {
      ...STATS_REFUSALS,
      invalid_input: `${STATS_REFUSALS.invalid_input} Or the export exceeds the memory of exports.`,
      unavailable: `${STATS_REFUSALS.unavailable} Or other exports take the memory of exports.`,
    },
  },
} satisfies Operations;

export const STATS_API = {
  tag: "Statistics",
  schemas: { ...SCHEMAS, ...REPORT_SCHEMAS, Coverage: COVERAGE },
  operations: { ...OPERATIONS, ...REPORT_OPERATIONS },
} as const;
