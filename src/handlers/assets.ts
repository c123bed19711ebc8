/** The files in the program's bundle: GET /svc.js and its alias, GET / and GET /assets/:name. */
import { DASHBOARD_PAGE } from "../runtime/base/config/names.ts";
import { AppError } from "../runtime/base/errors.ts";
import type { Handler } from "./context.ts";
import { ANY_ORIGIN } from "./cors.ts";
import type { ReplyHeaders } from "./reply.ts";
import { assetReply } from "./static-asset.ts";

/** Short enough that a new version reaches every page within a day. */
const SCRIPT_CACHE_SECS = 86_400;

const SCRIPT_HEADERS = {
  "Cache-Control": `public, max-age=${SCRIPT_CACHE_SECS}`,
  ...ANY_ORIGIN,
  "Cross-Origin-Resource-Policy": "cross-origin",
} as const;

/** The tracking script (docs/tracking-script.md). */
export const getScript: Handler = (request, { services }) => assetReply(request, services.trackerScript, SCRIPT_HEADERS);

/** The page may load only its own scripts, styles and reports; only these origins may frame it, and forms go only to the service. */
const contentSecurityPolicy = (frameAncestors: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    `frame-ancestors ${frameAncestors.join(" ") || "'none'"}`,
  ].join("; ");

/** On every page that a browser renders. `X-Frame-Options` cannot name origins. */
export const pageHeaders = (frameAncestors: readonly string[]): ReplyHeaders => ({
  "Content-Security-Policy": contentSecurityPolicy(frameAncestors),
  ...(frameAncestors.length === 0 && { "X-Frame-Options": "DENY" }),
  "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()",
});

/** Revalidated at each visit, with 304 if unchanged, so the next visit gets a new version. */
const PAGE_HEADERS: ReplyHeaders = { ...pageHeaders([]), "Cache-Control": "no-cache" };

/** For files whose names contain a hash of the content. */
const IMMUTABLE = { "Cache-Control": "public, max-age=31536000, immutable" } as const;

export const missing = (): AppError => new AppError({ code: "not_found" }, "There is nothing at this path");

export const getDashboard: Handler = (request, { services }) => {
  const page = services.assets(DASHBOARD_PAGE);
  if (!page) throw missing();
  return assetReply(request, page, PAGE_HEADERS);
};

export const getAsset: Handler = (request, { services, params }) => {
  const { name = "" } = params;
  const asset = name === DASHBOARD_PAGE ? null : services.assets(name);
  if (!asset) throw missing();
  return assetReply(request, asset, IMMUTABLE);
};
