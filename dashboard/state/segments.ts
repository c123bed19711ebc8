/** The segments of the site, and the one whose filters the URL names: `segment=<id>` (docs/segments.md). */
import { computed, signal } from "@preact/signals";
import { listSegments, type Segment } from "../api/segments.ts";
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

export const segmentFilters = computed((): readonly Filter[] => parseFilters(segment.value?.filters ?? null));

/** @throws ServiceError */
export async function loadSegments(siteId: string): Promise<void> {
  const list = await listSegments(siteId);
  loaded.value = { ...loaded.value, [siteId]: list };
}
