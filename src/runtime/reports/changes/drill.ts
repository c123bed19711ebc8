/** The second question about the first finding: which page a source led to, for example (docs/internals/changes.md, "Drill-down"). */
import { isRatio } from "./contributions.ts";
import { expectedOf, countedIn, spanOf } from "./history.ts";
import { type ChangesInput, type DayValueTally, type DrillQuery, type DrillRows, hasTypical, HISTORY_DAYS } from "./input.ts";
import { kindOf } from "./changes.ts";
import { valueSeries } from "./naming.ts";
import type { ChangesResult } from "./result.ts";
import { withSentences } from "./telling.ts";
import { countOf, seriesOf, viewOf } from "./view.ts";

const DAY_MS = 86_400_000;

/** A value is shown if it has this part of the finding's excess. */
const SHARE_MIN = 0.5;

const PAGES = ["entry-pages", "pages"];
const ORIGINS = ["visit-utm-campaigns", "visit-sources", "visit-utm-sources", "visit-utm-mediums"];

function dimensionsBelow(dimension: string): readonly string[] {
  if (ORIGINS.includes(dimension)) return ["entry-pages"];
  return PAGES.includes(dimension) ? ["visit-sources"] : ["visit-sources", "screen-sizes"];
}

/** null if nothing is found that a further question could say more about. It reads events, so ask only for short periods of few events. */
export function drillNeeded(input: ChangesInput, { verdict, findings: [first] }: ChangesResult): DrillQuery | null {
  const { period, metric, dataFirstDay } = input;
  if (!first || verdict === "unusual_comparison" || isRatio(kindOf(metric)) || !hasTypical(period, dataFirstDay)) return null;
  return {
    filters: first.filters,
    dimensions: dimensionsBelow(first.dimension),
    firstDay: period.firstDay - HISTORY_DAYS,
    lastDay: period.lastDay,
  };
}

/** The answer with the value that has most of the first finding's excess, if one has half of it. */
export function withDrill(input: ChangesInput, result: ChangesResult, rows: readonly DrillRows[]): ChangesResult {
  const [first, ...others] = result.findings;
  if (!first) return result;
  const { period, dataFirstDay, now } = input;
  const view = viewOf(period, dataFirstDay, now);
  const length = view.history.total.length;
  const span = spanOf(
    view.history,
    first.dates.map((date) => Date.parse(date) / DAY_MS - period.firstDay),
  );
  const tallies = period.dimensions.find(({ dimension }) => dimension === first.dimension);
  const ofFinding = (tallies?.byDay ?? []).filter((row: DayValueTally) => row.value === first.value);
  const series = seriesOf(ofFinding, period, countOf);
  const excess = countedIn(series, span.days) - expectedOf(series, span.all);
  const best = rows
    .flatMap(({ dimension, byDay }) => valueSeries({ dimension, sums: [], byDay }, period.firstDay, length))
    .map(({ dimension, value, series: below }) => {
      const after = countedIn(below, span.days);
      return { dimension, value, after, share: excess === 0 ? 0 : (after - expectedOf(below, span.all)) / excess };
    })
    .toSorted((a, b) => b.share - a.share)[0];
  if (!best || best.share < SHARE_MIN) return result;
  return withSentences({ ...result, findings: [{ ...first, drill: best }, ...others] }, input.nameOf);
}
