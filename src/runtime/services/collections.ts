/** Opens what people make for sites: goals, segments and annotations. */
import type { SiteId } from "../../storage/event.ts";
import { Collection } from "../sites/collection.ts";
import { GOAL_KIND, type GoalFields } from "../sites/goal.ts";
import type { Host } from "./host.ts";

export interface Collections {
  readonly goals: Collection<GoalFields>;
  /** Removes all that was made for a site, on the instance that holds it. */
  removeItems(siteId: SiteId, signal: AbortSignal): Promise<void>;
}

export async function openCollections(host: Host): Promise<Collections> {
  const { siteInstances } = host;
  const parts = { ...host, sitesMax: host.config.maxSites };
  const goals = await Collection.open(GOAL_KIND, parts);
  return {
    goals,
    async removeItems(siteId, signal) {
      if (siteInstances) return siteInstances.removeItems(siteId);
      await goals.removeSite(siteId, signal);
    },
  };
}
