/** An in-memory segment log that injects failures, and keeps what a disk would keep. */
import { createMemorySegmentLog } from "./memory-segment-log.ts";
import { NothingAppendedError, type SegmentLog } from "../../src/storage/segment.ts";

export interface FailingSegmentLog extends SegmentLog {
  /** Makes the next append fail after it has written this many of its bytes. */
  failAppendAfter(bytes: number): void;
  /** Makes the next append fail with `NothingAppendedError`. */
  failAppendCleanly(): void;
  /** Makes the next creation fail, before or after the segment is created. */
  failCreate(made: boolean): void;
  /** Makes the next removal fail, before or after the segment is removed. */
  failRemove(gone: boolean): void;
  /** Cancels all failures that have not occurred yet. */
  heal(): void;
  /** The number of appends started. */
  appends(): number;
  /** Blocks appends until the returned function is called. */
  hold(): () => void;
  /** Changes a stored segment directly, as a failing disk does. */
  damage(segment: number, change: (bytes: Uint8Array) => Uint8Array): Promise<void>;
}

export class SegmentLogFailure extends Error {
  override readonly name = "SegmentLogFailure";
}

export function createFailingSegmentLog(): FailingSegmentLog {
  const log = createMemorySegmentLog();
  let appendBytes: number | null = null;
  let failsCleanly = false;
  let createMade: boolean | null = null;
  let removeGone: boolean | null = null;
  let appends = 0;
  let held: Promise<void> = Promise.resolve();

  return {
    ...log,
    async create(segment) {
      const made = createMade;
      createMade = null;
      if (made !== false) await log.create(segment);
      if (made !== null) throw new SegmentLogFailure(`creation of ${segment} failed`);
    },
    async append(segment, bytes) {
      appends++;
      await held;
      const added = appendBytes;
      appendBytes = null;
      const isClean = failsCleanly;
      failsCleanly = false;
      if (isClean) throw new NothingAppendedError(`append to ${segment} failed`);
      await log.append(segment, added === null ? bytes : bytes.slice(0, added));
      if (added !== null) throw new SegmentLogFailure(`append to ${segment} failed`);
    },
    async remove(segment) {
      const gone = removeGone;
      removeGone = null;
      if (gone !== false) await log.remove(segment);
      if (gone !== null) throw new SegmentLogFailure(`removal of ${segment} failed`);
    },
    failAppendAfter(bytes) {
      appendBytes = bytes;
    },
    failAppendCleanly() {
      failsCleanly = true;
    },
    failCreate(made) {
      createMade = made;
    },
    failRemove(gone) {
      removeGone = gone;
    },
    heal() {
      appendBytes = null;
      failsCleanly = false;
      createMade = null;
      removeGone = null;
    },
    appends: () => appends,
    hold() {
      let release: () => void = () => {};
      held = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
    async damage(segment, change) {
      const changed = change(await log.read(segment));
      await log.remove(segment);
      await log.create(segment);
      await log.append(segment, changed);
    },
  };
}
