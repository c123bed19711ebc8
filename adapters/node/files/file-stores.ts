/** The stores of a data folder: objects, records and generated secrets as files below it. */
import { dirname, join } from "node:path";
import { type ObjectKey, type ObjectStore, severalAtOnce, type StoredObject } from "../../../src/storage/object-store.ts";
import { UNFINISHED_SUFFIX, isLeftover, writeDurably, DurableFolders, syncFolder } from "./durable-files.ts";
import {
  entriesOf,
  isMissing,
  nodeFileSystem,
  orIf,
  type FileStatus,
  type FileSystem,
  type FolderEntry,
  isNotFound,
  type OpenFile,
  makePrivate,
} from "./file-system.ts";
import { reasonOf } from "../../../src/runtime/base/metrics/log.ts";
import { RECORD_NAME, recordName, type RecordStore } from "../../../src/storage/record-store.ts";
import {
  SECRET_NAME,
  secretName,
  SECRETS_FOLDER,
  UTC_SECRET,
  type SecretStore,
  type StoredSecret,
} from "../../../src/storage/secret-store.ts";

const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);
const byKey = (a: StoredObject, b: StoredObject): number => (a.key < b.key ? -1 : 1);

/** Entries of one folder that are examined at the same time: each waits for the disk. */
const ENTRIES_AT_ONCE = 16;

interface FileObjectStoreOptions {
  /** This process alone writes there. It then removes unfinished files of a crash when it finds them. */
  readonly isOurs?: boolean;
  readonly files?: FileSystem;
}

/** The object store port: a key is a path below the root. */
export function createFileObjectStore(root: string, { isOurs = false, files = nodeFileSystem }: FileObjectStoreOptions = {}): ObjectStore {
  const folders = new DurableFolders(root, files);

  const pathOf = (key: ObjectKey) => {
    if (key.split("/").some((part) => part === "" || part === "." || part === "..")) {
      throw new Error(`not an object key: ${key}`);
    }
    return join(root, key);
  };

  const entriesIn = (folder: string) => entriesOf(folder, files, isMissing);

  /** Unfinished files of a crash may contain the same events as the deleted file. */
  async function removeLeftovers(folder: string): Promise<void> {
    for (const { name } of await entriesIn(folder)) if (isLeftover(name, files)) await files.rm(join(folder, name));
  }

  /** null if it does not exist. Makes a file private that others may read. */
  async function statusOf(key: ObjectKey): Promise<FileStatus | null> {
    const status = await orIf(isMissing, null, files.stat(pathOf(key)));
    if (isOurs && status) await makePrivate(pathOf(key), status, files);
    return status;
  }

  async function makeAncestorsPrivate(key: ObjectKey): Promise<void> {
    for (let end = key.lastIndexOf("/"); end > 0; end = key.lastIndexOf("/", end - 1)) await statusOf(key.slice(0, end));
  }

  async function listEntry(key: ObjectKey, entry: FolderEntry): Promise<StoredObject[]> {
    if (entry.isDirectory()) return listBelow(key);
    if (!entry.isFile()) return [];
    if (isOurs && isLeftover(entry.name, files)) {
      // A failure is harmless: unfinished files are never listed.
      await files.rm(pathOf(key)).catch(() => {});
      return [];
    }
    if (entry.name.endsWith(UNFINISHED_SUFFIX)) return [];
    const status = await statusOf(key);
    return status ? [{ key, sizeBytes: status.size }] : [];
  }

  async function listBelow(key: ObjectKey): Promise<StoredObject[]> {
    if (isOurs) await statusOf(key);
    const found: StoredObject[] = [];
    await severalAtOnce(await entriesIn(pathOf(key)), ENTRIES_AT_ONCE, async (entry) => {
      for (const object of await listEntry(`${key}/${entry.name}`, entry)) found.push(object);
    });
    return found;
  }

  return {
    get: async (key) => orIf(isMissing, null, files.readFile(pathOf(key))),
    async put(key, bytes) {
      const path = pathOf(key);
      await folders.within(dirname(path), () => writeDurably(path, bytes, files));
    },
    async delete(key) {
      const path = pathOf(key);
      await files.rm(path);
      await removeLeftovers(dirname(path));
      await folders.removeEmpty(dirname(path));
    },
    sync: (folder) => folders.removeEmpty(pathOf(folder)),
    async list(folder) {
      if (isOurs) await makeAncestorsPrivate(folder);
      return (await listBelow(folder)).sort(byKey);
    },
    async folders(folder) {
      return (await entriesIn(pathOf(folder)))
        .filter((entry) => entry.isDirectory())
        .sort(byName)
        .map(({ name }) => name);
    },
  };
}

/**
 * The record store port: one file per record, beside files that are not records. The root must exist. A record that cannot be read rejects;
 * it never counts as missing.
 */
export function createFileRecordStore(root: string, files: FileSystem = nodeFileSystem): RecordStore {
  const folders = new DurableFolders(root, files);

  const pathOf = (name: string): string => join(root, recordName(name));

  /** The names of the records in a folder, which is `""` for the root and else ends with a slash. */
  const namesIn = async (folder: string): Promise<string[]> =>
    (await entriesOf(join(root, folder), files))
      .filter((entry) => entry.isFile())
      .map((entry) => folder + entry.name)
      .filter((name) => RECORD_NAME.test(name));

  async function foldersFor(prefix: string): Promise<string[]> {
    const slash = prefix.indexOf("/");
    if (slash >= 0) return [prefix.slice(0, slash + 1)];
    const found = (await entriesOf(root, files)).filter((entry) => entry.isDirectory()).map(({ name }) => `${name}/`);
    return ["", ...found.filter((folder) => folder.startsWith(prefix))];
  }

  return {
    async read(name) {
      try {
        return await files.readFile(pathOf(name));
      } catch (error) {
        if (isNotFound(error)) return null;
        throw new Error(`${pathOf(name)} cannot be read: ${reasonOf(error)}`, { cause: error });
      }
    },
    async write(name, bytes) {
      const path = pathOf(name);
      await folders.within(dirname(path), () => writeDurably(path, bytes, files));
    },
    async list(prefix) {
      const names: string[] = [];
      for (const folder of await foldersFor(prefix)) names.push(...(await namesIn(folder)));
      return names.filter((name) => name.startsWith(prefix)).sort();
    },
    async remove(name) {
      const path = pathOf(name);
      await files.rm(path);
      await orIf(isNotFound, undefined, syncFolder(dirname(path), files));
    },
  };
}

const UTC_FILE = "secret";

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

/** `writeFile` also creates the file's folder if there is none. */
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

/**
 * The secret store port: a generated secret is overwritten before its file is removed. `secret` is that of UTC; the others are in the folder
 * `secrets`, which the first of them creates.
 */
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
