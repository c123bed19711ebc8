/** Many sites in workerd, an object each: all figures are exact, also those of all sites together, and idle objects are left alone. */
import { readFileSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { DAY_MS } from "../../src/storage/event.ts";
import { CHROME_WINDOWS } from "../support/user-agents.ts";
import { startWorkerd, type WorkerdRuntime } from "../support/workerd/runtime.ts";

const SITES = Array.from({ length: 40 }, (_, i) => `site-${i}.test`);

let runtime: WorkerdRuntime;
afterEach(() => runtime.close());

const start = async (environment: Record<string, string> = {}): Promise<void> => {
  runtime = await startWorkerd({ script: "worker.js", environment: { SVC_CACHE_TTL_SECS: "0", ...environment } });
};

const post = (site: string, path = "/"): Promise<Response> =>
  fetch(`${runtime.origin()}/api/event`, {
    method: "POST",
    headers: { "user-agent": CHROME_WINDOWS },
    body: JSON.stringify({ d: site, n: "pageview", u: `https://${site}${path}` }),
  });

const textOf = async (path: string): Promise<string> => (await fetch(`${runtime.origin()}${path}`)).text();

/** With a body that is larger than any event's. */
const withLargeBody = (method: string, path: string, headers: Record<string, string> = {}): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const body = Buffer.alloc(70_000);
    const sent = request(`${runtime.origin()}${path}`, { method, headers: { ...headers, "content-length": body.length } }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () => resolve(JSON.parse(text)));
    });
    sent.on("error", reject).end(body);
  });

const totalOf = async (site: string): Promise<number> =>
  (JSON.parse(await textOf(`/api/stats/main?site_id=${site}&period=7d`)) as { total_events: number }).total_events;

/** Overwrites the database of the site's object, which has a record of the site's id. */
async function damageObjectOf(site: string, folder: string): Promise<void> {
  const record = JSON.stringify({ siteId: site });
  const files = (await readdir(folder, { recursive: true })).map((name) => join(folder, name)).filter((name) => name.includes(".sqlite"));
  const database = files.find((file) => readFileSync(file).includes(record))?.replace(/-(wal|shm)$/, "");
  expect(database).toBeDefined();
  for (const file of files.filter((name) => database && name.startsWith(database))) await writeFile(file, "damaged".repeat(10_000));
}

async function metricOf(name: string): Promise<number> {
  const line = new RegExp(`^${name} (\\d+)$`, "m").exec(await textOf("/metrics"));
  return Number(line?.[1]);
}

describe("many sites in workerd", () => {
  it("report exact metrics individually and together, while they send events at the same time", async () => {
    await start({ SVC_FLUSH_EVENT_COUNT: "5" });
    const eventsOf = (i: number) => 1 + (i % 7);
    const statuses = await Promise.all(
      SITES.flatMap((site, i) => Array.from({ length: eventsOf(i) }, async (_, event) => (await post(site, `/${event}`)).status)),
    );
    expect(new Set(statuses)).toEqual(new Set([202]));
    expect(await metricOf("svc_events_ingested_total")).toBe(statuses.length);
    expect(await metricOf("svc_sites")).toBe(SITES.length);
    expect(JSON.parse(await textOf("/api/sites"))).toEqual({ sites: SITES.toSorted() });
    for (const [i, site] of SITES.entries()) expect(await totalOf(site)).toBe(eventsOf(i));
    await runtime.crash();
    expect(JSON.parse(await textOf("/api/sites"))).toEqual({ sites: SITES.toSorted() });
    for (const [i, site] of SITES.entries()) expect(await totalOf(site)).toBe(eventsOf(i));
  });

  it("never exceed max_sites, however many send their first event at the same moment", async () => {
    await start({ SVC_MAX_SITES: "5" });
    const statuses = await Promise.all(SITES.map(async (site) => (await post(site)).status));
    expect(statuses.filter((status) => status === 202).length).toBe(5);
    expect(statuses.filter((status) => status === 403).length).toBe(SITES.length - 5);
    const { sites } = JSON.parse(await textOf("/api/sites")) as { sites: string[] };
    expect(sites).toEqual(SITES.filter((_, i) => statuses[i] === 202).toSorted());
  });

  it("are listed and served if the storage of one of them is damaged, which stays listed", async () => {
    await start();
    for (const site of SITES.slice(0, 3)) expect((await post(site)).status).toBe(202);
    await runtime.crash((folder) => damageObjectOf("site-1.test", folder));
    expect((await fetch(`${runtime.origin()}/api/stats/main?site_id=site-1.test`)).status).toBe(500);
    expect(JSON.parse(await textOf("/api/sites"))).toEqual({ sites: ["site-0.test", "site-1.test", "site-2.test"] });
    expect(await totalOf("site-0.test")).toBe(1);
    expect((await post("site-2.test", "/more")).status).toBe(202);
    expect(await totalOf("site-2.test")).toBe(2);
  });

  it("serve their own requests, whatever body comes with the request", async () => {
    await start({ SVC_ADMIN_PASSWORD: "correct horse battery staple" });
    const login = await fetch(`${runtime.origin()}/api/auth/login`, {
      method: "POST",
      body: JSON.stringify({ password: "correct horse battery staple" }),
    });
    const { token } = (await login.json()) as { token: string };
    const headers = { cookie: `svc_session=${token}` };
    const key = await fetch(`${runtime.origin()}/api/keys`, {
      method: "POST",
      headers,
      body: JSON.stringify({ name: "erases", scope: "Admin" }),
    });
    const admin = { "x-api-key": ((await key.json()) as { key: string }).key };
    expect((await post("site-0.test")).status).toBe(202);
    expect(await withLargeBody("GET", "/api/stats/main?site_id=site-0.test&period=7d", admin)).toMatchObject({ total_events: 1 });
    const [from, to] = [-1, 1].map((days) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10));
    const erasure = `/api/gdpr/erase?site_id=site-0.test&start_date=${from}&end_date=${to}`;
    const erased = await withLargeBody("DELETE", erasure, admin);
    expect(erased).toMatchObject({ status: "erased", db_records_deleted: 1 });
    expect(await withLargeBody("GET", "/api/stats/main?site_id=site-0.test&period=7d", admin)).toMatchObject({ total_events: 0 });
  });

  it("report what their alarms did once no request arrives any more", async () => {
    await start({ SVC_FLUSH_INTERVAL_SECS: "8" });
    expect((await post("site-0.test")).status).toBe(202);
    await expect.poll(() => runtime.bucketKeys()).toHaveLength(1);
    await expect.poll(() => metricOf("svc_flush_duration_seconds_count")).toBeGreaterThan(0);
  });

  it("share the rate limit of an address, and each has its own", async () => {
    // One event a second: a machine that needs half a minute for these would accept all of them.
    await start({ SVC_RATE_LIMIT_PER_IP: "1", SVC_RATE_LIMIT_PER_SITE: "0.01", SVC_TRUST_PROXY: "0" });
    const statuses = await Promise.all(SITES.slice(0, 30).map(async (site) => (await post(site)).status));
    const accepted = statuses.filter((status) => status === 202).length;
    expect(accepted).toBeGreaterThanOrEqual(1);
    expect(accepted).toBeLessThan(30);
    // A refusal because of the address took no token of the site.
    const refused = SITES[statuses.indexOf(429)] ?? "";
    await expect.poll(async () => (await post(refused)).status, { interval: 200 }).toBe(202);
    expect((await post(refused)).status).toBe(429);
  });
});
