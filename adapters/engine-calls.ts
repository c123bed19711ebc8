/** Calls of the engine port as values: an engine that runs elsewhere, or again after a failure, says only once how it runs a call. */
import type {
  Block,
  BlockSource,
  Engine,
  EngineQuery,
  EngineUsage,
  Loaded,
  PartialTable,
  StoredPartial,
} from "../src/runtime/duckdb/engine.ts";
import type { SqlRow } from "../src/runtime/query/sql.ts";
import type { Columns } from "../src/storage/columns.ts";
import type { SiteId } from "../src/storage/event.ts";

type Method = Exclude<keyof Engine, "generation" | "close">;

type WithoutSignal<Values extends readonly unknown[]> = Values extends readonly [...infer Others, AbortSignal] ? Others : Values;

/** A call without its signal, which cannot be sent to a thread. */
export type EngineCall = { [M in Method]: { readonly method: M; readonly values: WithoutSignal<Parameters<Engine[M]>> } }[Method];

/** Runs the call. Methods that cannot be aborted ignore the signal. */
export async function runCall(engine: Engine, { method, values }: EngineCall, signal?: AbortSignal): Promise<unknown> {
  return Reflect.apply(engine[method], engine, [...values, signal]);
}

export abstract class CallingEngine implements Engine {
  abstract readonly generation: number;

  abstract close(): Promise<void>;

  /** Resolves with what the method returns. */
  protected abstract call(call: EngineCall, signal?: AbortSignal): Promise<never>;

  append(block: Block, source: BlockSource): Promise<Loaded> {
    return this.call({ method: "append", values: [block, source] });
  }

  storeSessions(blocks: readonly number[], signal: AbortSignal): Promise<EngineUsage> {
    return this.call({ method: "storeSessions", values: [blocks] }, signal);
  }

  dropProps(blocks: readonly number[]): Promise<EngineUsage> {
    return this.call({ method: "dropProps", values: [blocks] });
  }

  propsTexts(siteId: SiteId, numbers: readonly number[]): Promise<string[]> {
    return this.call({ method: "propsTexts", values: [siteId, numbers] });
  }

  drop(blocks: readonly number[]): Promise<EngineUsage> {
    return this.call({ method: "drop", values: [blocks] });
  }

  query(query: EngineQuery, signal: AbortSignal): Promise<SqlRow[]> {
    return this.call({ method: "query", values: [query] }, signal);
  }

  queryColumns(query: EngineQuery, signal: AbortSignal): Promise<Columns> {
    return this.call({ method: "queryColumns", values: [query] }, signal);
  }

  storePartial(table: PartialTable, part: number, query: EngineQuery, signal: AbortSignal): Promise<StoredPartial> {
    return this.call({ method: "storePartial", values: [table, part, query] }, signal);
  }

  dropPartials(id: number, parts: readonly number[] | "all"): Promise<EngineUsage> {
    return this.call({ method: "dropPartials", values: [id, parts] });
  }

  behavioralFailure(): Promise<string | null> {
    return this.call({ method: "behavioralFailure", values: [] });
  }
}
