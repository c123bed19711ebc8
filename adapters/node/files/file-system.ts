/** The file system port of the data folder: only the calls that are needed, so that tests can run on a disk that loses power. */
import { access, constants, stat, chmod, link, mkdir, open, readFile, readdir, realpath, rename, rm, rmdir } from "node:fs/promises";
import { dirname, basename, join } from "node:path";
import { reasonOf } from "../../../src/runtime/base/metrics/log.ts";
import { randomUUID } from "node:crypto";
import { writeSync } from "node:fs";

const REFUSALS: readonly unknown[] = ["EACCES", "EPERM"];

interface Owned {
  readonly path: string;
  readonly uid: number;
}

/** The path, or the folder above it that hides it. */
async function ownedAt(path: string): Promise<Owned> {
  const status = await stat(path).catch(() => null);
  if (status !== null || dirname(path) === path) return { path, uid: status?.uid ?? 0 };
  return ownedAt(dirname(path));
}

const isUsable = (path: string): Promise<boolean> =>
  access(path, constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  );

const nameOf = (uid: number): string => (uid === 0 ? "root" : `user ${uid}`);

/** Adds the owner to an error that the system refuses access, if it is another user: a start as root leaves files that only root can open. */
export async function nameOwner(error: unknown, path: string): Promise<unknown> {
  const us = process.geteuid?.();
  if (us === undefined || !(error instanceof Error && "code" in error && REFUSALS.includes(error.code))) return error;
  const at = await ownedAt(path);
  // What we may read and write, but not rename or remove, is refused by its folder. Anything else of ours is refused by its mode.
  const { path: owned, uid } = at.path === path && at.uid === us && (await isUsable(path)) ? await ownedAt(dirname(path)) : at;
  if (uid !== us) error.message = `${reasonOf(error)}. ${owned} belongs to ${nameOf(uid)}, but this process runs as ${nameOf(us)}`;
  return error;
}

/** Runs the call. If the system refuses access, the error names the owner. */
const namingOwner =
  <Arguments extends readonly [path: string, ...unknown[]], Result>(call: (...values: Arguments) => Promise<Result>) =>
  (...values: Arguments): Promise<Result> =>
    call(...values).catch(async (error: unknown) => {
      throw await nameOwner(error, values[0]);
    });

/** Permissions of new folders and files: for their owner only. */
export const FOLDER_MODE = 0o700;
export const FILE_MODE = 0o600;

export interface FileStatus {
  readonly size: number;
  readonly mode: number;
  readonly uid: number;
  readonly dev: number;
  isDirectory(): boolean;
}

export interface FolderEntry {
  readonly name: string;
  isFile(): boolean;
  isDirectory(): boolean;
}

