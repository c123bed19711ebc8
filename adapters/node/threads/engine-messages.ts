/** What crosses between the main thread and the threads of the engine. */
import type { MessagePort } from "node:worker_threads";
import { AppError } from "../../../src/runtime/base/errors.ts";
import { type Log, type LogFields, reasonOf } from "../../../src/runtime/base/metrics/log.ts";
import { EngineLostError } from "../../../src/runtime/duckdb/engine.ts";
import type { Thread } from "../../../src/runtime/duckdb/shares.ts";
import type { EngineConfig } from "../../../src/runtime/engine/duckdb-queries.ts";
import type { SnapshotReply, SnapshotRequest } from "../../../src/runtime/engine/event-feed.ts";
import type { Waiter } from "../../../src/runtime/query/progress.ts";
import type { Asker } from "../../../src/runtime/query/scope.ts";
import type { Change, EngineState, QueryEngine } from "../../../src/runtime/query/query-engine.ts";
import type { SiteId } from "../../../src/storage/event.ts";
import type { CallMessage, ReplyMessage } from "./call-port.ts";

/** The `workerData` of the thread. */
export interface EngineThreadData {
  readonly dataFolder: string;
  readonly config: EngineConfig;
  readonly thread: Thread;
}

/** A call of the port as data. An export is read, chunk by chunk, by `next`. */
export type ThreadCall =
  | {
      readonly method: "execute" | "export";
      readonly query: Parameters<QueryEngine["execute"]>[0];
      readonly asker: Omit<Asker, keyof Waiter>;
    }
  | { readonly method: "health" }
  | { readonly method: "changed"; readonly change: Change }
  | { readonly method: "next" | "return"; readonly export: number };

export interface Failure {
  readonly message: string;
  /** What an `AppError` stands for. */
  readonly failure?: AppError["failure"];
  readonly isLost: boolean;
}

export type ToThread =
  | CallMessage<ThreadCall>
  | SnapshotReply
  | { readonly module: WebAssembly.Module }
  /** Leads to another thread, for calls of `PeerCall` in both directions. */
  | { readonly peer: number; readonly port: MessagePort };

export type FromThread =
  | ReplyMessage<Failure>
  | SnapshotRequest
  /** The thread does not need the snapshot any more. */
  | { readonly closed: number }
  | { readonly state: EngineState }
  /** The number of another thread, to which a port is needed. */
  | { readonly wantedPeer: number }
  | { readonly log: keyof Log; readonly message: string; readonly fields: LogFields | undefined }
  | { readonly file: string; readonly isLeftOut: boolean }
  | { readonly unreadableRollupOf: SiteId };

export const failureOf = (error: unknown): Failure => ({
  message: reasonOf(error),
  isLost: error instanceof EngineLostError,
  ...(error instanceof AppError && { failure: error.failure }),
});

export const errorOf = ({ message, failure, isLost }: Failure): Error => {
  if (failure) return new AppError(failure, message);
  return isLost ? new EngineLostError(message) : new Error(message);
};
