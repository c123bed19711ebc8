/** HTTP over a raw TCP connection, and the content of the data directory. */
import { once } from "node:events";
import { readdir, readFile, stat } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { PIPELINED_REQUESTS_MAX } from "../../src/runtime/base/config/limits.ts";
import { createNodeTarget, type NodeTarget } from "../support/node-target.ts";
import { createKey, deleteKey, postLogin, postSetup, tokenOf, withBearer, withKey, withSession } from "../support/auth-requests.ts";
import { connectRaw, type RawConnection } from "../support/raw-connection.ts";
import { getMetricFamilies } from "../support/metrics.ts";
import { getMain, getSites, post, wireEvent } from "../support/requests.ts";
import { startServer } from "../support/server-process.ts";
import { siteNames } from "../support/target.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { CHROME_WINDOWS } from "../support/user-agents.ts";

const siteName = siteNames("wire");

let target: NodeTarget;
beforeAll(async () => {
  target = await createNodeTarget({ SVC_TRUST_PROXY: "1" });
});
afterAll(() => target.close());

function connection(asked: NodeTarget = target): RawConnection {
  const raw = connectRaw(asked.origin());
  onTestFinished(() => raw.destroy());
  return raw;
}

const eventHead = (headers: string): string => `POST /api/event HTTP/1.1\nHost: stats.test\nUser-Agent: ${CHROME_WINDOWS}\n${headers}\n\n`;

const chunk = (text: string): string => `${new TextEncoder().encode(text).length.toString(16)}\r\n${text}\r\n`;

const eventsOf = async (site: string): Promise<number> => (await getMain(target, site)).total_events;

const CHUNKED = "Transfer-Encoding: chunked";

