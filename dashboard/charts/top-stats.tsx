/** The totals above the chart. Each is a button that selects the metric of the chart. */
import { compactCount, formatCount } from "../format/locale.ts";
import { onComparedDates } from "../format/periods.ts";
import { Change } from "../kit/inline.tsx";
import { Failure } from "../kit/states.tsx";
import { useRolled } from "../kit/motion.ts";
import { tip } from "../kit/tips.ts";
import { timeZone } from "../state/known-sites.ts";
import { today } from "../state/period.ts";
import type { Conversions } from "../state/conversions.ts";
import type { MainReport, Statistics } from "../state/statistics.ts";
import { localTime } from "../state/time-zone.ts";
import { navigate } from "../state/url.ts";
import { words } from "../words/words.ts";
import { comparedAs } from "./metrics.ts";
import { chosenMetric, shownMetrics, totalsOf, type ShownMetric } from "./shown-metrics.ts";

/** `4,909 on Thu, 19 Nov, by 11:47` */
function beforeText(metric: ShownMetric, before: number, { start_date, end_date, ends_at }: NonNullable<MainReport["comparison"]>): string {
  const until = ends_at === undefined ? null : localTime(timeZone.value, Date.parse(ends_at));
  return onComparedDates(exactly(metric, before), { start: start_date, end: end_date, until }, today.value);
}

/** Compact counts in full. */
const exactly = ({ format, exact }: ShownMetric, value: number): string =>
  (exact ?? (format === compactCount ? formatCount : format))(value);

interface StatProps {
  readonly metric: ShownMetric;
  readonly data: MainReport | undefined;
  /** Totals without filters on events; only conversion rates need it. */
  readonly everybody: MainReport | undefined;
  readonly conversions: Conversions;
}

function TopStat({ metric, data, everybody, conversions }: StatProps) {
  const { id, title, definition, format } = metric;
  const { now, before } = data ? totalsOf(metric, data, everybody, conversions) : { now: null, before: null };
  const rolled = useRolled(now);
  const isChosen = chosenMetric().id === id;
  // Their reports may take longer.
  const isStale = (id === "revenue" && conversions.revenue.isStale) || (id === "conversion_rate" && conversions.isRateStale);
  const compared = data?.comparison;
  const explanation = [
    now !== null && exactly(metric, now) !== format(now) && exactly(metric, now),
    compared && before !== null && beforeText(metric, before, compared),
    definition,
  ];
  return (
    <button
      type="button"
      class={["top-stat", isChosen && "chosen", isStale && "stale"].filter(Boolean).join(" ")}
      aria-pressed={isChosen}
      data-metric={id}
      {...tip(explanation.filter(Boolean).join("\n"), true)}
      disabled={data !== undefined && now === null}
      onClick={() => navigate({ metric: id === shownMetrics()[0]?.id ? null : id })}
    >
      <span class="top-stat-title">{title}</span>
      <span class="top-stat-value">{rolled === null ? "–" : format(rolled)}</span>
      <span class="top-stat-change">
        {compared && now !== null && before !== null && <Change now={now} before={before} {...comparedAs(metric)} />}
      </span>
    </button>
  );
}

export function TopStats({ main, everybody, conversions }: Statistics) {
  const { data } = main;
  const isStale = main.isStale || everybody.isStale;
  if (main.error) return <Failure report={main} />;
  if (everybody.error) return <Failure report={everybody} />;
  return (
    <div
      class={isStale ? "top-stats stale" : "top-stats"}
      aria-busy={isStale || data === undefined}
      role="group"
      aria-label={words.charts.stats}
    >
      {shownMetrics().map((metric) => (
        <TopStat key={metric.id} metric={metric} data={data} everybody={everybody.data} conversions={conversions} />
      ))}
    </div>
  );
}
