/**
 * The port for what logins leave until the service restarts. On Node that is memory; a host that may end an idle instance without a
 * restart stores it. Entries hold no client address, and only hashes of tokens and of the setup code.
 */
import type { EpochMs } from "../../storage/event.ts";

export interface KeptEntry {
  readonly key: string;
  readonly value: string;
  /** By the wall clock, because a monotonic clock begins again with the instance. */
  readonly endMs: EpochMs;
}

/** Entries of one kind. A change is durable before a response that depends on it is sent. */
export interface KeptEntries {
  /** The earliest end first. */
  list(): readonly KeptEntry[];
  set(entry: KeptEntry): void;
  remove(key: string): void;
}

export type KeptKind = "session" | "viewer" | "setup_code";

export type KeepEntries = (kind: KeptKind) => KeptEntries;

/** Memory outlives everything but a restart. */
export const KEPT_IN_MEMORY: KeptEntries = { list: () => [], set() {}, remove() {} };
