/** A card of a site on the page of all sites: name, current visitors, visitors with their change, and a sparkline. */
import { Change } from "../charts/change.tsx";
import { formatCount } from "../format/locale.ts";
import { SiteIcon } from "../shell/site-icon.tsx";
import { openSite } from "../state/view.ts";
import { isPinned, nameOf, togglePin, type SiteRow } from "./site-order.ts";

const WIDTH = 240;
const HEIGHT = 48;

/** Line and area of the values, from the left edge to the right. The figures stand beside it, so it is hidden from screen readers. */
function Sparkline({ values }: { readonly values: readonly number[] }) {
  const most = Math.max(1, ...values);
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values.map((value, i) => `${(i * step).toFixed(1)},${(HEIGHT - 2 - (value / most) * (HEIGHT - 4)).toFixed(1)}`);
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <polygon points={`0,${HEIGHT} ${points.join(" ")} ${WIDTH},${HEIGHT}`} />
      <polyline points={points.join(" ")} />
    </svg>
  );
}

const Figures = ({ visitors, previous, current }: { readonly visitors: number; readonly previous: number; readonly current: number }) => (
  <p class="site-figures">
    <strong>{formatCount(visitors)}</strong> {visitors === 1 ? "visitor" : "visitors"} <Change now={visitors} before={previous} />
    {current > 0 && (
      <span class="site-live">
        <span class="live-dot" aria-hidden="true" /> {formatCount(current)} now
      </span>
    )}
  </p>
);

interface SiteCardProps {
  readonly row: SiteRow;
  /** Opens the site; null beyond the ninth. */
  readonly shortcut: number | null;
  /** What a link to the site keeps of the URL. */
  readonly period: string | null;
}

export function SiteCard({ row, shortcut, period }: SiteCardProps) {
  const { site_id: siteId, visitors, previous_visitors: previous, current_visitors: current, series, error } = row;
  const query = new URLSearchParams({ site: siteId, ...(period !== null && { period }) });
  const open = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    openSite(siteId, { period });
  };
  return (
    <li class="panel site-card">
      <h2>
        <SiteIcon siteId={siteId} />
        <a href={`?${query.toString()}`} onClick={open}>
          {nameOf(row)}
        </a>
        {shortcut !== null && <kbd aria-hidden="true">{shortcut}</kbd>}
      </h2>
      <button type="button" class="pin" aria-pressed={isPinned(siteId)} aria-label={`Pin ${nameOf(row)}`} onClick={() => togglePin(siteId)}>
        <span aria-hidden="true">{isPinned(siteId) ? "★" : "☆"}</span>
      </button>
      {error === undefined ? (
        <>
          <Figures visitors={visitors ?? 0} previous={previous ?? 0} current={current ?? 0} />
          <Sparkline values={series ?? []} />
        </>
      ) : (
        <p class="site-problem">{error}</p>
      )}
    </li>
  );
}
