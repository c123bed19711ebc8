/** The record store in the data folder keeps the promises of the port, beside files that are no records. */
import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFileRecordStore } from "../../adapters/node/file-record-store.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { describeRecordStore } from "./record-store.suite.ts";

describeRecordStore("in a folder", async () => {
  const folder = await tempFolder();
  return { store: createFileRecordStore(folder), reopen: async () => createFileRecordStore(folder) };
});

const bytes = new TextEncoder().encode("x");

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

describe("the record store in a folder", () => {
  it("makes files and folders that only their owner may use", async () => {
    const folder = await tempFolder();
    const store = createFileRecordStore(folder);
    await store.write("admin.json", bytes);
    await store.write("keys/a.json", bytes);
    expect(await modeOf(join(folder, "admin.json"))).toBe(0o600);
    expect(await modeOf(join(folder, "keys", "a.json"))).toBe(0o600);
    expect(await modeOf(join(folder, "keys"))).toBe(0o700);
  });

  it("takes a file that others may read from them when it replaces it", async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, "admin.json"), "old", { mode: 0o644 });
    await createFileRecordStore(folder).write("admin.json", bytes);
    expect(await modeOf(join(folder, "admin.json"))).toBe(0o600);
  });

  it("does not take other files for records, nor what a crash left half written", async () => {
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

  it("leaves nothing of a write that fails, and keeps what was there", async () => {
    const folder = await tempFolder();
    const store = createFileRecordStore(folder);
    await mkdir(join(folder, "admin.json"));
    await expect(store.write("admin.json", bytes)).rejects.toThrow(/EISDIR|directory/);
    expect(await readdir(folder)).toEqual(["admin.json"]);
  });
});
