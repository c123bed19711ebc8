/** What changed in a period, and which values stand apart: the analysis behind `GET /api/stats/changes` (docs/internals/changes.md). */
import { filterOf, printFilter } from "../../../shared/filters.ts";
import { hourBand, rangesOf } from "./bands.ts";
import {
  amountOf,
  changeOf,
  contributionsOf,
  deltaOf,
  isRatio,
  type Kind,
  NO_SIDE,
  rateOf,
  type Side,
  type Sides,
  withoutValue,
} from "./contributions.ts";
import { BAND_DEVIATIONS, FINDINGS_MAX, FLOOR_SHARE, FLOOR_VISITS, dayIsNoted } from "./counts.ts";
import { hourAt } from "./gaps.ts";
import { spanOf } from "./history.ts";
import {
  type ChangeMetric,
  type ChangesInput,
  type DataFact,
  type DayTally,
  type DayValueTally,
  hasTypical,
  HISTORY_DAYS,
  HISTORY_DAYS_MIN,
  NAMED_DAYS_MAX,
  TYPICAL_DAYS_MAX,
  type Window,
} from "./input.ts";
import { type Found, type Judged, judgeView } from "./judged.ts";
import { longDays, longFindings } from "./long.ts";
import { NAMED_DIMENSIONS } from "./naming.ts";
import { RATE_CHANGE_MIN } from "./ratios.ts";
import type { BandPoint, ChangesResult, UnusualDay, Verdict } from "./result.ts";
import { sideOf, sidesByValue, sidesOfDays, typicalSide } from "./sides.ts";
import { countOfRoot, rootOf } from "./statistics.ts";
import { withSentences } from "./telling.ts";
import { type View, viewOf } from "./view.ts";

const DAY_MS = 86_400_000;
const DAY_HOURS = 24;
const WEEK_DAYS = 7;
const HISTORY_WEEKS = HISTORY_DAYS / WEEK_DAYS;

/** Today so far is judged from this typical value on. */
const TODAY_VISITS_MIN = 20;

/** Longest period with a band. */
const BAND_DAYS_MAX = 31;

const PAYMENT_SHARE_MIN = 0.5;
const CAVEATS_PER_CODE_MAX = 10;

/** The answer without its sentences. */
type Told = Parameters<typeof withSentences>[0];

export const kindOf = (metric: ChangeMetric): Kind => {
  if (metric === "revenue") return "money";
  return metric === "bounce_rate" || metric === "conversion_rate" || metric === "views_per_visit" || metric === "duration"
    ? metric
    : "count";
};

const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

const hourOf = (view: View, hour: number): string => {
  const at = hourAt(hour);
  return `${dateOf(view.firstDay - HISTORY_DAYS + at.day)} ${String(at.hour).padStart(2, "0")}:00`;
};

/** Names of sessions' dimensions in filters (docs/http-api.md, "Filters"). */
const FILTER_NAMES: Readonly<Record<string, string>> = { "entry-pages": "entry-page", "exit-pages": "exit-page" };

const filtersOf = (dimension: string, value: string): string =>
  printFilter(filterOf(FILTER_NAMES[dimension] ?? dimension, "in", false, [value]));

const isNamed = (dimension: string): boolean => (NAMED_DIMENSIONS as readonly string[]).includes(dimension);

/** One window: what is expected of it, what is found, and its sums beside those that it is compared with. */
interface Analysis {
  readonly kind: Kind;
  readonly view: View;
  /** null if nothing is expected, or too little so far. */
  readonly judged: Judged | null;
  readonly total: Sides;
  readonly values: ReadonlyMap<string, ReadonlyMap<string, Sides>>;
}

const touches = ({ firstDay, lastDay }: DataFact, window: Window, dataFirstDay: number): boolean => {
  const first = hasTypical(window, dataFirstDay) ? Math.max(dataFirstDay, window.firstDay - HISTORY_DAYS) : window.firstDay;
  return lastDay >= first && firstDay <= window.lastDay;
};

