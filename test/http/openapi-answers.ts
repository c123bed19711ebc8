/** A request for every documented status of each route: those that any host can provoke, and those that need a failing part. */
import { EngineFullError } from "../../src/runtime/duckdb/engine.ts";
import { COUNT_REPORTS_WAITING_MAX } from "../../src/runtime/base/config/report-limits.ts";
import { UNFLUSHED_EVENTS_MAX } from "../../src/runtime/base/config/limits.ts";
import { FURTHER_COLUMNS } from "../../src/runtime/reports/breakdown.ts";
import type { ReportPath } from "../../src/runtime/reports/registry.ts";
import { createMemoryObjectStore } from "../support/memory-object-store.ts";
import { createMemorySegmentLog } from "../support/memory-segment-log.ts";
import { CLOSED, logIn } from "../support/auth-requests.ts";
import { createInProcessTarget, type InProcessParts, type InProcessTarget } from "../support/in-process-target.ts";
import { browserHeaders, getPixel, post, postBody, wireEvent, type RequestHeaders } from "../support/requests.ts";
import { createEngineShare } from "../support/shared-engine.ts";
import type { Ability, Environment, Target, TargetRequest } from "../support/target.ts";
import { GOOGLEBOT } from "../support/user-agents.ts";
import { AUTH_FAILING, AUTH_PROVOKED, LIMITED, UNVERIFIED } from "./openapi-auth-answers.ts";
import { COLLECTION_FAILING, COLLECTION_PROVOKED } from "./openapi-collection-answers.ts";
import { IMPORT_FAILING, IMPORT_PROVOKED } from "./openapi-import-answers.ts";
import { MCP_FAILING, MCP_PROVOKED } from "./openapi-mcp-answers.ts";
import { SITE_EXPORT_FAILING, SITE_EXPORT_PROVOKED } from "./openapi-site-export-answers.ts";
import { CRAWLS_FAILING, CRAWLS_PROVOKED } from "./openapi-crawl-answers.ts";
import { SITE_MOVES_FAILING, SITE_MOVES_PROVOKED } from "./openapi-site-moves-answers.ts";
import { SETTINGS_FAILING, SETTINGS_PROVOKED } from "./openapi-settings-answers.ts";
import { SHARE_FAILING, SHARE_PROVOKED } from "./openapi-share-answers.ts";
import { TAG_FAILING, TAG_PROVOKED } from "./openapi-tag-answers.ts";
import { GUARDED, SERVICE_FAILING, SERVICE_PROVOKED } from "./openapi-service-answers.ts";
import { SCRIPT_PATHS } from "../../src/shared/names.ts";

/** How a route is brought to an answer. */
export interface Provoked {
  /** E.g. `GET /api/stats/breakdown/{dimension}`. */
  readonly id: string;
  readonly status: number;
  /** What is special about it, where a status is provoked more than once. */
  readonly way?: string;
  readonly environment?: Environment;
  readonly needs?: Ability;
  /** `siteId` has the events of `recordEvents`, where the environment lets anybody see them. */
  readonly send: (target: Target, siteId: string) => Promise<Response>;
}

const PAGE: RequestHeaders = { origin: "https://page.test" };

/** Room for one site, and no behavioral extension. */
const SMALL: Environment = { SVC_MAX_SITES: "1", SVC_BEHAVIORAL: "false" };

async function second(send: () => Promise<Response>): Promise<Response> {
  await (await send()).arrayBuffer();
  return send();
}

const POST = "POST /api/event";
const PIXEL = "GET /api/event";
const PREFLIGHT = "OPTIONS /api/event";

