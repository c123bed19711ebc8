/** The realtime report, polled while the page is visible: current visitors for the bar, and the last half hour for the realtime view. */
import { computed, signal } from "@preact/signals";
import { urlOf } from "../api/http.ts";
import type { Reports } from "../api/types.ts";
import { nowMs } from "./period.ts";
import { scope } from "./scope.ts";
import { usePolling, type Rhythm } from "./requests.ts";
import { isRealtime } from "./view.ts";

const RHYTHM: Rhythm = { firstMs: 0, pauseMs: () => 10_000 };

/** Whole minutes in the view; the current one comes on top. */
export const MINUTES = 30;

export type Realtime = Reports["realtime"];

const url = computed(() => {
  const { site_id, segment, filters } = scope.value;
  const minutes = isRealtime() ? String(MINUTES) : null;
  return site_id === null ? null : urlOf("/api/stats/realtime", { site_id, segment, filters, minutes });
});

const response = signal<{ readonly url: string; readonly data: Realtime } | null>(null);

/** The last response, possibly for another site or other filters; null before the first. */
export const realtime = computed(() => response.value?.data ?? null);

/** Whether `realtime` is the response to an earlier view. */
export const isRealtimeStale = computed(() => response.value?.url !== url.value);

/** The fields that only the realtime view requests; null until they are there. */
export const lastMinutes = computed(() => (realtime.value?.countries === undefined ? null : (realtime.value as Required<Realtime>)));

/** For one component that is always shown. Each response also updates the clock, so that a page left open moves on at midnight. */
export function useRealtimePolling(): void {
  usePolling<Realtime>(url.value, RHYTHM, (data, requested) => {
    nowMs.value = Date.now();
    response.value = { url: requested, data };
  });
}

/** Until the report tells. */
const WINDOW_MINUTES = 5;

export const windowMinutes = (): number => realtime.value?.window_minutes ?? WINDOW_MINUTES;
