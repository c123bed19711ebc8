/** POST /api/auth/setup (contract 4.6): chooses the admin password, once. */
import { optionalText, parseObject, requiredText } from "../../runtime/ingest/json-fields.ts";
import { readBody } from "../body.ts";
import { clientAddressOfRequest } from "../client-address.ts";
import type { Context, Handler } from "../context.ts";
import { refuseForeignPage } from "../csrf.ts";
import { maybeRebound, unverifiedHost } from "../rebinding.ts";
import { jsonReply } from "../reply.ts";
import { sessionCookie } from "../session-cookie.ts";

/** 403 where the host name may be an attacker's, unless the setup code shows that whoever asks can read the log. */
function requireCode(code: string | null, request: Request, context: Context): void {
  if (code === null) throw unverifiedHost(context);
  context.services.setupCode.check(code, clientAddressOfRequest(request, context));
}

export const postSetup: Handler = async (request, context) => {
  const { services, deadline } = context;
  const { adminPassword, sessions, now, log } = services;
  adminPassword.checkSetupIsOpen();
  refuseForeignPage(request, context);
  const body = parseObject(await readBody(request));
  const [password, code] = [requiredText(body, "password"), optionalText(body, "code")];
  if (maybeRebound(request, context)) requireCode(code, request, context);
  await adminPassword.setUp(password, deadline.signal);
  log.info("the admin password is set: statistics are for those who log in or have a key");
  const token = sessions.begin(now());
  return jsonReply({ token }, 200, sessionCookie(request, context, token));
};