/** Facts of the days that are compared: those of the period, of what is typical of it, and of the other window. */
const factsOf = ({ facts, period, compared, dataFirstDay }: ChangesInput): readonly DataFact[] =>
  facts.filter((fact) => touches(fact, period, dataFirstDay) || (compared !== null && touches(fact, compared, dataFirstDay)));

/** Days that are compared are counted nowhere: a difference may be theirs. */
const lacksDays = (input: ChangesInput): boolean => factsOf(input).some(({ code }) => code === "imported_days");

function analyse(input: ChangesInput, window: Window, compared: Window | null): Analysis {
  const kind = kindOf(input.metric);
  const { now, dataFirstDay } = input;
  const view = viewOf(window, dataFirstDay, now && now.day >= window.firstDay && now.day <= window.lastDay ? now : null);
  const weights = hasTypical(window, dataFirstDay) ? view.span.all : null;
  const typical = weights && typicalSide(kind, window.days, window.firstDay, weights);
  const isTooEarly = view.completeDays.length === 0 && typical !== null && typical.count < TODAY_VISITS_MIN;
  return {
    kind,
    view,
    judged:
      lacksDays(input) || weights === null || view.testedDays.length === 0 || isTooEarly
        ? null
        : judgeView(kind, view, input.caution ?? 0, FINDINGS_MAX, input.metric === "visits"),
    total: { before: compared ? sideOf(kind, compared.total) : (typical ?? NO_SIDE), after: sideOf(kind, window.total), typical },
    values: new Map(
      window.dimensions.map((tallies) => [tallies.dimension, sidesByValue(kind, tallies, window, weights, compared)] as const),
    ),
  };
}

/** A value's numbers: over the window, or on the days of its finding. */
function sidesOfFound(
  { kind, view, total, values }: Analysis,
  { dimension, value, ofDays }: Pick<Found, "dimension" | "value" | "ofDays">,
) {
  if (ofDays === null) return { all: total, own: values.get(dimension)?.get(value) ?? { before: NO_SIDE, after: NO_SIDE, typical: null } };
  const rows = view.window.dimensions.find((tallies) => tallies.dimension === dimension)?.byDay ?? [];
  const ofValue = rows.filter((row: DayValueTally) => row.value === value);
  return {
    all: sidesOfDays(kind, view.window.days, view.firstDay, ofDays.days, ofDays.weights),
    own: sidesOfDays(kind, ofValue, view.firstDay, ofDays.days, ofDays.weights),
  };
}

function findingOf(analysis: Analysis, found: Found): Told["findings"][number] {
  const { kind, view } = analysis;
  const { dimension, value } = found;
  const { all, own } = sidesOfFound(analysis, found);
  return {
    dimension,
    value,
    also: found.also,
    dates: found.days.map((day) => dateOf(view.firstDay + day)),
    numbers_of: found.ofDays ? "dates" : "period",
    before: amountOf(kind, own.before),
    after: amountOf(kind, own.after),
    delta: deltaOf(kind, own.before, own.after),
    typical: own.typical && amountOf(kind, own.typical),
    share: found.share,
    z: found.z,
    contrast_z: found.contrast,
    recurring: found.isRecurring,
    without_value: { ...withoutValue(kind, all, own), ordinary: found.isOrdinaryWithout },
    drill: null,
    filters: filtersOf(dimension, value),
  };
}

/** Values of a long period that stand far apart. */
function longFindingsOf(analysis: Analysis, compared: Window | null): Told["findings"] {
  const { kind, view, total } = analysis;
  if (compared === null || isRatio(kind) || !isLarge(kind, total)) return [];
  return longFindings(view.window, compared, isNamed)
    .slice(0, 1)
    .map(({ dimension, value, share, contrast }) => {
      const { own } = sidesOfFound(analysis, { dimension, value, ofDays: null });
      return {
        dimension,
        value,
        also: [],
        dates: [],
        numbers_of: "period",
        before: amountOf(kind, own.before),
        after: amountOf(kind, own.after),
        delta: deltaOf(kind, own.before, own.after),
        typical: null,
        share,
        z: null,
        contrast_z: contrast,
        recurring: false,
        without_value: { ...withoutValue(kind, total, own), ordinary: null },
        drill: null,
        filters: filtersOf(dimension, value),
      };
    });
}

