/** The page check against a web server of this machine: what it requests, refuses and finds (docs/http-api.md, "Installation check"). */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createPageFetch, type PageFetchOptions } from "../../adapters/node/http/page-fetch.ts";
import { isPublicIp } from "../../src/runtime/installation/page-fetch.ts";
import { bodyOf, CLOSED, createKey, logIn, postJson, withKey } from "../support/auth-requests.ts";
import { createDeferred } from "../support/deferred.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { expectError, type RequestHeaders } from "../support/requests.ts";

const SCRIPT = "https://stats.example.com/svc.js";
const TAG = `<script defer data-domain="shop.example" src="${SCRIPT}"></script>`;

interface Page {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The answer waits for it. */
  readonly hold?: Promise<void>;
}

interface Findings {
  readonly script: string;
  readonly data_domain: string | null;
  readonly uses_tag_manager: boolean;
  readonly script_blocked_by: string | null;
  readonly events_blocked_by: string | null;
}

interface Checked {
  readonly problem: string | null;
  readonly status: number | null;
  readonly findings: Findings | null;
}

/** Nothing is wrong. */
const WHOLE: Checked = {
  problem: null,
  status: 200,
  findings: { script: "found", data_domain: "shop.example", uses_tag_manager: false, script_blocked_by: null, events_blocked_by: null },
};

