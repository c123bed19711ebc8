/** Backups in real folders: what is copied, what is linked to earlier ones, what is refused, and what is deleted. */
import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { backUpFolder, type BackupOptions } from "../../../../../adapters/node/backups/make-backup.ts";
import { verifyFolder } from "../../../../../adapters/node/data-dir/folder-verification.ts";
import { nodeFileSystem } from "../../../../../adapters/node/files/file-system.ts";
import { addEventFile, fillDataFolder, NOON_MS } from "../../../../support/data-folder.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";

const SECOND_MS = 1000;

/** A filled data folder, a target, and backups a second apart. */
async function prepare() {
  const [dataFolder, target] = [await tempFolder(), await tempFolder()];
  const keys = await fillDataFolder(dataFolder);
  let nowMs = NOON_MS;
  const backUp = (options: Partial<BackupOptions> = {}) =>
    backUpFolder(dataFolder, target, { version: "1.2.3", now: () => (nowMs += SECOND_MS), ...options });
  return { dataFolder, target, keys, backUp };
}

const linksOf = async (path: string): Promise<number> => (await stat(path)).nlink;

/** The paths of all files below a folder. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .sort();
}

/** Changes a byte in the middle of a file, in place. */
async function damage(path: string): Promise<void> {
  const bytes = await readFile(path);
  bytes[10] = (bytes[10] ?? 0) ^ 1;
  await writeFile(path, bytes);
}

