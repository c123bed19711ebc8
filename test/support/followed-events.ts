/** Tells a cache of partitions about changes of the events, as an instance tells its engine. */
import type { PartitionCache } from "../../src/runtime/duckdb/cache/partition-cache.ts";
import type { EventStore } from "../../src/storage/event-store.ts";

export const follow = (eventStore: EventStore, partitionCache: PartitionCache): void =>
  eventStore.observe({
    beforeRelease: (siteId, segment, days) => partitionCache.deliverRest(siteId, segment, days),
    beforeDelete: async (siteId, firstDay, lastDay) => partitionCache.forgetDays(siteId, { firstDay, lastDay }),
  });
