/** Polling of the realtime report while the page is visible. */
import { useEffect, useState } from "preact/hooks";
import { urlOf } from "../api/http.ts";
import { fetchReport } from "../api/reports.ts";
import type { Reports } from "../api/types.ts";
import { handleFailure, outage, refreshCount } from "../state/connection.ts";
import { scope, today } from "../state/view.ts";

const INTERVAL_MS = 10_000;

export type Realtime = Reports["realtime"];

/** Null until loaded. Each poll also updates `today`, so that a page left open moves on at midnight. */
export function useRealtime(): Realtime | null {
  const [realtime, setRealtime] = useState<Realtime | null>(null);
  const { site_id, filters } = scope.value;
  const url = site_id === null ? null : urlOf("/api/stats/realtime", { site_id, filters });
  const refresh = refreshCount.value;
  useEffect(() => {
    if (url === null) return;
    const controller = new AbortController();
    const poll = () => {
      if (document.visibilityState !== "visible" || outage.peek() !== null) return;
      today.value = new Date().toISOString().slice(0, 10);
      fetchReport<Realtime>(url, controller.signal).then(setRealtime, (error: unknown) => {
        if (!controller.signal.aborted) handleFailure(error);
      });
    };
    poll();
    const timer = setInterval(poll, INTERVAL_MS);
    document.addEventListener("visibilitychange", poll);
    return () => {
      controller.abort();
      clearInterval(timer);
      document.removeEventListener("visibilitychange", poll);
    };
  }, [url, refresh]);
  return realtime;
}
