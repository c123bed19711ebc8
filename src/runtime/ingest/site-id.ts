/** What a site id may look like (contract 2.5): the one rule that ingestion and queries share. */
import { invalidInput } from "../errors.ts";
import { SITE_ID_CHARS_MAX } from "../config/limits.ts";
import type { SiteId } from "../../storage/event.ts";

/** Its form; how long it may be is said in `limits.ts`. */
export const SITE_ID = /^[A-Za-z0-9._:-]+$/;

/** Whether `value` is a valid site id. */
export function isSiteId(value: string): value is SiteId {
  return value.length <= SITE_ID_CHARS_MAX && SITE_ID.test(value);
}

/** `value` as a site id; invalid_input naming `field` (`d`, `site_id`, ...) and the rule otherwise. */
export function parseSiteId(value: string, field: string): SiteId {
  if (isSiteId(value)) return value;
  throw invalidInput(
    `"${field}" must be 1 to ${SITE_ID_CHARS_MAX} characters long and hold only ASCII letters, digits, ".", "-", "_" and ":"`,
  );
}
