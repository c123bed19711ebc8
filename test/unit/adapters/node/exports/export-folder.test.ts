/** The export of events to a folder: incremental, readable after a kill, and refused where it would do harm. */
import { appendFile, mkdir, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { exportFolder, type ExportOptions } from "../../../../../adapters/node/exports/export-folder.ts";
import type { ExportedDay } from "../../../../../adapters/node/exports/export-manifest.ts";
import { lockFolder } from "../../../../../adapters/node/data-dir/folder-lock.ts";
import { nodeFileSystem, type FileSystem } from "../../../../../adapters/node/files/file-system.ts";
import type { Engine } from "../../../../../src/runtime/duckdb/engine.ts";
import { decodeEvents } from "../../../../../src/storage/parquet-events.ts";
import { isLocalDate, type LocalDate } from "../../../../../src/storage/event.ts";
import { verifyFolder } from "../../../../../adapters/node/data-dir/folder-verification.ts";
import { addEventFile, fillDataFolder } from "../../../../support/data-folder.ts";
import { createEngineShare } from "../../../../support/shared-engine.ts";
import { siteId } from "../../../../support/stored-event.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";

const localDate = (text: string): LocalDate => {
  if (!isLocalDate(text)) throw new Error(text);
  return text;
};

async function folders() {
  const [data, out] = [await tempFolder(), await tempFolder()];
  await fillDataFolder(data);
  const run = (options: Partial<ExportOptions> = {}) =>
    exportFolder({ dataDir: data, sessionWindowMinutes: 30, engineMemoryMb: 64 }, out, {
      formats: ["csv"],
      siteId: null,
      from: null,
      to: null,
      openEngine: () => Promise.reject(new Error("events need no engine")),
      ...options,
    });
  return { data, out, run };
}

async function manifestOf(out: string): Promise<ExportedDay[]> {
  const [, ...lines] = (await readFile(join(out, "export.jsonl"), "utf8")).trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as ExportedDay);
}

/** a.test has a file on the 14th, and an event in the journal on the 15th; B:Other. has one on the 13th and one on the 15th. */
const FILES = [
  "csv/site_id=%42%3A%4Fther%2E/2026-03-13.csv",
  "csv/site_id=%42%3A%4Fther%2E/2026-03-15.csv",
  "csv/site_id=a.test/2026-03-14.csv",
  "csv/site_id=a.test/2026-03-15.csv",
];

