/** All routes, one line each: method, path, access level, handler, and where they differ the site and the roles of instances. */
import type { Config } from "../runtime/base/config/config.ts";
import { ASSETS_PATH, DEMO_SITE, EVENT_PATH, SHARE_PATH } from "../runtime/base/config/names.ts";
import { parseUrl } from "../runtime/ingest/urls.ts";
import { REPORTS } from "../runtime/reports/registry.ts";
import type { Services } from "../runtime/service/services.ts";
import { deleteAnnotation, getAnnotations, postAnnotation, putAnnotation } from "./annotations.ts";
import { deleteSession, getSessions, getStatus, postLogin, postLogout, postLogoutAll, postPassword, postSetup } from "./auth.ts";
import { getCrawls, postCrawls } from "./crawls.ts";
import { deleteDemo, postDemo } from "./demo.ts";
import { getDropped } from "./dropped.ts";
import { countGoatcounter, getMatomo, postMatomo, postUmami } from "./earlier-tags.ts";
import { deleteEvents } from "./erase.ts";
import { getFeed } from "./feed.ts";
import { getAsset, getDashboard, getScript, getSharePage } from "./files.ts";
import { deleteGoal, getGoals, postGoal, putGoal } from "./goals.ts";
import { getPixel, postEvent } from "./ingest.ts";
import {
  confirmImport,
  deleteImport,
  getImport,
  getImports,
  hideImport,
  postImport,
  putImportLines,
  putImportPart,
  showImport,
} from "./imports.ts";
import { getInstallation, postInstallationPage } from "./installation.ts";
import { deleteKey, getKeys, postKey } from "./keys.ts";
import { openapiHandler, type DescribedPath } from "./openapi.ts";
import { getOptOutPage, getOptOutScript } from "./opt-out.ts";
import { corsHeaders, preflight } from "./origins.ts";
import { postMcp } from "./mcp.ts";
import { Pipeline, type App } from "./pipeline.ts";
import { type Reply, responseTo, withHeaders } from "./http.ts";
import type { Handler, Access, Method, Route } from "./route.ts";
import { problemsOfPaths, pathBelow, createMatcher, extraRoutesOf } from "./router.ts";
import { deleteRule, getBuiltInRules, getRules, postRule, putRule } from "./rules.ts";
import { deleteSegment, getSegments, postSegment, putSegment } from "./segments.ts";
import { getDetails, getHealth, getReady, getMetrics, getRobots, getSecurityContact } from "./service.ts";
import { getShare, postUnlock, deleteShare, getShares, postShare } from "./shares.ts";
import { postDeleteSite } from "./site-deletion.ts";
import { deleteExport, getExportFile, getExports, getSiteExport, postExport } from "./site-exports.ts";
import { getSiteNames, postMerge, postRename } from "./site-moves.ts";
import { getSitePage } from "./site-page.ts";
import { getBadge, siteOfBadge } from "./badge.ts";
import { postChannelPreview } from "./channel-preview.ts";
import { postRulePreview } from "./rule-preview.ts";
import { deleteSettings, getAllSettings, getSettings, putAllSettings, putSettings } from "./site-settings.ts";
import { getExport, getOverview, getProgress, reportHandler, getSites } from "./stats.ts";
import { getSummary } from "./summary.ts";
import { SCRIPT_PATHS } from "../shared/names.ts";

/** Does not compile unless the file of the handler describes the method and path. */
function route<const M extends Method, const P extends DescribedPath<M>>(
  method: M,
  path: P,
  access: Access,
  handler: Handler,
  {
    roles = ["all"],
    site = null,
    guest = null,
    isReport = access === "stats" || access === "key",
  }: Partial<Pick<Route, "roles" | "site" | "guest" | "isReport">> = {},
) {
  return { method, path, access, handler, roles, site, guest, isReport } as const;
}

const ANY_ROLE: Pick<Route, "roles"> = { roles: ["all", "ingest"] };

