/** Share links: /api/shares for administrators, /api/share for guests (docs/http-api.md, "Share links" and "Guests"). */
import { mayAdminister } from "../runtime/access/principal.ts";
import { isFrameAncestor, type Share, type SharedDates, shareNotFound } from "../runtime/access/shares.ts";
import { anyText, Body, flagField, refusedField, required, textField, textsField, withDefault } from "../runtime/base/body.ts";
import {
  PASSWORD_BYTES_MAX,
  SHARE_FRAME_ANCESTORS_MAX,
  SHARE_PASSWORD_CHARS_MIN,
  SHARES_MAX,
} from "../runtime/base/config/admin-limits.ts";
import { parseSiteId, siteIdSchema } from "../runtime/base/config/names.ts";
import { invalidInput, AppError } from "../runtime/base/errors.ts";
import { instantOf } from "../runtime/base/instant.ts";
import { boolean, closed, list, orNull, text } from "../runtime/base/json-schema.ts";
import { type DateTexts, parseDateRange, PERIOD_NAMES } from "../runtime/query/date-range.ts";
import { filterText, parseSegmentFilter } from "../runtime/query/filters.ts";
import { optional } from "../runtime/query/parameters.ts";
import { SCOPE_PARAMETERS } from "../runtime/query/scope.ts";
import { SHARE_NAME_CHARS_MAX } from "../shared/limits.ts";
import { WEEK_STARTS } from "../shared/site-choices.ts";
import { exceedsBytes, exceedsChars } from "../shared/text.ts";
import type { EpochMs, LocalDate } from "../storage/event.ts";
import { askerOf, requireAdminOf, shareOf } from "./access.ts";
import { clientAddressOfRequest } from "./origins.ts";
import { answer, jsonBody, BODY_REFUSALS, inPath, documented, TOO_MANY_VIEWS, type Operations } from "./openapi/operation.ts";
import { jsonReply, Query, readJson } from "./http.ts";
import type { Handler } from "./route.ts";
import { shownSettings } from "./site-settings.ts";

const NAME = text("The purpose of the link.", { minLength: 1, maxLength: SHARE_NAME_CHARS_MAX });
const FILTERS = text("Conditions that every report of the link has, as in the parameter `filters`; empty for none.");
const ORIGINS = list("Origins whose pages may embed the link.", text("An origin."), { maxItems: SHARE_FRAME_ANCESTORS_MAX });
const RAW_EXPORT = boolean("Whether guests may export single events, and not only daily totals.");
const REALTIME = boolean("Whether the link shows the realtime report.");

const SHOWN = {
  filters: FILTERS,
  period: orNull(text("Dates that no report of the link leaves, as a period that ends today (`7d`). Null without it.")),
  start_date: orNull(text("The first date that the link shows. Null without dates.", { format: "date" })),
  end_date: orNull(text("The last one.", { format: "date" })),
  realtime: REALTIME,
  raw_export: RAW_EXPORT,
  expires_at: orNull(text("When the link ends. Null if it does not.", { format: "date-time" })),
};

/** The schema bounds characters, and a character is at least one byte. No message quotes a password. */
const PASSWORD = text(`A password for guests: at most ${PASSWORD_BYTES_MAX} bytes in UTF-8.`, {
  minLength: SHARE_PASSWORD_CHARS_MIN,
  maxLength: PASSWORD_BYTES_MAX,
});

function parsePassword(password: string, name: string): string {
  if (!exceedsChars(password, SHARE_PASSWORD_CHARS_MIN - 1))
    throw invalidInput(`Field "${name}" must be at least ${SHARE_PASSWORD_CHARS_MIN} characters`);
  if (exceedsBytes(password, PASSWORD_BYTES_MAX))
    throw invalidInput(`Field "${name}" must be at most ${PASSWORD_BYTES_MAX} bytes in UTF-8`);
  return password;
}

function parseInstant(written: string, name: string): EpochMs {
  const ms = instantOf(written);
  if (Number.isNaN(ms)) throw refusedField(name, "a time in ISO 8601 with a time zone, e.g. 2030-12-31T00:00:00Z", written);
  return ms;
}