describe("the export of events", () => {
  it("has a file for each site and day, and a manifest that names it", async () => {
    const { out, run } = await folders();
    const { succeeded, text } = await run();
    expect(succeeded, text).toBe(true);
    expect(text).toMatch(/\n {2}a\.test: 2 events, 2 days written, 0 unchanged\n/);
    const manifest = await manifestOf(out);
    expect(manifest.map(({ file }) => file)).toEqual(FILES);
    expect(manifest[2]).toEqual({
      ...{ format: "csv", site: "a.test", date: "2026-03-14", file: FILES[2], rows: 1 },
      bytes: (await readFile(join(out, FILES[2] ?? ""))).length,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
      version: "30 columns of 2-2",
    });
    expect(await readFile(join(out, FILES[3] ?? ""), "utf8")).toContain('"2026-03-15","pageview","/4"');
  });

  it("takes a site and dates", async () => {
    const { out, run } = await folders();
    await run({ siteId: siteId("a.test"), from: localDate("2026-03-15"), to: localDate("2026-03-16") });
    expect((await manifestOf(out)).map(({ file }) => file)).toEqual([FILES[3]]);
    await expect(run({ siteId: siteId("c.test") })).rejects.toThrow(/has no events of c\.test$/);
  });

  it("leaves days that have not changed, and writes those that have or whose file is gone", async () => {
    const { data, out, run } = await folders();
    await run();
    expect((await run()).text).toMatch(/ a\.test: 2 events, 0 days written, 2 unchanged\n/);
    await addEventFile(data, 6, -1);
    await rm(join(out, FILES[3] ?? ""));
    expect((await run()).text).toMatch(/ a\.test: 3 events, 2 days written, 0 unchanged\n/);
    expect((await manifestOf(out)).filter(({ file }) => file === FILES[2]).at(-1)).toMatchObject({
      rows: 2,
      version: "30 columns of 2-2,6-6",
    });
  });

  it("days of Parquet are one file each, whose old name goes away, and can be the events of another instance", async () => {
    const { data, out, run } = await folders();
    await run({ formats: ["parquet"] });
    await addEventFile(data, 6, -1);
    await run({ formats: ["parquet"] });
    const folder = join(out, "events/site_id=a.test/date=2026-03-14");
    expect(await readdir(folder)).toEqual(["2-6.parquet"]);
    await writeFile(join(out, "export.jsonl"), '{"sandpiper_export":1}\n');
    await nodeFileSystem.rename(join(folder, "2-6.parquet"), join(folder, "2-4.parquet"));
    await run({ formats: ["parquet"] });
    expect(await readdir(folder)).toEqual(["2-6.parquet"]);
    expect([...decodeEvents(await readFile(join(folder, "2-6.parquet")))].map(({ rows }) => rows)).toEqual([2]);
    const connection = await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect();
    const counted = await connection.runAndReadAll(
      `SELECT site_id, count(*)::INTEGER AS events FROM read_parquet('${out}/events/**/*.parquet', hive_partitioning = true)
       GROUP BY site_id ORDER BY site_id`,
    );
    connection.closeSync();
    expect(counted.getRows()).toEqual([
      ["B:Other.", 2],
      ["a.test", 3],
    ]);
    const other = await tempFolder();
    await nodeFileSystem.rename(join(out, "events"), join(other, "events"));
    expect(await verifyFolder(other)).toMatchObject({ succeeded: true, text: expect.stringMatching(/, 5 events\n/) as unknown });
  });

  it("a run that was killed between any two steps leaves whole files, and the next one completes them", async () => {
    const { out, run } = await folders();
    await run({ formats: ["parquet"] });
    const complete = await manifestOf(out);
    for (let step = 1; ; step++) {
      await rm(out, { recursive: true });
      await mkdir(out);
      let steps = 0;
      const dying: FileSystem = {
        ...nodeFileSystem,
        rename: (from, to) => (++steps >= step ? Promise.reject(new Error("killed")) : nodeFileSystem.rename(from, to)),
      };
      const survived = await run({ formats: ["parquet"], files: dying }).then(
        () => true,
        () => false,
      );
      const { succeeded, text } = await run({ formats: ["parquet"] });
      expect(succeeded, text).toBe(true);
      expect(await manifestOf(out)).toEqual(complete);
      if (survived) break;
      expect(step).toBeLessThan(20);
    }
  });

  it("half a line at the end of the manifest does not count, and unfinished files are removed", async () => {
    const { out, run } = await folders();
    await run();
    const leftover = join(out, "csv/site_id=a.test/.12345678-1.unfinished");
    await writeFile(leftover, "half");
    const path = join(out, "export.jsonl");
    await truncate(path, (await readFile(path)).length - 10);
    expect((await run()).text).toMatch(/ a\.test: 2 events, 1 day written, 1 unchanged\n/);
    expect(await readdir(join(out, "csv/site_id=a.test"))).toEqual(["2026-03-14.csv", "2026-03-15.csv"]);
  });

  it("leaves out a damaged file, says so, and writes its day again when it is restored", async () => {
    const { data, run } = await folders();
    const path = join(data, "events/site_id=a.test/date=2026-03-14/2-2.parquet");
    const whole = await readFile(path);
    await appendFile(path, "x");
    const { succeeded, text } = await run();
    expect(succeeded).toBe(false);
    expect(text).toMatch(/1 damaged file, whose events are left out:\n {2}- events\/site_id=a\.test\/date=2026-03-14\/2-2\.parquet: /);
    await writeFile(path, whole);
    expect(await run()).toMatchObject({
      succeeded: true,
      text: expect.stringMatching(/ a\.test: 2 events, 1 day written, 1 unch/) as unknown,
    });
  });

  it("refuses a folder that is in use, that has other data, or that is inside the data folder", async () => {
    const { data, out, run } = await folders();
    const lock = await lockFolder(out, () => {});
    await expect(run()).rejects.toThrow(`another export into ${out} is running`);
    await lock.release();
    const into = (folder: string) =>
      exportFolder({ dataDir: data, sessionWindowMinutes: 30, engineMemoryMb: 64 }, folder, {
        ...{ formats: ["csv"], siteId: null, from: null, to: null, openEngine: () => Promise.reject(new Error("unused")) },
      });
    for (const name of ["exports", "downloads"]) await expect(into(join(data, name))).rejects.toThrow("is inside the data folder");
    const other = await tempFolder();
    await fillDataFolder(other);
    await expect(into(other)).rejects.toThrow("is itself a data folder");
    await writeFile(join(out, "export.jsonl"), '{"sandpiper_export":2}\n');
    await expect(run()).rejects.toThrow("was written by a newer version");
  });
});

