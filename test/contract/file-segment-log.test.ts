/** The segment log in files keeps the promises of the port under each sync policy. */
import { mkdir, readFile, readdir, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openFileSegmentLog } from "../../adapters/node/file-segment-log.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { describeSegmentLog } from "./segment-log.suite.ts";

for (const fsync of ["always", "interval", "off"] as const) {
  describeSegmentLog(`in files, synced ${fsync}`, async () => {
    const folder = join(await tempFolder(), "journal");
    return { log: await openFileSegmentLog(folder, fsync), reopen: () => openFileSegmentLog(folder, fsync) };
  });
}

describe("the segment log in files", () => {
  it("takes no other file for a segment", async () => {
    const folder = await tempFolder();
    for (const name of ["x.journal", "1.journal.bak", "-1.journal", "1.5.journal", ".journal", "lock"]) await writeFile(join(folder, name), "");
    await mkdir(join(folder, "damaged"));
    const log = await openFileSegmentLog(folder, "off");
    expect(await log.list()).toEqual([]);
    await log.create(7);
    expect(await log.list()).toEqual([7]);
    await log.close();
  });

  it("sets a segment aside where a person can look at it", async () => {
    const folder = await tempFolder();
    const log = await openFileSegmentLog(folder, "off");
    await log.create(7);
    await log.append(7, new TextEncoder().encode("damaged"));
    expect(await readFile(await log.setAside(7), "utf8")).toBe("damaged");
    expect((await readdir(folder)).sort()).toEqual(["7.journal", "damaged"]);
    await log.close();
  });

  it("goes on after what a crash cut short, once it is opened again", async () => {
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
});
