/** Replaces the stats of a site without events; for an empty period, leads to the last events. */
import type { ComponentChildren } from "preact";
import { dayAfter } from "../../src/shared/periods.ts";
import type { Installation } from "../api/types.ts";
import { formatRange } from "../format/locale.ts";
import { LinkButton } from "../kit/inline.tsx";
import { lazy } from "../kit/lazy.tsx";
import { range } from "../state/period.ts";
import { navigate } from "../state/url.ts";
import type { SiteWithoutEventsProps } from "./waiting.tsx";

/** Length of the offered period, which ends with the last event. */
const DAYS = 30;

/** Loads lazily: most views do not need its checks. */
export const SiteWithoutEvents = lazy<SiteWithoutEventsProps>(async () => (await import("./waiting.tsx")).SiteWithoutEvents);

function LastEvents({ date }: { readonly date: string }) {
  if (range.value.start <= date && date <= range.value.end) return null;
  return (
    <>
      The last event was on {formatRange(date, date)}.{" "}
      <LinkButton onClick={() => navigate({ period: null, start: dayAfter(date, 1 - DAYS), end: date })}>
        Show the {DAYS} days up to then
      </LinkButton>
    </>
  );
}

export const NoData = ({ children }: { readonly children?: ComponentChildren }) => (
  <p class="notice" role="status">
    No data for this period. {children}
  </p>
);

interface EmptyPeriodProps {
  readonly siteId: string;
  /** Undefined while loading. */
  readonly installation: Installation | undefined;
}

export function EmptyPeriod({ siteId, installation }: EmptyPeriodProps) {
  if (installation === undefined) return null;
  const { has_events: hasEvents, last_event_date: date } = installation;
  if (!hasEvents) return <SiteWithoutEvents key={siteId} siteId={siteId} installation={installation} />;
  return <NoData>{date !== null && <LastEvents date={date} />}</NoData>;
}
