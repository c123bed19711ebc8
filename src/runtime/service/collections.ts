/** Opens the goals, segments and annotations of all sites. */
import type { SiteId } from "../../storage/event.ts";
import { createSha256, toHex } from "../base/bytes.ts";
import { ANNOTATION_KIND, type AnnotationFields } from "../sites/annotation.ts";
import type { Clickhouse } from "../clickhouse/clickhouse.ts";
import { sharedItemOf, sharedItems, type SharedItems } from "../clickhouse/cluster/cluster-items.ts";
import { Collection, type CollectionKind, type ItemChange } from "../sites/collection.ts";
import { GOAL_KIND, type GoalFields } from "../sites/goal.ts";
import { SEGMENT_KIND, type SegmentFields } from "../sites/segment.ts";
import type { Host } from "./host.ts";

export interface Collections {
  readonly goals: Collection<GoalFields>;
  readonly segments: Collection<SegmentFields>;
  readonly annotations: Collection<AnnotationFields>;
  /** What is stored of the secret by which an owner of items is known. */
  hashOfOwner(secret: string): string;
  /** Removes all that was made for a site, on the instance that holds it. Resolves with whether there was something. */
  removeItems(siteId: SiteId, signal: AbortSignal): Promise<boolean>;
}

/** `shared`: of a node, which shares them with the others. */
export async function openCollections(host: Host, shared: Clickhouse | null): Promise<Collections> {
  const { siteInstances } = host;
  const sha256 = await createSha256();
  const open = <Fields extends object>(kind: CollectionKind<Fields>): Promise<Collection<Fields>> => {
    const publish = shared ? (changes: readonly ItemChange<Fields>[]) => shared.settings.add(changes.map(sharedItemOf(kind))) : undefined;
    return Collection.open(kind, { ...host, sitesMax: host.config.maxSites, publish });
  };
  const goals = await open(GOAL_KIND);
  const segments = await open(SEGMENT_KIND);
  const annotations = await open(ANNOTATION_KIND);
  return {
    goals,
    segments,
    annotations,
    hashOfOwner: (secret) => toHex(sha256(secret)),
    async removeItems(siteId, signal) {
      if (siteInstances) return siteInstances.removeItems(siteId);
      const withItems = [goals, segments, annotations].filter((collection) => collection.of(siteId).length > 0);
      for (const collection of withItems) await collection.removeSite(siteId, signal);
      return withItems.length > 0;
    },
  };
}

/** The items that nodes share. */
export const itemsOf = ({ goals, segments, annotations }: Collections): readonly SharedItems[] => [
  sharedItems(goals),
  sharedItems(segments),
  sharedItems(annotations),
];
