/** Every kind of collection, for code that treats all of them alike, such as verification. */
import { ANNOTATION_KIND } from "./annotation.ts";
import type { CollectionKind } from "./collection-record.ts";
import { GOAL_KIND } from "./goal.ts";
import { SEGMENT_KIND } from "./segment.ts";

export const COLLECTION_KINDS: readonly Pick<CollectionKind<unknown>, "name" | "parse">[] = [GOAL_KIND, SEGMENT_KIND, ANNOTATION_KIND];
