/** Describes share links and what their guests ask (docs/http-api.md, "Share links" and "Guests"). */
import {
  PASSWORD_BYTES_MAX,
  SHARES_MAX,
  SHARE_FRAME_ANCESTORS_MAX,
  SHARE_NAME_CHARS_MAX,
  SHARE_PASSWORD_CHARS_MIN,
} from "../../runtime/base/config/admin-limits.ts";
import { boolean, closed, list, orNull, text, type Schema } from "../../runtime/query/json-schema.ts";
import { siteIdSchema } from "../../runtime/query/scope-parameters.ts";
import { WEEK_STARTS } from "../../runtime/sites/site-settings.ts";
import { LISTED_SITE } from "../shares.ts";
import { BODY_REFUSALS, jsonContent } from "./json-content.ts";
import type { Operation, Parameter } from "./operation.ts";
import { documented } from "./parameters.ts";

/** When a request with `X-Share` is refused. */
export const TOO_MANY_VIEWS = "Too many requests with `X-Share` came from the address.";

const TOKEN = text("A token.", { pattern: "^~[A-Za-z0-9_-]{43}$" });
const HASH = text("SHA-256 of the token, which identifies the link.", { pattern: "^[0-9a-f]{64}$" });
const NAME = text("The purpose of the link.", { minLength: 1, maxLength: SHARE_NAME_CHARS_MAX });
const FILTERS = text("Conditions that every report of the link has, as in the parameter `filters`; empty for none.");
const instant = (description: string) => text(description, { format: "date-time" });
const date = (description: string) => text(description, { format: "date" });
const ORIGINS = list("Origins whose pages may embed the link.", text("An origin."), { maxItems: SHARE_FRAME_ANCESTORS_MAX });

const SHOWN_REALTIME = boolean("Whether the link shows the realtime report.");

/** What the link shows. */
const SHOWN = {
  filters: FILTERS,
  period: orNull(text("Dates that no report of the link leaves, as a period that ends today (`7d`). Null without it.")),
  start_date: orNull(date("The first date that the link shows. Null without dates.")),
  end_date: orNull(date("The last one.")),
  realtime: SHOWN_REALTIME,
  expires_at: orNull(instant("When the link ends. Null if it does not.")),
};

const LISTED = {
  share_hash: HASH,
  site_id: siteIdSchema("The site."),
  name: NAME,
  has_password: boolean("Whether guests need a password."),
  ...SHOWN,
  frame_ancestors: ORIGINS,
  created_at: instant("When the link was created."),
  last_used_at: orNull(instant("When it was last used, to within about a minute. Null if never.")),
  revoked: boolean("Whether the link is revoked."),
};

const { period, start_date, end_date, expires_at } = SHOWN;

const NEW_SHARE: Schema = {
  type: "object",
  properties: {
    site_id: LISTED.site_id,
    name: NAME,
    password: orNull(
      text(`A password for guests: at most ${PASSWORD_BYTES_MAX} bytes in UTF-8.`, {
        minLength: SHARE_PASSWORD_CHARS_MIN,
        maxLength: PASSWORD_BYTES_MAX,
      }),
    ),
    filters: orNull(FILTERS),
    period,
    start_date,
    end_date,
    realtime: orNull(SHOWN_REALTIME),
    expires_at,
    frame_ancestors: orNull(ORIGINS),
  },
  required: ["site_id", "name"],
};

export const SHARE_SCHEMAS = {
  NewShare: NEW_SHARE,
  CreatedShare: closed({ token: TOKEN, ...LISTED }),
  Shares: list("In order of creation.", closed(LISTED), { maxItems: SHARES_MAX }),
  RevokedShare: closed({ status: text("Constant.", { const: "revoked" }) }),
  SharePassword: {
    type: "object",
    properties: { password: text("The password of the link.") },
    required: ["password"],
  } as Schema,
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

const { answer, body } = jsonContent<keyof typeof SHARE_SCHEMAS>();

const CHANGE_REFUSALS = {
  too_many_requests: "Too many changes of share links, or too many passwords, are waiting.",
  request_timeout: "The change was not stored within the time limit.",
} as const;

const HASH_PARAMETER: Parameter = {
  name: "share_hash",
  in: "path",
  description: "The hash of the link.",
  required: true,
  schema: HASH,
  example: "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
};

export const SHARE_OPERATIONS = {
  "POST /api/shares": {
    operationId: "createShare",
    tag: "Sharing",
    summary: "Creates a share link",
    requestBody: body("NewShare"),
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
    tag: "Sharing",
    summary: "Lists share links, including revoked and expired ones",
    parameters: documented({ site_id: LISTED_SITE }),
    answers: { 200: answer("The links of the site, or of all sites that the caller may change; never their tokens.", "Shares") },
    refusals: { invalid_input: "`site_id` is no site id." },
  },
  "DELETE /api/shares/:share_hash": {
    operationId: "revokeShare",
    tag: "Sharing",
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
    tag: "Sharing",
    summary: "What a share link or a public site shows",
    answers: { 200: answer("The site and what is shared of it, or that the password is needed.", "SharedSite") },
  },
  "POST /api/share/unlock": {
    operationId: "unlockShare",
    tag: "Sharing",
    summary: "Opens a share link by its password",
    requestBody: body("SharePassword"),
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
} satisfies Readonly<Record<string, Operation>>;