/** Shares of nearly nothing explode: the change must pass the floors. */
function isLarge(kind: Kind, { before, after }: Sides): boolean {
  if (isRatio(kind)) return Math.abs(rateOf(after) - rateOf(before)) >= RATE_CHANGE_MIN * rateOf(before);
  const [from, to] = [Number(before.units), Number(after.units)];
  const isLargeShare = Math.abs(to - from) >= FLOOR_SHARE * Math.abs(from);
  return isLargeShare && (kind === "money" || Math.abs(after.count - before.count) >= FLOOR_VISITS);
}

function daysOf({ kind, view, judged }: Analysis): UnusualDay[] {
  if (judged === null) return [];
  const rangeOfDays = rangesOf(kind, view);
  return judged.days.map(({ day, z, finding }) => ({
    date: dateOf(view.firstDay + day),
    value: amountOf(kind, countedSide(kind, view, [day])),
    ...rangeOfDays([day]),
    z,
    finding,
  }));
}

const countedSide = (kind: Kind, view: View, days: readonly number[]): Side =>
  sidesOfDays(kind, view.window.days, view.firstDay, days, spanOf(view.history, days).all).after;

/** One day of a long period, with the weeks before it as its history. */
function windowOfDay({ days, dimensions }: Window, day: number): Window {
  const isOfDay = (tally: DayTally): boolean => tally.day === day;
  const noVisits = { day, count: 0 };
  return {
    firstDay: day,
    lastDay: day,
    total: days.find(isOfDay) ?? noVisits,
    days,
    hours: [],
    dimensions: dimensions.map(({ dimension, byDay }) => ({ dimension, sums: byDay.filter(isOfDay), byDay })),
  };
}

/** Days of longer periods are told by their counts. */
const isNamedByDay = ({ firstDay, lastDay }: Window): boolean => lastDay - firstDay < NAMED_DAYS_MAX;

/** Adds the values that days of a long period stand out for, each once, with the numbers of the day that is clearest. */
function withDaysOf(
  input: ChangesInput,
  ofPeriod: Told["findings"],
  days: readonly UnusualDay[],
): { readonly findings: Told["findings"]; readonly days: readonly UnusualDay[] } {
  const findings = [...ofPeriod];
  const hasValues = isNamedByDay(input.period);
  const named = days.map((unusual) => {
    const day = Date.parse(unusual.date) / DAY_MS;
    if (!hasValues || !hasTypical({ firstDay: day, lastDay: day }, input.dataFirstDay)) return unusual;
    const analysis = analyse({ ...input, now: null }, windowOfDay(input.period, day), null);
    const found = analysis.judged?.findings[0];
    if (!found) return unusual;
    const known = findings.findIndex(({ dimension, value }) => dimension === found.dimension && value === found.value);
    if (known >= 0) return { ...unusual, finding: known };
    if (findings.length === FINDINGS_MAX) return unusual;
    findings.push({ ...findingOf(analysis, found), dates: [unusual.date], numbers_of: "dates" });
    return { ...unusual, finding: findings.length - 1 };
  });
  return { findings, days: named };
}

/** Days of a long period, against their neighbors. */
function longDaysOf({ kind, view }: Analysis): UnusualDay[] {
  if (kind !== "count") return [];
  const series = view.history.total.slice(HISTORY_DAYS, HISTORY_DAYS + view.completeDays.length);
  return longDays(series)
    .filter(({ z, value, expected }) => dayIsNoted(z, value, expected, series.length))
    .toSorted((a, b) => Math.abs(b.z) - Math.abs(a.z))
    .slice(0, FINDINGS_MAX)
    .map(({ day, value, expected, z, deviation }) => ({
      date: dateOf(view.firstDay + day),
      value,
      expected,
      low: countOfRoot(rootOf(expected) - BAND_DEVIATIONS * deviation),
      high: countOfRoot(rootOf(expected) + BAND_DEVIATIONS * deviation),
      z,
      finding: null,
    }));
}

