/** Opens what people make for sites: goals, segments and annotations. */
import { Collection } from "../sites/collection.ts";
import { GOAL_KIND, type GoalFields } from "../sites/goal.ts";
import type { Host } from "./host.ts";

export interface Collections {
  readonly goals: Collection<GoalFields>;
}

export async function openCollections(host: Host): Promise<Collections> {
  const parts = { ...host, sitesMax: host.config.maxSites };
  return { goals: await Collection.open(GOAL_KIND, parts) };
}
