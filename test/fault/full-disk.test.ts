/**
 * A real file system that is full: no acknowledged event is lost, requests that cannot be stored are refused with a reason, no
 * partial file is left, statistics remain available, and the service recovers by itself once there is space.
 */
import { spawn } from "node:child_process";
import { open, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createFileObjectStore, createFileRecordStore } from "../../adapters/node/files/file-stores.ts";
import { JOURNAL_FOLDER, openFileSegmentLog } from "../../adapters/node/files/file-segment-log.ts";
import {
  bodyOf,
  CLOSED,
  createKey,
  deleteKey,
  getStatus,
  listKeys,
  logIn,
  postKey,
  postSetup,
  withBearer,
} from "../support/auth-requests.ts";
import { deleteEvents } from "../support/erasure-requests.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { expectError, getMain, post, record, wireEvent } from "../support/requests.ts";
import { MAIN_PATH } from "../support/built.ts";
import { QUICK_ENGINE_FLAGS } from "../support/engine-flags.ts";
import { spawnServer, startServer, type ServerProcess } from "../support/server-process.ts";
import { skippedFor } from "../support/skipped.ts";
import { NO_SMALL_DISK, smallDisk, type SmallDisk } from "../support/small-disk.ts";
import type { Environment } from "../support/target.ts";
import { CHROME_WINDOWS } from "../support/user-agents.ts";
import { expectEachOnce } from "./each-once.ts";
import { EventLoad } from "./event-load.ts";
import { readStoredEvents } from "./stored-events.ts";

const DISK_KIB = 8 * 1024;
const DAY_MS = 86_400_000;
const SITE = "full.test";

/** A service in this process whose folder is on the disk. */
async function targetOn({ dataFolder }: SmallDisk, environment: Environment = {}): Promise<InProcessTarget> {
  const target = await createInProcessTarget(environment, {
    objects: createFileObjectStore(dataFolder, { isOurs: true }),
    segmentLog: await openFileSegmentLog(join(dataFolder, JOURNAL_FOLDER), "off"),
    records: createFileRecordStore(dataFolder),
  });
  onTestFinished(() => target.close());
  return target;
}

