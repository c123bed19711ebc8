/** Cards of the page of all sites: their search, order and pins, which the browser remembers; and a site's metrics and sparkline. */
import { useMemo } from "preact/hooks";
import type { Reports } from "../api/types.ts";
import { changeOf, isNotableCount } from "../format/change.ts";
import { countOf, formatCount, formatShortRange } from "../format/locale.ts";
import { Change, INLINE, SiteIcon } from "../kit/inline.tsx";
import { onPlainClick } from "../kit/pointing.ts";
import { tip } from "../kit/tips.ts";
import { readableId } from "../state/known-sites.ts";
import { isPinned, togglePin } from "../state/pinned-sites.ts";
import { comparedRangeOf, daysBetween } from "../state/range.ts";
import { hoursBegun } from "../state/time-zone.ts";
import { hrefAnew, navigate, param, rememberedTabs } from "../state/url.ts";
import { openSite } from "../state/view.ts";
import { fill, pluralForm, rich, words } from "../words/words.ts";

export type SiteRow = Reports["overview"]["sites"][number];

export const ORDERS = ["visitors", "name", "change"] as const;
export type Order = (typeof ORDERS)[number];

const nameOf = ({ name, site_id: siteId }: SiteRow): string => name ?? readableId(siteId);

const hasOtherName = (row: SiteRow): boolean => nameOf(row) !== readableId(row.site_id);

/** Contains the id, because several sites may have the same name. */
const labelOf = (row: SiteRow): string => (hasOtherName(row) ? `${nameOf(row)} (${readableId(row.site_id)})` : readableId(row.site_id));

/** Sites without a compared window come last. */
const growthOf = ({ visitors, previous_visitors: previous }: SiteRow): number =>
  visitors === null || !previous ? Number.NEGATIVE_INFINITY : visitors / previous;

const byName = (a: SiteRow, b: SiteRow): number => nameOf(a).localeCompare(nameOf(b));

const COMPARE: Readonly<Record<Order, (a: SiteRow, b: SiteRow) => number>> = {
  visitors: (a, b) => (b.visitors ?? -1) - (a.visitors ?? -1),
  name: byName,
  // Equal infinities have no difference.
  change: (a, b) => Number(growthOf(a) < growthOf(b)) - Number(growthOf(a) > growthOf(b)),
};

export function shownSites(sites: readonly SiteRow[], order: Order, search: string): readonly SiteRow[] {
  const text = search.trim().toLowerCase();
  return sites
    .filter((row) => `${labelOf(row)} ${row.site_id}`.toLowerCase().includes(text))
    .sort((a, b) => Number(isPinned(b.site_id)) - Number(isPinned(a.site_id)) || COMPARE[order](a, b) || byName(a, b));
}

const [ORDER_DEFAULT] = ORDERS;

export const chosenOrder = (): Order => ORDERS.find((order) => order === param("sort")) ?? ORDER_DEFAULT;
export const chooseOrder = (order: Order): void => navigate({ sort: order === ORDER_DEFAULT ? null : order });

export const searchText = (): string => param("q") ?? "";
export const searchFor = (text: string): void => navigate({ q: text }, true);

const viewOfSite = () => ({ ...rememberedTabs(), period: param("period") });

export const openCard = (siteId: string): void => openSite(siteId, viewOfSite());

const cardHref = (siteId: string): string => hrefAnew({ site: siteId, ...viewOfSite() });

const WIDTH = 240;
const HEIGHT = 48;

/** Spans the whole period. Hidden from screen readers, because the metrics stand beside it. */
function Sparkline({ row: { series, start_date: start, end_date: end, time_zone: timeZone } }: { readonly row: SiteRow }) {
  // Hours of today that have not begun are left out.
  const values = useMemo(
    () => (series ?? []).slice(0, start === end ? Math.max(1, hoursBegun(end, timeZone, Date.now())) : undefined),
    [series],
  );
  const most = Math.max(1, ...values);
  const step = WIDTH / Math.max(1, (series?.length ?? 0) - 1);
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
  return window ? fill(words.sites.versus, { dates: formatShortRange(window.start, window.end, end) }) : "";
}

/** Visitors before; null for a site without a compared window. */
function comparedIn(row: SiteRow): string | null {
  const { visitors, previous_visitors: before } = row;
  if (changeOf({ now: visitors ?? 0, before: before ?? 0 }) === null) return null;
  return `${comparedDates(row)}: ${countOf(before ?? 0, words.counts.visitor)}`;
}

function CardChange({ row }: { readonly row: SiteRow }) {
  const values = { now: row.visitors ?? 0, before: row.previous_visitors ?? 0 };
  const compared = comparedIn(row);
  if (compared === null) return null;
  return (
    // Above the link, so that its explanation shows. A finger's tap opens nothing: it has no other way to it.
    <span
      class="site-change"
      {...tip(compared)}
      onClick={(event) => (event as unknown as PointerEvent).pointerType !== "touch" && openCard(row.site_id)}
    >
      <Change {...values} isNotable={isNotableCount(values.now, values.before)} /> <span class="unseen">{comparedDates(row)}</span>
    </span>
  );
}

interface SiteCardProps {
  readonly row: SiteRow;
  /** Number key that opens the site; null beyond the ninth. */
  readonly shortcut: string | null;
}

export function SiteCard({ row, shortcut }: SiteCardProps) {
  const { site_id: siteId, error } = row;
  const [visitors, current] = [row.visitors ?? 0, row.current_visitors ?? 0];
  const hasPin = isPinned(siteId);
  return (
    <li class="panel site-card">
      <h2>
        <SiteIcon siteId={siteId} />
        <a
          href={cardHref(siteId)}
          {...tip([labelOf(row), comparedIn(row) ?? []].flat().join("\n"))}
          onClick={onPlainClick(() => openCard(siteId))}
        >
          {nameOf(row)}
          {hasOtherName(row) && <small class="site-id"> {readableId(siteId)}</small>}
        </a>
        {shortcut !== null && <kbd aria-hidden="true">{shortcut}</kbd>}
      </h2>
      <button
        type="button"
        class="pin"
        aria-pressed={hasPin}
        aria-label={fill(words.sites.pin, { site: labelOf(row) })}
        onClick={() => togglePin(siteId)}
      >
        <span aria-hidden="true">{hasPin ? "★" : "☆"}</span>
      </button>
      {error === undefined ? (
        <>
          <p class="site-metrics">
            {rich(pluralForm(words.sites.visitors, visitors), { ...INLINE, count: formatCount(visitors) })} <CardChange row={row} />
            {current > 0 && (
              <span class="site-live">
                <span class="live-dot" aria-hidden="true" /> {fill(words.sites.now, { count: formatCount(current) })}
              </span>
            )}
          </p>
          <Sparkline row={row} />
        </>
      ) : (
        <p class="site-problem">{error}</p>
      )}
    </li>
  );
}
