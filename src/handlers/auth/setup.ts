/** POST /api/auth/setup (contract 4.6): chooses the admin password, once. */
import { parseObject, requiredText } from "../../runtime/json-fields.ts";
import { readBody } from "../body.ts";
import type { Handler } from "../context.ts";
import { refuseForeignPage } from "../own-pages.ts";
import { jsonReply } from "../reply.ts";
import { sessionCookie } from "../session-cookie.ts";

export const postSetup: Handler = async (request, { services, deadline }) => {
  const { adminPassword, sessions, now, log } = services;
  adminPassword.checkSetupIsOpen();
  refuseForeignPage(request, services.config);
  const password = requiredText(parseObject(await readBody(request)), "password");
  await adminPassword.setUp(password, deadline.signal);
  log.info("the admin password is set: statistics are for those who log in or have a key");
  const token = sessions.begin(now());
  return jsonReply({ token }, 200, sessionCookie(request, services, token));
};