/** A month is drawn with its band, too, though its sum has no verdict. */
const hasBand = (period: Window, dataFirstDay: number, band: "day" | "hour"): boolean =>
  period.lastDay - period.firstDay < BAND_DAYS_MAX &&
  period.firstDay - dataFirstDay >= HISTORY_DAYS_MIN &&
  (band === "day" || period.hours.length > 0);

function bandOf({ kind, view }: Analysis, band: "day" | "hour"): BandPoint[] {
  if (band === "hour") {
    return hourBand(view).map(({ day, hour, low, expected, high }) => ({
      date: `${dateOf(view.firstDay + day)} ${String(hour).padStart(2, "0")}:00`,
      low,
      expected,
      high,
    }));
  }
  const rangeOfDays = rangesOf(kind, view);
  const { today } = view.history;
  // What is usual until now is known by hours only.
  const isKnown = (day: number): boolean => today?.day !== day || today.share > 0;
  return Array.from({ length: view.days }, (_, day) => day)
    .filter(isKnown)
    .map((day) => ({ date: dateOf(view.firstDay + day), ...rangeOfDays([day]) }));
}

function gapCaveats({ view }: Analysis): Told["caveats"] {
  return view.gaps
    .filter(({ to }) => to > HISTORY_DAYS * DAY_HOURS)
    .slice(0, CAVEATS_PER_CODE_MAX)
    .map(({ from, to }) => ({ code: "tracking_gap", from: hourOf(view, from), to: hourOf(view, to) }));
}

/** A single payment of more than half of the change. */
function paymentCaveat(period: Window, { kind, total }: Analysis): Told["caveats"] {
  const { largestPayment } = period;
  if (kind !== "money" || !largestPayment || !isLarge(kind, total)) return [];
  const change = total.after.units - total.before.units;
  if (Number(largestPayment.cents) < PAYMENT_SHARE_MIN * Number(change) || change <= 0n) return [];
  return [{ code: "one_payment", from: dateOf(largestPayment.day), amount: amountOf(kind, { ...NO_SIDE, units: largestPayment.cents }) }];
}

function caveatsOf(input: ChangesInput, analysis: Analysis, told: Judged | null): Told["caveats"] {
  const { view } = analysis;
  const facts = factsOf(input)
    .slice(0, CAVEATS_PER_CODE_MAX)
    .map(({ code, firstDay, lastDay }) => ({ code, from: dateOf(firstDay), to: dateOf(lastDay) }));
  if (lacksDays(input)) return facts;
  const isPartial = hasTypical(input.period, input.dataFirstDay) && view.history.weeks < HISTORY_WEEKS;
  return [
    ...gapCaveats(analysis),
    ...(told?.findings[0]?.looksAutomated ? [{ code: "bot_like" as const }] : []),
    ...paymentCaveat(input.period, analysis),
    ...(isPartial ? [{ code: "partial_history" as const, from: dateOf(input.dataFirstDay) }] : []),
    ...facts,
  ];
}

interface Conclusion {
  readonly verdict: Verdict;
  readonly reason?: NonNullable<ChangesResult["reason"]>;
  readonly findings: Told["findings"];
  /** Days of a long period. */
  readonly days?: readonly UnusualDay[];
  /** The window whose findings they are. */
  readonly of: Judged | null;
}

