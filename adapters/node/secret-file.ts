/** The generated secret of visitor ids as a file of the data folder: its owner alone may read it, and it is overwritten before it goes. */
import { open, readFile, rm, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { reasonOf } from "../../src/runtime/log.ts";
import type { SecretStore } from "../../src/storage/secret-store.ts";
import { syncFolder, writeDurably } from "./durable-file.ts";

const SECRET_FILE = "secret";
const FILE_MODE = 0o600;

/** More than was ever written to one. */
const OVERWRITTEN_BYTES_MAX = 4096;

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";

/** null when it cannot be overwritten: it is not there, or takes no writes. */
const openOld = (path: string): Promise<FileHandle | null> => open(path, "r+").catch(() => null);

/** What cannot be overwritten, as on a full copy-on-write file system, is removed nevertheless. docs/operations.md says what a disk may keep. */
async function overwriteAndClose(file: FileHandle | null): Promise<void> {
  if (file === null) return;
  try {
    const { size } = await file.stat();
    await file.write(new Uint8Array(Math.min(size, OVERWRITTEN_BYTES_MAX)), 0, null, 0);
    await file.sync();
  } catch {
    // Its name goes in any case, and the secret is used no more.
  } finally {
    await file.close();
  }
}

export function createFileSecretStore(folder: string): SecretStore {
  const path = join(folder, SECRET_FILE);
  return {
    location: path,
    async read() {
      let bytes: Uint8Array;
      try {
        bytes = await readFile(path);
        // A process that was killed may have renamed it and not yet made that durable.
        await syncFolder(folder);
      } catch (error) {
        if (isMissing(error)) return null;
        throw new Error(`${path} cannot be read: ${reasonOf(error)}`, { cause: error });
      }
      // Zeros are left by a process, or a machine, that stopped between overwriting and removing it: all of them, or some.
      return bytes.length === 0 || bytes.includes(0) ? null : new TextDecoder().decode(bytes);
    },
    async write(text) {
      const old = await openOld(path);
      try {
        await writeDurably(path, new TextEncoder().encode(text), FILE_MODE);
      } catch (error) {
        await old?.close();
        throw error;
      }
      await overwriteAndClose(old);
    },
    async erase() {
      await overwriteAndClose(await openOld(path));
      try {
        await rm(path, { force: true });
        await syncFolder(folder);
      } catch (error) {
        throw new Error(`${path} cannot be removed: ${reasonOf(error)}`, { cause: error });
      }
    },
  };
}
