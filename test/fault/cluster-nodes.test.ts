/** Nodes that share a ClickHouse, as processes: an erasure is complete on all of them, whatever they were doing (docs/scaling.md). */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { DAY_MS, utcDateOf } from "../../src/storage/event.ts";
import { withBearer } from "../support/auth-requests.ts";
import { ONLY_THE_FRONT, clickhouseOfFile } from "../support/clickhouse-server.ts";
import { skippedFor } from "../support/skipped.ts";
import { startServer, type ServerProcess } from "../support/server-process.ts";
import type { Environment } from "../support/target.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { CHROME_WINDOWS } from "../support/user-agents.ts";

const PASSWORD = "correct horse battery staple";
const SITE = "a.test";

const clickhouse = clickhouseOfFile();

interface Reply {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

async function replyOf(response: Response): Promise<Reply> {
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** Nodes with one database of their own. */
async function createCluster() {
  const { url, username, password, query, database: newDatabase } = clickhouse();
  const database = await newDatabase();
  const running = new Set<ServerProcess>();
  onTestFinished(async () => {
    for (const server of running) await server.kill9();
  });
  const start = async (role: "all" | "ingest", dataFolder: string, environment: Environment = {}): Promise<ServerProcess> => {
    const server = await startServer({
      dataFolder,
      environment: {
        SVC_ROLE: role,
        SVC_SECRET: "one secret for all nodes of this test",
        SVC_ENGINE: "clickhouse",
        SVC_CLICKHOUSE_URL: url,
        SVC_CLICKHOUSE_USER: username,
        ...(password !== "" && { SVC_CLICKHOUSE_PASSWORD: password }),
        SVC_CLICKHOUSE_DATABASE: database,
        ...(role === "all" && { SVC_ADMIN_PASSWORD: PASSWORD }),
        ...environment,
      },
    });
    running.add(server);
    void server.exited.then(() => running.delete(server));
    return server;
  };
  const rows = async (): Promise<number> => Number(await query("SELECT count() FROM events_data", { database }));
  return { start, rows, query: (sql: string) => query(sql, { database }) };
}

async function send({ origin }: ServerProcess, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const body = JSON.stringify({ d: SITE, n: "pageview", u: `https://${SITE}/${i}` });
    const response = await fetch(`${origin}/api/event`, { method: "POST", headers: { "user-agent": CHROME_WINDOWS }, body });
    expect(response.status).toBe(202);
  }
}

/** Erases yesterday and today on the node, or on its next process. */
async function createEraser(node: ServerProcess): Promise<(on?: ServerProcess) => Promise<Reply>> {
  const { origin } = node;
  const login = await fetch(`${origin}/api/auth/login`, { method: "POST", body: JSON.stringify({ password: PASSWORD }) });
  const { token } = (await login.json()) as { token: string };
  const headers = { cookie: `svc_session=${token}` };
  const created = await fetch(`${origin}/api/keys`, { method: "POST", headers, body: JSON.stringify({ name: "erases", scope: "Admin" }) });
  const { key } = (await created.json()) as { key: string };
  return async (on = node) => {
    // Events of a test may be from before midnight.
    const [start, end] = [Date.now() - DAY_MS, Date.now()].map(utcDateOf);
    const url = `${on.origin}/api/gdpr/erase?site_id=${SITE}&start_date=${start}&end_date=${end}`;
    return replyOf(await fetch(url, { method: "DELETE", headers: withBearer(key) }));
  };
}

const erased = (events: number): Reply => ({
  status: 200,
  body: expect.objectContaining({ status: "erased", db_records_deleted: events }) as never,
});

describe("an erasure on a full node", () => {
  it("an erasure finds events that other nodes store in ClickHouse and in their journals, and adds up the counts", async () => {
    const { start, rows } = await createCluster();
    const [full, ingest] = [await start("all", await tempFolder()), await start("ingest", await tempFolder())];
    await send(full, 3);
    await send(ingest, 5);
    const erase = await createEraser(full);
    expect(await erase()).toEqual(erased(8));
    expect(await rows()).toBe(0);
    expect(await erase()).toEqual(erased(0));
    await send(ingest, 2);
    expect(await ingest.stop()).toBe(0);
    for (const { log } of [full, ingest]) expect(log()).not.toContain(" ERROR ");
    expect(await rows()).toBe(2);
  });

  it("an erasure is a 503 that names a killed node, which erases its journal before ClickHouse gets the events", async () => {
    const { start, rows } = await createCluster();
    const [fullFolder, folder] = [await tempFolder(), await tempFolder()];
    const [full, ingest] = [await start("all", fullFolder), await start("ingest", folder)];
    const erase = await createEraser(full);
    expect(await full.stop()).toBe(0);
    await send(ingest, 4);
    await ingest.kill9();
    // It waits for the killed node for most of the time that a request may take, of which a login would take too much on a busy machine.
    const refusal = await erase(await start("all", fullFolder, { SVC_REQUEST_TIMEOUT_SECS: "10" }));
    expect(refusal).toMatchObject({
      status: 503,
      body: { error: expect.stringMatching(/not erased the events yet: [0-9a-f]{16} \(last seen/) as never },
    });
    const again = await start("ingest", folder, { SVC_FLUSH_INTERVAL_SECS: "0.1" });
    expect(again.log()).toMatch(/events of this node were erased on request .*events=4/);
    expect(await rows()).toBe(0);
    await send(again, 1);
    expect(await again.stop()).toBe(0);
    expect(await rows()).toBe(1);
  });

  it("an erasure deletes the rows of a stopped node at once, which later deletes its files and keeps newer events", async () => {
    const { start, rows } = await createCluster();
    const folder = await tempFolder();
    const [full, ingest] = [await start("all", await tempFolder()), await start("ingest", folder)];
    await send(ingest, 4);
    expect(await ingest.stop()).toBe(0);
    expect(await rows()).toBe(4);
    const erase = await createEraser(full);
    expect(await erase()).toEqual(erased(4));
    expect(await rows()).toBe(0);
    const again = await start("ingest", folder);
    expect(again.log()).toMatch(/events of this node were erased on request/);
    await send(again, 2);
    expect(await again.stop()).toBe(0);
    expect(await rows()).toBe(2);
  });

  it("an erasure needs no confirmation of a removed node, which does not start again", async () => {
    const { start, rows, query } = await createCluster();
    const folder = await tempFolder();
    const [full, ingest] = [await start("all", await tempFolder()), await start("ingest", folder)];
    await send(ingest, 4);
    expect(await ingest.stop()).toBe(0);
    await query("INSERT INTO nodes (node, state) SELECT node, 'removed' FROM nodes WHERE role = 'ingest' LIMIT 1");
    expect(await (await createEraser(full))()).toEqual(erased(4));
    expect(await rows()).toBe(0);
    await expect(start("ingest", folder)).rejects.toThrow("was removed from the cluster");
  });
});

describe("a node that ClickHouse considers stopped", () => {
  it("a node that ClickHouse considers stopped confirms its own erasure before the response", skippedFor(ONLY_THE_FRONT), async () => {
    const { start, rows } = await createCluster();
    const folder = await tempFolder();
    const full = await start("all", folder);
    await send(full, 3);
    expect(await full.stop()).toBe(0);
    await clickhouse().kill();
    const again = await start("all", folder);
    await send(again, 2);
    await clickhouse().start();
    const erase = await createEraser(again);
    expect(await erase()).toEqual(erased(5));
    expect(await rows()).toBe(0);
  });
});

describe("a node", () => {
  it("a node deletes the expired events of stopped nodes, and leaves those of running nodes to them", async () => {
    const { start, rows, query } = await createCluster();
    const [stopped, running] = [await start("ingest", await tempFolder()), await start("ingest", await tempFolder())];
    await send(stopped, 4);
    await send(running, 3);
    expect(await stopped.stop()).toBe(0);
    await expect.poll(rows).toBe(7);
    await query("INSERT INTO events_data SELECT * REPLACE (day - 40 AS day) FROM events_data");
    const folder = await tempFolder();
    // Without it, a new node does not trust its clock with deletions.
    await writeFile(join(folder, "clock.json"), JSON.stringify({ seenAt: new Date().toISOString() }));
    await start("all", folder, { SVC_RETENTION_DAYS: "30" });
    await expect.poll(rows).toBe(10);
    const left = "SELECT state, uniqExact(day), count() FROM events_data JOIN nodes FINAL USING (node) GROUP BY state ORDER BY state";
    expect((await query(left)).trim()).toBe("running\t2\t6\nstopped\t1\t4");
  });

  it("a node logs which other nodes have another secret or period of visitor ids", async () => {
    const { start } = await createCluster();
    await start("ingest", await tempFolder());
    const other = await start("ingest", await tempFolder(), { SVC_SECRET: "a secret that no other node has at all" });
    expect(other.log()).toMatch(/ERROR other nodes have another secret, or none.* nodes=[0-9a-f]{16}\n/);
    const third = await start("all", await tempFolder(), { SVC_VISITOR_SALT_ROTATION_DAYS: "7" });
    expect(third.log()).toMatch(/ERROR other nodes have another visitor_salt_rotation_days/);
  });
});
