/**
 * A day of known crawlers, monitors, HTTP libraries and headless browsers beside people. Each of their requests is counted as what it is,
 * and every report is byte for byte that of a service to which only the people came.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BREAKDOWN_DIMENSIONS } from "../../src/runtime/query/filters.ts";
import { REPORTS } from "../../src/runtime/reports/registry.ts";
import { bodyOf, CLOSED, logIn, postJson } from "../support/auth-requests.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { browserHeaders, getPixel, post, putSettings, record, wireEvent, type RequestHeaders } from "../support/requests.ts";
import { BINGBOT, CHROME_WINDOWS, CURL, FIREFOX_LINUX, GOOGLEBOT, SAFARI_IPHONE } from "../support/user-agents.ts";

const SITE = "replayed.test";
const START_MS = Date.parse("2026-03-15T00:00:00Z");
const HOUR_MS = 3_600_000;
const HOURS = 24;

interface Program {
  readonly userAgent: string;
  /** null for what the list of known bots does not have. */
  readonly name: string | null;
  readonly operator: string | null;
  readonly purpose: "Search" | "Agent" | "Training" | null;
  readonly hints?: RequestHeaders;
}

const compatible = (token: string): string => `Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ${token})`;
const program = (name: Program["name"], operator: Program["operator"], userAgent: string): Program => ({
  ...{ name, operator, userAgent, purpose: null },
});
const ofAi = (name: string, operator: string, purpose: Program["purpose"], userAgent: string): Program => ({
  ...{ name, operator, purpose, userAgent },
});

const PROGRAMS: readonly Program[] = [
  program("Googlebot", "Google", GOOGLEBOT),
  program("Google-InspectionTool", "Google", "Mozilla/5.0 (compatible; Google-InspectionTool/1.0;)"),
  program("bingbot", "Microsoft", BINGBOT),
  program("YandexBot", "Yandex", "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)"),
  program("Baiduspider", "Baidu", "Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)"),
  program("DuckDuckBot", "DuckDuckGo", "DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)"),
  program("PetalBot", "Huawei", "Mozilla/5.0 (compatible;PetalBot;+https://webmaster.petalsearch.com/site/petalbot)"),
  program("AhrefsBot", "Ahrefs", "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)"),
  program("SemrushBot", "Semrush", "Mozilla/5.0 (compatible; SemrushBot/7~bl; +http://www.semrush.com/bot.html)"),
  program("MJ12bot", "Majestic", "Mozilla/5.0 (compatible; MJ12bot/v1.4.8; http://mj12bot.com/)"),
  ofAi("Applebot", "Apple", "Search", "Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Safari/605.1.15 (Applebot/0.1)"),
  ofAi("GPTBot", "OpenAI", "Training", compatible("GPTBot/1.2; +https://openai.com/gptbot")),
  ofAi("OAI-SearchBot", "OpenAI", "Search", compatible("OAI-SearchBot/1.0; +https://openai.com/searchbot")),
  ofAi("ChatGPT-User", "OpenAI", "Agent", compatible("ChatGPT-User/1.0; +https://openai.com/bot")),
  ofAi("ClaudeBot", "Anthropic", "Training", compatible("ClaudeBot/1.0; +claudebot@anthropic.com")),
  ofAi("Claude-User", "Anthropic", "Agent", compatible("Claude-User/1.0; +Claude-User@anthropic.com")),
  ofAi("PerplexityBot", "Perplexity", "Search", compatible("PerplexityBot/1.0; +https://perplexity.ai/perplexitybot")),
  ofAi("Bytespider", "ByteDance", "Training", "Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (compatible; Bytespider)"),
  ofAi("CCBot", "Common Crawl", "Training", "CCBot/2.0 (https://commoncrawl.org/faq/)"),
  ofAi("Amazonbot", "Amazon", "Training", "Mozilla/5.0 (Macintosh) AppleWebKit/600.2.5 Safari/600.2.5 (Amazonbot/0.1)"),
  ofAi(
    "meta-externalagent",
    "Meta",
    "Training",
    "meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)",
  ),
  program("facebookexternalhit", "Meta", "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)"),
  program("Slackbot", "Slack", "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)"),
  program("LinkedInBot", "LinkedIn", "LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)"),
  program("Twitterbot", "X", "Twitterbot/1.0"),
  program("UptimeRobot", "UptimeRobot", "Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)"),
  program("Pingdom", "SolarWinds", "Pingdom.com_bot_version_1.4_(http://www.pingdom.com/)"),
  program("Lighthouse", "Google", `${CHROME_WINDOWS} Chrome-Lighthouse`),
  program("Headless Chrome", null, CHROME_WINDOWS.replace("Chrome/", "HeadlessChrome/")),
  program("python-requests", null, "python-requests/2.32.3"),
  program("Go-http-client", null, "Go-http-client/2.0"),
  program("axios", null, "axios/1.7.2"),
  program("Wget", null, "Wget/1.21.4"),
  program("curl", null, CURL),
  program(null, null, "somebodys-crawler/0.3 (+https://crawler.example)"),
  { ...program(null, null, CHROME_WINDOWS), hints: { "sec-ch-ua": '"HeadlessChrome";v="124", "Chromium";v="124"' } },
];

