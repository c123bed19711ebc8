/** The second question about the first finding: which page a source led to, for example (docs/internals/changes.md, "Naming a value"). */
import { FILTER_VALUE_CHARS_MAX } from "../../../shared/limits.ts";
import { exceedsChars } from "../../../shared/text.ts";
import { isRatio } from "./contributions.ts";
import { ALIKE_DIMENSIONS, bouncesAlmostAll, isOfOneKind } from "./doubts.ts";
import { countedIn, expectedOf, type Span, spanOf } from "./history.ts";
import { type ChangesInput, type DrillQuery, type DrillRows, hasTypical, HISTORY_DAYS } from "./input.ts";
import { kindOf } from "./changes.ts";
import { valueSeries } from "./naming.ts";
import type { ChangesResult, Finding } from "./result.ts";
import { withSentences } from "./telling.ts";
import { countOf, seriesOf, type View, viewOf } from "./view.ts";

const DAY_MS = 86_400_000;

/** A value is shown if it has this part of the finding's excess. */
const SHARE_MIN = 0.5;

const PAGES = ["entry-pages", "pages"];
const ORIGINS = ["visit-utm-campaigns", "visit-sources", "visit-utm-sources", "visit-utm-mediums"];

function dimensionsBelow(dimension: string): readonly string[] {
  if (ORIGINS.includes(dimension)) return ["entry-pages"];
  return PAGES.includes(dimension) ? ["visit-sources"] : ["visit-sources", "screen-sizes"];
}

interface Drilled {
  readonly view: View;
  /** Days of the finding. */
  readonly span: Span;
  readonly typical: number;
  readonly more: number;
}

/** What the finding has more or less than is typical on its days. */
function drilled({ period, dataFirstDay, now }: ChangesInput, { dimension, value, dates }: Finding): Drilled {
  const view = viewOf(period, dataFirstDay, now);
  const span = spanOf(
    view.history,
    dates.map((date) => Date.parse(date) / DAY_MS - period.firstDay),
  );
  const rows = period.dimensions.find((tallies) => tallies.dimension === dimension)?.byDay.filter((row) => row.value === value) ?? [];
  const series = seriesOf(rows, period, countOf);
  const typical = expectedOf(series, span.all);
  return { view, span, typical, more: countedIn(series, span.days) - typical };
}

/** null if nothing is found that a further question could say more about. It reads events, so ask only for short periods of few events. */
export function drillNeeded(input: ChangesInput, { verdict, findings: [first] }: ChangesResult): DrillQuery | null {
  const { period, metric, dataFirstDay } = input;
  if (!first || verdict === "unusual_comparison" || isRatio(kindOf(metric)) || !hasTypical(period, dataFirstDay)) return null;
  // Paths may be longer than the values of filters, which are refused then.
  if (exceedsChars(first.value, FILTER_VALUE_CHARS_MAX)) return null;
  const mayBeAutomated = metric === "visits" && bouncesAlmostAll(period, first, drilled(input, first).span);
  return {
    filters: first.filters,
    dimensions: [...new Set([...dimensionsBelow(first.dimension), ...(mayBeAutomated ? ALIKE_DIMENSIONS : [])])],
    firstDay: period.firstDay - HISTORY_DAYS,
    lastDay: period.lastDay,
  };
}

/** The answer with the value that has most of the first finding's excess, if one has half of it. */
export function withDrill(input: ChangesInput, result: ChangesResult, rows: readonly DrillRows[]): ChangesResult {
  const [first, ...others] = result.findings;
  if (!first) return result;
  const { period, nameOf, metric } = input;
  const { view, span, typical, more } = drilled(input, first);
  const tallies = rows.map((row) => ({ ...row, sums: [] }));
  const best = tallies
    .filter(({ dimension }) => dimensionsBelow(first.dimension).includes(dimension))
    .flatMap((below) => valueSeries(below, period.firstDay, view.history.total.length))
    .map(({ dimension, value, series }) => {
      const after = countedIn(series, span.days);
      return { dimension, value, after, share: more === 0 ? 0 : (after - expectedOf(series, span.all)) / more };
    })
    .toSorted((a, b) => b.share - a.share)[0];
  const isAutomated = metric === "visits" && bouncesAlmostAll(period, first, span) && isOfOneKind(tallies, period, span, { more, typical });
  const isKnown = result.caveats.some(({ code }) => code === "bot_like");
  const gaps = result.caveats.filter(({ code }) => code === "tracking_gap");
  return withSentences(
    {
      ...result,
      findings: [{ ...first, drill: best && best.share >= SHARE_MIN ? best : null }, ...others],
      caveats: isAutomated && !isKnown ? [...gaps, { code: "bot_like" }, ...result.caveats.slice(gaps.length)] : result.caveats,
    },
    nameOf,
  );
}
