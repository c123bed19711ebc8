/** The files that the command `import` is given: files, what folders contain, and standard input. */
import { createHash, randomBytes } from "node:crypto";
import { open, readdir, stat, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { IMPORT_FILES_MAX } from "../../../src/runtime/base/config/limits.ts";
import { type RandomAccess, UnreadableFile } from "../../../src/runtime/imports/files/file.ts";
import { STANDARD_INPUT } from "./command-line.ts";

export interface LocalFile {
  /** Its path in the import. */
  readonly name: string;
  readonly access: RandomAccess;
}

/** Opens the file for each read, because there may be more files than may be open. */
const accessTo = (path: string, size: number): RandomAccess => ({
  size,
  async read(from, to) {
    const bytes = new Uint8Array(to - from);
    const file = await open(path, "r");
    try {
      let filled = 0;
      while (filled < bytes.length) {
        const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, from + filled);
        if (bytesRead === 0) throw new UnreadableFile(`${path} became shorter while it was read.`);
        filled += bytesRead;
      }
    } finally {
      await file.close();
    }
    return bytes;
  },
});

/** The file at a path that somebody gave, or those of the folder there. */
async function filesGiven(path: string): Promise<LocalFile[]> {
  const name = basename(resolve(path));
  const status = await stat(path);
  if (status.isFile()) return [{ name, access: accessTo(path, status.size) }];
  if (!status.isDirectory()) throw new Error(`${path} is neither a file nor a folder: use - for standard input`);
  const files: LocalFile[] = [];
  await addFilesIn(path, name, files);
  return files;
}

/** Adds the files in a folder, in the order of their names. Links in it may lead out of it, or around; pipes and devices have no end. */
async function addFilesIn(folder: string, name: string, files: LocalFile[]): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await addFilesIn(path, `${name}/${entry.name}`, files);
    else if (entry.isFile()) files.push({ name: `${name}/${entry.name}`, access: accessTo(path, (await stat(path)).size) });
    if (files.length > IMPORT_FILES_MAX) throw new Error(`${folder} has more than ${IMPORT_FILES_MAX} files`);
  }
}

/** Digits of its content's hash in the name of standard input. */
const NAME_DIGITS = 16;

/** Stored until the command ends, because an import reads its files several times: in a file without a name, which a kill removes. */
async function spooled(stream: AsyncIterable<Uint8Array>, close: (() => Promise<void>)[]): Promise<LocalFile> {
  const path = join(tmpdir(), `sandpiper-${randomBytes(8).toString("hex")}`);
  const file = await open(path, "wx+", 0o600);
  close.push(() => file.close());
  await unlink(path);
  const hash = createHash("sha256");
  let size = 0;
  for await (const bytes of stream) {
    await file.write(bytes, 0, bytes.length, size);
    hash.update(bytes);
    size += bytes.length;
  }
  return {
    // An interrupted upload is known again by its names and sizes.
    name: `standard input ${hash.digest("hex").slice(0, NAME_DIGITS)}`,
    access: {
      size,
      async read(from, to) {
        const bytes = new Uint8Array(to - from);
        await file.read(bytes, 0, bytes.length, from);
        return bytes;
      },
    },
  };
}

/** Hands the files at these paths to the task; `-` is standard input. */
export async function withFiles<T>(
  paths: readonly string[],
  standardInput: AsyncIterable<Uint8Array>,
  task: (files: readonly LocalFile[]) => Promise<T>,
): Promise<T> {
  const closes: (() => Promise<void>)[] = [];
  try {
    const files: LocalFile[] = [];
    for (const path of paths) {
      if (path === STANDARD_INPUT) files.push(await spooled(standardInput, closes));
      else files.push(...(await filesGiven(path)));
    }
    return await task(files);
  } finally {
    for (const close of closes) await close();
  }
}
