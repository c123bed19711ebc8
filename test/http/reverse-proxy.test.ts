/** What docs/reverse-proxy.md promises of its snippets: compressed reports, metrics kept inside, and the service below a path. */
import { parse } from "smol-toml";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNodeTarget, type NodeTarget } from "../support/node-target.ts";
import { before, requestProxy, REVERSE_PROXY, snippetOf, startProxy, whyMissing, type Proxy, type ProxyName } from "../support/proxy.ts";
import { browserHeaders, getMain, record, wireEvent } from "../support/requests.ts";
import { skippedFor } from "../support/skipped.ts";

const OWN_HOST = "A host of its own";
const SUB_PATH = "Sub-path";
const REMOVED_PATH = "Proxies that remove the path";

const { base_path: BASE_PATH } = parse(snippetOf(REVERSE_PROXY, SUB_PATH, "toml")) as { base_path: string };

interface Setup {
  readonly heading: string;
  readonly proxies: readonly ProxyName[];
  readonly basePath: string;
}

const SETUPS: readonly Setup[] = [
  { heading: OWN_HOST, proxies: ["nginx", "caddy"], basePath: "" },
  { heading: SUB_PATH, proxies: ["nginx", "caddy"], basePath: BASE_PATH },
  { heading: REMOVED_PATH, proxies: ["nginx"], basePath: BASE_PATH },
];

/** Spellings of the routes that are not public: the base path may be written twice. */
const insideOf = (basePath: string): string[] =>
  ["/metrics", "/health/detailed"].flatMap((path) => [
    ...["", "/", "//"].flatMap((slashes) => [basePath + path + slashes, basePath + basePath + path + slashes]),
    `${basePath}/${path}`,
    `/${basePath}${path}`,
    `${basePath}/.${path}`,
    `${basePath}/x/..${path}`,
    `${basePath}${path.replace("e", "%65")}`,
    `${basePath}${path}?x`,
    `${basePath}${path.toUpperCase()}`,
  ]);

for (const { heading, proxies, basePath } of SETUPS) {
  describe(`the snippets of "${heading}"`, () => {
    let target: NodeTarget;
    const site = "proxied.test";
    beforeAll(async () => {
      target = await createNodeTarget({ SVC_TRUST_PROXY: "1", ...(basePath !== "" && { SVC_BASE_PATH: basePath }) });
      await record(target, wireEvent(site));
    });
    afterAll(() => target.close());

    for (const name of proxies) {
      describe(`for ${name}`, skippedFor(whyMissing(name)), () => {
        let proxy: Proxy;
        beforeAll(async () => {
          proxy = await startProxy(name, { snippet: before(target.origin(), snippetOf(REVERSE_PROXY, heading, name)) });
        });
        afterAll(() => proxy.stop());
        const ask = (path: string, headers = {}) => requestProxy(proxy.port, basePath + path, { headers });

        it("keep metrics and health details private, however their paths are written, and let uptime checks through", async () => {
          for (const path of insideOf(basePath)) {
            const { status, text } = await requestProxy(proxy.port, path);
            expect([path, [400, 404].includes(status), /svc_|version/.test(text)]).toEqual([path, true, false]);
          }
          expect((await ask("/health")).text).toBe("ok");
          expect((await ask("/health/ready")).text).toBe("ready");
          expect(await (await target.fetch("/metrics")).text()).toContain("svc_");
        });

        it("compress reports and exports for clients that accept it, and no short responses", async () => {
          for (const path of [`/api/stats/timeseries?site_id=${site}&period=90d`, `/api/stats/export?site_id=${site}&period=90d`]) {
            const packed = await ask(path, { "accept-encoding": "gzip" });
            const plain = await ask(path);
            expect([path, packed.headers["content-encoding"], plain.headers["content-encoding"]]).toEqual([path, "gzip", undefined]);
            expect(packed.text).toBe(plain.text);
            expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 2);
            expect(packed.headers.vary).toMatch(/Accept-Encoding/i);
            expect(packed.headers["cache-control"]).toBe("no-store");
          }
          expect((await ask("/api/auth/status", { "accept-encoding": "gzip" })).headers["content-encoding"]).toBeUndefined();
        });

        it("pass on the page and the script as the program compressed them, with their ETags", async () => {
          for (const path of ["/", "/svc.js"]) {
            const headers = { "accept-encoding": "gzip" };
            const { headers: received, text } = await ask(path, headers);
            expect([path, received["content-encoding"], received.vary]).toEqual([path, "gzip", "Accept-Encoding"]);
            expect(text).toBe(await (await target.fetch(basePath + path)).text());
            expect((await ask(path, { ...headers, "if-none-match": received.etag })).status).toBe(304);
          }
        });

        it("count visitors by their addresses, whatever they claim", async () => {
          const counted = `${name}.${basePath.slice(1)}.test`;
          for (const [from, claimed] of [
            ["127.0.0.2", "203.0.113.7"],
            ["127.0.0.2", "203.0.113.8, 127.0.0.9"],
            ["127.0.0.3", "203.0.113.7"],
          ] as const) {
            const headers = { ...browserHeaders(), "x-forwarded-for": claimed };
            const body = JSON.stringify(wireEvent(counted));
            expect((await requestProxy(proxy.port, `${basePath}/api/event`, { method: "POST", from, headers, body })).status).toBe(202);
          }
          expect(await getMain(target, counted)).toMatchObject({ unique_visitors: 2, total_events: 3 });
        });

        if (basePath === "") return;

        it("lead from the base path to the page, and proxy no other path of the site", async () => {
          const { status, headers } = await requestProxy(proxy.port, `${basePath}?site=${site}`, {
            headers: { host: `a.test:${proxy.port}` },
          });
          expect([301, 308]).toContain(status);
          const { pathname, search } = new URL(headers.location ?? "", "http://a.test");
          expect(pathname + search).toBe(`${basePath}/?site=${site}`);
          for (const path of ["/", "/api/sites", "/svc.js", `${basePath}x/health`, `${basePath}.js`])
            expect([path, (await requestProxy(proxy.port, path)).headers["x-request-id"]]).toEqual([path, undefined]);
        });
      });
    }
  });
}

