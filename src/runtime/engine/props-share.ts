/** Which cached blocks keep the properties of their events: as many as fit into a share of the memory; the largest are dropped first. */
import { EngineFullError, type Engine } from "./engine.ts";
import type { EngineMemory } from "./engine-memory.ts";

/** What is known of a block's properties. */
export interface KeptProps {
  /** Null once they are dropped: a report that needs them has to load the block again. */
  bytes: number | null;
  /** Queries and loads that need them now. */
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

  /** Drops what does not fit and no query needs, the largest first: a few blocks with long properties make room for many with short ones. */
  async limit(blocks: ReadonlySet<BlockWithProps>, bytesMax?: number): Promise<void> {
    let excess = this.#excess(blocks, bytesMax);
    if (excess <= 0) return;
    // A block that has none yet may not be in the engine yet, which would keep those that come in spite of being told now.
    const unneeded = [...blocks]
      .filter(({ props }) => props.pins === 0 && (props.bytes ?? 0) > 0)
      .sort((a, b) => (b.props.bytes ?? 0) - (a.props.bytes ?? 0));
    const dropped: number[] = [];
    for (const { id, props } of unneeded) {
      if (excess <= 0) break;
      excess -= props.bytes ?? 0;
      props.bytes = null;
      dropped.push(id);
    }
    this.#memory.note(await this.#engine.dropProps(dropped));
  }

  /** Rejects unless all of these are kept, and within the share together with what others need. */
  check(wanted: Iterable<BlockWithProps>, blocks: Iterable<BlockWithProps>): void {
    const isKept = [...wanted].every(({ props }) => props.bytes !== null);
    if (!isKept || this.#excess(blocks) > 0)
      throw new EngineFullError("the properties of the range do not fit into their share of the engine's memory");
  }
}
