/** The commands `verify` and `backup` of the built program, while another process serves the same folder. */
import { readFile, readdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createKey, postSetup, tokenOf, withBearer, withSession } from "../support/auth-requests.ts";
import { ROLLUPS_COMPARED_PER_SITE } from "../../src/runtime/base/config/report-limits.ts";
import { addDays } from "../../src/storage/calendar.ts";
import { startOfDayMs, utcDateOf } from "../../src/storage/event.ts";
import { encodeEvents } from "../../src/storage/parquet-events.ts";
import { partitionKey } from "../../src/storage/partitions.ts";
import { encodeRollup, openRollup } from "../../src/storage/rollup-file.ts";
import { createFileObjectStore } from "../../adapters/node/files/file-stores.ts";
import { makeRollup } from "../support/made-rollups.ts";
import { asTarget } from "../support/node-target.ts";
import { runProgram } from "../support/run-process.ts";
import { anEvent, siteId } from "../support/stored-event.ts";
import { startServer } from "../support/server-process.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { expectEachOnce } from "./each-once.ts";
import { EventLoad } from "./event-load.ts";
import { readStoredEvents } from "./stored-events.ts";

const SITES = 5;

/** The names of backups, in UTC; a second one of the same second has a number. */
const DATED = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ(-2)?$/;

/** Many files, which are merged without a pause. */
const BUSY = { SVC_FLUSH_EVENT_COUNT: "60", SVC_COMPACT_AFTER_FILES: "2", SVC_CACHE_TTL_SECS: "0" };

interface CommandResult {
  readonly code: number;
  readonly printed: string;
}

/** Runs a command of the program to its end. */
async function command(dataFolder: string, ...args: string[]): Promise<CommandResult> {
  const { code, stdout, stderr } = await runProgram(args, { environment: { SVC_DATA_DIR: dataFolder } });
  return { code, printed: stdout + stderr };
}

const newLoad = (): EventLoad => new EventLoad((count) => ({ siteId: `site-${count % SITES}.test`, pathname: `/e/${count}` }));

