/** Partition files as a flush writes them. */
import { type EpochMs, type SiteId, type StoredEvent, utcDateOf } from "../../src/storage/event.ts";
import type { ObjectStore } from "../../src/storage/object-store.ts";
import { encodeEvents } from "../../src/storage/parquet-events.ts";
import { partitionKey } from "../../src/storage/partitions.ts";
import { anEvent } from "./stored-event.ts";

/** Writes a file with these events, or with two, for the day of that time. Returns its key. */
export async function storeDay(
  objects: ObjectStore,
  siteId: SiteId,
  atMs: EpochMs,
  events: readonly Partial<StoredEvent>[] = [{}, {}],
): Promise<string> {
  const key = partitionKey(siteId, utcDateOf(atMs), 1, 1);
  await objects.put(key, encodeEvents(events.map((fields) => anEvent({ ...fields, siteId, timestampMs: atMs }))));
  return key;
}
