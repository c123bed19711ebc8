/** Opens what is stored: events, what is set for sites, goals, saved filters, annotations and rules. With ClickHouse, nodes share it. */
import { EventStore } from "../../storage/event-store.ts";
import { daysOfSpans } from "../../storage/day-sums.ts";
import type { LocalDate, SiteId } from "../../storage/event.ts";
import { EVENTS_FOLDER, parsePartitionKey, SEGMENT_NUMBER_MIN, SITE_FOLDER_PREFIX, siteFolder } from "../../storage/partitions.ts";
import { PARTITION_LISTINGS_MAX } from "../base/config/limits.ts";
import type { Clickhouse } from "../clickhouse/clickhouse.ts";
import { withoutErasedDays, type EventCatalog } from "../clickhouse/clickhouse-events.ts";
import { ImportRecords } from "../imports/import-record.ts";
import type { Host, Dependencies } from "./host.ts";
import type { Counters } from "../base/metrics/metrics.ts";
import { distributionBy, exchanged, publishTo, type Exchanged } from "../clickhouse/cluster/cluster-settings.ts";
import { openDefaultCalendar, readDefaultCalendar } from "../sites/site-calendar.ts";
import { SiteNames } from "../sites/site-names.ts";
import { Sites } from "../sites/sites.ts";
import { ANNOTATION_KIND } from "../sites/annotation.ts";
import { Collection, sharedItems, type CollectionKind } from "../sites/collection.ts";
import { GOAL_KIND } from "../sites/goal.ts";
import { RULE_KIND } from "../sites/rule.ts";
import { SEGMENT_KIND } from "../sites/segment.ts";
import { KnownSites, type SiteAdmission } from "../ingest/admission.ts";
import type { Cluster } from "../clickhouse/cluster/cluster.ts";
import { isSiteId } from "../base/config/names.ts";
import { createSyncFailureReport, type LeftOutFiles } from "../base/metrics/storage-faults.ts";
import { createSha256, toHex } from "../base/bytes.ts";

function isOfDays(key: string, siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate): boolean {
  const file = key.startsWith(`${siteFolder(siteId)}/`) ? parsePartitionKey(siteId, key, 0) : null;
  return file !== null && firstDay <= file.day && file.day <= lastDay;
}

/**
 * True if a stray key is the folder of a site under a name that no site can have: it was renamed, and reports leave its events out.
 * Other strays are not files of events; `verify` reports them.
 */
const isRenamedSite = (key: string): boolean => new RegExp(`^${EVENTS_FOLDER}/${SITE_FOLDER_PREFIX}[^/]+$`).test(key);

/** The journal of an earlier process is recovered. */
export async function openEventStore(
  { segmentLog, objects, parquet, log, now, monotonicMs, oneSite }: Host,
  counters: Counters,
  leftOutFiles: LeftOutFiles,
  clickhouse: Clickhouse | null,
  imports: ImportRecords | null,
  names: SiteNames | null,
): Promise<EventStore> {
  const { eventStore, damage } = await EventStore.open({
    replica: clickhouse ? await withoutErasedDays(clickhouse, segmentLog) : undefined,
    segmentLog,
    objects,
    parquet,
    isSiteId,
    listingsMax: PARTITION_LISTINGS_MAX,
    nowMs: Math.max(now(), SEGMENT_NUMBER_MIN, oneSite?.segmentFloor ?? 0),
    ...(oneSite && { onlySite: oneSite.siteId }),
    ...(imports && { isShown: imports.isShown, sitesWithDaySums: () => imports.sitesWithDays }),
    ...(names && { isHidden: names.isHidden }),
    onStray: (key, fault) => {
      if (isRenamedSite(key)) leftOutFiles.note(key);
      log.warn(`${key} ${fault}`);
    },
    onSyncFailure: createSyncFailureReport({ counters, log, monotonicMs }),
  });
  for (const { segment, ...details } of damage) {
    leftOutFiles.note(`journal segment ${segment}`);
    log.error("the journal is damaged; what could be read is kept, the damaged segment was set aside", { segment, ...details });
  }
  eventStore.observe({
    beforeDelete: async (siteId, firstDay, lastDay) => leftOutFiles.forgetAll((key) => isOfDays(key, siteId, firstDay, lastDay)),
  });
  const events = eventStore.unflushedEvents;
  if (events > 0) log.info("events of an earlier run were found in the journal", { events });
  return eventStore;
}

/** Imports, and the names that sites have besides their own. Both say which files count. null where sites have an instance each. */
export async function openWhatCounts(host: Host) {
  if (host.siteInstances !== undefined) return { importRecords: null, names: null };
  const importRecords = await ImportRecords.open(host.records);
  if (host.oneSite !== undefined) return { importRecords, names: null };
  const rotationDays = host.config.visitorSaltRotationDays;
  return { importRecords, names: await SiteNames.open({ ...host, rotationDays, mergedInto: importRecords.mergedInto }) };
}

