/** All kinds of items that sites have, for what treats them alike. */
import type { CollectionKind } from "./collection-record.ts";
import { GOAL_KIND } from "./goal.ts";

export const COLLECTION_KINDS: readonly Pick<CollectionKind<unknown>, "name" | "parse">[] = [GOAL_KIND];
