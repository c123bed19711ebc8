/** Restores into real folders: what is restored, and everything that is refused before anything is written. */
import { execFileSync } from "node:child_process";
import { appendFile, cp, mkdir, readFile, readdir, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { backUpFolder } from "../../../../../adapters/node/backups/make-backup.ts";
import { readManifest, writeManifest, type ManifestEntry } from "../../../../../adapters/node/backups/manifest.ts";
import { restoreFolder } from "../../../../../adapters/node/backups/restore-backup.ts";
import { verifyFolder } from "../../../../../adapters/node/data-dir/folder-verification.ts";
import { openDataDir } from "../../../../../adapters/node/data-dir/data-dir.ts";
import { digestOf } from "../../../../../adapters/node/backups/copied-files.ts";
import { nodeFileSystem } from "../../../../../adapters/node/files/file-system.ts";
import { addEventFile, fillDataFolder, NOON_MS } from "../../../../support/data-folder.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";

/** Two backups of a data folder, and a folder to restore to. */
async function prepare() {
  const [dataFolder, target] = [await tempFolder(), await tempFolder()];
  const keys = await fillDataFolder(dataFolder);
  const first = await backUpFolder(dataFolder, target, { version: "1.2.3", now: () => NOON_MS });
  const added = await addEventFile(dataFolder, 5);
  const second = await backUpFolder(dataFolder, target, { version: "1.2.3", now: () => NOON_MS + 1000 });
  return { dataFolder, target, keys, added, first: first.folder, second: second.folder, to: join(await tempFolder(), "new", "data") };
}

/** The content of all files below a folder, by path, without the names. */
async function contentOf(folder: string, without: readonly string[] = []): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && !without.includes(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name));
  return new Map(await Promise.all(paths.sort().map(async (path) => [path.slice(folder.length), await readFile(path, "hex")] as const)));
}

/** The folder after a restore that was killed while it copied. */
async function interrupt(from: string, to: string): Promise<void> {
  const open: typeof nodeFileSystem.open = (path, flags) =>
    flags === "wx" && path.endsWith("/3-3.parquet") ? Promise.reject(new Error("told to stop")) : nodeFileSystem.open(path, flags);
  await expect(restoreFolder(from, to, { files: { ...nodeFileSystem, open } })).rejects.toThrow("told to stop");
}

