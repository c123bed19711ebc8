/** The port to storage of the journal's bytes: append-only files on Node, rows in a Durable Object, a map in tests. */

/** A failed append that added no bytes: the segment still accepts appends. */
export class NothingAppendedError extends Error {
  override readonly name = "NothingAppendedError";
}

/**
 * The disk did not confirm appended bytes. They may never become durable, even if later syncs succeed: operating systems mark pages
 * as clean after a failed sync. The log rejects further appends to that segment.
 */
export class SyncFailedError extends Error {
  override readonly name = "SyncFailedError";
}

export interface SegmentLog {
  /** The numbers of all segments, ascending. */
  list(): Promise<number[]>;
  /** Creates an empty segment; rejects if the number is taken. Durable once resolved; may exist after a rejection. */
  create(segment: number): Promise<void>;
  /**
   * Resolves when concurrent events have arrived, so that one append writes all of them.
   * Absent where an append takes long enough for others to accumulate.
   */
  gather?(): Promise<void>;
  /**
   * Adds bytes to the end; once resolved they are as durable as the log's sync policy promises.
   * When it rejects, any prefix of the bytes may have been added, unless it says otherwise by a `NothingAppendedError`. Calls for
   * one segment do not overlap.
   */
  append(segment: number, bytes: Uint8Array): Promise<void>;
  /**
   * Makes what was appended durable. Absent where an append does that, or nothing does. Rejects with a `SyncFailedError`: a crash
   * may then lose everything appended since the last success. Calls do not overlap.
   */
  sync?(): Promise<void>;
  /** The bytes are durable once returned, if the sync policy syncs at all: an earlier process may have died before its sync. */
  read(segment: number): Promise<Uint8Array>;
  /** Removes a segment; succeeds for an unknown one. Durable once resolved, because its events may be erased next. */
  remove(segment: number): Promise<void>;
  /** Copies a damaged segment aside for inspection; returns where. */
  quarantine(segment: number): Promise<string>;
  /** Makes everything appended durable and releases all resources. */
  close(): Promise<void>;
}
