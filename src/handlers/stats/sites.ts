/** GET /api/sites (contract 4.4). */
import type { Handler } from "../context.ts";
import { jsonReply } from "../reply.ts";

/** Sorted ids of every site with data or on the allowlist. */
export const getSites: Handler = async (_request, { services }) => jsonReply({ sites: await services.sites() });