function conclusionOf(input: ChangesInput, analysis: Analysis): Conclusion {
  const { judged, view } = analysis;
  const { period, compared, dataFirstDay } = input;
  const hasGap = view.gaps.some(({ to }) => to > HISTORY_DAYS * DAY_HOURS);
  if (lacksDays(input)) return { verdict: "incomplete", reason: "incomplete", findings: [], days: [], of: null };
  if (judged === null) {
    if (hasTypical(period, dataFirstDay)) {
      if (hasGap) return { verdict: "incomplete", reason: "incomplete", findings: [], of: null };
      return { verdict: "compared", reason: "too_early", findings: [], of: null };
    }
    if (period.lastDay - period.firstDay < TYPICAL_DAYS_MAX) return { verdict: "too_new", reason: "too_new", findings: [], of: null };
    const { findings, days } = withDaysOf(input, longFindingsOf(analysis, compared), longDaysOf(analysis));
    return { verdict: findings.length > 0 ? "explained" : "compared", reason: "long_period", findings, days, of: null };
  }
  const findings = judged.findings.map((found) => findingOf(analysis, found));
  if (judged.verdict !== "ordinary") return { verdict: judged.verdict, findings, of: judged };
  if (hasGap) return { verdict: "incomplete", findings, of: judged };
  if (compared !== null && compared.days.length > 0 && hasTypical(compared, dataFirstDay)) {
    const earlier = analyse(input, compared, null);
    if (earlier.judged?.isPeriodUnusual) {
      const ofEarlier = earlier.judged.findings.map((found) => findingOf(earlier, found));
      return { verdict: "unusual_comparison", findings: ofEarlier, of: earlier.judged };
    }
  }
  return { verdict: "ordinary", findings, of: judged };
}

/** False if the rows by day and value cannot change the answer: those of a long period serve its findings and its unusual days alone. */
export function usesDaysOfValues(input: ChangesInput): boolean {
  const { period, compared, dataFirstDay } = input;
  if (period.lastDay - period.firstDay < TYPICAL_DAYS_MAX) return hasTypical(period, dataFirstDay);
  const analysis = analyse(input, period, compared);
  if (isRatio(analysis.kind)) return false;
  const mayNamePeriod = compared !== null && isLarge(analysis.kind, analysis.total);
  return mayNamePeriod || (isNamedByDay(period) && longDaysOf(analysis).length > 0);
}

export function changesOf(input: ChangesInput): ChangesResult {
  const { period, compared, metric, compare, limit, band } = input;
  const analysis = analyse(input, period, compared);
  const { kind, view, judged, total, values } = analysis;
  const { verdict, reason, findings, days = daysOf(analysis), of } = conclusionOf(input, analysis);
  const hasBefore = !lacksDays(input) && (compared !== null || total.typical !== null);
  return withSentences(
    {
      metric,
      ...(input.goal !== undefined && { goal: input.goal }),
      ...(input.currency !== undefined && { currency: input.currency }),
      start_date: dateOf(period.firstDay),
      end_date: dateOf(period.lastDay),
      verdict,
      comparison: {
        compare,
        ...(compared && { start_date: dateOf(compared.firstDay), end_date: dateOf(compared.lastDay) }),
        ...(judged && { reference_days: view.span.all.at.length }),
      },
      total: {
        before: hasBefore ? amountOf(kind, total.before) : null,
        after: amountOf(kind, total.after),
        delta: hasBefore ? deltaOf(kind, total.before, total.after) : null,
        change: hasBefore ? changeOf(kind, total.before, total.after) : null,
      },
      typical: judged && {
        ...rangesOf(kind, view)(view.testedDays),
        counted: amountOf(kind, countedSide(kind, view, view.testedDays)),
        z: judged.z,
        trend_per_week: Math.expm1(view.history.slope),
      },
      ...(input.now && period.firstDay === input.now.day && { so_far: true }),
      ...(reason && { reason }),
      findings,
      ...(judged?.mix && { mix: { ...judged.mix, filters: filtersOf(judged.mix.dimension, judged.mix.value) } }),
      dimensions: lacksDays(input)
        ? []
        : [...values].map(([dimension, ofDimension]) =>
            contributionsOf(kind, total, { dimension, values: ofDimension }, limit, isLarge(kind, total)),
          ),
      days,
      ...(band && !lacksDays(input) && hasBand(period, input.dataFirstDay, band) && { band: bandOf(analysis, band) }),
      caveats: caveatsOf(input, analysis, of),
      noise: {
        dispersion: judged?.dispersion ?? null,
        persistence: judged?.persistence ?? null,
        weeks: view.history.weeks,
        tried: judged?.tried ?? 0,
      },
      floors: { visits: FLOOR_VISITS, share: FLOOR_SHARE },
    },
    input.nameOf,
  );
}
