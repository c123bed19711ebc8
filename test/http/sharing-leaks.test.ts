/**
 * What is not shared is in no response (docs/sharing.md). Two sites are filled with values that tell which part of them they are of.
 * Every route is asked with every kind of limited credential, after its owner asked the same; and each report must be, byte for byte,
 * that of a service which never had anything but the shared events.
 */
import { ROUTES } from "../../src/handlers/app.ts";
import type { DescribedRouteId } from "../../src/handlers/openapi.ts";
import { routeIdOf } from "../../src/handlers/router.ts";
import { REPORTS } from "../../src/runtime/reports/registry.ts";
import {
  bodyOf,
  CLOSED,
  createShare,
  deleteShare,
  logIn,
  postKey,
  tokenOf,
  unlock,
  withKey,
  withShare,
  type CreatedKey,
} from "../support/auth-requests.ts";
import { addItem } from "../support/collections.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { newAddress, putSettings, record, wireEvent, type RequestHeaders } from "../support/requests.ts";
import { CHROME_WINDOWS, EDGE_WINDOWS, FIREFOX_LINUX, SAFARI_MAC } from "../support/user-agents.ts";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const RUNS = 80;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const OWN = "own.test";
const OTHER = "other.test";

/** The campaign of the events that a link with a filter shows. */
const FILTER = "utm-campaigns==zzshared-campaign";
/** The events of `early` are before them, and before the week that ends with the last one. */
const DATES = { start_date: "2026-03-10", end_date: "2026-03-12" } as const;
const WEEK = { period: "7d" } as const;
const START_MS = Date.parse("2026-03-05T11:00:00Z");
const EARLY_DAYS = 5;

/** `strict` leaves out visits with a signed event: all events of `out`, and one of each other part. */
const SIGNED_NUMBER = 2;

const LINK_PASSWORD = "open, sesame";

/** Parts of the sites: shared by every link, not by a filter, before the shared dates, and another site. */
type Part = "in" | "out" | "early" | "other";

interface Marks {
  readonly campaign: string;
  readonly currency: string;
  readonly revenue: number;
  readonly address: string;
  readonly userAgent: string;
  /** What tells the part in a response. Values of visitors are only those of visitors who are of no other part. */
  readonly found: RegExp;
}

const MARKS: Readonly<Record<Part, Marks>> = {
  in: { campaign: "zzshared", currency: "EUR", revenue: 11.5, address: "5.9.0.1", userAgent: CHROME_WINDOWS, found: /zzin/i },
  out: {
    campaign: "zzout",
    currency: "USD",
    revenue: 7771.01,
    address: "193.0.6.139",
    userAgent: FIREFOX_LINUX,
    found: /zzout|7771|"NL"|"USD"|"Firefox/i,
  },
  early: {
    campaign: "zzshared",
    currency: "GBP",
    revenue: 6661.01,
    address: "81.2.69.160",
    userAgent: EDGE_WINDOWS,
    found: /zzearly|6661|"GB"|"GBP"|"Edge/i,
  },
  other: {
    campaign: "zzother",
    currency: "JPY",
    revenue: 8881.01,
    address: "1.33.0.1",
    userAgent: SAFARI_MAC,
    found: /zzother|8881|"JP"|"JPY"|"Safari/i,
  },
};

/** Goals of the site, met by events of either part. Their names tell nothing, because viewers see them. */
const GOALS = [
  { name: "visits", page: "/zzin-path-3" },
  { name: "elsewhere", page: "/zzout-path-*" },
  { name: "orders", event: "zzin-event", revenue: true },
  { name: "other orders", event: "zzout-event", revenue: true },
  { name: "plans", event: "zzin-event", property: { key: "plan", value: "zzin-plan" } },
  { name: "other plans", event: "zzout-event", property: { key: "plan", value: "zzout-plan" } },
] as const;

const environment = { ...CLOSED, SVC_TRUST_PROXY: "1", SVC_CACHE_TTL_SECS: "3600", SVC_VISITOR_SALT_ROTATION_DAYS: "7" };

