/** The file system that data files lie on, as a port: exactly the calls they need, so that tests can run them over a disk that loses power. */
import { randomUUID } from "node:crypto";
import { writeSync } from "node:fs";
import { mkdir, open, readFile, readdir, rename, rm, rmdir, stat } from "node:fs/promises";

export interface FileStatus {
  readonly size: number;
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
  /** `r` opens folders, too; `wx` rejects with EEXIST where something is. */
  open(path: string, flags: "r" | "r+" | "w" | "wx", mode?: number): Promise<OpenFile>;
  readFile(path: string): Promise<Uint8Array>;
  readdir(path: string): Promise<FolderEntry[]>;
  stat(path: string): Promise<FileStatus>;
  /** Makes one folder; rejects with EEXIST where something is. */
  mkdir(path: string, mode?: number): Promise<void>;
  /** Replaces a file of the new name. */
  rename(from: string, to: string): Promise<void>;
  /** Removes a file; one that is not there is fine. */
  rm(path: string): Promise<void>;
  /** Removes an empty folder. */
  rmdir(path: string): Promise<void>;
}

export const nodeFileSystem: FileSystem = {
  writer: randomUUID().slice(0, 8),
  async open(path, flags, mode) {
    const handle = await open(path, flags, mode);
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
  mkdir: (path, mode) => mkdir(path, { mode }),
  rename,
  rm: (path) => rm(path, { force: true }),
  rmdir: (path) => rmdir(path),
};

/** The system's code of an error; empty where it has none. */
export const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "";
