/** A segment log in memory that fails when and how a test says, and keeps what a disk would keep. */
import { createMemorySegmentLog } from "../../src/storage/memory-segment-log.ts";
import { NothingAppendedError, type SegmentLog } from "../../src/storage/segment-log.ts";

export interface FailingSegmentLog extends SegmentLog {
  /** The next append fails after it has added so many of its bytes. */
  failAppendAfter(bytes: number): void;
  /** The next append fails with `NothingAppendedError`. */
  failAppendCleanly(): void;
  /** The next creation fails, with the segment made or not. */
  failCreate(made: boolean): void;
  /** The next removal fails, with the segment removed or not. */
  failRemove(gone: boolean): void;
  /** Failures that were set up and have not struck are called off. */
  heal(): void;
  /** How many appends were begun. */
  appends(): number;
  /** Appends wait from now on until the returned function is called. */
  hold(): () => void;
  /** Changes a segment behind the log's back, as a failing disk does. */
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
