/** The files in the program's bundle: tracking script, dashboard and the page of share links (docs/http-api.md, "Static files"). */
import { ASSETS_PATH, DASHBOARD_PAGE, OPT_OUT_SCRIPT, SHARE_PATH } from "../runtime/base/config/names.ts";
import { AppError } from "../runtime/base/errors.ts";
import { text } from "../runtime/base/json-schema.ts";
import { type Asset, pageBelow, type Assets } from "../runtime/service/assets.ts";
import { always, only, NOT_STORED, ANY_PAGE, FILE_HEADERS, CODED, UNCHANGED, type Headers } from "./openapi/headers.ts";
import { inPath, type Operation, type Operations } from "./openapi/operation.ts";
import { ANY_ORIGIN } from "./origins.ts";
import { emptyReply, NO_STORE, type Reply, type ReplyHeaders } from "./http.ts";
import type { Handler } from "./route.ts";
import { SCRIPT_PATHS } from "../shared/names.ts";

type Coding = "br" | "gzip" | "identity";

/** Smallest first: the first of equally weighted codings is sent. */
const CODINGS: readonly Coding[] = ["br", "gzip", "identity"];

/** Weights by name, as `Accept` and `Accept-Encoding` give them (RFC 9110, 12.4.2). */
export function weightsIn(accepted: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const part of accepted.toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((piece) => piece.trim());
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
    if (name !== "") weights.set(name, /^(?:0|1)(?:\.\d{0,3})?$/.test(weight) ? Number(weight) : 0);
  }
  return weights;
}

/** `identity` if the client accepts no other. */
export function chosenCoding(acceptEncoding: string | null, available: readonly Coding[]): Coding {
  const weights = weightsIn(acceptEncoding ?? "");
  let best: Coding = "identity";
  let bestWeight = 0;
  for (const coding of CODINGS) {
    if (!available.includes(coding)) continue;
    // A coding that is not listed has the weight of `*`; `identity` is acceptable unless it is excluded.
    const weight = weights.get(coding) ?? weights.get("*") ?? (coding === "identity" ? 0.001 : 0);
    if (weight > bestWeight) [best, bestWeight] = [coding, weight];
  }
  return best;
}

/** A strong ETag: each coding of a file has its own, because the bytes differ. */
const tagOf = (version: string, coding: Coding): string => `"${version}${coding === "identity" ? "" : `-${coding}`}"`;

