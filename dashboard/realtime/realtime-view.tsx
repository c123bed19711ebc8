/** The last minutes: current visitors in the bar, and the view with pageviews per minute, pages and sources. */
import type { Dimension } from "../api/types.ts";
import { RowList } from "../cards/row-list.tsx";
import { Empty, Loading } from "../components/states.tsx";
import { DIRECT_SOURCE, formatValue } from "../format/dimensions.ts";
import { countOf, formatCount } from "../format/locale.ts";
import { navigate, param, toggleFilter } from "../state/view.ts";
import { useRealtime, type Realtime } from "./use-realtime.ts";

/** Until the report tells. */
const WINDOW_MINUTES = 5;

export const isRealtime = (): boolean => param("view") === "realtime";
export const toggleRealtime = (): void => navigate({ view: isRealtime() ? null : "realtime" });

export function CurrentVisitors() {
  const realtime = useRealtime();
  return (
    <button
      type="button"
      class="bar-button current"
      aria-pressed={isRealtime()}
      title={`Visitors in the last ${realtime?.window_minutes ?? WINDOW_MINUTES} minutes (R)`}
      onClick={toggleRealtime}
    >
      <i class="pulse" aria-hidden="true" />
      <span>
        <b>{realtime === null ? "–" : formatCount(realtime.current_visitors)}</b>
        <span class="current-label"> current visitor{realtime?.current_visitors === 1 ? "" : "s"}</span>
      </span>
    </button>
  );
}

function MinuteBars({ minutes }: { readonly minutes: readonly number[] }) {
  const most = Math.max(...minutes, 1);
  return (
    <ol class="minutes" aria-label="Pageviews per minute, oldest first">
      {minutes.map((count, i) => {
        const ago = minutes.length - 1 - i;
        return (
          <li key={ago} title={`${countOf(count, "pageview")} ${ago === 0 ? "this minute" : `${ago} min ago`}`}>
            <span class="minute-count">{formatCount(count)}</span>
            <span class="minute-bar" aria-hidden="true" style={{ height: `${(count / most) * 100}%` }} />
            <span class="minute-when">{ago === 0 ? "now" : `−${ago} min`}</span>
          </li>
        );
      })}
    </ol>
  );
}

interface TopListProps {
  readonly title: string;
  readonly dimension: Dimension;
  readonly rows: Realtime["top_pages"];
}

const TopList = ({ title, dimension, rows }: TopListProps) => (
  <section class="card" aria-label={title}>
    <header class="card-head">
      <h2>{title}</h2>
    </header>
    <div class="card-body">
      {rows.length === 0 && <Empty>No visitors right now</Empty>}
      <RowList
        label={title}
        rows={rows.map(({ value, visitors }) => ({
          key: value,
          label: formatValue(dimension, value),
          count: visitors,
          share: null,
          unit: "visitors",
          ...(value !== DIRECT_SOURCE && { onChoose: () => toggleFilter(dimension, value) }),
        }))}
      />
    </div>
  </section>
);

export function RealtimeView() {
  const realtime = useRealtime();
  return (
    <section class="realtime" aria-label="Realtime">
      <div class="panel">
        <header class="realtime-head">
          <div>
            <p class="dim">Visitors in the last {realtime?.window_minutes ?? WINDOW_MINUTES} minutes</p>
            <p class="realtime-count" data-current>
              {realtime === null ? "–" : formatCount(realtime.current_visitors)}
            </p>
            <p class="dim">{realtime === null ? "" : `${countOf(realtime.pageviews, "pageview")} · updates every 10 s`}</p>
          </div>
          <button type="button" class="button" onClick={toggleRealtime}>
            Back to dashboard
          </button>
        </header>
        {realtime ? <MinuteBars minutes={realtime.per_minute} /> : <Loading rows={4} />}
      </div>
      <div class="cards">
        <TopList title="Current pages" dimension="pages" rows={realtime?.top_pages ?? []} />
        <TopList title="Current sources" dimension="sources" rows={realtime?.top_sources ?? []} />
      </div>
    </section>
  );
}
