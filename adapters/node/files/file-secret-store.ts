/** The secret store port on the data folder: the generated secret is overwritten before its file is removed. */
import { join } from "node:path";
import { reasonOf } from "../../../src/runtime/metrics/log.ts";
import type { SecretStore } from "../../../src/storage/secret-store.ts";
import { syncFolder, writeDurably } from "./durable-file.ts";
import { isNotFound, nodeFileSystem, type FileSystem, type OpenFile } from "./file-system.ts";

const SECRET_FILE = "secret";

/** Larger than any secret ever written. */
const OVERWRITTEN_BYTES_MAX = 4096;

/**
 * A file that cannot be overwritten, as on a full copy-on-write file system, is removed nevertheless. docs/privacy.md,
 * "Where the secret may survive", says what a disk may keep.
 */
async function overwriteAndClose(file: OpenFile | null): Promise<void> {
  if (file === null) return;
  try {
    const { size } = await file.stat();
    const zeros = new Uint8Array(Math.min(size, OVERWRITTEN_BYTES_MAX));
    file.writeSync(zeros, 0, zeros.length, 0);
    await file.sync();
  } catch {
    // The caller removes or has replaced the file, and the secret is no longer used.
  } finally {
    await file.close();
  }
}

export function createFileSecretStore(folder: string, files: FileSystem = nodeFileSystem): SecretStore {
  const path = join(folder, SECRET_FILE);

  /** Null if it does not exist or cannot be written. */
  const openOld = (): Promise<OpenFile | null> => files.open(path, "r+").catch(() => null);

  return {
    location: path,
    async read() {
      let bytes: Uint8Array;
      try {
        bytes = await files.readFile(path);
        // A killed process may have renamed the file without syncing the folder.
        await syncFolder(folder, files);
      } catch (error) {
        if (isNotFound(error)) return null;
        throw new Error(`${path} cannot be read: ${reasonOf(error)}`, { cause: error });
      }
      // A process or machine that stopped between overwriting and removing the file leaves some or all bytes zero.
      return bytes.length === 0 || bytes.includes(0) ? null : new TextDecoder().decode(bytes);
    },
    async write(text) {
      const old = await openOld();
      try {
        await writeDurably(path, new TextEncoder().encode(text), files);
      } catch (error) {
        await old?.close();
        throw error;
      }
      await overwriteAndClose(old);
    },
    async erase() {
      await overwriteAndClose(await openOld());
      try {
        await files.rm(path);
        await syncFolder(folder, files);
      } catch (error) {
        throw new Error(`${path} cannot be removed: ${reasonOf(error)}`, { cause: error });
      }
    },
  };
}
