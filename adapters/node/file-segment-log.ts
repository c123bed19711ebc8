/** The journal as append-only files, one a segment, and how soon they are forced to the disk. */
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Config } from "../../src/runtime/config.ts";
import { reasonOf } from "../../src/runtime/log.ts";
import { NothingAppendedError, type SegmentLog } from "../../src/storage/segment-log.ts";
import { syncFolder } from "./durable-file.ts";
import { codeOf, nodeFileSystem, type FileSystem, type OpenFile } from "./file-system.ts";

/** Where the journal lies in the data folder. */
export const JOURNAL_FOLDER = "journal";

const SYNC_INTERVAL_MS = 1000;
const NAME = /^(\d{1,15})\.journal$/;
const SET_ASIDE_FOLDER = "damaged";

const isFull = (error: unknown): boolean => ["ENOSPC", "EDQUOT"].includes(codeOf(error));

interface OpenSegment {
  readonly number: number;
  readonly handle: OpenFile;
  /** Where the next append goes: after everything that was appended whole. */
  end: number;
  unsynced: boolean;
}

/**
 * Writes nothing until it is told to, so that a folder can be looked at. `always` syncs before an append resolves, `interval` once a second, `off` leaves it to the
 * operating system. A killed process loses nothing either way; a machine that loses power does.
 */
export async function openFileSegmentLog(folder: string, fsync: Config["journalFsync"], files: FileSystem = nodeFileSystem): Promise<SegmentLog> {
  const pathOf = (segment: number) => join(folder, `${segment}.journal`);
  let current: OpenSegment | null = null;

  async function namesIn(): Promise<string[]> {
    try {
      return (await files.readdir(folder)).map(({ name }) => name);
    } catch (error) {
      if (codeOf(error) === "ENOENT") return [];
      throw error;
    }
  }

  async function makeFolder(path: string): Promise<void> {
    try {
      await files.mkdir(path);
    } catch (error) {
      if (codeOf(error) === "EEXIST") return;
      throw error;
    }
    await syncFolder(dirname(path), files);
  }

  async function sync(segment: OpenSegment | null): Promise<void> {
    if (!segment?.unsynced) return;
    segment.unsynced = false;
    await segment.handle.datasync();
  }

  /** Let go of before the first wait, so that whoever comes meanwhile opens what it needs itself. */
  async function closeCurrent(): Promise<void> {
    const closing = current;
    current = null;
    if (!closing) return;
    try {
      if (fsync !== "off") await sync(closing);
    } finally {
      await closing.handle.close();
    }
  }

  async function segmentFor(number: number): Promise<OpenSegment> {
    if (current?.number === number) return current;
    await closeCurrent();
    const handle = await files.open(pathOf(number), "r+");
    current = { number, handle, end: (await handle.stat()).size, unsynced: false };
    return current;
  }

  const syncing =
    fsync === "interval"
      ? setInterval(() => {
          // A failing disk shows at the next append, which is refused then.
          sync(current).catch(() => {});
        }, SYNC_INTERVAL_MS).unref()
      : undefined;

  return {
    async list() {
      const numbers = (await namesIn()).map((name) => Number(NAME.exec(name)?.[1] ?? Number.NaN));
      return numbers.filter((number) => !Number.isNaN(number)).sort((a, b) => a - b);
    },
    async create(segment) {
      await makeFolder(folder);
      await (await files.open(pathOf(segment), "wx")).close();
      try {
        await syncFolder(folder, files);
      } catch (error) {
        // A disk that fails for hours would fill up with empty segments.
        await files.rm(pathOf(segment)).catch(() => {});
        throw error;
      }
    },
    /** All requests that the event loop has found by now. */
    gather: () => setImmediate(),
    async append(number, bytes) {
      const segment = await segmentFor(number);
      try {
        // To the system's memory only, which takes microseconds: less than to hand the write to another thread and wait for it.
        for (let written = 0; written < bytes.length; ) {
          written += segment.handle.writeSync(bytes, written, bytes.length - written, segment.end + written);
        }
      } catch (error) {
        const isClean = await segment.handle.truncate(segment.end).then(
          () => true,
          // The journal leaves the segment then, so what is torn stays its end.
          () => false,
        );
        // A full disk has no more room elsewhere; whatever else fails may be this file's alone, and is left.
        throw isClean && isFull(error) ? new NothingAppendedError(reasonOf(error), { cause: error }) : error;
      }
      segment.end += bytes.length;
      segment.unsynced = true;
      if (fsync === "always") await sync(segment);
    },
    async read(segment) {
      return files.readFile(pathOf(segment)).catch((error: unknown) => {
        throw new Error(`${pathOf(segment)} cannot be read: ${reasonOf(error)}`, { cause: error });
      });
    },
    async remove(segment) {
      if (current?.number === segment) await closeCurrent();
      await files.rm(pathOf(segment));
      await syncFolder(folder, files);
    },
    async setAside(segment) {
      const copy = join(folder, SET_ASIDE_FOLDER, `${segment}.journal`);
      await makeFolder(dirname(copy));
      const handle = await files.open(copy, "w");
      await handle.writeFile(await files.readFile(pathOf(segment)));
      await handle.close();
      await syncFolder(join(folder, SET_ASIDE_FOLDER), files);
      return copy;
    },
    async close() {
      clearInterval(syncing);
      await closeCurrent();
    },
  };
}