function parseFrameAncestors(origins: readonly string[], name: string): readonly string[] {
  if (origins.length > SHARE_FRAME_ANCESTORS_MAX)
    throw invalidInput(`Field "${name}" must list at most ${SHARE_FRAME_ANCESTORS_MAX} origins, got ${origins.length}`);
  const wrong = origins.find((origin) => !isFrameAncestor(origin));
  if (wrong === undefined) return [...new Set(origins)];
  throw invalidInput(`Field "${name}" must list origins such as https://www.example.com, in lowercase and without a path, got "${wrong}"`);
}

const NEW_SHARE = new Body({
  site_id: required(textField(siteIdSchema("The site."), parseSiteId)),
  name: required(textField(NAME)),
  password: textField(orNull(PASSWORD), parsePassword),
  filters: withDefault(textField(orNull(FILTERS), parseSegmentFilter), []),
  period: textField(SHOWN.period, (period, name) => {
    if (PERIOD_NAMES.includes(period)) return period;
    throw refusedField(name, `one of ${PERIOD_NAMES.join(", ")}`, period);
  }),
  start_date: anyText(SHOWN.start_date),
  end_date: anyText(SHOWN.end_date),
  realtime: withDefault(flagField(orNull(REALTIME)), true),
  raw_export: withDefault(flagField(orNull(RAW_EXPORT)), true),
  expires_at: textField(SHOWN.expires_at, parseInstant),
  frame_ancestors: withDefault(textsField(orNull(ORIGINS), parseFrameAncestors), []),
});

const UNLOCK = new Body({ password: required(anyText(text("The password of the link."))) });

/** A period, two dates, or null. `day` and `today` mean the same, and links store `day`. */
function sharedDates({ period, startDate, endDate }: DateTexts, today: LocalDate): SharedDates | null {
  const hasDates = startDate !== null || endDate !== null;
  if (period === null && !hasDates) return null;
  if (period !== null && hasDates) throw invalidInput('Field "period" cannot be combined with "start_date" and "end_date"');
  if (period !== null) return { period: period === "today" ? "day" : period };
  const { firstDay, lastDay } = parseDateRange({ period, startDate, endDate }, { today });
  return { firstDay, lastDay };
}

const LISTED_SITE = optional(
  {
    description: "The site; without it, all sites that the caller may change.",
    schema: SCOPE_PARAMETERS.site_id.schema,
    example: "example.com",
  },
  parseSiteId,
);

const dateFields = (dates: SharedDates | null) => ({
  period: dates && "period" in dates ? dates.period : null,
  start_date: dates && "firstDay" in dates ? dates.firstDay : null,
  end_date: dates && "lastDay" in dates ? dates.lastDay : null,
});

/** Never contains the token or the password. */
const described = (share: Share) => ({
  share_hash: share.shareHash,
  site_id: share.siteId,
  name: share.name,
  has_password: share.passwordHash !== null,
  filters: share.filters,
  ...dateFields(share.dates),
  realtime: share.hasRealtime,
  raw_export: share.hasRawExport,
  expires_at: share.expiresAt,
  frame_ancestors: share.frameAncestors,
  created_at: share.createdAt,
  last_used_at: share.lastUsedAt,
  revoked: share.revoked,
});