/** An event whose every column tells its part. The visitor is the part's own, or the one who visits all parts. */
function eventOf(part: Part, number: number, name = "pageview") {
  const { campaign, currency, revenue } = MARKS[part];
  const tags = ["source", "medium", "content", "term"].map((tag) => `utm_${tag}=zz${part}-${tag}`).join("&");
  return wireEvent(part === "other" ? OTHER : OWN, {
    n: name,
    u: `https://zz${part}-host.test/zz${part}-path-${number}?utm_campaign=${campaign}-campaign&${tags}`,
    r: `https://zz${part}-referrer.test/zz${part}`,
    p: JSON.stringify({ [`zz${part}-key`]: `zz${part}-value`, plan: `zz${part}-plan` }),
    ...(name !== "pageview" && { ra: revenue, rc: currency }),
  });
}

/** Fills a service with these parts, always at the same times, and makes rollups of the past days. */
async function fill(target: InProcessTarget, parts: readonly Part[]): Promise<void> {
  const send = async (part: Part, number: number, name?: string, by: Part | "mixed" = part) => {
    const { address, userAgent } = by === "mixed" ? { address: "5.9.0.2", userAgent: CHROME_WINDOWS } : MARKS[by];
    const isSigned = part === "out" || number === SIGNED_NUMBER;
    const headers = { "x-forwarded-for": address, "user-agent": userAgent, ...(isSigned && { "signature-agent": '"https://agent.test"' }) };
    if (parts.includes(part)) await record(target, eventOf(part, number, name), headers);
  };
  const visit = async () => {
    for (const part of ["in", "out", "other"] as const) {
      await send(part, 1);
      await target.advance(MINUTE_MS);
      await send(part, 2, `zz${part}-event`);
    }
    // One visitor's session begins and ends outside of what a filter shows, and has a conversion between.
    for (const [part, number] of [
      ["out", 3],
      ["in", 3],
      ["out", 4],
      ["in", 4],
      ["out", 5],
    ] as const) {
      await target.advance(MINUTE_MS);
      await send(part, number, undefined, "mixed");
    }
    await send("in", 5, "zzin-event", "mixed");
    await send("out", 6, undefined, "mixed");
  };
  await send("early", 1);
  await send("early", 2, "zzearly-event");
  await send("early", 3, undefined, "mixed");
  await target.advance(EARLY_DAYS * DAY_MS);
  for (let day = 0; day < 3; day++) {
    await visit();
    if (day < 2) await target.advance(DAY_MS - 11 * MINUTE_MS);
  }
  await target.flush();
  await target.services.rollups.settled();
  await target.advance(1000);
  await target.services.settled();
}

interface Limited {
  readonly headers: RequestHeaders;
  /** Parts that it may see. None: every route refuses it. */
  readonly sees: readonly Part[];
  /** Those of reports that ask for none; absent if they are the defaults. */
  readonly dates?: Readonly<Record<string, string>>;
  readonly isKey?: true;
}

async function limitedOf(target: InProcessTarget): Promise<Readonly<Record<string, Limited>>> {
  const session = { ...(await logIn(target)), ...newAddress() };
  const share = async (fields: object): Promise<RequestHeaders> =>
    withShare((await createShare(target, session, { site_id: OWN, ...fields })).token);
  const key = async (scope: string): Promise<RequestHeaders> =>
    withKey((await bodyOf<CreatedKey>(await postKey(target, session, { name: "own", scope, sites: [OWN] }), 201)).key);
  const viewerOf = async (token: string): Promise<RequestHeaders> =>
    withShare(await tokenOf(await unlock(target, token, LINK_PASSWORD, newAddress())));
  const unlocked = await createShare(target, session, { site_id: OWN, filters: FILTER, password: LINK_PASSWORD });
  const revoked = await createShare(target, session, { site_id: OWN, password: LINK_PASSWORD });
  const viewerOfRevoked = await viewerOf(revoked.token);
  await deleteShare(target, session, revoked.share_hash);
  const expired = await share({ expires_at: new Date(target.nowMs() + 1000).toISOString() });
  await target.advance(1000);
  await bodyOf(await putSettings(target, OWN, { public: true }, session));
  const own = ["in", "out", "early"] as const;
  return {
    "a plain link": { headers: await share({}), sees: own },
    "a link with a filter": { headers: await share({ filters: FILTER }), sees: ["in", "early"] },
    "a link with dates": { headers: await share(DATES), sees: ["in", "out"], dates: DATES },
    "a link with filter and dates": { headers: await share({ filters: FILTER, ...DATES }), sees: ["in"], dates: DATES },
    "a link with a period": { headers: await share(WEEK), sees: ["in", "out"], dates: WEEK },
    "a link with filter and period": { headers: await share({ filters: FILTER, ...WEEK }), sees: ["in"], dates: WEEK },
    "a link with a password": { headers: withShare(unlocked.token), sees: [] },
    "a viewer with the password of a link": { headers: await viewerOf(unlocked.token), sees: ["in", "early"] },
    "an expired link": { headers: expired, sees: [] },
    "a revoked link": { headers: withShare(revoked.token), sees: [] },
    "a viewer with the password of a revoked link": { headers: viewerOfRevoked, sees: [] },
    "a public site": { headers: withShare(OWN), sees: own },
    "a ReadOnly key": { headers: await key("ReadOnly"), sees: own, isKey: true },
    "an Admin key": { headers: await key("Admin"), sees: own, isKey: true },
  };
}

