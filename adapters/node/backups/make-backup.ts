/** Makes a backup: copies a data folder, also one in use, into a new folder of a target that has the earlier backups. */
import { resolve } from "node:path";
import { backUp, type BackupReport } from "../../../src/runtime/upkeep/backup.ts";
import { BackupCopy } from "./backup-copy.ts";
import { beginBackup, removeUnfinished } from "./backup-folders.ts";
import { newestSoundBackup, removeExpired } from "./earlier-backups.ts";
import { removeTree, syncTree } from "./folder-tree.ts";
import { writeManifest } from "./manifest.ts";
import { mustBeFolder, openStores } from "../data-dir/stores.ts";
import { createFolder } from "../files/durable-folders.ts";
import { makePrivate } from "../files/file-permissions.ts";
import { nodeFileSystem, type FileSystem } from "../files/file-system.ts";
import { kindOf, mustBeOutsideBackups, WITHOUT_DATA } from "../data-dir/folder-kind.ts";
import { realPathOf, withParents } from "../files/real-path.ts";
import { FolderLockedError, lockFolder } from "../data-dir/folder-lock.ts";
import { noProgress, type Progress } from "../progress.ts";
import { counted } from "../counts.ts";
import type { CommandOutcome } from "../outcome.ts";
import { findingsIn, linesOf } from "../data-dir/folder-verification.ts";

export interface BackupOptions {
  /** The version of this program. */
  readonly version: string;
  /** How many backups without faults are kept, with the new one. Default: all. */
  readonly keep?: number | undefined;
  readonly progress?: Progress;
  readonly now?: () => number;
  readonly files?: FileSystem;
  readonly lock?: typeof lockFolder;
}

export interface BackupOutcome extends CommandOutcome {
  /** The new backup. */
  readonly folder: string;
}

/** What a run knows. Paths are absolute. */
interface Run {
  readonly source: string;
  readonly target: string;
  readonly version: string;
  readonly keep: number | undefined;
  readonly begun: Date;
  readonly files: FileSystem;
  readonly progress: Progress;
  /** Aborted when another process has taken the target. */
  readonly signal: AbortSignal;
}

/**
 * Makes a backup in a new folder of the target, named by the UTC time, and verifies it. The generated secret is not copied: the copy
 * would outlive its salt period, and link the visitor ids beside it to visitors. Removes what an interrupted run left in the target.
 * Rejects if the source is not a data folder, or if another run is using the target.
 */
export async function backUpFolder(dataDir: string, to: string, options: BackupOptions): Promise<BackupOutcome> {
  const { version, keep, progress = noProgress, now = Date.now, files = nodeFileSystem, lock = lockFolder } = options;
  const [source, target] = [resolve(dataDir), resolve(to)];
  await mustBeDataFolder(source, files);
  await mustBeTarget(target, source, files);
  await createTarget(target, files);
  const lost = new AbortController();
  const onLost = () => lost.abort(new Error(`another process has taken ${target} while this one was paused`));
  const held = await lock(target, onLost).catch((error: unknown) => {
    throw error instanceof FolderLockedError ? new Error(`another backup into ${target} is running`, { cause: error }) : error;
  });
  try {
    return await makeBackup({ source, target, version, keep, begun: new Date(now()), files, progress, signal: lost.signal });
  } finally {
    progress.end();
    await held.release();
  }
}

const NO_SOURCE = { ...WITHOUT_DATA, backup: "is a backup itself", "unfinished restore": "has an unfinished restore" };

async function mustBeDataFolder(source: string, files: FileSystem): Promise<void> {
  await mustBeFolder(source, files);
  const kind = await kindOf(source, files);
  if (kind === "data folder") return;
  throw new Error(`${source} ${NO_SOURCE[kind]}. Set data_dir to the folder that Sandpiper uses`);
}

async function mustBeTarget(target: string, source: string, files: FileSystem): Promise<void> {
  if ((await withParents(target, files)).includes(await realPathOf(source, files)))
    throw new Error(`${target} is inside the data folder, which would be copied into itself`);
  const kind = await kindOf(target, files);
  if (kind !== "empty" && kind !== "other")
    throw new Error(`${target} is itself a ${kind}. Name a folder for backups: each gets a folder of its own in it`);
  await mustBeOutsideBackups(target, files);
}

/** A new or empty folder becomes private; one with other files keeps its permissions. */
async function createTarget(target: string, files: FileSystem): Promise<void> {
  await createFolder(target, files);
  if ((await files.readdir(target)).length === 0) await makePrivate(target, await files.stat(target), files);
}

async function makeBackup(run: Run): Promise<BackupOutcome> {
  const { target, files, signal } = run;
  const interrupted = await removeUnfinished(target, files);
  const { folder: unfinished, finish } = await beginBackup(target, run.begun, files);
  try {
    const { copied, copy, faultCount, lines } = await fill(unfinished, run);
    signal.throwIfAborted();
    const folder = await finish();
    const expired = faultCount === 0 && run.keep !== undefined ? await removeExpired(target, run.source, run.keep, files) : 0;
    const told = [...linesOfCopy(run, folder, copied, copy), ...linesOfRemoved(interrupted, expired), ...lines];
    return { succeeded: faultCount === 0, folder, text: `${told.join("\n")}\n` };
  } catch (error) {
    // Otherwise a full disk would stay full. What cannot be removed now, the next run removes.
    if (!signal.aborted) await removeTree(unfinished, files).catch(() => {});
    throw error;
  }
}

/** Makes the content of a backup in an empty folder, durably. */
async function fill(folder: string, { source, target, version, begun, files, progress, signal }: Run) {
  const copy = new BackupCopy({ source, folder, earlier: await newestSoundBackup(target, files), files, progress, signal });
  progress.begin("copying");
  const from = await openStores(source, "off", files);
  const copied = await copy.write((to) => backUp(from, to));
  const entries = await copy.entries();
  const findings = await findingsIn(folder, { files, progress, isVerified: (key) => copy.linked.has(key) });
  const { report, faultCount: faults } = findings;
  const [sites, events] = [report.sites, report.events + report.unflushedEvents];
  await writeManifest(folder, { version, createdAt: begun.toISOString(), source, sites, events, faults }, entries, files);
  await syncTree(folder, files);
  return { copied, copy, faultCount: faults, lines: linesOf(findings) };
}

function linesOfCopy({ source }: Run, folder: string, { files, segments, records }: BackupReport, copy: BackupCopy): string[] {
  const { linked, damagedEarlier } = copy;
  return [
    `copied ${source} to ${folder}`,
    `  ${counted(files, "file")} of events, ${counted(linked.size, "file")} of them linked to the previous backup`,
    `  ${counted(segments, "journal segment")}, ${counted(records, "record")}`,
    ...(damagedEarlier > 0
      ? [`  ${counted(damagedEarlier, "file")} of the previous backup cannot be read or have changed; copied again`]
      : []),
  ];
}

function linesOfRemoved(interrupted: number, expired: number): string[] {
  return [
    ...(interrupted > 0 ? [`  removed what ${counted(interrupted, "interrupted backup")} left behind`] : []),
    ...(expired > 0 ? [`  deleted ${counted(expired, "older backup")}`] : []),
  ];
}
