/** Partial files of a killed process are removed at the next start or listing; complete and foreign files stay. Also: unusable data folders. */
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFileObjectStore } from "../../adapters/node/files/file-stores.ts";
import { openDataDir } from "../../adapters/node/data-dir/data-dir.ts";
import { spawnServer } from "../support/server-process.ts";
import { tempFolder } from "../support/temp-folder.ts";

async function write(folder: string, ...names: string[]): Promise<void> {
  for (const name of names) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), name);
  }
}

const below = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .sort();

const HALF = ".0a1b2c3d-17.unfinished";

describe("a partial file of a killed process", () => {
  it("a partial file of a killed process is removed at the start beside records and the secret, and nothing else is", async () => {
    const folder = await tempFolder();
    const whole = ["admin.json", "keys/a.json", "secret", "notes.unfinished", "events/site_id=a/date=2026-03-01/1-1.parquet"];
    await write(folder, ...whole, HALF, `keys/${HALF}`);
    await mkdir(join(folder, "keys", ".folder.unfinished"));
    const lock = await openDataDir(folder, () => {});
    expect(await below(folder)).toEqual([...whole, "lock"].sort());
    for (const name of whole) expect(await readFile(join(folder, name), "utf8")).toBe(name);
    await lock.release();
  });

  it("a partial file of a killed process is removed from the events folder when the program lists it, but not by a process that only reads", async () => {
    const folder = await tempFolder();
    const day = "events/site_id=a/date=2026-03-01";
    const whole = [`${day}/1-1.parquet`, `${day}/x.unfinished`];
    await write(folder, ...whole, `${day}/${HALF}`, `events/site_id=a/${HALF}`);
    const listed = [{ key: `${day}/1-1.parquet`, sizeBytes: `${day}/1-1.parquet`.length }];
    expect(await createFileObjectStore(folder).list("events")).toEqual(listed);
    expect(await below(folder)).toHaveLength(4);
    const ours = createFileObjectStore(folder, { isOurs: true });
    const writing = Array.from({ length: 20 }, (_, i) => ours.put(`${day}/${i}-${i}.parquet`, new Uint8Array(1000)));
    await ours.list("events");
    await Promise.all(writing);
    expect(await ours.list("events")).toHaveLength(20);
    expect((await below(folder)).filter((name) => !name.endsWith(".parquet"))).toEqual([`${day}/x.unfinished`]);
  });
});

describe("an impossible data folder", () => {
  it.each([
    ["below /proc", "/proc/sandpiper/data", "cannot be created: ENOENT"],
    ["below a file", "/etc/passwd/data", "cannot be created: ENOTDIR"],
    ["a file", "/etc/passwd", "cannot be created: it is not a folder"],
    ["a device", "/dev/null", "cannot be created: it is not a folder"],
    ["a system folder that accepts no files", "/proc/self", "cannot be written: ENOENT"],
  ])("an impossible data folder prevents the start with one log line: %s", async (_, dataFolder, reason) => {
    const server = spawnServer({ dataFolder });
    expect(await server.exited).toEqual({ code: 1, signal: null });
    expect(server.log()).toContain(`sandpiper cannot start: the data folder `);
    expect(server.log()).toContain(reason);
    expect(server.log().trim().split("\n")).toHaveLength(1);
  });
});

describe("a broken symbolic link in the data folder", () => {
  it.each(["events", "journal", "journal/1.journal", "keys/a.json", "admin.json", "clock.json", "secret"])(
    "a broken symbolic link prevents the start with one log line that names it and says how to repair it: %s",
    async (name) => {
      const dataFolder = await tempFolder();
      const path = join(dataFolder, name);
      await mkdir(dirname(path), { recursive: true });
      await symlink(join(dataFolder, "unmounted"), path);
      const server = spawnServer({ dataFolder });
      expect((await server.exited).code).toBe(1);
      expect(server.log()).toContain(
        `sandpiper cannot start: the data folder ${dataFolder} (data_dir) cannot be read: ${path} is a symbolic link to a file that does not exist. Restore that file, or remove the link`,
      );
      expect(server.log().trim().split("\n")).toHaveLength(1);
    },
  );
});
