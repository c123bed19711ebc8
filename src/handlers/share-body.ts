/** The body of a new share link: each field's rule (docs/http-api.md, "Share links"). */
import { isFrameAncestor, isShareName, type ShareSettings, type SharedDates } from "../runtime/access/shares.ts";
import { exceedsBytes, exceedsChars } from "../runtime/base/text.ts";
import {
  PASSWORD_BYTES_MAX,
  SHARE_FRAME_ANCESTORS_MAX,
  SHARE_NAME_CHARS_MAX,
  SHARE_PASSWORD_CHARS_MIN,
} from "../runtime/base/config/admin-limits.ts";
import { invalidInput } from "../runtime/base/errors.ts";
import { optionalFlag, optionalText, optionalTexts, requiredText } from "../runtime/base/config/json-fields.ts";
import type { JsonObject } from "../storage/json-record.ts";
import { parseDateRange, PERIODS } from "../runtime/query/date-range.ts";
import { filterText, parseSegmentFilter } from "../runtime/query/filters.ts";
import type { EpochMs, LocalDate } from "../storage/event.ts";

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** As sent; 422 for a missing field or a wrong type. */
export const shareFieldsOf = (body: JsonObject) => ({
  siteId: requiredText(body, "site_id"),
  name: requiredText(body, "name"),
  password: optionalText(body, "password"),
  filters: optionalText(body, "filters"),
  period: optionalText(body, "period"),
  startDate: optionalText(body, "start_date"),
  endDate: optionalText(body, "end_date"),
  realtime: optionalFlag(body, "realtime"),
  expiresAt: optionalText(body, "expires_at"),
  frameAncestors: optionalTexts(body, "frame_ancestors"),
});

export type ShareFields = ReturnType<typeof shareFieldsOf>;

function parseName(name: string): string {
  if (isShareName(name)) return name;
  throw invalidInput(`Field "name" must be 1 to ${SHARE_NAME_CHARS_MAX} characters`);
}

/** Null without a password; 400 when it is too short or too long. */
export function parseSharePassword({ password }: Pick<ShareFields, "password">): string | null {
  if (password === null) return null;
  if (!exceedsChars(password, SHARE_PASSWORD_CHARS_MIN - 1)) {
    throw invalidInput(`Field "password" must be at least ${SHARE_PASSWORD_CHARS_MIN} characters`);
  }
  if (exceedsBytes(password, PASSWORD_BYTES_MAX))
    throw invalidInput(`Field "password" must be at most ${PASSWORD_BYTES_MAX} bytes in UTF-8`);
  return password;
}

/** A period, two dates, or none of them. Of the two names of the current date, links have `day`. */
function parseDates({ period, startDate, endDate }: ShareFields, today: LocalDate): SharedDates | null {
  const hasDates = startDate !== null || endDate !== null;
  if (period === null && !hasDates) return null;
  if (period !== null && hasDates) throw invalidInput('Field "period" cannot be combined with "start_date" and "end_date"');
  if (period !== null && !PERIODS.some((known) => known === period))
    throw invalidInput(`Field "period" must be one of ${PERIODS.join(", ")}`);
  if (period !== null) return { period: period === "today" ? "day" : period };
  const { firstDay, lastDay } = parseDateRange({ period, startDate, endDate }, { today });
  return { firstDay, lastDay };
}

function parseExpiry(text: string | null, nowMs: EpochMs): string | null {
  if (text === null) return null;
  const expiresMs = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(expiresMs))
    throw invalidInput('Field "expires_at" must be a time in ISO 8601 with a time zone, e.g. 2030-12-31T00:00:00Z');
  if (expiresMs <= nowMs) throw invalidInput('Field "expires_at" must be in the future');
  return new Date(expiresMs).toISOString();
}

function parseFrameAncestors(origins: readonly string[]): readonly string[] {
  if (origins.length > SHARE_FRAME_ANCESTORS_MAX)
    throw invalidInput(`Field "frame_ancestors" must list at most ${SHARE_FRAME_ANCESTORS_MAX} origins`);
  const wrong = origins.find((origin) => !isFrameAncestor(origin));
  if (wrong !== undefined) {
    throw invalidInput(
      `Field "frame_ancestors" must list origins such as https://www.example.com, in lowercase and without a path, got "${wrong}"`,
    );
  }
  return [...new Set(origins)];
}

/** 400 for a field that breaks its rule. `today` is the site's current date. */
export function parseShare(fields: ShareFields, nowMs: EpochMs, today: LocalDate): Omit<ShareSettings, "siteId"> {
  const { name, filters, realtime, expiresAt, frameAncestors } = fields;
  return {
    name: parseName(name),
    filters: filterText(parseSegmentFilter(filters)),
    dates: parseDates(fields, today),
    hasRealtime: realtime ?? true,
    expiresAt: parseExpiry(expiresAt, nowMs),
    frameAncestors: parseFrameAncestors(frameAncestors ?? []),
  };
}
