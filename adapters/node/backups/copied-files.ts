/** Reads, hashes, copies and removes files of any length and whole folders, in bounded memory. */
import { createHash } from "node:crypto";
import { isMissing, orIf, writeAll, type FileSystem, type OpenFile } from "../files/file-system.ts";
import { dirname, join } from "node:path";
import { createOne, syncFolder } from "../files/durable-files.ts";

const CHUNK_BYTES = 128 * 1024;

export interface Digest {
  readonly bytes: number;
  readonly sha256: string;
}

export const isSameContent = (a: Digest, b: Digest): boolean => a.bytes === b.bytes && a.sha256 === b.sha256;

/** Each chunk is valid until the next one is read. */
export async function* chunksIn(file: OpenFile): AsyncGenerator<Uint8Array> {
  // Not cleared: that would take longer than to read a small file.
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let position = 0; ;) {
    const read = await file.read(buffer, position);
    if (read === 0) return;
    position += read;
    yield buffer.subarray(0, read);
  }
}

/** Opens a file for reading while the work runs. Resolves to null if there is no such file. */
async function reading<T>(path: string, files: FileSystem, work: (file: OpenFile) => Promise<T>): Promise<T | null> {
  const file = await orIf(isMissing, null, files.open(path, "r"));
  try {
    return file && (await work(file));
  } finally {
    await file?.close();
  }
}

async function digestIn(file: OpenFile, onChunk: (chunk: Uint8Array, position: number) => void): Promise<Digest> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of chunksIn(file)) {
    hash.update(chunk);
    onChunk(chunk, bytes);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest("hex") };
}

/** Resolves to null if there is no such file. */
export const digestOf = (path: string, files: FileSystem): Promise<Digest | null> =>
  reading(path, files, (file) => digestIn(file, () => {}));

/**
 * Copies a file to a new one and syncs it, but not its name. Returns the digest of what was copied; null if there is no such file.
 * A rejection may leave a part of the copy.
 */
export const copyFile = (path: string, to: string, files: FileSystem): Promise<Digest | null> =>
  reading(path, files, async (file) => {
    const copy = await files.open(to, "wx");
    try {
      const digest = await digestIn(file, (chunk, position) => writeAll(copy, chunk, position));
      await copy.sync();
      return digest;
    } finally {
      await copy.close();
    }
  });

/** The last bytes of a file, at most `length`, and its length in bytes; null if there is no such file. */
export const endOf = (
  path: string,
  length: number,
  files: FileSystem,
): Promise<{ readonly bytes: number; readonly end: Uint8Array } | null> =>
  reading(path, files, async (file) => {
    const end = Buffer.allocUnsafe(length);
    const { size } = await file.stat();
    return { bytes: size, end: end.subarray(0, await file.read(end, Math.max(0, size - length))) };
  });

export async function* linesIn(path: string, files: FileSystem): AsyncGenerator<string> {
  const file = await files.open(path, "r");
  try {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of chunksIn(file)) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
    if (rest !== "") yield rest;
  } finally {
    await file.close();
  }
}

/** Files, links, pipes and devices below a folder, by their paths below it, with slashes. */
export async function* filesBelow(
  folder: string,
  files: FileSystem,
  prefix = "",
): AsyncGenerator<{ readonly name: string; readonly isRegular: boolean }> {
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
    await createOne(join(root, name), files);
    created.add(name);
  };
}

/** Makes the names in a folder and in all folders below it durable. */
export async function syncTree(folder: string, files: FileSystem): Promise<void> {
  for (const entry of await files.readdir(folder)) if (entry.isDirectory()) await syncTree(join(folder, entry.name), files);
  await syncFolder(folder, files);
}

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
