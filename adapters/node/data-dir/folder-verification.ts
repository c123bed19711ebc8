/** Reads and checks everything in a data folder or a backup, even while a process uses it, and describes the findings in lines of text. */
import { relative, resolve } from "node:path";
import { parsePeriodSecret } from "../../../src/runtime/ingest/visitor-salt.ts";
import type { RollupCounts } from "../../../src/runtime/upkeep/rollup-verification.ts";
import { verifyData, type Fault, type VerificationOptions } from "../../../src/runtime/upkeep/verification.ts";
import { reasonOf } from "../../../src/runtime/base/metrics/log.ts";
import type { ObjectStore } from "../../../src/storage/object-store.ts";
import { isImportSecret } from "../../../src/storage/secret-store.ts";
import { checkBackup, MANIFEST_FILE, readManifest } from "../backups/manifest.ts";
import { counted, formatCount, listed, noProgress, type CommandOutcome, type Progress } from "../command-output.ts";
import { kindOf, mustBeFolder, openStores, RESTORE_MARKER, WITHOUT_DATA } from "./data-dir.ts";
import { createFileSecretStore } from "../files/file-stores.ts";
import { nodeFileSystem, type FileSystem } from "../files/file-system.ts";

function rollupLinesOf({ rollups, compared, outdated, uncompared, uncomparedReason }: RollupCounts): string[] {
  if (rollups === 0) return [];
  return [
    `  ${counted(rollups, "rollup")}: ${formatCount(compared)} compared with the events, ${formatCount(outdated)} outdated`,
    ...(uncompared > 0 ? [`  ${counted(uncompared, "rollup")} that could not be compared: ${uncomparedReason}`] : []),
  ];
}

/** `faults`: only the first of them. */
type Findings = Awaited<ReturnType<typeof findingsIn>>;

export function linesOf({ report, faults, faultCount }: Findings): string[] {
  const { events, hiddenEvents, files, bytes, days, sites, unflushedEvents, segments, tornSegments, supersededFiles, rollups } = report;
  return [
    `  ${counted(sites, "site")}, ${counted(days, "day")} of sites, ${counted(files, "file")} of ${formatCount(bytes)} bytes, ${counted(events, "event")}`,
    ...(hiddenEvents > 0 ? [`  ${counted(hiddenEvents, "event")} of them under the other name of a site that is renamed or merged`] : []),
    `  journal: ${counted(segments, "segment")}, ${counted(unflushedEvents, "event")} in no file yet`,
    ...(tornSegments > 0 ? [`  ${counted(tornSegments, "segment")} with half a line at the end, which was never acknowledged`] : []),
    ...rollupLinesOf(rollups),
    ...(supersededFiles > 0 ? [`  ${counted(supersededFiles, "file")} that a merge has superseded and that count no more`] : []),
    faultCount === 0 ? "  no fault" : `  ${counted(faultCount, "fault")}:`,
    ...listed(
      faults.map(({ file, reason }) => `${file}: ${reason}`),
      faultCount,
    ),
  ];
}

/** A folder without secrets is fine: a backup has none, and neither has an instance with a configured secret. */
async function faultsOfSecrets(folder: string, files: FileSystem): Promise<Fault[]> {
  const store = createFileSecretStore(folder, files);
  const faults: Fault[] = [];
  for (const name of (await store.names()).filter((each) => !isImportSecret(each))) {
    const { read, location } = store.secret(name);
    try {
      const text = await read();
      if (text !== null) parsePeriodSecret(text, location);
    } catch (error) {
      faults.push({ file: relative(folder, location), reason: reasonOf(error) });
    }
  }
  return faults;
}

/** Faults for which `restore` would refuse a backup, and for which the program refuses to serve an unfinished restore. */
async function faultsOfKind(folder: string, files: FileSystem, progress: Progress): Promise<Fault[]> {
  const kind = await kindOf(folder, files);
  if (kind === "unfinished restore") return [{ file: RESTORE_MARKER, reason: "a restore was interrupted; run it again" }];
  if (kind !== "backup") return [];
  try {
    return await checkBackup(folder, await readManifest(folder, files), files, progress);
  } catch (error) {
    return [{ file: MANIFEST_FILE, reason: reasonOf(error) }];
  }
}

export interface FolderVerificationOptions extends VerificationOptions {
  readonly files?: FileSystem;
  readonly progress?: Progress;
}

/** Reads and checks everything in a data folder; rollups only with options for them. */
export async function findingsIn(
  folder: string,
  { files = nodeFileSystem, progress = noProgress, ...options }: FolderVerificationOptions = {},
) {
  const stores = await openStores(folder, "off", files);
  progress.begin("verifying");
  const report = await verifyData({ ...stores, objects: countingReads(stores.objects, progress) }, options);
  const more = [...(await faultsOfSecrets(folder, files)), ...(await faultsOfKind(folder, files, progress))];
  progress.end();
  return { report, faults: [...report.faults, ...more], faultCount: report.faultCount + more.length };
}

const countingReads = (objects: ObjectStore, progress: Progress): ObjectStore => ({
  ...objects,
  async get(key) {
    const bytes = await objects.get(key);
    if (bytes !== null) progress.fileDone(bytes.length);
    return bytes;
  },
});

/** Verifies a data folder or a backup; rollups only with options for them. Rejects if it does not exist or has no data. */
export async function verifyFolder(dataDir: string, options: FolderVerificationOptions = {}): Promise<CommandOutcome> {
  const folder = resolve(dataDir);
  const { files = nodeFileSystem } = options;
  await mustBeFolder(folder, files);
  const kind = await kindOf(folder, files);
  if (kind === "empty" || kind === "other") throw new Error(`${folder} ${WITHOUT_DATA[kind]}. Set data_dir to a data folder or a backup`);
  const findings = await findingsIn(folder, options);
  return { succeeded: findings.faultCount === 0, text: `${[folder, ...linesOf(findings)].join("\n")}\n` };
}