interface TraefikFile {
  readonly http: {
    readonly routers: Readonly<
      Record<string, { readonly rule: string; readonly middlewares: readonly string[]; readonly service: string }>
    >;
    readonly middlewares: Readonly<Record<string, object>>;
    readonly services: Readonly<Record<string, { readonly loadBalancer: { readonly servers: readonly { readonly url: string }[] } }>>;
  };
}

/** The last block of TOML in the section: that of Traefik, because the options of the program come first. */
function traefikFileOf(heading: string): TraefikFile["http"] {
  const blocks = REVERSE_PROXY.text.split(`## ${heading}\n`)[1]?.split("\n## ")[0]?.split("```toml\n").slice(1) ?? [];
  return (parse(blocks.at(-1)?.split("```")[0] ?? "") as unknown as TraefikFile).http;
}

describe("the Traefik snippets", () => {
  for (const [heading, basePath] of [
    [OWN_HOST, ""],
    [SUB_PATH, BASE_PATH],
  ] as const) {
    it(`of "${heading}" contain a router, a middleware and a service that fit together, and the paths of the other snippets`, () => {
      const { routers, middlewares, services } = traefikFileOf(heading);
      const [router] = Object.values(routers);
      expect(router?.middlewares).toEqual(Object.keys(middlewares));
      expect(Object.values(middlewares)).toEqual([{ compress: {} }]);
      expect(Object.keys(services)).toEqual([router?.service]);
      expect(Object.values(services)[0]?.loadBalancer.servers).toEqual([{ url: "http://127.0.0.1:8000" }]);
      const proxied = basePath === "" ? "" : ` && (Path(\`${basePath}\`) || PathPrefix(\`${basePath}/\`))`;
      const inside = ["/metrics", "/health/detailed"].map((path) => ` && !PathPrefix(\`${basePath}${path}\`)`).join("");
      const host = basePath === "" ? "stats.example.com" : "example.com";
      expect(router?.rule).toBe(`Host(\`${host}\`)${proxied}${inside}`);
    });
  }

  it(
    "Traefik serves the program by the Traefik snippets",
    skippedFor("Traefik publishes no package for Debian or npm: its snippets are parsed and compared."),
    () => {},
  );
});
