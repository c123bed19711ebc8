/** The first date of the period "all time": that of the first point of its series. */
import { computed, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useReport, type Report } from "./requests.ts";
import { site } from "./view.ts";

const known = signal<{ readonly siteId: string | null; readonly day: string } | null>(null);

/** Of the site; null until it is known. */
export const firstDay = computed(() => (known.value?.siteId === site.value ? known.value.day : null));

/** Asks for it where all time is shown, and again with each refresh of the view. */
export function useFirstDay(isShown: boolean): Report<unknown> {
  const siteId = site.value;
  const report = useReport("timeseries", isShown ? { site_id: siteId, period: "all", interval: "month" } : null);
  const day = report.isStale ? undefined : report.data?.[0]?.date;
  useEffect(() => {
    if (isShown && day !== undefined && (known.value?.siteId !== siteId || known.value.day !== day)) known.value = { siteId, day };
  }, [isShown, siteId, day]);
  return report;
}