const INGEST: readonly Provoked[] = [
  { id: POST, status: 202, send: (target, siteId) => post(target, wireEvent(siteId)) },
  { id: POST, status: 202, way: "from a page", send: (target, siteId) => post(target, wireEvent(siteId), PAGE) },
  { id: POST, status: 202, way: "from a bot", send: (target, siteId) => post(target, wireEvent(siteId), { "user-agent": GOOGLEBOT }) },
  { id: POST, status: 400, send: (target) => postBody(target, "{", PAGE) },
  { id: POST, status: 403, environment: GUARDED, send: (target) => post(target, wireEvent("other.test")) },
  {
    id: POST,
    status: 403,
    way: "beyond max_sites",
    environment: SMALL,
    send: async (target) => (await post(target, wireEvent("one.test"))) && post(target, wireEvent("two.test")),
  },
  { id: POST, status: 413, send: (target) => postBody(target, new Uint8Array(65_537)) },
  { id: POST, status: 422, send: (target) => postBody(target, "{}") },
  { id: POST, status: 429, environment: LIMITED, send: (target) => second(() => post(target, wireEvent("fast.test"))) },
  { id: PIXEL, status: 200, send: (target, siteId) => getPixel(target, { d: siteId, u: "/" }) },
  { id: PIXEL, status: 200, way: "from a page", send: (target, siteId) => getPixel(target, { d: siteId, u: "/" }, PAGE) },
  { id: PIXEL, status: 400, send: (target) => getPixel(target, { d: "", u: "/" }) },
  { id: PIXEL, status: 403, environment: GUARDED, send: (target) => getPixel(target, { d: "other.test", u: "/" }) },
  {
    id: PIXEL,
    status: 403,
    way: "beyond max_sites",
    environment: SMALL,
    send: async (target) => (await post(target, wireEvent("one.test"))) && getPixel(target, { d: "two.test", u: "/" }),
  },
  { id: PIXEL, status: 422, send: (target) => getPixel(target, {}, PAGE) },
  { id: PIXEL, status: 429, environment: LIMITED, send: (target) => second(() => getPixel(target, { d: "fast.test", u: "/" })) },
  { id: PREFLIGHT, status: 204, send: (target) => target.fetch("/api/event", { method: "OPTIONS" }) },
  { id: PREFLIGHT, status: 204, way: "from a page", send: (target) => target.fetch("/api/event", { method: "OPTIONS", headers: PAGE }) },
];

/** A request for a report. */
interface ReportRequest {
  readonly id: string;
  readonly path: string;
  readonly parameters?: string;
}

const aRequest = (name: string, parameters = "", nameInId = name): ReportRequest => ({
  id: `GET /api/stats/${nameInId}`,
  path: `/api/stats/${name}`,
  parameters,
});

const FEED: ReportRequest = { id: "GET /api/feed", path: "/api/feed" };

const SUMMARY: ReportRequest = { id: "GET /api/summary", path: "/api/summary" };

/** A request for each report, and what else answers like one. A report without a row here does not compile. */
const REPORT_REQUESTS: Readonly<Record<ReportPath | "/api/stats/export", ReportRequest>> = {
  "/api/stats/main": aRequest("main"),
  "/api/stats/timeseries": aRequest("timeseries"),
  "/api/stats/breakdown/:dimension": aRequest("breakdown/pages", "", "breakdown/{dimension}"),
  "/api/stats/changes": aRequest("changes"),
  "/api/stats/realtime": aRequest("realtime"),
  "/api/stats/goals": aRequest("goals"),
  "/api/stats/conversions": aRequest("conversions"),
  "/api/stats/properties": aRequest("properties"),
  "/api/stats/property-values": aRequest("property-values", "&key=plan"),
  "/api/stats/revenue": aRequest("revenue"),
  "/api/stats/export": aRequest("export"),
  "/api/stats/sessions": aRequest("sessions"),
  "/api/stats/session-timeseries": aRequest("session-timeseries"),
  "/api/stats/funnel": aRequest("funnel", "&steps=page:/,event:signup"),
  "/api/stats/retention": aRequest("retention"),
  "/api/stats/sequences": aRequest("sequences", "&steps=page:/,event:signup"),
  "/api/stats/flow": aRequest("flow", "&page=/"),
};

const REPORTED: readonly ReportRequest[] = [...Object.values(REPORT_REQUESTS), SUMMARY, FEED];

const ask = (target: Target, { path, parameters = "" }: ReportRequest, siteId: string, init: TargetRequest = {}): Promise<Response> =>
  target.fetch(`${path}?site_id=${siteId}${parameters}`, init);

const ALL_COLUMNS = `${FURTHER_COLUMNS.join(",")},comparison`;

