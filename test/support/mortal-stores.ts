/** Stores of a process that crashes, or fails once, at its n-th change; the next process opens what they hold then. */
import { createMemoryObjectStore } from "./memory-object-store.ts";
import { createMemoryRecordStore } from "./memory-record-store.ts";
import { createMemorySegmentLog } from "./memory-segment-log.ts";
import type { ObjectKey, ObjectStore } from "../../src/storage/object-store.ts";
import type { RecordStore } from "../../src/storage/record-store.ts";
import type { SegmentLog } from "../../src/storage/segment.ts";

export interface Strike {
  /** The number of the failing call, from 1. Counts changes, or appends if one is to be half done, or reads. */
  readonly atChange: number;
  /** Whether a read fails instead of a change. */
  readonly ofReads?: boolean;
  /** Which objects' changes count; all changes of all stores if absent. */
  readonly ofObjects?: (key: ObjectKey) => boolean;
  /** Whether the failing change is done, half done or not done. */
  readonly when: "before" | "halfway" | "after";
  /** Whether the process crashes at that point: its later changes have no effect. */
  readonly deadly: boolean;
}

export interface Stores {
  readonly objects: ObjectStore;
  readonly segmentLog: SegmentLog;
  /** Of tests of pings. Others have one that does not fail. */
  readonly pingLog?: SegmentLog;
  readonly records: RecordStore;
}

export interface MortalStores extends Stores {
  /** The number of changes started. */
  changes(): number;
  hasStruck(): boolean;
}

export const memoryStores = (): Stores => ({
  objects: createMemoryObjectStore(),
  segmentLog: createMemorySegmentLog(),
  records: createMemoryRecordStore(),
});

/** The stores of a process that fails as `strike` says. */
export function mortalStores({ objects, segmentLog, pingLog, records }: Stores, strike: Strike | null): MortalStores {
  let changes = 0;
  let struck = false;
  const isDead = (): boolean => struck && strike?.deadly === true;

  async function change(make: () => Promise<void>, makeHalf?: () => Promise<void>, key?: ObjectKey): Promise<void> {
    if (isDead()) throw new Error("the process is dead");
    if (strike?.ofObjects && (key === undefined || !strike.ofObjects(key))) return make();
    if (strike?.when !== "halfway" || makeHalf) changes++;
    if (struck || changes !== strike?.atChange || strike.ofReads) return make();
    struck = true;
    if (strike.when === "after") await make();
    if (strike.when === "halfway") await makeHalf?.();
    throw new Error(`told to fail at change ${changes}`);
  }

  let reads = 0;
  const reading =
    <A extends unknown[], T>(read: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      reads++;
      if (!strike?.ofReads || struck || reads !== strike.atChange) return read(...args);
      struck = true;
      throw new Error(`told to fail at read ${reads}`);
    };

  const mortalLog = (log: SegmentLog): SegmentLog => ({
    ...log,
    list: reading(log.list),
    read: reading(log.read),
    create: (segment) => change(() => log.create(segment)),
    append: (segment, bytes) =>
      change(
        () => log.append(segment, bytes),
        () => log.append(segment, bytes.slice(0, bytes.length / 2)),
      ),
    remove: (segment) => change(() => log.remove(segment)),
  });

  return {
    changes: () => changes,
    hasStruck: () => struck,
    objects: {
      get: reading(objects.get),
      list: reading(objects.list),
      folders: reading(objects.folders),
      put: (key, bytes) => change(() => objects.put(key, bytes), undefined, key),
      delete: (key) => change(() => objects.delete(key), undefined, key),
    },
    records: {
      read: reading(records.read),
      list: reading(records.list),
      write: (name, bytes) => change(() => records.write(name, bytes)),
      remove: (name) => change(() => records.remove(name)),
    },
    segmentLog: mortalLog(segmentLog),
    ...(pingLog && { pingLog: mortalLog(pingLog) }),
  };
}