/** How each route is asked: reports by fuzzed requests, the others by this one. A route that is missing here does not compile. */
const ASKED: Readonly<Record<DescribedRouteId, "a report" | { readonly path: string; readonly body?: object }>> = {
  ...(Object.fromEntries([...REPORTS.map(({ path }) => path), "/api/stats/export"].map((path) => [`GET ${path}`, "a report"])) as Record<
    Extract<DescribedRouteId, `GET /api/stats/${string}`>,
    "a report"
  >),
  "GET /api/summary": "a report",
  "POST /api/event": { path: "/api/event", body: {} },
  "GET /api/event": { path: "/api/event" },
  "OPTIONS /api/event": { path: "/api/event" },
  "POST /api/send": { path: "/api/send", body: {} },
  "OPTIONS /api/send": { path: "/api/send" },
  "GET /count": { path: "/count" },
  "POST /count": { path: "/count", body: {} },
  "GET /matomo.php": { path: "/matomo.php" },
  "POST /matomo.php": { path: "/matomo.php", body: {} },
  "OPTIONS /matomo.php": { path: "/matomo.php" },
  "GET /svc.js": { path: "/svc.js" },
  "GET /js/script.js": { path: "/js/script.js" },
  "GET /opt-out": { path: "/opt-out" },
  "GET /opt-out.js": { path: "/opt-out.js" },
  "GET /api/sites": { path: "/api/sites?include=settings" },
  "GET /api/stats/progress": { path: `/api/stats/progress?site_id=${OTHER}&ids=${"0".repeat(22)}` },
  "GET /api/stats/dropped": { path: `/api/stats/dropped?site_id=${OTHER}` },
  "GET /api/stats/crawls": { path: `/api/stats/crawls?site_id=${OTHER}` },
  "POST /api/crawls": { path: `/api/crawls?site_id=${OTHER}`, body: { requests: [] } },
  "GET /api/stats/overview": { path: "/api/stats/overview?period=7d" },
  "POST /api/mcp": {
    path: "/api/mcp",
    body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "breakdown", arguments: { site_id: OTHER, dimension: "pages" } } },
  },
  "GET /api/sites/:site_id": { path: `/api/sites/${OTHER}` },
  "POST /api/stats/channel-preview": { path: `/api/stats/channel-preview?site_id=${OTHER}`, body: {} },
  "POST /api/stats/rule-preview": { path: `/api/stats/rule-preview?site_id=${OTHER}`, body: { filters: "pages==/" } },
  "GET /api/sites/:site_id/page": { path: `/api/sites/${OTHER}/page?url=/a` },
  "PUT /api/sites/:site_id": { path: `/api/sites/${OTHER}`, body: { name: "theirs" } },
  "POST /api/sites/:site_id/delete": { path: `/api/sites/${OTHER}/delete`, body: { confirm: OTHER } },
  "POST /api/sites/:site_id/rename": { path: `/api/sites/${OTHER}/rename`, body: { to: "new.test" } },
  "POST /api/sites/:site_id/merge": { path: `/api/sites/${OTHER}/merge`, body: { into: OWN } },
  "GET /api/site-names": { path: "/api/site-names" },
  "DELETE /api/sites/:site_id": { path: `/api/sites/${OTHER}` },
  "GET /api/settings": { path: "/api/settings" },
  "PUT /api/settings": { path: "/api/settings", body: { version: 1, sites: [] } },
  "POST /api/auth/setup": { path: "/api/auth/setup", body: {} },
  "POST /api/auth/login": { path: "/api/auth/login", body: {} },
  "POST /api/auth/logout": { path: "/api/auth/logout" },
  "POST /api/auth/logout-all": { path: "/api/auth/logout-all" },
  "GET /api/auth/sessions": { path: "/api/auth/sessions" },
  "DELETE /api/auth/sessions/:session_hash": { path: `/api/auth/sessions/${"0".repeat(64)}` },
  "POST /api/auth/password": { path: "/api/auth/password", body: {} },
  "GET /api/auth/status": { path: "/api/auth/status" },
  "POST /api/keys": { path: "/api/keys", body: {} },
  "GET /api/keys": { path: "/api/keys" },
  "DELETE /api/keys/:key_hash": { path: "/api/keys/0" },
  "GET /api/goals": { path: `/api/goals?site_id=${OTHER}` },
  "POST /api/goals": { path: `/api/goals?site_id=${OTHER}`, body: { name: "theirs", page: "/" } },
  "PUT /api/goals/:goal_id": { path: `/api/goals/0?site_id=${OTHER}`, body: { name: "theirs", page: "/" } },
  "DELETE /api/goals/:goal_id": { path: `/api/goals/0?site_id=${OTHER}` },
  "GET /api/segments": { path: `/api/segments?site_id=${OTHER}` },
  "POST /api/segments": { path: `/api/segments?site_id=${OTHER}`, body: { name: "theirs", filters: "pages==/" } },
  "PUT /api/segments/:segment_id": { path: `/api/segments/0?site_id=${OTHER}`, body: { name: "theirs", filters: "pages==/" } },
  "DELETE /api/segments/:segment_id": { path: `/api/segments/0?site_id=${OTHER}` },
  "GET /api/annotations": { path: `/api/annotations?site_id=${OTHER}` },
  "POST /api/annotations": { path: `/api/annotations?site_id=${OTHER}`, body: { text: "theirs" } },
  "PUT /api/annotations/:annotation_id": { path: `/api/annotations/0?site_id=${OTHER}`, body: { text: "theirs" } },
  "DELETE /api/annotations/:annotation_id": { path: `/api/annotations/0?site_id=${OTHER}` },
  "GET /api/rules": { path: `/api/rules?site_id=${OTHER}` },
  "GET /api/rules/built-in": { path: "/api/rules/built-in" },
  "POST /api/rules": { path: `/api/rules?site_id=${OTHER}`, body: { name: "theirs", filters: "pages==/" } },
  "PUT /api/rules/:rule_id": { path: `/api/rules/0?site_id=${OTHER}`, body: { name: "theirs", filters: "pages==/" } },
  "DELETE /api/rules/:rule_id": { path: `/api/rules/0?site_id=${OTHER}` },
  "POST /api/shares": { path: "/api/shares", body: { site_id: OTHER, name: "a link" } },
  "GET /api/shares": { path: "/api/shares" },
  "DELETE /api/shares/:share_hash": { path: "/api/shares/0" },
  "GET /api/share": { path: "/api/share" },
  "POST /api/share/unlock": { path: "/api/share/unlock", body: { password: "wrong" } },
  "GET /share/:key": { path: `/share/${OTHER}` },
  "GET /api/feed": { path: `/api/feed?site_id=${OWN}&every=day` },
  "GET /badge/:file": { path: `/badge/${OTHER}.svg` },
  "GET /": { path: "/" },
  "GET /assets/:name": { path: "/assets/nothing.js" },
  "DELETE /api/gdpr/erase": { path: `/api/gdpr/erase?site_id=${OTHER}&start_date=2026-03-01&end_date=2026-03-12` },
  "GET /api/imports": { path: "/api/imports" },
  "POST /api/imports": { path: "/api/imports", body: { site_id: OTHER, files: [{ name: "zzother-file.csv", bytes: 1 }] } },
  "GET /api/imports/:import_id": { path: "/api/imports/1" },
  "PUT /api/imports/:import_id/files/:file": { path: "/api/imports/1/files/0?offset=0", body: {} },
  "PUT /api/imports/:import_id/lines": { path: "/api/imports/1/lines?offset=0", body: {} },
  "POST /api/imports/:import_id/confirm": { path: "/api/imports/1/confirm" },
  "POST /api/imports/:import_id/hide": { path: "/api/imports/1/hide" },
  "POST /api/imports/:import_id/show": { path: "/api/imports/1/show" },
  "DELETE /api/imports/:import_id": { path: "/api/imports/1" },
  "GET /api/exports": { path: "/api/exports" },
  "POST /api/exports": { path: "/api/exports", body: { site_id: OTHER, format: "csv" } },
  "GET /api/exports/:export_id": { path: `/api/exports/${"0".repeat(32)}` },
  "GET /api/exports/:export_id/file": { path: `/api/exports/${"0".repeat(32)}/file` },
  "DELETE /api/exports/:export_id": { path: `/api/exports/${"0".repeat(32)}` },
  "POST /api/demo": { path: "/api/demo" },
  "DELETE /api/demo": { path: "/api/demo" },
  "GET /api/installation": { path: `/api/installation?site_id=${OWN}` },
  "POST /api/installation/page": {
    path: "/api/installation/page",
    body: { site_id: OTHER, url: "https://a.test", script_url: "https://b.test" },
  },
  "GET /api/openapi.json": { path: "/api/openapi.json" },
  "GET /health": { path: "/health" },
  "GET /health/ready": { path: "/health/ready" },
  "GET /health/detailed": { path: "/health/detailed" },
  "GET /metrics": { path: "/metrics" },
  "GET /robots.txt": { path: "/robots.txt" },
  "GET /.well-known/security.txt": { path: "/.well-known/security.txt" },
};

