/** What the connection to ClickHouse makes of everything that a server, a proxy or the network may do. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { connectClickhouse } from "../../../adapters/clickhouse-connection.ts";
import { Secret } from "../../../src/runtime/base/config/option-kinds.ts";
import { ClickhouseError, ClickhouseUnreachableError } from "../../../src/runtime/clickhouse/connection.ts";

const PASSWORD = "pass-wörd-парóль";

const connectionAt = (url: string) =>
  connectClickhouse({
    clickhouseUrl: url,
    clickhouseDatabase: "stats",
    clickhouseUser: "writer",
    clickhousePassword: new Secret(PASSWORD),
  });

/** A server that responds as the test says, and the connection to it. */
async function serve(behave: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>) {
  const server = createServer((request, response) => void behave(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return connectionAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const parametersOf = ({ url = "" }: IncomingMessage) => new URL(url, "http://server").searchParams;

const respond = (response: ServerResponse, text: string, headers: Record<string, string> = {}, status = 200) => {
  response.writeHead(status, { "X-ClickHouse-Query-Id": "q", ...headers }).end(text);
};

const failureOf = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => new Error("it resolved"),
    (error: unknown) => error as Error,
  );

const SELECT = { sql: "SELECT {n:Int64} AS n", parameters: { n: 7 } };

describe("a statement to ClickHouse", () => {
  it("is a POST with typed parameters, settings, the database, and credentials in UTF-8", async () => {
    const seen: unknown[] = [];
    const connection = await serve(async (request, response) => {
      const parameters = parametersOf(request);
      seen.push(request.method, (await bodyOf(request)).toString(), request.headers.authorization);
      seen.push(...["param_n", "database", "max_threads"].map((name) => parameters.get(name)));
      respond(response, "");
    });
    await connection.execute({ ...SELECT, settings: { max_threads: 1 } });
    const credentials = `Basic ${Buffer.from(`writer:${PASSWORD}`).toString("base64")}`;
    expect(seen).toEqual(["POST", SELECT.sql, credentials, "7", "stats", "1"]);
  });

  it("names no database if it runs outside of one, because the server refuses an unknown database", async () => {
    let database: string | null = "";
    const connection = await serve((request, response) => {
      database = parametersOf(request).get("database");
      respond(response, "");
    });
    await connection.execute({ sql: "CREATE DATABASE stats", withoutDatabase: true });
    expect(database).toBe(null);
  });

  it("sends the data of an insert unchanged", async () => {
    const parquet = Uint8Array.from({ length: 300_000 }, (_, i) => (i * 31) % 256);
    let received: Buffer = Buffer.alloc(0);
    let query: string | null = null;
    const connection = await serve(async (request, response) => {
      query = parametersOf(request).get("query");
      received = await bodyOf(request);
      respond(response, "");
    });
    await connection.insert({ sql: "INSERT INTO t FORMAT Parquet" }, parquet);
    expect(query).toBe("INSERT INTO t FORMAT Parquet");
    expect(received.equals(parquet)).toBe(true);
  });

  it("returns 64-bit integers as the texts that the server writes", async () => {
    const connection = await serve((_, response) => respond(response, '{"n":"18446744073709551615","t":"a\\nb"}\n{"n":"0","t":""}\n'));
    expect(await connection.rows(SELECT)).toEqual([
      { n: "18446744073709551615", t: "a\nb" },
      { n: "0", t: "" },
    ]);
  });

  it("sends long parameters in the body", async () => {
    const text = "é".repeat(100_000);
    let length = 0;
    let body = "";
    const connection = await serve(async (request, response) => {
      length = request.url?.length ?? 0;
      body = (await bodyOf(request)).toString();
      respond(response, "");
    });
    await connection.rows({ sql: "SELECT {t:String} AS t", parameters: { t: text } });
    expect(length).toBeLessThan(4000);
    expect(body).toContain(text);
  });
});

describe("a failure of ClickHouse", () => {
  it("carries the exception's code and reason, without the server's version", async () => {
    const text = "Code: 241. DB::Exception: Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED) (version 26.7.3.1 (official build))\n";
    const connection = await serve((_, response) => respond(response, text, { "X-ClickHouse-Exception-Code": "241" }, 500));
    const error = await failureOf(connection.rows(SELECT));
    expect(error).toBeInstanceOf(ClickhouseError);
    expect(error).toMatchObject({ code: 241, message: "ClickHouse refuses: Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)" });
  });

  it("is recognized in the text if a proxy removed the header, even with a status of success", async () => {
    const text = "Code: 60. DB::Exception: Unknown table. (UNKNOWN_TABLE)";
    const connection = await serve((request, response) => respond(response, text, {}, request.url?.includes("ok") ? 200 : 404));
    expect(await failureOf(connection.execute({ sql: "SELECT 1" }))).toMatchObject({ code: 60 });
    expect(await failureOf(connection.execute({ sql: "SELECT 1", parameters: { ok: 1 } }))).toMatchObject({ code: 60 });
  });

  it("names the wrong option, and no password", async () => {
    const text = "Code: 516. DB::Exception: writer: Authentication failed: password is incorrect. (AUTHENTICATION_FAILED)";
    const connection = await serve((_, response) => respond(response, text, { "X-ClickHouse-Exception-Code": "516" }, 403));
    const { message } = await failureOf(connection.rows(SELECT));
    expect(message).toContain("clickhouse_user or clickhouse_password is wrong");
    expect(message).not.toContain(PASSWORD);
  });

  it("leaves out the statement, which may contain what a client sent", async () => {
    const text = "Code: 47. DB::Exception: Unknown identifier x in scope SELECT x WHERE path = '/secret (PAGE)'. (UNKNOWN_IDENTIFIER)";
    const connection = await serve((_, response) => respond(response, text, {}, 404));
    expect((await failureOf(connection.rows(SELECT))).message).not.toContain("secret");
  });

  it("keeps only the beginning of a long reason", async () => {
    const connection = await serve((_, response) => respond(response, `Code: 62. DB::Exception: ${"x".repeat(100_000)}`, {}, 400));
    expect((await failureOf(connection.rows(SELECT))).message.length).toBeLessThan(700);
  });

  it.each([
    ["a proxy's error", (response: ServerResponse) => void response.writeHead(502).end("<html>Bad gateway</html>")],
    ["a redirect", (response: ServerResponse) => void response.writeHead(307, { Location: "http://127.0.0.1:9/" }).end()],
    ["another server", (response: ServerResponse) => void response.writeHead(200).end("Hello")],
    ["no content", (response: ServerResponse) => void response.writeHead(204).end()],
    ["a closed connection", (response: ServerResponse) => void response.destroy()],
    ["a body that is cut off", (response: ServerResponse) => cutOff(response)],
    ["a body that is no JSON", (response: ServerResponse) => respond(response, '{"n":1}\n{"n":')],
  ])("counts as unreachable: %s", async (_, behave) => {
    const connection = await serve((_request, response) => behave(response));
    const error = await failureOf(connection.rows(SELECT));
    expect(error).toBeInstanceOf(ClickhouseUnreachableError);
    expect(error.message).toMatch(/^ClickHouse('s response)? cannot be r/);
  });

  it("counts as unreachable if nothing listens", async () => {
    const error = await failureOf(connectionAt("http://127.0.0.1:9").execute({ sql: "SELECT 1" }));
    expect(error).toBeInstanceOf(ClickhouseUnreachableError);
    expect(error.message).not.toContain(PASSWORD);
  });

  it("follows no redirect, which could lead the credentials anywhere", async () => {
    const paths: unknown[] = [];
    const connection = await serve((request, response) => {
      paths.push(request.url?.split("?")[0]);
      response.writeHead(302, { Location: "/elsewhere" }).end();
    });
    await failureOf(connection.execute({ sql: "SELECT 1" }));
    expect(paths).toEqual(["/"]);
  });

  it("ends a response that exceeds the byte limit", async () => {
    const connection = await serve((_, response) => {
      response.writeHead(200, { "X-ClickHouse-Query-Id": "q" });
      const line = Buffer.alloc(1024 * 1024, 32);
      const write = () => {
        while (response.write(line));
      };
      response.on("drain", write);
      write();
    });
    expect(await failureOf(connection.rows(SELECT))).toMatchObject({ code: 396 });
  });
});

describe("an abandoned statement", () => {
  /** A server that never responds to a SELECT, and records what it is told to kill. */
  async function hanging() {
    const ids = { begun: "", killed: "" };
    let onBegun = () => {};
    let onKilled = () => {};
    const begun = new Promise<void>((resolve) => (onBegun = resolve));
    const killed = new Promise<void>((resolve) => (onKilled = resolve));
    const connection = await serve(async (request, response) => {
      const parameters = parametersOf(request);
      if ((await bodyOf(request)).toString().startsWith("KILL QUERY")) {
        ids.killed = parameters.get("param_id") ?? "";
        respond(response, "");
        onKilled();
      } else {
        ids.begun = parameters.get("query_id") ?? "";
        onBegun();
      }
    });
    return { connection, begun, killed, ids };
  }

  it("ends on the server when it is aborted, and rejects with the signal's reason", async () => {
    const { connection, begun, killed, ids } = await hanging();
    const controller = new AbortController();
    const failure = failureOf(connection.rows(SELECT, controller.signal));
    await begun;
    const reason = new Error("the client is gone");
    controller.abort(reason);
    expect(await failure).toBe(reason);
    await killed;
    expect(ids.killed).toBe(ids.begun);
  });

  it("ends on the server at its time limit, and counts as unreachable", async () => {
    const { connection, killed, ids } = await hanging();
    const error = await failureOf(connection.execute({ sql: "SELECT 1", timeoutMs: 100 }));
    expect(error).toBeInstanceOf(ClickhouseUnreachableError);
    expect(error.message).toContain("no response in 0.1 s");
    await killed;
    expect(ids.killed).toBe(ids.begun);
  });

  it("is not sent if it is already aborted", async () => {
    const { connection, ids } = await hanging();
    const reason = new Error("gone");
    expect(await failureOf(connection.rows(SELECT, AbortSignal.abort(reason)))).toBe(reason);
    expect(ids.begun).toBe("");
  });
});

/** Announces more than it sends. */
function cutOff(response: ServerResponse): void {
  response.writeHead(200, { "X-ClickHouse-Query-Id": "q", "Content-Length": "100" });
  response.write('{"n":1}\n', () => response.destroy());
}
