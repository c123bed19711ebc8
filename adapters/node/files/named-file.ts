/**
 * Reads files that the configuration names, in bounded memory: a device may have no end. A pipe is refused: until somebody writes to it,
 * reading would block even signals.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** Absent on Windows, where opening a file never blocks. */
const NON_BLOCKING: number = constants.O_NONBLOCK ?? 0;

const CHUNK_BYTES = 1024 * 1024;

/** The content of the file. Throws if it cannot be read, is a pipe or has more than `bytesMax` bytes. */
export function readNamedFile(fileName: string, bytesMax: number): Buffer {
  const descriptor = openSync(fileName, constants.O_RDONLY | NON_BLOCKING);
  try {
    if (fstatSync(descriptor).isFIFO()) throw new Error("it is a pipe. Name a regular file");
    return readAll(descriptor, bytesMax);
  } finally {
    closeSync(descriptor);
  }
}

function readAll(descriptor: number, bytesMax: number): Buffer {
  const chunks: Uint8Array[] = [];
  for (let bytes = 0; ;) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, bytesMax + 1 - bytes));
    const read = readSync(descriptor, chunk);
    if (read === 0) return Buffer.concat(chunks);
    chunks.push(chunk.subarray(0, read));
    bytes += read;
    if (bytes > bytesMax) throw new Error(`it has more than ${bytesMax} bytes`);
  }
}
