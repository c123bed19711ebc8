/** The commands `verify` and `backup`. They run beside a process that uses the data folder, and change nothing in it. */
import { join, relative, resolve } from "node:path";
import { backUp } from "../../src/runtime/jobs/backup.ts";
import type { Config } from "../../src/runtime/config/config.ts";
import { parsePeriodSecret } from "../../src/runtime/ingest/period-secret.ts";
import { reasonOf } from "../../src/runtime/metrics/log.ts";
import type { RollupCounts, RollupVerificationOptions } from "../../src/runtime/jobs/rollup-verification/rollup-verification.ts";
import { verifyData, type Fault, type VerificationReport } from "../../src/runtime/jobs/verification.ts";
import { createFolder } from "./durable-folders.ts";
import { createFileObjectStore } from "./file-object-store.ts";
import { createFileRecordStore } from "./file-record-store.ts";
import { JOURNAL_FOLDER, openFileSegmentLog } from "./file-segment-log.ts";
import { makePrivate } from "./file-permissions.ts";
import { createFileSecretStore } from "./file-secret-store.ts";
import { nodeFileSystem, type FileSystem } from "./file-system.ts";

export interface CommandOutcome {
  /** False if a fault was found. */
  readonly isWhole: boolean;
  /** The text to print. */
  readonly text: string;
}

const whole = (count: number): string => count.toLocaleString("en-US");

const counted = (count: number, noun: string): string => `${whole(count)} ${noun}${count === 1 ? "" : "s"}`;

function rollupLinesOf({ rollups, compared, outdated, uncompared, uncomparedReason }: RollupCounts): string[] {
  if (rollups === 0) return [];
  return [
    `  ${counted(rollups, "rollup")}: ${whole(compared)} compared with the events, ${whole(outdated)} outdated`,
    ...(uncompared > 0 ? [`  ${counted(uncompared, "rollup")} that could not be compared: ${uncomparedReason}`] : []),
  ];
}

function linesOf(folder: string, report: VerificationReport, faults: readonly Fault[], faultCount: number): string[] {
  const { events, files, bytes, days, sites, unflushedEvents, segments, tornSegments, supersededFiles, rollups } = report;
  return [
    folder,
    `  ${counted(sites, "site")}, ${counted(days, "day")} of sites, ${counted(files, "file")} of ${whole(bytes)} bytes, ${counted(events, "event")}`,
    `  journal: ${counted(segments, "segment")}, ${counted(unflushedEvents, "event")} in no file yet`,
    ...(tornSegments > 0 ? [`  ${counted(tornSegments, "segment")} with half a line at the end, which was never acknowledged`] : []),
    ...rollupLinesOf(rollups),
    ...(supersededFiles > 0 ? [`  ${counted(supersededFiles, "file")} that a merge has superseded and that count no more`] : []),
    faultCount === 0 ? "  no fault" : `  ${counted(faultCount, "fault")}:`,
    ...faults.map(({ file, reason }) => `  - ${file}: ${reason}`),
    ...(faultCount > faults.length ? [`  - and ${whole(faultCount - faults.length)} more`] : []),
  ];
}

async function openFolder(folder: string, fsync: Config["journalFsync"], files: FileSystem) {
  return {
    objects: createFileObjectStore(folder, { files }),
    records: createFileRecordStore(folder, files),
    segmentLog: await openFileSegmentLog(join(folder, JOURNAL_FOLDER), fsync, files),
  };
}

async function mustBeFolder(folder: string, files: FileSystem): Promise<void> {
  if (!(await files.stat(folder)).isDirectory()) throw new Error(`${folder} is not a folder`);
}

/** A folder without a secret is fine: a backup has none, and neither has an instance with a configured secret. */
async function checkSecret(folder: string, files: FileSystem): Promise<void> {
  const { read, location } = createFileSecretStore(folder, files);
  const text = await read();
  if (text !== null) parsePeriodSecret(text, location);
}

/** Reads and checks everything in a data folder; rollups only with options for them. Rejects if it does not exist. */
export async function verifyFolder(
  dataDir: string,
  files: FileSystem = nodeFileSystem,
  rollups?: RollupVerificationOptions,
): Promise<CommandOutcome> {
  const folder = resolve(dataDir);
  await mustBeFolder(folder, files);
  const report = await verifyData(await openFolder(folder, "off", files), rollups);
  const secretFaults = await checkSecret(folder, files).then(
    () => [],
    (error: unknown) => [{ file: "secret", reason: reasonOf(error) }],
  );
  const faults = [...report.faults, ...secretFaults];
  const faultCount = report.faultCount + secretFaults.length;
  return { isWhole: faultCount === 0, text: `${linesOf(folder, report, faults, faultCount).join("\n")}\n` };
}

/**
 * Copies a data folder to a new or empty one, and verifies the copy. Rejects if the target is not empty. The generated secret is not
 * copied: the copy would outlive its salt period, and link the visitor ids beside it to visitors.
 */
export async function backUpFolder(dataDir: string, to: string, files: FileSystem = nodeFileSystem): Promise<CommandOutcome> {
  const [from, copy] = [resolve(dataDir), resolve(to)];
  await mustBeFolder(from, files);
  if (!relative(from, copy).startsWith("..")) throw new Error(`${copy} is inside the data folder, which would be copied into itself`);
  await createFolder(copy, files);
  if ((await files.readdir(copy)).length > 0) throw new Error(`${copy} is not empty. A backup needs a new or empty folder`);
  await makePrivate(copy, await files.stat(copy), files);
  const target = await openFolder(copy, "always", files);
  const copied = await backUp(await openFolder(from, "off", files), target);
  await target.segmentLog.close();
  // Without rollups: a copy has none.
  const verified = await verifyFolder(copy, files);
  return {
    ...verified,
    text: `copied ${counted(copied.files, "file")}, ${counted(copied.segments, "journal segment")}, ${counted(copied.records, "record")}\n${verified.text}`,
  };
}
