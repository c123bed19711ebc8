/** The segments of the site, and the one whose filters the URL names: `segment=<id>` (docs/segments.md). */
import { computed, signal } from "@preact/signals";
import type { ServiceError } from "../api/http.ts";
import { listSegments, type Segment } from "../api/saved.ts";
import { parseFilters, type Filter } from "./filters.ts";
import { isViewer } from "./share.ts";
import { param } from "./url.ts";

/** By site, once they have been loaded. */
const loaded = signal<Readonly<Record<string, readonly Segment[]>>>({});

/** Null before they are loaded. */
export const segments = computed((): readonly Segment[] | null => loaded.value[param("site") ?? ""] ?? null);

/** Viewers have no segments. */
export const segmentId = computed((): string | null => (isViewer ? null : param("segment")));

/** Null for none, before the list is loaded, and for one that is not in it, such as somebody else's own. */
export const segment = computed((): Segment | null => segments.value?.find(({ id }) => id === segmentId.value) ?? null);

/** The id of which the service says that it is of no segment, so that it is not somebody else's own, either. */
const missingId = signal<string | null>(null);

/** Why the segment of the URL has no name. Null while it has one, and before the list is loaded. */
export const namelessSegment = computed((): "missing" | "private" | null => {
  if (segmentId.value === null || segments.value === null || segment.value !== null) return null;
  return missingId.value === segmentId.value ? "missing" : "private";
});

/** To be called with what a report with the segment answers. */
export function noteSegmentProblem(error: ServiceError | null): void {
  if (error?.kind === "invalid" && error.message.startsWith('"segment"')) missingId.value = segmentId.value;
}

export const segmentFilters = computed((): readonly Filter[] => parseFilters(segment.value?.filters ?? null));

/** @throws ServiceError */
export async function loadSegments(siteId: string): Promise<void> {
  const list = await listSegments(siteId);
  loaded.value = { ...loaded.value, [siteId]: list };
}
