/** The README's snippets for nginx and Caddy, as they are written there, in front of the program. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createNodeTarget } from "../support/node-target.ts";
import { browserHeaders, getMain, wireEvent } from "../support/requests.ts";
import { tempFolder } from "../support/temp-folder.ts";

const readme = await readFile(new URL("../../README.md", import.meta.url), "utf8");

/** The README's block of code in that language. */
const snippet = (language: string): string => readme.split("```" + language + "\n")[1]?.split("```")[0] ?? "";

const startLine = /^SVC_SCRIPT_PATHS=.*$/m.exec(readme)?.[0] ?? "";
const environment = Object.fromEntries([...startLine.matchAll(/(SVC_\w+)=(\S+)/g)].map(([, name = "", value = ""]) => [name, value]));

const isInstalled = (program: string): boolean => spawnSync(program, ["version"]).error === undefined;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function untilAnswering(url: string, proxy: ChildProcess): Promise<void> {
  while (proxy.exitCode === null) {
    if (await fetch(url).then(() => true, () => false)) return;
  }
  throw new Error("the proxy ended");
}

const PROXIES = {
  nginx: {
    args: (file: string) => ["-c", file, "-g", "daemon off;"],
    config: (text: string, port: number, folder: string) =>
      `pid ${folder}/pid; error_log stderr; events {} http { access_log off; server { listen 127.0.0.1:${port}; ${text} } }`,
  },
  caddy: {
    args: (file: string) => ["run", "--adapter", "caddyfile", "--config", file],
    config: (text: string, port: number) => `{\n  admin off\n}\nhttp://127.0.0.1:${port} {\n${text}\n}`,
  },
};

describe("the README's names of a site's own", () => {
  it("are what its tag and its snippets name", () => {
    expect(environment).toMatchObject({ SVC_SCRIPT_PATHS: "/lib/hello.js", SVC_EVENT_PATHS: "/lib/hello" });
    expect(readme).toContain('data-api="https://example.com/lib/hello" src="/lib/hello.js"');
    expect(snippet("nginx")).toContain("location ~ ^/lib/hello(\\.js)?$");
    expect(snippet("caddy")).toContain("path /lib/hello /lib/hello.js");
  });

  for (const [program, { args, config }] of Object.entries(PROXIES)) {
    // Neither comes as an npm package, so this runs where the machine has them.
    it.skipIf(!isInstalled(program))(`work behind ${program}, where visitors keep their own addresses`, async () => {
      const target = await createNodeTarget(environment);
      onTestFinished(() => target.close());
      const folder = await tempFolder();
      const port = await freePort();
      const file = join(folder, "config");
      await writeFile(file, config(snippet(program).replaceAll("127.0.0.1:8000", new URL(target.origin()).host), port, folder));
      const proxy = spawn(program, args(file), { stdio: "ignore" });
      onTestFinished(() => void proxy.kill("SIGKILL"));
      await untilAnswering(`http://127.0.0.1:${port}/lib/hello.js`, proxy);
      expect(await (await fetch(`http://127.0.0.1:${port}/lib/hello.js`)).text()).toBe(await (await target.fetch("/svc.js")).text());
      const sent = await fetch(`http://127.0.0.1:${port}/lib/hello`, { method: "POST", headers: browserHeaders(), body: JSON.stringify(wireEvent("proxied.test")) });
      expect(sent.status).toBe(202);
      expect(await getMain(target, "proxied.test")).toMatchObject({ total_events: 1 });
    });
  }
});
