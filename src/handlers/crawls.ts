/** POST /api/crawls and GET /api/stats/crawls: what AI crawlers read, as servers and edges report it (docs/bots.md, "What AI crawlers read"). */
import { AI_CRAWLERS, assistantsOf, PURPOSES } from "../runtime/bots/ai-crawlers.ts";
import { type CrawlerRow, type CrawlReport, crawlReport } from "../runtime/bots/crawl-report.ts";
import type { CrawlRequest, Crawls } from "../runtime/bots/crawls.ts";
import { Body, field, integerField, isObject, required, textField } from "../runtime/base/body.ts";
import {
  CRAWL_BATCH_ID_CHARS_MAX,
  CRAWL_BODY_BYTES_MAX,
  CRAWL_REQUESTS_MAX,
  URL_CHARS_MAX,
  USER_AGENT_CHARS_MAX,
} from "../runtime/base/config/limits.ts";
import { BREAKDOWN_ROWS_DEFAULT } from "../runtime/base/config/report-limits.ts";
import { AppError, invalidInput, refusedValue, storageUnavailable } from "../runtime/base/errors.ts";
import { instantOf } from "../runtime/base/instant.ts";
import { isAddress } from "../runtime/base/ip-network.ts";
import { closed, count, list, nullable, orNull, reference, text, word, type Schema } from "../runtime/base/json-schema.ts";
import { answerOf as coveredAnswer } from "../runtime/query/coverage.ts";
import { datesOf } from "../runtime/query/date-range.ts";
import { rowLimit } from "../runtime/query/parameters.ts";
import { SCOPE_PARAMETERS, scopeOf } from "../runtime/query/scope.ts";
import { breakdown } from "../runtime/reports/breakdown.ts";
import { filterOf, printFilter } from "../shared/filters.ts";
import { BREAKDOWN_ROWS_MAX, LONG_RANGE_DAYS_MAX } from "../shared/limits.ts";
import { cutToChars } from "../shared/text.ts";
import type { JsonObject } from "../storage/record-store.ts";
import { inCountQueue } from "./count-queue.ts";
import { coverageHeaders, jsonReply, Query, readJson, timeZoneHeaders } from "./http.ts";
import { administeredSite, readSite } from "./items.ts";
import { COVERED, NOT_STORED, TIME_ZONE } from "./openapi/headers.ts";
import { answer, BODY_REFUSALS, documented, jsonBody, SITE, TOO_MANY_VIEWS, type Operations } from "./openapi/operation.ts";
import type { Context, Handler } from "./route.ts";
import { resultOf } from "./stats.ts";

function crawlsOf({ services: { crawls } }: Context): Crawls {
  if (crawls === null) throw new Error("this instance counts no crawlers");
  return crawls;
}

// Batches

/** Who sends a request to a server chooses its texts: none of them spoils the batch. */
const REQUEST = new Body({
  user_agent: textField(orNull(text(`The first ${USER_AGENT_CHARS_MAX} characters count. Not stored.`)), (sent) =>
    cutToChars(sent, USER_AGENT_CHARS_MAX),
  ),
  path: required(
    textField(text(`The path or the whole URL, of which no parameters are stored. The first ${URL_CHARS_MAX} characters count.`), (sent) =>
      cutToChars(sent, URL_CHARS_MAX),
    ),
  ),
  status: integerField(orNull(count("The status of the response; null if it is not known.", { maximum: 999 }))),
  ip: textField(
    orNull(
      text(
        "The address of the connection, not one that a header has. Compared with `crawler_addresses`, and not stored. Other texts verify nothing.",
      ),
    ),
    (sent) => (isAddress(sent) ? sent : null),
  ),
  time: required(
    textField(text("When it was answered, with an offset from UTC.", { format: "date-time" }), (sent, name) => {
      const atMs = instantOf(sent);
      if (Number.isNaN(atMs)) throw refusedValue(`Field "${name}"`, "a time such as 2026-03-15T12:00:00Z", sent);
      return atMs;
    }),
  ),
});

function requestIn(sent: JsonObject, i: number): CrawlRequest {
  const { user_agent: userAgent, path, status, ip, time } = REQUEST.parse(sent, `requests[${i}].`);
  return { userAgent: userAgent ?? "", path, status, address: ip, atMs: time };
}

