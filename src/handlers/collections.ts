/** Whose goals, segments or annotations a request is about, and who may ask for them. */
import { AppError } from "../runtime/errors.ts";
import { SCOPE_PARAMETERS } from "../runtime/query/scope-parameters.ts";
import { checkSite } from "../runtime/query/viewer.ts";
import type { SiteId } from "../storage/event.ts";
import { requireAdminOf } from "./access.ts";
import type { Context } from "./context.ts";
import { Query } from "./query.ts";

const siteIn = ({ url }: Context): SiteId => new Query(url).parse({ site_id: SCOPE_PARAMETERS.site_id }).site_id;

/** 403 for a caller who may not read the site, and for viewers: definitions name pages and events that may not be shared. */
export function readSite(context: Context): SiteId {
  const { viewer } = context;
  if (viewer.principal.view !== null) throw new AppError({ code: "forbidden" }, "A share link may only read the statistics of its site");
  const siteId = siteIn(context);
  checkSite(viewer, siteId);
  return siteId;
}

/** 403 for a caller who may not change the site. */
export function administeredSite(context: Context): SiteId {
  const siteId = siteIn(context);
  requireAdminOf(siteId, context);
  return siteId;
}