/** An engine in which the events of two days have no room together. */
async function crampedEngine(): Promise<Engine> {
  const engine = await createEngineShare();
  const dates = new Map<number, Set<string>>();
  return {
    append: async (block, source) => {
      const ofBlock = dates.get(block.id) ?? new Set();
      dates.set(block.id, ofBlock);
      for (const date of "date" in source ? [source.date] : source.files.map((file) => file.date)) ofBlock.add(date);
      const loaded = await engine.append(block, source);
      return ofBlock.size > 1 ? { ...loaded, memoryBytes: Number.MAX_SAFE_INTEGER } : loaded;
    },
    addColumns: (block, columns, added) => engine.addColumns(block, columns, added),
    dropProps: (blocks) => engine.dropProps(blocks),
    propsTexts: (site, numbers) => engine.propsTexts(site, numbers),
    drop: (blocks) => engine.drop(blocks),
    query: (query, signal) => engine.query(query, signal),
    queryColumns: (query, signal) => engine.queryColumns(query, signal),
    behavioralFailure: () => engine.behavioralFailure(),
    close: () => engine.close(),
  };
}

describe("the export of tables", () => {
  const tablesOf = async (out: string, site: string): Promise<unknown> =>
    Object.fromEntries(
      Object.entries(unzipSync(await readFile(join(out, `plausible/site_id=${site}.zip`)))).map(([name, bytes]) => [
        name,
        new TextDecoder().decode(bytes),
      ]),
    );

  it("is the same if the days do not fit into the engine together", async () => {
    const { out, run } = await folders();
    await run({ formats: ["plausible"], openEngine: createEngineShare });
    const sites = ["a.test/2026-03-14_2026-03-15", "%42%3A%4Fther%2E/2026-03-13_2026-03-15"];
    const expected = await Promise.all(sites.map((site) => tablesOf(out, site)));
    await rm(join(out, "plausible"), { recursive: true });
    await run({ formats: ["plausible"], openEngine: crampedEngine });
    expect(await Promise.all(sites.map((site) => tablesOf(out, site)))).toEqual(expected);
    expect(expected[0]).toMatchObject({
      "imported_visitors_20260314_20260315.csv":
        "date,visitors,pageviews,bounces,visits,visit_duration\n2026-03-14,1,1,1,1,0\n2026-03-15,1,1,1,1,0\n",
    });
    expect(await readdir(join(out, "plausible/site_id=a.test"))).toEqual(["2026-03-14_2026-03-15.zip"]);
  });

  it("says which days Plausible would not import", async () => {
    const { run } = await folders();
    const { text } = await run({ formats: ["plausible"], siteId: siteId("a.test"), openEngine: createEngineShare });
    expect(text).toMatch(/ a\.test: 2 days, plausible\/site_id=a\.test\/2026-03-14_2026-03-15\.zip, [\d,]+ bytes\n/);
    expect(text).toContain("Plausible does not import fewer than 3 days");
  });
});
