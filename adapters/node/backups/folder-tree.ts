/** Whole folders: the files below one, creating those below it, making all names durable, and removing it. */
import { dirname, join } from "node:path";
import { syncFolder } from "../files/durable-file.ts";
import { codeOf, type FileSystem } from "../files/file-system.ts";

export interface TreeFile {
  /** The path below the folder, with slashes. */
  readonly name: string;
  /** False for links, pipes and devices. */
  readonly isRegular: boolean;
}

/** All that is no folder below a folder. */
export async function* filesBelow(folder: string, files: FileSystem, prefix = ""): AsyncGenerator<TreeFile> {
  for (const entry of await files.readdir(join(folder, prefix))) {
    const name = `${prefix}${entry.name}`;
    if (entry.isDirectory()) yield* filesBelow(folder, files, `${name}/`);
    else yield { name, isRegular: entry.isFile() };
  }
}

/** Creates folders below a new one, with their parents. They become durable by `syncTree`. */
export function newFolders(root: string, files: FileSystem): (name: string) => Promise<void> {
  const created = new Set<string>(["."]);
  return async function create(name): Promise<void> {
    if (created.has(name)) return;
    await create(dirname(name));
    await files.mkdir(join(root, name)).catch((error: unknown) => {
      if (codeOf(error) !== "EEXIST") throw error;
    });
    created.add(name);
  };
}

/** Makes the names in a folder and in all folders below it durable. */
export async function syncTree(folder: string, files: FileSystem): Promise<void> {
  for (const entry of await files.readdir(folder)) if (entry.isDirectory()) await syncTree(join(folder, entry.name), files);
  await syncFolder(folder, files);
}

/** Removes a folder and everything in it. */
export async function removeTree(folder: string, files: FileSystem): Promise<void> {
  await removeContent(folder, files);
  await files.rmdir(folder);
}

/** Removes what is in a folder, except directly in it the names to keep. */
export async function removeContent(folder: string, files: FileSystem, isKept: (name: string) => boolean = () => false): Promise<void> {
  for (const entry of await files.readdir(folder)) {
    if (isKept(entry.name)) continue;
    if (entry.isDirectory()) await removeTree(join(folder, entry.name), files);
    else await files.rm(join(folder, entry.name));
  }
}