const filesIn = async (disk: SmallDisk, folder: string): Promise<string[]> =>
  (await readdir(join(disk.dataFolder, folder), { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

/** Posts until one is refused; how many were not. */
async function postUntilRefused(target: InProcessTarget): Promise<number> {
  for (let accepted = 0; ; accepted++) {
    const response = await post(target, wireEvent(SITE));
    if (response.status === 202) continue;
    expect(response.headers.get("retry-after")).toBe("10");
    await expectError(response, 503, "cannot store events");
    return accepted;
  }
}

describe("a full disk", skippedFor(NO_SMALL_DISK), () => {
  it("a full disk makes the service refuse new events, keep counting the accepted ones, and accept events again once there is space", async () => {
    const disk = await smallDisk(DISK_KIB);
    const target = await targetOn(disk);
    await record(target, wireEvent(SITE));
    await disk.fill();
    const accepted = 1 + (await postUntilRefused(target));
    for (let i = 0; i < 20; i++) expect((await post(target, wireEvent(SITE))).status).toBe(503);
    expect((await getMain(target, SITE)).total_events).toBe(accepted);
    expect(await filesIn(disk, JOURNAL_FOLDER)).toHaveLength(1);
    expect(target.log.lines.filter(({ level }) => level === "error")).toEqual([
      {
        level: "error",
        message: "events are refused because they cannot be stored",
        fields: { reason: expect.stringContaining("ENOSPC") as unknown, refusedEvents: 1 },
      },
    ]);
    await disk.makeRoom();
    await record(target, wireEvent(SITE));
    await target.crash();
    expect((await getMain(target, SITE)).total_events).toBe(accepted + 1);
  });

  it("a full disk fails a flush without a partial file, the events stay in the journal and count, and a later flush writes them", async () => {
    const disk = await smallDisk(DISK_KIB);
    const target = await targetOn(disk);
    for (const site of [SITE, "other.test"]) await record(target, wireEvent(site));
    await disk.fill();
    expect(await target.services.flush.run()).toBe(false);
    expect(await filesIn(disk, "events")).toEqual([]);
    expect((await getMain(target, SITE)).total_events).toBe(1);
    expect(target.log.lines.map(({ fields }) => fields["reason"])).toEqual([expect.stringContaining("ENOSPC")]);
    await disk.makeRoom();
    await target.advance(1_000);
    await target.services.flush.settled();
    expect(target.services.eventStore.unflushedEvents).toBe(0);
    expect(await filesIn(disk, "events")).toHaveLength(2);
    await target.restart();
    expect((await getMain(target, SITE)).total_events).toBe(1);
  });

  it("a full disk fails a merge without a change to the files, and a later merge succeeds", async () => {
    const disk = await smallDisk(DISK_KIB);
    const target = await targetOn(disk, { SVC_COMPACT_AFTER_FILES: "2" });
    for (let i = 0; i < 3; i++) {
      await record(target, wireEvent(SITE));
      await target.flush();
    }
    await target.advance(DAY_MS);
    await target.services.compaction.settled();
    for (let i = 0; i < 3; i++) {
      await record(target, wireEvent(SITE));
      await target.flush();
    }
    const before = await filesIn(disk, "events");
    expect(before.length).toBeGreaterThan(2);
    await disk.fill();
    await target.advance(DAY_MS);
    await target.services.compaction.settled();
    expect(target.services.counters.compactionFailures).toBe(1);
    expect((await filesIn(disk, "events")).sort()).toEqual(before.sort());
    expect((await getMain(target, SITE, { period: "7d" })).total_events).toBe(6);
    await disk.makeRoom();
    await target.advance(60_000);
    await target.services.compaction.settled();
    expect(await filesIn(disk, "events")).toHaveLength(2);
    expect((await getMain(target, SITE, { period: "7d" })).total_events).toBe(6);
  });

  it("a full disk fails setup and key creation without a partial file, and a revoked key stays invalid", async () => {
    const disk = await smallDisk(DISK_KIB);
    const target = await targetOn(disk);
    await disk.fill();
    await expectError(await postSetup(target), 500, "The password could not be stored and is not set");
    expect(await getStatus(target)).toMatchObject({ setup_required: true });
    expect((await readdir(disk.dataFolder)).filter((name) => name !== JOURNAL_FOLDER)).toEqual([]);
    await disk.makeRoom();
    await bodyOf(await postSetup(target));

    const session = await logIn(target);
    const { key, key_hash: hash } = await createKey(target, session, "ReadOnly");
    await disk.fill();
    await expectError(
      await postKey(target, session, { name: "another", scope: "Admin" }),
      500,
      "The key could not be stored and does not work",
    );
    expect(await listKeys(target, session)).toHaveLength(1);
    const revoked = await deleteKey(target, session, hash);
    expect(revoked.headers.get("retry-after")).toBe("10");
    await expectError(revoked, 503, "only until the next restart");
    expect((await target.fetch("/api/sites", { headers: withBearer(key) })).status).toBe(401);
    expect(await filesIn(disk, "keys")).toEqual([`${hash}.json`]);
    await disk.makeRoom();
    expect((await deleteKey(target, session, hash)).status).toBe(200);
    await target.restart();
    expect((await target.fetch("/api/sites", { headers: withBearer(key) })).status).toBe(401);
  });

  it("a full disk fails an erasure of unflushed events, but not an erasure of events in files, which frees space", async () => {
    const disk = await smallDisk(DISK_KIB);
    const target = await targetOn(disk, CLOSED);
    const session = await logIn(target);
    const dates = { start_date: "2026-03-01", end_date: "2026-03-31" };
    const totalOf = async (site: string) =>
      ((await (await target.fetch(`/api/stats/main?site_id=${site}`, { headers: session })).json()) as { total_events: number })
        .total_events;
    await record(target, wireEvent("filed.test"));
    await target.flush();
    await record(target, wireEvent(SITE));
    await disk.fill();
    const refused = await deleteEvents(target, session, { site_id: SITE, ...dates });
    expect(refused.headers.get("retry-after")).toBe("10");
    await expectError(refused, 503, "The events could not all be erased");
    expect(await totalOf(SITE)).toBe(1);
    // Neither a refused event nor one that waits for its file holds it up.
    await postUntilRefused(target);
    expect(await (await deleteEvents(target, session, { site_id: "filed.test", ...dates })).json()).toMatchObject({
      db_records_deleted: 1,
      parquet_partitions_deleted: 1,
    });
    expect(await totalOf("filed.test")).toBe(0);
    await disk.makeRoom();
    expect((await deleteEvents(target, session, { site_id: SITE, ...dates })).status).toBe(200);
    await target.restart();
    expect(await (await target.fetch("/api/sites", { headers: await logIn(target) })).json()).toEqual({ sites: [] });
  });
});

describe("the program on a full disk", skippedFor(NO_SMALL_DISK), () => {
  const ENVIRONMENT = { SVC_FLUSH_EVENT_COUNT: "200", SVC_FLUSH_INTERVAL_SECS: "1", SVC_CACHE_TTL_SECS: "0" };

  const getJson = async <T>(server: ServerProcess, path: string): Promise<T> =>
    (await (await fetch(`${server.origin}${path}`)).json()) as T;

  const totalOf = async (server: ServerProcess): Promise<number> =>
    (await getJson<{ total_events: number }>(server, `/api/stats/main?site_id=${SITE}&period=7d`)).total_events;

  async function postOne(server: ServerProcess): Promise<Response> {
    return fetch(`${server.origin}/api/event`, {
      method: "POST",
      headers: { "user-agent": CHROME_WINDOWS },
      body: JSON.stringify({ d: "one.test", n: "pageview", u: "/" }),
    });
  }

  async function postSome(server: ServerProcess, load: EventLoad, events: number): Promise<void> {
    const enough = load.acknowledgedMore(events);
    const posting = load.start(server.origin);
    await enough;
    posting.stop();
    await posting.ended;
  }

  /** A flush that was under way gives room back, so it may take more than once. The answer to an event that is refused. */
  async function fillUp(disk: SmallDisk, server: ServerProcess, load: EventLoad): Promise<Response> {
    for (;;) {
      await disk.fill();
      // Each connection ends with the first event that is not taken.
      await load.start(server.origin).ended;
      const answer = await postOne(server);
      if (answer.status !== 202) return answer;
    }
  }

  it("on a full disk the program keeps serving, recovers by itself, and has every acknowledged event exactly once after kills", async () => {
    const disk = await smallDisk(DISK_KIB);
    const { dataFolder } = disk;
    const load = new EventLoad((count) => ({ siteId: SITE, pathname: `/e/${count}` }));
    const first = await startServer({ dataFolder, environment: ENVIRONMENT });
    await postSome(first, load, 500);
    const refusal = await fillUp(disk, first, load);
    expect([refusal.status, refusal.headers.get("retry-after")]).toEqual([503, "10"]);
    expect(await refusal.json()).toEqual({ error: "The service cannot store events at the moment. Try again later." });
    expect(await totalOf(first)).toBe(load.acknowledged.length);
    expect(await (await fetch(`${first.origin}/health/ready`)).text()).toBe("ready");
    expect(await (await fetch(`${first.origin}/metrics`)).text()).toMatch(/^svc_ingest_available 0$/m);
    await disk.makeRoom();
    const again = first.logged(/events can be stored again/);
    const posting = load.start(first.origin);
    await again;
    posting.stop();
    await posting.ended;

    await fillUp(disk, first, load);
    await first.kill9();
    // Still full: what is there is served all the same.
    const second = await startServer({ dataFolder, environment: ENVIRONMENT });
    expect(await totalOf(second)).toBe(load.acknowledged.length);
    await second.kill9();
    await disk.makeRoom();
    const third = await startServer({ dataFolder, environment: ENVIRONMENT });
    await postSome(third, load, 300);
    expect(await third.stop()).toBe(0);
    expect(load.unanswered).toEqual([]);
    expect(new Set(load.refusals)).toEqual(new Set([503]));
    const { pages, inJournalOnly } = await readStoredEvents(dataFolder);
    expectEachOnce(new Map([...pages].filter(([page]) => page.startsWith(SITE))), load, () => true);
    expect(inJournalOnly).toBe(0);
    // Once for each time, not once for each event.
    expect(first.log().split("events are refused").length - 1).toBeLessThan(load.refusals.length / 4);
    for (const server of [first, second, third]) expect(server.log()).not.toMatch(/^\s+at /m);
  });

  it("on a full disk the program keeps serving and loses only log lines when its log file is on that disk", async () => {
    const disk = await smallDisk(DISK_KIB);
    const logPath = join(disk.dataFolder, "log");
    const log = await open(logPath, "a");
    const environment = { ...ENVIRONMENT, SVC_LOG_LEVEL: "debug", SVC_PORT: "0", SVC_DATA_DIR: disk.dataFolder };
    const program = spawn(process.execPath, [...QUICK_ENGINE_FLAGS, MAIN_PATH], { stdio: ["ignore", log.fd, log.fd], env: environment });
    const exited = new Promise<number | null>((resolve) => program.once("exit", resolve));
    await log.close();
    const logged = () => readFile(logPath, "utf8");
    try {
      await expect.poll(logged).toContain("listens on ");
      const origin = /listens on (http:\/\/\S+)/.exec(await logged())?.[1] ?? "";
      const ask = async () => (await fetch(`${origin}/health`)).text();
      await disk.fill();
      // Until the page that the log ends in is full, too.
      for (let i = 0; i < 200; i++) expect(await ask()).toBe("ok");
      const whenFull = (await logged()).length;
      for (let i = 0; i < 20; i++) expect(await ask()).toBe("ok");
      expect((await logged()).length).toBe(whenFull);
      await disk.makeRoom();
      for (let i = 0; i < 20; i++) expect(await ask()).toBe("ok");
      await expect.poll(async () => (await logged()).length).toBeGreaterThan(whenFull);
    } finally {
      program.kill("SIGTERM");
    }
    expect(await exited).toBe(0);
  });

  it("the program does not start on a read-only disk, and logs the reason in one line", async () => {
    const disk = await smallDisk(DISK_KIB);
    disk.readOnly(true);
    const server = spawnServer({ dataFolder: disk.dataFolder });
    expect(await server.exited).toEqual({ code: 1, signal: null });
    expect(server.log()).toMatch(/^sandpiper cannot start: the data folder \S+ \(data_dir\) cannot be written: EROFS/m);
    expect(server.log().trim().split("\n")).toHaveLength(1);
    disk.readOnly(false);
  });
});
