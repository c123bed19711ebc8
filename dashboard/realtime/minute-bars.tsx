/** Pageviews per minute as bars. The current minute is hatched, because it is not over. A hidden table has the same numbers. */
import { useState } from "preact/hooks";
import { countOf, formatCount, formatHour } from "../format/locale.ts";
import { indexAfterKey } from "../kit/pointing.ts";
import { timeZone } from "../state/known-sites.ts";
import { inZone, minutesFrom } from "../state/time-zone.ts";

const MINUTE_MS = 60_000;

interface Bar {
  /** Time at the site, as the service writes it. */
  readonly minute: string;
  readonly pageviews: number;
  readonly ago: number;
}

function barsOf(firstMinute: string, perMinute: readonly number[]): Bar[] {
  const minutes = minutesFrom(timeZone.value, firstMinute, perMinute.length, Date.now() - perMinute.length * MINUTE_MS);
  return perMinute.map((pageviews, i) => ({ minute: minutes[i] ?? firstMinute, pageviews, ago: perMinute.length - 1 - i }));
}

const whenOf = ({ minute, ago }: Bar): string =>
  `${inZone(formatHour(minute), timeZone.value)}, ${ago === 0 ? "this minute, so far" : countOf(ago, "minute") + " ago"}`;

const MinuteTable = ({ bars }: { readonly bars: readonly Bar[] }) => (
  <div class="unseen">
    <table>
      <caption>Pageviews per minute</caption>
      <thead>
        <tr>
          <th scope="col">Minute</th>
          <th scope="col">Pageviews</th>
        </tr>
      </thead>
      <tbody>
        {bars.toReversed().map((bar) => (
          <tr key={bar.ago}>
            <th scope="row">{whenOf(bar)}</th>
            <td>{formatCount(bar.pageviews)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

function BarTooltip({ bar, share }: { readonly bar: Bar; readonly share: number }) {
  return (
    <div class="tooltip minute-tooltip" style={{ left: `clamp(88px, ${share * 100}%, 100% - 88px)` }}>
      <strong>{countOf(bar.pageviews, "pageview")}</strong>
      <span class="dim">{whenOf(bar)}</span>
    </div>
  );
}

interface BarsProps {
  readonly bars: readonly Bar[];
  readonly most: number;
  readonly chosen: number | null;
}

const Bars = ({ bars, most, chosen }: BarsProps) =>
  bars.map(({ pageviews, ago }, i) => (
    <span key={ago} class={ago === 0 ? "minute unfinished" : "minute"} data-chosen={i === chosen}>
      <span
        class={pageviews === 0 ? "minute-bar none" : "minute-bar"}
        style={{ height: `${most === 0 ? 0 : (pageviews / most) * 100}%` }}
      />
    </span>
  ));

function indexAt(event: PointerEvent, count: number): number {
  const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
  return Math.min(Math.max(Math.floor(((event.clientX - box.left) / box.width) * count), 0), count - 1);
}

export function MinuteBars({ firstMinute, perMinute }: { readonly firstMinute: string; readonly perMinute: readonly number[] }) {
  const [chosen, setChosen] = useState<number | null>(null);
  const bars = barsOf(firstMinute, perMinute);
  const last = bars.length - 1;
  const most = Math.max(...perMinute);
  const shown = bars[chosen ?? last];
  const pointAt = (event: PointerEvent) => setChosen(indexAt(event, bars.length));
  return (
    <div class="minutes">
      {most > 0 && (
        <span class="minute-most" aria-hidden="true">
          {formatCount(most)}
        </span>
      )}
      <div
        class="minute-bars"
        role="slider"
        tabIndex={0}
        aria-label="Pageviews per minute: choose a minute"
        aria-valuemin={-last}
        aria-valuemax={0}
        aria-valuenow={(chosen ?? last) - last}
        aria-valuetext={shown && `${countOf(shown.pageviews, "pageview")}, ${whenOf(shown)}`}
        onPointerDown={pointAt}
        onPointerMove={pointAt}
        onPointerLeave={(event) => event.pointerType !== "touch" && setChosen(null)}
        onFocus={() => setChosen(chosen ?? last)}
        onBlur={() => setChosen(null)}
        onKeyDown={(event) => {
          const next = indexAfterKey(event, { index: chosen, initial: last, last });
          if (next === undefined) return;
          event.preventDefault();
          setChosen(next);
        }}
      >
        <Bars bars={bars} most={most} chosen={chosen} />
      </div>
      <div class="minute-axis" aria-hidden="true">
        <span>{last} min ago</span>
        <span>{Math.round(last / 2)} min ago</span>
        <span>now</span>
      </div>
      {chosen !== null && shown && <BarTooltip bar={shown} share={(chosen + 0.5) / bars.length} />}
      <MinuteTable bars={bars} />
    </div>
  );
}
