/** GET /robots.txt for crawlers, and GET /.well-known/security.txt for people who report a vulnerability. */
import { DAY_MS } from "../storage/event.ts";
import type { Handler } from "./context.ts";
import { textReply } from "./reply.ts";

const CACHE = { "Cache-Control": "public, max-age=86400" } as const;

/** Less than a year, as RFC 9116 recommends. */
const EXPIRES_DAYS = 180;

/** Stats must not be indexed by search engines. */
export const getRobots: Handler = () => textReply("User-agent: *\nDisallow: /\n", 200, CACHE);

/**
 * RFC 9116 requires a contact. `security@` is the mailbox that RFC 2142 reserves for it, at the host of the service.
 */
export const getSecurityContact: Handler = (_request, { services, nowMs, url }) => {
  const { dashboardOrigin } = services.config;
  const { hostname } = dashboardOrigin === null ? url : new URL(dashboardOrigin);
  const domain = /^[\d.]+$/.test(hostname) ? `[${hostname}]` : hostname;
  const expires = new Date(nowMs + EXPIRES_DAYS * DAY_MS).toISOString();
  return textReply(`Contact: mailto:security@${domain}\nExpires: ${expires}\nPreferred-Languages: en\n`, 200, CACHE);
};
