/** GET /api/sites (contract 4.4). */
import type { Handler } from "../context.ts";
import { jsonResponse } from "../responses.ts";

/** Sorted ids of every site with data or on the allowlist. */
export const getSites: Handler = async (_request, { services }) => jsonResponse({ sites: await services.sites() });