describe("bodies on the wire", () => {
  it("a chunked body is read, and its extensions and trailers are ignored", async () => {
    const site = siteName();
    const [first, second] = [JSON.stringify(wireEvent(site)).slice(0, 7), JSON.stringify(wireEvent(site)).slice(7)];
    const raw = connection();
    raw.write(eventHead(`${CHUNKED}\nConnection: close`));
    raw.write(new TextEncoder().encode(chunk(first).replace("\r\n", ";name=value\r\n") + chunk(second)));
    raw.write("0\nX-Trailer: 1\n\n");
    expect(await raw.closed()).toMatch(/^HTTP\/1\.1 202 /);
    expect(await eventsOf(site)).toBe(1);
  });

  it("a chunked body over 64 KB gives 413, and the connection is reusable after it ends", async () => {
    const raw = connection();
    raw.write(eventHead(CHUNKED));
    raw.write(new TextEncoder().encode(chunk("x".repeat(70_000))));
    expect(await raw.until(/at most 65536 bytes"\}/)).toMatch(/^HTTP\/1\.1 413 /);
    raw.write(new TextEncoder().encode(`${chunk("y".repeat(70_000))}0\r\n\r\n`));
    raw.write("GET /health HTTP/1.1\nHost: stats.test\nConnection: close\n\n");
    expect(await raw.closed()).toMatch(/HTTP\/1\.1 200 [^]*ok/);
  });

  it("a client that sends an endless body gets its 413 while it sends, and others are served", async () => {
    const raw = connection();
    raw.write(eventHead(CHUNKED));
    for (let sent = 0; sent < 50; sent++) raw.write(new TextEncoder().encode(chunk("x".repeat(65_000))));
    expect(await raw.until(/"\}/)).toMatch(/^HTTP\/1\.1 413 /);
    expect(await (await target.fetch("/health")).text()).toBe("ok");
  });

  it("a Content-Length of more than 64 KB gives 413 before the body", async () => {
    const raw = connection();
    raw.write(eventHead("Content-Length: 65537"));
    expect(await raw.until(/"\}/)).toMatch(/^HTTP\/1\.1 413 /);
  });

  it.each([
    ["for its length", eventHead("Content-Length: 300000\nConnection: close"), /^HTTP\/1\.1 413 [^]*at most 65536 bytes"\}/],
    [
      "without a host",
      "POST /api/event HTTP/1.1\nContent-Length: 300000\nConnection: close\n\n",
      /^HTTP\/1\.1 400 [^]*needs the header Host"\}/,
    ],
  ])("a client that still sends after a refusal %s can read the response before the connection closes", async (_, head, refusal) => {
    const { hostname, port } = new URL(target.origin());
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    let answer = "";
    socket.on("data", (bytes: Buffer) => (answer += bytes.toString("latin1")));
    socket.write(head.replaceAll("\n", "\r\n") + "x".repeat(100_000));
    await once(socket, "end");
    expect(answer).toMatch(refusal);
    const write = promisify((text: string, done: (fault?: Error | null) => void) => socket.write(text, done));
    // After a reset the next one fails.
    for (let kilobytes = 0; kilobytes < 200; kilobytes++) await write("x".repeat(1_000));
    socket.end();
    await once(socket, "close");
  });

  it("a body is cut at its Content-Length, and the rest is not an event", async () => {
    const site = siteName();
    const raw = connection();
    const body = JSON.stringify(wireEvent(site));
    raw.write(eventHead(`Content-Length: ${body.length - 1}`));
    raw.write(body);
    expect(await raw.closed()).toMatch(/^HTTP\/1\.1 400 /);
    expect(await eventsOf(site)).toBe(0);
  });

  it("a connection that ends within a body records no event", async () => {
    const site = siteName();
    const raw = connection();
    const body = JSON.stringify(wireEvent(site));
    raw.write(eventHead(`Content-Length: ${body.length + 1}`));
    raw.write(body);
    raw.destroy();
    await raw.closed();
    expect(await eventsOf(site)).toBe(0);
  });

  it.each([
    ["a length", "Content-Length: 100", '{"d":'],
    ["chunks", CHUNKED, '5\n{"d":'],
  ])("clients that disconnect within a body with %s cause no error in the log or metrics", async (_name, headers, begun) => {
    const eventsBy = async (status: string): Promise<number> => {
      const families = await getMetricFamilies(target);
      const requests = families.find(({ name }) => name === "svc_http_requests_total")?.metrics ?? [];
      const { value } =
        requests.find(({ labels }) => labels?.method === "POST" && labels.route === "/api/event" && labels.status === status) ?? {};
      return Number(value ?? 0);
    };
    const [refused, failed] = [await eventsBy("4xx"), await eventsBy("5xx")];
    const raw = connection();
    raw.write(`${eventHead(`${headers}\nExpect: 100-continue`)}`);
    await raw.until(/100 Continue/);
    raw.write(begun);
    raw.destroy();
    await expect.poll(() => eventsBy("4xx")).toBe(refused + 1);
    expect(await eventsBy("5xx")).toBe(failed);
    expect(target.log()).not.toMatch(/ERROR/);
  });

  it.each([
    ["a length and chunks", `Content-Length: 5\n${CHUNKED}`],
    ["two lengths", "Content-Length: 5\nContent-Length: 6"],
    ["a negative length", "Content-Length: -1"],
    ["a length in words", "Content-Length: five"],
    ["an unknown coding", "Transfer-Encoding: rot13"],
  ])("%s give 400 and end the connection", async (_name, headers) => {
    const raw = connection();
    raw.write(eventHead(headers));
    raw.write("0\n\n{}{}{}");
    expect(await raw.closed()).toMatch(/^HTTP\/1\.1 400 /);
  });

  it("pipelined requests are answered in order", async () => {
    const raw = connection();
    const body = JSON.stringify(wireEvent(siteName()));
    raw.write(eventHead(`Content-Length: ${body.length}`));
    raw.write(body);
    raw.write("GET /nothing HTTP/1.1\nHost: stats.test\n\n");
    raw.write("GET /health HTTP/1.1\nHost: stats.test\nConnection: close\n\n");
    const statuses = [...(await raw.closed()).matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status);
    expect(statuses).toEqual(["202", "404", "200"]);
  });

  const HEALTH = "GET /health HTTP/1.1\nHost: stats.test\n\n";

  it("the maximum number of pipelined requests is answered, repeatedly", async () => {
    const raw = connection();
    for (const [rounds, last] of ["first", "second", "third"].entries()) {
      raw.write(HEALTH.repeat(PIPELINED_REQUESTS_MAX));
      raw.write(`GET /api/stats/breakdown/${last}?site_id=a HTTP/1.1\nHost: localhost\n\n`);
      const received = await raw.until(new RegExp(`Unknown dimension \\\\"${last}`));
      expect(received.match(/ 200 OK/g)).toHaveLength(PIPELINED_REQUESTS_MAX * (rounds + 1));
    }
  });

  it("a client that pipelines more requests is disconnected, and no more of them are handled", async () => {
    const site = siteName();
    const raw = connection();
    // So few bytes arrive at once: had they come one by one, each could have been answered before the next.
    raw.write(
      `GET /api/event?d=${site}&u=http://${site}/ HTTP/1.1\nHost: stats.test\nUser-Agent: ${CHROME_WINDOWS}\n\n`.repeat(
        2 * PIPELINED_REQUESTS_MAX,
      ),
    );
    await raw.closed();
    expect(await eventsOf(site)).toBeLessThanOrEqual(PIPELINED_REQUESTS_MAX + 1);
  });
});

describe("a login that is refused before its body is read", () => {
  it("leaves the connection usable for the next request, whenever the body arrives", async () => {
    const raw = connection();
    const body = JSON.stringify({ password: "x".repeat(60_000) });
    raw.write(`POST /api/auth/login HTTP/1.1\nHost: localhost\nContent-Length: ${body.length}\n\n`);
    expect(await raw.until(/first\."\}/)).toMatch(/^HTTP\/1\.1 400 /);
    raw.write(body);
    raw.write("GET /health HTTP/1.1\nHost: stats.test\nConnection: close\n\n");
    expect(await raw.closed()).toMatch(/HTTP\/1\.1 200 [^]*ok/);
  });
});

describe("invalid requests", () => {
  it.each(["//health", "/../health", "/health/..", "/%00", "/health%00", "/\\health"])(
    "the path %s does not give a server error",
    async (path) => {
      const raw = connection();
      raw.write(`GET ${path} HTTP/1.1\nHost: stats.test\nConnection: close\n\n`);
      expect(await raw.closed()).toMatch(/^HTTP\/1\.1 (200|400|404) /);
    },
  );

  it.each<[name: string, status: number, error: RegExp, sent: string]>([
    ["headers that are too long", 431, /at most 65536 bytes/, `GET /health HTTP/1.1\nHost: stats.test\nX-Long: ${"x".repeat(200_000)}\n\n`],
    ["no HTTP at all", 400, /not valid HTTP/, "\u0016\u0003\u0001\u0002\u0000\n\n"],
    ["a request line that is none", 400, /not valid HTTP/, "GET\n\n"],
    ["a header that is none", 400, /not valid HTTP/, "GET /health HTTP/1.1\nHost: stats.test\nno header\n\n"],
    ["a body in broken chunks", 400, /not valid HTTP|valid JSON/, `${eventHead(CHUNKED)}zz\n{}\n0\n\n`],
    ["extensions of chunks without end", 413, /extensions/, `${eventHead(CHUNKED)}2;${"x".repeat(30_000)}\n{}\n0\n\n`],
    ["no host", 400, /Host/, "GET /health HTTP/1.1\nConnection: close\n\n"],
    ["a method that nobody knows", 400, /not valid HTTP/, "FETCH /health HTTP/1.1\nHost: stats.test\n\n"],
  ])("%s: %d as {error}, with the headers of every answer, and the connection ends", async (_name, status, error, sent) => {
    const raw = connection();
    raw.write(sent);
    const [head = "", body = ""] = (await raw.closed()).split("\r\n\r\n");
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [A-Z]`));
    for (const header of [
      /^content-type: application\/json$/im,
      /^x-content-type-options: nosniff$/im,
      /^referrer-policy: /im,
      /^x-request-id: ./im,
      /^connection: close$/im,
    ]) {
      expect(head).toMatch(header);
    }
    expect(head).toMatch(new RegExp(`^content-length: ${body.length}$`, "im"));
    expect(JSON.parse(body)).toEqual({ error: expect.stringMatching(error) as unknown });
  });

  it("invalid data after an answered request is refused separately", async () => {
    const raw = connection();
    raw.write("GET /health HTTP/1.1\nHost: stats.test\n\n");
    await raw.until(/ok$/);
    raw.write("nonsense\n\n");
    expect(await raw.closed()).toMatch(/^HTTP\/1\.1 200 [^]*okHTTP\/1\.1 400 [^]*"\}$/);
  });

  it("an unknown Expect header is ignored", async () => {
    const raw = connection();
    raw.write("GET /health HTTP/1.1\nHost: stats.test\nExpect: a-miracle\nConnection: close\n\n");
    expect(await raw.closed()).toMatch(/^HTTP\/1\.1 200 [^]*ok/);
  });

  it("an event without a User-Agent is counted", async () => {
    const site = siteName();
    const raw = connection();
    const body = JSON.stringify(wireEvent(site));
    raw.write(`POST /api/event HTTP/1.1\nHost: stats.test\nContent-Length: ${body.length}\nConnection: close\n\n${body}`);
    expect(await raw.closed()).toMatch(/^HTTP\/1\.1 202 /);
    expect(await eventsOf(site)).toBe(1);
  });
});

describe("the request timeout", () => {
  it("headers that do not arrive in time give 408 as {error}", async () => {
    const hasty = await createNodeTarget({ SVC_REQUEST_TIMEOUT_SECS: "0.5" });
    onTestFinished(() => hasty.close());
    const raw = connection(hasty);
    raw.write("GET /health HTTP/1.1\nHost: stats");
    const answer = await raw.closed();
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toMatch(/^x-request-id: ./im);
    expect(answer).toContain('{"error":"The request did not arrive within the server\'s time limit"}');
  });

  it("a body that does not arrive in time gives 408 and closes the connection", async () => {
    const server = await startServer({
      dataFolder: await tempFolder(),
      environment: { SVC_REQUEST_TIMEOUT_SECS: "60" },
      leapMs: 60_000,
    });
    onTestFinished(async () => void (await server.stop()));
    const raw = connectRaw(server.origin);
    onTestFinished(() => raw.destroy());
    raw.write(eventHead("Content-Length: 10"));
    raw.write("{");
    let answer = "";
    void raw.closed().then((text) => (answer = text));
    // The first may come before the headers, which are then in time.
    const isAnswered = () => {
      server.leap();
      return answer !== "";
    };
    await expect.poll(isAnswered).toBe(true);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toContain('{"error":"The request exceeded the limit of 60 seconds"}');
    expect(answer).toMatch(/^connection: close$/im);
  });
});

describe("the data directory", () => {
  const filesBelow = async (folder: string): Promise<string[]> =>
    (await readdir(folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));

  it("events are in files by site and date, only the owner can read the secret, and no address is in any file or in the log", async () => {
    const kept = await createNodeTarget({ SVC_TRUST_PROXY: "1", SVC_LOG_LEVEL: "debug", SVC_RATE_LIMIT_PER_SITE: "0.01" });
    onTestFinished(() => kept.close());
    const address = "203.0.113.77";
    const expectNoAddress = async () => {
      const files = await filesBelow(kept.dataFolder);
      expect(files.length).toBeGreaterThan(0);
      for (const file of files) expect((await readFile(file)).includes(address), file).toBe(false);
      expect(kept.log()).not.toContain(address);
    };
    // The second event of a site is refused, which is no reason to name the sender either.
    for (const site of ["plain.test", "Strange:Id.", "plain.test"]) await post(kept, wireEvent(site), { "x-forwarded-for": address });
    await expectNoAddress();
    await kept.restart();
    await expectNoAddress();
    const events = (await filesBelow(join(kept.dataFolder, "events"))).map((file) => file.slice(kept.dataFolder.length + 1));
    const file = String.raw`/date=\d{4}-\d{2}-\d{2}/\d+-\d+\.parquet$`;
    expect(events.sort()).toEqual([
      expect.stringMatching(`^events/site_id=%53trange%3A%49d%2E${file}`),
      expect.stringMatching(`^events/site_id=plain\\.test${file}`),
    ]);
    expect((await stat(join(kept.dataFolder, "secret"))).mode & 0o777).toBe(0o600);
    expect(await getSites(kept)).toEqual(["Strange:Id.", "plain.test"]);
  });

  it("no address, password, key, session or token is in any file or in the log, however they are used", async () => {
    const [wrong, chosen, token] = ["a wrong password 7391", "the chosen password 5127", "metrics-token-6604"];
    const kept = await createNodeTarget({
      SVC_TRUST_PROXY: "1",
      SVC_LOG_LEVEL: "debug",
      SVC_MAX_LOGIN_ATTEMPTS: "2",
      SVC_METRICS_TOKEN: token,
    });
    onTestFinished(() => kept.close());
    const address = { "x-forwarded-for": "203.0.113.78" };
    const sessionToken = await tokenOf(await postSetup(kept, chosen, address));
    const session = { ...withSession(sessionToken), ...address };
    const [reader, admin, revoked] = [
      await createKey(kept, session, "ReadOnly"),
      await createKey(kept, session, "Admin"),
      await createKey(kept, session, "Admin"),
    ];
    await deleteKey(kept, session, revoked.key_hash);
    const unknownKey = `svc_${"7".repeat(64)}`;
    const credentials = [session, ...[reader, admin, revoked].flatMap(({ key }) => [withBearer(key), withKey(key)]), withKey(unknownKey)];
    for (const headers of credentials) {
      for (const path of [
        "/api/sites",
        "/api/keys",
        "/api/auth/status",
        "/nothing",
        "/api/stats/main?site_id=leaks.test",
        `/api/keys/${reader.key}`,
      ]) {
        await (await kept.fetch(path, { headers: { ...headers, ...address } })).arrayBuffer();
      }
      await post(kept, wireEvent("leaks.test"), { ...headers, ...address });
    }
    // The last one is refused by the lockout, which is told in the log.
    for (const password of [wrong, wrong, chosen]) await (await postLogin(kept, password, address)).arrayBuffer();
    await (await kept.fetch("/metrics", { headers: withBearer(token) })).arrayBuffer();
    await expect.poll(kept.log).toContain("locked out");

    const marks = [address["x-forwarded-for"], wrong, chosen, token, sessionToken, unknownKey, reader.key, admin.key, revoked.key].map(
      (mark) => mark.replace(/^svc_/, ""),
    );
    const expectNoMarks = async () => {
      const files = await filesBelow(kept.dataFolder);
      expect(files.filter((file) => file.endsWith(".json"))).toHaveLength(4);
      for (const file of files) {
        const bytes = await readFile(file);
        expect({ file, found: marks.filter((mark) => bytes.includes(mark)) }).toEqual({ file, found: [] });
      }
      expect(marks.filter((mark) => kept.log().includes(mark))).toEqual([]);
    };
    await expectNoMarks();
    await kept.restart();
    await expectNoMarks();
    expect((await kept.fetch("/api/sites", { headers: withKey(reader.key) })).status).toBe(200);
    await kept.crash();
    await expectNoMarks();
  });
});
