/** GET /badge/{file}: a number of a public site as an image (docs/http-api.md, "Badge"). */
import { isSiteId } from "../runtime/base/config/names.ts";
import { AppError } from "../runtime/base/errors.ts";
import { text } from "../runtime/base/json-schema.ts";
import { answerOf as coveredAnswer } from "../runtime/query/coverage.ts";
import { oneOf } from "../runtime/query/parameters.ts";
import { main } from "../runtime/reports/main.ts";
import type { SiteId } from "../storage/event.ts";
import { Query } from "./http.ts";
import { always } from "./openapi/headers.ts";
import { documented, inPath, type Operations } from "./openapi/operation.ts";
import type { Context, Handler } from "./route.ts";
import { resultOf, STATS_REFUSALS } from "./stats.ts";
import { xmlText } from "./xml.ts";

const EXTENSION = ".svg";

/** null for a file that is none of a site. */
export function siteOfBadge({ file = "" }: Context["params"]): SiteId | null {
  const name = file.slice(0, -EXTENSION.length);
  return file.endsWith(EXTENSION) && isSiteId(name) ? name : null;
}

const PERIODS = { "30d": "in 30 days", day: "today", "7d": "in 7 days", month: "this month", year: "this year" } as const;

type BadgePeriod = keyof typeof PERIODS;

const PARAMETERS = {
  metric: oneOf("What the badge shows.", ["visitors", "pageviews"]),
  period: oneOf("Dates of the site's calendar that end today.", Object.keys(PERIODS) as [BadgePeriod, ...BadgePeriod[]]),
};

const METRICS = {
  visitors: { field: "unique_visitors", name: "visitors" },
  pageviews: { field: "total_pageviews", name: "page views" },
} as const;

/** Wide enough for the digits of the usual system fonts. The texts are fitted to it. */
const CHAR_WIDTH = 6.6;
const PADDING = 7;
const HEIGHT = 20;
const BASELINE = 14;

const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const exact = new Intl.NumberFormat("en");

interface Part {
  readonly fill: string;
  readonly words: string;
}

/** Texts side by side, in colours whose contrast with white is at least 4.5 to 1. */
function svgOf(title: string, parts: readonly Part[]): string {
  let left = 0;
  const drawn = parts.map(({ fill, words }) => {
    const textWidth = Math.round([...words].length * CHAR_WIDTH);
    const width = textWidth + 2 * PADDING;
    const part =
      `<rect x="${left}" width="${width}" height="${HEIGHT}" fill="${fill}"/>` +
      `<text x="${left + PADDING}" y="${BASELINE}" textLength="${textWidth}">${xmlText(words)}</text>`;
    left += width;
    return part;
  });
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left}" height="${HEIGHT}" role="img" aria-label="${xmlText(title)}">` +
    `<title>${xmlText(title)}</title>` +
    `<g fill="#fff" font-family="Verdana,Geneva,sans-serif" font-size="11">${drawn.join("")}</g></svg>`
  );
}

/** Pages with many readers ask once in a while only. */
const CACHE_SECS = 300;

/** A site that is not public is answered like one that does not exist. */
export const getBadge: Handler = async (_request, context) => {
  const { standing, reader, url } = context;
  const { metric, period } = new Query(url).parse(PARAMETERS);
  const share = standing?.share ?? "unknown";
  if (typeof share === "string") throw new AppError({ code: "not_found" }, "There is no public site of this name");
  const { siteId } = share;
  const prepared = await main.prepare((name) => (name === "site_id" ? siteId : name === "period" ? period : null), reader);
  const { json } = coveredAnswer(await resultOf(prepared, context));
  const { field, name } = METRICS[metric];
  const value = (JSON.parse(json) as Readonly<Record<typeof field, number>>)[field];
  const label = `${name} ${PERIODS[period]}`;
  const body = svgOf(`${siteId}: ${exact.format(value)} ${label}`, [
    { fill: "#555", words: label },
    { fill: "#2f6f4f", words: short.format(value) },
  ]);
  return {
    status: 200,
    headers: {
      "Content-Type": "image/svg+xml",
      "Cache-Control": `public, max-age=${CACHE_SECS}`,
      "Content-Security-Policy": "default-src 'none'",
      "Cross-Origin-Resource-Policy": "cross-origin",
    },
    body,
  };
};

// Description in the OpenAPI document

const OPERATIONS = {
  "GET /badge/:file": {
    operationId: "getBadge",
    summary: "A number of a public site as an image",
    parameters: [
      inPath("file", "The site, and `.svg`.", text("A site id and `.svg`.", { pattern: "^[A-Za-z0-9._:-]+\\.svg$" }), "example.com.svg"),
      ...documented(PARAMETERS),
    ],
    security: [{}],
    answers: {
      200: {
        description: "The image.",
        headers: {
          "Cache-Control": always("How many seconds the response may be cached."),
          "Content-Security-Policy": always("The image loads nothing."),
          "Cross-Origin-Resource-Policy": always("Any page may show it."),
        },
        content: { "image/svg+xml": { schema: text("SVG, with a title that has the exact number.") } },
      },
    },
    refusals: {
      ...STATS_REFUSALS,
      not_found: "The site does not exist, or is not public.",
      too_many_requests: `${STATS_REFUSALS.too_many_requests} Or the address has sent too many requests for badges and with \`X-Share\`.`,
    },
  },
} satisfies Operations;

export const BADGE_API = { tag: "Sharing", schemas: {}, operations: OPERATIONS } as const;
