/** Restores a backup: checks it by its manifest, and copies it into an empty data folder. */
import { dirname, join, resolve } from "node:path";
import type { Fault } from "../../../src/runtime/upkeep/verification.ts";
import { checkBackup, readManifest, type Manifest } from "./manifest.ts";
import { backupNames } from "./backup-folders.ts";
import { newFolders, removeContent, syncTree, copyFile, isSameContent } from "./copied-files.ts";
import { mustBeFolder, isNoData, kindOf, mustBeOutsideBackups, RESTORE_MARKER } from "../data-dir/data-dir.ts";
import { syncFolder, writeDurably, createFolder } from "../files/durable-files.ts";
import { nodeFileSystem, type FileSystem } from "../files/file-system.ts";
import { lockFolder } from "../data-dir/folder-lock.ts";
import { noProgress, type Progress, counted, listed, type CommandOutcome } from "../command-output.ts";
import { findingsIn, linesOf } from "../data-dir/folder-verification.ts";

interface RestoreOptions {
  readonly progress?: Progress;
  readonly files?: FileSystem;
  readonly lock?: typeof lockFolder;
}

const LISTED_MAX = 20;

/** Paths are absolute. */
interface Restore {
  readonly from: string;
  readonly to: string;
  readonly manifest: Manifest;
  readonly files: FileSystem;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/**
 * Copies a backup, or the newest one of a folder with backups, into an empty data folder, which is locked meanwhile. Rejects before it
 * writes anything there if the folder is in use or not empty, or if the backup differs from its manifest. After an interruption the
 * program refuses to serve the folder, and the same restore completes it.
 */
export async function restoreFolder(backup: string, dataDir: string, options: RestoreOptions = {}): Promise<CommandOutcome> {
  const { progress = noProgress, files = nodeFileSystem, lock = lockFolder } = options;
  const [from, to] = [await findBackup(resolve(backup), files), resolve(dataDir)];
  const manifest = await readManifest(from, files);
  await mustBeOutsideBackups(to, files);
  // Before everything is read, because that takes long. Once more under the lock.
  await mustBeFree(to, files, lock);
  try {
    const differences = await checkBackup(from, manifest, files, progress);
    if (differences.length > 0) throw new Error(messageOf(from, differences));
    await createFolder(to, files);
    const lost = new AbortController();
    const held = await lock(to, () => lost.abort(new Error(`another process has taken ${to} while this one was paused`)));
    try {
      await mustBeEmpty(to, files);
      return await restore({ from, to, manifest, files, progress, signal: lost.signal });
    } finally {
      await held.release();
    }
  } finally {
    progress.end();
  }
}

async function findBackup(folder: string, files: FileSystem): Promise<string> {
  await mustBeFolder(folder, files);
  const kind = await kindOf(folder, files);
  if (kind === "backup") return folder;
  const newest = (await backupNames(folder, files)).at(-1);
  if (newest !== undefined) return join(folder, newest);
  if (kind !== "data folder") throw new Error(`${folder} is not a backup and contains none`);
  throw new Error(
    `${folder} is a data folder, not a backup: it has no manifest to check it by. To use it, copy it to the data folder and run verify`,
  );
}

/**
 * Checks like `mustBeEmpty`, but rejects with a `FolderLockedError` if a process is using the folder, which explains why it is not empty.
 */
async function mustBeFree(to: string, files: FileSystem, lock: typeof lockFolder): Promise<void> {
  try {
    await mustBeEmpty(to, files);
  } catch (error) {
    await (await lock(to, () => {})).release();
    throw error;
  }
}

async function mustBeEmpty(to: string, files: FileSystem): Promise<void> {
  const kind = await kindOf(to, files);
  if (kind === "empty" || kind === "unfinished restore") return;
  throw new Error(`the data folder ${to} is not empty. Move it away first: restore does not mix data folders`);
}

function messageOf(from: string, differences: readonly Fault[]): string {
  const first = differences.slice(0, LISTED_MAX).map(({ file, reason }) => `${file}: ${reason}`);
  return [`${from} differs from its manifest, so nothing was restored:`, ...listed(first, differences.length)].join("\n");
}

async function restore(run: Restore): Promise<CommandOutcome> {
  const { from, to, manifest, files, progress } = run;
  await writeDurably(join(to, RESTORE_MARKER), new TextEncoder().encode(`${from}\n`), files);
  // What an interrupted restore has copied, perhaps of another backup.
  await removeContent(to, files, (name) => name === RESTORE_MARKER || isNoData(name));
  await copyAll(run);
  await syncTree(to, files);
  await files.rm(join(to, RESTORE_MARKER));
  await syncFolder(to, files);
  const findings = await findingsIn(to, { files, progress });
  const { createdAt, source, version } = manifest.header;
  const lines = [
    `restored ${from} to ${to}`,
    `  made of ${source} at ${createdAt} by version ${version}, ${counted(manifest.entries.size, "file")}`,
    ...linesOf(findings),
    "Start Sandpiper now. Visitors of the current salt period are counted again when they return.",
    "Rollups are rebuilt after the start, newest days first. Until then, reports over long ranges read the events and take longer.",
    `Repeat the deletions that were made since ${createdAt}; retention_days repeats its own.`,
  ];
  return { succeeded: findings.faultCount === 0, text: `${lines.join("\n")}\n` };
}

async function copyAll({ from, to, manifest, files, progress, signal }: Restore): Promise<void> {
  const createFolderOf = newFolders(to, files);
  progress.begin("restoring", manifest.entries.size);
  for (const [name, recorded] of manifest.entries) {
    signal.throwIfAborted();
    await createFolderOf(dirname(name));
    const copied = await copyFile(join(from, name), join(to, name), files);
    if (copied === null || !isSameContent(copied, recorded)) throw new Error(`${join(from, name)} changed while it was restored`);
    progress.fileDone(recorded.bytes);
  }
}
