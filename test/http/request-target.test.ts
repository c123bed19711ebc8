/** The host and path of a request over a raw TCP connection (RFC 9112, 3.2), against the built program. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createNodeTarget, type NodeTarget } from "../support/node-target.ts";
import { connectRaw } from "../support/raw-connection.ts";

let target: NodeTarget;
beforeAll(async () => {
  target = await createNodeTarget();
});
afterAll(() => target.close());

/** The answer to a request of these lines. */
function answerTo(...lines: string[]): Promise<string> {
  const raw = connectRaw(target.origin());
  onTestFinished(() => raw.destroy());
  raw.write(`${lines.join("\n")}\nConnection: close\n\n`);
  return raw.closed();
}

const OK = /^HTTP\/1\.1 200 [^]*\r\n\r\nok$/;
const REFUSED = /^HTTP\/1\.1 400 [^]*\{"error":"[^"]*(?:\\"Host\\"|request target)[^]*"\}$/;

describe("the path of a request", () => {
  it.each([
    "a\\metrics?",
    "a\\api\\auth\\setup?",
    "a/metrics?",
    "a/metrics#",
    "a?",
    "user@a",
    "user:password@a",
    "a:port",
    "a:123456",
    "a:99999",
    "a b",
    "a,b",
    "a%2Fmetrics",
    "[::1",
    "[::1]x",
    "[a]",
    "::1",
    "1.2.3.4.5",
    "300.1.1.1",
    "",
  ])("cannot be set by the Host header: %j is refused", async (host) => {
    expect(await answerTo("GET /health HTTP/1.1", `Host: ${host}`)).toMatch(REFUSED);
  });

  it.each(["a", "a.", "stats.example.com:8000", "my_service:8000", "127.0.0.1", "[::1]", "[::1]:8000", "xn--bcher-kva.example", "a:"])(
    "is served under the host %j",
    async (host) => {
      expect(await answerTo("GET /health HTTP/1.1", `Host: ${host}`)).toMatch(OK);
    },
  );

  it("is refused with two Host headers or none, except that HTTP/1.0 needs none", async () => {
    expect(await answerTo("GET /health HTTP/1.1", "Host: a", "Host: a")).toMatch(REFUSED);
    expect(await answerTo("GET /health HTTP/1.1")).toMatch(/^HTTP\/1\.1 400 [^]*needs the header Host"\}$/);
    expect(await answerTo("GET /health HTTP/1.0")).toMatch(OK);
  });

  it.each(["http://a/health", "HTTP://a:80/health", "https://[::1]:8000/health?x=1"])("may be in absolute form: %s", async (url) => {
    expect(await answerTo(`GET ${url} HTTP/1.1`, "Host: b")).toMatch(OK);
  });

  it("in absolute form takes the host from the target, not from the header", async () => {
    const setup = (url: string, host: string) =>
      answerTo(`POST ${url} HTTP/1.1`, `Host: ${host}`, "Origin: http://foreign.example", "Content-Length: 0");
    expect(await setup("http://target.example/api/auth/setup", "header.example")).toMatch(/If target\.example is not/);
  });

  it.each([
    "http://a\\metrics/health",
    "http://user@a/health",
    "http:///health",
    "http://a:b/health",
    "ftp://a/health",
    "health",
    "http:health",
  ])("is refused in the target %s", async (url) => {
    expect(await answerTo(`GET ${url} HTTP/1.1`, "Host: b")).toMatch(/^HTTP\/1\.1 400 [^]*\{"error":"/);
  });

  it("is refused in absolute form if the Host header is invalid", async () => {
    expect(await answerTo("GET http://a/health HTTP/1.1", "Host: a\\metrics?")).toMatch(REFUSED);
  });

  it.each([
    ...[
      "/x\\..\\metrics",
      "/\\metrics",
      "/metrics#x",
      "\\metrics",
      "/x/../metrics",
      "/./metrics",
      "/metrics/.",
      "/x/%2e%2E/metrics",
      "/x/.%2e/metrics",
    ],
    ...["http://a/x/../metrics", "http://a/\\metrics"],
  ])("is read as proxies read it: %s is refused", async (path) => {
    expect(await answerTo(`GET ${path} HTTP/1.1`, "Host: a")).toMatch(/^HTTP\/1\.1 400 [^]*\{"error":"/);
  });

  it.each(["/health?x=\\metrics", "/health?x=/../metrics", "/health?/../metrics", "http://a/health?\\metrics"])(
    "ends before the query, which may contain any of that: %s",
    async (url) => {
      expect(await answerTo(`GET ${url} HTTP/1.1`, "Host: a")).toMatch(OK);
    },
  );

  it.each(["/.well-known/security.txt", "/health...", "/..health"])("%s is accepted, as it has no dot segment", async (path) => {
    expect(await answerTo(`GET ${path} HTTP/1.1`, "Host: a")).toMatch(/^HTTP\/1\.1 (200|404) /);
  });

  it("is not a proxy target: CONNECT is refused, and the connection ends", async () => {
    expect(await answerTo("GET /health/ready HTTP/1.1", "Host: a", "", "CONNECT evil.example:443 HTTP/1.1", "Host: a")).not.toMatch(
      /^HTTP\/1\.1 400 /,
    );
    expect(await answerTo("CONNECT evil.example:443 HTTP/1.1", "Host: evil.example:443")).toMatch(
      /^HTTP\/1\.1 400 [^]*x-request-id: [^]*\{"error":"CONNECT is not supported[^"]*"\}$/i,
    );
    expect(await answerTo("GET /health HTTP/1.1", "Host: a")).toMatch(OK);
  });

  it.each(["//evil.example/health", "//health", "/health/x", "/%68ealth"])("%s is not normalized to another path", async (path) => {
    expect(await answerTo(`GET ${path} HTTP/1.1`, "Host: a")).toMatch(/^HTTP\/1\.1 404 /);
  });

  it("may be * for OPTIONS, which addresses the whole service, and for no other method", async () => {
    expect(await answerTo("OPTIONS * HTTP/1.1", "Host: a")).toMatch(/^HTTP\/1\.1 405 [^]*Allow: GET, HEAD\r\n/i);
    expect(await answerTo("GET * HTTP/1.1", "Host: a")).toMatch(/^HTTP\/1\.1 400 /);
  });
});
