/** Invariant 2 of the architecture: foreign and damaged files in the data folder are logged and ignored; all other data is counted exactly. */
import { execSync } from "node:child_process";
import { mkdir, readFile, readdir, rename, symlink, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { runProgram } from "../support/run-process.ts";
import { spawnServer, startServer, type ServerProcess } from "../support/server-process.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { CHROME_WINDOWS } from "../support/user-agents.ts";

/** One journal segment holds it all, until a stop flushes it. */
const ENVIRONMENT = { SVC_FLUSH_EVENT_COUNT: "10000", SVC_FLUSH_INTERVAL_SECS: "3600", SVC_CACHE_TTL_SECS: "0" };

/** Pages `/1`, `/2`, …, one after the other. */
async function post(server: ServerProcess, siteId: string, events: number, firstPage = 1): Promise<void> {
  for (let page = firstPage; page < firstPage + events; page++) {
    const { status } = await fetch(`${server.origin}/api/event`, {
      method: "POST",
      headers: { "user-agent": CHROME_WINDOWS },
      body: JSON.stringify({ d: siteId, n: "pageview", u: `/${page}` }),
    });
    expect(status).toBe(202);
  }
}

/** The pages of a site that have events, each once. */
async function pagesOf(server: ServerProcess, siteId: string): Promise<number[]> {
  const response = await fetch(`${server.origin}/api/stats/breakdown/pages?site_id=${siteId}&period=7d&limit=1000`);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  const rows = JSON.parse(text) as { value: string; events: number }[];
  expect(rows.filter(({ events }) => events !== 1)).toEqual([]);
  return rows.map(({ value }) => Number(value.slice(1))).sort((a, b) => a - b);
}

const upTo = (last: number): number[] => Array.from({ length: last }, (_, i) => i + 1);

/** The one Parquet file of a site. */
async function partitionFileOf(dataFolder: string, siteId: string): Promise<string> {
  const folder = join(dataFolder, "events", `site_id=${siteId}`);
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".parquet"));
  expect(names).toHaveLength(1);
  return join(folder, names[0] ?? "");
}

