/** The journal as append-only files, one a segment, and how soon they are forced to the disk. */
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Config } from "../../src/runtime/config/config.ts";
import { reasonOf } from "../../src/runtime/metrics/log.ts";
import { NothingAppendedError, SyncFailedError, type SegmentLog } from "../../src/storage/segment-log.ts";
import { syncFile, syncFolder, writeDurably } from "./durable-file.ts";
import { DurableFolders } from "./durable-folders.ts";
import { codeOf, nodeFileSystem, type FileSystem, type OpenFile } from "./file-system.ts";

/** Where the journal lies in the data folder. */
export const JOURNAL_FOLDER = "journal";

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
 * Writes nothing until it is told to, so that a folder can be looked at. `always` syncs before an append resolves, `interval` when
 * `sync` is called, `off` leaves it to the operating system. A killed process loses nothing either way; a machine that loses power does.
 */
export async function openFileSegmentLog(
  folder: string,
  fsync: Config["journalFsync"],
  files: FileSystem = nodeFileSystem,
): Promise<SegmentLog> {
  const pathOf = (segment: number) => join(folder, `${segment}.journal`);
  const folders = new DurableFolders(dirname(folder), files);
  let current: OpenSegment | null = null;
  /** Settles when the segment before the current one is synced and closed. */
  let leaving: Promise<void> = Promise.resolve();
  /** Segments up to this number take nothing more: a sync of one has failed. */
  let failedUpTo = 0;
  /** Of a sync that nobody waited for. */
  let failure: SyncFailedError | null = null;

  async function namesIn(): Promise<string[]> {
    try {
      return (await files.readdir(folder)).map(({ name }) => name);
    } catch (error) {
      if (codeOf(error) === "ENOENT") return [];
      throw error;
    }
  }

  /** A file whose sync failed is let go of: to sync it again would only hide that. */
  async function sync(segment: OpenSegment): Promise<void> {
    if (!segment.unsynced) return;
    segment.unsynced = false;
    try {
      await segment.handle.datasync();
    } catch (error) {
      failedUpTo = Math.max(failedUpTo, segment.number);
      if (current === segment) {
        current = null;
        await segment.handle.close().catch(() => {});
      }
      throw new SyncFailedError(`${pathOf(segment.number)} cannot be synced: ${reasonOf(error)}`, { cause: error });
    }
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
    if (number <= failedUpTo) throw new Error(`${pathOf(number)} takes nothing more: it could not be synced`);
    if (current?.number === number) return current;
    leaving = closeCurrent();
    // That the last one cannot be synced is no fault of this one. The next sync tells.
    await leaving.catch((error: unknown) => {
      if (!(error instanceof SyncFailedError)) throw error;
      failure = error;
    });
    const handle = await files.open(pathOf(number), "r+");
    current = { number, handle, end: (await handle.stat()).size, unsynced: false };
    return current;
  }

  return {
    async list() {
      const numbers = (await namesIn()).map((name) => Number(NAME.exec(name)?.[1] ?? Number.NaN));
      return numbers.filter((number) => !Number.isNaN(number)).sort((a, b) => a - b);
    },
    async create(segment) {
      await folders.within(folder, async () => (await files.open(pathOf(segment), "wx")).close());
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
        for (let written = 0; written < bytes.length;) {
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
    async sync() {
      // An append to the next segment may be syncing the last one just now. It hears of what fails there but a sync.
      await leaving.catch(() => {});
      if (fsync === "interval" && current) await sync(current);
      const earlier = failure;
      failure = null;
      if (earlier) throw earlier;
    },
    async read(segment) {
      try {
        const bytes = await files.readFile(pathOf(segment));
        if (fsync !== "off") await syncFile(pathOf(segment), files);
        return bytes;
      } catch (error) {
        throw new Error(`${pathOf(segment)} cannot be read: ${reasonOf(error)}`, { cause: error });
      }
    },
    async remove(segment) {
      if (current?.number === segment) {
        const { handle } = current;
        current = null;
        await handle.close();
      }
      await files.rm(pathOf(segment));
      await syncFolder(folder, files);
    },
    async quarantine(segment) {
      const copy = join(folder, SET_ASIDE_FOLDER, `${segment}.journal`);
      const bytes = await files.readFile(pathOf(segment));
      await folders.within(dirname(copy), () => writeDurably(copy, bytes, files));
      return copy;
    },
    async close() {
      await closeCurrent();
    },
  };
}
