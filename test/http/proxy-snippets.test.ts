/** The nginx and Caddy snippets of docs/tracking.md and docs/reverse-proxy.md, run unchanged in front of the program. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startLocalServer, type Exchange } from "../browser/support/local-server.ts";
import { launchBrowser } from "../browser/support/browser.ts";
import { createNodeTarget, type NodeTarget } from "../support/node-target.ts";
import { readPage } from "../docs/pages.ts";
import {
  before,
  requestProxy,
  REVERSE_PROXY,
  snippetOf,
  startProxy,
  whyMissing,
  type ProxyRequest,
  type Proxy,
  type ProxyName,
} from "../support/proxy.ts";
import { skippedFor } from "../support/skipped.ts";
import { browserHeaders, getBreakdown, getMain, pixelPath, record, wireEvent } from "../support/requests.ts";

const tracking = readPage("docs/tracking.md");

const firstParty = (name: ProxyName): string => snippetOf(tracking, "First-party paths", name);
const ownHost = (name: ProxyName): string => snippetOf(REVERSE_PROXY, "A host of its own", name);

const startLine = /^SVC_SCRIPT_PATHS=.*$/m.exec(tracking.text)?.[0] ?? "";
const environment = Object.fromEntries([...startLine.matchAll(/(SVC_\w+)=(\S+)/g)].map(([, name = "", value = ""]) => [name, value]));
const tag = /^<script .*src="\/lib\/hello\.js"><\/script>$/m.exec(tracking.text)?.[0] ?? "";

const SCRIPT = "/lib/hello.js";
const EVENTS = "/lib/hello";

describe("the first-party paths of docs/tracking.md", () => {
  it("are the same in the script tag, the start command and the proxy snippets", () => {
    expect(environment).toMatchObject({ SVC_SCRIPT_PATHS: SCRIPT, SVC_EVENT_PATHS: EVENTS, SVC_TRUST_PROXY: "1" });
    expect(tag).toContain(`data-domain="example.com" data-api="https://example.com${EVENTS}"`);
    expect(firstParty("nginx")).toContain("location ~ ^/lib/hello(\\.js)?$");
    expect(firstParty("caddy")).toContain(`path ${EVENTS} ${SCRIPT}`);
  });
});

const PROXIES: readonly ProxyName[] = ["nginx", "caddy"];

/** How docs/reverse-proxy.md ("A second proxy or CDN") changes the snippet of a proxy that stands behind another one. */
const APPENDING: Readonly<Record<ProxyName, (text: string) => string>> = {
  nginx: (text) => text.replace("$remote_addr", "$proxy_add_x_forwarded_for").replace("$scheme", "$http_x_forwarded_proto"),
  caddy: (text) => text.replace(/\n$/, " {\n    trusted_proxies 127.0.0.1\n}\n"),
};

