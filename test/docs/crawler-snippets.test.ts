/** The snippets of docs/bots.md that report requests of crawlers, run unchanged but for their addresses, in front of the program. */
import { execFile, spawnSync } from "node:child_process";
import { appendFile, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { Miniflare } from "miniflare";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { AI_CRAWLERS } from "../../src/runtime/bots/ai-crawlers.ts";
import { CRAWL_BODY_BYTES_MAX, CRAWL_REQUESTS_MAX, UTF8_BYTES_PER_CHAR_MAX } from "../../src/runtime/base/config/limits.ts";
import { bodyOf, CLOSED, createKey, logIn, withKey } from "../support/auth-requests.ts";
import { asTarget } from "../support/node-target.ts";
import { requestProxy, snippetOf, startProxy, whyMissing } from "../support/proxy.ts";
import { startServer, type ServerProcess } from "../support/server-process.ts";
import { skippedFor } from "../support/skipped.ts";
import type { Target } from "../support/target.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { CHROME_WINDOWS } from "../support/user-agents.ts";
import { readPage } from "./pages.ts";

const run = promisify(execFile);

const page = readPage("docs/bots.md");

const [WORKER, NEXT, NGINX, CADDY] = [
  "Report from a Cloudflare Worker",
  "Report from Next.js",
  "Report from the log of nginx",
  "Report from the log of Caddy",
];

const whyNoJq = spawnSync("jq", ["--version"]).error === undefined ? null : "no jq on this machine";

const agentOf = (name: string): string => `Mozilla/5.0 (compatible; ${name}/1.0)`;

describe("the snippets that report crawlers", () => {
  /** Goes by the machine's clock, as the snippets do. */
  let server: ServerProcess;
  let target: Target;
  let key: string;
  let folder: string;
  beforeAll(async () => {
    folder = await makeTempFolder();
    server = await startServer({ dataFolder: join(folder, "data"), environment: CLOSED });
    target = asTarget(server);
    ({ key } = await createKey(target, await logIn(target), "Admin"));
  });
  afterAll(async () => {
    await server.stop();
    await removeFolder(folder);
  });

  const here = (code: string, site: string): string =>
    code.replaceAll("https://stats.example.com", server.origin).replaceAll("site_id=example.com", `site_id=${site}`);

  /** Names with statuses, by path. */
  async function readsOf(site: string): Promise<Readonly<Record<string, unknown>>> {
    const response = await target.fetch(`/api/stats/crawls?site_id=${site}&limit=100`, { headers: withKey(key) });
    const { paths } = await bodyOf<{ paths: { rows: { path: string; statuses: unknown; crawlers: { name: string }[] }[] } }>(response);
    return Object.fromEntries(paths.rows.map(({ path, crawlers: [crawler], statuses }) => [path, [crawler?.name, statuses]]));
  }

  it("send requests of every AI crawler of the list, and none of a browser", () => {
    for (const heading of [WORKER, NEXT]) {
      const [, source = ""] = /const CRAWLERS = \/(.*)\/i;/.exec(snippetOf(page, heading, "js")) ?? [];
      const expression = new RegExp(source, "i");
      expect(AI_CRAWLERS.filter(({ name }) => !expression.test(agentOf(name)))).toEqual([]);
      expect(expression.test(CHROME_WINDOWS)).toBe(false);
      expect(snippetOf(page, NGINX, "nginx")).toContain(`~*(${source}) 1;`);
      expect(snippetOf(page, CADDY, "bash")).toContain(`"${source}" as $crawlers`);
    }
  });

  it("report from a Worker after the page was answered", async () => {
    const site = "worker.example";
    const origin = createServer((request, response) => response.writeHead(request.url === "/gone" ? 410 : 200).end("a page")).listen(0);
    onTestFinished(() => void origin.close());
    const { port } = origin.address() as { port: number };
    const worker = new Miniflare({
      ...{ modules: true, script: here(snippetOf(page, WORKER, "js"), site), compatibilityDate: "2025-01-01" },
      bindings: { SANDPIPER_KEY: key },
    });
    onTestFinished(() => worker.dispose());
    for (const [path, agent] of [
      ["/a?x=1", agentOf("GPTBot")],
      ["/gone", agentOf("ChatGPT-User")],
      ["/b", CHROME_WINDOWS],
    ] as const) {
      const response = await worker.dispatchFetch(`http://127.0.0.1:${port}${path}`, { headers: { "user-agent": agent } });
      expect([response.status, await response.text()]).toEqual([path === "/gone" ? 410 : 200, "a page"]);
    }
    await expect
      .poll(() => readsOf(site), { timeout: 10_000 })
      .toEqual({ "/a": ["GPTBot", [{ status: 200, reads: 1 }]], "/gone": ["ChatGPT-User", [{ status: 410, reads: 1 }]] });
  });

  it("report from Next.js before the page is answered", async () => {
    const site = "next.example";
    const file = join(folder, "proxy.mjs");
    const withoutNext = `import { NextResponse } from "./server.mjs";`;
    const code = snippetOf(page, NEXT, "js").replace('import { NextResponse } from "next/server";', withoutNext);
    await writeFile(join(folder, "server.mjs"), 'export const NextResponse = { next: () => "next" };');
    await writeFile(file, here(code, site).replace("process.env.SANDPIPER_KEY", JSON.stringify(key)));
    const { proxy } = (await import(pathToFileURL(file).href)) as {
      proxy: (request: unknown, event: { waitUntil: (work: Promise<unknown>) => void }) => unknown;
    };
    const work: Promise<unknown>[] = [];
    for (const [pathname, agent] of [
      ["/a", agentOf("ClaudeBot")],
      ["/b", CHROME_WINDOWS],
    ] as const) {
      const request = { headers: new Headers({ "user-agent": agent }), nextUrl: { pathname } };
      expect(proxy(request, { waitUntil: (each) => void work.push(each) })).toBe("next");
    }
    await Promise.all(work);
    expect(await readsOf(site)).toEqual({ "/a": ["ClaudeBot", [{ status: null, reads: 1 }]] });
  });

  it("report from the log of nginx, what was refused at first as well", skippedFor(whyMissing("nginx")), async () => {
    const site = "nginx.example";
    const [http = "", ofServer = ""] = [...page.text.matchAll(/```nginx\n([^]*?)```/g)].map(([, code]) => code);
    const shortest = '{"user_agent":"-ai","path":"/","status":200,"time":"2026-03-15T12:00:00+00:00"}\n'.length;
    const [, partKib = ""] = /split -C (\d+)k /.exec(snippetOf(page, NGINX, "bash")) ?? [];
    expect((Number(partKib) * 1024) / shortest, "no part has more requests than a batch").toBeLessThanOrEqual(CRAWL_REQUESTS_MAX);
    const logs = await makeTempFolder();
    const proxy = await startProxy("nginx", { http, snippet: `${ofServer.replace("/var/log/nginx", logs)} location / { return 404; }` });
    onTestFinished(async () => {
      await proxy.stop();
      await removeFolder(logs);
    });
    const script = here(snippetOf(page, NGINX, "bash"), site)
      .replace("/var/log/nginx", logs)
      .replace("nginx -s reopen && sleep 1", `kill -USR1 ${proxy.pid}`);
    const send = (withKeyOf: string) => run("bash", ["-c", script], { env: { PATH: process.env["PATH"], SANDPIPER_KEY: withKeyOf } });
    const ask = (path: string, agent: string) => requestProxy(proxy.port, path, { headers: { "user-agent": agent } });
    await ask("/a?x=1", agentOf("GPTBot"));
    await ask("/b", CHROME_WINDOWS);
    await ask("/c", `${agentOf("PerplexityBot")} "\\ é`);
    await send("svc_wrong").catch(() => {});
    expect(await readsOf(site)).toEqual({});
    await send(key);
    const missing = [{ status: 404, reads: 1 }];
    const first = { "/a": ["GPTBot", missing], "/c": ["PerplexityBot", missing] };
    expect(await readsOf(site)).toEqual(first);
    await ask("/d", agentOf("CCBot"));
    await send(key);
    expect(await readsOf(site)).toEqual({ ...first, "/d": ["CCBot", missing] });
  });

  /** Runs the script of Caddy's log on that folder. Rejects if something was not accepted. */
  const sendCaddyLog = (logs: string, site: string, withKeyOf = key) =>
    run("bash", ["-c", here(snippetOf(page, CADDY, "bash"), site).replace("/var/log/caddy", logs)], {
      env: { PATH: process.env["PATH"], SANDPIPER_KEY: withKeyOf },
    });

  describe("from lines as Caddy writes them", skippedFor(whyNoJq), () => {
    let logs: string;
    let log: string;
    beforeEach(async () => {
      logs = await makeTempFolder();
      log = join(logs, "crawlers.log");
      onTestFinished(() => removeFolder(logs));
    });

    let written = 0;
    const lineOf = (uri: string, agent: string | null, status = 200): string => {
      const headers = agent === null ? { Accept: ["*/*"] } : { "User-Agent": [agent], Accept: ["*/*"] };
      const request = { proto: "HTTP/2.0", method: "GET", host: "example.com", uri, headers };
      const ts = Date.now() / 1000 + written++ / 1e6;
      const record = { level: "info", ts, logger: "http.log.access.log0", msg: "handled request", request, user_id: "", duration: 0.0011 };
      return `${JSON.stringify({ ...record, size: 17, status, resp_headers: { Server: ["Caddy"] } })}\n`;
    };
    const ok = (name: string, reads = 1) => [name, [{ status: 200, reads }]];

    it("report each request once, whatever was refused, not answered or rotated", async () => {
      const site = "caddy-lines.example";
      const others = [
        lineOf("/b", CHROME_WINDOWS),
        lineOf("/b", null),
        '{"level":"info","ts":1773576000.1,"msg":"serving initial configuration"}\n',
        "a line that is no JSON: GPTBot\n",
        "7\n",
      ];
      const strange = `${agentOf("PerplexityBot")} "\\ é %s $(id) \u2028`;
      await writeFile(log, [...others, lineOf("/a?x=1", agentOf("GPTBot")), lineOf("/c%20d", strange, 404)].join(""));
      await expect(sendCaddyLog(logs, site, "svc_wrong")).rejects.toThrow("401");
      expect(await readsOf(site)).toEqual({});
      await appendFile(log, lineOf("/late", agentOf("CCBot"), 0));
      await sendCaddyLog(logs, site);
      const first = { "/a": ok("GPTBot"), "/c%20d": ["PerplexityBot", [{ status: 404, reads: 1 }]] };
      const later = { ...first, "/late": ["CCBot", [{ status: null, reads: 1 }]] };
      expect(await readsOf(site)).toEqual(later);
      // The service stored the batch, and its answer was lost.
      const [name = ""] = await readdir(join(logs, "crawlers-sent"));
      const state = join(logs, "crawlers-sent", name);
      const [sent = "", end] = (await readFile(state, "utf8")).trim().split(" ");
      expect(sent).toBe(end);
      await writeFile(state, `0 ${end}\n`);
      await appendFile(log, `${lineOf("/e", agentOf("ClaudeBot"))}{"level":"info","ts":17`);
      await rename(log, join(logs, "crawlers-2026-01-01T00-00-00.000.log"));
      await writeFile(log, lineOf("/f", agentOf("ClaudeBot")));
      await sendCaddyLog(logs, site);
      await sendCaddyLog(logs, site);
      expect(await readsOf(site)).toEqual({ ...later, "/e": ok("ClaudeBot"), "/f": ok("ClaudeBot") });
    });

    it("report many in batches that are accepted, however long their texts are", async () => {
      const site = "caddy-batches.example";
      const [, lines] = /sent \+ (\d+)/.exec(snippetOf(page, CADDY, "bash")) ?? [];
      const [agentChars = 0, pathChars = 0] = [...snippetOf(page, CADDY, "bash").matchAll(/\[:(\d+)\]/g)].map(([, chars]) => Number(chars));
      const bytes = (agentChars + pathChars) * UTF8_BYTES_PER_CHAR_MAX + 100;
      expect(Number(lines) * bytes, "no batch is longer than the service takes").toBeLessThanOrEqual(CRAWL_BODY_BYTES_MAX);
      const long = "\u{1f577}".repeat(2000);
      await writeFile(log, Array.from({ length: 450 }, () => lineOf(`/${long}`, agentOf("GPTBot") + long)).join(""));
      await sendCaddyLog(logs, site);
      expect(Object.values(await readsOf(site))).toEqual([ok("GPTBot", 450)]);
    });
  });

  it("report from the log of Caddy, without addresses in it", skippedFor(whyMissing("caddy") ?? whyNoJq), async () => {
    const site = "caddy.example";
    const logs = await makeTempFolder();
    const snippet = `${snippetOf(page, CADDY, "caddy").replace("/var/log/caddy", logs)}\nrespond 404`;
    const proxy = await startProxy("caddy", { snippet });
    onTestFinished(async () => {
      await proxy.stop();
      await removeFolder(logs);
    });
    const ask = (path: string, agent: string) => {
      const headers = { "user-agent": agent, "x-forwarded-for": "203.0.113.7" };
      return requestProxy(proxy.port, path, { from: "127.0.0.9", headers });
    };
    await ask("/a?x=1", agentOf("GPTBot"));
    await ask("/b", CHROME_WINDOWS);
    await ask("/c", `${agentOf("PerplexityBot")} "\\ é`);
    const missing = [{ status: 404, reads: 1 }];
    // Caddy writes a line after the response.
    const sent = async () => {
      await sendCaddyLog(logs, site);
      return readsOf(site);
    };
    await expect.poll(sent, { timeout: 10_000 }).toEqual({ "/a": ["GPTBot", missing], "/c": ["PerplexityBot", missing] });
    expect(await readFile(join(logs, "crawlers.log"), "utf8")).not.toMatch(/127\.0\.0\.9|203\.0\.113\.7/);
  });
});
