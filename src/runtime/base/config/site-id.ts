/** What a site id may look like: one rule for options, ingestion and queries (docs/http-api.md, "Event fields"). */
import type { SiteId } from "../../../storage/event.ts";
import { invalidInput } from "../errors.ts";
import { SITE_ID_CHARS_MAX } from "./limits.ts";

/** Its form, without its length. */
export const SITE_ID = /^[A-Za-z0-9._:-]+$/;

/** The made-up site (docs/http-api.md, "Demo site"). A name that nobody can own (RFC 2606, 3). */
export const DEMO_SITE = "demo.example" as SiteId;

export function isSiteId(value: string): value is SiteId {
  return value.length <= SITE_ID_CHARS_MAX && SITE_ID.test(value);
}

/** invalid_input when `value` is not a site id. `field` is its name in the message: `d`, `site_id`, ... */
export function parseSiteId(value: string, field: string): SiteId {
  if (isSiteId(value)) return value;
  throw invalidInput(
    `"${field}" must be 1 to ${SITE_ID_CHARS_MAX} characters long and hold only ASCII letters, digits, ".", "-", "_" and ":"`,
  );
}
