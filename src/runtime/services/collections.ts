/** Opens what people make for sites: goals, segments and annotations. */
import type { SiteId } from "../../storage/event.ts";
import { createSha256, toHex } from "../auth/sha256.ts";
import { ANNOTATION_KIND, type AnnotationFields } from "../sites/annotation.ts";
import { Collection } from "../sites/collection.ts";
import { GOAL_KIND, type GoalFields } from "../sites/goal.ts";
import { SEGMENT_KIND, type SegmentFields } from "../sites/segment.ts";
import type { Host } from "./host.ts";

export interface Collections {
  readonly goals: Collection<GoalFields>;
  readonly segments: Collection<SegmentFields>;
  readonly annotations: Collection<AnnotationFields>;
  /** What is stored of the secret by which an owner of items is known. */
  hashOfOwner(secret: string): string;
  /** Removes all that was made for a site, on the instance that holds it. */
  removeItems(siteId: SiteId, signal: AbortSignal): Promise<void>;
}

export async function openCollections(host: Host): Promise<Collections> {
  const { siteInstances } = host;
  const parts = { ...host, sitesMax: host.config.maxSites };
  const sha256 = await createSha256();
  const goals = await Collection.open(GOAL_KIND, parts);
  const segments = await Collection.open(SEGMENT_KIND, parts);
  const annotations = await Collection.open(ANNOTATION_KIND, parts);
  return {
    goals,
    segments,
    annotations,
    hashOfOwner: (secret) => toHex(sha256(secret)),
    async removeItems(siteId, signal) {
      if (siteInstances) return siteInstances.removeItems(siteId);
      for (const collection of [goals, segments, annotations]) await collection.removeSite(siteId, signal);
    },
  };
}
