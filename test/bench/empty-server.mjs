/** The least that the same HTTP stack does for a request: the measure of what ingestion adds. */
import { createServer } from "node:http";
import { createServerAdapter } from "@whatwg-node/server";

const server = createServer(createServerAdapter(() => new Response(null, { status: 202 })));
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no address");
  process.stdout.write(`listens on http://127.0.0.1:${address.port}\n`);
});
process.once("SIGTERM", () => process.exit(0));
