/** The secret store in the data folder against the contract of its port; old secrets are overwritten. */
import { link, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFileSecretStore } from "../../adapters/node/files/file-secret-store.ts";
import { createMemoryRecordStore } from "../../src/storage/memory-record-store.ts";
import { createRecordSecretStore } from "../../src/storage/secret-store.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { describeSecretStore } from "./secret-store.suite.ts";

describeSecretStore("in a folder", async () => {
  const folder = await tempFolder();
  return { store: createFileSecretStore(folder), reopen: async () => createFileSecretStore(folder) };
});

describeSecretStore("in records", async () => {
  const records = createMemoryRecordStore();
  return { store: createRecordSecretStore(records), reopen: async () => createRecordSecretStore(records) };
});

describe("the secret store in a folder", () => {
  it.each(["erased", "replaced"])("overwrites a secret that is %s in place: a hard link to the file shows zeros", async (how) => {
    const folder = await tempFolder();
    const store = createFileSecretStore(folder);
    await store.write("the old one");
    await link(join(folder, "secret"), join(folder, "same-file"));
    if (how === "erased") await store.erase();
    else await store.write("the new one");
    expect([...(await readFile(join(folder, "same-file")))]).toEqual(Array("the old one".length).fill(0));
    expect((await readdir(folder)).sort()).toEqual(how === "erased" ? ["same-file"] : ["same-file", "secret"]);
  });

  it("the secret is readable by its owner only, even if it replaces a file that others may read", async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, "secret"), "old", { mode: 0o644 });
    const store = createFileSecretStore(folder);
    await store.write("new");
    expect((await stat(join(folder, "secret"))).mode & 0o777).toBe(0o600);
  });

  it.each([100, 7])("a file with %i zeros, as an interrupted erasure leaves it, counts as no secret", async (zeros) => {
    const folder = await tempFolder();
    await writeFile(join(folder, "secret"), Buffer.concat([new Uint8Array(zeros), Buffer.alloc(100 - zeros, "a")]));
    expect(await createFileSecretStore(folder).read()).toBeNull();
  });

  it("a failed write leaves no file, and a failed erasure names the file", async () => {
    const folder = await tempFolder();
    await mkdir(join(folder, "secret"));
    const store = createFileSecretStore(folder);
    await expect(store.write("text")).rejects.toThrow(/EISDIR|directory/);
    await expect(store.erase()).rejects.toThrow(`${join(folder, "secret")} cannot be removed: `);
    expect(await readdir(folder)).toEqual(["secret"]);
  });
});
