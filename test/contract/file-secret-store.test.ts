/** The secret store in the data folder against the contract of its port; old secrets are overwritten. */
import { createMemoryRecordStore } from "../support/memory-record-store.ts";
import { link, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFileSecretStore } from "../../adapters/node/files/file-stores.ts";
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

/** Where each name's secret is. */
const PLACES = [
  ["utc", "secret"],
  ["europe-berlin", join("secrets", "europe-berlin")],
] as const;

describe.each(PLACES)("the secret of %s in a folder", (name, file) => {
  it.each(["erased", "replaced"])("is overwritten in place when it is %s: a hard link to the file shows zeros", async (how) => {
    const folder = await tempFolder();
    const secret = createFileSecretStore(folder).secret(name);
    await secret.write("the old one");
    await link(join(folder, file), join(folder, "same-file"));
    if (how === "erased") await secret.erase();
    else await secret.write("the new one");
    expect([...(await readFile(join(folder, "same-file")))]).toEqual(Array("the old one".length).fill(0));
    expect((await readdir(join(folder, dirname(file)))).includes(basename(file))).toBe(how === "replaced");
    expect((await readdir(folder, { recursive: true })).filter((path) => path.includes("unfinished"))).toEqual([]);
  });

  it("is readable by its owner only, even if it replaces a file that others may read", async () => {
    const folder = await tempFolder();
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), "old", { mode: 0o644 });
    await createFileSecretStore(folder).secret(name).write("new");
    expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
  });

  it.each([100, 7])("does not exist if its file contains %i zeros, as an interrupted erasure leaves it, but is listed", async (zeros) => {
    const folder = await tempFolder();
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), Buffer.concat([new Uint8Array(zeros), Buffer.alloc(100 - zeros, "a")]));
    const store = createFileSecretStore(folder);
    expect(await store.names()).toEqual([name]);
    expect(await store.secret(name).read()).toBeNull();
  });

  it("leaves no file after a failed write, and a failed erasure names the file", async () => {
    const folder = await tempFolder();
    await mkdir(join(folder, file), { recursive: true });
    const secret = createFileSecretStore(folder).secret(name);
    await expect(secret.write("text")).rejects.toThrow(/EISDIR|directory/);
    await expect(secret.erase()).rejects.toThrow(`${join(folder, file)} cannot be removed: `);
    expect((await readdir(folder, { recursive: true })).filter((path) => path.includes("unfinished"))).toEqual([]);
  });
});

describe("the secret store in a folder", () => {
  it("creates the folder of other zones only for a first secret, for its owner only, and ignores foreign files in it", async () => {
    const folder = await tempFolder();
    const store = createFileSecretStore(folder);
    await store.secret("utc").write("text");
    await store.secret("europe-berlin").erase();
    expect(await readdir(folder)).toEqual(["secret"]);
    await store.secret("europe-berlin").write("text");
    expect((await stat(join(folder, "secrets"))).mode & 0o777).toBe(0o700);
    for (const name of ["README.md", "utc", ".0a1b2c3d-17.unfinished"]) await writeFile(join(folder, "secrets", name), "x");
    expect(await store.names()).toEqual(["europe-berlin", "utc"]);
  });
});
