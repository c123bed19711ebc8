/** The generated secret of visitor ids as a file of the data folder: it is overwritten before it goes. */
import { join } from "node:path";
import { reasonOf } from "../../src/runtime/metrics/log.ts";
import type { SecretStore } from "../../src/storage/secret-store.ts";
import { syncFolder, writeDurably } from "./durable-file.ts";
import { codeOf, nodeFileSystem, type FileSystem, type OpenFile } from "./file-system.ts";

const SECRET_FILE = "secret";

/** More than was ever written to one. */
const OVERWRITTEN_BYTES_MAX = 4096;

/** What cannot be overwritten, as on a full copy-on-write file system, is removed nevertheless. docs/privacy.md says what a disk may keep. */
async function overwriteAndClose(file: OpenFile | null): Promise<void> {
  if (file === null) return;
  try {
    const { size } = await file.stat();
    const zeros = new Uint8Array(Math.min(size, OVERWRITTEN_BYTES_MAX));
    file.writeSync(zeros, 0, zeros.length, 0);
    await file.sync();
  } catch {
    // Its name goes in any case, and the secret is used no more.
  } finally {
    await file.close();
  }
}

export function createFileSecretStore(folder: string, files: FileSystem = nodeFileSystem): SecretStore {
  const path = join(folder, SECRET_FILE);

  /** null when it cannot be overwritten: it is not there, or takes no writes. */
  const openOld = (): Promise<OpenFile | null> => files.open(path, "r+").catch(() => null);

  return {
    location: path,
    async read() {
      let bytes: Uint8Array;
      try {
        bytes = await files.readFile(path);
        // A process that was killed may have renamed it and not yet made that durable.
        await syncFolder(folder, files);
      } catch (error) {
        if (codeOf(error) === "ENOENT") return null;
        throw new Error(`${path} cannot be read: ${reasonOf(error)}`, { cause: error });
      }
      // Zeros are left by a process, or a machine, that stopped between overwriting and removing it: all of them, or some.
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
