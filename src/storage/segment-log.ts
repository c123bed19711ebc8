/** The port to wherever the journal's bytes lie: append-only files on Node, rows in a Durable Object, a map in tests. */

/** An append that failed and has left nothing behind: the segment may be appended to as before. */
export class NothingAppendedError extends Error {
  override readonly name = "NothingAppendedError";
}

/**
 * The disk did not confirm what was appended. It may never get there, whatever later syncs say: systems count pages as written that
 * a sync could not write. The log takes no more appends to that segment.
 */
export class SyncFailedError extends Error {
  override readonly name = "SyncFailedError";
}

export interface SegmentLog {
  /** The numbers of all segments, ascending. */
  list(): Promise<number[]>;
  /** Makes an empty segment; rejects when there is one of that number. Survives a crash once resolved; may be there after a rejection. */
  create(segment: number): Promise<void>;
  /**
   * Resolves when whatever came at the same moment is there too, so that one append serves all of it.
   * Absent where an append takes long enough for others to gather meanwhile.
   */
  gather?(): Promise<void>;
  /**
   * Adds bytes to the end; once resolved they are as durable as the log's sync policy promises.
   * When it rejects, any prefix of the bytes may have been added, unless it says otherwise by a `NothingAppendedError`. Calls for
   * one segment do not overlap.
   */
  append(segment: number, bytes: Uint8Array): Promise<void>;
  /**
   * Makes what was appended durable. Absent where an append or nobody does that. When it rejects, with a `SyncFailedError`, what was
   * appended since the last success may be gone after a crash. Calls do not overlap.
   */
  sync?(): Promise<void>;
  /** What it gives is durable from then on, if the policy makes anything so: a process may have died before it synced it. */
  read(segment: number): Promise<Uint8Array>;
  /** Removes a segment; removing what is not there is fine. Survives a crash once resolved: what it held may be erased by then. */
  remove(segment: number): Promise<void>;
  /** Keeps a copy of a damaged segment for a person to look at, and says where. */
  quarantine(segment: number): Promise<string>;
  /** Makes everything appended durable and lets go of it. */
  close(): Promise<void>;
}
