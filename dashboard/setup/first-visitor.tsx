/** The sentence about a site's first visitor, shown once above the dashboard that the first event opened, until the reader goes on. */
import { useEffect, useState } from "preact/hooks";
import { urlOf } from "../api/http.ts";
import { fetchReport } from "../api/reports.ts";
import type { Reports } from "../api/types.ts";
import { Logo } from "../kit/logo.tsx";
import { formatValue, UNKNOWN } from "../format/dimensions.ts";
import { handleFailure } from "../state/connection.ts";
import { search } from "../state/url.ts";
import { arrival } from "./arrival.ts";

type Countries = Reports["breakdown"];

const UNKNOWN_VISITORS = "Your first visitors have arrived.";

const only = <T,>(rows: readonly T[]): T | undefined => (rows.length === 1 ? rows[0] : undefined);

/** Says only what is known. A page that waited in the background may find more visitors than one. */
function sentence({ current_visitors: visitors, top_pages: pages }: Reports["realtime"], countries: Countries): string {
  const visitorsToday = countries.reduce((sum, row) => sum + row.visitors, 0);
  if (visitors !== 1 || visitorsToday > 1) return UNKNOWN_VISITORS;
  const country = only(countries)?.value;
  const known = [country !== undefined && country !== UNKNOWN && formatValue("countries", country), only(pages)?.value];
  return `Your first visitor: ${[...known.filter(Boolean), "just now"].join(", ")}.`;
}

function useSentence(siteId: string): string | null {
  const [text, setText] = useState<string | null>(null);
  useEffect(() => {
    const controller = new AbortController();
    const get = <T,>(path: string, parameters = {}) => fetchReport<T>(urlOf(path, { site_id: siteId, ...parameters }), controller.signal);
    Promise.all([
      get<Reports["realtime"]>("/api/stats/realtime"),
      get<Countries>("/api/stats/breakdown/countries", { period: "day" }),
    ]).then(
      ([realtime, countries]) => setText(sentence(realtime, countries)),
      (error: unknown) => {
        if (controller.signal.aborted) return;
        handleFailure(error);
        setText(UNKNOWN_VISITORS);
      },
    );
    return () => controller.abort();
  }, [siteId]);
  return text;
}

function Announcement({ siteId }: { readonly siteId: string }) {
  const text = useSentence(siteId);
  return (
    <div class={text === null ? "first-visitor" : "first-visitor landed"}>
      <span class="landing" aria-hidden="true">
        <i class="ripple" />
        <Logo />
      </span>
      <p role="status">{text}</p>
      <button type="button" class="icon-button" aria-label="Dismiss" onClick={() => (arrival.value = null)}>
        ×
      </button>
    </div>
  );
}

export function FirstVisitor() {
  const { siteId, view } = arrival.value ?? {};
  const hasGoneOn = view !== search.value;
  useEffect(() => {
    if (hasGoneOn) arrival.value = null;
  }, [hasGoneOn]);
  return siteId === undefined || hasGoneOn ? null : <Announcement siteId={siteId} />;
}