describe("the commands backup and verify", () => {
  it("backup and verify make and confirm a complete copy under load, which holds each event acknowledged before it exactly once", async () => {
    const dataFolder = await tempFolder();
    const [backups, copy] = [join(await tempFolder(), "backups"), join(await tempFolder(), "copy")];
    const server = await startServer({ dataFolder, environment: BUSY });
    const session = withSession(await tokenOf(await postSetup(asTarget(server))));
    const { key } = await createKey(asTarget(server), session, "ReadOnly");
    const load = newLoad();
    const enough = load.acknowledgedMore(1000);
    const posting = load.start(server.origin);
    await enough;
    const acknowledgedBefore = new Set(load.acknowledged);
    const more = load.acknowledgedMore(500);

    const backup = await command(dataFolder, "backup", backups);
    expect(backup).toMatchObject({ code: 0, printed: expect.stringMatching(/^copied [^]*\n {2}no fault\n$/) as unknown });
    expect(backup.printed.startsWith(`copied ${dataFolder} to ${backups}/`)).toBe(true);
    const again = await command(dataFolder, "backup", backups);
    expect(again).toMatchObject({ code: 0, printed: expect.stringMatching(/ file\S* of them linked to the previous backup\n/) as unknown });
    const [first = "", second = "", ...others] = await readdir(backups);
    expect([first, second, others]).toEqual([expect.stringMatching(DATED), expect.stringMatching(DATED), []]);
    // A server on a backup would change it.
    expect(await command(join(backups, first))).toMatchObject({ code: 1, printed: expect.stringContaining("is a backup") as unknown });
    expect(await command(dataFolder, "restore", backups)).toMatchObject({
      code: 1,
      printed: expect.stringContaining(`is in use by process ${server.pid}`) as unknown,
    });
    const restored = await command(copy, "restore", join(backups, first));
    expect(restored).toMatchObject({ code: 0, printed: expect.stringContaining(`restored ${backups}/${first} to ${copy}`) as unknown });
    // A copy of the secret would outlive its salt period.
    for (const folder of [copy, join(backups, first), join(backups, second)]) expect(await readdir(folder)).not.toContain("secret");
    expect((await command(dataFolder, "verify")).printed).toContain("no fault");
    await more;
    posting.stop();
    await posting.ended;
    expect(load.refusals).toEqual([]);

    // What was answered later may be in the copy: it counts as what nobody was told of.
    const seen = newLoad();
    seen.acknowledged.push(...load.acknowledged.filter((event) => acknowledgedBefore.has(event)));
    seen.unanswered.push(...load.acknowledged.filter((event) => !acknowledgedBefore.has(event)));
    const { pages } = await readStoredEvents(copy);
    expectEachOnce(pages, seen, () => true);

    const other = await startServer({ dataFolder: copy, environment: BUSY });
    for (let site = 0; site < SITES; site++) {
      const response = await fetch(`${other.origin}/api/stats/main?site_id=site-${site}.test&period=7d`, { headers: withBearer(key) });
      const { total_events: found } = (await response.json()) as { total_events: number };
      expect(found).toBe([...pages.keys()].filter((page) => page.startsWith(`site-${site}.test/`)).length);
    }
    expect(other.log()).not.toMatch(/ ERROR /);
    expect(await other.stop()).toBe(0);
    const stopped = await readStoredEvents(copy);
    expectEachOnce(stopped.pages, seen, () => true);
    expect(stopped.inJournalOnly).toBe(0);
    expect([...stopped.pages.keys()].sort()).toEqual([...pages.keys()].sort());
    // The program that started on the copy has made one of its own.
    expect(await readFile(join(copy, "secret"), "utf8")).not.toBe(await readFile(join(dataFolder, "secret"), "utf8"));
    for (const name of ["secret", "admin.json"]) expect((await stat(join(copy, name))).mode & 0o777).toBe(0o600);

    expect(await server.stop()).toBe(0);
    expect(await command(dataFolder, "verify")).toMatchObject({
      code: 0,
      printed: expect.stringContaining(`, ${load.acknowledged.length.toLocaleString("en-US")} events\n`) as unknown,
    });
  }, 120_000);

  it("backup and verify name damaged files, change nothing, and refuse a source that is missing or empty and a target in the data folder", async () => {
    const dataFolder = await tempFolder();
    const server = await startServer({ dataFolder });
    const load = newLoad();
    const enough = load.acknowledgedMore(20);
    const posting = load.start(server.origin);
    await enough;
    posting.stop();
    await posting.ended;
    expect(await server.stop()).toBe(0);
    const files = (await readdir(join(dataFolder, "events"), { recursive: true })).filter((name) => name.endsWith(".parquet"));
    await writeFile(join(dataFolder, "events", files[0] ?? ""), "no Parquet");
    await writeFile(join(dataFolder, "admin.json"), "{");
    await writeFile(join(dataFolder, "secret"), "?");
    const before = (await readdir(dataFolder, { recursive: true })).sort();

    const { code, printed } = await command(dataFolder, "verify");
    expect({ code, printed }).toMatchObject({ code: 1 });
    expect(printed).toMatch(
      /3 faults:\n {2}- events\/\S+\.parquet: the file has no checksum[^\n]*\n {2}- admin\.json: [^\n]*\n {2}- secret: /,
    );
    expect((await readdir(dataFolder, { recursive: true })).sort()).toEqual(before);

    const elsewhere = join(await tempFolder(), "missing");
    expect(await command(elsewhere, "verify")).toMatchObject({
      code: 1,
      printed: expect.stringContaining(`cannot verify: ${elsewhere} does not exist`) as unknown,
    });
    expect(await command(dataFolder, "backup", dataFolder)).toMatchObject({
      code: 1,
      printed: expect.stringContaining("copied into itself") as unknown,
    });
    expect(await command(elsewhere, "backup", dataFolder)).toMatchObject({
      code: 1,
      printed: expect.stringContaining(`cannot back up: ${elsewhere} does not exist`) as unknown,
    });
    const [empty, unused] = [await tempFolder(), join(await tempFolder(), "backups")];
    expect(await command(empty, "backup", unused)).toMatchObject({
      code: 1,
      printed: expect.stringContaining(`${empty} is empty. Set data_dir to the folder that Sandpiper uses`) as unknown,
    });
    expect(await readdir(dirname(unused))).toEqual([]);
    expect(await command(dataFolder, "backup")).toMatchObject({
      code: 2,
      printed: expect.stringContaining("backup needs a folder") as unknown,
    });
  });

  it("verify compares rollups with their events beside a running server: a sample or all, and names those that differ", async () => {
    const dataFolder = await tempFolder();
    const objects = createFileObjectStore(dataFolder);
    const [site, today] = [siteId("site-0.test"), utcDateOf(Date.now())];
    const keys: string[] = [];
    for (let before = 1; before <= ROLLUPS_COMPARED_PER_SITE + 1; before++) {
      const day = addDays(today, -before);
      const event = anEvent({ siteId: site, timestampMs: startOfDayMs(day), pathname: "/a" });
      await objects.put(partitionKey(site, day, before, before), encodeEvents([event]));
      keys.push(await makeRollup(objects, site, [day, day]));
    }
    const server = await startServer({ dataFolder, environment: { ...BUSY, SVC_ROLLUPS: "false" } });
    const sample = `  ${keys.length} rollups: ${ROLLUPS_COMPARED_PER_SITE} compared with the events, 0 outdated\n  no fault\n`;
    expect(await command(dataFolder, "verify")).toMatchObject({ code: 0, printed: expect.stringContaining(sample) as unknown });
    const all = `  ${keys.length} rollups: ${keys.length} compared with the events, 0 outdated\n`;
    expect(await command(dataFolder, "verify", "--all-rollups")).toMatchObject({
      code: 0,
      printed: expect.stringContaining(`${all}  no fault\n`) as unknown,
    });
    const [key = ""] = keys;
    const file = openRollup((await objects.get(key)) ?? new Uint8Array());
    const pages = { ...(await file.measure("pages")), visitors: Float64Array.of(2) };
    const measures = await Promise.all(Object.keys(file.header.measures).map(async (name) => [name, await file.measure(name)] as const));
    const changed = new Map([...measures.map(([name, columns]) => [name, columns ?? {}] as const), ["pages", pages] as const]);
    await objects.put(key, await encodeRollup({ ...file.header, measures: changed }));
    const fault = `${key}: it differs from its events: measure "pages": the row value "/a" has visitors 2, and the events 1\n`;
    expect(await command(dataFolder, "verify", "--all-rollups")).toMatchObject({
      code: 1,
      printed: expect.stringContaining(`${all}  1 fault:\n  - ${fault}`) as unknown,
    });
    expect(await server.stop()).toBe(0);
  });
});