export const postShare: Handler = async (request, context) => {
  const { services, nowMs, deadline } = context;
  const { shares, shareUnlock, sites, filterCheck, log } = services;
  const sent = NEW_SHARE.read(await readJson(request));
  const named = NEW_SHARE.checkOne(sent, "site_id");
  const siteId = services.names?.renamedTo(named) ?? named;
  requireAdminOf(siteId, context);
  const body = NEW_SHARE.check(sent);
  const { period, start_date: startDate, end_date: endDate, expires_at: expiresMs } = body;
  const dates = sharedDates({ period, startDate, endDate }, sites.calendarOf(siteId).dateOf(nowMs));
  if (expiresMs !== null && expiresMs <= nowMs) throw invalidInput('Field "expires_at" must be in the future');
  await filterCheck.check(body.filters, askerOf(context));
  const settings = {
    siteId,
    name: body.name,
    filters: filterText(body.filters),
    dates,
    hasRealtime: body.realtime,
    hasRawExport: body.raw_export,
    expiresAt: expiresMs === null ? null : new Date(expiresMs).toISOString(),
    frameAncestors: body.frame_ancestors,
  };
  const passwordHash = body.password === null ? null : await shareUnlock.hash(body.password, deadline.signal);
  // The site may have got another name meanwhile.
  const siteIdNow = services.names?.renamedTo(siteId) ?? siteId;
  const { token, ...share } = await shares.create({ ...settings, siteId: siteIdNow }, passwordHash, deadline.signal);
  log.info("a share link was created", { siteId, shareHash: share.shareHash });
  return jsonReply({ token, ...described(share) }, 201);
};

export const getShares: Handler = (_request, context) => {
  const {
    services,
    reader: { principal },
    url,
  } = context;
  const { site_id: wanted } = new Query(url).parse({ site_id: LISTED_SITE });
  if (wanted !== null) requireAdminOf(wanted, context);
  const listed = services.shares.list().filter(({ siteId }) => mayAdminister(principal, siteId) && (wanted ?? siteId) === siteId);
  return jsonReply(listed.map(described));
};

/** A link of a site that the caller may not change is as unknown as one that does not exist. */
export const deleteShare: Handler = async (_request, { services, reader: { principal }, params, deadline }) => {
  const share = services.shares.get(params.share_hash ?? "");
  if (share === null || !mayAdminister(principal, share.siteId)) throw new AppError({ code: "not_found" }, "Share link not found");
  const { shareHash, siteId } = share;
  await services.shares.revoke(shareHash, deadline.signal);
  services.log.info("a share link was revoked", { siteId, shareHash });
  return jsonReply({ status: "revoked" });
};

/** GET /api/share. A public site has neither a name of its link nor an end. */
export const getShare: Handler = (request, { services: { shares, sites }, standing, nowMs }) => {
  const shown = standing?.share ?? "unknown";
  if (shown === "locked") return jsonReply({ locked: true });
  if (shown === "unknown") throw shareNotFound();
  const { siteId, view } = shown;
  const link = shares.find(shareOf(request) ?? "")?.share;
  return jsonReply({
    locked: false,
    site_id: siteId,
    site_name: sites.settingsOf(siteId).name ?? siteId,
    name: link?.name ?? null,
    filters: view.filters,
    ...dateFields(view.dates),
    realtime: view.hasRealtime,
    raw_export: view.hasRawExport,
    expires_at: link?.expiresAt ?? null,
    ...shownSettings(sites, siteId, nowMs),
  });
};

/** POST /api/share/unlock. No page of another origin can send it: `X-Share` takes a preflight, and `share` routes answer none. */
export const postUnlock: Handler = async (request, context) => {
  const { services, deadline } = context;
  const [token, address] = [shareOf(request) ?? "", clientAddressOfRequest(request, context)];
  const { password } = UNLOCK.parse(await readJson(request));
  return jsonReply({ token: await services.shareUnlock.attempt({ token, password, address, signal: deadline.signal }) });
};

// Description in the OpenAPI document

const TOKEN = text("A token.", { pattern: "^~[A-Za-z0-9_-]{43}$" });
const HASH = text("SHA-256 of the token, which identifies the link.", { pattern: "^[0-9a-f]{64}$" });
const LISTED = {
  share_hash: HASH,
  site_id: siteIdSchema("The site."),
  name: NAME,
  has_password: boolean("Whether guests need a password."),
  ...SHOWN,
  frame_ancestors: ORIGINS,
  created_at: text("When the link was created.", { format: "date-time" }),
  last_used_at: orNull(text("When it was last used, to within about a minute. Null if never.", { format: "date-time" })),
  revoked: boolean("Whether the link is revoked."),
};

