/** The record store port on the data folder: one file per record. The folder also holds files that are not records. */
import { dirname, join } from "node:path";
import { reasonOf } from "../../../src/runtime/base/metrics/log.ts";
import { RECORD_NAME, recordName, type RecordStore } from "../../../src/storage/record-store.ts";
import { syncFolder, writeDurably } from "./durable-file.ts";
import { DurableFolders } from "./durable-folders.ts";
import { entriesOf, isNotFound, nodeFileSystem, type FileSystem } from "./file-system.ts";

/** The root must exist. A record that cannot be read rejects; it never counts as missing. */
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
      await syncFolder(dirname(path), files).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    },
  };
}