/** The weak comparison of `If-None-Match` (RFC 9110, 13.1.2). */
function isKnown(ifNoneMatch: string | null, tag: string): boolean {
  if (ifNoneMatch === null) return false;
  return ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((known) => known.trim().replace(/^W\//, "") === tag);
}

/** `headers` are added to the headers of the file, also for a 304. */
export function assetReply(request: Request, asset: Asset, headers: ReplyHeaders): Reply {
  const forms = { identity: asset.bytes, br: asset.brotli, gzip: asset.gzip };
  const available = CODINGS.filter((coding) => forms[coding] !== undefined);
  const coding = chosenCoding(request.headers.get("accept-encoding"), available);
  const tag = tagOf(asset.version, coding);
  const common = { ...headers, ETag: tag, Vary: "Accept-Encoding" };
  if (isKnown(request.headers.get("if-none-match"), tag)) return emptyReply(304, common);
  const bytes = forms[coding] ?? asset.bytes;
  const described = { ...common, "Content-Type": asset.contentType, "Content-Length": String(bytes.length) };
  if (coding === "identity") return { status: 200, headers: described, body: bytes };
  return { status: 200, headers: { ...described, "Content-Encoding": coding }, body: bytes, isEncoded: true };
}

/** Short enough that a new version reaches every page within a day. */
const SCRIPT_CACHE_SECS = 86_400;

export const SCRIPT_HEADERS = {
  "Cache-Control": `public, max-age=${SCRIPT_CACHE_SECS}`,
  ...ANY_ORIGIN,
  "Cross-Origin-Resource-Policy": "cross-origin",
} as const;

export const getScript: Handler = (request, { services }) => assetReply(request, services.trackerScript, SCRIPT_HEADERS);

/** The page may load only its own scripts, styles, fonts and reports; only these origins may frame it, and forms go only to the service. */
const contentSecurityPolicy = (frameAncestors: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    `frame-ancestors ${frameAncestors.join(" ") || "'none'"}`,
  ].join("; ");

/** Headers of every page that a browser renders. `X-Frame-Options` cannot name origins. */
export const pageHeaders = (frameAncestors: readonly string[]): ReplyHeaders => ({
  "Content-Security-Policy": contentSecurityPolicy(frameAncestors),
  ...(frameAncestors.length === 0 && { "X-Frame-Options": "DENY" }),
  "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()",
});

/** Revalidated at each visit, with 304 if unchanged, so the next visit gets a new version. */
const PAGE_HEADERS: ReplyHeaders = { ...pageHeaders([]), "Cache-Control": "no-cache" };

/** Headers of files whose names contain a hash of the content. */
const IMMUTABLE = { "Cache-Control": "public, max-age=31536000, immutable" } as const;

export function existing(asset: Asset | null): Asset {
  if (!asset) throw new AppError({ code: "not_found" }, "There is nothing at this path");
  return asset;
}

export const getDashboard: Handler = (request, { services }) =>
  assetReply(request, existing(services.assets(DASHBOARD_PAGE)), PAGE_HEADERS);

/** Files that have routes of their own, because no hash is in their names. */
const UNHASHED: readonly string[] = [DASHBOARD_PAGE, OPT_OUT_SCRIPT];

export const getAsset: Handler = (request, { services, params: { name = "" } }) =>
  assetReply(request, existing(UNHASHED.includes(name) ? null : services.assets(name)), IMMUTABLE);

/**
 * The address is a credential: no other site learns it by a `Referer`, and no cache keeps it. A search engine that loads the page does
 * not list it; one that keeps to robots.txt never loads it, and may list an address that others have published.
 */
const PRIVATE_ADDRESS: ReplyHeaders = { "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex", ...NO_STORE };

const pages = new WeakMap<Assets, Promise<Asset>>();

/** The page of an instance, whose addresses are made relative to the folder above on the first request. */
function pageOf(assets: Assets): Promise<Asset> {
  const page = pages.get(assets) ?? pageBelow(existing(assets(DASHBOARD_PAGE)));
  pages.set(assets, page);
  return page;
}

export const getSharePage: Handler = async (request, { services, params, url }) => {
  const { key = "" } = params;
  const { assets, shares, config } = services;
  if (url.pathname.endsWith("/"))
    return emptyReply(308, { Location: `${config.basePath}${SHARE_PATH}/${encodeURIComponent(key)}${url.search}`, ...PRIVATE_ADDRESS });
  const frameAncestors = shares.find(key)?.share.frameAncestors ?? [];
  return assetReply(request, await pageOf(assets), { ...pageHeaders(frameAncestors), ...PRIVATE_ADDRESS });
};

// Description in the OpenAPI document

const PAGE: Headers = {
  "Content-Security-Policy": always("Allows only the page's own files."),
  "X-Frame-Options": always("The page cannot be framed.", only("DENY")),
  "Permissions-Policy": always("Disables browser features that the page does not use."),
};

const SHARE_PAGE: Headers = {
  ...FILE_HEADERS,
  ...NOT_STORED,
  ...PAGE,
  "X-Frame-Options": { description: "Unless the share link may be embedded.", schema: { type: "string", const: "DENY" } },
  "X-Robots-Tag": always("Search engines that load the page do not list it.", only("noindex")),
};

const file = { schema: text("The file.", { minLength: 1 }) };

const SCRIPT_FILE: Headers = {
  ...FILE_HEADERS,
  ...ANY_PAGE,
  "Cross-Origin-Resource-Policy": always("Any page may load it.", only("cross-origin")),
};

export const scriptOperation = (operationId: string, summary: string): Operation => ({
  operationId,
  summary,
  answers: {
    200: {
      description: "The script.",
      headers: { ...SCRIPT_FILE, ...CODED },
      content: { "text/javascript": { schema: text("JavaScript.", { minLength: 1 }) } },
    },
    304: { description: UNCHANGED, headers: SCRIPT_FILE },
  },
});

const OPERATIONS = {
  [`GET ${SCRIPT_PATHS[0]}` as const]: scriptOperation("getScript", "The tracking script"),
  [`GET ${SCRIPT_PATHS[1]}` as const]: scriptOperation("getScriptAlias", "The tracking script at its alias"),
  "GET /": {
    operationId: "getDashboard",
    summary: "The dashboard",
    answers: {
      200: { description: "The page.", headers: { ...FILE_HEADERS, ...CODED, ...PAGE }, content: { "text/html": file } },
      304: { description: UNCHANGED, headers: { ...FILE_HEADERS, ...PAGE } },
    },
  },
  [`GET ${SHARE_PATH}/:key` as const]: {
    operationId: "getSharePage",
    summary: "The dashboard for a share link or a public site",
    description: "The same page whether or not the link exists. `Content-Security-Policy` names the origins that may embed it.",
    parameters: [
      inPath(
        "key",
        "The token of a share link, or the id of a public site.",
        text("A token or a site id.", { minLength: 1 }),
        "example.com",
      ),
    ],
    answers: {
      200: { description: "The page.", headers: { ...SHARE_PAGE, ...CODED }, content: { "text/html": file } },
      304: { description: UNCHANGED, headers: SHARE_PAGE },
    },
  },
  [`GET ${ASSETS_PATH}/:name` as const]: {
    operationId: "getAsset",
    summary: "A file of the dashboard",
    parameters: [
      inPath(
        "name",
        `The name in the page, which contains a hash of the content, so the file may be cached forever. Neither \`${DASHBOARD_PAGE}\` nor \`${OPT_OUT_SCRIPT}\`.`,
        text("The file's name.", { minLength: 1 }),
        "page-1.js",
      ),
    ],
    answers: {
      200: {
        description: "The file.",
        headers: { ...FILE_HEADERS, ...CODED },
        content: { "text/javascript": file, "text/css": file, "application/json": {}, "image/svg+xml": file },
      },
      304: { description: UNCHANGED, headers: FILE_HEADERS },
    },
    refusals: { not_found: "There is no file with this name." },
  },
} satisfies Operations;

export const FILES_API = { tag: "Service", schemas: {}, operations: OPERATIONS } as const;