/** All ways by which an event comes in. */
const DOORS: Readonly<Record<string, (target: InProcessTarget, path: string, headers: RequestHeaders) => Promise<Response>>> = {
  event: (target, path, headers) => post(target, wireEvent(SITE, { u: `https://${SITE}${path}` }), headers),
  pixel: (target, path, headers) => getPixel(target, { d: SITE, u: `https://${SITE}${path}` }, headers),
  umami: (target, path, headers) =>
    target.fetch("/api/send", {
      ...{ method: "POST", headers: browserHeaders(headers) },
      body: JSON.stringify({ type: "event", payload: { website: "replayed", hostname: SITE, url: path, referrer: "" } }),
    }),
  goatcounter: (target, path, headers) =>
    target.fetch(`/count?p=${encodeURIComponent(path)}`, { headers: browserHeaders({ ...headers, referer: `https://${SITE}/` }) }),
  matomo: (target, path, headers) =>
    target.fetch(`/matomo.php?idsite=replayed&rec=1&url=${encodeURIComponent(`https://${SITE}${path}`)}`, {
      headers: browserHeaders(headers),
    }),
};

const ways = Object.values(DOORS);

interface Hit extends Program {
  readonly hour: number;
  readonly path: string;
  readonly status: number;
  readonly way: (typeof ways)[number] | undefined;
}

/** One to four requests of each program, over the day, the pages and the doors. */
const HITS: readonly Hit[] = PROGRAMS.flatMap((each, i) =>
  Array.from({ length: 1 + (i % 4) }, (_, k) => ({
    ...each,
    hour: (5 * i + 7 * k) % HOURS,
    path: `/page-${(i + 3 * k) % 5}`,
    status: (i + k) % 6 === 0 ? 404 : 200,
    way: ways[(i + k) % ways.length],
  })),
);

const PEOPLE: readonly RequestHeaders[] = [CHROME_WINDOWS, FIREFOX_LINUX, SAFARI_IPHONE].map((userAgent, i) => ({
  ...{ "user-agent": userAgent, "x-forwarded-for": `5.9.0.${i + 1}` },
}));

async function visit(target: InProcessTarget, hour: number): Promise<void> {
  const person = PEOPLE[hour % PEOPLE.length] ?? {};
  const url = (path: string) => `https://${SITE}${path}`;
  await record(target, wireEvent(SITE, { u: url(`/page-${hour % 5}`), ...(hour === 9 && { r: "https://chatgpt.com/" }) }), person);
  if (hour % 2 === 0) await record(target, wireEvent(SITE, { u: url("/pricing"), p: '{"plan":"pro"}' }), person);
  if (hour % 6 === 0) await record(target, wireEvent(SITE, { n: "Purchase", u: url("/thanks"), ra: 19.5, rc: "EUR" }), person);
}

/** How often each value occurs, most first, then by value. */
function countsOf<Of>(hits: readonly Of[], valueOf: (hit: Of) => string | null): (readonly [value: string | null, count: number])[] {
  const counts = new Map<string | null, number>();
  for (const hit of hits) counts.set(valueOf(hit), (counts.get(valueOf(hit)) ?? 0) + 1);
  return [...counts].sort(([a, x], [b, y]) => y - x || ((a ?? "") < (b ?? "") ? -1 : 1));
}

interface Rows {
  readonly rows: readonly { readonly value: string | null; readonly dropped: number }[];
  readonly rest: number;
}

interface Dropped {
  readonly dropped: number;
  readonly reasons: Rows;
  readonly names: Rows;
  readonly operators: Rows;
  readonly paths: Rows;
}

interface Status {
  readonly status: number;
  readonly reads: number;
}

interface Crawls {
  readonly reads: number;
  readonly crawlers: readonly { name: string; operator: string; purpose: string; verified: boolean; reads: number; statuses: Status[] }[];
  readonly paths: { readonly rows: readonly { path: string; reads: number }[]; readonly rest: number };
  readonly operators: readonly { operator: string; reads: number; visits: number | null }[];
}

