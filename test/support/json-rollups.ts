/** Rollups as JSON, for tests of where they are stored and when they are deleted, whatever is in them. */
import type { RollupCalculator } from "../../src/runtime/duckdb/rollups/rollup-calculator.ts";
import type { LocalDate } from "../../src/storage/event.ts";
import type { ObjectKey, ObjectStore } from "../../src/storage/object-store.ts";
import type { RollupHeader, RollupOrigin } from "../../src/storage/rollup.ts";

export interface JsonRollup extends RollupHeader {
  /** What the rollup was made of. */
  readonly content: readonly string[];
}

export interface JsonRollups {
  readonly calculator: Pick<RollupCalculator, "headers">;
  /** The keys whose headers were read, one list for each call. */
  readonly reads: (readonly ObjectKey[])[];
}

export function jsonRollupBytes(origin: RollupOrigin, header: Partial<JsonRollup> = {}): Uint8Array {
  const rollup: JsonRollup = { measures: { main: 1 }, hasAllProperties: false, content: [], ...origin, ...header };
  return new TextEncoder().encode(JSON.stringify(rollup));
}

/** Null for an object that is missing or something else. */
export async function readJsonRollup(objects: ObjectStore, key: ObjectKey): Promise<JsonRollup | null> {
  const bytes = await objects.get(key);
  try {
    return bytes && (JSON.parse(new TextDecoder().decode(bytes)) as JsonRollup);
  } catch {
    return null;
  }
}

export function jsonRollups(objects: ObjectStore): JsonRollups {
  const reads: (readonly ObjectKey[])[] = [];
  return {
    reads,
    calculator: {
      headers(keys) {
        reads.push(keys);
        return Promise.all(keys.map((key) => readJsonRollup(objects, key)));
      },
    },
  };
}

/** A day as a literal of a test, which must be valid. */
export const day = (text: string): LocalDate => text as LocalDate;
