/** GET /api/auth/status (contract 4.6): whether there is a password yet, and whether the caller may read figures. */
import { callerOf } from "../access.ts";
import type { Handler } from "../context.ts";
import { jsonReply } from "../reply.ts";

export const getStatus: Handler = (request, { services, nowMs }) => {
  const setupRequired = !services.adminPassword.isConfigured;
  const authenticated = setupRequired || callerOf(request, services, nowMs) !== null;
  return jsonReply({ setup_required: setupRequired, authenticated });
};
