/** GET /api/sites: the ids of all sites with events or on the allowlist (docs/http-api.md, "Sites"). */
import type { Handler } from "./context.ts";
import { jsonReply } from "./reply.ts";

/** In ascending order. */
export const getSites: Handler = async (_request, { services }) => jsonReply({ sites: await services.sites() });