describe("a day of crawlers beside people", () => {
  let busy: InProcessTarget;
  let quiet: InProcessTarget;
  const sessions = new Map<InProcessTarget, RequestHeaders>();
  beforeAll(async () => {
    const environment = { ...CLOSED, SVC_TRUST_PROXY: "1" };
    busy = await createInProcessTarget(environment, { startMs: START_MS });
    quiet = await createInProcessTarget(environment, { startMs: START_MS });
    const aliases = ["umami:replayed", `goatcounter:${SITE}`, "matomo:replayed"];
    for (const target of [busy, quiet]) {
      const session = await logIn(target);
      sessions.set(target, session);
      await bodyOf(await putSettings(target, SITE, { aliases }, session));
    }
    for (let hour = 0; hour < HOURS; hour++) {
      for (const target of [busy, quiet]) await visit(target, hour);
      for (const { way, path, userAgent, hints } of HITS.filter((hit) => hit.hour === hour)) {
        const response = await way?.(busy, `${path}?secret=1`, { "user-agent": userAgent, ...hints });
        expect(response?.ok).toBe(true);
      }
      for (const target of [busy, quiet]) await target.advance(hour + 1 < HOURS ? HOUR_MS : HOUR_MS / 2);
    }
  }, 60_000);
  afterAll(async () => {
    await busy.close();
    await quiet.close();
  });

  const ask = (target: InProcessTarget, path: string): Promise<Response> => target.fetch(path, { headers: sessions.get(target) ?? {} });

  it("counts each request of a program once, by reason, name, operator and path", async () => {
    const report = await bodyOf<Dropped>(await ask(busy, `/api/stats/dropped?site_id=${SITE}&period=day&limit=100`));
    const rowsOf = ({ rows, rest }: Rows) => [...rows.map(({ value, dropped }) => [value, dropped]), rest];
    expect(HITS.length).toBeGreaterThan(80);
    expect(report.dropped).toBe(HITS.length);
    expect(rowsOf(report.reasons)).toEqual([...countsOf(HITS, ({ hints }) => (hints ? "headless_browser" : "bot")), 0]);
    expect(rowsOf(report.names)).toEqual([...countsOf(HITS, ({ name }) => name), 0]);
    expect(rowsOf(report.operators)).toEqual([...countsOf(HITS, ({ operator }) => operator), 0]);
    expect(rowsOf(report.paths)).toEqual([...countsOf(HITS, ({ path }) => path), 0]);
  });

  it("counts what a server reports of AI crawlers, by crawler, status, page and operator, and ignores everybody else", async () => {
    const reported = HITS.map(({ userAgent, path, status, hour }) => ({
      ...{ user_agent: userAgent, path: `${path}?secret=1`, status },
      time: new Date(START_MS + hour * HOUR_MS).toISOString(),
    }));
    const read = HITS.filter(({ purpose }) => purpose !== null);
    const ignored = { unknown: HITS.length - read.length, out_of_range: 0 };
    const send = async () => bodyOf(await postJson(busy, `/api/crawls?site_id=${SITE}`, { requests: reported }, sessions.get(busy)));
    expect(await send()).toEqual({ counted: read.length, repeated: 0, ignored });
    expect(await send()).toEqual({ counted: 0, repeated: read.length, ignored });
    const report = await bodyOf<Crawls>(await ask(busy, `/api/stats/crawls?site_id=${SITE}&period=day&limit=100`));
    expect(report.reads).toBe(read.length);
    expect(report.crawlers.map(({ name, reads }) => [name, reads])).toEqual(countsOf(read, ({ name }) => name));
    for (const { name, operator, purpose, verified, statuses } of report.crawlers) {
      const own = read.filter((hit) => hit.name === name);
      const counted = countsOf(own, ({ status }) => String(status)).map(([status, reads]) => ({ status: Number(status), reads }));
      expect({ operator, purpose, verified, statuses }).toEqual({
        ...{ operator: own[0]?.operator, purpose: own[0]?.purpose, verified: false, statuses: counted },
      });
    }
    expect(report.paths.rows.map(({ path, reads }) => [path, reads])).toEqual(countsOf(read, ({ path }) => path));
    expect(report.paths.rest).toBe(0);
    const operators = new Map(report.operators.map(({ operator, reads }) => [operator, reads]));
    expect(operators).toEqual(new Map(countsOf(read, ({ operator }) => operator)));
    expect(report.operators.find(({ operator }) => operator === "OpenAI")?.visits).toBe(1);
  });

  const PATHS = [
    ...REPORTS.flatMap(({ path }) =>
      path.includes(":dimension") ? BREAKDOWN_DIMENSIONS.map((dimension) => path.replace(":dimension", dimension)) : [path],
    ),
    ...["/api/stats/export?kind=raw", "/api/stats/export", "/api/stats/overview", "/api/summary", "/api/sites"],
    ...["strict", "everything"].map((lens) => `/api/stats/main?lens=${lens}`),
  ];

  it("leaves every report as it is with the people alone", async () => {
    const { total_events: events } = await bodyOf<{ total_events: number }>(await ask(busy, `/api/stats/main?site_id=${SITE}&period=day`));
    expect(events).toBe(24 + 12 + 4);
    const needed = { site_id: SITE, period: "day", steps: "page:*,page:/pricing", key: "plan", page: "/pricing" };
    for (const path of PATHS) {
      const asked = `${path}${path.includes("?") ? "&" : "?"}${new URLSearchParams(needed).toString()}`;
      const [withCrawlers, alone] = await Promise.all([busy, quiet].map(async (target) => bodyTextOf(await ask(target, asked), asked)));
      expect(withCrawlers, asked).toBe(alone);
    }
  });
});

async function bodyTextOf(response: Response, asked: string): Promise<string> {
  const text = await response.text();
  expect(response.status, `${asked}: ${text}`).toBe(200);
  return text;
}
