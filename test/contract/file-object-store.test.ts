/** The object store in a folder against the contract of its port; failed writes leave nothing behind. */
import { chmod, mkdir, readdir, rmdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFileObjectStore } from "../../adapters/node/files/file-stores.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { describeObjectStore } from "./object-store.suite.ts";

describeObjectStore("in a folder", async () => createFileObjectStore(await tempFolder()));
describeObjectStore("in a folder that is not there yet", async () => createFileObjectStore(join(await tempFolder(), "new", "folder")));

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

const bytes = new TextEncoder().encode("x");

describe("the object store in a folder", () => {
  it.each(["", "/a", "a/", "a//b", ".", "..", "a/..", "a/../../b", "./a", "a/."])("rejects the invalid key %j", async (key) => {
    const store = createFileObjectStore(await tempFolder());
    await expect(store.put(key, bytes)).rejects.toThrow("not an object key");
    await expect(store.get(key)).rejects.toThrow("not an object key");
    await expect(store.delete(key)).rejects.toThrow("not an object key");
  });

  it("does not list unfinished files of a crash", async () => {
    const folder = await tempFolder();
    const store = createFileObjectStore(folder);
    await store.put("a/b", bytes);
    await writeFile(join(folder, "a", ".4711-1.unfinished"), "half");
    expect(await store.list("a")).toEqual([{ key: "a/b", sizeBytes: 1 }]);
  });

  it("lists every object of many folders, and the objects of each folder in order", async () => {
    const folder = await tempFolder();
    const keys = Array.from(
      { length: 40 * 40 },
      (_, i) => `a/${String(Math.floor(i / 40)).padStart(2, "0")}/${String(i % 40).padStart(2, "0")}`,
    );
    for (let day = 0; day < 40; day++) await mkdir(join(folder, "a", String(day).padStart(2, "0")), { recursive: true });
    await Promise.all(keys.map((key) => writeFile(join(folder, key), key)));
    const listed = await createFileObjectStore(folder, { isOurs: true }).list("a");
    expect(listed).toEqual(keys.map((key) => ({ key, sizeBytes: key.length })));
  });

  it("removes unfinished files of a crash when it deletes the object beside them, but no file that is being written", async () => {
    const folder = await tempFolder();
    const store = createFileObjectStore(folder);
    await store.put("a/day/b", bytes);
    await writeFile(join(folder, "a", "day", ".4711-1.unfinished"), "half");
    await Promise.all([store.delete("a/day/b"), ...Array.from({ length: 20 }, (_, i) => store.put(`a/day/c${i}`, bytes))]);
    expect((await readdir(join(folder, "a", "day"))).filter((name) => !name.startsWith("c"))).toEqual([]);
    expect(await store.list("a")).toHaveLength(20);
  });

  it("leaves no file after a failed write", async () => {
    const folder = await tempFolder();
    const store = createFileObjectStore(folder);
    await mkdir(join(folder, "a", "taken"), { recursive: true });
    await expect(store.put("a/taken", bytes)).rejects.toThrow(/EISDIR|directory/);
    expect(await readdir(join(folder, "a"))).toEqual(["taken"]);
    await store.put("a/free", bytes);
    expect(await store.list("a")).toEqual([{ key: "a/free", sizeBytes: 1 }]);
  });

  it("stores an object while its folder is being removed", async () => {
    const folder = await tempFolder();
    const store = createFileObjectStore(folder);
    await store.put("a/b/c", bytes);
    await store.delete("a/b/c");
    await rmdir(join(folder, "a", "b")).catch(() => undefined);
    await store.put("a/b/d", bytes);
    expect(await store.get("a/b/d")).toHaveLength(1);
  });

  it("creates files and folders for their owner only", async () => {
    const folder = await tempFolder();
    await createFileObjectStore(folder).put("a/b", bytes);
    expect([await modeOf(join(folder, "a")), await modeOf(join(folder, "a", "b"))]).toEqual([0o700, 0o600]);
  });

  it("removes the permissions of other users when it lists a folder of its own", async () => {
    const folder = await tempFolder();
    const paths = ["events", "events/site", "events/site/day"];
    const openAll = async () => {
      await mkdir(join(folder, "events/site/day"), { recursive: true });
      await writeFile(join(folder, "events/site/day/file"), "x");
      for (const path of paths) await chmod(join(folder, path), 0o755);
      await chmod(join(folder, "events/site/day/file"), 0o644);
    };
    const modes = () => Promise.all([...paths, "events/site/day/file"].map((path) => modeOf(join(folder, path))));
    await openAll();
    await createFileObjectStore(folder).list("events/site");
    expect(await modes()).toEqual([0o755, 0o755, 0o755, 0o644]);
    await createFileObjectStore(folder, { isOurs: true }).list("events/site");
    expect(await modes()).toEqual([0o700, 0o700, 0o700, 0o600]);
  });

  it("keeps the root folder when its last object is deleted", async () => {
    const folder = await tempFolder();
    const store = createFileObjectStore(folder);
    await store.put("a/b", bytes);
    await store.delete("a/b");
    expect(await readdir(folder)).toEqual([]);
  });
});