const BATCH = new Body({
  batch_id: textField(
    orNull(
      text(
        "Another one for each batch. A batch whose id has come before is not counted again. By default, a hash of `requests` without `ip`.",
        {
          minLength: 1,
          maxLength: CRAWL_BATCH_ID_CHARS_MAX,
        },
      ),
    ),
  ),
  requests: required(
    field(
      list("Requests that a server has answered, in any order.", reference("CrawlRequest"), { minItems: 1, maxItems: CRAWL_REQUESTS_MAX }),
      "an array of objects",
      (value) => (Array.isArray(value) && value.every(isObject) ? value : undefined),
      (sent: readonly JsonObject[]) => {
        if (sent.length >= 1 && sent.length <= CRAWL_REQUESTS_MAX) return sent.map(requestIn);
        throw invalidInput(`Field "requests" must have 1 to ${CRAWL_REQUESTS_MAX} requests`);
      },
    ),
  ),
});

export const postCrawls: Handler = async (request, context) => {
  const siteId = administeredSite(context);
  const { batch_id: id, requests } = BATCH.parse(await readJson(request, CRAWL_BODY_BYTES_MAX));
  const { counted, repeated, unknown, outOfRange } = await crawlsOf(context)
    .add(siteId, { id, requests })
    .catch((error: unknown) => {
      if (error instanceof AppError) throw error;
      throw storageUnavailable("The requests could not be stored. Send the batch again, with the same batch_id.", error);
    });
  return jsonReply({ counted, repeated, ignored: { unknown, out_of_range: outOfRange } });
};

// Report

const { site_id: SITE_ID, period, start_date, end_date, interval } = SCOPE_PARAMETERS;

const DATES = { site_id: SITE_ID, period, start_date, end_date, interval };

const PARAMETERS = { ...DATES, limit: rowLimit("Rows of `paths`.", BREAKDOWN_ROWS_MAX, BREAKDOWN_ROWS_DEFAULT) };

const OPERATORS = [...new Set(AI_CRAWLERS.map(({ operator }) => operator))];

const ALL_ASSISTANTS = OPERATORS.flatMap(assistantsOf);

interface SessionsRow {
  readonly value: string;
  readonly sessions: number;
}

/** Sessions by value of a dimension, most first; of visits from these sources only, if some are given. */
async function sessionsBy(dimension: string, sources: readonly string[] | null, context: Context) {
  const given = new Query(context.url);
  const values: Readonly<Record<string, string>> = {
    dimension,
    columns: "sessions",
    sort: "sessions:desc",
    limit: String(BREAKDOWN_ROWS_MAX),
    ...(sources && { filters: printFilter(filterOf("visit-sources", "in", false, sources)) }),
  };
  const prepared = await breakdown.prepare(
    (name) => values[name] ?? (Object.hasOwn(DATES, name) ? given.text(name) : null),
    context.reader,
  );
  const { json, coverage } = coveredAnswer(await resultOf(prepared, context));
  return { rows: JSON.parse(json) as readonly SessionsRow[], coverage };
}

type Visits = ReadonlyMap<string, number>;

const visitsIn = (rows: readonly SessionsRow[]): Visits => new Map(rows.map(({ value, sessions }) => [value, sessions]));

/** Visits by assistant; null without the behavioral extension. Rollups have those of all sources, of which a report shows the most frequent. */
async function visitsByAssistant(context: Context) {
  try {
    const all = await sessionsBy("visit-sources", null, context);
    const { rows, coverage } = all.rows.length < BREAKDOWN_ROWS_MAX ? all : await sessionsBy("visit-sources", ALL_ASSISTANTS, context);
    return { visits: visitsIn(rows), coverage };
  } catch (error) {
    if (error instanceof AppError && error.failure.code === "extension_missing") return { visits: null, coverage: null };
    throw error;
  }
}

const visitsOf = (operator: string, visits: Visits): number =>
  assistantsOf(operator).reduce((sum, name) => sum + (visits.get(name) ?? 0), 0);

/** The visits from an operator's assistants that began at a page; null for one that is not among the most frequent ones. */
type VisitsOfPage = (path: string) => number | null;

