/** POST /api/auth/login (contract 4.6): a session for whoever knows the password. */
import { parseObject, requiredText } from "../../runtime/ingest/json-fields.ts";
import { readBody } from "../body.ts";
import { clientAddressOfRequest } from "../client-address.ts";
import type { Handler } from "../context.ts";
import { refuseForeignPage } from "../csrf.ts";
import { jsonReply } from "../reply.ts";
import { sessionCookie } from "../session-cookie.ts";

export const postLogin: Handler = async (request, context) => {
  const { services, deadline } = context;
  const { login } = services;
  const address = clientAddressOfRequest(request, context);
  refuseForeignPage(request, context);
  login.check(address);
  const password = requiredText(parseObject(await readBody(request)), "password");
  const token = await login.attempt({ password, address, signal: deadline.signal });
  return jsonReply({ token }, 200, sessionCookie(request, context, token));
};
