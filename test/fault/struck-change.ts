/** A change of a data folder that a power loss or a kill interrupts at each of its calls, and what the next start finds. */
import { expect } from "vitest";
import { createFolder } from "../../adapters/node/files/durable-files.ts";
import type { FileSystem } from "../../adapters/node/files/file-system.ts";
import { numbersFrom } from "../support/seeded-numbers.mjs";
import { SimulatedDisk, type Strike } from "../support/simulated-disk.ts";

/** The folder of the simulated disk. */
export const DATA_FOLDER = "/data";

const CALLS_MAX = 100;
const SEEDS = 5;

export interface Change<Found> {
  /** What was there, and is durable. */
  readonly before: (files: FileSystem) => Promise<unknown>;
  readonly change: (files: FileSystem) => Promise<unknown>;
  readonly find: (files: FileSystem) => Promise<Found>;
  /** What may be found. */
  readonly found: readonly Found[];
  /** What must be found if the change was confirmed. */
  readonly after: Found;
}

/** Null if the strike came after all calls of the change. */
async function struck<Found>(
  { before, change, find }: Change<Found>,
  seed: number,
  strike: Strike,
): Promise<{ readonly found: Found; readonly isDone: boolean } | null> {
  const disk = new SimulatedDisk(numbersFrom(seed));
  const first = disk.boot();
  await createFolder(DATA_FOLDER, first.files);
  await before(first.files);
  first.losePower();
  const second = disk.boot({ strike });
  const isDone = await change(second.files).then(
    () => true,
    () => false,
  );
  return second.isOff() ? { found: await find(disk.boot().files), isDone } : null;
}

export async function expectWholeAtEachCall<Found>(change: Change<Found>): Promise<void> {
  for (const kind of ["power loss", "kill"] as const) {
    for (const when of ["before", "during", "after"] as const) {
      let isStruck = true;
      for (let atCall = 1; isStruck; atCall++) {
        for (let seed = 1; seed <= SEEDS; seed++) {
          const end = await struck(change, seed, { atCall, when, kind });
          isStruck = end !== null;
          if (end === null) break;
          const at = `${kind} ${when} call ${atCall}, seed ${seed}`;
          expect(change.found, at).toContainEqual(end.found);
          if (end.isDone) expect(end.found, at).toEqual(change.after);
        }
        expect(atCall).toBeLessThan(CALLS_MAX);
      }
    }
  }
}
