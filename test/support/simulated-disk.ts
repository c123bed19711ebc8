/**
 * An in-memory disk that may lose unsynced changes. After a power loss, each file has its synced content and any part of later
 * writes, and each folder its synced entries and any of the later changes, in every combination that POSIX allows: syncing a file
 * does not sync its name, a rename is atomic but not durable, and a length may grow before the content is written. It never does
 * what no file system does: synced content is kept, and a change of a folder is never applied in part.
 */
import type { FileSystem, FileStatus, FolderEntry, OpenFile } from "../../adapters/node/files/file-system.ts";

import { numbersFrom } from "./seeded-numbers.mjs";

type Random = () => number;

type FileChange = { readonly at: number; readonly bytes: Uint8Array } | { readonly length: number };

/** Directory entries that change atomically: a rename has two. */
type EntryChange = ReadonlyMap<string, SimulatedNode | null>;

class SimulatedFile {
  current: Uint8Array = new Uint8Array();
  synced: Uint8Array = new Uint8Array();
  unsynced: FileChange[] = [];
}

class SimulatedFolder {
  current = new Map<string, SimulatedNode>();
  synced = new Map<string, SimulatedNode>();
  unsynced: EntryChange[] = [];
}

type SimulatedNode = SimulatedFile | SimulatedFolder;

/** Syncs that the disk confirms without doing anything, to prove that tests detect it. */
export type IgnoredSyncs = "none" | "of files" | "of folders";

export interface Strike {
  /** The number of the call, from 1, over all calls of the machine. */
  readonly atCall: number;
  /** `during`: a part of the call is done. */
  readonly when: "before" | "during" | "after";
  /** Whether the machine loses power or only the process is killed, which keeps everything written. */
  readonly kind: "power loss" | "kill";
}

export interface MachineOptions {
  readonly strike?: Strike | null;
  /** Whether the n-th sync fails, counted from 1. Its bytes may never reach the disk, whatever later syncs say. */
  readonly failsSync?: (sync: number) => boolean;
  /** Which syncs are ignored. Default: those of the disk. */
  readonly ignores?: IgnoredSyncs;
}

export interface SimulatedMachine {
  readonly files: FileSystem;
  /** True once the failure has occurred: every later call rejects. */
  isOff(): boolean;
  calls(): number;
  failedSyncs(): number;
  losePower(): void;
}

