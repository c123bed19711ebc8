/** A real engine whose test decides when queries start, so that it controls which of them run at the same time. */
import type { Engine, EngineQuery } from "../../src/runtime/engine/engine.ts";
import { createEngineShare } from "./shared-engine.ts";

export interface ControlledEngine {
  readonly engine: Engine;
  /** Queries that were begun or are held. */
  readonly asked: number;
  /** From now on queries wait before they begin. */
  hold(): void;
  /** Lets those that wait begin, and all that follow. */
  release(): void;
  /** Resolves when so many queries wait. */
  held(count: number): Promise<void>;
  /** Makes queries from now on endless or, with false, normal. */
  makeEndless(endless: boolean): void;
}

/** Works for longer than any test, in chunks as every query. */
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

  /** Resolves when it is released, and rejects when it is aborted, as the port requires of a query. */
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
      generation: 0,
      append: (block, source) => share.append(block, source),
      dropProps: (blocks) => share.dropProps(blocks),
      propsTexts: (siteId, numbers) => share.propsTexts(siteId, numbers),
      drop: (blocks) => share.drop(blocks),
      async query(query, signal) {
        const asked = meant(query);
        await turn(signal);
        return share.query(asked, signal);
      },
      async queryNumbers(query, signal) {
        const asked = meant(query);
        await turn(signal);
        return share.queryNumbers(asked, signal);
      },
      async storePartial(table, part, query, signal) {
        await turn(signal);
        return share.storePartial(table, part, query, signal);
      },
      dropPartials: (id, parts) => share.dropPartials(id, parts),
      loadExtension: (extension) => share.loadExtension(extension),
      close: () => share.close(),
    },
    get asked() {
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
