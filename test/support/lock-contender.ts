/** A process that acquires and releases folder locks: reads a command per line of stdin and prints the result. */
import { createInterface } from "node:readline";
import { FolderLockedError, lockFolder, type FolderLock } from "../../adapters/node/data-dir/folder-lock.ts";

let lock: FolderLock | null = null;

async function take(folder: string): Promise<string> {
  try {
    lock = await lockFolder(folder, () => process.exit(1));
    return "taken";
  } catch (error) {
    return error instanceof FolderLockedError ? "refused" : `failed: ${String(error)}`;
  }
}

async function release(): Promise<string> {
  await lock?.release();
  lock = null;
  return "released";
}

process.stdout.write("ready\n");
for await (const line of createInterface(process.stdin)) {
  process.stdout.write(`${line === "release" ? await release() : await take(line)}\n`);
}
