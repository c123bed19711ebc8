/** Metrics of all sites: fetched in pages, and polled like realtime. */
import { useRef, useState } from "preact/hooks";
import { OVERVIEW_SITES_MAX } from "../../src/shared/limits.ts";
import type { Period } from "../../src/shared/periods.ts";
import { urlOf } from "../api/http.ts";
import { allPages, fetchReport, type Load } from "../api/reports.ts";
import type { Reports } from "../api/types.ts";
import { usePolling, useRequest, type Report } from "../state/requests.ts";

type AllSites = Reports["overview"];

const PAUSE_MS = 10_000;

const fetchAllSites: Load<AllSites> = (url, signal) =>
  allPages((after) => fetchReport<AllSites>(after === null ? url : `${url}&${new URLSearchParams({ after }).toString()}`, signal));

interface Latest {
  readonly url: string;
  /** The report at that time: a newer one takes precedence. */
  readonly report: AllSites | undefined;
  readonly data: AllSites;
}

/** The first response, then the latest. */
export function useAllSites(period: Period): { readonly report: Report<AllSites>; readonly data: AllSites | undefined } {
  const url = urlOf("/api/stats/overview", { period, limit: OVERVIEW_SITES_MAX });
  const report = useRequest(url, fetchAllSites);
  const [latest, setLatest] = useState<Latest | null>(null);
  const data = latest?.url === url && latest.report === report.data ? latest.data : report.data;
  // Several pages are asked for less often.
  const pauseMs = useRef(PAUSE_MS);
  pauseMs.current = PAUSE_MS * Math.max(1, Math.ceil((data?.sites.length ?? 0) / OVERVIEW_SITES_MAX));
  usePolling(
    url,
    { firstMs: PAUSE_MS, pauseMs: () => pauseMs.current },
    (fresh, requested) => setLatest({ url: requested, report: report.data, data: fresh }),
    fetchAllSites,
  );
  return { report, data };
}
