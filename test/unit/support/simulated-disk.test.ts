/** The simulated disk forgets what was not synced, in every way that it should, and nothing else: tests of power losses rest on it. */
import { describe, expect, it } from "vitest";
import type { FileSystem } from "../../../adapters/node/files/file-system.ts";
import { numbersFrom } from "../../support/seeded-numbers.mjs";
import { SimulatedDisk, type MachineOptions } from "../../support/simulated-disk.ts";

const SEEDS = 200;

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

const OLD = "old ".repeat(5);
const NEW = "new ".repeat(25);

async function write(files: FileSystem, path: string, text: string, isSynced: boolean): Promise<void> {
  const handle = await files.open(path, "w");
  await handle.writeFile(bytesOf(text));
  if (isSynced) await handle.sync();
  await handle.close();
}

async function syncFolder(files: FileSystem, path: string): Promise<void> {
  const handle = await files.open(path, "r");
  await handle.sync();
  await handle.close();
}

const textOf = (files: FileSystem, path: string): Promise<string> =>
  files.readFile(path).then(
    (bytes) => new TextDecoder().decode(bytes),
    (error: NodeJS.ErrnoException) => error.code ?? String(error),
  );

/** What the next machine sees after the loss, over many seeds. */
async function seenAfterLoss(
  work: (files: FileSystem) => Promise<unknown>,
  look: (files: FileSystem) => Promise<string>,
  options: MachineOptions = {},
): Promise<Set<string>> {
  const seen = new Set<string>();
  for (let seed = 0; seed < SEEDS; seed++) {
    const disk = new SimulatedDisk(numbersFrom(seed));
    const prepared = disk.boot();
    await write(prepared.files, "/a", OLD, true);
    await prepared.files.mkdir("/folder");
    await syncFolder(prepared.files, "/");
    const machine = disk.boot(options);
    await work(machine.files);
    machine.losePower();
    seen.add(await look(disk.boot().files));
  }
  return seen;
}

const namesIn = async (files: FileSystem, path: string): Promise<string> =>
  (await files.readdir(path))
    .map(({ name }) => name)
    .sort()
    .join(" ");

describe("the simulated disk at a power loss", () => {
  it("keeps only what was synced, content and name", async () => {
    const seen = await seenAfterLoss(
      async (files) => {
        await write(files, "/b", NEW, true);
        await syncFolder(files, "/");
      },
      async (files) => `${await namesIn(files, "/")} ${await textOf(files, "/b")}`,
    );
    expect([...seen]).toEqual([`a b folder ${NEW}`]);
  });

  it("keeps all, nothing or a part of a write that was not synced", async () => {
    const seen = await seenAfterLoss(
      async (files) => {
        const handle = await files.open("/a", "r+");
        handle.writeSync(bytesOf(NEW), 0, NEW.length, OLD.length);
        await handle.close();
      },
      (files) => textOf(files, "/a"),
    );
    expect([...seen].every((text) => text.startsWith(OLD))).toBe(true);
    expect(seen).toContain(OLD);
    expect(seen).toContain(OLD + NEW);
    expect([...seen].some((text) => text.length > OLD.length && text.length < OLD.length + NEW.length)).toBe(true);
    // A length that was there before the content.
    expect([...seen].some((text) => text.includes("\0"))).toBe(true);
  });

  it("may lose the name of a file whose content was synced, and a folder with everything in it", async () => {
    const file = await seenAfterLoss(
      (files) => write(files, "/b", NEW, true),
      (files) => textOf(files, "/b"),
    );
    expect(file).toEqual(new Set(["ENOENT", NEW]));
    const folder = await seenAfterLoss(
      async (files) => {
        await files.mkdir("/folder/deep");
        await write(files, "/folder/deep/b", NEW, true);
        await syncFolder(files, "/folder/deep");
      },
      (files) => textOf(files, "/folder/deep/b"),
    );
    expect(folder).toEqual(new Set(["ENOENT", NEW]));
  });

  it("may undo a rename, but never leaves half of one", async () => {
    const seen = await seenAfterLoss(
      (files) => files.rename("/a", "/b"),
      (files) => namesIn(files, "/"),
    );
    expect(seen).toEqual(new Set(["a folder", "b folder"]));
  });

  it("may undo removals, in any combination", async () => {
    const seen = await seenAfterLoss(
      async (files) => {
        await files.rm("/a");
        await files.rmdir("/folder");
      },
      (files) => namesIn(files, "/"),
    );
    expect(seen).toEqual(new Set(["a folder", "a", "folder", ""]));
  });

  it("may lose the data of a failed sync, even if a later one succeeds", async () => {
    const seen = await seenAfterLoss(
      async (files) => {
        const handle = await files.open("/a", "r+");
        handle.writeSync(bytesOf("!"), 0, 1, 0);
        await expect(handle.datasync()).rejects.toMatchObject({ code: "EIO" });
        await handle.datasync();
        expect(await textOf(files, "/a")).toBe(`!${OLD.slice(1)}`);
      },
      (files) => textOf(files, "/a"),
      { failsSync: (sync) => sync === 1 },
    );
    expect(seen).toEqual(new Set([OLD, `!${OLD.slice(1)}`]));
  });
});

describe("the simulated machine", () => {
  it.each(["before", "during", "after"] as const)("does nothing more once it loses power %s a call", async (when) => {
    const disk = new SimulatedDisk(numbersFrom(1));
    const machine = disk.boot({ strike: { atCall: 2, when, kind: "kill" } });
    await machine.files.mkdir("/folder");
    await expect(machine.files.mkdir("/folder/deep")).rejects.toThrow("told of a kill");
    expect(machine.isOff()).toBe(true);
    await expect(machine.files.mkdir("/other")).rejects.toThrow("off");
    expect(await namesIn(disk.boot().files, "/folder")).toBe(when === "before" ? "" : "deep");
    expect(await namesIn(disk.boot().files, "/")).toBe("folder");
  });

  it("keeps all writes of a killed process", async () => {
    for (let seed = 0; seed < SEEDS; seed++) {
      const disk = new SimulatedDisk(numbersFrom(seed));
      const machine = disk.boot({ strike: { atCall: 4, when: "before", kind: "kill" } });
      await write(machine.files, "/a", NEW, false);
      await expect(machine.files.rm("/a")).rejects.toThrow("kill");
      expect(await textOf(disk.boot().files, "/a")).toBe(NEW);
    }
  });
});