/** Other forms of a report. */
const VARIANTS: readonly ReportRequest[] = [
  aRequest("main", "&compare=previous_period"),
  { ...FEED, parameters: "&every=day&metric=revenue&currency=EUR" },
  { ...SUMMARY, parameters: "&period=7d&compare=year_over_year" },
  aRequest("changes", "&period=7d&compare=previous_period&band=hour"),
  aRequest("changes", "&metric=bounce_rate&dimensions=browsers,visit-sources&limit=1"),
  aRequest("changes", "&metric=conversion_rate&goal=signup&compare=typical"),
  aRequest("changes", "&metric=revenue&currency=EUR&period=7d"),
  aRequest("timeseries", "&period=day"),
  aRequest("timeseries", "&include=events"),
  aRequest("timeseries", "&include=revenue&currency=EUR"),
  aRequest("goals", "&include=comparison"),
  aRequest("revenue", "&include=comparison"),
  aRequest("realtime", "&minutes=30"),
  aRequest("timeseries", "&interval=week"),
  aRequest("timeseries", "&interval=hour&start_date=2026-01-01&end_date=2026-01-31"),
  aRequest("session-timeseries", "&interval=month"),
  aRequest("export", "&format=json"),
  aRequest("export", "&kind=raw"),
  aRequest("export", "&kind=raw&format=json"),
  aRequest("breakdown/entry-pages", "", "breakdown/{dimension}"),
  aRequest("breakdown/events", "&columns=revenue,comparison&currency=EUR&with_total=true", "breakdown/{dimension}"),
  aRequest("breakdown/pages", "&search=/&sort=value:asc&format=csv", "breakdown/{dimension}"),
  aRequest("breakdown/browsers", `&columns=${ALL_COLUMNS}&goal=signup&currency=EUR`, "breakdown/{dimension}"),
  aRequest("properties", "&search=p"),
  aRequest("property-values", "&key=plan&search=p"),
  aRequest("retention", "&weeks=2"),
  aRequest("sequences", "&conditions=page:/&pattern=(?1)."),
  aRequest("flow", "&page=/next&direction=backward"),
  aRequest("flow", "&page=/&repeats=skip&with_ends=true"),
];

/** What there is only with the behavioral extension. */
const BEHAVIORAL: readonly ReportRequest[] = [
  aRequest("breakdown/entry-pages", "", "breakdown/{dimension}"),
  ...REPORTED.filter(({ path }) => /\/(?:sessions|session-timeseries|funnel|retention|sequences|flow)$/.test(path)),
];

const PROGRESS = "GET /api/stats/progress";

const askProgress = (target: Target, siteId: string, init: TargetRequest = {}): Promise<Response> =>
  target.fetch(`/api/stats/progress?site_id=${siteId}&ids=${"0".repeat(22)}`, init);

const DROPPED = "GET /api/stats/dropped";

const BUILT_IN_RULES = "GET /api/rules/built-in";

/** Days without any have no reasons, so a day with one is asked for. */
const askDropped = (target: Target, siteId: string, init: TargetRequest = {}): Promise<Response> =>
  target.fetch(`/api/stats/dropped?site_id=${siteId}&period=day`, init);

