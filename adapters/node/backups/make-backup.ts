/** Makes a backup: copies a data folder, even one in use, into a new folder of a target that holds the earlier backups. Files that an earlier backup already has are hard-linked to it. */
import { dirname, join, resolve } from "node:path";
import { type BackupTarget, backUp, type BackupReport } from "../../../src/runtime/upkeep/backup.ts";
import { sealIn } from "../../../src/storage/checksum.ts";
import { openStores, mustBeFolder, kindOf, mustBeOutsideBackups, WITHOUT_DATA } from "../data-dir/data-dir.ts";
import { copyFile, digestOf, endOf, isSameContent, type Digest, filesBelow, newFolders, removeTree, syncTree } from "./copied-files.ts";
import { makePrivate, type FileSystem, nodeFileSystem, realPathOf, withParents } from "../files/file-system.ts";
import { type Progress, noProgress, counted, type CommandOutcome } from "../command-output.ts";
import { tryLink, type SoundBackup, beginBackup, removeUnfinished, newestSoundBackup, removeExpired } from "./backup-folders.ts";
import { type ManifestEntry, writeManifest } from "./manifest.ts";
import { createFolder } from "../files/durable-files.ts";
import { FolderLockedError, lockFolder } from "../data-dir/folder-lock.ts";
import { findingsIn, linesOf } from "../data-dir/folder-verification.ts";

/** More than the end of a Parquet file with its checksums. */
const END_BYTES = 4096;

interface BackupCopyOptions extends Pick<Run, "source" | "files" | "progress" | "signal"> {
  /** Exists and is empty. */
  readonly folder: string;
  /** The backup whose files are hard-linked. */
  readonly earlier: SoundBackup | null;
}

class BackupCopy {
  readonly #options: BackupCopyOptions;
  readonly #digests = new Map<string, Digest>();
  /** Files that are linked to those of the earlier backup, which were read and have not changed since they were verified. */
  readonly linked = new Set<string>();
  damagedEarlier = 0;
  readonly #createFolder: (name: string) => Promise<void>;

  constructor(options: BackupCopyOptions) {
    this.#options = options;
    this.#createFolder = newFolders(options.folder, options.files);
  }

  async write<T>(work: (target: BackupTarget) => Promise<T>): Promise<T> {
    const { folder, files } = this.#options;
    const { records, segmentLog } = await openStores(folder, "always", files);
    try {
      return await work({ records, segmentLog, copyObject: (key) => this.#copy(key) });
    } finally {
      await segmentLog.close();
    }
  }

  async entries(): Promise<ManifestEntry[]> {
    const { folder, files } = this.#options;
    const names: string[] = [];
    for await (const { name } of filesBelow(folder, files)) names.push(name);
    const entries: ManifestEntry[] = [];
    for (const name of names.sort()) {
      const digest = this.#digests.get(name) ?? (await digestOf(join(folder, name), files));
      if (digest === null) throw new Error(`${join(folder, name)} has vanished`);
      entries.push({ name, ...digest });
    }
    return entries;
  }

  async #copy(name: string): Promise<boolean> {
    const { source, folder, files, progress, signal } = this.#options;
    signal.throwIfAborted();
    await this.#createFolder(dirname(name));
    const linked = await this.#link(name);
    const digest = linked ?? (await copyFile(join(source, name), join(folder, name), files));
    if (digest === null) return false;
    if (linked) this.linked.add(name);
    this.#digests.set(name, digest);
    progress.fileDone(digest.bytes);
    return true;
  }

  /**
   * Links the earlier backup's file of this name if it is undamaged and its content is that of the source. Files of events never
   * change: two of the same name, length and checksums differ only where one of them is damaged.
   */
  async #link(name: string): Promise<Digest | null> {
    const { source, folder, earlier, files } = this.#options;
    const recorded = earlier?.entries.get(name);
    if (!earlier || !recorded) return null;
    const path = join(earlier.folder, name);
    const seal = await sealOf(join(source, name), files);
    if (seal === null || seal !== (await sealOf(path, files).catch(() => null))) return null;
    const found = await digestOf(path, files).catch(() => null);
    if (found === null || !isSameContent(found, recorded)) {
      this.damagedEarlier++;
      return null;
    }
    return (await tryLink(path, join(folder, name), files)) ? found : null;
  }
}

/** The length of a Parquet file and its checksums; null if there is no such file, or none in it. */
async function sealOf(path: string, files: FileSystem): Promise<string | null> {
  const read = await endOf(path, END_BYTES, files);
  const seal = read && sealIn(read.end);
  return seal === null ? null : `${read?.bytes} ${seal}`;
}

export interface BackupOptions {
  readonly version: string;
  /** Number of backups without faults to keep, including the new one. Default: all. */
  readonly keep?: number | undefined;
  readonly progress?: Progress;
  readonly now?: () => number;
  readonly files?: FileSystem;
  readonly lock?: typeof lockFolder;
}

interface BackupOutcome extends CommandOutcome {
  readonly folder: string;
}

/** The state of a run. Paths are absolute. */
interface Run {
  readonly source: string;
  readonly target: string;
  readonly version: string;
  readonly keep: number | undefined;
  readonly begun: Date;
  readonly files: FileSystem;
  readonly progress: Progress;
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
    const report = [
      ...linesOfCopy(run, folder, copied, copy),
      ...(interrupted > 0 ? [`  removed what ${counted(interrupted, "interrupted backup")} left behind`] : []),
      ...(expired > 0 ? [`  deleted ${counted(expired, "older backup")}`] : []),
      ...lines,
    ];
    return { succeeded: faultCount === 0, folder, text: `${report.join("\n")}\n` };
  } catch (error) {
    // Otherwise a full disk would stay full. What cannot be removed now, the next run removes.
    if (!signal.aborted) await removeTree(unfinished, files).catch(() => {});
    throw error;
  }
}

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
