/** `npm run dev:worker` loads this before wrangler, in each of its processes. */
import { isMainThread } from "node:worker_threads";
import { endWithStarters } from "./process-tree.mjs";

// wrangler fetches the place of this machine to make it up as that of visitors, and warns if it cannot. Nothing here uses it
// (https://developers.cloudflare.com/workers/wrangler/system-environment-variables/).
process.env["CLOUDFLARE_CF_FETCH_ENABLED"] ??= "false";

if (isMainThread) endWithStarters();
