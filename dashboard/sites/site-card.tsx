/** A site's card: name, current visitors, visitors with their change, and a sparkline. */
import { useMemo } from "preact/hooks";
import { changeOf } from "../format/change.ts";
import { formatCount, formatShortRange } from "../format/locale.ts";
import { Change, SiteIcon } from "../kit/inline.tsx";
import { onPlainClick } from "../kit/pointing.ts";
import { comparedRangeOf, daysBetween } from "../state/range.ts";
import { hoursBegun } from "../state/time-zone.ts";
import { hrefAnew, param, rememberedTabs } from "../state/url.ts";
import { openSite } from "../state/view.ts";
import { hasOtherName, isPinned, labelOf, nameOf, togglePin, type SiteRow } from "./site-order.ts";

const viewOfSite = () => ({ ...rememberedTabs(), period: param("period") });

export const openCard = (siteId: string): void => openSite(siteId, viewOfSite());

const cardHref = (siteId: string): string => hrefAnew({ site: siteId, ...viewOfSite() });

const WIDTH = 240;
const HEIGHT = 48;

/** Omits hours of today that have not begun. */
function begunValues({ series, start_date: start, end_date: end, time_zone: timeZone }: SiteRow, nowMs: number): readonly number[] {
  const values = series ?? [];
  return start === end ? values.slice(0, Math.max(1, hoursBegun(end, timeZone, nowMs))) : values;
}

/** Spans the whole period. Hidden from screen readers, because the metrics stand beside it. */
function Sparkline({ row }: { readonly row: SiteRow }) {
  const values = useMemo(() => begunValues(row, Date.now()), [row.series]);
  const most = Math.max(1, ...values);
  const step = WIDTH / Math.max(1, (row.series?.length ?? 0) - 1);
  const xAt = (i: number) => (i * step).toFixed(1);
  const points = values.map((value, i) => `${xAt(i)},${(HEIGHT - 2 - (value / most) * (HEIGHT - 4)).toFixed(1)}`);
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <polygon points={`0,${HEIGHT} ${points.join(" ")} ${xAt(values.length - 1)},${HEIGHT}`} />
      <polyline points={points.join(" ")} />
    </svg>
  );
}

/** The dashboard's default. */
const COMPARISON = { comparison: "previous_period", matchWeekdays: true, custom: null } as const;

/** `vs. 13 Oct – 11 Nov` */
function comparedDates({ start_date: start, end_date: end }: SiteRow): string {
  const window = comparedRangeOf({ start, end, days: daysBetween(start, end) }, COMPARISON, end);
  return window ? `vs. ${formatShortRange(window.start, window.end, end)}` : "";
}

function CardChange({ row }: { readonly row: SiteRow }) {
  const values = { now: row.visitors ?? 0, before: row.previous_visitors ?? 0 };
  if (changeOf(values) === null) return null;
  const dates = comparedDates(row);
  return (
    // Above the link, so that its title shows.
    <span class="site-change" onClick={() => openCard(row.site_id)}>
      <Change {...values} title={dates} /> <span class="unseen">{dates}</span>
    </span>
  );
}

function Metrics({ row }: { readonly row: SiteRow }) {
  const [visitors, current] = [row.visitors ?? 0, row.current_visitors ?? 0];
  return (
    <p class="site-metrics">
      <strong>{formatCount(visitors)}</strong> {visitors === 1 ? "visitor" : "visitors"} <CardChange row={row} />
      {current > 0 && (
        <span class="site-live">
          <span class="live-dot" aria-hidden="true" /> {formatCount(current)} now
        </span>
      )}
    </p>
  );
}

function Pin({ row }: { readonly row: SiteRow }) {
  const pinned = isPinned(row.site_id);
  return (
    <button type="button" class="pin" aria-pressed={pinned} aria-label={`Pin ${labelOf(row)}`} onClick={() => togglePin(row.site_id)}>
      <span aria-hidden="true">{pinned ? "★" : "☆"}</span>
    </button>
  );
}

interface SiteCardProps {
  readonly row: SiteRow;
  /** Number key that opens the site; null beyond the ninth. */
  readonly shortcut: number | null;
}

export function SiteCard({ row, shortcut }: SiteCardProps) {
  const { site_id: siteId, error } = row;
  return (
    <li class="panel site-card">
      <h2>
        <SiteIcon siteId={siteId} />
        <a href={cardHref(siteId)} title={labelOf(row)} onClick={onPlainClick(() => openCard(siteId))}>
          {nameOf(row)}
          {hasOtherName(row) && <small class="site-id"> {siteId}</small>}
        </a>
        {shortcut !== null && <kbd aria-hidden="true">{shortcut}</kbd>}
      </h2>
      <Pin row={row} />
      {error === undefined ? (
        <>
          <Metrics row={row} />
          <Sparkline row={row} />
        </>
      ) : (
        <p class="site-problem">{error}</p>
      )}
    </li>
  );
}