const STATS: readonly Provoked[] = [
  {
    id: DROPPED,
    status: 200,
    async send(target, siteId) {
      await post(target, wireEvent(siteId), { "user-agent": GOOGLEBOT });
      return askDropped(target, siteId);
    },
  },
  { id: DROPPED, status: 400, send: (target) => askDropped(target, "") },
  { id: DROPPED, status: 401, environment: CLOSED, send: (target, siteId) => askDropped(target, siteId) },
  { id: DROPPED, status: 403, send: (target, siteId) => askDropped(target, siteId, UNVERIFIED) },
  { id: "GET /api/sites", status: 200, send: (target) => target.fetch("/api/sites") },
  { id: "GET /api/sites", status: 401, environment: CLOSED, send: (target) => target.fetch("/api/sites") },
  { id: "GET /api/sites", status: 403, send: (target) => target.fetch("/api/sites", UNVERIFIED) },
  { id: BUILT_IN_RULES, status: 200, send: (target) => target.fetch("/api/rules/built-in") },
  { id: BUILT_IN_RULES, status: 401, environment: CLOSED, send: (target) => target.fetch("/api/rules/built-in") },
  { id: BUILT_IN_RULES, status: 403, send: (target) => target.fetch("/api/rules/built-in", UNVERIFIED) },
  { id: "GET /api/stats/overview", status: 200, send: (target) => target.fetch("/api/stats/overview") },
  { id: "GET /api/stats/overview", status: 200, way: "of a day", send: (target) => target.fetch("/api/stats/overview?period=day") },
  { id: "GET /api/stats/overview", status: 400, send: (target) => target.fetch("/api/stats/overview?limit=0") },
  { id: "GET /api/stats/overview", status: 401, environment: CLOSED, send: (target) => target.fetch("/api/stats/overview") },
  { id: "GET /api/stats/overview", status: 403, send: (target) => target.fetch("/api/stats/overview", UNVERIFIED) },
  { id: PROGRESS, status: 200, send: (target, siteId) => askProgress(target, siteId) },
  { id: PROGRESS, status: 400, send: (target) => askProgress(target, "") },
  { id: PROGRESS, status: 401, environment: CLOSED, send: (target, siteId) => askProgress(target, siteId) },
  { id: PROGRESS, status: 403, send: (target, siteId) => askProgress(target, siteId, UNVERIFIED) },
  ...REPORTED.flatMap((report): Provoked[] => [
    // Conversions need goals (see `openapi-collection-answers.ts`).
    ...(report.path === "/api/stats/conversions"
      ? []
      : [{ id: report.id, status: 200, send: (target: Target, siteId: string) => ask(target, report, siteId) }]),
    { id: report.id, status: 400, send: (target) => ask(target, report, "") },
    { id: report.id, status: 401, environment: CLOSED, send: (target, siteId) => ask(target, report, siteId) },
    { id: report.id, status: 403, send: (target, siteId) => ask(target, report, siteId, UNVERIFIED) },
  ]),
  ...VARIANTS.map((report): Provoked => ({
    id: report.id,
    status: 200,
    way: String(report.parameters),
    send: (target, siteId) => ask(target, report, siteId),
  })),
  ...BEHAVIORAL.map((report): Provoked => ({
    id: report.id,
    status: 503,
    way: "without the behavioral extension",
    environment: SMALL,
    send: (target, siteId) => ask(target, report, siteId),
  })),
];

const FILE = "GET /assets/{name}";

async function fileOfPage(target: Target): Promise<string> {
  const page = await (await target.fetch("/")).text();
  return /\/assets\/[\w.-]+/.exec(page)?.[0] ?? "";
}

/** Asks with the tag of the answer. */
async function again(target: Target, path: string): Promise<Response> {
  const first = await target.fetch(path);
  await first.arrayBuffer();
  return target.fetch(path, { headers: { "if-none-match": first.headers.get("etag") ?? "" } });
}

const SCRIPT: readonly Provoked[] = [...SCRIPT_PATHS, "/opt-out.js"].map((path) => ({
  id: `GET ${path}`,
  status: 304,
  send: (target) => again(target, path),
}));

const DASHBOARD: readonly Provoked[] = [
  { id: "GET /", status: 200, send: (target) => target.fetch("/") },
  { id: "GET /", status: 304, send: (target) => again(target, "/") },
  { id: FILE, status: 200, send: async (target) => target.fetch(await fileOfPage(target)) },
  { id: FILE, status: 304, send: async (target) => again(target, await fileOfPage(target)) },
  { id: "GET /opt-out", status: 400, send: (target) => target.fetch("/opt-out?lang=it") },
  { id: FILE, status: 404, send: (target) => target.fetch("/assets/nothing.js") },
];

const plain = (path: string): Provoked => ({ id: `GET ${path}`, status: 200, send: (target) => target.fetch(path) });

/** What any host answers. */
export const PROVOKED: readonly Provoked[] = [
  ...INGEST,
  ...TAG_PROVOKED,
  ...STATS,
  ...SCRIPT,
  ...DASHBOARD,
  ...MCP_PROVOKED,
  ...AUTH_PROVOKED,
  ...SETTINGS_PROVOKED,
  ...SHARE_PROVOKED,
  ...COLLECTION_PROVOKED,
  ...IMPORT_PROVOKED,
  ...SITE_EXPORT_PROVOKED,
  ...SITE_MOVES_PROVOKED,
  ...CRAWLS_PROVOKED,
  ...SERVICE_PROVOKED,
  ...[...SCRIPT_PATHS, "/opt-out", "/opt-out.js", "/api/openapi.json", "/health", "/health/ready"].map(plain),
];

/** How a route of the service with a part that fails is brought to an answer. */
export interface Failing {
  readonly id: string;
  readonly status: number;
  readonly provoke: () => Promise<Response>;
}

/** Reports run in the engine, also over days without events. */
const READS_EVENTS = { SVC_ROLLUPS: "false" };

