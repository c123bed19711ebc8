/** Two nodes with one ClickHouse: which sites and days there are, and what retention and erasure of one node leave of the other. */
import { describe, expect, it, onTestFinished } from "vitest";
import { CLOSED, logIn } from "../support/auth-requests.ts";
import { clickhouseOfFile } from "../support/clickhouse-server.ts";
import { createInProcessTarget, START_MS, type InProcessTarget } from "../support/in-process-target.ts";
import { memoryStores } from "../support/mortal-stores.ts";
import { post, wireEvent } from "../support/requests.ts";
import type { Environment } from "../support/target.ts";

const clickhouse = clickhouseOfFile();

const DAY_MS = 86_400_000;
const SITE = "one.test";

/** Nodes of one deployment, each with a data folder of its own, and how many events a condition selects. */
async function deployment() {
  const { url, database, query } = clickhouse();
  const name = await database();
  const environment = { SVC_ENGINE: "clickhouse", SVC_CLICKHOUSE_URL: url, SVC_CLICKHOUSE_DATABASE: name, SVC_SECRET: "s".repeat(32) };
  return {
    async node(options: Environment = {}): Promise<InProcessTarget> {
      const target = await createInProcessTarget({ ...environment, ...options }, memoryStores());
      onTestFinished(() => target.close());
      return target;
    },
    count: async (where = "true") => Number(await query(`SELECT count() FROM events_data WHERE ${where}`, { database: name })),
    query: async (sql: string) => (await query(sql, { database: name })).trim(),
  };
}

const send = async (node: InProcessTarget, site: string): Promise<number> => (await post(node, wireEvent(site))).status;

const json = async (node: InProcessTarget, path: string): Promise<unknown> => (await node.fetch(path)).json();

describe("two nodes with one ClickHouse", () => {
  it("list the sites of each other", async () => {
    const { node } = await deployment();
    const [first, second] = [await node(), await node()];
    await send(first, "one.test");
    await send(second, "two.test");
    await first.flush();
    await second.flush();
    for (const each of [first, second]) {
      await each.advance(1_000);
      expect(await json(each, "/api/sites")).toEqual({ sites: ["one.test", "two.test"] });
    }
  });

  it("report the first and the last day of a site whose events the other node accepted", async () => {
    const { node } = await deployment();
    const [first, second] = [await node(), await node()];
    await send(first, SITE);
    await first.flush();
    first.setClockAhead(2 * DAY_MS);
    await send(first, SITE);
    await first.flush();
    await second.advance(1_000);
    expect(await json(second, `/api/installation?site_id=${SITE}`)).toMatchObject({
      has_events: true,
      first_event_date: "2026-03-15",
      last_event_date: "2026-03-17",
    });
  });

  it("count the sites of both for max_sites, and refuse no site that the other node has", async () => {
    const { node } = await deployment();
    const [first, second] = [await node({ SVC_MAX_SITES: "1" }), await node({ SVC_MAX_SITES: "1" })];
    await send(first, SITE);
    await first.flush();
    await second.advance(1_000);
    expect(await send(second, "new.test")).toBe(403);
    expect(await send(second, SITE)).toBe(202);
  });

  it("keep serving the sites that they know while ClickHouse does not respond", async () => {
    const { node } = await deployment();
    const first = await node();
    await send(first, SITE);
    await first.flush();
    expect(await json(first, "/api/sites")).toEqual({ sites: [SITE] });
    await first.advance(1_000);
    await clickhouse().fail({ kind: "refuse", count: 100 });
    onTestFinished(() => clickhouse().fail({ kind: "none" }));
    expect(await json(first, "/api/sites")).toEqual({ sites: [SITE] });
    expect(await json(first, `/api/installation?site_id=${SITE}`)).toMatchObject({ first_event_date: "2026-03-15" });
    expect(await send(first, "new.test")).toBe(202);
  });
});

describe("retention", () => {
  it("deletes expired days of this node, exact to the day, with one statement for all sites", async () => {
    const { node, count, query } = await deployment();
    const [first, second] = [await node({ SVC_RETENTION_DAYS: "2" }), await node()];
    for (const each of [first, second]) {
      for (let day = 0; day < 4; day++) {
        for (const site of ["one.test", "two.test"]) await send(each, site);
        each.setClockAhead(DAY_MS);
      }
      await each.flush();
    }
    const keptDay = START_MS / DAY_MS + 2;
    await first.services.retention.settled();
    await first.services.retention.run();
    expect(await count(`day < ${Math.floor(keptDay)}`)).toBe(4);
    expect(await count()).toBe(4 + 2 * 4);
    await first.services.retention.run();
    expect(await query("SELECT countIf(command LIKE '%_row_exists%') FROM system.mutations WHERE database = currentDatabase()")).toBe("1");
  });

  it("keeps the days of a site with a retention of its own, on this node and of nodes that have stopped", async () => {
    const { node, count } = await deployment();
    const full = await node({ ...CLOSED, SVC_RETENTION_DAYS: "2" });
    const headers = await logIn(full);
    const set = async (site: string, settings: object) =>
      expect((await full.fetch(`/api/sites/${site}`, { method: "PUT", headers, body: JSON.stringify(settings) })).status).toBe(200);
    await set("short.test", { retention_days: 1 });
    await set("kept.test", { retention_days: 0 });
    // 12:00 UTC is in the next day there.
    await set("east.test", { time_zone: "Pacific/Kiritimati" });
    const sites = ["of-all.test", "short.test", "kept.test", "east.test"];
    const ingest = await node({ SVC_ROLE: "ingest" });
    for (const each of [ingest, full]) {
      for (let day = 0; day < 4; day++) {
        for (const site of sites) await send(each, site);
        each.setClockAhead(DAY_MS);
      }
      await each.flush();
      if (each === ingest) await ingest.restart();
      if (each === ingest) await ingest.services.stop(Promise.resolve(), AbortSignal.timeout(5_000));
    }
    await full.services.retention.settled();
    await full.services.retention.run();
    const kept = await Promise.all(sites.map((site) => count(`site_id = '${site}'`)));
    // Of both nodes: two days before today, one, all four, and two before the later date.
    expect(kept).toEqual([4, 2, 8, 4]);
    expect(await count("site_id = 'east.test' AND toDate(day) < '2026-03-18'")).toBe(0);
  });
});
