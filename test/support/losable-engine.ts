/** A real engine that a test can lose at any moment: its tables are gone, and calls under way reject, as after a restart of its thread. */
import { CallingEngine, runCall, type EngineCall } from "../../adapters/engine-calls.ts";
import { EngineLostError, type Engine } from "../../src/runtime/duckdb/engine.ts";
import { createEngineShare } from "./shared-engine.ts";

export interface LosableEngine {
  readonly engine: Engine;
  lose(): Promise<void>;
}

class ShareEngine extends CallingEngine {
  readonly shares: Engine[];

  constructor(share: Engine) {
    super();
    this.shares = [share];
  }

  get generation(): number {
    return this.shares.length - 1;
  }

  protected async call(call: EngineCall, signal?: AbortSignal): Promise<never> {
    const begun = this.generation;
    const result = await runCall(this.shares[begun] as Engine, call, signal);
    if (this.generation !== begun) throw new EngineLostError("the engine was lost meanwhile");
    return result as never;
  }

  /** Lost shares may still have calls under way, so all are closed together. */
  async close(): Promise<void> {
    await Promise.all(this.shares.map((share) => share.close()));
  }
}

export async function createLosableEngine(): Promise<LosableEngine> {
  const engine = new ShareEngine(await createEngineShare());
  return { engine, lose: async () => void engine.shares.push(await createEngineShare()) };
}
