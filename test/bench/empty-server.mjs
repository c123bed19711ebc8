/** The minimum that a service on the same HTTP stack does with an event: routes the request, parses its body, responds with 202. */
import { createServer } from "node:http";
import { Response } from "@whatwg-node/fetch";
import { createServerAdapter } from "@whatwg-node/server";
import { Router } from "itty-router";

const router = Router();
router.post("/api/event", async (request) => {
  await request.json();
  return new Response(null, { status: 202 });
});

const adapter = createServerAdapter((request) => router.fetch(request));
const server = createServer((request, response) => void adapter(request, response));
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no address");
  process.stdout.write(`listens on http://127.0.0.1:${address.port}\n`);
});
process.once("SIGTERM", () => process.exit(0));