async function writeBelow(folder: string, name: string, content: string | Uint8Array): Promise<void> {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

const flipped = (bytes: Uint8Array, at: number): Uint8Array => bytes.map((byte, i) => (i === at ? byte ^ 0x55 : byte));

/** The data folder of a server that ran and was stopped in order, with so many events of each site in one file. */
async function folderWith(events: Readonly<Record<string, number>>): Promise<string> {
  const dataFolder = await tempFolder();
  const server = await startServer({ dataFolder, environment: ENVIRONMENT });
  for (const [siteId, count] of Object.entries(events)) await post(server, siteId, count);
  expect(await server.stop()).toBe(0);
  return dataFolder;
}

describe("foreign files in the events folder", () => {
  it("foreign files are logged by name and ignored, and only renamed folders of sites count as left out", async () => {
    const dataFolder = await folderWith({ "a.test": 5, "b.test": 3 });
    const events = join(dataFolder, "events");
    const day = dirname(await partitionFileOf(dataFolder, "a.test"));
    const parquet = await readFile(await partitionFileOf(dataFolder, "b.test"));

    const strays = {
      folders: ["lost+found", "site_id=", "site_id=A.test", "site_id=white space", "a.test"],
      files: [
        "site_id=a.test/notes.txt",
        "site_id=a.test/1-1.parquet",
        "site_id=a.test/date=2026-02-30/1-1.parquet",
        "site_id=a.test/date=tomorrow/1-1.parquet",
        `site_id=a.test/${day.slice(-"date=YYYY-MM-DD".length)}/copy of 1-1.parquet`,
        `site_id=a.test/${day.slice(-"date=YYYY-MM-DD".length)}/9-8.parquet`,
        `site_id=a.test/${day.slice(-"date=YYYY-MM-DD".length)}/9-9.parquet/1-1.parquet`,
      ],
    };
    for (const name of strays.folders) await writeBelow(events, `${name}/1-1.parquet`, parquet);
    for (const name of strays.files) await writeBelow(events, name, parquet);
    // Not worth a line: what lies beside the sites' folders, and what a crash left.
    await writeBelow(events, "README.txt", "hello");
    await writeBelow(day, ".1-1.unfinished", "PAR1");
    await symlink("/nowhere", join(day, "7-7.parquet"));

    const server = await startServer({ dataFolder, environment: ENVIRONMENT });
    expect(await pagesOf(server, "a.test")).toEqual(upTo(5));
    expect(await pagesOf(server, "b.test")).toEqual(upTo(3));
    const { sites } = (await (await fetch(`${server.origin}/api/sites`)).json()) as { sites: string[] };
    expect(sites).toEqual(["a.test", "b.test"]);
    for (const name of strays.folders) await expect.poll(server.log).toContain(`events/${name} is not the folder of a site; it is ignored`);
    for (const name of strays.files) await expect.poll(server.log).toContain(`events/${name} is not a partition file; it is ignored`);
    // `site_id=A.test` and `site_id=white space`.
    expect(await leftOutBy(server)).toEqual({ health: 2, metric: "2" });
    expect(server.log()).not.toMatch(/ ERROR /);
    expect(await server.stop()).toBe(0);
  });
});

/** What monitoring sees. */
async function leftOutBy(server: ServerProcess): Promise<{ health: unknown; metric: string | undefined }> {
  const { files_left_out: health } = (await (await fetch(`${server.origin}/health/detailed`)).json()) as { files_left_out: number };
  const metrics = await (await fetch(`${server.origin}/metrics`)).text();
  return { health, metric: /^svc_files_left_out (\d+)$/m.exec(metrics)?.[1] };
}

describe("a site's folder that was renamed by hand", () => {
  it("a renamed site folder is served under neither name, the log names it, and verify says how to move it back", async () => {
    const dataFolder = await folderWith({ "a.test": 5, "b.test": 3 });
    const events = join(dataFolder, "events");
    await rename(join(events, "site_id=a.test"), join(events, "site_id=renamed.test"));
    const server = await startServer({ dataFolder, environment: ENVIRONMENT });
    for (const siteId of ["renamed.test", "a.test"]) expect(await pagesOf(server, siteId), siteId).toEqual([]);
    expect(await pagesOf(server, "b.test")).toEqual(upTo(3));
    await server.logged(/ ERROR a partition file cannot be read.* file="?events\/site_id=renamed\.test.*its events are of a\.test/);
    expect(await leftOutBy(server)).toEqual({ health: 1, metric: "1" });
    expect(await server.stop()).toBe(0);

    const { code, stdout, stderr } = await runProgram(["verify", "--data-dir", dataFolder]);
    expect(code).toBe(1);
    const command = "mv events/site_id=renamed.test events/site_id=a.test";
    expect(stdout + stderr).toContain(`it was renamed: all its events are of a.test.`);
    expect(stdout + stderr).toContain(`run in the data folder: ${command}`);

    execSync(command, { cwd: dataFolder });
    const next = await startServer({ dataFolder, environment: ENVIRONMENT });
    expect(await pagesOf(next, "a.test")).toEqual(upTo(5));
    expect(await leftOutBy(next)).toEqual({ health: 0, metric: "0" });
    expect(await next.stop()).toBe(0);
    expect(await runProgram(["verify", "--data-dir", dataFolder])).toMatchObject({ code: 0 });
  });
});

describe("damaged Parquet files", () => {
  /** What happened to a whole file. */
  const damages: Readonly<Record<string, (whole: Uint8Array) => Uint8Array>> = {
    "cut-in-half": (whole) => whole.subarray(0, whole.length / 2),
    "without-last-byte": (whole) => whole.subarray(0, -1),
    empty: () => new Uint8Array(),
    zeros: (whole) => new Uint8Array(whole.length),
    "another-kind": () => new TextEncoder().encode("a,b,c\n1,2,3\n".repeat(100)),
    "flip-in-first-column": (whole) => flipped(whole, 40),
    "flip-in-the-middle": (whole) => flipped(whole, whole.length >> 1),
    "flip-in-footer": (whole) => flipped(whole, whole.length - 300),
    "flip-in-footer-length": (whole) => flipped(whole, whole.length - 6),
  };
  const EVENTS = 30;

  it("damaged Parquet files are logged by name, and the other files of the same days are counted exactly", async () => {
    const sites = Object.keys(damages).map((name) => `${name}.test`);
    const dataFolder = await folderWith(Object.fromEntries([...sites, "whole.test"].map((siteId) => [siteId, EVENTS])));
    const whole = await readFile(await partitionFileOf(dataFolder, "whole.test"));
    const damaged = await Promise.all(
      Object.entries(damages).map(async ([name, damage]) => {
        const path = join(dirname(await partitionFileOf(dataFolder, `${name}.test`)), "1-1.parquet");
        await writeFile(path, damage(whole));
        return path.slice(dataFolder.length + 1);
      }),
    );

    const server = await startServer({ dataFolder, environment: ENVIRONMENT });
    for (const siteId of [...sites, "whole.test"]) expect(await pagesOf(server, siteId), siteId).toEqual(upTo(EVENTS));
    const reported = server
      .log()
      .split("\n")
      .filter((line) => line.includes(" ERROR "))
      .map((line) => /a partition file cannot be read.* file="?([^\s"]+)/.exec(line)?.[1]);
    expect(reported.sort()).toEqual(damaged.sort());
    expect(await leftOutBy(server)).toEqual({ health: damaged.length, metric: String(damaged.length) });

    // What comes later is not held up by them.
    for (const siteId of sites) await post(server, siteId, 1, EVENTS + 1);
    for (const siteId of sites) expect(await pagesOf(server, siteId), siteId).toEqual(upTo(EVENTS + 1));
    expect(await server.stop()).toBe(0);
  });
});

