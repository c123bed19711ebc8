/** Objects of different sites share one engine in workerd: none waits for what another one does, or no longer does. */
import { afterEach, describe, expect, it } from "vitest";
import { ENGINE_CONNECTIONS_MAX } from "../../src/runtime/base/config/limits.ts";
import { CHROME_WINDOWS } from "../support/user-agents.ts";
import { CONTROL_HEADER, HELD_CLASSES, type Control, type ControlCall } from "../support/workerd/control.ts";
import { startWorkerd, type WorkerdRuntime } from "../support/workerd/runtime.ts";

let runtime: WorkerdRuntime;
afterEach(() => runtime.close());

/** A target with objects of its own, which share the engine with those of other targets. */
function target(object: string) {
  const fetched = (path: string, { call, body }: { call?: ControlCall; body?: object } = {}): Promise<Response> => {
    const control: Control = { object, tenant: object, environment: { SVC_CACHE_TTL_SECS: "0" }, nowMs: Date.now(), ...(call && { call }) };
    const headers = { [CONTROL_HEADER]: JSON.stringify(control), "user-agent": CHROME_WINDOWS, "CF-Connecting-IP": "127.0.0.1" };
    return fetch(new URL(path, runtime.origin()), { headers, ...(body && { method: "POST", body: JSON.stringify(body) }) });
  };
  return {
    command: async (call: ControlCall) => (await fetched("/", { call })).text(),
    post: async (site: string) => (await fetched("/api/event", { body: { d: site, n: "pageview", u: "/" } })).status,
    report: async (site: string) => {
      const response = await fetched(`/api/stats/main?site_id=${site}&period=7d`);
      return [response.status, ((await response.json()) as { total_events?: number }).total_events];
    },
  };
}

const sitesOf = (count: number): string[] => Array.from({ length: count }, (_, i) => `site-${i}.test`);

describe("objects that share an engine", () => {
  it("get their reports after objects ended in the middle of queries that used all connections", async () => {
    runtime = await startWorkerd({ script: "test-worker.js", classNames: HELD_CLASSES });
    const [ending, staying] = [target("ending"), target("staying")];
    const sites = sitesOf(ENGINE_CONNECTIONS_MAX + 1);
    for (const site of sites) expect(await ending.post(site)).toBe(202);
    expect(await staying.post("other.test")).toBe(202);
    expect(await staying.report("other.test")).toEqual([200, 1]);
    await ending.command("hold");
    const lost = Promise.allSettled(sites.map((site) => ending.report(site)));
    await expect.poll(async () => Number(await ending.command("held"))).toBeGreaterThanOrEqual(ENGINE_CONNECTIONS_MAX);
    await ending.command("evict");
    await lost;
    await ending.command("letGo");
    expect(await staying.report("other.test")).toEqual([200, 1]);
    for (const site of sites) expect(await ending.report(site)).toEqual([200, 1]);
  });

  it("get their reports when as many sites as a dashboard lists are queried at the same moment, before the engine runs", async () => {
    runtime = await startWorkerd({ script: "worker.js", environment: { SVC_CACHE_TTL_SECS: "0" } });
    const all = target("any");
    const sites = sitesOf(50);
    for (const site of sites) expect(await all.post(site)).toBe(202);
    const reports = await Promise.all(sites.map((site) => all.report(site)));
    expect(reports).toEqual(sites.map(() => [200, 1]));
  });
});
