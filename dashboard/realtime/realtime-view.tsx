/** The realtime view: current visitors, and the last half hour by minute, page, source, country and event. */
import { useMemo, useRef, useState } from "preact/hooks";
import { UNRECORDED } from "../../src/shared/filters.ts";
import { DEMO_SITE } from "../../src/shared/names.ts";
import type { Card } from "../../src/shared/site-choices.ts";
import type { Dimension } from "../api/types.ts";
import { filterRow, RowList } from "../cards/rows.tsx";
import { Footnote } from "../filters/footnote.tsx";
import { DIMENSIONS, DIRECT_SOURCE, isAnswer } from "../format/dimensions.ts";
import { countOf, formatCount, formatHour } from "../format/locale.ts";
import { Button } from "../kit/inline.tsx";
import { useRolled } from "../kit/motion.ts";
import { indexAfterKey } from "../kit/pointing.ts";
import { Empty, Loading } from "../kit/states.tsx";
import { WorldMap } from "../map/world-map.tsx";
import { useWorldShapes } from "../map/world-shapes.ts";
import { isCardShown, timeZone } from "../state/known-sites.ts";
import { isRealtimeStale, lastMinutes, MINUTES, realtime, windowMinutes, type Realtime } from "../state/realtime.ts";
import { inZone, minutesFrom } from "../state/time-zone.ts";
import { canClear, filters } from "../state/view-filters.ts";
import { site, toggleRealtime } from "../state/view.ts";
import { fill, pluralForm, words } from "../words/words.ts";

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

function whenOf({ minute, ago }: Bar): string {
  const time = inZone(formatHour(minute), timeZone.value);
  if (ago === 0) return fill(words.realtime.thisMinute, { time });
  return fill(pluralForm(words.realtime.minutesAgo, ago), { time, count: ago });
}

/** The current minute is hatched, because it is not over. A hidden table has the same numbers. */
function MinuteBars({ firstMinute, perMinute }: { readonly firstMinute: string; readonly perMinute: readonly number[] }) {
  const [chosen, setChosen] = useState<number | null>(null);
  const bars = barsOf(firstMinute, perMinute);
  const last = bars.length - 1;
  const most = Math.max(...perMinute);
  const shown = bars[chosen ?? last];
  function pointAt(event: PointerEvent) {
    const { left, width } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    setChosen(Math.min(Math.max(Math.floor(((event.clientX - left) / width) * bars.length), 0), last));
  }
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
        aria-label={words.realtime.chooseMinute}
        aria-valuemin={-last}
        aria-valuemax={0}
        aria-valuenow={(chosen ?? last) - last}
        aria-valuetext={shown && `${countOf(shown.pageviews, words.counts.pageview)}, ${whenOf(shown)}`}
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
        {bars.map(({ pageviews, ago }, i) => (
          <span key={ago} class={ago === 0 ? "minute unfinished" : "minute"} data-chosen={i === chosen}>
            <span
              class={pageviews === 0 ? "minute-bar none" : "minute-bar"}
              style={{ height: `${most === 0 ? 0 : (pageviews / most) * 100}%` }}
            />
          </span>
        ))}
      </div>
      <div class="minute-axis" aria-hidden="true">
        <span>{fill(words.realtime.minAgo, { count: last })}</span>
        <span>{fill(words.realtime.minAgo, { count: Math.round(last / 2) })}</span>
        <span>{words.realtime.now}</span>
      </div>
      {chosen !== null && shown && (
        <div class="tooltip minute-tooltip" style={{ left: `clamp(88px, ${((chosen + 0.5) / bars.length) * 100}%, 100% - 88px)` }}>
          <strong>{countOf(shown.pageviews, words.counts.pageview)}</strong>
          <span class="dim">{whenOf(shown)}</span>
        </div>
      )}
      <div class="unseen">
        <table>
          <caption>{words.realtime.perMinute}</caption>
          <thead>
            <tr>
              <th scope="col">{words.realtime.minute}</th>
              <th scope="col">{words.realtime.pageviews}</th>
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
    </div>
  );
}

type Countries = Required<Realtime>["countries"];

function RealtimeMap({ countries }: { readonly countries: Countries }) {
  const shapes = useWorldShapes();
  const visitors = useMemo(() => new Map(countries.map((row) => [row.value, row.visitors])), [countries]);
  const current = useMemo(
    () => new Map(countries.flatMap((row) => (row.current_visitors > 0 ? [[row.value, row.current_visitors] as const] : []))),
    [countries],
  );
  const unknown = visitors.get(UNRECORDED) ?? 0;
  return (
    <section class="card" aria-label={words.realtime.map}>
      <header class="card-head">
        <h2>{words.realtime.map}</h2>
      </header>
      <div class="map-place">
        {shapes && <WorldMap shapes={shapes} label={words.realtime.mapLabel} visitors={visitors} total={null} current={current} />}
      </div>
      <footer class="card-foot">
        {unknown > 0 && <Footnote dimension="countries" counted={countOf(unknown, words.counts.visitor)} />}
      </footer>
    </section>
  );
}

interface Recent {
  readonly value: string;
  readonly visitors: number;
}

const ROWS = 8;

