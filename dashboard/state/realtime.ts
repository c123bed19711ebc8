/** The realtime report, polled while the page is visible: current visitors for the bar, and the last half hour for the realtime view. */
import { computed, signal } from "@preact/signals";
import { urlOf } from "../api/http.ts";
import type { Reports } from "../api/types.ts";
import { nowMs } from "./period.ts";
import { usePolling, type Rhythm } from "./requests.ts";
import { scope } from "./scope.ts";
import { isRealtime } from "./view.ts";

const RHYTHM: Rhythm = { firstMs: 0, pauseMs: () => 10_000 };

/** Whole minutes of the view, plus the current one. */
export const MINUTES = 30;

export type Realtime = Reports["realtime"];

const url = computed(() => {
  const { site_id, segment, filters } = scope.value;
  const minutes = isRealtime() ? String(MINUTES) : null;
  return site_id === null ? null : urlOf("/api/stats/realtime", { site_id, segment, filters, minutes, attribution: "visit" });
});

const response = signal<{ readonly url: string; readonly data: Realtime } | null>(null);

/** The last response, possibly to an earlier request; null before the first. */
export const realtime = computed(() => response.value?.data ?? null);

/** True if `realtime` answers an earlier request. */
export const isRealtimeStale = computed(() => response.value?.url !== url.value);

/** Fields that only the realtime view requests; null until loaded. */
export const lastMinutes = computed(() => (realtime.value?.countries === undefined ? null : (realtime.value as Required<Realtime>)));

/** Used by one component that is always shown. Each response also updates the clock, so that an open page advances at midnight. */
export function useRealtimePolling(): void {
  usePolling<Realtime>(url.value, RHYTHM, (data, requested) => {
    nowMs.value = Date.now();
    response.value = { url: requested, data };
  });
}

/** Default until the report says. */
const WINDOW_MINUTES = 5;

export const windowMinutes = (): number => realtime.value?.window_minutes ?? WINDOW_MINUTES;
