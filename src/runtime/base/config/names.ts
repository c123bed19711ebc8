/** Names that clients and operators see: the product's prefix, paths, event names. The tracker repeats `window.svc`, and a test compares the two. */

const PREFIX = "svc";

/** The product's name in prose: log lines, messages, file names. */
export const PRODUCT_NAME = "Sandpiper";

/** The program's name on the command line. */
export const PROGRAM_NAME = "sandpiper";

/** How the program names itself to a page that it checks. */
export const installationCheckAgent = (version: string): string => `${PRODUCT_NAME}/${version} (installation check)`;

/** An option's environment variable is this and the option's name in capitals. */
export const ENVIRONMENT_PREFIX = `${PREFIX.toUpperCase()}_`;

/** The variable that names the configuration file. It is not an option: a file cannot name itself. */
export const FILE_VARIABLE = `${ENVIRONMENT_PREFIX}CONFIG`;

/** The prefix of the service's own metrics (docs/http-api.md, "Metrics"). */
export const METRIC_PREFIX = `${PREFIX}_`;

/** Where the tracking script is served. */
export const SCRIPT_PATHS = [`/${PREFIX}.js`, "/js/script.js"] as const;

/** Where events are posted. */
export const EVENT_PATH = "/api/event";

/** The report of many sites; all others are of one. */
export const OVERVIEW_PATH = "/api/stats/overview";

/** The message prefix from which a visitor salt is derived (docs/http-api.md, "Visitor ids"). */
export const VISITOR_SALT_LABEL = `${PREFIX} visitor salt`;

/** The event name of a page view: the pixel's default, and what pageview metrics count. */
export const PAGEVIEW = "pageview";

/** The event names of the tracker's link clicks. Their property `url` holds the link. */
export const OUTBOUND_CLICK = "Outbound Link: Click";
export const FILE_DOWNLOAD = "File Download";

/** The session cookie (docs/http-api.md, "Sessions"). */
export const SESSION_COOKIE = `${PREFIX}_session`;

/** How every API key begins (docs/http-api.md, "API keys"). */
export const API_KEY_PREFIX = `${PREFIX}_`;

/** Where the dashboard's files are served. */
export const ASSETS_PATH = "/assets";

/** Where share links and public sites are served: `/share/<token or site id>`. */
export const SHARE_PATH = "/share";

/** The dashboard's page among the bundled files. */
export const DASHBOARD_PAGE = "index.html";