const SCHEMAS = {
  NewShare: NEW_SHARE.schema,
  CreatedShare: closed({ token: TOKEN, ...LISTED }),
  Shares: list("In order of creation.", closed(LISTED), { maxItems: SHARES_MAX }),
  RevokedShare: closed({ status: text("Constant.", { const: "revoked" }) }),
  SharePassword: UNLOCK.schema,
  ViewerToken: closed({ token: TOKEN }),
  SharedSite: closed(
    {
      locked: boolean("Whether the link needs its password. If so, there is no other field."),
      site_id: LISTED.site_id,
      site_name: text("What the site is called."),
      name: orNull(text("The name of the link. Null for a public site.")),
      ...SHOWN,
      time_zone: text("The IANA name of the site's time zone."),
      today: text("The site's current date.", { format: "date" }),
      week_start: text("The first day of a week.", { enum: WEEK_STARTS }),
      hidden_cards: list("Cards that the dashboard does not show.", text("A card.")),
    },
    { optional: ["site_id", "site_name", "name", ...Object.keys(SHOWN), "time_zone", "today", "week_start", "hidden_cards"] as never },
  ),
};

const CHANGE_REFUSALS = {
  too_many_requests: "Too many changes of share links, or too many passwords, are waiting.",
  request_timeout: "The change was not stored within the time limit.",
} as const;

const HASH_PARAMETER = inPath(
  "share_hash",
  "The hash of the link.",
  HASH,
  "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
);

const OPERATIONS = {
  "POST /api/shares": {
    operationId: "createShare",
    summary: "Creates a share link",
    requestBody: jsonBody("NewShare"),
    answers: { 201: answer("The link, whose token is returned only here: only its hash is stored.", "CreatedShare") },
    refusals: {
      ...BODY_REFUSALS,
      ...CHANGE_REFUSALS,
      invalid_input: "The body is not JSON, a field breaks its rule, or the maximum number of links exists.",
      not_stored: "The link could not be stored, and does not work.",
    },
  },
  "GET /api/shares": {
    operationId: "listShares",
    summary: "Lists share links, including revoked and expired ones",
    parameters: documented({ site_id: LISTED_SITE }),
    answers: { 200: answer("The links of the site, or of all sites that the caller may change; never their tokens.", "Shares") },
    refusals: { invalid_input: "`site_id` is no site id." },
  },
  "DELETE /api/shares/:share_hash": {
    operationId: "revokeShare",
    summary: "Revokes a share link",
    description: "At once, for guests who have entered its password, too. Revoking a link again succeeds.",
    parameters: [HASH_PARAMETER],
    answers: { 200: answer("The link no longer works.", "RevokedShare") },
    refusals: {
      ...CHANGE_REFUSALS,
      not_found: "There is no link with this hash, or it is of another site than the key is for.",
      unavailable: "The revocation could not be stored. The link is refused until a restart; try again.",
    },
  },
  "GET /api/share": {
    operationId: "getShare",
    summary: "What a share link or a public site shows",
    answers: { 200: answer("The site and what is shared of it, or that the password is needed.", "SharedSite") },
  },
  "POST /api/share/unlock": {
    operationId: "unlockShare",
    summary: "Opens a share link by its password",
    requestBody: jsonBody("SharePassword"),
    answers: { 200: answer("A guest token, to send as `X-Share` in place of the token.", "ViewerToken") },
    refusals: {
      ...BODY_REFUSALS,
      invalid_input: "The body is not JSON, or the link has no password.",
      unauthenticated: "The password is wrong.",
      request_timeout: "The password did not arrive, or was not checked, within the time limit.",
      too_many_requests: `The address has sent too many wrong passwords of the link in a row, too many passwords of the link were sent, or too many passwords are waiting to be checked. Or: ${TOO_MANY_VIEWS}`,
      internal: "The password could not be checked.",
    },
  },
} satisfies Operations;

export const SHARES_API = { tag: "Sharing", schemas: SCHEMAS, operations: OPERATIONS } as const;
