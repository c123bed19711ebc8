/** The segment log in files against the contract of its port, with each value of `journal_fsync`. */
import { mkdir, readFile, readdir, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { openFileSegmentLog } from "../../adapters/node/files/file-segment-log.ts";
import { nodeFileSystem, type FileSystem } from "../../adapters/node/files/file-system.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { describeSegmentLog } from "./segment-log.suite.ts";

for (const fsync of ["always", "interval", "off"] as const) {
  describeSegmentLog(`in files, synced ${fsync}`, async () => {
    const folder = join(await tempFolder(), "journal");
    return { log: await openFileSegmentLog(folder, fsync), reopen: () => openFileSegmentLog(folder, fsync) };
  });
}

describe("the segment log in files", () => {
  it("does not list other files as segments", async () => {
    const folder = await tempFolder();
    for (const name of ["x.journal", "1.journal.bak", "-1.journal", "1.5.journal", ".journal", "lock"])
      await writeFile(join(folder, name), "");
    await mkdir(join(folder, "damaged"));
    const log = await openFileSegmentLog(folder, "off");
    expect(await log.list()).toEqual([]);
    await log.create(7);
    expect(await log.list()).toEqual([7]);
    await log.close();
  });

  it("copies a quarantined segment to a folder where an operator can read it", async () => {
    const folder = await tempFolder();
    const log = await openFileSegmentLog(folder, "off");
    await log.create(7);
    await log.append(7, new TextEncoder().encode("damaged"));
    expect(await readFile(await log.quarantine(7), "utf8")).toBe("damaged");
    expect((await readdir(folder)).sort()).toEqual(["7.journal", "damaged"]);
    await log.close();
  });

  it("appends behind the truncated line of a crash once the log is opened again", async () => {
    const folder = await tempFolder();
    const log = await openFileSegmentLog(folder, "off");
    await log.create(7);
    await log.append(7, new TextEncoder().encode("whole half"));
    await log.close();
    await truncate(join(folder, "7.journal"), 6);
    const again = await openFileSegmentLog(folder, "off");
    await again.append(7, new TextEncoder().encode("next"));
    expect(new TextDecoder().decode(await again.read(7))).toBe("whole next");
    await again.close();
  });

  it("waits in an interval sync for the previous segment, which an append is still syncing", async () => {
    const order: string[] = [];
    let begin = (): void => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const files: FileSystem = {
      ...nodeFileSystem,
      async open(path, flags) {
        const file = await nodeFileSystem.open(path, flags);
        const datasync = async (): Promise<void> => {
          begin();
          // A sync that does not wait is done before the next turn of the event loop.
          await setImmediate();
          await file.datasync();
          order.push("on disk");
        };
        return { ...file, datasync };
      },
    };
    const log = await openFileSegmentLog(join(await tempFolder(), "journal"), "interval", files);
    await log.create(7);
    await log.append(7, new TextEncoder().encode("first"));
    await log.create(8);
    const appending = log.append(8, new TextEncoder().encode("second"));
    await begun;
    await log.sync?.();
    order.push("synced");
    expect(order.slice(0, 2)).toEqual(["on disk", "synced"]);
    await appending;
    await log.close();
  });
});
