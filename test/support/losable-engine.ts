/** A real engine that a test can lose at any moment: its tables are gone, and calls under way reject, as after a restart of its thread. */
import { EngineLostError, type Engine } from "../../src/runtime/duckdb/engine.ts";
import { createEngineShare } from "./shared-engine.ts";

export interface LosableEngine {
  readonly engine: Engine;
  lose(): Promise<void>;
}

export async function createLosableEngine(): Promise<LosableEngine> {
  const shares = [await createEngineShare()];
  let generation = 0;

  async function call<Result>(use: (share: Engine) => Promise<Result>): Promise<Result> {
    const begun = generation;
    const result = await use(shares[generation] as Engine);
    if (generation !== begun) throw new EngineLostError("the engine was lost meanwhile");
    return result;
  }

  return {
    engine: {
      get generation() {
        return generation;
      },
      append: (block, source) => call((share) => share.append(block, source)),
      storeSessions: (blocks, signal) => call((share) => share.storeSessions(blocks, signal)),
      dropProps: (blocks) => call((share) => share.dropProps(blocks)),
      propsTexts: (siteId, numbers) => call((share) => share.propsTexts(siteId, numbers)),
      drop: (blocks) => call((share) => share.drop(blocks)),
      query: (query, signal) => call((share) => share.query(query, signal)),
      queryColumns: (query, signal) => call((share) => share.queryColumns(query, signal)),
      storePartial: (table, part, query, signal) => call((share) => share.storePartial(table, part, query, signal)),
      dropPartials: (id, parts) => call((share) => share.dropPartials(id, parts)),
      behavioralFailure: () => call((share) => share.behavioralFailure()),
      // Those that were lost may still have calls under way, so all are closed together.
      close: async () => void (await Promise.all(shares.map((share) => share.close()))),
    },
    async lose() {
      shares.push(await createEngineShare());
      generation++;
    },
  };
}