describe("a backup", () => {
  it("is a dated folder with everything but the secret, and its manifest has the SHA-256 of each file", async () => {
    const { dataFolder, target, keys, backUp } = await prepare();
    const { folder, succeeded, text } = await backUp();
    expect(succeeded).toBe(true);
    expect(await readdir(target)).toEqual(["2026-03-15T12-00-01Z"]);
    expect(folder).toBe(join(target, "2026-03-15T12-00-01Z"));
    expect(text.split("\n")[0]).toBe(`copied ${dataFolder} to ${folder}`);
    const files = [...keys, "clock.json", "journal/4.journal"].sort();
    expect(await filesIn(folder)).toEqual([...files, "manifest.jsonl"].sort());
    for (const file of files) expect((await readFile(join(folder, file))).equals(await readFile(join(dataFolder, file))), file).toBe(true);

    const manifest = await readFile(join(folder, "manifest.jsonl"), "utf8");
    const [header, ...entries] = manifest
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const bytes = (await Promise.all(files.map(async (file) => (await stat(join(folder, file))).size))).reduce((a, b) => a + b);
    const facts = { format: 1, version: "1.2.3", createdAt: "2026-03-15T12:00:01.000Z", source: dataFolder };
    expect(header).toEqual({ ...facts, sites: 2, events: 4, faults: 0, files: files.length, bytes });
    const sha256 = (content: string | Buffer) => createHash("sha256").update(content).digest("hex");
    const expected = files.map(async (name) => {
      const content = await readFile(join(folder, name));
      return { name, bytes: content.length, sha256: sha256(content) };
    });
    const lines = manifest.slice(0, manifest.lastIndexOf("{"));
    expect(entries).toEqual([...(await Promise.all(expected)), { sha256: sha256(lines) }]);
  });

  it("shares unchanged event files with the previous backup by hard links, and nothing with the data folder", async () => {
    const { dataFolder, keys, backUp } = await prepare();
    const first = await backUp();
    const [gone = "", ...kept] = keys;
    await rm(join(dataFolder, gone));
    const added = await addEventFile(dataFolder, 5);
    const second = await backUp();
    expect(second.text).toContain("3 files of events, 2 files of them linked");
    for (const key of kept) expect([key, await linksOf(join(second.folder, key))]).toEqual([key, 2]);
    for (const file of [added, "clock.json", "journal/4.journal"])
      expect([file, await linksOf(join(second.folder, file))]).toEqual([file, 1]);
    expect(await filesIn(second.folder)).not.toContain(gone);
    const third = await backUp();
    for (const key of kept) expect([key, await linksOf(join(third.folder, key))]).toEqual([key, 3]);
    for (const key of await filesIn(dataFolder)) expect([key, await linksOf(join(dataFolder, key))]).toEqual([key, 1]);
    for (const { folder } of [first, second, third]) expect(await verifyFolder(folder)).toMatchObject({ succeeded: true });
  });

  it("copies files that the file system cannot link", async () => {
    const { keys, backUp } = await prepare();
    await backUp();
    for (const code of ["EXDEV", "EPERM", "EMLINK"]) {
      const link = () => Promise.reject(Object.assign(new Error(code), { code }));
      const { folder, succeeded, text } = await backUp({ files: { ...nodeFileSystem, link } });
      expect([succeeded, text]).toEqual([true, expect.stringContaining("3 files of events, 0 files of them linked")]);
      for (const key of keys) expect(await linksOf(join(folder, key))).toBe(1);
      expect(await verifyFolder(folder)).toMatchObject({ succeeded: true });
    }
  });

  it("is not linked to a damaged file of an earlier backup, and reports it", async () => {
    const { keys, backUp } = await prepare();
    const [key = ""] = keys;
    const first = await backUp();
    await damage(join(first.folder, key));
    const second = await backUp();
    expect(second.succeeded).toBe(true);
    expect(second.text).toContain("1 file of the previous backup cannot be read or have changed; copied again");
    expect(await linksOf(join(second.folder, key))).toBe(1);
    expect(await verifyFolder(second.folder)).toMatchObject({ succeeded: true });
    expect(await verifyFolder(first.folder)).toMatchObject({
      succeeded: false,
      text: expect.stringContaining(`${key}: its content has changed`) as unknown,
    });
  });

  it("keeps the good copy of a file that has been damaged in the data folder since", async () => {
    const { dataFolder, keys, backUp } = await prepare();
    const [key = ""] = keys;
    const good = await readFile(join(dataFolder, key));
    await backUp();
    await damage(join(dataFolder, key));
    const { folder, succeeded } = await backUp();
    expect(succeeded).toBe(true);
    expect((await readFile(join(folder, key))).equals(good)).toBe(true);
  });

  it("of damaged data completes with a fault, and no later backup is linked to it", async () => {
    const { dataFolder, keys, backUp } = await prepare();
    const [key = ""] = keys;
    const good = await readFile(join(dataFolder, key));
    await damage(join(dataFolder, key));
    const first = await backUp();
    expect(first).toMatchObject({
      succeeded: false,
      text: expect.stringMatching(`1 fault:\n {2}- ${key}: the file is damaged`) as unknown,
    });
    await writeFile(join(dataFolder, key), good);
    const { folder, succeeded } = await backUp();
    expect(succeeded).toBe(true);
    for (const name of keys) expect(await linksOf(join(folder, name))).toBe(1);
  });

  it("does not count after an interruption: the next one removes it, says so, and is linked to the one before", async () => {
    const { target, keys, backUp } = await prepare();
    const first = await backUp();
    const interrupted = await backUp();
    await rename(interrupted.folder, join(target, ".2026-03-15T12-00-02Z.unfinished"));
    const third = await backUp();
    expect(third.text).toContain("removed what 1 interrupted backup left behind");
    expect(await readdir(target)).toEqual([first.folder, third.folder].map((folder) => folder.slice(target.length + 1)));
    for (const key of keys) expect(await linksOf(join(third.folder, key))).toBe(2);
  });

  it("leaves nothing when it fails, so that a full disk does not stay full", async () => {
    const { target, backUp } = await prepare();
    const open: typeof nodeFileSystem.open = async (path, flags) => {
      if (path.includes("/3-3.parquet") && flags === "wx") throw new Error("ENOSPC: no space left on device");
      return nodeFileSystem.open(path, flags);
    };
    await expect(backUp({ files: { ...nodeFileSystem, open } })).rejects.toThrow("ENOSPC");
    expect(await readdir(target)).toEqual([]);
  });

  it("refuses a target in use, and takes the next name for a second backup in the same second", async () => {
    const { target, backUp } = await prepare();
    const outcomes = await Promise.allSettled([backUp(), backUp()]);
    const reasons = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [String(outcome.reason)] : []));
    expect(reasons).toEqual([`Error: another backup into ${target} is running`]);
    await backUp({ now: () => NOON_MS });
    await backUp({ now: () => NOON_MS });
    expect(await readdir(target)).toEqual(expect.arrayContaining(["2026-03-15T12-00-02Z", "2026-03-15T12-00-03Z"]));
    expect(await readdir(target)).toHaveLength(3);
  });

  it("is named after backups made while the clock was ahead, so that it is the newest", async () => {
    const { target, backUp } = await prepare();
    await backUp({ now: () => NOON_MS + 86_400_000 });
    const { folder } = await backUp({ now: () => NOON_MS, keep: 1 });
    expect(folder).toBe(join(target, "2026-03-16T12-00-01Z"));
    expect(await readdir(target)).toEqual(["2026-03-16T12-00-01Z"]);
    const [header = ""] = (await readFile(join(folder, "manifest.jsonl"), "utf8")).split("\n");
    expect(JSON.parse(header)).toMatchObject({ createdAt: "2026-03-15T12:00:00.000Z" });
  });

  it("removes nothing behind a link that is named like an unfinished backup", async () => {
    const { target, backUp } = await prepare();
    const other = await tempFolder();
    await writeFile(join(other, "letter.txt"), "x");
    await symlink(other, join(target, ".2020-01-01T00-00-00Z.unfinished"));
    await backUp();
    expect(await readdir(other)).toEqual(["letter.txt"]);
  });

  it("refuses a target inside the data folder or a backup, even through links", async () => {
    const { dataFolder, backUp } = await prepare();
    const { folder } = await backUp();
    const links = await tempFolder();
    await symlink(join(dataFolder, "events"), join(links, "target"));
    await symlink(dataFolder, join(links, "source"));
    const make = (from: string, to: string) => backUpFolder(from, to, { version: "1.2.3" });
    const before = await filesIn(dataFolder);
    for (const to of [join(links, "target"), join(links, "source", "new", "deep"), join(dataFolder, "..new")])
      await expect(make(dataFolder, to)).rejects.toThrow("is inside the data folder");
    await expect(make(join(links, "source"), join(dataFolder, "new"))).rejects.toThrow("is inside the data folder");
    await expect(make(dataFolder, join(folder, "new", "deep"))).rejects.toThrow(`is inside the backup ${folder}`);
    expect(await filesIn(dataFolder)).toEqual(before);
    await expect(make(dataFolder, join(dataFolder, "..", "new"))).resolves.toMatchObject({ succeeded: true });
    await rm(join(dataFolder, "..", "new"), { recursive: true });
  });

  it("leaves the permissions of a target with other files, and makes a new or empty one private", async () => {
    const { target, backUp } = await prepare();
    await backUp();
    expect((await stat(target)).mode & 0o777).toBe(0o700);
    const other = await tempFolder();
    await writeFile(join(other, "letter.txt"), "");
    await nodeFileSystem.chmod(other, 0o755);
    const dataFolder = await tempFolder();
    await fillDataFolder(dataFolder);
    await backUpFolder(dataFolder, other, { version: "1.2.3" });
    expect((await stat(other)).mode & 0o777).toBe(0o755);
  });
});

