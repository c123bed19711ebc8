/** A backup leaves rollups out, and what is restored from it gives the same reports, also beside rollups of later events. */
import { cp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { backUpFolder } from "../../adapters/node/backups/make-backup.ts";
import { restoreFolder } from "../../adapters/node/backups/restore-backup.ts";
import { createFileObjectStore, createFileRecordStore } from "../../adapters/node/files/file-stores.ts";
import { JOURNAL_FOLDER, openFileSegmentLog } from "../../adapters/node/files/file-segment-log.ts";
import { ROLLUPS_FOLDER } from "../../src/storage/rollup.ts";
import { createInProcessTarget, START_MS, type InProcessTarget } from "../support/in-process-target.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { Ledger } from "./ledger.ts";
import { appendLate, ENVIRONMENT, makeRollups, playDays, reportsOf, ROLLING } from "./rolled-days.ts";

async function startOn(dataFolder: string, startMs: number): Promise<InProcessTarget> {
  const target = await createInProcessTarget(ENVIRONMENT, {
    ...ROLLING,
    objects: createFileObjectStore(dataFolder, { isOurs: true }),
    segmentLog: await openFileSegmentLog(join(dataFolder, JOURNAL_FOLDER), "always"),
    records: createFileRecordStore(dataFolder),
    startMs,
  });
  onTestFinished(() => target.close());
  return target;
}

const rollupsIn = async (dataFolder: string): Promise<string[]> =>
  (await createFileObjectStore(dataFolder).list(ROLLUPS_FOLDER)).map(({ key }) => key);

describe("a backup", () => {
  it("a backup contains no rollups, and the restored program answers every report at once, with rollups of later events and its own", async () => {
    const [dataFolder, copy, beside] = [await tempFolder(), join(await tempFolder(), "copy"), join(await tempFolder(), "beside")];
    const target = await startOn(dataFolder, START_MS);
    await playDays(target, new Ledger(target));
    await makeRollups(target);
    await new Ledger(target).send("rolled.test", 2);
    const reports = await reportsOf(target);
    expect((await rollupsIn(dataFolder)).length).toBeGreaterThan(3);

    const backup = await backUpFolder(dataFolder, await tempFolder(), { version: "1.0.0" });
    expect(backup.succeeded).toBe(true);
    expect(await readdir(backup.folder)).not.toContain(ROLLUPS_FOLDER);
    for (const restored of [copy, beside]) expect(await restoreFolder(backup.folder, restored)).toMatchObject({ succeeded: true });
    await appendLate(target, 2);
    await target.flush();
    await makeRollups(target);
    expect(await reportsOf(target)).not.toEqual(reports);

    const restored = await startOn(copy, target.nowMs());
    expect(await reportsOf(restored)).toEqual(reports);
    await restored.flush();
    await makeRollups(restored);
    expect((await rollupsIn(copy)).length).toBeGreaterThan(3);
    expect(await reportsOf(restored)).toEqual(reports);

    await cp(join(dataFolder, ROLLUPS_FOLDER), join(beside, ROLLUPS_FOLDER), { recursive: true });
    const besideLater = await startOn(beside, target.nowMs());
    expect(await reportsOf(besideLater)).toEqual(reports);
    await besideLater.flush();
    await makeRollups(besideLater);
    expect(await reportsOf(besideLater)).toEqual(reports);
  });
});
