/** GET /api/sites: the ids of every site with data or on the allowlist (docs/http-api.md, "Sites"). */
import type { Handler } from "./context.ts";
import { jsonReply } from "./reply.ts";

/** Sorted. */
export const getSites: Handler = async (_request, { services }) => jsonReply({ sites: await services.sites() });
