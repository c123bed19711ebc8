/** The file system that data files lie on, as a port: exactly the calls they need, so that tests can run them over a disk that loses power. */
import { randomUUID } from "node:crypto";
import { writeSync } from "node:fs";
import { chmod, mkdir, open, readFile, readdir, rename, rm, rmdir, stat } from "node:fs/promises";

/** What this process makes is its user's alone. */
export const FOLDER_MODE = 0o700;
export const FILE_MODE = 0o600;

export interface FileStatus {
  readonly size: number;
  /** Type and permission bits. */
  readonly mode: number;
  /** The owner's number, and that of the device it lies on. */
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
  /** Writes to the system's memory at once; returns how many bytes were written, which may be fewer. */
  writeSync(bytes: Uint8Array, offset: number, length: number, position: number): number;
  writeFile(bytes: Uint8Array): Promise<void>;
  truncate(length: number): Promise<void>;
  /** Forces the content to the disk. */
  datasync(): Promise<void>;
  /** Forces the content to the disk; of a folder, the names in it. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Errors are those of Node, with its codes. Paths are absolute. */
export interface FileSystem {
  /** A text of this process that no earlier or other process has: names of unfinished files bear it. */
  readonly writer: string;
  /** `r` opens folders, too; `wx` rejects with EEXIST where something is. A file that is made is for its owner only. */
  open(path: string, flags: "r" | "r+" | "w" | "wx"): Promise<OpenFile>;
  readFile(path: string): Promise<Uint8Array>;
  readdir(path: string): Promise<FolderEntry[]>;
  stat(path: string): Promise<FileStatus>;
  /** Makes one folder, for its owner only; rejects with EEXIST where something is. */
  mkdir(path: string): Promise<void>;
  /** Replaces a file of the new name. */
  rename(from: string, to: string): Promise<void>;
  /** Removes a file; one that is not there is fine. */
  rm(path: string): Promise<void>;
  /** Removes an empty folder. */
  rmdir(path: string): Promise<void>;
  chmod(path: string, mode: number): Promise<void>;
}

export const nodeFileSystem: FileSystem = {
  writer: randomUUID().slice(0, 8),
  async open(path, flags) {
    const handle = await open(path, flags, FILE_MODE);
    return {
      stat: () => handle.stat(),
      writeSync: (bytes, offset, length, position) => writeSync(handle.fd, bytes, offset, length, position),
      writeFile: (bytes) => handle.writeFile(bytes),
      truncate: (length) => handle.truncate(length),
      datasync: () => handle.datasync(),
      sync: () => handle.sync(),
      close: () => handle.close(),
    };
  },
  readFile: (path) => readFile(path),
  readdir: (path) => readdir(path, { withFileTypes: true }),
  stat: (path) => stat(path),
  mkdir: (path) => mkdir(path, FOLDER_MODE),
  rename,
  rm: (path) => rm(path, { force: true }),
  rmdir: (path) => rmdir(path),
  chmod,
};

/** The system's code of an error; empty where it has none. */
export const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "";
