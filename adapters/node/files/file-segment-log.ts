/** The segment log port on the data folder: one append-only file per journal segment, fsynced as `journal_fsync` says. */
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Config } from "../../../src/runtime/base/config/config.ts";
import { reasonOf } from "../../../src/runtime/base/metrics/log.ts";
import { NothingAppendedError, type SegmentLog, SyncFailedError } from "../../../src/storage/segment.ts";
import { syncFile, syncFolder, writeDurably, DurableFolders } from "./durable-files.ts";
import { codeOf, entriesOf, nodeFileSystem, writeAll, type FileSystem, type OpenFile } from "./file-system.ts";

export const JOURNAL_FOLDER = "journal";

/** Pings of engaged time, in segments like those of the journal. Backups leave them out. */
export const PINGS_FOLDER = "pings";

const NAME = /^(\d{1,15})\.journal$/;
const QUARANTINE_FOLDER = "damaged";

export const isSegmentFile = (name: string): boolean => NAME.test(name);

const isFull = (error: unknown): boolean => ["ENOSPC", "EDQUOT"].includes(codeOf(error));

interface OpenSegment {
  readonly number: number;
  readonly handle: OpenFile;
  /** The offset of the next append: the end of the last complete one. */
  end: number;
  unsynced: boolean;
}

/**
 * Opening writes nothing, so that `verify` can read any folder. `always` syncs before an append resolves, `interval` when `sync` is
 * called, `off` leaves it to the operating system. In no mode does a killed process lose events; a machine that loses power may.
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
  let closingPrevious: Promise<void> = Promise.resolve();
  /** Segments up to this number accept no appends: a sync of one of them has failed. */
  let failedUpTo = 0;
  /** A failed sync of the previous segment, for the next `sync` to report. */
  let unreportedFailure: SyncFailedError | null = null;

  /**
   * A file whose sync failed is closed. The system may have dropped its dirty pages, and a second sync would report success
   * (https://www.usenix.org/conference/atc20/presentation/rebello).
   */
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

  /** Clears `current` before the first await, so that a concurrent append opens the segment it needs. */
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
    if (number <= failedUpTo) throw new Error(`${pathOf(number)} accepts no more events because it could not be synced`);
    if (current?.number === number) return current;
    closingPrevious = closeCurrent();
    // A failed sync of the previous segment does not concern this append. The next `sync` reports it.
    await closingPrevious.catch((error: unknown) => {
      if (!(error instanceof SyncFailedError)) throw error;
      unreportedFailure = error;
    });
    const handle = await files.open(pathOf(number), "r+");
    current = { number, handle, end: (await handle.stat()).size, unsynced: false };
    return current;
  }

  return {
    async list() {
      const numbers = (await entriesOf(folder, files)).map(({ name }) => Number(NAME.exec(name)?.[1] ?? Number.NaN));
      return numbers.filter((number) => !Number.isNaN(number)).sort((a, b) => a - b);
    },
    async create(segment) {
      await folders.within(folder, async () => (await files.open(pathOf(segment), "wx")).close());
      try {
        await syncFolder(folder, files);
      } catch (error) {
        // Otherwise a disk that fails for hours fills up with empty segments.
        await files.rm(pathOf(segment)).catch(() => {});
        throw error;
      }
    },
    /** Waits for the requests that the event loop has already received, so that they share an append. */
    gather: () => setImmediate(),
    async append(number, bytes) {
      const segment = await segmentFor(number);
      try {
        // A write to the page cache takes microseconds, less than a round trip to libuv's thread pool.
        writeAll(segment.handle, bytes, segment.end);
      } catch (error) {
        const isClean = await segment.handle.truncate(segment.end).then(
          () => true,
          // The journal then starts a new segment, so the torn line stays at the end of this one.
          () => false,
        );
        // On a full disk another segment would also fail. Any other failure may concern this file alone, so the journal leaves it.
        throw isClean && isFull(error) ? new NothingAppendedError(reasonOf(error), { cause: error }) : error;
      }
      segment.end += bytes.length;
      segment.unsynced = true;
      if (fsync === "always") await sync(segment);
    },
    async sync() {
      // An append to the next segment may be syncing the previous one. All failures except that of a sync reject that append.
      await closingPrevious.catch(() => {});
      if (fsync === "interval" && current) await sync(current);
      const failure = unreportedFailure;
      unreportedFailure = null;
      if (failure) throw failure;
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
      const copy = join(folder, QUARANTINE_FOLDER, `${segment}.journal`);
      const bytes = await files.readFile(pathOf(segment));
      await folders.within(dirname(copy), () => writeDurably(copy, bytes, files));
      return copy;
    },
    async close() {
      await closeCurrent();
    },
  };
}
