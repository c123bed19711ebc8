/** Every name that carries the product's prefix. Only the tracker repeats one (`window.svc`), and a test compares the two. */

const PREFIX = "svc";

/** The product's name in prose: log lines, messages, file names. */
export const PRODUCT_NAME = "Sandpiper";

/** Environment variables are `SVC_` and the option's name in capitals. */
export const ENVIRONMENT_PREFIX = `${PREFIX.toUpperCase()}_`;

/** Before the name of every metric of the service's own (contract 4.7). */
export const METRIC_PREFIX = `${PREFIX}_`;

/** Where the tracking script is served (contract 4.1). */
export const SCRIPT_PATHS = [`/${PREFIX}.js`, "/js/script.js"] as const;

/** Where events are posted (contract 4.1). */
export const EVENT_PATH = "/api/event";

/** Put before the salt period's number when the visitor salt is derived (decisions, "Ingestion"). */
export const VISITOR_SALT_LABEL = `${PREFIX} visitor salt`;

/** The event name of page views: the pixel's default and what every pageview figure counts (contract 6). */
export const PAGEVIEW = "pageview";

/** The event names of the tracker's clicks on links, whose property `url` holds the link (contract 6). */
export const OUTBOUND_CLICK = "Outbound Link: Click";
export const FILE_DOWNLOAD = "File Download";

/** The cookie of a login (contract 5). */
export const SESSION_COOKIE = `${PREFIX}_session`;

/** What every API key begins with (contract 2.2). */
export const API_KEY_PREFIX = `${PREFIX}_`;

/** Where the dashboard's files are served. */
export const ASSETS_PATH = "/assets";

/** The dashboard's page among the bundled files. */
export const DASHBOARD_PAGE = "index.html";
