/** Names that clients and operators see: the product's prefix, paths, event names, and what a site id looks like. */
import { DEMO_SITE as NAME_OF_DEMO_SITE, ENVIRONMENT_PREFIX, PREFIX, PRODUCT_NAME } from "../../../shared/names.ts";
import type { SiteId } from "../../../storage/event.ts";
import { invalidInput } from "../errors.ts";
import { text, type Schema } from "../json-schema.ts";
import { SITE_ID_CHARS_MAX } from "./limits.ts";

/** The program's name on the command line. */
export const PROGRAM_NAME = "sandpiper";

export const installationCheckAgent = (version: string): string => `${PRODUCT_NAME}/${version} (installation check)`;

/** The variable that names the configuration file. It is not an option: a file cannot name itself. */
export const FILE_VARIABLE = `${ENVIRONMENT_PREFIX}CONFIG`;

/** The prefix of the service's own metrics (docs/http-api.md, "Metrics"). */
export const METRIC_PREFIX = `${PREFIX}_`;

export const EVENT_PATH = "/api/event";

/** The message prefix from which a visitor salt is derived (docs/http-api.md, "Visitor ids"). */
export const VISITOR_SALT_LABEL = `${PREFIX} visitor salt`;

/** The event name of a page view: the pixel's default, and what pageview metrics count. */
export const PAGEVIEW = "pageview";

/** The event names of the tracker's link clicks. Their property `url` holds the link. */
export const OUTBOUND_CLICK = "Outbound Link: Click";
export const FILE_DOWNLOAD = "File Download";

/** The session cookie (docs/http-api.md, "Sessions"). */
export const SESSION_COOKIE = `${PREFIX}_session`;

/** Prefix of every API key (docs/http-api.md, "API keys"). */
export const API_KEY_PREFIX = `${PREFIX}_`;

export const ASSETS_PATH = "/assets";

/** The path of share links and public sites: `/share/<token or site id>`. */
export const SHARE_PATH = "/share";

/** The dashboard's page among the bundled files. */
export const DASHBOARD_PAGE = "index.html";

/** The script of a visitor's choice among the bundled files, and its path. */
export const OPT_OUT_SCRIPT = "opt-out.js";

// Site ids: one rule for options, ingestion and queries (docs/http-api.md, "Event fields")

/** The form of a site id, without its length. */
export const SITE_ID = /^[A-Za-z0-9._:-]+$/;

/** The demo site's name as a checked site id. */
export const DEMO_SITE = NAME_OF_DEMO_SITE as SiteId;

export const isSiteId = (value: string): value is SiteId => value.length <= SITE_ID_CHARS_MAX && SITE_ID.test(value);

export const siteIdSchema = (description: string): Schema =>
  text(description, { minLength: 1, maxLength: SITE_ID_CHARS_MAX, pattern: SITE_ID.source });

/** 400 if `value` is not a site id. `field` names it in the message. */
export function parseSiteId(value: string, field: string): SiteId {
  if (isSiteId(value)) return value;
  throw invalidInput(
    `"${field}" must be 1 to ${SITE_ID_CHARS_MAX} characters long and hold only ASCII letters, digits, ".", "-", "_" and ":"`,
  );
}