type Parameters = Readonly<Record<string, string | undefined>>;

const oneOf = (...values: readonly (string | undefined)[]) => fc.constantFrom(undefined, ...values);
const days = oneOf("2026-03-05", "2026-03-06", "2026-03-09", "2026-03-10", "2026-03-11", "2026-03-12", "2026-03-13", "2026-02-30");

/** The same for every report: those that it does not know are ignored. */
const PARAMETERS: fc.Arbitrary<Parameters> = fc.record({
  site_id: fc.constantFrom(OWN, OWN, OWN, OWN, OWN, OTHER, "no site"),
  period: oneOf("day", "today", "7d", "30d", "month", "all"),
  start_date: days,
  end_date: days,
  filters: oneOf(
    FILTER,
    "utm-campaigns!=zzshared-campaign",
    "pages==/zzout-path-3",
    "pages!=/zzin-path-3",
    "countries==NL;browsers==Firefox",
    "events==pageview",
    "events==zzout-event",
    "goal==orders",
    "goal==elsewhere",
    "goal!=other plans",
    "hostnames!=zzin-host.test;events!=pageview",
    "evidence==signed_agent",
    "evidence!=signed_agent",
    "nothing==1",
  ),
  compare: oneOf("typical", "previous_period", "year_over_year", "custom"),
  compare_start_date: days,
  compare_end_date: days,
  compare_same_time: oneOf("true", "false"),
  interval: oneOf("minute", "hour", "day", "week", "month"),
  include: oneOf("events"),
  limit: oneOf("1", "3", "100"),
  minutes: oneOf("30", "60"),
  steps: fc.constantFrom(
    "page:/zzout-path-3,page:/zzin-path-3",
    "page:*,event:zzin-event",
    "page:/zzin-path-3,page:/zzin-path-4",
    "event:zzout-event,page:*",
  ),
  window: oneOf("1 week"),
  modes: oneOf("strict_order", "strict_once"),
  pattern: oneOf("(?1).*(?2)"),
  conditions: oneOf("page:*,event:zzin-event"),
  key: oneOf("plan", "zzout-key", "zzin-key"),
  name: oneOf("zzout-key"),
  event: oneOf("zzin-event", "zzout-event", "pageview"),
  page: fc.constantFrom("/zzin-path-3", "/zzout-path-3", "/zzin-path-4", "/zzin*", "*"),
  direction: oneOf("forward", "backward"),
  weeks: oneOf("2", "4"),
  kind: oneOf("daily", "raw"),
  format: oneOf("csv", "json"),
  columns: oneOf("sessions,bounce_rate,views_per_visit", "conversions,revenue,comparison", "avg_visit_duration_secs,comparison"),
  goal: fc.constantFrom("zzin-event", "zzout-event", ...GOALS.map(({ name }) => name)),
  currency: fc.constantFrom("EUR", "USD"),
  search: oneOf("zz", "out", "IN"),
  unknown_label: oneOf("zzout", "Direct / none"),
  sort: oneOf("value:asc", "events:desc"),
  with_total: oneOf("true"),
  metric: oneOf("visitors", "pageviews", "events", "conversions", "conversion_rate", "bounce_rate", "duration", "revenue"),
  dimensions: oneOf("visit-sources,browsers", "visit-utm-campaigns", "pages,events"),
  band: oneOf("day", "hour"),
  lens: fc.constantFrom("strict", "strict", "everything", "loose"),
});

