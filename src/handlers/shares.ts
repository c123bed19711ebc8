/** POST, GET and DELETE /api/shares: share links as administrators manage them (docs/http-api.md, "Share links"). */
import { mayAdminister } from "../runtime/access/principal.ts";
import type { Share, SharedDates } from "../runtime/access/shares.ts";
import { parseSiteId } from "../runtime/base/config/names.ts";
import { AppError } from "../runtime/base/errors.ts";
import { parseObject } from "../runtime/base/config/json-fields.ts";
import { parseSegmentFilter } from "../runtime/query/filters.ts";
import { optional } from "../runtime/query/parameters.ts";
import { SCOPE_PARAMETERS } from "../runtime/query/scope-parameters.ts";
import { askerOf, requireAdminOf } from "./access.ts";
import { readBody } from "./body.ts";
import type { Handler } from "./context.ts";
import { Query } from "./query.ts";
import { jsonReply } from "./reply.ts";
import { parseShare, parseSharePassword, shareFieldsOf } from "./share-body.ts";

export const LISTED_SITE = optional(
  {
    description: "The site; without it, all sites that the caller may change.",
    schema: SCOPE_PARAMETERS.site_id.schema,
    example: "example.com",
  },
  parseSiteId,
);

/** The fields of shared dates, of which those that do not apply are null. */
export const dateFields = (dates: SharedDates | null) => ({
  period: dates && "period" in dates ? dates.period : null,
  start_date: dates && "firstDay" in dates ? dates.firstDay : null,
  end_date: dates && "lastDay" in dates ? dates.lastDay : null,
});

/** Everything but the token and the password. */
const described = (share: Share) => ({
  share_hash: share.shareHash,
  site_id: share.siteId,
  name: share.name,
  has_password: share.passwordHash !== null,
  filters: share.filters,
  ...dateFields(share.dates),
  realtime: share.hasRealtime,
  expires_at: share.expiresAt,
  frame_ancestors: share.frameAncestors,
  created_at: share.createdAt,
  last_used_at: share.lastUsedAt,
  revoked: share.revoked,
});

export const postShare: Handler = async (request, context) => {
  const { services, nowMs, deadline } = context;
  const { shares, shareUnlock, sites, filterCheck, log } = services;
  const fields = shareFieldsOf(parseObject(await readBody(request)));
  const siteId = parseSiteId(fields.siteId, "site_id");
  requireAdminOf(siteId, context);
  const settings = { siteId, ...parseShare(fields, nowMs, sites.calendarOf(siteId).dateOf(nowMs)) };
  await filterCheck.check(parseSegmentFilter(settings.filters), askerOf(context));
  const password = parseSharePassword(fields);
  const passwordHash = password === null ? null : await shareUnlock.hash(password, deadline.signal);
  const { token, ...share } = await shares.create(settings, passwordHash, deadline.signal);
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
