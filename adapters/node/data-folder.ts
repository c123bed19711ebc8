/** A data folder that another process may be working on: checked and copied through ports that change nothing in it. */
import { readdir, stat } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { backUp } from "../../src/runtime/backup.ts";
import { parsePeriodSecret } from "../../src/runtime/ingest/period-secret.ts";
import { reasonOf } from "../../src/runtime/log.ts";
import { verifyData, type Fault, type VerificationReport } from "../../src/runtime/verification.ts";
import { createFileObjectStore } from "./file-object-store.ts";
import { createFileRecordStore } from "./file-record-store.ts";
import { JOURNAL_FOLDER, openFileSegmentLog } from "./file-segment-log.ts";
import { makeFolder } from "./own-folder.ts";
import { createFileSecretStore } from "./secret-file.ts";

/** What a command has to say, and whether all is well. */
export interface CommandOutcome {
  readonly isWhole: boolean;
  readonly text: string;
}

const whole = (count: number): string => count.toLocaleString("en-US");

const counted = (count: number, noun: string): string => `${whole(count)} ${noun}${count === 1 ? "" : "s"}`;

function linesOf(folder: string, report: VerificationReport, faults: readonly Fault[], faultCount: number): string[] {
  const { events, files, bytes, days, sites, unflushedEvents, segments, tornSegments, supersededFiles } = report;
  return [
    folder,
    `  ${counted(sites, "site")}, ${counted(days, "day")} of sites, ${counted(files, "file")} of ${whole(bytes)} bytes, ${counted(events, "event")}`,
    `  journal: ${counted(segments, "segment")}, ${counted(unflushedEvents, "event")} in no file yet`,
    ...(tornSegments > 0 ? [`  ${counted(tornSegments, "segment")} with half a line at the end, which was never acknowledged`] : []),
    ...(supersededFiles > 0 ? [`  ${counted(supersededFiles, "file")} that a merge has superseded and that count no more`] : []),
    faultCount === 0 ? "  no fault" : `  ${counted(faultCount, "fault")}:`,
    ...faults.map(({ file, reason }) => `  - ${file}: ${reason}`),
    ...(faultCount > faults.length ? [`  - and ${whole(faultCount - faults.length)} more`] : []),
  ];
}

async function openFolder(folder: string) {
  return {
    objects: createFileObjectStore(folder),
    records: createFileRecordStore(folder),
    segmentLog: await openFileSegmentLog(join(folder, JOURNAL_FOLDER), "always"),
  };
}

async function mustBeFolder(folder: string): Promise<void> {
  if (!(await stat(folder)).isDirectory()) throw new Error(`${folder} is no folder`);
}

/** None is fine: a backup has none, and neither has a program whose secret is configured. */
async function checkSecret(folder: string): Promise<void> {
  const { read, location } = createFileSecretStore(folder);
  const text = await read();
  if (text !== null) parsePeriodSecret(text, location);
}

/** Reads all of a data folder. Rejects when there is none. */
export async function verifyFolder(dataDir: string): Promise<CommandOutcome> {
  const folder = resolve(dataDir);
  await mustBeFolder(folder);
  const report = await verifyData(await openFolder(folder));
  const secretFaults = await checkSecret(folder).then(
    () => [],
    (error: unknown) => [{ file: "secret", reason: reasonOf(error) }],
  );
  const faults = [...report.faults, ...secretFaults];
  const faultCount = report.faultCount + secretFaults.length;
  return { isWhole: faultCount === 0, text: `${linesOf(folder, report, faults, faultCount).join("\n")}\n` };
}

/**
 * Copies a data folder to a new or an empty one, and checks the copy. Rejects when something lies there. The generated secret stays
 * behind: a copy of it would outlive its salt period, and link the visitor ids that lie beside it.
 */
export async function backUpFolder(dataDir: string, to: string): Promise<CommandOutcome> {
  const [from, copy] = [resolve(dataDir), resolve(to)];
  await mustBeFolder(from);
  if (!relative(from, copy).startsWith("..")) throw new Error(`${copy} is in the data folder, and would be copied into itself`);
  await makeFolder(copy, 0o700);
  if ((await readdir(copy)).length > 0) throw new Error(`${copy} is not empty; each backup takes a folder of its own`);
  const target = await openFolder(copy);
  const { files, segments, records } = await backUp(await openFolder(from), target);
  await target.segmentLog.close();
  const verified = await verifyFolder(copy);
  return { ...verified, text: `copied ${counted(files, "file")}, ${counted(segments, "journal segment")}, ${counted(records, "record")}\n${verified.text}` };
}
