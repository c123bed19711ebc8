/** Opens the store of events: what the host stores, with ClickHouse as its replica where that is configured. */
import { EventStore } from "../../storage/event-store.ts";
import type { LocalDate, SiteId } from "../../storage/event.ts";
import { EVENTS_FOLDER, parsePartitionKey, siteFolder, SITE_FOLDER_PREFIX } from "../../storage/partition-path.ts";
import type { JournalDamage } from "../../storage/journal-replay.ts";
import { PARTITION_LISTINGS_MAX } from "../base/config/limits.ts";
import { isSiteId } from "../base/config/names.ts";
import type { Clickhouse } from "../clickhouse/clickhouse.ts";
import { withoutErasedDays } from "../clickhouse/recovered-events.ts";
import type { Host } from "./host.ts";
import type { Counters } from "../base/metrics/counters.ts";
import { createSyncFailureReport, type LeftOutFiles } from "../base/metrics/storage-faults.ts";
import type { Log } from "../base/metrics/log.ts";

function reportDamage(damage: readonly JournalDamage[], leftOutFiles: LeftOutFiles, log: Log): void {
  for (const { segment, damagedLines, keptAt } of damage) {
    leftOutFiles.note(`journal segment ${segment}`);
    log.error("the journal is damaged; what could be read is kept, the damaged segment was set aside", {
      segment,
      damagedLines,
      keptAt,
    });
  }
}

function isOfDays(key: string, siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate): boolean {
  const file = key.startsWith(`${siteFolder(siteId)}/`) ? parsePartitionKey(siteId, key, 0) : null;
  return file !== null && firstDay <= file.day && file.day <= lastDay;
}

/**
 * True if a stray key is the folder of a site under a name that no site can have: it was renamed, and reports leave its events out.
 * Other strays are no files of events; `verify` reports them.
 */
const isRenamedSite = (key: string): boolean => new RegExp(`^${EVENTS_FOLDER}/${SITE_FOLDER_PREFIX}[^/]+$`).test(key);

/** The journal of an earlier process is recovered. */
export async function openEventStore(
  { segmentLog, objects, parquet, log, now, monotonicMs, oneSite }: Host,
  counters: Counters,
  leftOutFiles: LeftOutFiles,
  clickhouse: Clickhouse | null,
): Promise<EventStore> {
  const { eventStore, damage } = await EventStore.open({
    replica: clickhouse ? await withoutErasedDays(clickhouse, segmentLog) : undefined,
    segmentLog,
    objects,
    parquet,
    isSiteId,
    listingsMax: PARTITION_LISTINGS_MAX,
    nowMs: Math.max(now(), oneSite?.segmentFloor ?? 0),
    ...(oneSite && { onlySite: oneSite.siteId }),
    onStray: (key, fault) => {
      if (isRenamedSite(key)) leftOutFiles.note(key);
      log.warn(`${key} ${fault}`);
    },
    onSyncFailure: createSyncFailureReport({ counters, log, monotonicMs }),
  });
  reportDamage(damage, leftOutFiles, log);
  eventStore.observe({
    beforeDelete: async (siteId, firstDay, lastDay) => leftOutFiles.forgetAll((key) => isOfDays(key, siteId, firstDay, lastDay)),
  });
  const events = eventStore.unflushedEvents;
  if (events > 0) log.info("events of an earlier run were found in the journal", { events });
  return eventStore;
}
