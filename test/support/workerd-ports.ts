/** A test's access to the ports of a Durable Object in workerd. */
import { request } from "node:http";
import { text } from "node:stream/consumers";
import {
  EngineFullError,
  DroppedError,
  EngineLostError,
  type Block,
  type BlockFile,
  type BlockSource,
  type Engine,
  type EngineQuery,
  type EngineUsage,
  type Loaded,
} from "../../src/runtime/duckdb/engine.ts";
import { PageFetchError, type FetchedPage, type FetchFailure, type PageFetch } from "../../src/runtime/installation/page-fetch.ts";
import type { SqlRow } from "../../src/runtime/query/sql.ts";
import { TooManyStepsError } from "../../src/runtime/query/text-matching.ts";
import type { Columns } from "../../src/storage/columns.ts";
import type { ColumnName, SiteId } from "../../src/storage/event.ts";
import type { ObjectStore, StoredObject } from "../../src/storage/object-store.ts";
import type { RecordStore } from "../../src/storage/record-store.ts";
import type { SegmentLog } from "../../src/storage/segment.ts";
import { CONTROL_HEADER, type Control } from "./workerd/control.ts";
import { decode, encode, type PortMessage, type PortName, type PortReply } from "./workerd/port-wire.ts";
import type { WorkerdRuntime } from "./workerd/runtime.ts";

export interface RemotePorts {
  readonly segmentLog: SegmentLog;
  readonly records: RecordStore;
  readonly objects: ObjectStore;
  readonly engine: Engine;
  readonly fetchPage: PageFetch;
  /** Ends the object. The next call creates a new one with the same storage. */
  reopen(): Promise<void>;
}

function errorFrom({ name, message }: { readonly name: string; readonly message: string }): Error {
  if (name === "EngineLostError") return new EngineLostError(message);
  if (name === "DroppedError") return new DroppedError(message);
  if (name === "EngineFullError") return new EngineFullError(message);
  if (name === "TooManyStepsError") return new TooManyStepsError(message);
  if (name === "PageFetchError") return new PageFetchError(message.split(": ")[1] as FetchFailure);
  return new Error(message);
}

/**
 * Resolves with the response's text. Each call uses its own connection: encoding millions of values takes so long that workerd may
 * close an idle connection, which the client would notice only on the next call.
 */
function postTo(origin: string, headers: Record<string, string>, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    request(origin, { method: "POST", agent: false, headers }, (response) => void text(response).then(resolve, reject))
      .once("error", reject)
      .end(body);
  });
}

let calls = 0;

/** The ports of the object with this name. Creates the object if it does not exist. */
export function portsOf(runtime: WorkerdRuntime, object: string): RemotePorts {
  const send = (body: string, call?: "abort"): Promise<string> => {
    const control: Control = { object, tenant: object, environment: {}, nowMs: 0, isForPorts: true, ...(call && { call }) };
    return postTo(runtime.origin(), { [CONTROL_HEADER]: JSON.stringify(control) }, body);
  };

  async function invoke(message: PortMessage): Promise<unknown> {
    const reply = decode(await send(encode(message))) as PortReply;
    if ("error" in reply) throw errorFrom(reply.error);
    return reply.result;
  }

  const caller =
    (port: PortName) =>
    <T>(method: string, ...args: unknown[]): Promise<T> =>
      invoke({ port, method, args, id: ++calls }) as Promise<T>;

  /** Rejects immediately when aborted, and cancels the call in the object. */
  async function callUntilAborted<T>(method: string, signal: AbortSignal, ...args: unknown[]): Promise<T> {
    signal.throwIfAborted();
    const id = ++calls;
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => {
        // The caller is told of the abort; the object may have ended by now.
        invoke({ cancel: id }).catch(() => {});
        reject(signal.reason as Error);
      });
    });
    return Promise.race([invoke({ port: "engine", method, args, id }) as Promise<T>, aborted]);
  }

  const [log, records, objects, engine] = [caller("segmentLog"), caller("records"), caller("objects"), caller("engine")];
  return {
    segmentLog: {
      list: () => log<number[]>("list"),
      create: (segment) => log("create", segment),
      append: (segment, bytes) => log("append", segment, bytes),
      read: (segment) => log<Uint8Array>("read", segment),
      remove: (segment) => log("remove", segment),
      quarantine: (segment) => log<string>("quarantine", segment),
      close: () => log("close"),
    },
    records: {
      read: (name) => records<Uint8Array | null>("read", name),
      write: (name, bytes) => records("write", name, bytes),
      list: (prefix) => records<string[]>("list", prefix),
      remove: (name) => records("remove", name),
    },
    objects: {
      get: (key) => objects<Uint8Array | null>("get", key),
      put: (key, bytes) => objects("put", key, bytes),
      delete: (key) => objects("delete", key),
      list: (folder) => objects<StoredObject[]>("list", folder),
      folders: (folder) => objects<string[]>("folders", folder),
    },
    engine: {
      append: (block: Block, source: BlockSource) => engine<Loaded>("append", block, source),
      addColumns: (block: number, columns: readonly ColumnName[], files: readonly BlockFile[]) =>
        engine<Loaded>("addColumns", block, columns, files),
      dropProps: (blocks: readonly number[]) => engine<EngineUsage>("dropProps", blocks),
      propsTexts: (site: SiteId, numbers: readonly number[]) => engine<string[]>("propsTexts", site, numbers),
      drop: (blocks: readonly number[]) => engine<EngineUsage>("drop", blocks),
      query: (query: EngineQuery, signal: AbortSignal) => callUntilAborted<SqlRow[]>("query", signal, query),
      queryColumns: (query: EngineQuery, signal: AbortSignal) => callUntilAborted<Columns>("queryColumns", signal, query),
      behavioralFailure: () => engine<string | null>("behavioralFailure"),
      close: () => engine("close"),
    },
    fetchPage: (url, timeoutMs) => caller("pages")<FetchedPage>("fetchPage", url.href, timeoutMs),
    async reopen() {
      await send("", "abort").catch(() => {
        // The object ends while it handles this very request.
      });
    },
  };
}
