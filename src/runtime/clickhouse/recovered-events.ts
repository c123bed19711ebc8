/**
 * The events of an earlier process's journal that ClickHouse gets: all except those of days that were erased meanwhile, which are only
 * written to files, and deleted with these. So no result contains them, not even for a moment.
 */
import type { EventReplica, ReplicatedEvents } from "../../storage/event-replica.ts";
import type { SiteId } from "../../storage/event.ts";
import type { SegmentLog } from "../../storage/segment-log.ts";
import { covers, type ErasureRequest, type ErasureRequests } from "./deletion.ts";

interface RecoveredEventsParts {
  readonly events: EventReplica;
  readonly requests: Pick<ErasureRequests, "pending">;
}

/** Called before the journal is opened. */
export async function withoutErasedDays(
  { events, requests }: RecoveredEventsParts,
  segmentLog: Pick<SegmentLog, "list">,
): Promise<EventReplica> {
  const lastRecovered = (await segmentLog.list()).at(-1) ?? 0;
  let atStart: Promise<readonly ErasureRequest[]> | null = null;
  /** Rejects while ClickHouse does not respond: then the flush fails, and is tried again. */
  const requestedBefore = () =>
    (atStart ??= requests.pending().catch((error: unknown) => {
      atStart = null;
      throw error;
    }));
  async function erasedSites({ sites, day, segment }: ReplicatedEvents): Promise<readonly SiteId[]> {
    if (segment > lastRecovered) return [];
    const requested = await requestedBefore();
    return sites.filter((siteId) => requested.some((request) => covers(request, siteId, day)));
  }
  return {
    async insert(segmentEvents, signal) {
      await events.insert({ ...segmentEvents, exceptSites: await erasedSites(segmentEvents) }, signal);
    },
    delete: (...days) => events.delete(...days),
    deleteExpired: (...days) => events.deleteExpired(...days),
  };
}
