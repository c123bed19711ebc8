/** POST /api/auth/logout (contract 4.6): ends the session, and is fine where there is none. */
import type { Handler } from "../context.ts";
import { sessionTokensOf } from "../credentials.ts";
import { jsonReply } from "../reply.ts";
import { noSessionCookie } from "../session-cookie.ts";

export const postLogout: Handler = (request, context) => {
  for (const token of sessionTokensOf(request)) context.services.sessions.end(token);
  return jsonReply({ status: "logged_out" }, 200, noSessionCookie(request, context));
};
