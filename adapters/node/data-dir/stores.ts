/** Opens the stores of a data folder, or of a copy of one, without its lock: a running process may be using it. */
import { join } from "node:path";
import type { Config } from "../../../src/runtime/base/config/config.ts";
import { createFileObjectStore } from "../files/file-object-store.ts";
import { createFileRecordStore } from "../files/file-record-store.ts";
import { JOURNAL_FOLDER, openFileSegmentLog } from "../files/file-segment-log.ts";
import { isNotFound, type FileSystem } from "../files/file-system.ts";

export async function openStores(folder: string, fsync: Config["journalFsync"], files: FileSystem) {
  return {
    objects: createFileObjectStore(folder, { files }),
    records: createFileRecordStore(folder, files),
    segmentLog: await openFileSegmentLog(join(folder, JOURNAL_FOLDER), fsync, files),
  };
}

/** Rejects if there is no such folder. */
export async function mustBeFolder(folder: string, files: FileSystem): Promise<void> {
  const status = await files.stat(folder).catch((error: unknown) => {
    throw isNotFound(error) ? new Error(`${folder} does not exist`, { cause: error }) : error;
  });
  if (!status.isDirectory()) throw new Error(`${folder} is not a folder`);
}
