/** Notices of a first event: the sentence about the first visitor, and the arrival at a site whose dialog was closed before. */
import { useEffect, useState } from "preact/hooks";
import { UNRECORDED } from "../../src/shared/filters.ts";
import { urlOf } from "../api/http.ts";
import { fetchReport } from "../api/reports.ts";
import type { Installation, Reports } from "../api/types.ts";
import { formatValue } from "../format/dimensions.ts";
import { CrossButton, INLINE, LinkButton, Logo } from "../kit/inline.tsx";
import { handleFailure, refreshAll } from "../state/connection.ts";
import { usePolling } from "../state/requests.ts";
import { search } from "../state/url.ts";
import { site } from "../state/view.ts";
import { fill, rich, words } from "../words/words.ts";
import { arrival, AWAITING, awaitedSite, openArrivedSite } from "./arrival.ts";

function Notice({ siteId }: { readonly siteId: string }) {
  const [hasEvents, setHasEvents] = useState(false);
  usePolling<Installation>(hasEvents ? null : urlOf("/api/installation", { site_id: siteId }), AWAITING, (installation) => {
    if (!installation.has_events) return;
    setHasEvents(true);
    // The site switcher offers it, too.
    refreshAll();
  });
  return (
    <div role="status">
      {hasEvents && (
        <p class="notice">
          {rich(words.arrival.arrived, {
            ...INLINE,
            site: siteId,
            open: (text) => <LinkButton onClick={() => openArrivedSite(siteId)}>{text}</LinkButton>,
          })}
        </p>
      )}
    </div>
  );
}

const AwaitedSite = () =>
  awaitedSite.value === null || awaitedSite.value === site.value ? null : <Notice key={awaitedSite.value} siteId={awaitedSite.value} />;

type Countries = Reports["breakdown"];

const UNKNOWN_VISITORS = words.arrival.visitors;

const only = <T,>(rows: readonly T[]): T | undefined => (rows.length === 1 ? rows[0] : undefined);

/** Says only what is known: a page in the background may find several visitors. */
function sentence({ current_visitors: visitors, top_pages: pages }: Reports["realtime"], countries: Countries): string {
  const visitorsToday = countries.reduce((sum, row) => sum + row.visitors, 0);
  if (visitors !== 1 || visitorsToday > 1) return UNKNOWN_VISITORS;
  const [code = UNRECORDED, path] = [only(countries)?.value, only(pages)?.value];
  const country = code === UNRECORDED ? null : formatValue("countries", code);
  const page = path === undefined ? null : formatValue("pages", path);
  if (country !== null && page !== null) return fill(words.arrival.visitorFromOn, { country, page });
  if (page !== null) return fill(words.arrival.visitorOn, { page });
  return country === null ? words.arrival.visitor : fill(words.arrival.visitorFrom, { country });
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
      <CrossButton label={words.arrival.dismiss} onClick={() => (arrival.value = null)} />
    </div>
  );
}

/** Shown once above the dashboard that the first event opened, until the reader goes on. */
function FirstVisitor() {
  const { siteId, view } = arrival.value ?? {};
  const hasGoneOn = view !== search.value;
  useEffect(() => {
    if (hasGoneOn) arrival.value = null;
  }, [hasGoneOn]);
  return siteId === undefined || hasGoneOn ? null : <Announcement siteId={siteId} />;
}

export const ArrivalNotices = () => (
  <>
    <FirstVisitor />
    <AwaitedSite />
  </>
);
