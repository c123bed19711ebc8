/** Calls of the engine port as values: an engine that runs elsewhere, or again after a failure, says only once how it runs a call. */
import type { Engine } from "../src/runtime/duckdb/engine.ts";

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

  readonly append: Engine["append"] = (block, source) => this.call({ method: "append", values: [block, source] });
  readonly storeSessions: Engine["storeSessions"] = (blocks, signal) => this.call({ method: "storeSessions", values: [blocks] }, signal);
  readonly dropProps: Engine["dropProps"] = (blocks) => this.call({ method: "dropProps", values: [blocks] });
  readonly propsTexts: Engine["propsTexts"] = (siteId, numbers) => this.call({ method: "propsTexts", values: [siteId, numbers] });
  readonly drop: Engine["drop"] = (blocks) => this.call({ method: "drop", values: [blocks] });
  readonly query: Engine["query"] = (query, signal) => this.call({ method: "query", values: [query] }, signal);
  readonly queryColumns: Engine["queryColumns"] = (query, signal) => this.call({ method: "queryColumns", values: [query] }, signal);
  readonly storePartial: Engine["storePartial"] = (table, part, query, signal) =>
    this.call({ method: "storePartial", values: [table, part, query] }, signal);
  readonly dropPartials: Engine["dropPartials"] = (id, parts) => this.call({ method: "dropPartials", values: [id, parts] });
  readonly behavioralFailure: Engine["behavioralFailure"] = () => this.call({ method: "behavioralFailure", values: [] });
}
