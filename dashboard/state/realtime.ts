/** The realtime report, polled while the page is visible: current visitors for the bar, and the last half hour for the realtime view. */
import { computed, signal } from "@preact/signals";
import { urlOf } from "../api/http.ts";
import type { Reports } from "../api/types.ts";
import { outage } from "./connection.ts";
import { nowMs } from "./period.ts";
import { usePolling, type Rhythm } from "./requests.ts";
import { scope } from "./scope.ts";
import { isRealtime, site } from "./view.ts";

const MINUTE_MS = 60_000;

/** The title of the tab has the current visitors, also while another tab is shown: for half a day, then none. */
const RHYTHM: Rhythm = {
  firstMs: 0,
  pauseMs: () => 10_000,
  hidden: { pauseMs: MINUTE_MS, forMs: 12 * 60 * MINUTE_MS, onEnd: () => void (response.value = null) },
};

/** Whole minutes of the view, plus the current one. */
export const MINUTES = 30;

export type Realtime = Reports["realtime"];

const url = computed(() => {
  const { site_id, segment, filters } = scope.value;
  const minutes = isRealtime() ? String(MINUTES) : null;
  return site_id === null ? null : urlOf("/api/stats/realtime", { site_id, segment, filters, minutes, attribution: "visit" });
});

const response = signal<{ readonly url: string; readonly siteId: string | null; readonly data: Realtime } | null>(null);

/** The last response, possibly to an earlier request; null before the first. */
export const realtime = computed(() => response.value?.data ?? null);

/** null until known, for another view than this one, and in an outage. */
export const currentVisitors = computed(() =>
  outage.value === null && response.value?.siteId === site.value ? response.value.data.current_visitors : null,
);

/** True if `realtime` answers an earlier request. */
export const isRealtimeStale = computed(() => response.value?.url !== url.value);

/** Fields that only the realtime view requests; null until loaded. */
export const lastMinutes = computed(() => (realtime.value?.countries === undefined ? null : (realtime.value as Required<Realtime>)));

/** Used by one component that is always shown. Each response also updates the clock, so that an open page advances at midnight. */
export function useRealtimePolling(): void {
  usePolling<Realtime>(url.value, RHYTHM, (data, requested) => {
    nowMs.value = Date.now();
    response.value = { url: requested, siteId: site.value, data };
  });
}

/** Default until the report says. */
const WINDOW_MINUTES = 5;

export const windowMinutes = (): number => realtime.value?.window_minutes ?? WINDOW_MINUTES;
