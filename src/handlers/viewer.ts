/** What the page of a share link asks first: what the link shows, and a guest token for its password (docs/http-api.md, "Guests"). */
import { shareNotFound } from "../runtime/access/shares.ts";
import { parseObject, requiredText } from "../runtime/base/config/json-fields.ts";
import { readBody } from "./body.ts";
import type { Handler } from "./context.ts";
import { shareOf } from "./credentials.ts";
import { clientAddressOfRequest } from "./forwarded-headers.ts";
import { jsonReply } from "./reply.ts";
import { dateFields } from "./shares.ts";

/** GET /api/share. A public site has neither a name of its link nor an end. */
export const getShare: Handler = (request, { services: { shares, sites }, standing, nowMs }) => {
  const shown = standing?.share ?? "unknown";
  if (shown === "locked") return jsonReply({ locked: true });
  if (shown === "unknown") throw shareNotFound();
  const { siteId, view } = shown;
  const link = shares.find(shareOf(request) ?? "")?.share;
  const { name, weekStart, hiddenCards } = sites.settingsOf(siteId);
  const calendar = sites.calendarOf(siteId);
  return jsonReply({
    locked: false,
    site_id: siteId,
    site_name: name ?? siteId,
    name: link?.name ?? null,
    filters: view.filters,
    ...dateFields(view.dates),
    realtime: view.hasRealtime,
    expires_at: link?.expiresAt ?? null,
    time_zone: calendar.zoneAt(nowMs),
    today: calendar.dateOf(nowMs),
    week_start: weekStart,
    hidden_cards: hiddenCards,
  });
};

/** POST /api/share/unlock. No page of another origin can send it: `X-Share` takes a preflight, and `share` routes answer none. */
export const postUnlock: Handler = async (request, context) => {
  const { services, deadline } = context;
  const [token, address] = [shareOf(request) ?? "", clientAddressOfRequest(request, context)];
  const password = requiredText(parseObject(await readBody(request)), "password");
  return jsonReply({ token: await services.shareUnlock.attempt({ token, password, address, signal: deadline.signal }) });
};
