/**
 * GET /share/:key: the dashboard for a share link or a public site (docs/sharing.md). It is the same page for every key, so that it does
 * not tell which exist; only the origins that may embed it are those of the link.
 */
import { pageBelow, type Asset, type Assets } from "../runtime/service/assets.ts";
import { DASHBOARD_PAGE, SHARE_PATH } from "../runtime/base/config/names.ts";
import { missing, pageHeaders } from "./assets.ts";
import type { Handler } from "./context.ts";
import { emptyReply, NO_STORE, type ReplyHeaders } from "./reply.ts";
import { assetReply } from "./static-asset.ts";

/**
 * The address is a credential: no other site learns it by a `Referer`, and no cache keeps it. A search engine that loads the page does
 * not list it; one that keeps to robots.txt never loads it, and may list an address that others have published.
 */
const PRIVATE_ADDRESS: ReplyHeaders = { "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex", ...NO_STORE };

const pages = new WeakMap<Assets, Promise<Asset>>();

/** The page of an instance, whose addresses are made relative to the folder above on the first request. */
function pageOf(assets: Assets): Promise<Asset> {
  const built = assets(DASHBOARD_PAGE);
  if (!built) throw missing();
  const page = pages.get(assets) ?? pageBelow(built);
  pages.set(assets, page);
  return page;
}

export const getSharePage: Handler = async (request, { services, params, url }) => {
  const { key = "" } = params;
  const { assets, shares, config } = services;
  if (url.pathname.endsWith("/"))
    return emptyReply(308, { Location: `${config.basePath}${SHARE_PATH}/${encodeURIComponent(key)}${url.search}`, ...PRIVATE_ADDRESS });
  const frameAncestors = shares.find(key)?.share.frameAncestors ?? [];
  return assetReply(request, await pageOf(assets), { ...pageHeaders(frameAncestors), ...PRIVATE_ADDRESS });
};
