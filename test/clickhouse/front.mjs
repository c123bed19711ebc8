/**
 * ClickHouse's HTTP interface over an engine in this process, for tests: `node front.mjs <data folder> [port]`. It prints its URL when it
 * listens. It has neither users nor clusters, and runs one query at a time. `POST /front/fail` makes requests fail (`failures.mjs`).
 */
import { createServer } from "node:http";
import { Engine } from "./engine.mjs";
import { statusOf } from "./exceptions.mjs";
import { Failures } from "./failures.mjs";
import { readRequest } from "./request.mjs";
import { Turns } from "./turns.mjs";

const [folder = "", port = "0"] = process.argv.slice(2);
const engine = new Engine(folder);
const turns = new Turns();
const failures = new Failures();

/** Ends the query, whether it waits or runs. */
async function cancel(id) {
  turns.cancel(id);
  // The engine may not have begun with it.
  while (turns.running === id && !(await engine.killRunning()));
}

const KILL = /^\s*KILL\s+QUERY\s+WHERE\s+query_id\s*=\s*(?:'([^']*)'|\{(\w+):\s*String\})/i;

async function resultOf(request) {
  const kill = KILL.exec(request.sql);
  if (!kill) return turns.run(request.id, () => engine.run(request));
  await cancel(kill[1] ?? request.parameters[kill[2]]);
  return { bytes: "" };
}

/** Ends the query when its client goes away, if the request asks for that. */
function cancelWithClient({ id, settings }, response) {
  const asked = settings.some(([name, value]) => name === "cancel_http_readonly_queries_on_client_close" && value !== "0");
  if (asked) response.once("close", () => void (response.writableFinished || cancel(id)));
}

function send(response, status, id, headers, body) {
  response.writeHead(status, { "X-ClickHouse-Query-Id": id, "Content-Type": "text/plain; charset=UTF-8", ...headers });
  response.end(body);
}

function sendException(response, id, { message }) {
  const code = Number(/^Code: (\d+)/.exec(message)?.[1] ?? 1002);
  send(response, statusOf(code), id, { "X-ClickHouse-Exception-Code": code }, `${message} (version ${engine.version} (official build))\n`);
}

async function query(message, response, searchParams) {
  const request = await readRequest(message, searchParams);
  const failure = failures.take(request.sql);
  try {
    await failure.before(response);
    if (response.destroyed) return;
    cancelWithClient(request, response);
    const { bytes, rowsRead = 0, rowsWritten = 0 } = await resultOf(request);
    const summary = JSON.stringify({ read_rows: String(rowsRead), written_rows: String(rowsWritten) });
    if (failure.dropsAnswer) response.destroy();
    else send(response, 200, request.id, { "X-ClickHouse-Summary": summary }, bytes);
  } catch (error) {
    sendException(response, request.id, error);
  }
}

// URLs carry statements and parameters: as long as ClickHouse takes them.
const server = createServer({ maxHeaderSize: 1_048_576 }, (message, response) => {
  const { pathname, searchParams } = new URL(message.url, "http://front");
  if (pathname === "/") void query(message, response, searchParams);
  else if (pathname === "/ping") response.end("Ok.\n");
  else if (pathname === "/front/fail") response.end(failures.plan(searchParams));
  else response.writeHead(404).end();
});
// Longer than clients keep their connections, so that none is closed while a request is on its way.
server.keepAliveTimeout = 120_000;
server.listen(Number(port), "127.0.0.1", () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`));

function stop() {
  server.closeAllConnections();
  engine.close();
  process.exit(0);
}
process.once("SIGTERM", stop);
// The process that started this one is gone.
process.once("disconnect", stop);
