/** GET /api/feed: what changed in the last weeks or days, as RSS (docs/http-api.md, "Feed"). */
import { FEED_DAYS_MAX, FEED_WEEKS_MAX } from "../runtime/base/config/report-limits.ts";
import { text } from "../runtime/base/json-schema.ts";
import { answerOf as coveredAnswer } from "../runtime/query/coverage.ts";
import { bucketOfDay, rangeOfDays, type DateRange } from "../runtime/query/date-range.ts";
import { oneOf, type Parameters } from "../runtime/query/parameters.ts";
import { isAllShared, scopeOf, UNDATED_SCOPE_PARAMETERS, type Reader } from "../runtime/query/scope.ts";
import { changes } from "../runtime/reports/changes.ts";
import { SHARE_PATH } from "../runtime/base/config/names.ts";
import { addDays, dayNumberOf } from "../storage/calendar.ts";
import type { LocalDate, SiteId } from "../storage/event.ts";
import { NO_STORE, Query, timeZoneHeaders } from "./http.ts";
import { NOT_STORED, TIME_ZONE } from "./openapi/headers.ts";
import { documented, UNDATED_SCOPE, type Operations } from "./openapi/operation.ts";
import { isHttps } from "./origins.ts";
import type { Context, Handler } from "./route.ts";
import { resultOf, STATS_REFUSALS } from "./stats.ts";
import { xmlText } from "./xml.ts";

const EVERY = { week: { days: 7, itemsMax: FEED_WEEKS_MAX }, day: { days: 1, itemsMax: FEED_DAYS_MAX } } as const;

const FEED_PARAMETERS = { every: oneOf("What an item is about.", ["week", "day"]) };

/** Parameters of the report of changes that each item's gets as they are. */
const METRIC_PARAMETERS: Parameters = Object.fromEntries(
  Object.entries(changes.parameters).filter(([name]) => ["metric", "goal", "currency"].includes(name)),
);

const PASSED_ON: Parameters = { ...UNDATED_SCOPE_PARAMETERS, ...METRIC_PARAMETERS };

const VIEW = Object.keys(PASSED_ON).filter((name) => name !== "site_id" && name !== "metric");

/** The last weeks of the site, or days, that are over; the newest first. */
function endedPeriods(every: keyof typeof EVERY, siteId: SiteId, { calendarOf, weekStartOf, nowMs }: Reader): readonly DateRange[] {
  const { days, itemsMax } = EVERY[every];
  const length = every === "day" ? every : weekStartOf(siteId);
  const bucketOf = (date: LocalDate): number => bucketOfDay(dayNumberOf(date), length);
  const today = calendarOf(siteId).dateOf(nowMs);
  let current = today;
  while (bucketOf(addDays(current, -1)) === bucketOf(today)) current = addDays(current, -1);
  return Array.from({ length: itemsMax }, (_, i) => addDays(current, -days * (i + 1))).map((first) =>
    rangeOfDays(first, addDays(first, days - 1)),
  );
}

interface Told {
  readonly sentence: string;
  readonly total: { readonly before: number | null; readonly after: number };
  readonly findings: readonly { readonly sentence: string }[];
  readonly caveats: readonly { readonly sentence: string }[];
}

/** Nothing was counted, and nothing was expected: mostly a time before the site's first event. */
const isEmpty = ({ total: { before, after } }: Told): boolean => after === 0 && (before ?? 0) === 0;

/** The page whose dashboard has the numbers: of the share in the address, or of its owner. */
function pageOf(request: Request, siteId: SiteId, { url, services: { config } }: Context): URL {
  const share = url.searchParams.get("share");
  const { dashboardOrigin, basePath, trustProxy } = config;
  const origin = dashboardOrigin ?? `${isHttps(request, trustProxy) ? "https" : "http"}://${url.host}`;
  const page = new URL(share === null ? `${basePath}/` : `${basePath}${SHARE_PATH}/${encodeURIComponent(share)}`, origin);
  if (share === null) page.searchParams.set("site", siteId);
  return page;
}

const element = (name: string, content: string): string => `<${name}>${xmlText(content)}</${name}>`;

export const getFeed: Handler = async (request, context) => {
  const { reader, url, services } = context;
  const given = new Query(url);
  const { every } = given.parse(FEED_PARAMETERS);
  const scope = await scopeOf(given.parse(UNDATED_SCOPE_PARAMETERS), reader);
  const { siteId } = scope;
  const calendar = reader.calendarOf(siteId);
  const page = pageOf(request, siteId, context);
  // Readers keep one of two items with the same id, so feeds of two views of a site have their own.
  const view = VIEW.map((name) => given.text(name)).filter((value) => value !== null);
  const idOf = ({ firstDay }: DateRange) => [siteId, given.text("metric") ?? "visits", every, firstDay, ...view].join("/");
  const itemOf = (range: DateRange, { sentence, findings, caveats }: Told): string => {
    const link = new URL(page);
    link.searchParams.set("start", range.firstDay);
    link.searchParams.set("end", range.lastDay);
    return (
      "<item>" +
      element("title", sentence) +
      element("link", link.href) +
      `<guid isPermaLink="false">${xmlText(idOf(range))}</guid>` +
      element("pubDate", new Date(calendar.startOf(addDays(range.lastDay, 1))).toUTCString()) +
      element("description", [...findings, ...caveats].map((told) => told.sentence).join(" ") || sentence) +
      "</item>"
    );
  };
  const items: string[] = [];
  // One after the other: a feed takes one slot at a time.
  for (const range of endedPeriods(every, siteId, reader)) {
    if (!isAllShared({ ...scope, range })) continue;
    const dates: Readonly<Record<string, string>> = { start_date: range.firstDay, end_date: range.lastDay };
    const prepared = await changes.prepare((name) => dates[name] ?? (Object.hasOwn(PASSED_ON, name) ? given.text(name) : null), reader);
    const told = JSON.parse(coveredAnswer(await resultOf(prepared, context)).json) as Told;
    if (!isEmpty(told)) items.push(itemOf(range, told));
  }
  const name = services.sites.settingsOf(siteId).name ?? siteId;
  const body =
    `<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel>${element("title", `${name}: what changed`)}` +
    `${element("link", page.href)}${element("description", `What changed on ${name}, every ${every}.`)}<language>en</language>` +
    `${items.join("")}</channel></rss>\n`;
  const headers = { "Content-Type": "application/rss+xml; charset=utf-8", ...NO_STORE, ...timeZoneHeaders(calendar.zoneAt(reader.nowMs)) };
  return { status: 200, headers, body };
};

// Description in the OpenAPI document

const OPERATIONS = {
  "GET /api/feed": {
    operationId: "getFeed",
    summary: "What changed in the last weeks or days, as RSS",
    description: "An item for each week or day that is over, with the sentences of the report of changes.",
    parameters: [...UNDATED_SCOPE, ...documented({ ...FEED_PARAMETERS, ...METRIC_PARAMETERS })],
    security: [{}, { Session: [] }, { BearerKey: [] }, { HeaderKey: [] }, { Share: [] }, { ShareParameter: [] }],
    answers: {
      200: {
        description: "The feed.",
        headers: { ...NOT_STORED, ...TIME_ZONE },
        content: { "application/rss+xml": { schema: text("RSS 2.0, in UTF-8.") } },
      },
    },
    refusals: STATS_REFUSALS,
  },
} satisfies Operations;

export const FEED_API = { tag: "Statistics", schemas: {}, operations: OPERATIONS } as const;
