/** Records as files of the data folder that only their owner may read. They share it with files that are no records. */
import { dirname, join } from "node:path";
import { reasonOf } from "../../src/runtime/metrics/log.ts";
import { RECORD_NAME, recordName, type RecordStore } from "../../src/storage/record-store.ts";
import { syncFolder, writeDurably } from "./durable-file.ts";
import { DurableFolders } from "./durable-folders.ts";
import { codeOf, nodeFileSystem, type FileSystem, type FolderEntry } from "./file-system.ts";

const isMissing = (error: unknown): boolean => codeOf(error) === "ENOENT";

/** The root must be there. */
export function createFileRecordStore(root: string, files: FileSystem = nodeFileSystem): RecordStore {
  const folders = new DurableFolders(root, files);

  const pathOf = (name: string): string => join(root, recordName(name));

  async function entriesOf(folder: string): Promise<FolderEntry[]> {
    try {
      return await files.readdir(folder);
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  /** Names of the records in a folder: `""` for the root, else its name and a slash. */
  const namesIn = async (folder: string): Promise<string[]> =>
    (await entriesOf(join(root, folder)))
      .filter((entry) => entry.isFile())
      .map((entry) => folder + entry.name)
      .filter((name) => RECORD_NAME.test(name));

  async function foldersFor(prefix: string): Promise<string[]> {
    const slash = prefix.indexOf("/");
    if (slash >= 0) return [prefix.slice(0, slash + 1)];
    const found = (await entriesOf(root)).filter((entry) => entry.isDirectory()).map(({ name }) => `${name}/`);
    return ["", ...found.filter((folder) => folder.startsWith(prefix))];
  }

  return {
    async read(name) {
      try {
        return await files.readFile(pathOf(name));
      } catch (error) {
        if (isMissing(error)) return null;
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
        if (!isMissing(error)) throw error;
      });
    },
  };
}