/** Assumes events if storage cannot be read. */
export async function hasEvents({ siteInstances }: Pick<Host, "siteInstances">, catalog: Pick<EventCatalog, "sites">): Promise<boolean> {
  const isRegistered = siteInstances !== undefined && [...siteInstances.registered()].length > 0;
  return isRegistered || (await catalog.sites().catch(() => null))?.size !== 0;
}

/** `shared`: of a node, which follows the option `time_zone` when it has joined the others. */
export async function openSites(host: Host, catalog: EventCatalog, shared: Clickhouse | null): Promise<Sites> {
  const { oneSite, siteInstances } = host;
  const followedCalendar = () => openDefaultCalendar({ ...host, hasEvents: () => hasEvents(host, catalog) }, siteInstances?.settleMs);
  const calendar = oneSite?.defaultCalendar ?? (await (shared ? readDefaultCalendar(host.records) : followedCalendar()));
  const distribution = shared ? distributionBy(shared.settings) : siteInstances;
  return Sites.open({ ...host, calendar, distribution, sitesMax: host.config.maxSites });
}

/** `shared`: of a node, which shares them with the others. */
export async function openCollections(host: Host, shared: Clickhouse | null) {
  const { siteInstances, oneSite } = host;
  const sha256 = await createSha256();
  const open = <Fields extends object>(kind: CollectionKind<Fields>, afterChange?: () => Promise<void>): Promise<Collection<Fields>> => {
    const publish = shared ? publishTo(shared.settings, sharedItems(kind)) : undefined;
    return Collection.open(kind, { ...host, sitesMax: host.config.maxSites, publish, afterChange });
  };
  // The registry has numbers of the site's visits.
  const dropElsewhere = oneSite && (() => oneSite.registry.endDeletion());
  const goals = await open(GOAL_KIND, dropElsewhere);
  const segments = await open(SEGMENT_KIND);
  const annotations = await open(ANNOTATION_KIND);
  const rules = await open(RULE_KIND, dropElsewhere);
  return {
    goals,
    segments,
    annotations,
    rules,
    /** The stored form of the secret that identifies an owner of items. */
    hashOfOwner: (secret: string) => toHex(sha256(secret)),
    /** Removes all that was made for a site, on the instance that holds it. Resolves with whether there was something. */
    async removeItems(siteId: SiteId, signal: AbortSignal): Promise<boolean> {
      if (siteInstances) return siteInstances.removeItems(siteId);
      const withItems = [goals, segments, annotations, rules].filter((collection) => collection.of(siteId).length > 0);
      for (const collection of withItems) await collection.removeSite(siteId, signal);
      return withItems.length > 0;
    },
  };
}

export type Collections = Awaited<ReturnType<typeof openCollections>>;

/** The collections as cluster nodes share them. */
export const itemsOf = ({ goals, segments, annotations, rules }: Collections): readonly Exchanged[] => [
  exchanged(goals),
  exchanged(segments),
  exchanged(annotations),
  exchanged(rules),
];

/** `cluster` is null on an instance that is not a cluster node. */
export function createSiteList(
  { host: { config, siteInstances }, catalog, eventStore, sites, names }: Dependencies,
  knownSites: SiteAdmission,
  cluster: Cluster | null,
  imports: ImportRecords | null,
) {
  const isElsewhere = siteInstances !== undefined || catalog !== eventStore;
  const withEvents = (): Promise<Iterable<SiteId>> =>
    isElsewhere && knownSites instanceof KnownSites ? knownSites.listed() : eventStore.sites();
  return {
    /** True if a site has events, or may have some that are not known here. */
    mayHaveEvents: (siteId: SiteId): boolean => !knownSites.areListed || knownSites.has(siteId) || cluster?.isAlone === false,
    /** The days on which a site has events, or shown sums of days, oldest first. */
    async daysOf(siteId: SiteId): Promise<readonly LocalDate[]> {
      const ofEvents = await (siteInstances ?? catalog).days(siteId);
      const ofSums = (imports?.daysOf(siteId) ?? []).flatMap(({ days }) => daysOfSpans(days));
      return ofSums.length === 0 ? ofEvents : [...new Set([...ofEvents, ...ofSums])].sort();
    },
    /** Ids of all sites with data, with settings or on the allowlist, sorted (docs/http-api.md, "Sites"). */
    async siteIds(): Promise<SiteId[]> {
      await siteInstances?.confirm();
      const all = new Set([...(await withEvents()), ...sites.listed(), ...config.siteIds]);
      return [...all].filter((siteId) => names === null || names.siteOf(siteId) === siteId).sort();
    },
  };
}

export type SiteList = ReturnType<typeof createSiteList>;
