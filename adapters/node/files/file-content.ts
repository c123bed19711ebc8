/** Reads the content of files of any length in bounded memory: in chunks, as lines, as a hash, or into a copy. */
import { createHash } from "node:crypto";
import { isMissing, type FileSystem, type OpenFile } from "./file-system.ts";

const CHUNK_BYTES = 128 * 1024;

/** Identifies the content of a file. */
export interface Digest {
  readonly bytes: number;
  /** SHA-256 in hexadecimal. */
  readonly sha256: string;
}

export const isSameContent = (a: Digest, b: Digest): boolean => a.bytes === b.bytes && a.sha256 === b.sha256;

/** Each chunk is valid until the next one is read. */
async function* chunksIn(file: OpenFile): AsyncGenerator<Uint8Array> {
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
  const file = await files.open(path, "r").catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
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

/** null if there is no such file. */
export const digestOf = (path: string, files: FileSystem): Promise<Digest | null> =>
  reading(path, files, (file) => digestIn(file, () => {}));

/**
 * Copies a file to a new one and syncs it, but not its name. Returns the digest of what was copied; null if there is no such file.
 * After a rejection there may be a part of the copy.
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

function writeAll(file: OpenFile, bytes: Uint8Array, position: number): void {
  for (let written = 0; written < bytes.length;) {
    written += file.writeSync(bytes, written, bytes.length - written, position + written);
  }
}

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

/** The lines of a text file, without their ends. */
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
