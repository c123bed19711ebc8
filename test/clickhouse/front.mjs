/**
 * ClickHouse's HTTP interface over an engine in this process, for tests: `node front.mjs <data folder> [port]`. It prints its URL when it
 * listens. It has neither users nor clusters, and runs one query at a time. `POST /front/fail` makes requests fail (`failures.mjs`),
 * `GET /front/running` has the id of the query that runs.
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
  // What is killed may be a statement that prepares it.
  while (turns.running === id) await engine.kill(id);
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

async function answerQuery(message, response, searchParams) {
  const request = await readRequest(message, searchParams);
  const failure = failures.take(request.sql);
  try {
    await failure.before(response);
    if (response.destroyed) return;
    cancelWithClient(request, response);
    const { bytes, rowsRead = 0 } = await resultOf(request);
    const summary = JSON.stringify({ read_rows: String(rowsRead) });
    if (failure.dropsAnswer) response.destroy();
    else send(response, 200, request.id, { "X-ClickHouse-Summary": summary }, bytes);
  } catch (error) {
    sendException(response, request.id, error);
  }
}

async function handle(message, response) {
  const { pathname, searchParams } = new URL(message.url, "http://front");
  if (pathname === "/") await answerQuery(message, response, searchParams);
  else if (pathname === "/ping") response.end("Ok.\n");
  else if (pathname === "/front/running") response.end(turns.running ?? "");
  else if (pathname === "/front/fail") response.end(failures.plan(searchParams));
  else response.writeHead(404).end();
}

// URLs carry statements and parameters: as long as ClickHouse takes them.
const server = createServer({ maxHeaderSize: 1_048_576 }, (message, response) => {
  handle(message, response).catch((error) => {
    // A client that went away while it sent its request does not read this.
    response.writeHead(400).end(`${error.message}\n`);
  });
});
// Longer than clients keep their connections, so that none is closed while a request is on its way.
server.keepAliveTimeout = 120_000;
server.listen(Number(port), "127.0.0.1", () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`));

// The process that started this one is gone. An exit would wait for the query that runs.
process.once("disconnect", () => process.kill(process.pid, "SIGKILL"));
