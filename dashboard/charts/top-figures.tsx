/** The headline: six figures, each of which is also the button that draws it. */
import { useEffect } from "preact/hooks";
import type { Headline } from "../api/types.ts";
import { Failure } from "../components/states.tsx";
import { comparison, go, isFiltered, param } from "../state/view.ts";
import type { Figure } from "../state/use-report.ts";
import { rangeText } from "../format/dates.ts";
import { daysBetween } from "../state/range.ts";
import { countText } from "../format/numbers.ts";
import { ChangeArrow } from "./change-arrow.tsx";
import { changeOf, METRICS, METRIC_WORDS, type Metric } from "./metrics.ts";
import { totalVisitors } from "./totals.ts";

export const chosenMetric = (): Metric => METRICS.find((metric) => metric === param("metric")) ?? "visitors";

function TopFigure({ metric, headline }: { readonly metric: Metric; readonly headline: Headline | undefined }) {
  const words = METRIC_WORDS[metric];
  const now = headline ? words.now(headline) : null;
  const compared = comparison.value === "none" ? undefined : headline?.comparison;
  const before = compared ? words.before(compared, isFiltered.value) : null;
  const isChosen = chosenMetric() === metric;
  const range =
    compared &&
    rangeText({ start: compared.start_date, end: compared.end_date, days: daysBetween(compared.start_date, compared.end_date) });
  return (
    <button
      type="button"
      class={isChosen ? "top-figure chosen" : "top-figure"}
      aria-pressed={isChosen}
      data-metric={metric}
      title={words.definition}
      disabled={headline !== undefined && now === null}
      onClick={() => go({ metric: metric === "visitors" ? null : metric })}
    >
      <span class="top-figure-title">{words.title}</span>
      <span class="top-figure-value" title={now !== null && Number.isInteger(now) ? countText(now) : undefined}>
        {now === null ? "–" : words.text(now)}
      </span>
      <span class="top-figure-change">
        {now !== null && before !== null && (
          <ChangeArrow change={changeOf(now, before, words.isLessBetter)} title={`${words.text(before)} in ${range ?? ""}`} />
        )}
      </span>
    </button>
  );
}

export function TopFigures({ figure }: { readonly figure: Figure<Headline> }) {
  const { data, error, isStale } = figure;
  useEffect(() => {
    totalVisitors.value = data?.unique_visitors ?? null;
  }, [data]);
  if (error) return <Failure figure={figure} />;
  return (
    <div
      class={isStale ? "top-figures stale" : "top-figures"}
      aria-busy={isStale || data === undefined}
      role="group"
      aria-label="Figures of the period"
    >
      {METRICS.map((metric) => (
        <TopFigure key={metric} metric={metric} headline={data} />
      ))}
    </div>
  );
}
