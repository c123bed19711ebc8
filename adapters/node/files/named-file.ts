/** Reads files that the configuration names. A pipe is refused: until somebody writes to it, reading would block even signals. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/** Absent on Windows, where opening a file never blocks. */
const NON_BLOCKING: number = constants.O_NONBLOCK ?? 0;

/** Calls `read` with the descriptor of the open file. Throws if the file cannot be opened or is a pipe. */
export function readOpened<Result>(fileName: string, read: (descriptor: number) => Result): Result {
  const descriptor = openSync(fileName, constants.O_RDONLY | NON_BLOCKING);
  try {
    if (fstatSync(descriptor).isFIFO()) throw new Error("it is a pipe. Name a regular file");
    return read(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The content of the file. Throws if it cannot be read or is a pipe. */
export const readNamedFile = (fileName: string): Buffer => readOpened(fileName, (descriptor) => readFileSync(descriptor));