export interface OpenFile {
  stat(): Promise<FileStatus>;
  /** Fills the buffer from this position of the file. Returns the number of bytes read: 0 at the end, and else possibly fewer than fit. */
  read(buffer: Uint8Array, position: number): Promise<number>;
  /** Writes to the page cache without waiting for the disk. Returns the number of bytes written, which may be fewer than `length`. */
  writeSync(bytes: Uint8Array, offset: number, length: number, position: number): number;
  writeFile(bytes: Uint8Array): Promise<void>;
  truncate(length: number): Promise<void>;
  /** fdatasync(2). */
  datasync(): Promise<void>;
  /** fsync(2). For a folder it makes the names in it durable. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Rejects with Node's errors and codes. Paths are absolute. */
export interface FileSystem {
  /** Unique to this process. Part of the names of unfinished files. */
  readonly writer: string;
  /** `r` also opens folders; `wx` rejects with EEXIST if the path exists. New files have `FILE_MODE`. */
  open(path: string, flags: "r" | "r+" | "w" | "wx"): Promise<OpenFile>;
  readFile(path: string): Promise<Uint8Array>;
  readdir(path: string): Promise<FolderEntry[]>;
  stat(path: string): Promise<FileStatus>;
  /** The path without symbolic links. Rejects if it does not exist. */
  realpath(path: string): Promise<string>;
  /** Creates one folder with `FOLDER_MODE`. Rejects with EEXIST if the path exists. */
  mkdir(path: string): Promise<void>;
  /** Gives a file another name on the same device: a hard link. Rejects with EEXIST if the new path exists. */
  link(existing: string, path: string): Promise<void>;
  /** Replaces a file of the new name. */
  rename(from: string, to: string): Promise<void>;
  /** Removes a file; a missing one is fine. */
  rm(path: string): Promise<void>;
  rmdir(path: string): Promise<void>;
  chmod(path: string, mode: number): Promise<void>;
}

export const nodeFileSystem: FileSystem = {
  writer: randomUUID().slice(0, 8),
  open: namingOwner(async (path, flags: "r" | "r+" | "w" | "wx") => {
    const handle = await open(path, flags, FILE_MODE);
    return {
      stat: () => handle.stat(),
      read: async (buffer, position) => (await handle.read(buffer, 0, buffer.length, position)).bytesRead,
      writeSync: (bytes, offset, length, position) => writeSync(handle.fd, bytes, offset, length, position),
      writeFile: (bytes) => handle.writeFile(bytes),
      truncate: (length) => handle.truncate(length),
      datasync: () => handle.datasync(),
      sync: () => handle.sync(),
      close: () => handle.close(),
    };
  }),
  readFile: namingOwner((path) => readFile(path)),
  readdir: namingOwner((path) => readdir(path, { withFileTypes: true })),
  stat: namingOwner((path) => stat(path)),
  realpath: namingOwner((path) => realpath(path)),
  mkdir: namingOwner((path) => mkdir(path, FOLDER_MODE)),
  link: namingOwner((existing, path: string) => link(existing, path)),
  rename: namingOwner((from, to: string) => rename(from, to)),
  rm: namingOwner((path) => rm(path, { force: true })),
  rmdir: namingOwner((path) => rmdir(path)),
  chmod: namingOwner((path, mode: number) => chmod(path, mode)),
};

export const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "";

export const isNotFound = (error: unknown): boolean => codeOf(error) === "ENOENT";

/** Not found, or a parent of the path is a file. */
export const isMissing = (error: unknown): boolean => isNotFound(error) || codeOf(error) === "ENOTDIR";

export const isExisting = (error: unknown): boolean => codeOf(error) === "EEXIST";

/** A folder with entries. POSIX allows either code. */
export const isNotEmpty = (error: unknown): boolean => ["ENOTEMPTY", "EEXIST"].includes(codeOf(error));

/** Resolves with `value` if the call rejects with an expected error. */
export async function orIf<T, V>(isExpected: (error: unknown) => boolean, value: V, call: Promise<T>): Promise<T | V> {
  try {
    return await call;
  } catch (error) {
    if (isExpected(error)) return value;
    throw error;
  }
}

export const entriesOf = (folder: string, files: FileSystem, isAbsent = isNotFound): Promise<FolderEntry[]> =>
  orIf(isAbsent, [], files.readdir(folder));

/** Writes all of the bytes to the page cache. */
export function writeAll(file: OpenFile, bytes: Uint8Array, position: number): void {
  for (let written = 0; written < bytes.length;) {
    written += file.writeSync(bytes, written, bytes.length - written, position + written);
  }
}

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

const OTHERS_BITS = 0o077;

export const isOpenToOthers = ({ mode }: FileStatus): boolean => (mode & OTHERS_BITS) !== 0;

/** Removes all permissions of other users. Leaves what belongs to another user: only that user can change it. */
export async function makePrivate(path: string, status: FileStatus, files: FileSystem): Promise<void> {
  if (!isOpenToOthers(status)) return;
  await files.chmod(path, status.isDirectory() ? FOLDER_MODE : FILE_MODE).catch(() => {});
}
