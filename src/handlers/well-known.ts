/** What robots and people who found a hole look for: GET /robots.txt and /.well-known/security.txt. */
import { DAY_MS } from "../storage/event.ts";
import type { Handler } from "./context.ts";
import { textReply } from "./reply.ts";

const CACHE = { "Cache-Control": "public, max-age=86400" } as const;

/** Less than a year, as RFC 9116 recommends. */
const EXPIRES_DAYS = 180;

/** Figures are for nobody's index. */
export const getRobots: Handler = () => textReply("User-agent: *\nDisallow: /\n", 200, CACHE);

/**
 * RFC 9116 wants a contact. Whoever runs the service is at home at its host, and `security@` is the mailbox that
 * RFC 2142 sets apart for this.
 */
export const getSecurityContact: Handler = (_request, { services, nowMs, url }) => {
  const { dashboardOrigin } = services.config;
  const { hostname } = dashboardOrigin === null ? url : new URL(dashboardOrigin);
  const domain = /^[\d.]+$/.test(hostname) ? `[${hostname}]` : hostname;
  const expires = new Date(nowMs + EXPIRES_DAYS * DAY_MS).toISOString();
  return textReply(`Contact: mailto:security@${domain}\nExpires: ${expires}\nPreferred-Languages: en\n`, 200, CACHE);
};