/** Longer lists keep their height from then on. */
const SHORT_ROWS = 4;

/** Keeps the order of `before`. New values come last; missing ones stay with 0. */
function inPlace(before: readonly Recent[], rows: readonly Recent[]): Recent[] {
  const known = before.map(({ value }) => rows.find((row) => row.value === value) ?? { value, visitors: 0 });
  return [...known, ...rows.filter(({ value }) => !before.some((row) => row.value === value))].slice(0, ROWS);
}

/** Keeps places only between updates of the same view: other filters show other rows. */
function useSteadyRows(rows: readonly Recent[], isHeld: boolean): readonly Recent[] {
  const shown = useRef<{ readonly view: unknown; readonly rows: readonly Recent[] }>({ view: null, rows: [] });
  const view = filters.value;
  shown.current = { view, rows: isHeld && shown.current.view === view ? inPlace(shown.current.rows, rows) : rows.slice(0, ROWS) };
  return shown.current.rows;
}

interface RecentListProps {
  readonly title: string;
  readonly dimension: Dimension;
  readonly rows: readonly Recent[];
}

/** Rows keep their places while the list is hovered or focused. */
function RecentList({ title, dimension, rows }: RecentListProps) {
  const [isPointed, setPointed] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const answers = rows.filter(({ value }) => isAnswer(dimension, value));
  const without = rows.find(({ value }) => !isAnswer(dimension, value));
  const shown = useSteadyRows(answers, isPointed || isFocused);
  const isLong = useRef(false);
  isLong.current ||= shown.length > SHORT_ROWS;
  return (
    <section
      class={isLong.current ? "card long" : "card"}
      aria-label={title}
      onPointerEnter={() => setPointed(true)}
      onPointerLeave={() => setPointed(false)}
      onFocusIn={() => setFocused(true)}
      onFocusOut={() => setFocused(false)}
    >
      <header class="card-head">
        <h2>{title}</h2>
      </header>
      <p class="column-heads">
        <span>{DIMENSIONS[dimension].singular}</span>
        <span>{words.columns.visitors}</span>
      </p>
      <RowList
        label={title}
        rows={shown.map(({ value, visitors }) => ({
          ...filterRow(dimension, value, value === DIRECT_SOURCE ? UNRECORDED : value),
          count: visitors,
          share: null,
          countTitle: countOf(visitors, words.counts.visitor),
        }))}
      />
      {without && (
        <footer class="card-foot">
          <Footnote dimension={dimension} counted={countOf(without.visitors, words.counts.visitor)} />
        </footer>
      )}
    </section>
  );
}

/** Keeps the focus: the button disappears, and the one in the bar does the same. */
function leave(): void {
  toggleRealtime();
  document.querySelector<HTMLElement>(".bar .current")?.focus();
}

const numberOr = (count: number | undefined): string => (count === undefined ? "–" : formatCount(count));

export function RealtimeView() {
  const recent = lastMinutes.value;
  const current = useRolled(realtime.value?.current_visitors ?? null);
  const list = (card: Card, title: string, dimension: Dimension, rows: readonly Recent[]) =>
    isCardShown(card) && rows.length > 0 && <RecentList title={title} dimension={dimension} rows={rows} />;
  return (
    <section
      class={isRealtimeStale.value ? "realtime report stale" : "realtime report"}
      aria-label={words.realtime.title}
      aria-busy={isRealtimeStale.value}
    >
      <div class="panel">
        <header class="realtime-head">
          <div>
            <p class="dim">{countOf(windowMinutes(), words.realtime.inLast)}</p>
            <p class="realtime-count" data-current>
              {numberOr(current ?? undefined)}
            </p>
          </div>
          <dl class="realtime-totals">
            <div>
              <dt>{fill(words.realtime.visitorsIn, { minutes: MINUTES })}</dt>
              <dd>{numberOr(recent?.visitors)}</dd>
            </div>
            <div>
              <dt>{fill(words.realtime.pageviewsIn, { minutes: MINUTES })}</dt>
              <dd>{numberOr(recent?.pageviews)}</dd>
            </div>
          </dl>
          <Button onClick={leave}>{words.realtime.back}</Button>
        </header>
        {recent ? <MinuteBars firstMinute={recent.first_minute} perMinute={recent.per_minute} /> : <Loading rows={4} />}
        <p class="realtime-note dim">{words.realtime.note}</p>
      </div>
      {recent?.visitors === 0 && (
        <Empty>
          {canClear.value
            ? undefined
            : fill(site.value === DEMO_SITE ? words.realtime.nobody : words.realtime.nobodyYet, { minutes: MINUTES })}
        </Empty>
      )}
      {recent !== null && recent.visitors > 0 && (
        <div class="cards">
          {list("pages", words.realtime.pages, "pages", recent.top_pages)}
          {list("sources", words.realtime.sources, "visit-sources", recent.top_sources)}
          {isCardShown("locations") && (
            <>
              <RealtimeMap countries={recent.countries} />
              <RecentList title={words.realtime.countries} dimension="countries" rows={recent.countries} />
            </>
          )}
          {list("goals", words.realtime.goals, "events", recent.top_events)}
        </div>
      )}
    </section>
  );
}