describe("the page check", () => {
  /** By host name and path. */
  const pages = new Map<string, Page>();
  /** As they came, with the host name and the headers that a visitor's address or session could be in. */
  const requests: { readonly address: string; readonly headers: readonly string[] }[] = [];
  let server: Server;
  let port: number;

  beforeAll(async () => {
    server = createServer((request, response) => {
      const address = `${request.headers.host?.replace(/:\d+$/, "")}${request.url}`;
      requests.push({ address, headers: Object.keys(request.headers).sort() });
      const { status = 200, headers = { "content-type": "text/html" }, body = "", hold } = pages.get(address) ?? { status: 404 };
      void (hold ?? Promise.resolve()).then(() => response.writeHead(status, headers).end(body));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  interface CheckedTarget {
    readonly target: InProcessTarget;
    readonly session: RequestHeaders;
    /** Checks a page of the site after the pause between two checks. */
    check(url: string, fields?: Readonly<Record<string, unknown>>): Promise<Response>;
  }

  /** Every name is this machine's, whose address counts as public unless a test says otherwise. */
  async function aTarget(options: Partial<PageFetchOptions> = {}, environment = {}): Promise<CheckedTarget> {
    const resolve = () => Promise.resolve(["127.0.0.1"]);
    const fetchPage = createPageFetch({ userAgent: "test", resolve, isAllowed: () => true, ...options });
    const target = await createInProcessTarget({ ...CLOSED, ...environment }, { fetchPage });
    onTestFinished(() => target.close());
    const session = await logIn(target);
    return {
      target,
      session,
      async check(url, fields = {}) {
        await target.advance(10_000);
        const body = { site_id: `shop.example:${port}`, url: url.replace("PORT", String(port)), script_url: SCRIPT, ...fields };
        return postJson(target, "/api/installation/page", body, session);
      },
    };
  }

  const checkedOf = async (response: Response | Promise<Response>): Promise<Checked> => bodyOf<Checked>(await response);

  it("finds the script tag with one request without cookies, referrer or credentials", async () => {
    pages.set("shop.example/pricing?a=b", { body: `<!doctype html><title>Shop</title>${TAG}` });
    requests.length = 0;
    const { check } = await aTarget();
    expect(await checkedOf(check("http://shop.example:PORT/pricing?a=b"))).toEqual(WHOLE);
    expect(requests).toEqual([
      { address: "shop.example/pricing?a=b", headers: ["accept", "accept-encoding", "connection", "host", "user-agent"] },
    ]);
  });

  it("reports the status of an error page, and whether it contains the tag", async () => {
    const { check } = await aTarget();
    expect(await checkedOf(check("http://shop.example:PORT/missing"))).toMatchObject({
      problem: null,
      status: 404,
      findings: { script: "absent", data_domain: null },
    });
    pages.set("shop.example/data", { headers: { "content-type": "application/json" }, body: TAG });
    expect(await checkedOf(check("http://shop.example:PORT/data"))).toEqual({ problem: "not_html", status: 200, findings: null });
    pages.set("shop.example/broken", { status: 503, headers: { "content-type": "text/html" }, body: "<h1>Sorry</h1>" });
    expect(await checkedOf(check("http://shop.example:PORT/broken"))).toMatchObject({
      problem: null,
      status: 503,
      findings: { script: "absent" },
    });
  });

  it("reports what a policy in a header or a meta element blocks, and never returns content", async () => {
    pages.set("shop.example/strict", {
      headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": "script-src 'self'" },
      body: `<meta http-equiv="Content-Security-Policy" content="connect-src &#39;self&#39;">secret text${TAG}`,
    });
    const { check } = await aTarget();
    const text = await (await check("http://shop.example:PORT/strict")).text();
    expect(JSON.parse(text)).toMatchObject({ findings: { script: "found", script_blocked_by: "policy", events_blocked_by: "policy" } });
    expect(text).not.toMatch(/secret|self/);
  });

  it("reads the first megabyte of a page and no more", async () => {
    pages.set("shop.example/long", { body: `${"a".repeat(1024 * 1024)}${TAG}` });
    pages.set("shop.example/less", { body: `${"a".repeat(1024 * 1024 - TAG.length)}${TAG}${"a".repeat(3_000_000)}` });
    const { check } = await aTarget();
    expect((await checkedOf(check("http://shop.example:PORT/long"))).findings?.script).toBe("absent");
    expect((await checkedOf(check("http://shop.example:PORT/less"))).findings?.script).toBe("found");
  });

  describe("redirects", () => {
    const redirect = (location: string): Page => ({ status: 302, headers: { location: location.replace("PORT", String(port)) } });

    it("are followed within the site, at most three", async () => {
      pages.set("www.shop.example/3", { body: TAG });
      pages.set("shop.example/2", redirect("//www.shop.example:PORT/3"));
      pages.set("shop.example/1", redirect("2"));
      pages.set("shop.example/0", redirect("http://shop.example:PORT/1"));
      pages.set("shop.example/4", redirect("/0"));
      const { check } = await aTarget();
      expect(await checkedOf(check("http://shop.example:PORT/0"))).toEqual(WHOLE);
      expect(await checkedOf(check("http://shop.example:PORT/4"))).toEqual({ problem: "too_many_redirects", status: 302, findings: null });
    });

    it.each([
      "http://elsewhere.example/",
      "http://shop.example.evil.example/",
      "http://evilshop.example/",
      "http://shop.example:1/",
      "http://127.0.0.1:PORT/",
      "http://169.254.169.254/latest/meta-data/",
      "http://[::1]/",
      "file:///etc/passwd",
      "ftp://shop.example/",
      "http://user:password@shop.example/",
      "javascript:alert(1)",
      "http://",
    ])("are not followed to %s", async (location) => {
      pages.set("shop.example/away", redirect(location));
      requests.length = 0;
      const { check } = await aTarget();
      expect(await checkedOf(check("http://shop.example:PORT/away"))).toEqual({ problem: "foreign_redirect", status: 302, findings: null });
      expect(requests.map(({ address }) => address)).toEqual(["shop.example/away"]);
    });
  });

  describe("refused targets", () => {
    it.each([
      "http://elsewhere.example/",
      "http://shop.example.evil.example/",
      "http://evilshop.example/",
      "http://example/",
      "http://shop.example:22/",
      "http://shop.example@elsewhere.example/",
      "http://user@shop.example/",
      "http://127.0.0.1/",
      "http://0x7f.1/",
      "http://[::ffff:127.0.0.1]/",
      "//shop.example/",
      "file:///etc/passwd",
      "gopher://shop.example/",
      `http://shop.example/${"x".repeat(2048)}`,
      "",
    ])("the URL %s is refused", async (url) => {
      requests.length = 0;
      const { check } = await aTarget();
      await expectError(await check(url), 400, '"url"');
      expect(requests).toEqual([]);
    });

    it.each(["localhost", "app.localhost", "printer.local", "metadata.google.internal", "com", "a:b", "example.com:99999"])(
      "the site %s, which is not a public host name, is refused",
      async (siteId) => {
        const { check } = await aTarget();
        await expectError(await check(`http://${siteId}/`, { site_id: siteId }), 400, '"site_id" must be a public host name');
      },
    );

    it.each(["127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1", "198.18.0.1"])(
      "the address %s is refused as a site",
      async (address) => {
        const { check } = await aTarget();
        expect(await checkedOf(check(`http://${address}/`, { site_id: address }))).toEqual({
          problem: "not_public",
          status: null,
          findings: null,
        });
      },
    );

    it.each([
      [["127.0.0.1"]],
      [["203.0.113.1"]],
      [["93.184.216.34", "10.0.0.1"]],
      [["::1"]],
      [["fd00::1"]],
      [["::ffff:127.0.0.1"]],
      [["fe80::1"]],
    ])("a name that resolves to %s is refused", async (addresses) => {
      requests.length = 0;
      const { check } = await aTarget({ resolve: () => Promise.resolve(addresses), isAllowed: isPublicIp });
      expect((await checkedOf(check("http://shop.example:PORT/"))).problem).toBe("not_public");
      expect(requests).toEqual([]);
    });

    it("a second answer of the resolver is never used: the connection goes to the address that was checked", async () => {
      pages.set("shop.example/", { body: TAG });
      const answers = [["127.0.0.1"], ["10.0.0.1"]];
      const [resolved, allowed]: [string[], string[]] = [[], []];
      const { check } = await aTarget({
        resolve: (name) => Promise.resolve((resolved.push(name), answers.shift() ?? [])),
        isAllowed: (address) => (allowed.push(address), true),
      });
      expect(await checkedOf(check("http://shop.example:PORT/"))).toEqual(WHOLE);
      expect({ resolved, allowed }).toEqual({ resolved: ["shop.example"], allowed: ["127.0.0.1"] });
    });

    it("everybody is refused until a password is set, and then ReadOnly keys and foreign pages", async () => {
      const { target, session, check } = await aTarget({}, { SVC_DASHBOARD_ORIGIN: "https://dashboard.test" });
      const { key } = await createKey(target, { ...session, origin: "https://dashboard.test" }, "ReadOnly");
      const body = { site_id: "shop.example", url: "http://shop.example/", script_url: SCRIPT };
      await expectError(await postJson(target, "/api/installation/page", body, withKey(key)), 403);
      await expectError(await postJson(target, "/api/installation/page", body, { ...session, origin: "https://evil.test" }), 403);
      await expectError(await check("http://shop.example/"), 403);
      const open = await createInProcessTarget();
      onTestFinished(() => open.close());
      await expectError(await postJson(open, "/api/installation/page", body), 401);
    });

    it.each([null, 1, "", "svc.js", "ftp://stats.example.com/svc.js", "javascript:alert(1)", `${SCRIPT}?${"a".repeat(2048)}`])(
      "the script address %s is refused",
      async (script) => {
        const { check } = await aTarget();
        await expectError(
          await check("http://shop.example:PORT/", { script_url: script }),
          typeof script === "string" ? 400 : 422,
          '"script_url"',
        );
      },
    );
  });

  it("runs one check at a time, and one every two seconds", async () => {
    const [asked, mayAnswer] = [createDeferred<void>(), createDeferred<void>()];
    pages.set("shop.example/", { body: TAG, hold: mayAnswer.promise });
    const resolve = () => Promise.resolve((asked.resolve(), ["127.0.0.1"]));
    const { target, session, check } = await aTarget({ resolve });
    const running = check("http://shop.example:PORT/");
    await asked.promise;
    const body = { site_id: `shop.example:${port}`, url: `http://shop.example:${port}/`, script_url: SCRIPT };
    const next = async () => {
      const { status, headers } = await postJson(target, "/api/installation/page", body, session);
      return { status, retryAfter: headers.get("retry-after") };
    };
    expect(await next()).toEqual({ status: 429, retryAfter: "1" });
    mayAnswer.resolve();
    expect((await running).status).toBe(200);
    expect(await next()).toEqual({ status: 429, retryAfter: "2" });
    await target.advance(2_000);
    expect(await next()).toEqual({ status: 200, retryAfter: null });
  });

  it("reports that a name has no address, and that a server accepts no connection", async () => {
    const unknown = await aTarget({
      resolve: () => Promise.reject(Object.assign(new Error("none"), { code: "ENOTFOUND", syscall: "getaddrinfo" })),
    });
    expect((await checkedOf(unknown.check("http://shop.example:PORT/"))).problem).toBe("unresolvable");
    const { check } = await aTarget();
    // Of this server, but with TLS.
    expect((await checkedOf(check("https://shop.example:PORT/"))).problem).toBe("unreachable");
  });
});