/** A query for each operator that has sent visits: few have. */
async function visitsByPage(visits: Visits, context: Context): Promise<ReadonlyMap<string, VisitsOfPage>> {
  const found = new Map<string, VisitsOfPage>();
  for (const operator of OPERATORS.filter((each) => visitsOf(each, visits) > 0)) {
    const { rows } = await sessionsBy("entry-pages", assistantsOf(operator), context);
    const ofPages = visitsIn(rows);
    found.set(operator, (path) => ofPages.get(path) ?? (rows.length < BREAKDOWN_ROWS_MAX ? 0 : null));
  }
  return found;
}

/** Its rows, with what each operator's assistants have sent to the page. */
function pageRows({ paths }: CrawlReport, visits: Visits | null, byPage: ReadonlyMap<string, VisitsOfPage>) {
  return paths.rows.map(({ operators, ...page }) => {
    const visitsHere = (operator: string): number | null => {
      if (visits === null || assistantsOf(operator).length === 0) return null;
      return byPage.has(operator) ? (byPage.get(operator)?.(page.path) ?? null) : 0;
    };
    const readers = operators.map((row) => ({ ...row, visits: visitsHere(row.operator) }));
    const others = OPERATORS.filter((each) => !operators.some(({ operator }) => operator === each))
      .map((operator) => ({ operator, reads: 0, statuses: [], visits: visitsHere(operator) }))
      .filter((row) => (row.visits ?? 0) > 0);
    return { ...page, operators: [...readers, ...others] };
  });
}

function operatorRows(crawlers: readonly CrawlerRow[], visits: Visits | null) {
  const rows = OPERATORS.map((operator) => {
    const reads = crawlers.filter((crawler) => crawler.operator === operator).reduce((sum, crawler) => sum + crawler.reads, 0);
    const assistants = assistantsOf(operator);
    return { operator, reads, assistants, visits: visits === null || assistants.length === 0 ? null : visitsOf(operator, visits) };
  });
  return rows
    .filter((row) => row.reads > 0 || (row.visits ?? 0) > 0)
    .sort((a, b) => b.reads - a.reads || (a.operator < b.operator ? -1 : 1));
}

export const getCrawls: Handler = async (_request, context) => {
  const { services, reader, url, deadline } = context;
  readSite(context);
  const { limit, ...asked } = new Query(url).parse(PARAMETERS);
  const { siteId, range } = await scopeOf({ ...asked, filters: [], segment: null, lens: "default" }, reader);
  const { signal } = deadline;
  const { counts } = crawlsOf(context);
  const report = await inCountQueue(services, () => crawlReport(counts, { siteId, dates: datesOf(range), limit, signal }), signal);
  const { visits, coverage } = await visitsByAssistant(context);
  const hasPages = visits !== null && report.paths.rows.length > 0;
  const rows = pageRows(report, visits, hasPages ? await visitsByPage(visits, context) : new Map());
  const timeZone = reader.calendarOf(siteId).zoneAt(reader.nowMs);
  const dates = { start_date: range.firstDay, end_date: range.lastDay };
  const headers = { ...timeZoneHeaders(timeZone), ...coverageHeaders(coverage) };
  const paths = { ...report.paths, rows };
  return jsonReply({ ...dates, ...report, paths, operators: operatorRows(report.crawlers, visits) }, 200, headers);
};

// Description in the OpenAPI document

const READS = count("Requests, whatever the status of their responses.");
const STATUSES = list(
  "Most reads first.",
  closed({ status: orNull(count("The status; null for responses whose status was not reported.")), reads: READS }),
);
const NAME = text("A name of the list of AI crawlers.");

