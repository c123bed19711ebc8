/** A real engine whose test decides when queries start, so that it controls which of them run at the same time. */
import type { Engine, EngineQuery } from "../../src/runtime/duckdb/engine.ts";
import { createEngineShare } from "./shared-engine.ts";

export interface ControlledEngine {
  readonly engine: Engine;
  /** The number of queries received so far, including held ones. */
  readonly queryCount: number;
  /** Holds all queries from now on before they start. */
  hold(): void;
  /** Starts the held queries, and no longer holds later ones. */
  release(): void;
  /** Resolves when this many queries are held. */
  held(count: number): Promise<void>;
  /** Makes later queries endless or, with false, normal again. */
  makeEndless(endless: boolean): void;
}

/** Runs longer than any test, and can be interrupted like every query. */
const ENDLESS = "SELECT count(*) AS visitors FROM range(10000000000) AS a(i), range(1000) AS b(j) WHERE (i * j) % 7 = 3";

interface Held {
  readonly begin: () => void;
  readonly end: (reason: unknown) => void;
}

export async function createControlledEngine(): Promise<ControlledEngine> {
  const share = await createEngineShare();
  const waiting = new Set<Held>();
  let watchers: { count: number; resolve: () => void }[] = [];
  let holding = false;
  let endless = false;
  let count = 0;

  function tellWatchers(): void {
    for (const { resolve } of watchers.filter((watcher) => waiting.size >= watcher.count)) resolve();
    watchers = watchers.filter((watcher) => waiting.size < watcher.count);
  }

  /** Resolves when the query may start. Rejects when it is aborted, as `Engine.query` does. */
  function turn(signal: AbortSignal): Promise<void> {
    count++;
    if (!holding) return Promise.resolve();
    return new Promise<void>((resolve, reject) => {
      const held: Held = { begin: resolve, end: reject };
      waiting.add(held);
      signal.addEventListener("abort", () => {
        if (waiting.delete(held)) held.end(signal.reason);
      });
      tellWatchers();
    });
  }

  const meant = (query: EngineQuery): EngineQuery => (endless ? { ...query, sql: ENDLESS, parameters: [] } : query);

  return {
    engine: {
      append: (block, source) => share.append(block, source),
      addColumns: (block, columns, files) => share.addColumns(block, columns, files),
      dropProps: (blocks) => share.dropProps(blocks),
      propsTexts: (siteId, numbers) => share.propsTexts(siteId, numbers),
      drop: (blocks) => share.drop(blocks),
      async query(query, signal) {
        const effective = meant(query);
        await turn(signal);
        return share.query(effective, signal);
      },
      async queryColumns(query, signal) {
        const effective = meant(query);
        await turn(signal);
        return share.queryColumns(effective, signal);
      },
      behavioralFailure: () => share.behavioralFailure(),
      close: () => share.close(),
    },
    get queryCount() {
      return count;
    },
    hold() {
      holding = true;
    },
    release() {
      holding = false;
      for (const { begin } of waiting) begin();
      waiting.clear();
    },
    held: (wanted) =>
      new Promise((resolve) => {
        watchers.push({ count: wanted, resolve });
        tellWatchers();
      }),
    makeEndless(wanted) {
      endless = wanted;
    },
  };
}
