/** What a folder is: a data folder, a backup, an unfinished restore, or something that is not Sandpiper's. */
import { join } from "node:path";
import { parsePeriodSecret } from "../../../src/runtime/ingest/period-secret.ts";
import { EVENTS_FOLDER, SITE_FOLDER_PREFIX } from "../../../src/storage/partition-path.ts";
import { MANIFEST_FILE } from "../backups/manifest.ts";
import { isTemporary } from "../files/durable-file.ts";
import { createFileSecretStore } from "../files/file-secret-store.ts";
import { isSegmentFile, JOURNAL_FOLDER } from "../files/file-segment-log.ts";
import { entriesOf, isMissing, type FileSystem } from "../files/file-system.ts";
import { withParents } from "../files/real-path.ts";

/** Marks a data folder into which a backup is being restored. While it exists, nothing else in the folder may be used. */
export const RESTORE_MARKER = "restore.unfinished";

/** Why a folder without data is refused. */
export const WITHOUT_DATA = { empty: "is empty", other: "is not a data folder: it has neither events nor a secret" };

export type FolderKind = "data folder" | "backup" | "unfinished restore" | "empty" | "other";

/** The lock, and what file systems keep in the root of a volume: they are no data. */
export const isNoData = (name: string): boolean => /^lock(\.next)*$|^lost\+found$/.test(name);

/** True if an instance has generated a secret there. */
async function hasSecret(folder: string, files: FileSystem): Promise<boolean> {
  const store = createFileSecretStore(folder, files);
  try {
    const texts = await Promise.all((await store.names()).map((name) => store.secret(name).read()));
    return texts.some((text) => text !== null && parsePeriodSecret(text, folder) !== null);
  } catch {
    return false;
  }
}

/** The kind of an existing folder; "empty" if it does not exist. */
export async function kindOf(folder: string, files: FileSystem): Promise<FolderKind> {
  const names = (await entriesOf(folder, files)).map(({ name }) => name).filter((name) => !isNoData(name) && !isTemporary(name));
  if (names.length === 0) return "empty";
  if (names.includes(RESTORE_MARKER)) return "unfinished restore";
  if (names.includes(MANIFEST_FILE)) return "backup";
  const isIn = async (name: string, isOurs: (name: string) => boolean) =>
    names.includes(name) && (await entriesOf(join(folder, name), files, isMissing)).some((entry) => isOurs(entry.name));
  // Every start creates a journal segment before it listens. A folder that was copied from a bucket has events only.
  const isData =
    (await isIn(JOURNAL_FOLDER, isSegmentFile)) ||
    (await isIn(EVENTS_FOLDER, (name) => name.startsWith(SITE_FOLDER_PREFIX))) ||
    (await hasSecret(folder, files));
  return isData ? "data folder" : "other";
}

/** The folder holds something that must not be served. */
export class UnusableFolderError extends Error {
  override readonly name = "UnusableFolderError";
}

/** Rejects with an `UnusableFolderError` if the program must not serve the folder. */
export async function mustBeUsable(folder: string, files: FileSystem): Promise<void> {
  const kind = await kindOf(folder, files);
  if (kind === "unfinished restore") {
    throw new UnusableFolderError(`a restore into the data folder ${folder} was interrupted. Run it again to complete it`);
  }
  if (kind === "backup") {
    throw new UnusableFolderError(`${folder} (data_dir) is a backup. Set data_dir to another folder, and restore the backup into it`);
  }
}

/** Rejects if the path is inside a backup: what is written there would change the backup. */
export async function mustBeOutsideBackups(path: string, files: FileSystem): Promise<void> {
  const [, ...parents] = await withParents(path, files);
  for (const parent of parents) {
    const isBackup = await files.stat(join(parent, MANIFEST_FILE)).then(
      (status) => !status.isDirectory(),
      () => false,
    );
    if (isBackup) throw new Error(`${path} is inside the backup ${parent}. Name a folder outside of it`);
  }
}