const never = (): Promise<never> => new Promise(() => {});
const fail =
  (error = new Error("broken")) =>
  async (): Promise<never> => {
    throw error;
  };

/** An engine that does this instead of answering. */
const engineThat = async (query: () => Promise<never>): Promise<InProcessParts> => ({
  engine: { ...(await createEngineShare()), query, queryColumns: query },
});

const journalThat = (append: () => Promise<never>): InProcessParts => ({ segmentLog: { ...createMemorySegmentLog(), append } });

const objectsThat = (folders: () => Promise<never>): InProcessParts => ({ objects: { ...createMemoryObjectStore(), folders } });

type Send = (target: Target) => Promise<Response>;

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;

/** Without events, neither reports nor readiness need an engine. */
async function withEvents(target: InProcessTarget): Promise<InProcessTarget> {
  for (const site of ["failing.test", "other.test"]) await post(target, wireEvent(site));
  return target;
}

/** The answer once the time limit has passed, to a request that gets as far as it can before. */
async function afterTheLimit(target: InProcessTarget, send: Send): Promise<Response> {
  const answer = send(target);
  await new Promise((resolve) => setTimeout(resolve, 0));
  await target.advance(target.services.config.requestTimeoutSecs * 1000);
  return answer;
}

type Prepare = (target: InProcessTarget) => InProcessTarget | Promise<InProcessTarget>;

const hanging = (
  id: string,
  parts: () => InProcessParts | Promise<InProcessParts>,
  send: Send,
  prepared: Prepare = (target) => target,
): Failing => ({
  id,
  status: 408,
  provoke: async () => afterTheLimit(await prepared(await createInProcessTarget(READS_EVENTS, await parts())), send),
});

const failing = (
  id: string,
  status: 500 | 503,
  parts: () => InProcessParts | Promise<InProcessParts>,
  send: Send,
  prepared: Prepare = (target) => target,
): Failing => ({
  id,
  status,
  provoke: async () => send(await prepared(await createInProcessTarget(READS_EVENTS, await parts()))),
});

/** A million events would take their time, and it is their number that counts. */
const full = (id: string, send: Send): Failing => ({
  id,
  status: 503,
  async provoke() {
    const target = await createInProcessTarget();
    Object.defineProperty(target.services.eventStore, "unflushedEvents", { value: UNFLUSHED_EVENTS_MAX });
    return send(target);
  },
});

const sendEvent: Send = (target) => post(target, wireEvent("failing.test"));
const sendPixel: Send = (target) => getPixel(target, { d: "failing.test", u: "/" });
const askForSites: Send = (target) => target.fetch("/api/sites", { headers: browserHeaders() });

const askForOverview: Send = (target) => target.fetch("/api/stats/overview", { headers: browserHeaders() });

/** One request holds the only slot. */
const busy = (request: ReportRequest): Failing => ({
  id: request.id,
  status: 429,
  async provoke() {
    const target = await withEvents(
      await createInProcessTarget({ ...READS_EVENTS, SVC_MAX_CONCURRENT_QUERIES: "1" }, await engineThat(never)),
    );
    void ask(target, aRequest("main"), "other.test");
    // Until it has the slot: it has to ask for the extension before.
    await new Promise((resolve) => setTimeout(resolve, 0));
    return ask(target, request, "failing.test");
  },
});

/** A feed reads weeks that are over. */
async function afterTheirWeek(target: InProcessTarget): Promise<InProcessTarget> {
  await withEvents(target);
  await target.advance(WEEK_MS + DAY_MS);
  return target;
}

const reportFailures = (request: ReportRequest, prepared: Prepare = request === FEED ? afterTheirWeek : withEvents): Failing[] => [
  hanging(
    request.id,
    () => engineThat(never),
    (target) => ask(target, request, "failing.test"),
    prepared,
  ),
  busy(request),
  failing(
    request.id,
    500,
    () => engineThat(fail()),
    (target) => ask(target, request, "failing.test"),
    prepared,
  ),
  failing(
    request.id,
    503,
    () => engineThat(fail(new EngineFullError("full"))),
    (target) => ask(target, request, "failing.test"),
    prepared,
  ),
];

