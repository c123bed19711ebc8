/** The copy of a data folder in a backup: files that an earlier backup has already are hard-linked to it, all others are copied. */
import { dirname, join } from "node:path";
import type { BackupTarget } from "../../../src/runtime/upkeep/backup.ts";
import { sealIn } from "../../../src/storage/parquet-seal.ts";
import { openStores } from "../data-dir/stores.ts";
import { copyFile, digestOf, endOf, isSameContent, type Digest } from "../files/file-content.ts";
import type { FileSystem } from "../files/file-system.ts";
import type { Progress } from "../progress.ts";
import { tryLink } from "./backup-folders.ts";
import { filesBelow, newFolders } from "./folder-tree.ts";
import type { SoundBackup } from "./earlier-backups.ts";
import type { ManifestEntry } from "./manifest.ts";

/** More than the end of a Parquet file with its checksums. */
const END_BYTES = 4096;

export interface BackupCopyOptions {
  readonly source: string;
  /** Exists and is empty. */
  readonly folder: string;
  /** The backup whose files are hard-linked. */
  readonly earlier: SoundBackup | null;
  readonly files: FileSystem;
  readonly progress: Progress;
  /** Aborted when the target belongs to another process. */
  readonly signal: AbortSignal;
}

export class BackupCopy {
  readonly #options: BackupCopyOptions;
  readonly #digests = new Map<string, Digest>();
  /** Files that are linked to those of the earlier backup, which were read and have not changed since they were verified. */
  readonly linked = new Set<string>();
  /** Files of the earlier backup that are damaged. */
  damagedEarlier = 0;
  readonly #createFolder: (name: string) => Promise<void>;

  constructor(options: BackupCopyOptions) {
    this.#options = options;
    this.#createFolder = newFolders(options.folder, options.files);
  }

  /** Writes to the copy while the work runs. */
  async write<T>(work: (target: BackupTarget) => Promise<T>): Promise<T> {
    const { folder, files } = this.#options;
    const { records, segmentLog } = await openStores(folder, "always", files);
    try {
      return await work({ records, segmentLog, copyObject: (key) => this.#copy(key) });
    } finally {
      await segmentLog.close();
    }
  }

  /** All files of the copy, by name. */
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
