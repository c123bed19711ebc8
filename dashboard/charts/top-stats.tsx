/** The totals above the chart. Each is a button that selects the metric of the chart. */
import { formatCount, formatHour, formatRange } from "../format/locale.ts";
import { Change } from "../kit/inline.tsx";
import { Failure } from "../kit/states.tsx";
import { timeZone } from "../state/known-sites.ts";
import type { MainReport, Statistics } from "../state/statistics.ts";
import { inZone, localTime } from "../state/time-zone.ts";
import { navigate } from "../state/url.ts";
import { chosenMetric, shownMetrics, totalsOf, type ShownMetric } from "./shown-metrics.ts";

/** The end of a comparison with a period that is not over, as `, until 3:04 PM`. */
function untilText(endsAt: string | undefined): string {
  const zone = timeZone.value;
  return endsAt === undefined ? "" : `, until ${inZone(formatHour(localTime(zone, Date.parse(endsAt))), zone)}`;
}

interface StatProps {
  readonly metric: ShownMetric;
  readonly data: MainReport | undefined;
  /** Totals without filters on events; only conversion rates need it. */
  readonly everybody: MainReport | undefined;
}

function TopStat({ metric, data, everybody }: StatProps) {
  const { id, title, definition, format, isLessBetter } = metric;
  const { now, before } = data ? totalsOf(metric, data, everybody) : { now: null, before: null };
  const isChosen = chosenMetric().id === id;
  const compared = data?.comparison;
  return (
    <button
      type="button"
      class={isChosen ? "top-stat chosen" : "top-stat"}
      aria-pressed={isChosen}
      data-metric={id}
      title={definition}
      disabled={data !== undefined && now === null}
      onClick={() => navigate({ metric: id === shownMetrics()[0]?.id ? null : id })}
    >
      <span class="top-stat-title">{title}</span>
      <span class="top-stat-value" title={now !== null && Number.isInteger(now) ? formatCount(now) : undefined}>
        {now === null ? "–" : format(now)}
      </span>
      <span class="top-stat-change">
        {compared && now !== null && before !== null && (
          <Change
            now={now}
            before={before}
            isLessBetter={isLessBetter}
            title={`${format(before)} in ${formatRange(compared.start_date, compared.end_date)}${untilText(compared.ends_at)}`}
          />
        )}
      </span>
    </button>
  );
}

export function TopStats({ main, everybody }: Statistics) {
  const { data } = main;
  const isStale = main.isStale || everybody.isStale;
  if (main.error) return <Failure report={main} />;
  if (everybody.error) return <Failure report={everybody} />;
  return (
    <div
      class={isStale ? "top-stats stale" : "top-stats"}
      aria-busy={isStale || data === undefined}
      role="group"
      aria-label="Stats of the period"
    >
      {shownMetrics().map((metric) => (
        <TopStat key={metric.id} metric={metric} data={data} everybody={everybody.data} />
      ))}
    </div>
  );
}
