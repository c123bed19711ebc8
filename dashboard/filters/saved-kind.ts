/** What can be saved under a name: filters as a segment, a funnel, a sequence (docs/segments.md). */
import type { Segment } from "../api/segments.ts";

/** The service's limit. */
export const NAME_CHARS_MAX = 100;

/** The parameters that are saved. */
export type Saved = Partial<Pick<Segment, "filters" | "steps" | "window" | "modes">>;

export interface SavedKind {
  readonly kind: Segment["kind"];
  /** `segment`, `funnel` */
  readonly noun: string;
  /** What the current view would save; null if it has nothing to save. */
  readonly current: Saved | null;
  readonly textOf: (item: Segment) => string;
  readonly isShown: (item: Segment) => boolean;
  readonly onShow: (item: Segment) => void;
  /** Called after an item was updated to the current view. */
  readonly afterUpdate?: (item: Segment) => void;
  readonly afterDelete?: (item: Segment) => void;
}