/** Leaves most parameters out, so that most requests are valid. */
const QUESTION = fc.record({
  parameters: PARAMETERS,
  kept: fc.uniqueArray(
    fc.constantFrom(
      "period",
      "dates",
      "filters",
      "compare",
      "interval",
      "include",
      "limit",
      "minutes",
      "pattern",
      "event",
      "direction",
      "weeks",
      "kind",
      "format",
      "window",
      "modes",
      "name",
      "columns",
      "search",
      "unknown_label",
      "sort",
      "with_total",
      "metric",
      "dimensions",
      "band",
      "lens",
    ),
    { maxLength: 4 },
  ),
  again: fc.constantFrom("", "", "", "", "", "", `&site_id=${OTHER}`, "&filters=", "&site_id=own.test"),
});

function queryOf({ parameters, kept, again }: typeof QUESTION extends fc.Arbitrary<infer Q> ? Q : never): URLSearchParams {
  const names: Readonly<Record<string, readonly string[]>> = {
    dates: ["start_date", "end_date"],
    compare: ["compare", ...(parameters["compare"] === "custom" ? ["compare_start_date", "compare_end_date", "compare_same_time"] : [])],
    pattern: ["pattern", "conditions"],
    columns: ["columns", "goal", "currency"],
    metric: ["metric", "goal", "currency"],
  };
  const wanted = ["site_id", "page", ...kept.flatMap((name) => names[name] ?? [name])];
  const withSteps = kept.includes("pattern") ? wanted : [...wanted, "steps"];
  const all = kept.includes("name") ? withSteps : [...withSteps, "key"];
  const query = new URLSearchParams(all.flatMap((name) => (parameters[name] === undefined ? [] : [[name, parameters[name]]])));
  for (const [name, value] of new URLSearchParams(again)) query.append(name, value);
  return query;
}

