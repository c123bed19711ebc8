/** What is found about one window, of a count, of money (by the number of payments) and of a rate alike. */
import { isRatio, type Kind } from "./contributions.ts";
import { type CountVerdict, judgeCount, restIsOrdinary, type Story } from "./counts.ts";
import { isRecurring, looksAutomated } from "./doubts.ts";
import type { Weights } from "./history.ts";
import { Judge, NAMED_DIMENSIONS, valueSeries } from "./naming.ts";
import { judgeRatio, type NamedRatio, RatioJudge, type RatioVerdict, ratioRestIsOrdinary, type ValueRatio } from "./ratios.ts";
import type { ValueOf } from "./result.ts";
import { partOf, seriesOf, type View } from "./view.ts";

export interface Found extends ValueOf {
  readonly also: readonly ValueOf[];
  /** Days of the window, from 0, that hold most of its excess. */
  readonly days: readonly number[];
  /** Its numbers are of these days alone; null if they are of the whole window. */
  readonly ofDays: { readonly days: readonly number[]; readonly weights: Weights } | null;
  readonly share: number | null;
  readonly z: number;
  readonly contrast: number;
  readonly isOrdinaryWithout: boolean;
  readonly isRecurring: boolean;
  readonly looksAutomated: boolean;
}

export interface FoundDay {
  readonly day: number;
  readonly z: number;
  /** The place in `findings`. */
  readonly finding: number | null;
}

export interface Judged {
  readonly verdict: CountVerdict["verdict"];
  readonly isPeriodUnusual: boolean;
  readonly z: number;
  readonly findings: readonly Found[];
  readonly days: readonly FoundDay[];
  readonly mix: RatioVerdict["mix"];
  readonly tried: number;
  readonly dispersion: number;
  readonly persistence: number | null;
}

const namedDimensions = (view: View) =>
  view.window.dimensions.filter(({ dimension }) => (NAMED_DIMENSIONS as readonly string[]).includes(dimension));

const valueOf = ({ dimension, value }: ValueOf): ValueOf => ({ dimension, value });

function judgeCounts(view: View, caution: number, hasBounces: boolean): Judged {
  const judge = new Judge(view.history);
  const { firstDay, history, window } = view;
  const values = namedDimensions(view).flatMap((tallies) => valueSeries(tallies, firstDay, history.total.length));
  const found = judgeCount(judge, values, view.testedDays, view.completeDays, caution);
  const foundOf = (story: Story): Found => {
    const { named, span, days } = story;
    return {
      ...valueOf(named),
      also: named.also.map(valueOf),
      days,
      ofDays: span.days.length < view.testedDays.length ? { days, weights: span.all } : null,
      share: found.verdict === "explained" ? named.share : null,
      z: named.z,
      contrast: named.contrast,
      isOrdinaryWithout: restIsOrdinary(judge, named, span, view.testedDays.length, caution),
      isRecurring: isRecurring(judge, named, span, days),
      looksAutomated: hasBounces && looksAutomated(judge, named, span, window),
    };
  };
  return {
    ...found,
    findings: found.stories.map(foundOf),
    days: found.days.map(({ day, z, story }) => ({ day, z, finding: story && found.stories.indexOf(story) })),
    mix: null,
    ...judge.noise,
  };
}

/** Values of other dimensions with an effect of about the same size are the same visits. */
const EFFECTS_RATIO_MAX = 1.67;

const effectOf = ({ after, typical }: NamedRatio): number => after.part - (typical.part / Math.max(typical.count, 1e-6)) * after.count;

function joinRatios(named: readonly NamedRatio[]): { readonly first: NamedRatio; readonly also: readonly NamedRatio[] }[] {
  const taken = new Set<NamedRatio>();
  return named.flatMap((first) => {
    if (taken.has(first)) return [];
    const also = named.filter((other) => {
      const ratio = effectOf(other) / effectOf(first);
      return !taken.has(other) && other.of.dimension !== first.of.dimension && ratio >= 1 / EFFECTS_RATIO_MAX && ratio <= EFFECTS_RATIO_MAX;
    });
    for (const face of [first, ...also]) taken.add(face);
    return [{ first, also }];
  });
}

function judgeRates(view: View, judge: RatioJudge, caution: number, findingsMax: number): Judged {
  const { firstDay, history } = view;
  const length = history.total.length;
  const values = namedDimensions(view).flatMap((tallies) => {
    const parts = new Map(valueSeries(tallies, firstDay, length, partOf).map(({ value, series }) => [value, series]));
    return valueSeries(tallies, firstDay, length).map(({ dimension, value, series }): ValueRatio => ({
      dimension,
      value,
      visits: series,
      parts: parts.get(value) ?? new Float64Array(length),
    }));
  });
  const found = judgeRatio(judge, values, view.testedDays, caution);
  return {
    ...found,
    findings: joinRatios(found.named)
      .slice(0, findingsMax)
      .map(({ first, also }) => ({
        ...valueOf(first.of),
        also: also.map(({ of }) => valueOf(of)),
        days: view.testedDays,
        ofDays: null,
        share: null,
        z: first.z,
        contrast: first.contrast,
        isOrdinaryWithout: ratioRestIsOrdinary(judge, first.of, view.testedDays, caution),
        isRecurring: false,
        looksAutomated: false,
      })),
    days: [],
    dispersion: judge.dispersion,
    persistence: null,
  };
}

export const ratioJudgeOf = (metric: RatioJudge["metric"], { window, history }: View): RatioJudge =>
  new RatioJudge(metric, { visits: history.total, parts: seriesOf(window.days, window, partOf) }, history);

export function judgeView(kind: Kind, view: View, caution: number, findingsMax: number, hasBounces: boolean): Judged {
  return isRatio(kind) ? judgeRates(view, ratioJudgeOf(kind, view), caution, findingsMax) : judgeCounts(view, caution, hasBounces);
}
