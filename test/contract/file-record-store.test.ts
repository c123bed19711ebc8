/** The record store in the data folder against the contract of its port, beside files that are not records. */
import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFileRecordStore } from "../../adapters/node/files/file-stores.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { describeRecordStore } from "./record-store.suite.ts";

describeRecordStore("in a folder", async () => {
  const folder = await tempFolder();
  return { store: createFileRecordStore(folder), reopen: async () => createFileRecordStore(folder) };
});

const bytes = new TextEncoder().encode("x");

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

describe("the record store in a folder", () => {
  it("creates files and folders for their owner only", async () => {
    const folder = await tempFolder();
    const store = createFileRecordStore(folder);
    await store.write("admin.json", bytes);
    await store.write("keys/a.json", bytes);
    expect(await modeOf(join(folder, "admin.json"))).toBe(0o600);
    expect(await modeOf(join(folder, "keys", "a.json"))).toBe(0o600);
    expect(await modeOf(join(folder, "keys"))).toBe(0o700);
  });

  it("makes a file private when it replaces one that others may read", async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, "admin.json"), "old", { mode: 0o644 });
    await createFileRecordStore(folder).write("admin.json", bytes);
    expect(await modeOf(join(folder, "admin.json"))).toBe(0o600);
  });

  it("does not list other files or unfinished files of a crash as records", async () => {
    const folder = await tempFolder();
    const store = createFileRecordStore(folder);
    await store.write("keys/a.json", bytes);
    await mkdir(join(folder, "keys", "folder.json"));
    await writeFile(join(folder, "keys", ".4711-1.unfinished"), "half");
    await writeFile(join(folder, "secret"), "0123");
    await mkdir(join(folder, "events", "deep"), { recursive: true });
    await writeFile(join(folder, "events", "deep", "a.json"), "{}");
    expect(await store.list("")).toEqual(["keys/a.json"]);
  });

  it("leaves no file after a failed write, and keeps the previous record", async () => {
    const folder = await tempFolder();
    const store = createFileRecordStore(folder);
    await mkdir(join(folder, "admin.json"));
    await expect(store.write("admin.json", bytes)).rejects.toThrow(/EISDIR|directory/);
    expect(await readdir(folder)).toEqual(["admin.json"]);
  });
});
