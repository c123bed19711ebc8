/** The snippets of docs/bots.md that report requests of crawlers, run unchanged but for their addresses, in front of the program. */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { AI_CRAWLERS } from "../../src/runtime/bots/ai-crawlers.ts";
import { CRAWL_REQUESTS_MAX } from "../../src/runtime/base/config/limits.ts";
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

const [WORKER, NEXT, NGINX] = ["Report from a Cloudflare Worker", "Report from Next.js", "Report from the log of nginx"];

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
});
