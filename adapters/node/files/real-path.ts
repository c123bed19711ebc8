/** Where a path leads, through symbolic links, and which folders it is in. */
import { basename, dirname, join } from "node:path";
import { isMissing, type FileSystem } from "./file-system.ts";

/** The path without symbolic links. What does not exist yet stays as it is. */
export async function realPathOf(path: string, files: FileSystem): Promise<string> {
  try {
    return await files.realpath(path);
  } catch (error) {
    if (!isMissing(error) || dirname(path) === path) throw error;
    return join(await realPathOf(dirname(path), files), basename(path));
  }
}

/** The path without symbolic links, its parent, and so on up to the root. */
export async function withParents(path: string, files: FileSystem): Promise<string[]> {
  const paths = [await realPathOf(path, files)];
  for (let at = paths[0] ?? ""; at !== dirname(at); at = dirname(at)) paths.push(dirname(at));
  return paths;
}
