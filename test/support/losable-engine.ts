/** A real engine that a test can lose at any moment: calls under way and later ones reject, as after a failure of its database. */
import { CallingEngine, runCall, type EngineCall } from "../../src/runtime/duckdb/on-demand-engine.ts";
import { EngineLostError, type Engine } from "../../src/runtime/duckdb/engine.ts";
import { createEngineShare } from "./shared-engine.ts";

export class LosableEngine extends CallingEngine {
  readonly #share: Engine;
  #isLost = false;

  constructor(share: Engine) {
    super();
    this.#share = share;
  }

  protected async call(call: EngineCall, signal?: AbortSignal): Promise<never> {
    const result = this.#isLost ? null : await runCall(this.#share, call, signal);
    if (this.#isLost) throw new EngineLostError("the engine was lost meanwhile");
    return result as never;
  }

  lose(): void {
    this.#isLost = true;
  }

  close(): Promise<void> {
    return this.#share.close();
  }
}

export const createLosableEngine = async (): Promise<LosableEngine> => new LosableEngine(await createEngineShare());
