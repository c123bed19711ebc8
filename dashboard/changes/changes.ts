/** The report of changes of the view: one request for the sentence, the card and the days that the chart names. */
import { useMemo } from "preact/hooks";
import { changeTexts, textOfSegments, type ChangeSegment, type ChangeTexts } from "../../src/shared/change-sentences.ts";
import type { Interval } from "../../src/shared/periods.ts";
import type { Dimension, Reports } from "../api/types.ts";
import { formatValue, isDimension } from "../format/dimensions.ts";
import { LOCALE } from "../format/locale.ts";
import { parseFilters } from "../state/filters.ts";
import { useReport, type Report } from "../state/requests.ts";
import { comparisonParameters, scope } from "../state/scope.ts";
import { isComparisonKnown, isWindowWhole } from "../state/statistics.ts";
import { filterKind, ownFilters, setFilters, toggleFilter } from "../state/view-filters.ts";
import { navigate } from "../state/url.ts";
import { words } from "../words/words.ts";

export type Changes = Reports["changes"];

/** Where the value of a day or an hour usually is. */
export interface Usual {
  readonly low: number;
  readonly high: number;
}

/** Words about a point of the chart: those of the sentence above the numbers. */
export interface Callout {
  /** The label of the point. */
  readonly at: string;
  readonly text: string;
  readonly onChoose: () => void;
}

/** Values of each dimension: enough to find those that changed most. */
const ROWS = 20;

/** Asked once the numbers of the view are there: they have waited for the same events. */
export function useChanges(hasEvents: boolean): Report<Changes> {
  const compared = isWindowWhole() ? comparisonParameters.value : {};
  return useReport("changes", hasEvents && isComparisonKnown() ? { ...scope.value, ...compared, limit: ROWS } : null);
}

const nameOf = (dimension: string, value: string): string => (isDimension(dimension) ? formatValue(dimension, value) : value);

export const textsOf = (changes: Changes): ChangeTexts => changeTexts(changes, words.changes, LOCALE, nameOf);

/** The first caveat of a kind as a sentence; null without any. */
export function caveatOf(changes: Changes, code: Changes["caveats"][number]["code"]): string | null {
  const segments = textsOf(changes).caveats[changes.caveats.findIndex((caveat) => caveat.code === code)];
  return segments ? textOfSegments(segments) : null;
}

/** The one sentence for an image: what stands apart, or else the whole period. */
export function sentenceOf(changes: Changes): string {
  const { headline, findings } = textsOf(changes);
  return textOfSegments(findings[0] ?? headline);
}

/** What a click on a word of a sentence does; null if it is just a word. */
export function actionOf({ filters, day }: ChangeSegment): (() => void) | null {
  if (day !== undefined) return () => navigate({ start: day, end: day, period: null, interval: null });
  const [filter] = parseFilters(filters ?? null);
  if (!filter) return null;
  const [value] = filter.values;
  if (value !== undefined && filter.values.length === 1) return () => toggleFilter(filter.dimension, value);
  return () => setFilters([...ownFilters.value, filter]);
}

/** Metrics of the chart that have a usual range. */
const METRICS: Readonly<Record<string, string>> = {
  visitors: "visitors",
  visits: "visits",
  pageviews: "pageviews",
  views_per_visit: "views_per_visit",
  bounce_rate: "bounce_rate",
  visit_duration: "duration",
};

const NOTHING_USUAL: ReadonlyMap<string, Usual> = new Map();

/** The usual range of each day or hour of the view, by the label of its point. */
export function useUsual(metric: string, interval: Interval, isReady: boolean): ReadonlyMap<string, Usual> {
  const of = METRICS[metric];
  const band = interval === "day" || interval === "hour" ? interval : null;
  // No filter on one event gives page views of all others.
  const isAsked = isReady && of !== undefined && band !== null && filterKind.value === "visitors";
  const report = useReport("changes", isAsked ? { ...scope.value, metric: of, band, dimensions: "none" } : null);
  const { data, isStale } = report;
  return useMemo(
    () => (isAsked && data && !isStale ? new Map((data.band ?? []).map(({ date, low, high }) => [date, { low, high }])) : NOTHING_USUAL),
    [isAsked, data, isStale],
  );
}

/** The names of findings at the days that they are of. */
export const calloutsOf = ({ days, findings, verdict }: Changes): readonly Callout[] =>
  findings.flatMap(({ dimension, value, dates, filters }, i) => {
    const at = days.find(({ finding }) => finding === i)?.date ?? dates[0];
    const act = actionOf({ text: value, filters });
    if (at === undefined || act === null || verdict === "unusual_comparison") return [];
    return [{ at, text: nameOf(dimension, value), onChoose: act }];
  });

export interface Contribution {
  readonly dimension: Dimension;
  readonly value: string;
  readonly before: number;
  readonly after: number;
  readonly delta: number;
}