/** A service whose counts of dropped events cannot be listed. */
const droppedWith = (list: () => Promise<never>): Promise<InProcessTarget> => {
  const objects = createMemoryObjectStore();
  return createInProcessTarget(
    {},
    { objects: { ...objects, list: (folder) => (folder.startsWith("dropped/") ? list() : objects.list(folder)) } },
  );
};

const DROPPED_FAILING: readonly Failing[] = [
  {
    id: DROPPED,
    status: 408,
    provoke: async () => afterTheLimit(await droppedWith(never), (target) => askDropped(target, "failing.test")),
  },
  {
    id: DROPPED,
    status: 429,
    async provoke() {
      const target = await droppedWith(never);
      for (let i = 0; i <= COUNT_REPORTS_WAITING_MAX; i++) void askDropped(target, "failing.test");
      return askDropped(target, "failing.test");
    },
  },
  { id: DROPPED, status: 500, provoke: async () => askDropped(await droppedWith(fail()), "failing.test") },
];

/** Previews by the owner of a site. */
const PREVIEWS = [
  ["/api/stats/channel-preview", "{}"],
  ["/api/stats/rule-preview", '{"filters":"pages==/"}'],
] as const;

/** A service whose engine does this, and a preview by its owner. */
async function previewWith([path, body]: (typeof PREVIEWS)[number], query: () => Promise<never>, environment: Environment = {}) {
  const target = await withEvents(await createInProcessTarget({ ...READS_EVENTS, ...CLOSED, ...environment }, await engineThat(query)));
  const headers = await logIn(target);
  const send: Send = (asked) => asked.fetch(`${path}?site_id=failing.test`, { method: "POST", headers, body });
  return { target, headers, send };
}

const PREVIEW_FAILING: readonly Failing[] = PREVIEWS.flatMap((preview): Failing[] => {
  const id = `POST ${preview[0]}`;
  return [
    {
      id,
      status: 408,
      async provoke() {
        const { target, send } = await previewWith(preview, never);
        return afterTheLimit(target, send);
      },
    },
    {
      id,
      status: 429,
      async provoke() {
        const { target, headers, send } = await previewWith(preview, never, { SVC_MAX_CONCURRENT_QUERIES: "1" });
        void target.fetch("/api/stats/main?site_id=other.test", { headers });
        await new Promise((resolve) => setTimeout(resolve, 0));
        return send(target);
      },
    },
    {
      id,
      status: 503,
      async provoke() {
        const { target, send } = await previewWith(preview, fail(new EngineFullError("full")));
        return send(target);
      },
    },
  ];
});

/** What it takes the app as a function for. The targets are left as they are: a part that fails cannot be closed in order. */
export const FAILING: readonly Failing[] = [
  ...DROPPED_FAILING,
  hanging(POST, () => journalThat(never), sendEvent),
  failing(POST, 503, () => journalThat(fail()), sendEvent),
  full(POST, sendEvent),
  hanging(PIXEL, () => journalThat(never), sendPixel),
  failing(PIXEL, 503, () => journalThat(fail()), sendPixel),
  full(PIXEL, sendPixel),
  ...TAG_FAILING,
  hanging("GET /api/sites", () => objectsThat(never), askForSites),
  failing("GET /api/sites", 500, () => objectsThat(fail()), askForSites),
  hanging("GET /api/stats/overview", () => objectsThat(never), askForOverview),
  failing("GET /api/stats/overview", 500, () => objectsThat(fail()), askForOverview),
  busy(aRequest("overview")),
  ...REPORTED.flatMap((request) => reportFailures(request)),
  ...PREVIEW_FAILING,
  ...MCP_FAILING,
  ...AUTH_FAILING,
  ...SETTINGS_FAILING,
  ...SHARE_FAILING,
  ...COLLECTION_FAILING,
  ...IMPORT_FAILING,
  ...SITE_EXPORT_FAILING,
  ...SITE_MOVES_FAILING,
  ...CRAWLS_FAILING,
  ...SERVICE_FAILING,
  hanging(
    "GET /health/detailed",
    async () => ({ engine: { ...(await createEngineShare()), behavioralFailure: never } }),
    (target) => target.fetch("/health/detailed"),
  ),
  hanging(
    "GET /health/ready",
    () => engineThat(never),
    (target) => target.fetch("/health/ready"),
    withEvents,
  ),
  failing(
    "GET /health/ready",
    503,
    () => engineThat(fail()),
    (target) => target.fetch("/health/ready"),
    withEvents,
  ),
];