const PATHS = [
  ...REPORTS.flatMap(({ path }) =>
    path.includes(":dimension")
      ? ["pages", "entry-pages", "exit-pages", "sources", "referrers", "countries", "browsers", "utm-campaigns", "events", "hostnames"].map(
          (dimension) => path.replace(":dimension", dimension),
        )
      : [path],
  ),
  "/api/stats/export",
  "/api/summary",
];

const textOf = async (response: Response): Promise<string> => `${JSON.stringify([...response.headers])}\n${await response.text()}`;

/** Ids of goals are random. */
const withoutIds = (text: string): string => text.replaceAll(/"id":"[0-9a-f]{32}"/g, '"id":""');

/** Guests do not see evidence. */
const withoutEvidence = (text: string): string =>
  text.replaceAll('"evidence":"signed_agent"', '"evidence":null').replaceAll(/,"signed_agent"(?=[,\n])/g, ',""');

/** Marks of parts that the caller must not see. What the request itself says may come back, as in a message or the name of a step. */
function marksIn(text: string, asked: string, sees: readonly Part[]): string[] {
  let left = text;
  for (const said of decodeURIComponent(asked.replaceAll("+", " "))
    .split(/[?&=,;!]+/)
    .toSorted((a, b) => b.length - a.length))
    if (said.length > 2) left = left.replaceAll(said, "");
  return (Object.keys(MARKS) as Part[]).filter((part) => !sees.includes(part) && MARKS[part].found.test(left));
}

