/** The secret store port on the data folder: a generated secret is overwritten before its file is removed. */
import { dirname, join } from "node:path";
import { reasonOf } from "../../../src/runtime/base/metrics/log.ts";
import {
  SECRET_NAME,
  secretName,
  SECRETS_FOLDER,
  UTC_SECRET,
  type SecretStore,
  type StoredSecret,
} from "../../../src/storage/secret-store.ts";
import { syncFolder, writeDurably } from "./durable-file.ts";
import { DurableFolders } from "./durable-folders.ts";
import { entriesOf, isMissing, isNotFound, nodeFileSystem, type FileSystem, type OpenFile } from "./file-system.ts";

const UTC_FILE = "secret";

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

/** `writeFile` creates the file's folder, too, where there may be none. */
function fileSecret(path: string, files: FileSystem, writeFile: typeof writeDurably): StoredSecret {
  const folder = dirname(path);

  /** null if it does not exist or cannot be written. */
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
        await writeFile(path, new TextEncoder().encode(text), files);
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
        // Without its folder there is no secret.
        if (isNotFound(error)) return;
        throw new Error(`${path} cannot be removed: ${reasonOf(error)}`, { cause: error });
      }
    },
  };
}

/** `secret` is that of UTC; the others are in the folder `secrets`, which the first of them creates. */
export function createFileSecretStore(root: string, files: FileSystem = nodeFileSystem): SecretStore {
  const folder = join(root, SECRETS_FOLDER);
  const folders = new DurableFolders(root, files);
  const writeInFolder: typeof writeDurably = (path, bytes) => folders.within(folder, () => writeDurably(path, bytes, files));
  return {
    async names() {
      const others = (await entriesOf(folder, files, isMissing)).map(({ name }) => name).filter((name) => SECRET_NAME.test(name));
      const hasUtc = (await entriesOf(root, files)).some(({ name }) => name === UTC_FILE);
      return [...others.filter((name) => name !== UTC_SECRET), ...(hasUtc ? [UTC_SECRET] : [])].sort();
    },
    secret: (name) =>
      name === UTC_SECRET
        ? fileSecret(join(root, UTC_FILE), files, writeDurably)
        : fileSecret(join(folder, secretName(name)), files, writeInFolder),
  };
}
