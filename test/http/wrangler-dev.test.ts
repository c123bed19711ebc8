/** `wrangler dev` on a checkout serves the product and keeps its data across restarts, and leaves nothing running. */
import { readFile, rm } from "node:fs/promises";
import { expect, it } from "vitest";
import { descendantsOf, runningProcesses } from "../../adapters/workerd/process-tree.mjs";
import { fetchAt } from "../support/fetch-at.ts";
import { skippedFor } from "../support/skipped.ts";
import { CHROME_WINDOWS } from "../support/user-agents.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { startWranglerDev } from "../support/wrangler-dev.ts";

const SITE = "wrangler.test";
const EVENTS = 5;

/** Builds the Worker twice and starts two programs that are not small. */
const TEST_MS_MAX = 240_000;

const totalAt = async (origin: string): Promise<unknown> => {
  const response = await fetch(`${origin}/api/stats/main?site_id=${SITE}`);
  return ((await response.json()) as { total_events: unknown }).total_events;
};

it(
  "wrangler dev accepts events, serves reports, and keeps the events after a restart",
  async () => {
    const folder = await tempFolder();
    const first = await startWranglerDev(folder, { SVC_CACHE_TTL_SECS: "0" });
    try {
      for (let i = 0; i < EVENTS; i++) {
        const body = JSON.stringify({ d: SITE, n: "pageview", u: `https://${SITE}/${i}` });
        const response = await fetch(`${first.origin}/api/event`, { method: "POST", headers: { "user-agent": CHROME_WINDOWS }, body });
        expect({ status: response.status, body: await response.text() }).toEqual({ status: 202, body: "" });
      }
      expect(await totalAt(first.origin)).toBe(EVENTS);
      expect(await (await fetch(`${first.origin}/svc.js`)).text()).not.toBe("");
      // The place of the machine that develops is made up by wrangler, and is not taken for the visitor's.
      const countries = await fetch(`${first.origin}/api/stats/breakdown/countries?site_id=${SITE}`);
      expect(await countries.json()).toMatchObject([{ value: "(unknown)", visitors: 1 }]);
      // No password is set, so a host name needs the code that the start has printed.
      expect((await fetchAt(new URL("/api/sites", first.origin), { host: "nas:8787" })).status).toBe(403);
      await expect.poll(first.log).toMatch(/no admin password is set.* setupCode=[\w-]{19}/);
    } finally {
      await first.stop();
    }
    const second = await startWranglerDev(folder, { SVC_CACHE_TTL_SECS: "0" });
    try {
      expect(await totalAt(second.origin)).toBe(EVENTS);
    } finally {
      await second.stop();
    }
  },
  TEST_MS_MAX,
);

/** Empty if the process has ended meanwhile. */
const commandOf = (id: number): Promise<string> => readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "");

it(
  "npm run dev:worker builds the Worker once, warns of nothing, and ends with npm, even if that is killed",
  { timeout: TEST_MS_MAX, ...skippedFor(process.platform === "linux" ? null : "the processes are read from /proc") },
  async () => {
    await rm(new URL("../../dist/worker", import.meta.url), { recursive: true, force: true });
    const server = await startWranglerDev(await tempFolder(), {}, "npm");
    expect(server.log().match(/dist\/worker: built/g)).toHaveLength(1);
    // With the first request, the Worker itself warns that no password is set.
    expect(server.log()).not.toMatch(/warn/i);
    expect((await fetch(`${server.origin}/health`)).status).toBe(200);

    const tree = descendantsOf(runningProcesses(), server.pid);
    const commands = await Promise.all(tree.map(([id]) => commandOf(id)));
    expect(commands.filter((command) => command.includes("bin/workerd\0serve"))).not.toEqual([]);
    await server.kill9();
    const stillRunning = () => {
      const running = runningProcesses();
      return tree.filter(([id, { start }]) => running.get(id)?.start === start);
    };
    await expect.poll(stillRunning).toEqual([]);
  },
);
