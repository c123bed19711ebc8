/**
 * The end of a salt period while the service runs: events at midnight, a body that arrives after midnight, a failing store and a
 * killed process. Afterwards no visitor id of the past period can be computed from the data on disk.
 */
import { execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { createFileObjectStore } from "../../adapters/node/files/file-stores.ts";
import { parsePeriodSecret, secretNameOf } from "../../src/runtime/ingest/visitor-salt.ts";
import { DAY_MS, utcDateOf } from "../../src/storage/event.ts";
import { createMemoryRecordStore } from "../support/memory-record-store.ts";
import { decodeEvents } from "../../src/storage/parquet-events.ts";
import { EVENTS_FOLDER } from "../../src/storage/partitions.ts";
import type { RecordStore } from "../../src/storage/record-store.ts";
import { createRecordSecretStore } from "../../src/storage/secret-store.ts";
import { MAIN_PATH } from "../support/built.ts";
import { createDeferred } from "../support/deferred.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { memoryStores, mortalStores } from "../support/mortal-stores.ts";
import { browserHeaders, expectAccepted, expectError, getMain, getPixel, post, wireEvent, type MainFigures } from "../support/requests.ts";
import { startServer, type ServerProcess } from "../support/server-process.ts";
import type { Environment } from "../support/target.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { CHROME_WINDOWS } from "../support/user-agents.ts";
import { inProcess } from "./ledger.ts";

const SITE = "midnight.test";
const HALF_DAY_MS = DAY_MS / 2;
const TWO_DAYS = { start_date: "2026-03-15", end_date: "2026-03-16" };

const DAYS = ["2026-03-15", "2026-03-16"];

const dayOf = (target: InProcessTarget, day: string): Promise<MainFigures> => getMain(target, SITE, { start_date: day, end_date: day });

/** One visitor's three events on each of two days: how many were accepted. */
async function playTwoDays(target: InProcessTarget): Promise<number[]> {
  const accepted: number[] = [];
  for (const _ of DAYS) {
    let count = 0;
    for (let i = 0; i < 3; i++) if ((await post(target, wireEvent(SITE))).status === 202) count++;
    accepted.push(count);
    await target.advance(DAY_MS);
    await target.services.visitorSalts.settled();
  }
  return accepted;
}

/** In-process clocks begin at noon. */
async function targetWith(records: RecordStore = createMemoryRecordStore(), environment: Environment = {}): Promise<InProcessTarget> {
  const target = await createInProcessTarget(environment, { secrets: createRecordSecretStore(records) });
  onTestFinished(() => target.close());
  return target;
}

describe("events at the end of a salt period", () => {
  it("events at the end of a salt period wait for one new secret, which is durable before any of a hundred concurrent events is accepted", async () => {
    const records = createMemoryRecordStore();
    const stored = createDeferred<void>();
    let [writes, isHeld] = [0, false];
    const target = await targetWith({
      ...records,
      async write(name, bytes) {
        writes++;
        if (isHeld) await stored.promise;
        await records.write(name, bytes);
      },
    });
    await expectAccepted(await post(target, wireEvent(SITE)));
    [writes, isHeld] = [0, true];
    await target.advance(HALF_DAY_MS);
    let answered = 0;
    const answers = Array.from({ length: 100 }, async (_, i) => {
      const response = await (i % 2 ? post(target, wireEvent(SITE)) : getPixel(target, { d: SITE, n: "pageview", u: "/" }));
      answered++;
      return response.status;
    });
    // What is asked meanwhile does not wait.
    expect((await getMain(target, SITE, TWO_DAYS)).total_events).toBe(1);
    expect({ answered, writes }).toEqual({ answered: 0, writes: 1 });
    stored.resolve();
    expect(new Set(await Promise.all(answers))).toEqual(new Set([200, 202]));
    expect(writes).toBe(1);
    expect(await getMain(target, SITE, TWO_DAYS)).toMatchObject({ unique_visitors: 2, total_events: 101 });
  });

  it("events belong to the new day, with a visitor id of the new day, if their body arrives after midnight", async () => {
    const target = await targetWith();
    await expectAccepted(await post(target, wireEvent(SITE)));
    await target.advance(HALF_DAY_MS - 1);
    let send: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({ start: (controller) => void (send = controller) });
    const late = target.fetch("/api/event", { method: "POST", headers: browserHeaders(), body, duplex: "half" });
    await target.advance(1);
    await expectAccepted(await post(target, wireEvent(SITE)));
    send?.enqueue(new TextEncoder().encode(JSON.stringify(wireEvent(SITE))));
    send?.close();
    await expectAccepted(await late);
    const days = await Promise.all(DAYS.map((day) => dayOf(target, day)));
    expect(days.map(({ unique_visitors: visitors, total_events: events }) => [visitors, events])).toEqual([
      [1, 1],
      [1, 2],
    ]);
    expect((await getMain(target, SITE, TWO_DAYS)).unique_visitors).toBe(2);
  });

  it("events are refused with 503 and Retry-After while the new secret cannot be stored, which is logged once, and accepted once it can", async () => {
    const records = createMemoryRecordStore();
    let isFull = false;
    const target = await targetWith({
      ...records,
      async write(name, bytes) {
        if (isFull) throw new Error("ENOSPC: no space left on device");
        await records.write(name, bytes);
      },
    });
    const metric = async (name: string) => new RegExp(`^${name} (\\S+)$`, "m").exec(await (await target.fetch("/metrics")).text())?.[1];
    await expectAccepted(await post(target, wireEvent(SITE)));
    isFull = true;
    await target.advance(HALF_DAY_MS);
    for (let i = 0; i < 3; i++) {
      const refused = await post(target, wireEvent(SITE));
      expect(refused.headers.get("retry-after")).toBe("10");
      await expectError(refused, 503, "The service cannot store events at the moment. Try again later.");
    }
    expect([await metric("svc_ingest_available"), await metric("svc_events_refused_total")]).toEqual(["0", "3"]);
    const errors = () =>
      target.log.lines.filter(({ level }) => level === "error").map(({ message, fields }) => [message, fields["reason"]]);
    expect(errors()).toEqual([
      [expect.stringContaining("the secret of visitor ids could not be replaced"), "ENOSPC: no space left on device"],
      ["events are refused because they cannot be stored", "ENOSPC: no space left on device"],
    ]);
    // A restart in this state serves figures and refuses events alike.
    await target.restart();
    expect((await getMain(target, SITE, TWO_DAYS)).total_events).toBe(1);
    expect((await post(target, wireEvent(SITE))).status).toBe(503);
    isFull = false;
    await expectAccepted(await post(target, wireEvent(SITE)));
    expect(await getMain(target, SITE, TWO_DAYS)).toMatchObject({ unique_visitors: 2, total_events: 2 });
  });

  const cases = ["UTC", "Asia/Kathmandu"].flatMap((timeZone) => [true, false].map((deadly) => ({ timeZone, deadly })));
  for (const { timeZone, deadly } of cases) {
    it(`events in ${timeZone} give a visitor one id per day, and a new one the next day, whichever change of the secret ${deadly ? "the process dies at" : "fails"}`, async () => {
      const environment = { SVC_TIME_ZONE: timeZone };
      for (const when of ["before", "after"] as const) {
        for (let atChange = 1; ; atChange++) {
          const stores = memoryStores();
          const mortal = mortalStores(stores, { atChange, when, deadly });
          const { objects, segmentLog } = stores;
          const accepted = await inProcess(
            { objects, segmentLog, secrets: createRecordSecretStore(mortal.records) },
            playTwoDays,
            environment,
          );
          const secrets = createRecordSecretStore(stores.records);
          const text = await secrets.secret(secretNameOf(timeZone)).read();
          expect(text === null || parsePeriodSecret(text, "").period !== null).toBe(true);
          await inProcess({ objects, segmentLog, secrets }, async (target) => {
            const days = await Promise.all(DAYS.map((day) => dayOf(target, day)));
            const at = `${when} change ${atChange}`;
            expect(
              days.map(({ total_events: events }) => events),
              at,
            ).toEqual(accepted);
            expect(
              days.map(({ unique_visitors: visitors }) => visitors),
              at,
            ).toEqual(accepted.map((events) => Math.min(1, events)));
            const both = await getMain(target, SITE, TWO_DAYS);
            expect(both.unique_visitors, at).toBe(days.reduce((sum, { unique_visitors: visitors }) => sum + visitors, 0));
          });
          if (!mortal.hasStruck()) {
            expect(accepted).toEqual([3, 3]);
            expect(atChange).toBeGreaterThan(4);
            break;
          }
        }
      }
    });
  }
});

/** A visitor id (docs/http-api.md, "Visitor ids") computed with node:crypto. */
function idOf(secret: string, period: number, address: string): bigint {
  const salt = createHmac("sha256", secret).update(`svc visitor salt|${period}`).digest();
  return createHmac("sha256", salt).update(`${SITE}|${address}|${CHROME_WINDOWS}`).digest().readBigUInt64BE();
}

/** A stored secret that is another one. */
const otherThan = (secret: string): RegExp => new RegExp(`^\\{"secret":"(?!${secret})[0-9a-f]{64}"`);

const ADDRESSES = ["203.0.113.1", "203.0.113.2", "2001:db8::1"];

/** Noon of a day, as in-process clocks have it. */
const AHEAD_MS = DAY_MS - ((Date.now() + HALF_DAY_MS) % DAY_MS);

const ENVIRONMENT = { SVC_TRUST_PROXY: "1", SVC_CACHE_TTL_SECS: "0", SVC_FLUSH_INTERVAL_SECS: "0.1" };

/** What the file holds at this moment; nothing when it is not there. */
function secretTextOf(folder: string): string {
  try {
    return readFileSync(join(folder, "secret"), "latin1");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

const secretOf = (folder: string): string => parsePeriodSecret(secretTextOf(folder), folder).secret;

async function visit(server: ServerProcess): Promise<void> {
  for (const address of ADDRESSES) {
    const response = await fetch(`${server.origin}/api/event`, {
      method: "POST",
      headers: browserHeaders({ "x-forwarded-for": address }),
      body: JSON.stringify(wireEvent(SITE)),
    });
    await expectAccepted(response);
  }
}

/** Every file of a folder, byte for byte. */
async function filesOf(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(await Promise.all(paths.map(async (path) => [path, await readFile(path)] as const)));
}

/** The visitor ids that lie in files. */
async function storedIds(folder: string): Promise<Set<bigint>> {
  const objects = createFileObjectStore(folder);
  const ids = new Set<bigint>();
  for (const { key } of await objects.list(EVENTS_FOLDER)) {
    for (const { visitorIds } of decodeEvents((await objects.get(key)) ?? new Uint8Array())) for (const id of visitorIds) ids.add(id);
  }
  return ids;
}

/** Ids that somebody computes who has all files, knows the addresses, and tries everything that looks like a secret. */
async function recomputed(files: ReadonlyMap<string, Buffer>, period: number): Promise<bigint[]> {
  const secrets = [...files.values()].flatMap((bytes) => bytes.toString("latin1").match(/[0-9a-f]{64}/g) ?? []);
  return secrets.flatMap((secret) => ADDRESSES.map((address) => idOf(secret, period, address)));
}

const visitorsOf = async (server: ServerProcess): Promise<number> =>
  ((await (await fetch(`${server.origin}/api/stats/main?site_id=${SITE}&period=7d`)).json()) as { unique_visitors: number })
    .unique_visitors;

describe("the built program", () => {
  it("the program recognizes visitors within one salt period, across a restart, and afterwards nothing in its folder or a backup links them", async () => {
    const dataFolder = await tempFolder();
    const backups = await tempFolder();
    const start = (clockAheadMs: number) => startServer({ dataFolder, environment: ENVIRONMENT, clockAheadMs });
    const backup = (name: string) =>
      promisify(execFile)(process.execPath, [MAIN_PATH, "backup", join(backups, name)], { env: { SVC_DATA_DIR: dataFolder } });
    const period = Math.floor((Date.now() + AHEAD_MS) / DAY_MS);

    const first = await start(AHEAD_MS);
    await visit(first);
    expect(await first.stop()).toBe(0);
    const old = secretOf(dataFolder);
    const server = await start(AHEAD_MS);
    await visit(server);
    expect(await visitorsOf(server)).toBe(ADDRESSES.length);
    expect(secretOf(dataFolder)).toBe(old);
    await backup("before");
    const [before = ""] = await readdir(join(backups, "before"));
    expect(await readdir(join(backups, "before", before))).toContain("manifest.jsonl");
    expect(await readdir(join(backups, "before", before))).not.toContain("secret");

    // While the period lasts, whoever has the folder can link its ids.
    await expect.poll(async () => (await storedIds(dataFolder)).size).toBe(ADDRESSES.length);
    const ids = await storedIds(dataFolder);
    const known = async (...folders: string[]) => {
      const files = new Map((await Promise.all(folders.map(filesOf))).flatMap((found) => [...found]));
      return (await recomputed(files, period)).filter((id) => ids.has(id)).length;
    };
    expect(await known(dataFolder)).toBe(ADDRESSES.length);

    // The tick replaces it, without an event.
    server.nextDay();
    await expect.poll(() => secretTextOf(dataFolder)).toMatch(otherThan(old));
    expect(await known(dataFolder, backups)).toBe(0);
    await visit(server);
    expect(await visitorsOf(server)).toBe(2 * ADDRESSES.length);
    await backup("after");
    expect(await server.stop()).toBe(0);
    for (const [path, bytes] of [...(await filesOf(dataFolder)), ...(await filesOf(backups))]) {
      expect(bytes.includes(old) || bytes.includes(Buffer.from(old, "hex")), path).toBe(false);
    }
    expect(await known(dataFolder, backups)).toBe(0);
    expect([...ids].every((id) => id > 0n) && (await storedIds(dataFolder)).size).toBe(2 * ADDRESSES.length);
    expect(server.log()).not.toContain(old);
  });

  it("the program starts with the new or another new secret after a kill during the replacement, and never with the old one", async () => {
    const dataFolder = await tempFolder();
    let aheadMs = AHEAD_MS;
    const seen = new Set<string>();
    let before = "";
    for (let round = 0; round < 4; round++) {
      const server = await startServer({ dataFolder, environment: ENVIRONMENT, clockAheadMs: aheadMs });
      await visit(server);
      before = secretOf(dataFolder);
      expect(seen.has(before)).toBe(false);
      seen.add(before);
      server.nextDay();
      const text = secretTextOf(dataFolder);
      // The first sign that the replacement has begun: it is overwritten, gone, or another one.
      while (secretTextOf(dataFolder) === text);
      await server.kill9();
      expect(secretTextOf(dataFolder)).not.toContain(before);
      aheadMs += DAY_MS;
    }
    const last = await startServer({ dataFolder, environment: ENVIRONMENT, clockAheadMs: aheadMs });
    expect(await visitorsOf(last)).toBe(4 * ADDRESSES.length);
    expect(last.log()).not.toMatch(/ ERROR /);
    expect(await last.stop()).toBe(0);
    expect(secretOf(dataFolder)).not.toBe(before);
    expect((await readdir(dataFolder)).filter((name) => name.endsWith(".unfinished"))).toEqual([]);
  });

  it("the program uses the secret of an older version until the day ends, and removes it when a secret is configured", async () => {
    const dataFolder = await tempFolder();
    const old = "5".repeat(64);
    await writeFile(join(dataFolder, "secret"), `${old}\n`, { mode: 0o600 });
    const server = await startServer({ dataFolder, environment: ENVIRONMENT, clockAheadMs: AHEAD_MS });
    expect(JSON.parse(await readFile(join(dataFolder, "secret"), "utf8"))).toEqual({
      secret: old,
      firstDay: utcDateOf(Date.now() + AHEAD_MS),
      days: 1,
    });
    server.nextDay();
    await expect.poll(() => secretTextOf(dataFolder)).toMatch(otherThan(old));
    expect(await server.stop()).toBe(0);
    const configured = await startServer({ dataFolder, environment: { ...ENVIRONMENT, SVC_SECRET: "a secret of sixteen characters" } });
    expect(await configured.stop()).toBe(0);
    expect((await readdir(dataFolder)).includes("secret")).toBe(false);
  });
});