const SCHEMAS = {
  CrawlRequest: REQUEST.schema,
  CrawlBatch: BATCH.schema,
  CrawlsCounted: closed({
    counted: count("Requests that are counted now. They are stored."),
    repeated: count("Requests that were counted before, when the batch came before."),
    ignored: closed({
      unknown: count("Requests of no AI crawler of the list."),
      out_of_range: count("Requests of AI crawlers that are too old, or of the future."),
    }),
  }),
  Crawls: closed({
    start_date: text("The first date.", { format: "date" }),
    end_date: text("The last date.", { format: "date" }),
    reads: count("All requests of AI crawlers on the dates that were reported."),
    days: list("Every date, oldest first.", closed({ date: text("The date.", { format: "date" }), reads: READS }), {
      maxItems: LONG_RANGE_DAYS_MAX,
    }),
    crawlers: list(
      "Every crawler with reads, most reads first.",
      closed({
        name: NAME,
        operator: orNull(text("The company that runs it.")),
        purpose: nullable(word("What it reads pages for.", PURPOSES)),
        verified: {
          type: "boolean",
          description:
            "Whether all reads came from addresses of the operator, by the lists of `crawler_addresses`. A `User-Agent` is a claim.",
        } satisfies Schema<boolean>,
        verified_reads: count("Those that did."),
        reads: READS,
        statuses: STATUSES,
      }),
    ),
    paths: closed({
      rows: list(
        "Most reads first.",
        closed({
          path: text("The path, without parameters."),
          reads: READS,
          statuses: STATUSES,
          missed_max: count("How many more there may be of this path, in `rest`."),
          crawlers: list("Most reads first.", closed({ name: NAME, reads: READS })),
          operators: list(
            "Every operator whose crawlers read the page, or whose assistants sent visits to it, most reads first.",
            closed({
              operator: text("A company."),
              reads: READS,
              statuses: STATUSES,
              visits: orNull(
                count(
                  "Sessions from its assistants that began at this page. Null as for `operators` below, and for a page that is not among " +
                    `the ${BREAKDOWN_ROWS_MAX} with the most of them.`,
                ),
              ),
            }),
          ),
        }),
        { maxItems: BREAKDOWN_ROWS_MAX },
      ),
      rest: count("Reads that are in no row."),
      missed_max: count("How many in `rest` may be of one path for which no row is kept."),
    }),
    operators: list(
      "Every operator with reads or visits, most reads first.",
      closed({
        operator: text("A company."),
        reads: READS,
        assistants: list("Sources of visits by which people come from its assistants.", text("A named source.")),
        visits: orNull(
          count("Sessions that began with one of them. Null for an operator without any, and without the behavioral extension."),
        ),
      }),
    ),
  }),
};

const OPERATIONS = {
  "POST /api/crawls": {
    operationId: "postCrawls",
    summary: "Counts requests that a server or an edge has answered, if they are of AI crawlers",
    description: "Requests of others are ignored. Answered when all that counts is stored. Each batch counts once.",
    parameters: [SITE],
    requestBody: jsonBody("CrawlBatch", CRAWL_BODY_BYTES_MAX),
    answers: { 200: answer("What became of the requests.", "CrawlsCounted") },
    refusals: {
      ...BODY_REFUSALS,
      body_too_large: `The body is longer than ${CRAWL_BODY_BYTES_MAX} bytes.`,
      invalid_input: "`site_id` is missing or invalid, the body is not JSON, or a field breaks its rule.",
      too_many_requests: "Too many batches wait to be stored.",
      request_timeout: "The batch was not stored within the time limit. It may be stored later: send it again, with the same `batch_id`.",
      unavailable: "Storage could not be read or changed. Send the batch again, with the same `batch_id`.",
    },
  },
  "GET /api/stats/crawls": {
    operationId: "getCrawls",
    summary: "What AI crawlers read, and the visits that came from their operators' assistants",
    description:
      "Of what servers have reported. Totals and all lists but `paths` are exact. Of each day, the most frequent paths are kept.",
    parameters: documented(PARAMETERS),
    answers: { 200: answer("The counts.", "Crawls", { ...NOT_STORED, ...TIME_ZONE, ...COVERED }) },
    refusals: {
      request_timeout: "The counts were not read within the time limit.",
      invalid_input: "A parameter is missing, invalid, or given more than once.",
      too_many_requests: `Too many of these reports wait, or the maximum number of stats queries is running. Or: ${TOO_MANY_VIEWS}`,
      internal: "The counts could not be read.",
      unavailable: "The query engine has too little memory for the range at the moment.",
    },
  },
} satisfies Operations;

export const CRAWLS_API = { tag: "Statistics", schemas: SCHEMAS, operations: OPERATIONS } as const;