function fileError(code: string, what: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${what} '${path}'`), { code });
}

function changed(bytes: Uint8Array, change: FileChange): Uint8Array {
  const length = "length" in change ? change.length : Math.max(bytes.length, change.at + change.bytes.length);
  const after = new Uint8Array(length);
  after.set(bytes.subarray(0, length));
  if ("bytes" in change) after.set(change.bytes, change.at);
  return after;
}

function applyEntries(entries: Map<string, SimulatedNode>, change: EntryChange): void {
  for (const [name, node] of change) {
    if (node) entries.set(name, node);
    else entries.delete(name);
  }
}

const below = (random: Random, limit: number): number => Math.floor(random() * limit);

/** Which of several unsynced changes are kept: none, all, the first, or any. */
function keptOf<T>(changes: readonly T[], random: Random): T[] {
  const kind = random();
  if (kind < 0.25) return [];
  if (kind < 0.4) return [...changes];
  if (kind < 0.6) return changes.slice(0, below(random, changes.length + 1));
  const chance = random();
  return changes.filter(() => random() < chance);
}

/** Splits a write into pages, which reach a disk one by one. */
function chunksOf({ at, bytes }: Extract<FileChange, { bytes: unknown }>, random: Random): FileChange[] {
  const pieces: FileChange[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = random() < 0.5 ? bytes.length : start + 1 + below(random, bytes.length - start);
    pieces.push({ at: at + start, bytes: bytes.subarray(start, end) });
    start = end;
  }
  return pieces;
}

/** The content after a power loss. Lost bytes below the length are zeros, or what the disk held before. */
function contentAfterLoss(synced: Uint8Array, unsynced: readonly FileChange[], random: Random): Uint8Array {
  const pieces = unsynced.flatMap((change) => ("bytes" in change ? chunksOf(change, random) : [change]));
  const kept = keptOf(pieces, random);
  const lengths = pieces.map((piece) => ("bytes" in piece ? piece.at + piece.bytes.length : piece.length));
  const grown = random() < 0.3 ? (lengths[below(random, lengths.length)] ?? 0) : 0;
  let bytes = new Uint8Array(Math.max(synced.length, grown));
  if (random() < 0.3) bytes = bytes.map(() => below(random, 256));
  bytes.set(synced);
  return kept.reduce(changed, bytes);
}

/** The node after the power loss, with everything below it. A file with several names stays one file. */
function afterLoss(node: SimulatedNode, random: Random, files = new Map<SimulatedFile, SimulatedFile>()): SimulatedNode {
  if (node instanceof SimulatedFile) {
    const known = files.get(node);
    if (known) return known;
    const file = new SimulatedFile();
    files.set(node, file);
    file.current = file.synced = node.unsynced.length > 0 ? contentAfterLoss(node.synced, node.unsynced, random) : node.synced;
    return file;
  }
  const entries = new Map(node.synced);
  for (const change of keptOf(node.unsynced, random)) applyEntries(entries, change);
  const folder = new SimulatedFolder();
  for (const [name, child] of entries) folder.current.set(name, afterLoss(child, random, files));
  folder.synced = new Map(folder.current);
  return folder;
}

export class SimulatedDisk {
  readonly #random: Random;
  readonly #ignores: IgnoredSyncs;
  #root = new SimulatedFolder();
  #machines = 0;

  constructor(random: Random, ignores: IgnoredSyncs = "none") {
    this.#random = random;
    this.#ignores = ignores;
  }

  /** Starts a machine with one process on the current content of the disk. The previous machine must be off or idle. */
  boot({ strike = null, failsSync = () => false, ignores = this.#ignores }: MachineOptions = {}): SimulatedMachine {
    // Calls of one machine do not affect the next.
    const random = numbersFrom(below(this.#random, 2 ** 31));
    const root = this.#root;
    const writer = `machine${++this.#machines}`;
    let [isOff, calls, syncs, failedSyncs] = [false, 0, 0, 0];

    const losePower = (): void => {
      if (isOff) return;
      isOff = true;
      this.#root = afterLoss(root, random) as SimulatedFolder;
    };

    const checkOn = (): void => {
      if (isOff) throw new Error("the machine is off");
    };

    const end = (kind: Strike["kind"]): never => {
      if (kind === "power loss") losePower();
      isOff = true;
      throw new Error(`told of a ${kind} at call ${calls}`);
    };

    /** Counts the call, and returns the strike if it is due. */
    const begin = (): Strike | null => {
      checkOn();
      calls++;
      if (strike?.atCall !== calls) return null;
      return strike.when === "before" ? end(strike.kind) : strike;
    };

    /** Lets other calls run in between, as with threads. */
    const pass = async (): Promise<void> => {
      for (let turns = below(random, 4); turns > 0; turns--) await Promise.resolve();
      checkOn();
    };

    async function call<T>(work: () => T, part: () => void = () => void work()): Promise<T> {
      const struck = begin();
      await pass();
      if (struck?.when === "during") {
        part();
        return end(struck.kind);
      }
      const result = work();
      return struck ? end(struck.kind) : result;
    }

    const partsOf = (path: string): string[] => path.split("/").filter((part) => part !== "");

    function find(path: string): SimulatedNode {
      let node: SimulatedNode = root;
      for (const part of partsOf(path)) {
        if (node instanceof SimulatedFile) throw fileError("ENOTDIR", "not a directory", path);
        const next: SimulatedNode | undefined = node.current.get(part);
        if (!next) throw fileError("ENOENT", "no such file or directory", path);
        node = next;
      }
      return node;
    }

    function parentOf(path: string): { readonly folder: SimulatedFolder; readonly name: string } {
      const parts = partsOf(path);
      const name = parts.pop() ?? "";
      const folder = find(parts.join("/"));
      if (folder instanceof SimulatedFile) throw fileError("ENOTDIR", "not a directory", path);
      return { folder, name };
    }

    function change(folder: SimulatedFolder, entries: EntryChange): void {
      applyEntries(folder.current, entries);
      folder.unsynced.push(entries);
    }

    function write(file: SimulatedFile, content: FileChange): void {
      file.current = changed(file.current, content);
      file.unsynced.push(content);
    }

    const statusOf = (node: SimulatedNode): FileStatus => ({
      size: node instanceof SimulatedFile ? node.current.length : 0,
      mode: 0o700,
      uid: 0,
      dev: 1,
      isDirectory: () => node instanceof SimulatedFolder,
    });

    /** Covers only changes before the call. */
    async function sync(node: SimulatedNode, path: string): Promise<void> {
      const covered = new Set<FileChange | EntryChange>(node.unsynced);
      const fails = failsSync(++syncs);
      const isIgnored = node instanceof SimulatedFile ? ignores === "of files" : ignores === "of folders";
      await call(
        () => {
          if (isIgnored) return;
          if (node instanceof SimulatedFolder) {
            if (!fails) {
              for (const entries of node.unsynced) if (covered.has(entries)) applyEntries(node.synced, entries);
              node.unsynced = node.unsynced.filter((entries) => !covered.has(entries));
            }
          } else {
            const due = node.unsynced.filter((content) => covered.has(content));
            node.synced = fails ? contentAfterLoss(node.synced, due, random) : due.reduce(changed, node.synced);
            // The system marks the pages of a failed sync as clean, and no later sync writes them.
            node.unsynced = node.unsynced.filter((content) => !covered.has(content));
          }
          if (!fails) return;
          failedSyncs++;
          throw fileError("EIO", "i/o error, fsync", path);
        },
        () => {
          // What a loss keeps of the unsynced is as good as a sync that was cut short.
        },
      );
    }

    function opened(node: SimulatedNode, path: string): OpenFile {
      const file = (): SimulatedFile => {
        if (node instanceof SimulatedFile) return node;
        throw fileError("EISDIR", "illegal operation on a directory", path);
      };
      return {
        stat: () => call(() => statusOf(node)),
        read: (buffer, position) =>
          call(() => {
            const bytes = file().current.subarray(position, position + buffer.length);
            buffer.set(bytes);
            return bytes.length;
          }),
        writeSync(bytes, offset, length, position) {
          const struck = begin();
          const content = bytes.slice(offset, offset + length);
          const isPart = struck?.when === "during";
          write(file(), { at: position, bytes: isPart ? content.subarray(0, below(random, length + 1)) : content });
          return struck ? end(struck.kind) : length;
        },
        writeFile: (bytes) =>
          call(
            () => write(file(), { at: 0, bytes: bytes.slice() }),
            () => write(file(), { at: 0, bytes: bytes.slice(0, below(random, bytes.length + 1)) }),
          ),
        truncate: (length) => call(() => write(file(), { length })),
        datasync: () => sync(node, path),
        sync: () => sync(node, path),
        close: () => call(() => {}),
      };
    }

    const files: FileSystem = {
      writer,
      open: (path, flags) =>
        call(() => {
          if (flags === "r" || flags === "r+") {
            const node = find(path);
            if (flags === "r+" && node instanceof SimulatedFolder) throw fileError("EISDIR", "is a directory", path);
            return opened(node, path);
          }
          const { folder, name } = parentOf(path);
          const there = folder.current.get(name);
          if (there instanceof SimulatedFolder) throw fileError(flags === "wx" ? "EEXIST" : "EISDIR", "is a directory", path);
          if (there && flags === "wx") throw fileError("EEXIST", "file already exists", path);
          if (there) write(there, { length: 0 });
          const file = there ?? new SimulatedFile();
          if (!there) change(folder, new Map([[name, file]]));
          return opened(file, path);
        }),
      readFile: (path) =>
        call(() => {
          const node = find(path);
          if (node instanceof SimulatedFolder) throw fileError("EISDIR", "illegal operation on a directory, read", path);
          return node.current.slice();
        }),
      readdir: (path) =>
        call(() => {
          const node = find(path);
          if (node instanceof SimulatedFile) throw fileError("ENOTDIR", "not a directory", path);
          return [...node.current].map(([name, child]): FolderEntry => ({
            name,
            isFile: () => child instanceof SimulatedFile,
            isDirectory: () => child instanceof SimulatedFolder,
          }));
        }),
      stat: (path) => call(() => statusOf(find(path))),
      // It has no symbolic links.
      realpath: (path) => call(() => (find(path), path)),
      mkdir: (path) =>
        call(() => {
          const { folder, name } = parentOf(path);
          if (folder.current.has(name)) throw fileError("EEXIST", "file already exists", path);
          change(folder, new Map([[name, new SimulatedFolder()]]));
        }),
      link: (existing, path) =>
        call(() => {
          const node = find(existing);
          if (node instanceof SimulatedFolder) throw fileError("EPERM", "operation not permitted", existing);
          const { folder, name } = parentOf(path);
          if (folder.current.has(name)) throw fileError("EEXIST", "file already exists", path);
          change(folder, new Map([[name, node]]));
        }),
      rename: (from, to) =>
        call(() => {
          const [source, target] = [parentOf(from), parentOf(to)];
          if (source.folder !== target.folder) throw fileError("EXDEV", "only renames within a folder are simulated", from);
          const node = source.folder.current.get(source.name);
          if (!node) throw fileError("ENOENT", "no such file or directory", from);
          if (target.folder.current.get(target.name) instanceof SimulatedFolder) throw fileError("EISDIR", "is a directory", to);
          change(
            source.folder,
            new Map([
              [source.name, null],
              [target.name, node],
            ]),
          );
        }),
      rm: (path) =>
        call(() => {
          let parent;
          try {
            parent = parentOf(path);
          } catch {
            return;
          }
          const node = parent.folder.current.get(parent.name);
          if (node instanceof SimulatedFolder) throw fileError("ERR_FS_EISDIR", "is a directory", path);
          if (node) change(parent.folder, new Map([[parent.name, null]]));
        }),
      chmod: () => call(() => {}),
      rmdir: (path) =>
        call(() => {
          const { folder, name } = parentOf(path);
          const node = find(path);
          if (node instanceof SimulatedFile) throw fileError("ENOTDIR", "not a directory", path);
          if (node.current.size > 0) throw fileError("ENOTEMPTY", "directory not empty", path);
          change(folder, new Map([[name, null]]));
        }),
    };
    return { files, isOff: () => isOff, calls: () => calls, failedSyncs: () => failedSyncs, losePower };
  }
}