describe("the documented proxy snippets", () => {
  let target: NodeTarget;
  let browser: Browser;
  beforeAll(async () => {
    [target, browser] = await Promise.all([createNodeTarget(environment), launchBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await target.close();
  });

  for (const name of PROXIES) {
    describe(`for ${name}`, skippedFor(whyMissing(name)), () => {
      let proxy: Proxy;
      let whole: Proxy;
      const siteId = `${name}.example`;
      /** The tag as docs/tracking.md has it, for a site of this name on this port. */
      const tagAt = (port: number) => tag.replaceAll("https://example.com", `http://${siteId}:${port}`).replaceAll("example.com", siteId);
      beforeAll(async () => {
        const pages = { "/pricing": (port: number) => `<!doctype html><title>Pricing</title>${tagAt(port)}` };
        proxy = await startProxy(name, { snippet: before(target.origin(), firstParty(name)), pages });
        whole = await startProxy(name, { snippet: before(target.origin(), ownHost(name)) });
      });
      afterAll(() => Promise.all([proxy.stop(), whole.stop()]));

      const ask = (path: string, options?: ProxyRequest) => requestProxy(proxy.port, path, options);
      const eventOf = (site: string, from: string, headers: ProxyRequest["headers"] = {}): ProxyRequest => ({
        method: "POST",
        from,
        headers: { ...browserHeaders(), "content-type": "text/plain;charset=UTF-8", ...headers },
        body: JSON.stringify(wireEvent(site)),
      });

      it("proxy the script unchanged: compressed, with its ETag, and with 304 for a matching one", async () => {
        const original = await target.fetch("/svc.js");
        const text = await original.text();
        for (const coding of ["br", "gzip", undefined]) {
          const headers = coding === undefined ? {} : { "accept-encoding": coding };
          const first = await ask(SCRIPT, { headers });
          expect([first.status, first.headers["content-encoding"], first.text]).toEqual([200, coding, text]);
          expect(first.headers["content-type"]).toBe(original.headers.get("content-type"));
          expect(first.headers["cache-control"]).toBe("public, max-age=86400");
          expect(first.headers.vary).toBe("Accept-Encoding");
          expect(first.headers["strict-transport-security"]).toBeUndefined();
          const etag = first.headers.etag ?? "";
          expect(etag).toMatch(/^"[^"]+"$/);
          const again = await ask(SCRIPT, { headers: { ...headers, "if-none-match": etag } });
          expect([again.status, again.headers.etag, again.bytes.length]).toEqual([304, etag, 0]);
        }
      });

      it("proxy events and pixels, and return their errors", async () => {
        const site = `${name}-events.test`;
        const sent = await ask(EVENTS, eventOf(site, "127.0.0.1", { origin: "https://example.com" }));
        expect([sent.status, sent.text, sent.headers["access-control-allow-origin"]]).toEqual([202, "", "https://example.com"]);
        const pixel = await ask(pixelPath({ d: site, u: "/pixel" }).replace("/api/event", EVENTS), { headers: browserHeaders() });
        expect([pixel.status, pixel.headers["content-type"], pixel.bytes.length]).toEqual([200, "image/gif", 43]);
        expect((await getBreakdown(target, site, "pages")).map(({ value }) => value)).toEqual(["/", "/pixel"]);

        const wrong = await ask(EVENTS, { method: "POST", headers: browserHeaders(), body: "{}" });
        expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining(`"error":"Field \\"d\\" is missing`)]);
        const tooLarge = await ask(EVENTS, { method: "POST", headers: browserHeaders(), body: " ".repeat(65_537) });
        expect([tooLarge.status, tooLarge.text]).toEqual([413, expect.stringContaining(`"error":`)]);
      });

      it("proxy no other path of the site", async () => {
        for (const path of ["/lib/hello.js.map", "/lib/hello/", "/lib/hello-2", "/lib", "/api/sites", "/health"]) {
          expect([path, (await ask(path)).headers["x-request-id"]]).toEqual([path, undefined]);
        }
      });

      it("distinguish visitors by address, and ignore addresses that clients claim", async () => {
        const forged = ["203.0.113.7", "203.0.113.8, 203.0.113.9", "127.0.0.9"];
        for (const [port, path] of [
          [proxy.port, EVENTS],
          [whole.port, "/api/event"],
        ] as const) {
          const site = `${name}-visitors-${port}.test`;
          const visitors = async (): Promise<number> => (await getMain(target, site)).unique_visitors;
          const send = async (from: string, headers?: ProxyRequest["headers"]) => {
            expect((await requestProxy(port, path, eventOf(site, from, headers))).status).toBe(202);
          };
          await send("127.0.0.2");
          for (const claimed of forged)
            await send("127.0.0.2", { "x-forwarded-for": claimed, "x-real-ip": claimed, forwarded: `for=${claimed}` });
          await send("127.0.0.2", { "x-forwarded-for": forged });
          expect(await visitors()).toBe(1);
          await send("127.0.0.3");
          expect(await visitors()).toBe(2);
          // What a server posts to the program itself counts for the visitor whom it names.
          await record(target, wireEvent(site), { "x-forwarded-for": "127.0.0.2" });
          expect(await visitors()).toBe(2);
          await record(target, wireEvent(site), { "x-forwarded-for": "203.0.113.7" });
          expect(await visitors()).toBe(3);
        }
      });

      it("distinguish visitors by address behind a second proxy, changed as documented, ignore claimed addresses, and detect https", async () => {
        const behindTwo = await createNodeTarget({ SVC_TRUST_PROXY: "2" });
        const inner = await startProxy(name, { snippet: before(behindTwo.origin(), APPENDING[name](ownHost(name))) });
        const outer = await startProxy(name, { snippet: before(`http://127.0.0.1:${inner.port}`, ownHost(name)) });
        try {
          const site = `${name}-behind-two.test`;
          for (const from of ["127.0.0.2", "127.0.0.3"]) {
            for (const claimed of [undefined, "203.0.113.7", "203.0.113.8, 203.0.113.9"]) {
              const sent = eventOf(site, from, claimed === undefined ? {} : { "x-forwarded-for": claimed });
              expect((await requestProxy(outer.port, "/api/event", sent)).status).toBe(202);
            }
          }
          expect(await getMain(behindTwo, site)).toMatchObject({ unique_visitors: 2, total_events: 6 });
          const overHttps = await requestProxy(inner.port, "/", {
            headers: { "x-forwarded-for": "127.0.0.2", "x-forwarded-proto": "https" },
          });
          expect(overHttps.headers["strict-transport-security"]).toMatch(/^max-age=/);
        } finally {
          await outer.stop();
          await inner.stop();
          await behindTwo.close();
        }
      });

      const itOfNginx = name === "nginx" ? it : () => {};
      itOfNginx("behind Cloudflare, count the visitor whom it names, and nobody whom other clients name", async () => {
        // Here, Cloudflare has the address 127.0.0.8.
        const cloudflare = `${snippetOf(REVERSE_PROXY, "Cloudflare", "nginx")}set_real_ip_from 127.0.0.8;\n`;
        const behind = await startProxy(name, { snippet: cloudflare + before(target.origin(), ownHost(name)) });
        try {
          const site = `${name}-cloudflare.test`;
          const send = async (from: string, visitor: string, claimed = "1.2.3.4") => {
            const headers = { "cf-connecting-ip": visitor, "x-forwarded-for": `${claimed}, ${visitor}` };
            expect((await requestProxy(behind.port, "/api/event", eventOf(site, from, headers))).status).toBe(202);
          };
          for (const visitor of ["203.0.113.7", "2001:db8::7", "203.0.113.7"]) await send("127.0.0.8", visitor);
          await send("127.0.0.8", "203.0.113.7", "5.6.7.8");
          expect((await getMain(target, site)).unique_visitors).toBe(2);
          for (const claimed of ["203.0.113.8", "203.0.113.9"]) await send("127.0.0.2", claimed);
          expect((await getMain(target, site)).unique_visitors).toBe(3);
          // What a visitor sends through Cloudflare counts as what it sends to the program itself under that address.
          await record(target, wireEvent(site), { "x-forwarded-for": "203.0.113.7" });
          expect((await getMain(target, site)).unique_visitors).toBe(3);
        } finally {
          await behind.stop();
        }
      });

      it("forward one address and the browser's headers of a visitor, without the site's cookies and passwords", async () => {
        const told: Exchange[] = [];
        const service = await startLocalServer((exchange, response) => {
          told.push(exchange);
          response.writeHead(202).end();
        });
        const telling = await startProxy(name, { snippet: before(`http://127.0.0.1:${service.port}`, firstParty(name)) });
        const visitor = {
          ...browserHeaders(),
          origin: "https://example.com",
          "sec-ch-ua": '"Chromium";v="147"',
          "sec-ch-ua-mobile": "?0",
          "sec-ch-ua-platform": '"Linux"',
        };
        const secrets = { cookie: "session=secret", authorization: "Basic c2VjcmV0" };
        try {
          await requestProxy(telling.port, EVENTS, {
            method: "POST",
            from: "127.0.0.4",
            headers: { ...visitor, ...secrets, "x-forwarded-for": "203.0.113.7" },
            body: "{}",
          });
        } finally {
          await telling.stop();
          await service.close();
        }
        expect(told.map(({ method, path, body }) => [method, path, body])).toEqual([["POST", EVENTS, "{}"]]);
        expect(told[0]?.headers).toMatchObject({ ...visitor, "x-forwarded-for": "127.0.0.4" });
        for (const header of Object.keys(secrets)) expect(told[0]?.headers).not.toHaveProperty(header);
      });

      it("count a visit in a real browser, with script and endpoint on the site's own host", async () => {
        const context = await browser.newContext();
        const page = await context.newPage();
        const asked: string[] = [];
        page.on("request", (request) => void asked.push(request.url()));
        const origin = `http://${siteId}:${proxy.port}`;
        await page.goto(`${origin}/pricing`);
        expect(await page.evaluate(`new Promise((callback) => svc("Signup", { callback }))`)).toEqual({ status: 202 });
        // Nobody is shown the answer to a beacon; figures that have it are the sign that it came.
        await expect
          .poll(() => getBreakdown(target, siteId, "pages"))
          .toEqual([{ value: "/pricing", visitors: 1, pageviews: 1, events: 2 }]);
        // Not before: it would take a beacon along that is still under way.
        await context.close();
        expect((await getBreakdown(target, siteId, "events")).map(({ value }) => value)).toEqual(["Signup", "pageview"]);
        expect(asked.filter((url) => !url.endsWith("/favicon.ico"))).toEqual(
          ["/pricing", SCRIPT, EVENTS, EVENTS].map((path) => origin + path),
        );
      });

      it("let the service distinguish its own pages from foreign ones, and no client claim https", async () => {
        const host = `stats.example.com:${whole.port}`;
        const setUp = (origin: string) =>
          requestProxy(whole.port, "/api/auth/setup", {
            method: "POST",
            headers: { host, origin, "x-forwarded-proto": "https" },
            body: '{"password":"short"}',
          });
        const own = await setUp(`http://${host}`);
        expect([own.status, own.text]).toEqual([400, '{"error":"Password must be at least 12 characters"}']);
        expect(own.headers["strict-transport-security"]).toBeUndefined();
        expect((await setUp("http://stats.example.com")).status).toBe(403);
        expect((await setUp("https://evil.example")).status).toBe(403);
        const dashboard = await requestProxy(whole.port, "/", { headers: { host } });
        expect([dashboard.status, dashboard.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
      });
    });
  }
});
