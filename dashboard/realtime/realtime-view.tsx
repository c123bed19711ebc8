/** Now: visitors, pageviews by minute, what they look at and where they come from. */
import { RowList } from "../cards/row-list.tsx";
import { Empty, Loading } from "../components/states.tsx";
import { go, toggleFilter } from "../state/view.ts";
import { valueText } from "../format/dimensions.ts";
import { countText } from "../format/numbers.ts";
import { useRealtime, type Realtime } from "./use-realtime.ts";

function MinuteBars({ minutes }: { readonly minutes: readonly number[] }) {
  const most = Math.max(...minutes, 1);
  const words = (ago: number) => (ago === 0 ? "this minute" : `${ago} min ago`);
  return (
    <ol class="minutes" aria-label="Pageviews by minute, oldest first">
      {minutes.map((count, i) => {
        const ago = minutes.length - 1 - i;
        return (
          <li key={ago} title={`${countText(count)} pageviews, ${words(ago)}`}>
            <span class="minute-count">{countText(count)}</span>
            <span class="minute-bar" aria-hidden="true" style={{ height: `${(count / most) * 100}%` }} />
            <span class="minute-when">{ago === 0 ? "now" : `−${ago} min`}</span>
          </li>
        );
      })}
    </ol>
  );
}

function TopList({ title, dimension, rows }: { readonly title: string; readonly dimension: string; readonly rows: Realtime["top_pages"] }) {
  return (
    <section class="card" aria-label={title}>
      <header class="card-head">
        <h2>{title}</h2>
      </header>
      <div class="card-body">
        {rows.length === 0 && <Empty>Nobody right now</Empty>}
        <RowList
          label={title}
          rows={rows.map(({ value, visitors }) => ({
            key: value,
            label: valueText(dimension, value),
            count: visitors,
            share: null,
            unit: "visitors",
            ...(value !== "(direct)" && {
              onChoose: () => {
                toggleFilter({ dimension, isNot: false, value });
              },
            }),
          }))}
        />
      </div>
    </section>
  );
}

export function RealtimeView() {
  const realtime = useRealtime();
  return (
    <section class="realtime" aria-label="Realtime">
      <div class="panel">
        <header class="realtime-head">
          <div>
            <p class="dim">Visitors in the last {realtime?.window_minutes ?? 5} minutes</p>
            <p class="realtime-count" data-current>
              {realtime === null ? "–" : countText(realtime.current_visitors)}
            </p>
            <p class="dim">{realtime === null ? "" : `${countText(realtime.pageviews)} pageviews; looked at again every 10 seconds`}</p>
          </div>
          <button type="button" class="button" onClick={() => go({ view: null })}>
            Back to the overview
          </button>
        </header>
        {realtime ? <MinuteBars minutes={realtime.per_minute} /> : <Loading rows={4} />}
      </div>
      <div class="cards">
        <TopList title="Pages now" dimension="pages" rows={realtime?.top_pages ?? []} />
        <TopList title="Sources now" dimension="sources" rows={realtime?.top_sources ?? []} />
      </div>
    </section>
  );
}