describe("--keep", () => {
  it("keeps the newest backups without faults, and deletes older ones once the new one is complete", async () => {
    const { dataFolder, target, keys, backUp } = await prepare();
    for (let made = 0; made < 3; made++) await backUp();
    expect(await readdir(target)).toHaveLength(3);
    const { text } = await backUp({ keep: 2 });
    expect(text).toContain("deleted 2 older backups");
    expect(await readdir(target)).toEqual(["2026-03-15T12-00-03Z", "2026-03-15T12-00-04Z"]);
    for (const key of keys) expect(await linksOf(join(target, "2026-03-15T12-00-04Z", key))).toBe(2);

    const added = await addEventFile(dataFolder, 5);
    await damage(join(dataFolder, added));
    expect(await backUp({ keep: 1 })).toMatchObject({ succeeded: false });
    expect(await readdir(target)).toHaveLength(3);
    await rm(join(dataFolder, added));
    await backUp({ keep: 2 });
    expect(await readdir(target)).toEqual(["2026-03-15T12-00-04Z", "2026-03-15T12-00-05Z", "2026-03-15T12-00-06Z"]);
  });

  it("neither counts nor deletes backups of another data folder or without a readable manifest", async () => {
    const { target, backUp } = await prepare();
    const other = await tempFolder();
    await fillDataFolder(other);
    await backUpFolder(other, target, { version: "1.2.3", now: () => 0 });
    const broken = await backUp();
    await writeFile(join(broken.folder, "manifest.jsonl"), "");
    await backUp();
    await backUp({ keep: 1 });
    expect(await readdir(target)).toEqual(["1970-01-01T00-00-00Z", "2026-03-15T12-00-01Z", "2026-03-15T12-00-03Z"]);
  });
});