describe("a restore", () => {
  it("creates a data folder with the content of the backup, without the manifest, for its owner only", async () => {
    const { first, to } = await prepare();
    const { succeeded, text } = await restoreFolder(first, to);
    expect(succeeded).toBe(true);
    expect(text).toMatch(`restored ${first} to ${to}\n`);
    expect(text).toMatch(/no fault\nStart Sandpiper now\.[^]*Repeat the deletions that were made since 2026-03-15T12:00:00\.000Z/);
    expect(await contentOf(to)).toEqual(await contentOf(first, ["manifest.jsonl"]));
    for (const entry of ["", ...(await readdir(to, { recursive: true }))]) {
      const status = await stat(join(to, entry));
      expect([entry, status.mode & 0o777]).toEqual([entry, status.isDirectory() ? 0o700 : 0o600]);
    }
    const lock = await openDataDir(to, () => {});
    await lock.release();
  });

  it("takes the newest backup of a folder of backups, and shares no file with it", async () => {
    const { target, second, added, to } = await prepare();
    expect((await restoreFolder(target, to)).text).toContain(`restored ${second} to ${to}`);
    expect((await stat(join(to, added))).nlink).toBe(1);
  });

  it("takes a backup that was moved", async () => {
    const { first, to } = await prepare();
    const moved = join(await tempFolder(), "anywhere");
    await cp(first, moved, { recursive: true });
    expect(await restoreFolder(moved, to)).toMatchObject({ succeeded: true });
  });

  it("accepts an empty folder, even with the file system's own folder of a volume", async () => {
    const { first } = await prepare();
    const to = await tempFolder();
    await mkdir(join(to, "lost+found"));
    expect(await restoreFolder(first, to)).toMatchObject({ succeeded: true });
    expect((await readdir(to)).sort()).toEqual(["clock.json", "events", "journal", "lost+found"]);
  });

  it("names every file that is missing, added or changed, and writes nothing", async () => {
    const { first, keys, to } = await prepare();
    const [missing = "", changed = ""] = keys;
    await rm(join(first, missing));
    await appendFile(join(first, changed), "x");
    await writeFile(join(first, "journal", "9.journal"), "");
    await writeFile(join(first, "letter.txt"), "");
    const error = await restoreFolder(first, to).catch(String);
    expect(error).toContain(`${first} differs from its manifest, so nothing was restored:`);
    for (const line of [`${missing}: it is missing`, `${changed}: its content has changed`]) expect(error).toContain(`\n  - ${line}`);
    for (const name of ["journal/9.journal", "letter.txt"]) expect(error).toContain(`\n  - ${name}: it is not in the manifest`);
    await expect(stat(to)).rejects.toThrow("ENOENT");
    expect((await verifyFolder(first)).text).toContain("letter.txt: it is not in the manifest");
  });

  it.each<[string, (manifest: string) => string, RegExp]>([
    ["is changed", (manifest) => manifest.replace(/"bytes":\d+,"sha256":"./, '"bytes":1,"sha256":"0'), /its checksum does not match/],
    ["lacks a file", (manifest) => manifest.replace(/\n[^\n]*3-3\.parquet[^\n]*/, ""), /its checksum does not match/],
    ["is cut short", (manifest) => manifest.slice(0, -90), /its checksum does not match/],
    ["is empty", () => "", /its checksum does not match/],
    ["is no JSON", () => "x\ny\n", /cannot be used: /],
    ["has no header", () => "null\nnull\n", /cannot be used: it does not begin like a manifest/],
    [
      "is of a newer version",
      (manifest) => manifest.replace('"format":1', '"format":2'),
      /it was written by Sandpiper 1\.2\.3, which is newer/,
    ],
  ])("refuses a backup whose manifest %s", async (_, change, message) => {
    const { first, to } = await prepare();
    const path = join(first, "manifest.jsonl");
    await writeFile(path, change(await readFile(path, "utf8")));
    await expect(restoreFolder(first, to)).rejects.toThrow(message);
    await expect(stat(to)).rejects.toThrow("ENOENT");
  });

  it("reads and writes no file outside of the two folders, whatever the manifest names", async () => {
    const { first, to } = await prepare();
    await writeFile(join(first, "..", "letter.txt"), "x");
    const manifest = await readManifest(first, nodeFileSystem);
    const outside = { name: "../letter.txt", ...(await digestOf(join(first, "..", "letter.txt"), nodeFileSystem)) } as ManifestEntry;
    await rm(join(first, "manifest.jsonl"));
    const entries = [...manifest.entries].map(([name, digest]) => ({ name, ...digest }));
    await writeManifest(first, manifest.header, [...entries, outside], nodeFileSystem);
    await expect(restoreFolder(first, to)).rejects.toThrow("../letter.txt: it is missing");
  });

  it("refuses a data folder inside of a backup, which stays unchanged", async () => {
    const { first, second } = await prepare();
    for (const from of [first, second])
      await expect(restoreFolder(from, join(first, "data"))).rejects.toThrow(`inside the backup ${first}`);
    expect((await verifyFolder(first)).succeeded).toBe(true);
  });

  it.skipIf(process.platform === "win32")("refuses a backup with a pipe or a link in place of a file, without reading it", async () => {
    const { first, keys, to } = await prepare();
    const [piped = "", linked = ""] = keys.map((key) => join(first, key));
    const moved = join(await tempFolder(), "moved.parquet");
    await rename(linked, moved);
    await symlink(moved, linked);
    await rm(piped);
    execFileSync("mkfifo", [piped]);
    const error = await restoreFolder(first, to).catch(String);
    for (const key of keys.slice(0, 2)) expect(error).toContain(`\n  - ${key}: it is not a regular file`);
  });

  it("refuses a folder without backups, and a backup without a manifest, and says what to do", async () => {
    const { first, to } = await prepare();
    await rm(join(first, "manifest.jsonl"));
    await expect(restoreFolder(first, to)).rejects.toThrow(/has no manifest .* copy it to the data folder and run verify/);
    await expect(restoreFolder(await tempFolder(), to)).rejects.toThrow("is not a backup and contains none");
    await expect(restoreFolder(join(first, "missing"), to)).rejects.toThrow("does not exist");
  });

  it("refuses a data folder that is not empty or in use, and changes nothing there", async () => {
    const { dataFolder, first } = await prepare();
    const before = await contentOf(dataFolder);
    await expect(restoreFolder(first, dataFolder)).rejects.toThrow(`the data folder ${dataFolder} is not empty. Move it away first`);
    const lock = await openDataDir(dataFolder, () => {});
    onTestFinished(() => lock.release());
    await expect(restoreFolder(first, dataFolder)).rejects.toThrow("is in use by process");
    expect(await contentOf(dataFolder)).toEqual(before);
    const other = await tempFolder();
    await writeFile(join(other, "letter.txt"), "");
    await expect(restoreFolder(first, other)).rejects.toThrow("is not empty");
    expect(await readdir(other)).toEqual(["letter.txt"]);
  });

  it("locks the data folder, so that nothing starts there meanwhile", async () => {
    const { first, to } = await prepare();
    let refusal = "";
    const open: typeof nodeFileSystem.open = async (path, flags) => {
      if (flags === "wx" && path.endsWith("/3-3.parquet")) refusal = await openDataDir(to, () => {}).then(() => "", String);
      return nodeFileSystem.open(path, flags);
    };
    expect(await restoreFolder(first, to, { files: { ...nodeFileSystem, open } })).toMatchObject({ succeeded: true });
    expect(refusal).toContain(`is in use by process ${process.pid}`);
  });

  it("leaves a folder that is not served if it is interrupted, and the next restore completes it, even from another backup", async () => {
    const { first, second, added, to } = await prepare();
    await interrupt(second, to);
    await expect(openDataDir(to, () => {})).rejects.toThrow(`a restore into the data folder ${to} was interrupted. Run it again`);
    await expect(backUpFolder(to, await tempFolder(), { version: "1.2.3" })).rejects.toThrow("has an unfinished restore");
    expect((await verifyFolder(to)).text).toContain("- restore.unfinished: a restore was interrupted; run it again");
    expect(await restoreFolder(second, to)).toMatchObject({ succeeded: true });
    expect(await contentOf(to)).toEqual(await contentOf(second, ["manifest.jsonl"]));

    const other = join(await tempFolder(), "data");
    await interrupt(second, other);
    expect(await restoreFolder(first, other)).toMatchObject({ succeeded: true });
    expect(await contentOf(other)).toEqual(await contentOf(first, ["manifest.jsonl"]));
    expect([...(await contentOf(other)).keys()]).not.toContain(`/${added}`);
  });
});