describe("an unreadable file or folder that the program needs", () => {
  it.each(["journal/1.journal", "admin.json", "secret"])(
    "an unreadable file that the program needs prevents the start with one log line that names it: %s",
    async (name) => {
      const dataFolder = await tempFolder();
      // A folder in its place: to who runs the tests as root, every file is readable.
      await mkdir(join(dataFolder, name), { recursive: true });
      const server = spawnServer({ dataFolder });
      expect((await server.exited).code).toBe(1);
      expect(server.log()).toContain(`sandpiper cannot start: ${join(dataFolder, name)} cannot be read: EISDIR`);
      expect(server.log().trim().split("\n")).toHaveLength(1);
    },
  );
});

describe("a Parquet file damaged while the program runs", () => {
  it("a Parquet file damaged while the program runs is logged by name and left out, and counts again after it is restored and the program restarts", async () => {
    const dataFolder = await folderWith({ "a.test": 5, "b.test": 3 });
    const path = await partitionFileOf(dataFolder, "a.test");
    const whole = await readFile(path);
    const server = await startServer({ dataFolder, environment: ENVIRONMENT });
    // Its listing is known before the file is read.
    await post(server, "a.test", 1, 6);
    expect(await pagesOf(server, "b.test")).toEqual(upTo(3));
    await writeFile(path, "garbage");
    expect(await pagesOf(server, "a.test")).toEqual([6]);
    expect(await pagesOf(server, "b.test")).toEqual(upTo(3));
    await server.logged(/ ERROR a partition file cannot be read.* file="?events\/site_id=a\.test/);
    expect(await leftOutBy(server)).toEqual({ health: 1, metric: "1" });
    expect(await server.stop()).toBe(0);
    await writeFile(path, whole);
    const next = await startServer({ dataFolder, environment: ENVIRONMENT });
    expect(await pagesOf(next, "a.test")).toEqual(upTo(6));
    expect(await next.stop()).toBe(0);
  });
});

describe("the journal of a killed process", () => {
  /** The folder of a server that was killed with these events in its journal, and that journal's file. */
  async function killedWith(events: number): Promise<{ dataFolder: string; journal: string }> {
    const dataFolder = await tempFolder();
    const server = await startServer({ dataFolder, environment: ENVIRONMENT });
    await post(server, "a.test", events);
    await server.kill9();
    const folder = join(dataFolder, "journal");
    const names = (await readdir(folder)).filter((name) => name.endsWith(".journal"));
    expect(names).toHaveLength(1);
    return { dataFolder, journal: join(folder, names[0] ?? "") };
  }

  const linesOf = async (path: string): Promise<string[]> => (await readFile(path, "utf8")).trimEnd().split("\n");

  it("a journal is reported and copied aside if a line in the middle is damaged, and all other lines count", async () => {
    const { dataFolder, journal } = await killedWith(10);
    const lines = await linesOf(journal);
    const damaged = lines
      .with(4, (lines[4] ?? "").replace("/5", "/6"))
      .with(6, "nonsense")
      .join("\n");
    await writeFile(journal, `${damaged}\n`);

    const server = await startServer({ dataFolder, environment: ENVIRONMENT });
    expect(await pagesOf(server, "a.test")).toEqual([1, 2, 3, 4, 6, 8, 9, 10]);
    await server.logged(/ ERROR the journal is damaged.* damagedLines=2 keptAt=\S+/);
    expect(await leftOutBy(server)).toEqual({ health: 1, metric: "1" });
    const keptAt = /keptAt=(\S+)/.exec(server.log())?.[1] ?? "";
    expect(await readFile(keptAt, "utf8")).toBe(`${damaged}\n`);

    expect(await server.stop()).toBe(0);
    const next = await startServer({ dataFolder, environment: ENVIRONMENT });
    expect(await pagesOf(next, "a.test")).toEqual([1, 2, 3, 4, 6, 8, 9, 10]);
    expect(next.log()).not.toMatch(/ ERROR /);
    expect(await next.stop()).toBe(0);
  });

  it("a journal is not reported as damaged if a crash cut the last line short, because its event was never acknowledged", async () => {
    const { dataFolder, journal } = await killedWith(10);
    await truncate(journal, (await readFile(journal)).length - 20);
    const server = await startServer({ dataFolder, environment: ENVIRONMENT });
    expect(await pagesOf(server, "a.test")).toEqual(upTo(9));
    expect(server.log()).not.toMatch(/ ERROR /);
    expect(await server.stop()).toBe(0);
  });

  it("a journal is not reported as damaged if it has empty segments and foreign files, and its events count", async () => {
    const { dataFolder, journal } = await killedWith(3);
    await writeFile(join(dirname(journal), "1.journal"), "");
    await writeFile(join(dirname(journal), "2.journal~"), "hello");
    await writeFile(join(dirname(journal), "notes.txt"), "hello");
    const server = await startServer({ dataFolder, environment: ENVIRONMENT });
    expect(await pagesOf(server, "a.test")).toEqual(upTo(3));
    expect(server.log()).not.toMatch(/ ERROR /);
    expect(await server.stop()).toBe(0);
  });
});