describe("the source of a backup", () => {
  const backUp = async (source: string) => backUpFolder(source, await tempFolder(), { version: "1.2.3" });

  it.each([
    [
      "a journal segment without events",
      async (folder: string) => {
        await mkdir(join(folder, "journal"));
        await writeFile(join(folder, "journal", "1795355016398.journal"), "");
      },
    ],
    ["events that were copied from a bucket", async (folder: string) => void (await addEventFile(folder, 1))],
    ["a secret alone", (folder: string) => writeFile(join(folder, "secret"), "0".repeat(64))],
  ])("may be a folder with %s", async (_, fill) => {
    const source = await tempFolder();
    await fill(source);
    expect(await backUp(source)).toMatchObject({ succeeded: true });
  });

  it("is refused in one sentence if it is missing, empty, above a data folder, a backup, or foreign", async () => {
    const { dataFolder, target, backUp: backUpData } = await prepare();
    const { folder } = await backUpData();
    const above = await tempFolder();
    await fillDataFolder(join(above, "sandpiper"));
    const other = await tempFolder();
    for (const name of ["events", "journal", "keys"]) await mkdir(join(other, name));
    for (const name of ["secret", "admin.json", "events/party.ics", "journal/monday.txt"]) await writeFile(join(other, name), "x");
    const noData = "is not a data folder: it has neither events nor a secret. Set data_dir to the folder that Sandpiper uses";
    await expect(backUp(join(above, "missing"))).rejects.toThrow(`${above}/missing does not exist`);
    await expect(backUp(await tempFolder())).rejects.toThrow("is empty. Set data_dir");
    for (const source of [above, other, target]) await expect(backUp(source)).rejects.toThrow(`${source} ${noData}`);
    await expect(backUp(folder)).rejects.toThrow("is a backup itself. Set data_dir");
    await expect(backUp(join(folder, "manifest.jsonl"))).rejects.toThrow("is not a folder");
    await expect(backUpFolder(dataFolder, dirname(folder.replace(/Z$/, "Z/x")), { version: "1.2.3" })).rejects.toThrow(
      "is itself a backup",
    );
    await expect(backUpFolder(dataFolder, other, { version: "1.2.3" })).resolves.toMatchObject({ succeeded: true });
    await expect(backUpFolder(dataFolder, join(dataFolder, "backups"), { version: "1.2.3" })).rejects.toThrow("inside the data folder");
  });
});
