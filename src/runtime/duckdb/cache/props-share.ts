/** Limits the memory of custom properties: blocks keep theirs up to a share of the budget, and the largest are dropped first. */
import { EngineFullError, type Engine } from "../engine.ts";
import type { EngineMemory } from "./engine-memory.ts";

/** The state of a block's properties. */
export interface KeptProps {
  /** Their size; null once they are dropped. A report that needs them then reloads the block. */
  bytes: number | null;
  /** The number of queries and loads that use them now. */
  pins: number;
}

export interface BlockWithProps {
  readonly id: number;
  readonly props: KeptProps;
}

export class PropsShare {
  readonly #engine: Engine;
  readonly #memory: EngineMemory;

  constructor(engine: Engine, memory: EngineMemory) {
    this.#engine = engine;
    this.#memory = memory;
  }

  #excess(blocks: Iterable<BlockWithProps>, bytesMax = this.#memory.propsBytesMax): number {
    let bytes = 0;
    for (const { props } of blocks) bytes += props.bytes ?? 0;
    return bytes - bytesMax;
  }

  /** Drops unpinned properties beyond the limit, the largest first, so that as many blocks as possible keep theirs. */
  async limit(blocks: ReadonlySet<BlockWithProps>, bytesMax?: number): Promise<void> {
    let excess = this.#excess(blocks, bytesMax);
    if (excess <= 0) return;
    // Skip blocks without properties: the engine may not know them yet, and would then ignore the call but keep what is loaded later.
    const unpinned = [...blocks]
      .filter(({ props }) => props.pins === 0 && (props.bytes ?? 0) > 0)
      .sort((a, b) => (b.props.bytes ?? 0) - (a.props.bytes ?? 0));
    const dropped: number[] = [];
    for (const { id, props } of unpinned) {
      if (excess <= 0) break;
      excess -= props.bytes ?? 0;
      props.bytes = null;
      dropped.push(id);
    }
    this.#memory.note(await this.#engine.dropProps(dropped));
  }

  /** Throws `EngineFullError` unless all `wanted` blocks have kept their properties and all blocks together are within the limit. */
  check(wanted: Iterable<BlockWithProps>, blocks: Iterable<BlockWithProps>): void {
    const isKept = [...wanted].every(({ props }) => props.bytes !== null);
    if (!isKept || this.#excess(blocks) > 0)
      throw new EngineFullError("the properties of the range do not fit into their share of the engine's memory");
  }
}
