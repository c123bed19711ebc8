/**
 * The database of one life of a query engine: opened by the first call that needs it, and lost with all that it holds when it fails. What
 * is lost is not restarted here: a new life begins (`engine/restarting-engine.ts`).
 */
import { reasonOf } from "../base/metrics/log.ts";
import { unlessAborted } from "../base/queue.ts";
import { type Engine, EngineFullError, EngineLostError } from "./engine.ts";
import { isFatal, isOutOfMemory } from "./tables/connections.ts";

type Method = Exclude<keyof Engine, "close">;

type WithoutSignal<Values extends readonly unknown[]> = Values extends readonly [...infer Others, AbortSignal] ? Others : Values;

/** A call without its signal. */
export type EngineCall = { [M in Method]: { readonly method: M; readonly values: WithoutSignal<Parameters<Engine[M]>> } }[Method];

/** Runs the call. Methods that cannot be aborted ignore the signal. */
export async function runCall(engine: Engine, { method, values }: EngineCall, signal?: AbortSignal): Promise<unknown> {
  return Reflect.apply(engine[method], engine, [...values, signal]);
}

/** An engine that says only once how it runs a call. */
export abstract class CallingEngine implements Engine {
  abstract close(): Promise<void>;

  /** Resolves with what the method returns. */
  protected abstract call(call: EngineCall, signal?: AbortSignal): Promise<never>;

  readonly append: Engine["append"] = (block, source) => this.call({ method: "append", values: [block, source] });
  readonly addColumns: Engine["addColumns"] = (block, columns, files) =>
    this.call({ method: "addColumns", values: [block, columns, files] });
  readonly dropProps: Engine["dropProps"] = (blocks) => this.call({ method: "dropProps", values: [blocks] });
  readonly propsTexts: Engine["propsTexts"] = (siteId, numbers) => this.call({ method: "propsTexts", values: [siteId, numbers] });
  readonly drop: Engine["drop"] = (blocks) => this.call({ method: "drop", values: [blocks] });
  readonly query: Engine["query"] = (query, signal) => this.call({ method: "query", values: [query] }, signal);
  readonly queryColumns: Engine["queryColumns"] = (query, signal) => this.call({ method: "queryColumns", values: [query] }, signal);
  readonly behavioralFailure: Engine["behavioralFailure"] = () => this.call({ method: "behavioralFailure", values: [] });
}

export class OnDemandEngine extends CallingEngine {
  readonly #open: () => Promise<Engine>;
  #opened: Promise<Engine> | null = null;
  #isLost = false;

  constructor(open: () => Promise<Engine>) {
    super();
    this.#open = open;
  }

  protected async call(call: EngineCall, signal?: AbortSignal): Promise<never> {
    if (this.#isLost) throw new EngineLostError("the engine failed before the call");
    const opened = (this.#opened ??= this.#start());
    try {
      return (await runCall(await (signal ? unlessAborted(opened, signal) : opened), call, signal)) as never;
    } catch (error) {
      if (!isFatal(error) && !(error instanceof EngineLostError)) throw error;
      this.#isLost = true;
      // Another attempt would fail in the same way.
      if (isOutOfMemory(error)) throw new EngineFullError("the query needs more memory than the engine has");
      throw error instanceof EngineLostError ? error : new EngineLostError(`the engine failed: ${reasonOf(error)}`);
    }
  }

  async #start(): Promise<Engine> {
    try {
      return await this.#open();
    } catch (error) {
      this.#isLost = true;
      throw new EngineLostError(`the engine did not start: ${reasonOf(error)}`);
    }
  }

  async close(): Promise<void> {
    this.#isLost = true;
    const opened = await this.#opened?.catch(() => null);
    await opened?.close();
  }
}
