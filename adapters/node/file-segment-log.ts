/** The journal as append-only files, one a segment, and how soon they are forced to the disk. */
import { writeSync } from "node:fs";
import { copyFile, mkdir, open, readFile, readdir, rm, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Config } from "../../src/runtime/config.ts";
import { reasonOf } from "../../src/runtime/log.ts";
import { NothingAppendedError, type SegmentLog } from "../../src/storage/segment-log.ts";
import { syncFolder } from "./durable-file.ts";

/** Where the journal lies in the data folder. */
export const JOURNAL_FOLDER = "journal";

const SYNC_INTERVAL_MS = 1000;
const NAME = /^(\d{1,15})\.journal$/;
const SET_ASIDE_FOLDER = "damaged";

const isFull = (error: unknown): boolean => ["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException).code ?? "");

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

interface OpenSegment {
  readonly number: number;
  readonly handle: FileHandle;
  /** Where the next append goes: after everything that was appended whole. */
  end: number;
  unsynced: boolean;
}

/**
 * Writes nothing until it is told to, so that a folder can be looked at. `always` syncs before an append resolves, `interval` once a second, `off` leaves it to the
 * operating system. A killed process loses nothing either way; a machine that loses power does.
 */
export async function openFileSegmentLog(folder: string, fsync: Config["journalFsync"]): Promise<SegmentLog> {
  const pathOf = (segment: number) => join(folder, `${segment}.journal`);
  let current: OpenSegment | null = null;

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
    const handle = await open(pathOf(number), "r+");
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
      const numbers = (await namesIn(folder)).map((name) => Number(NAME.exec(name)?.[1] ?? Number.NaN));
      return numbers.filter((number) => !Number.isNaN(number)).sort((a, b) => a - b);
    },
    async create(segment) {
      if ((await mkdir(folder, { recursive: true })) !== undefined) await syncFolder(dirname(folder));
      await (await open(pathOf(segment), "wx")).close();
      try {
        await syncFolder(folder);
      } catch (error) {
        // A disk that fails for hours would fill up with empty segments.
        await rm(pathOf(segment), { force: true }).catch(() => {});
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
          written += writeSync(segment.handle.fd, bytes, written, bytes.length - written, segment.end + written);
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
      return readFile(pathOf(segment)).catch((error: unknown) => {
        throw new Error(`${pathOf(segment)} cannot be read: ${reasonOf(error)}`, { cause: error });
      });
    },
    async remove(segment) {
      if (current?.number === segment) await closeCurrent();
      await rm(pathOf(segment), { force: true });
      await syncFolder(folder);
    },
    async setAside(segment) {
      const copy = join(folder, SET_ASIDE_FOLDER, `${segment}.journal`);
      await mkdir(dirname(copy), { recursive: true });
      await copyFile(pathOf(segment), copy);
      await syncFolder(join(folder, SET_ASIDE_FOLDER));
      return copy;
    },
    async close() {
      clearInterval(syncing);
      await closeCurrent();
    },
  };
}
