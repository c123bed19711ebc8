/** A deployment whose one object served all sites, moved over to an object a site: nothing is lost or counted twice, killed or not. */
import { afterEach, describe, expect, it } from "vitest";
import { CHROME_WINDOWS } from "../support/user-agents.ts";
import { startWorkerd, type WorkerdRuntime } from "../support/workerd/runtime.ts";

const SITES = ["one.test", "two.test", "main"];

/** The journal of the old object: files of some events, and events in no file. */
const ENVIRONMENT = { SVC_CACHE_TTL_SECS: "0", SVC_FLUSH_INTERVAL_SECS: "3600", SVC_FLUSH_EVENT_COUNT: "25" };

const PASSWORD = "correct horse battery staple";

let runtime: WorkerdRuntime;
afterEach(() => runtime.close());

const post = (path: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${runtime.origin()}${path}`, {
    method: "POST",
    headers: { "user-agent": CHROME_WINDOWS, ...headers },
    body: JSON.stringify(body),
  });

const record = async (site: string, count: number): Promise<void> => {
  for (let i = 0; i < count; i++)
    expect((await post("/api/event", { d: site, n: "pageview", u: `https://${site}/${i}` })).status).toBe(202);
};

async function statsOf(site: string, key: string): Promise<{ total_events: number; unique_visitors: number }> {
  const response = await fetch(`${runtime.origin()}/api/stats/main?site_id=${site}&period=7d`, { headers: { "x-api-key": key } });
  expect(response.status, await response.clone().text()).toBe(200);
  return (await response.json()) as { total_events: number; unique_visitors: number };
}

/** A password, a key, and events of each site: thirty, some of them in files. */
async function deployOne(): Promise<string> {
  runtime = await startWorkerd({ script: "one-object-worker.js", environment: ENVIRONMENT });
  const setup = (await (await post("/api/auth/setup", { password: PASSWORD })).json()) as { token: string };
  const key = await post("/api/keys", { name: "reads", scope: "Admin" }, { cookie: `svc_session=${setup.token}` });
  for (const site of SITES) await record(site, 30);
  return ((await key.json()) as { key: string }).key;
}

// A test starts workerd up to twelve times, each of which takes seconds on a busy machine.
describe("a deployment that moves from one object to an object per site", { timeout: 400_000 }, () => {
  it("a move to an object per site keeps every event, the password, the keys and, within the salt period, the ids of visitors", async () => {
    const key = await deployOne();
    await runtime.crashInto("worker.js");
    for (const site of SITES) await record(site, 5);
    for (const site of SITES) expect(await statsOf(site, key)).toMatchObject({ total_events: 35, unique_visitors: 1 });
    const listed = await fetch(`${runtime.origin()}/api/sites`, { headers: { "x-api-key": key } });
    expect(await listed.json()).toEqual({ sites: SITES.toSorted() });
    expect((await post("/api/auth/login", { password: PASSWORD })).status).toBe(200);
    expect((await fetch(`${runtime.origin()}/api/sites`)).status).toBe(401);
  });

  it("a move to an object per site keeps every event exactly once if it is killed at any moment", async () => {
    const key = await deployOne();
    const filesBefore = (await runtime.bucketKeys()).length;
    const filesSeen: number[] = [];
    for (let ms = 0; ms < 240; ms += 30) {
      await runtime.crashInto("worker.js");
      for (const site of SITES) void fetch(`${runtime.origin()}/api/stats/main?site_id=${site}`).catch(() => null);
      await new Promise((resolve) => setTimeout(resolve, ms));
      filesSeen.push((await runtime.bucketKeys()).length);
    }
    // Otherwise no kill came before the end of the move.
    expect(filesSeen[0]).toBeLessThan(filesBefore + SITES.length);
    await runtime.crash();
    for (const site of SITES) {
      await record(site, 1);
      expect(await statsOf(site, key)).toMatchObject({ total_events: 31, unique_visitors: 1 });
    }
  });

  it("a move to an object per site starts the object of every site with files, however many there are, so that due work happens without a request", async () => {
    runtime = await startWorkerd({ script: "one-object-worker.js", environment: ENVIRONMENT });
    const sites = Array.from({ length: 25 }, (_, i) => `site-${i}.test`);
    for (const site of sites) await record(site, 1);
    await expect.poll(async () => (await runtime.bucketKeys()).length).toBeGreaterThanOrEqual(sites.length);
    await runtime.crashInto("worker.js");
    await (await fetch(`${runtime.origin()}/health`)).text();
    await expect.poll(() => sites.filter((site) => !runtime.log().includes(`object=${site}`))).toEqual([]);
  });
});