describe("what is not shared", () => {
  const targets: InProcessTarget[] = [];
  let main: InProcessTarget;
  let owner: RequestHeaders;
  let limited: Readonly<Record<string, Limited>>;
  /** Services with nothing but these parts, by their names. */
  const twins = new Map<string, { readonly target: InProcessTarget; readonly session: RequestHeaders }>();
  const seenByOwner = new Set<Part>();

  const made = async (parts: readonly Part[]): Promise<InProcessTarget> => {
    const target = await createInProcessTarget(environment, { startMs: START_MS, rollupWeightBytesMin: 1 });
    targets.push(target);
    const session = { ...(await logIn(target)), ...newAddress() };
    for (const goal of GOALS) await addItem(target, "goals", OWN, session, goal);
    await fill(target, parts);
    return target;
  };

  beforeAll(async () => {
    main = await made(["in", "out", "early", "other"]);
    limited = await limitedOf(main);
    owner = await logIn(main);
    for (const { sees } of Object.values(limited)) {
      const name = sees.join();
      if (sees.length === 0 || twins.has(name)) continue;
      const target = await made(sees);
      await target.advance(main.nowMs() - target.nowMs());
      twins.set(name, { target, session: await logIn(target) });
    }
  }, 120_000);
  afterAll(async () => {
    for (const target of targets) await target.close();
  });

  const ask = (target: InProcessTarget, path: string, headers: RequestHeaders): Promise<Response> =>
    target.fetch(path, { headers: { ...headers, ...newAddress() } });

  /** Asks as the owner, then as everyone else, then as the owner again. */
  async function check(path: string, query: URLSearchParams, isAnswered = false): Promise<void> {
    const asked = `${path}?${query.toString()}`;
    const before = await (await ask(main, asked, owner)).text();
    for (const part of Object.keys(MARKS) as Part[]) if (marksIn(before, asked, []).includes(part)) seenByOwner.add(part);
    for (const [name, { headers, sees, dates, isKey }] of Object.entries(limited)) {
      const response = await ask(main, asked, headers);
      const { status } = response;
      const text = await textOf(response.clone());
      expect({ name, asked, leaks: marksIn(text, asked, sees) }).toEqual({ name, asked, leaks: [] });
      if (sees.length === 0) expect({ name, asked, status }).toEqual({ name, asked, status: 401 });
      else if (isAnswered) expect({ name, asked, status }).toEqual({ name, asked, status: 200 });
      if (query.get("site_id") === OTHER) expect([400, 401, 403]).toContain(status);
      if (status !== 200) continue;
      const ofTwin = new URLSearchParams(query);
      const isPresent = path === "/api/stats/realtime";
      const isOfAll = (query.get("period") ?? "all") === "all" && !query.has("start_date");
      if (dates && !isPresent && isOfAll) {
        for (const [field, date] of Object.entries(dates)) ofTwin.set(field, date);
      }
      const twin = twins.get(sees.join());
      if (!twin) throw new Error("there is no such twin");
      const ofOwner = await (await ask(twin.target, `${path}?${ofTwin.toString()}`, twin.session)).text();
      const wanted = isKey ? ofOwner : withoutEvidence(ofOwner);
      expect({ name, asked, body: withoutIds(await response.text()) }).toEqual({ name, asked, body: withoutIds(wanted) });
      answered.set(name, (answered.get(name) ?? 0) + 1);
    }
    if (path !== "/api/stats/realtime") expect(await (await ask(main, asked, owner)).text()).toBe(before);
  }
  /** Requests with a report as response, by the caller. */
  const answered = new Map<string, number>();

  it("every route states how it is requested here", () => {
    expect(Object.keys(ASKED).sort(), "add the route to ASKED").toEqual(ROUTES.map(routeIdOf).sort());
  });

  it.each(PATHS)("is not in %s without further parameters", async (path) => {
    await check(path, new URLSearchParams({ site_id: OWN, steps: "page:*,event:zzin-event", key: "plan", page: "/zzin-path-3" }), true);
    await check(path, new URLSearchParams({ site_id: OWN, steps: "page:*,page:*", key: "plan", page: "*", kind: "raw", period: "30d" }));
    await check(path, new URLSearchParams({ site_id: OTHER, steps: "page:*,event:zzin-event", key: "plan", page: "/zzin-path-3" }));
  });

  it("meets each goal, for its owner", async () => {
    const found = await bodyOf<{ name: string; visitors: number }[]>(await ask(main, `/api/stats/conversions?site_id=${OWN}`, owner));
    expect(found.filter(({ visitors }) => visitors > 0).map(({ name }) => name)).toEqual(GOALS.map(({ name }) => name));
  });

  it.each(GOALS)("is not in reports that count $name, or are filtered by it", async ({ name }) => {
    const columns = { columns: "conversions,conversion_rate,revenue", goal: name, currency: "EUR" };
    await check("/api/stats/conversions", new URLSearchParams({ site_id: OWN, filters: `goal!=${name}` }), true);
    await check("/api/stats/breakdown/pages", new URLSearchParams({ site_id: OWN, filters: `goal==${name}`, ...columns }), true);
  });

  it("is not in any report, whatever its parameters are, and the owner's results stay separate", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...PATHS), QUESTION, (path, question) => check(path, queryOf(question))),
      { numRuns: RUNS },
    );
    expect(main.services.counters.rollupsMade).toBeGreaterThan(0);
    expect([...seenByOwner].sort()).toEqual(["early", "in", "other", "out"]);
    const callers = Object.keys(limited).filter((name) => (limited[name]?.sees.length ?? 0) > 0);
    expect(callers.filter((name) => (answered.get(name) ?? 0) < RUNS / 2)).toEqual([]);
  }, 120_000);

  it("cannot be reached by a comparison with other dates", async () => {
    const { headers } = limited["a link with dates"] ?? { headers: {} };
    const compared = async (more: object) => {
      const query = new URLSearchParams({ site_id: OWN, ...more });
      return (await ask(main, `/api/stats/main?${query.toString()}`, headers)).status;
    };
    expect(await compared({ compare: "previous_period" })).toBe(403);
    expect(await compared({ compare: "year_over_year" })).toBe(403);
    expect(await compared({ start_date: "2026-03-11", end_date: "2026-03-11", compare: "previous_period" })).toBe(200);
    expect(await compared({ start_date: "2026-03-10", end_date: "2026-03-10", compare: "previous_period" })).toBe(403);
    const custom = { compare: "custom", compare_start_date: "2026-03-09", compare_end_date: "2026-03-11" };
    expect(await compared(custom)).toBe(403);
    expect(await compared({ ...custom, compare_start_date: "2026-03-10", compare_same_time: "true" })).toBe(200);
  });

  it.each(["/api/stats/overview?period=7d", "/api/sites"])(
    "is not counted in %s, which limited keys get as if no other site existed",
    async (path) => {
      const keys = Object.values(limited).filter(({ isKey }) => isKey);
      expect(keys).toHaveLength(2);
      for (const { headers, sees } of keys) {
        const twin = twins.get(sees.join());
        if (!twin) throw new Error("there is no such twin");
        const wanted = await bodyOf<{ sites: unknown[] }>(await ask(twin.target, path, twin.session));
        expect(wanted.sites).toHaveLength(1);
        expect(await bodyOf(await ask(main, path, headers))).toEqual(wanted);
      }
    },
  );

  it.each(ROUTES.map(routeIdOf).filter((id) => ASKED[id as DescribedRouteId] !== "a report"))("is not in %s", async (id) => {
    const asked = ASKED[id as DescribedRouteId];
    if (asked === "a report") return;
    const { path, body } = asked;
    for (const [name, { headers, sees }] of Object.entries(limited)) {
      const init = { method: id.split(" ")[0] ?? "", headers: { ...headers, ...newAddress() } };
      const response = await main.fetch(path, body === undefined ? init : { ...init, body: JSON.stringify(body) });
      const text = (await textOf(response)).replaceAll(
        OTHER,
        path.includes(OTHER) || JSON.stringify(body ?? "").includes(OTHER) ? "" : OTHER,
      );
      expect({ name, leaks: marksIn(text, path, sees), isOther: text.includes(OTHER) }).toEqual({ name, leaks: [], isOther: false });
    }
    expect((await ask(main, `/api/stats/main?site_id=${OTHER}`, owner)).status).toBe(200);
  });
});