/** The order of matching: the most frequent routes come first. */
export const ROUTES: readonly Route[] = [
  route("POST", EVENT_PATH, "ingest", postEvent, ANY_ROLE),
  route("GET", EVENT_PATH, "ingest", getPixel, ANY_ROLE),
  route("OPTIONS", EVENT_PATH, "ingest", preflight, ANY_ROLE),
  route("POST", "/api/send", "ingest", postUmami, ANY_ROLE),
  route("OPTIONS", "/api/send", "ingest", preflight, ANY_ROLE),
  route("GET", "/count", "ingest", countGoatcounter, ANY_ROLE),
  route("POST", "/count", "ingest", countGoatcounter, ANY_ROLE),
  route("GET", "/matomo.php", "ingest", getMatomo, ANY_ROLE),
  route("POST", "/matomo.php", "ingest", postMatomo, ANY_ROLE),
  route("OPTIONS", "/matomo.php", "ingest", preflight, ANY_ROLE),
  ...SCRIPT_PATHS.map((path) => route("GET", path, "public", getScript, ANY_ROLE)),
  route("GET", "/opt-out", "public", getOptOutPage, ANY_ROLE),
  route("GET", "/opt-out.js", "public", getOptOutScript, ANY_ROLE),
  route("GET", "/api/sites", "stats", getSites),
  route("GET", "/api/stats/overview", "stats", getOverview),
  ...REPORTS.map((report) => route("GET", report.path, "stats", reportHandler(report), { site: true })),
  route("GET", "/api/summary", "stats", getSummary, { site: true }),
  route("GET", "/api/feed", "stats", getFeed, { site: true, guest: ({ url }) => url.searchParams.get("share") }),
  route("GET", "/api/stats/dropped", "stats", getDropped, { site: true }),
  route("POST", "/api/crawls", "site", postCrawls, { site: true }),
  route("GET", "/api/stats/crawls", "stats", getCrawls, { site: true }),
  route("GET", "/api/stats/export", "stats", getExport, { site: true }),
  route("GET", "/api/stats/progress", "stats", getProgress, { site: true }),
  route("POST", "/api/mcp", "key", postMcp),
  route("POST", "/api/auth/setup", "auth", postSetup),
  route("POST", "/api/auth/login", "auth", postLogin),
  route("POST", "/api/auth/logout", "auth", postLogout),
  route("POST", "/api/auth/logout-all", "session", postLogoutAll),
  route("GET", "/api/auth/sessions", "session", getSessions),
  route("DELETE", "/api/auth/sessions/:session_hash", "session", deleteSession),
  route("POST", "/api/auth/password", "session", postPassword),
  route("GET", "/api/auth/status", "auth", getStatus),
  route("POST", "/api/keys", "admin", postKey),
  route("GET", "/api/keys", "admin", getKeys),
  route("DELETE", "/api/keys/:key_hash", "admin", deleteKey),
  route("GET", "/api/goals", "stats", getGoals, { site: true }),
  route("POST", "/api/goals", "site", postGoal, { site: true }),
  route("PUT", "/api/goals/:goal_id", "site", putGoal, { site: true }),
  route("DELETE", "/api/goals/:goal_id", "site", deleteGoal, { site: true }),
  route("GET", "/api/segments", "stats", getSegments, { site: true }),
  route("POST", "/api/segments", "site", postSegment, { site: true }),
  route("PUT", "/api/segments/:segment_id", "site", putSegment, { site: true }),
  route("DELETE", "/api/segments/:segment_id", "site", deleteSegment, { site: true }),
  route("GET", "/api/annotations", "stats", getAnnotations, { site: true }),
  route("POST", "/api/annotations", "site", postAnnotation, { site: true }),
  route("PUT", "/api/annotations/:annotation_id", "site", putAnnotation, { site: true }),
  route("DELETE", "/api/annotations/:annotation_id", "site", deleteAnnotation, { site: true }),
  route("GET", "/api/rules", "stats", getRules, { site: true }),
  route("POST", "/api/rules", "site", postRule, { site: true }),
  route("GET", "/api/rules/built-in", "stats", getBuiltInRules),
  route("PUT", "/api/rules/:rule_id", "site", putRule, { site: true }),
  route("DELETE", "/api/rules/:rule_id", "site", deleteRule, { site: true }),
  route("POST", "/api/shares", "site", postShare),
  route("GET", "/api/shares", "site", getShares),
  route("DELETE", "/api/shares/:share_hash", "site", deleteShare),
  route("GET", "/api/share", "share", getShare),
  route("POST", "/api/share/unlock", "share", postUnlock),
  route("DELETE", "/api/gdpr/erase", "site", deleteEvents, { site: true }),
  route("POST", "/api/stats/channel-preview", "site", postChannelPreview, { site: true, isReport: true }),
  route("POST", "/api/stats/rule-preview", "site", postRulePreview, { site: true, isReport: true }),
  route("GET", "/api/sites/:site_id", "site", getSettings),
  route("GET", "/api/sites/:site_id/page", "site", getSitePage),
  route("PUT", "/api/sites/:site_id", "site", putSettings),
  route("DELETE", "/api/sites/:site_id", "site", deleteSettings),
  route("POST", "/api/sites/:site_id/delete", "admin", postDeleteSite),
  route("POST", "/api/sites/:site_id/rename", "admin", postRename),
  route("POST", "/api/sites/:site_id/merge", "admin", postMerge),
  route("GET", "/api/site-names", "admin", getSiteNames),
  route("GET", "/api/settings", "admin", getAllSettings),
  route("PUT", "/api/settings", "admin", putAllSettings),
  route("GET", "/api/imports", "admin", getImports),
  route("POST", "/api/imports", "admin", postImport),
  route("GET", "/api/imports/:import_id", "admin", getImport),
  route("PUT", "/api/imports/:import_id/files/:file", "admin", putImportPart),
  route("PUT", "/api/imports/:import_id/lines", "admin", putImportLines),
  route("POST", "/api/imports/:import_id/confirm", "admin", confirmImport),
  route("POST", "/api/imports/:import_id/hide", "admin", hideImport),
  route("POST", "/api/imports/:import_id/show", "admin", showImport),
  route("DELETE", "/api/imports/:import_id", "admin", deleteImport),
  route("GET", "/api/exports", "admin", getExports),
  route("POST", "/api/exports", "admin", postExport),
  route("GET", "/api/exports/:export_id", "admin", getSiteExport),
  route("GET", "/api/exports/:export_id/file", "admin", getExportFile),
  route("DELETE", "/api/exports/:export_id", "admin", deleteExport),
  route("POST", "/api/demo", "manage", postDemo, { site: DEMO_SITE }),
  route("DELETE", "/api/demo", "manage", deleteDemo, { site: DEMO_SITE }),
  route("GET", "/api/installation", "instance", getInstallation),
  route("POST", "/api/installation/page", "admin", postInstallationPage),
  route("GET", "/", "public", getDashboard),
  route("GET", `${SHARE_PATH}/:key`, "public", getSharePage),
  route("GET", "/badge/:file", "share", getBadge, { site: siteOfBadge, guest: ({ params }) => siteOfBadge(params) ?? "" }),
  route("GET", `${ASSETS_PATH}/:name`, "public", getAsset),
  route(
    "GET",
    "/api/openapi.json",
    "public",
    openapiHandler(() => ROUTES),
  ),
  route("GET", "/health", "public", getHealth, ANY_ROLE),
  route("GET", "/health/ready", "public", getReady, ANY_ROLE),
  route("GET", "/health/detailed", "public", getDetails, ANY_ROLE),
  route("GET", "/metrics", "public", getMetrics, ANY_ROLE),
  route("GET", "/robots.txt", "public", getRobots, ANY_ROLE),
  route("GET", "/.well-known/security.txt", "public", getSecurityContact, ANY_ROLE),
];

export const problemsWithRoutes = (config: Config): string[] => problemsOfPaths(ROUTES, config);

export const createApp = (services: Services): App => new Pipeline(ROUTES, services);

type Paths = Pick<Config, "basePath" | "scriptPaths" | "eventPaths" | "dashboardOrigin">;

/** None of them counts while an option is invalid. */
const WITHOUT_OPTIONS: Paths = { basePath: "", scriptPaths: [], eventPaths: [], dashboardOrigin: null };

/** The response of a host whose services cannot start, readable by the same pages as any other. `paths` is null while an option is invalid. */
export async function unstartedResponse(request: Request, reply: Reply, paths: Paths | null): Promise<Response> {
  const known = paths ?? WITHOUT_OPTIONS;
  const url = parseUrl(request.url);
  const match = url && (await createMatcher(ROUTES, extraRoutesOf(ROUTES, known))(pathBelow(known.basePath, url.pathname)));
  return responseTo(request.method, withHeaders(reply, corsHeaders(request, match?.endpoint ?? null, reply, known)));
}
