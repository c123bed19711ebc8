/** The commands `verify`, `backup` and `restore` of the built program, on a data folder whose sites have several time zones. */
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFileObjectStore, createFileRecordStore, createFileSecretStore } from "../../adapters/node/files/file-stores.ts";
import { JOURNAL_FOLDER, openFileSegmentLog } from "../../adapters/node/files/file-segment-log.ts";
import { ROLLUPS_FOLDER } from "../../src/storage/rollup.ts";
import { makeRollups, ROLLING } from "../fault/rolled-days.ts";
import { bodyOf, CLOSED, logIn, postJson } from "../support/auth-requests.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { record, wireEvent } from "../support/requests.ts";
import { runProgram } from "../support/run-process.ts";
import { tempFolder } from "../support/temp-folder.ts";
import type { Environment } from "../support/target.ts";

const HOUR_MS = 3_600_000;

/** 00:15 of the next day in Kathmandu, and still the same day in UTC and in Berlin. */
const START_MS = Date.parse("2026-03-15T18:30:00Z");

const ZONED = "zoned.test";
const OTHER = "other.test";

async function startOn(dataFolder: string, environment: Environment, startMs: number): Promise<InProcessTarget> {
  return createInProcessTarget(
    { ...CLOSED, ...environment },
    {
      ...ROLLING,
      objects: createFileObjectStore(dataFolder, { isOurs: true }),
      segmentLog: await openFileSegmentLog(join(dataFolder, JOURNAL_FOLDER), "always"),
      records: createFileRecordStore(dataFolder),
      secrets: createFileSecretStore(dataFolder),
      startMs,
    },
  );
}

/** Events at two hours of three days, with the rollups of past ones, settings of a site, a share link, and a history of `time_zone`. */
async function makeFolder(): Promise<string> {
  const dataFolder = await tempFolder();
  const utc = await startOn(dataFolder, {}, START_MS - 24 * HOUR_MS);
  const headers = await logIn(utc);
  const settings = { name: "Zoned", time_zone: "Asia/Kathmandu", excluded_paths: ["/admin*"] };
  await bodyOf(await utc.fetch(`/api/sites/${ZONED}`, { method: "PUT", headers, body: JSON.stringify(settings) }));
  await bodyOf(await postJson(utc, "/api/shares", { site_id: ZONED, name: "For all" }, headers), 201);
  await record(utc, wireEvent(OTHER));
  await utc.close();
  const target = await startOn(dataFolder, { SVC_TIME_ZONE: "Europe/Berlin" }, START_MS);
  for (let half = 0; half < 6; half++) {
    for (const site of [ZONED, OTHER]) await record(target, wireEvent(site, { u: `https://page.test/${half}` }));
    await target.flush();
    await target.advance(12 * HOUR_MS);
    await target.services.settled();
  }
  await makeRollups(target);
  await target.close();
  return dataFolder;
}

const RECORDS = ["calendar.json", "shares", "sites"];

/** The content of each file of these, by its path. */
async function recordsIn(folder: string): Promise<Record<string, string>> {
  const paths = (await readdir(folder, { recursive: true })).filter((path) => RECORDS.includes(path.split("/")[0] ?? "")).sort();
  const files = paths.filter((path) => path.endsWith(".json"));
  return Object.fromEntries(await Promise.all(files.map(async (path) => [path, await readFile(join(folder, path), "utf8")] as const)));
}

describe("a data folder with sites in Kathmandu and Berlin", () => {
  it("verifies without a fault, with every rollup, and reports faults in hourly rollups if the calendar of a site is lost", async () => {
    const dataFolder = await makeFolder();
    const rollups = await createFileObjectStore(dataFolder).list(ROLLUPS_FOLDER);
    expect(rollups.filter(({ key }) => key.includes(ZONED)).length).toBeGreaterThan(1);
    const clean = await runProgram(["verify", "--all-rollups", "--data-dir", dataFolder]);
    expect({ ...clean, stdout: "" }).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(clean.stdout).toContain(`${rollups.length} rollups`);
    await rm(join(dataFolder, "sites"), { recursive: true });
    const faulty = await runProgram(["verify", "--data-dir", dataFolder]);
    expect(faulty.code).toBe(1);
    expect(faulty.stdout + faulty.stderr).toContain(`rollups/site_id=${ZONED}/2026-03-16_`);
  });

  it("is backed up and restored with settings, share links and the history of time_zone, without any secret", async () => {
    const [dataFolder, backups, restored] = [await makeFolder(), await tempFolder(), join(await tempFolder(), "data")];
    const records = await recordsIn(dataFolder);
    expect(Object.keys(records).map((path) => path.replace(/[0-9a-f]{64}/, "<hash>"))).toEqual([
      "calendar.json",
      "shares/<hash>.json",
      "sites/<hash>.json",
    ]);
    expect(await readdir(join(dataFolder, "secrets"))).not.toEqual([]);
    expect(await runProgram(["backup", backups, "--data-dir", dataFolder])).toMatchObject({ code: 0, stderr: "" });
    const [name = ""] = await readdir(backups);
    expect(await recordsIn(join(backups, name))).toEqual(records);
    expect((await readdir(join(backups, name), { recursive: true })).filter((path) => path.startsWith("secret"))).toEqual([]);
    expect(await runProgram(["verify", "--data-dir", join(backups, name)])).toMatchObject({ code: 0, stderr: "" });
    expect(await runProgram(["restore", backups, "--data-dir", restored])).toMatchObject({ code: 0, stderr: "" });
    expect(await recordsIn(restored)).toEqual(records);
    const target = await startOn(restored, { SVC_TIME_ZONE: "Europe/Berlin" }, START_MS + 72 * HOUR_MS);
    const headers = await logIn(target);
    expect(await bodyOf(await target.fetch(`/api/sites/${ZONED}`, { headers }))).toMatchObject({
      ...{ name: "Zoned", time_zone_in_force: "Asia/Kathmandu", excluded_paths: ["/admin*"] },
    });
    expect(await bodyOf(await target.fetch(`/api/shares?site_id=${ZONED}`, { headers }))).toMatchObject([{ name: "For all" }]);
    await target.close();
  });
});
