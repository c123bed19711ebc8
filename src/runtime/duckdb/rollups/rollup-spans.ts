/**
 * The spans of salt periods that rollups belong to, which rollups cover a range, and which to make next. A span is a run of 1, 2, 4, …
 * periods whose first number is a multiple of that, so any range consists of few spans, and each span of two halves.
 */
import { addDays, daysBetween, firstDateOfPeriod, periodOf } from "../../../storage/calendar.ts";
import { isLocalDate, type LocalDate } from "../../../storage/event.ts";
import type { ObjectKey } from "../../../storage/object-store.ts";
import type { PartitionFile, PartitionVersion } from "../../../storage/partitions.ts";
import { isPropertyMeasure, type RollupHeader } from "../../../storage/rollup.ts";
import { ROLLUP_DAY_WEIGHT_BYTES, ROLLUP_DAYS_MAX } from "../../base/config/report-limits.ts";
import { type DateRange, rangeOfDays } from "../../query/date-range.ts";

export interface RollupSpan {
  readonly firstDay: LocalDate;
  readonly lastDay: LocalDate;
  /** The days with events, at least one, oldest first. */
  readonly days: readonly PartitionVersion[];
  /** The halves that have events, oldest first. None if the span is a single period. */
  readonly halves: readonly RollupSpan[];
}

/** The largest spans, as a number of periods. At least one, however long it is. */
const periodsMax = (rotationDays: number): number => 2 ** Math.floor(Math.log2(Math.max(1, ROLLUP_DAYS_MAX / rotationDays)));

interface NumberedDay {
  readonly period: number;
  readonly version: PartitionVersion;
}

/** Computes its halves on demand, because few of a large span are usually needed. */
class PeriodRun implements RollupSpan {
  readonly firstDay: LocalDate;
  readonly lastDay: LocalDate;
  readonly days: readonly PartitionVersion[];
  readonly #numbered: readonly NumberedDay[];
  readonly #periods: number;
  readonly #rotationDays: number;
  #halves: readonly RollupSpan[] | null = null;

  constructor(start: number, periods: number, numbered: readonly NumberedDay[], rotationDays: number) {
    this.firstDay = firstDateOfPeriod(start, rotationDays);
    this.lastDay = addDays(this.firstDay, periods * rotationDays - 1);
    this.days = numbered.map(({ version }) => version);
    this.#numbered = numbered;
    this.#periods = periods;
    this.#rotationDays = rotationDays;
  }

  get halves(): readonly RollupSpan[] {
    this.#halves ??= this.#periods === 1 ? [] : runsOf(this.#periods / 2, this.#numbered, this.#rotationDays);
    return this.#halves;
  }
}

function runsOf(periods: number, numbered: readonly NumberedDay[], rotationDays: number): RollupSpan[] {
  const byStart = new Map<number, NumberedDay[]>();
  for (const day of numbered) {
    const start = Math.floor(day.period / periods) * periods;
    const ofRun = byStart.get(start);
    if (ofRun) ofRun.push(day);
    else byStart.set(start, [day]);
  }
  return [...byStart].map(([start, ofRun]) => new PeriodRun(start, periods, ofRun, rotationDays));
}

const hasEvents = ({ files, hasUnflushed }: PartitionVersion): boolean => files.length > 0 || hasUnflushed;

/** The largest spans with events of these days, oldest first. */
export const rollupSpans = (days: readonly PartitionVersion[], rotationDays: number): RollupSpan[] =>
  runsOf(
    periodsMax(rotationDays),
    days.filter(hasEvents).map((version) => ({ period: periodOf(version.day, rotationDays), version })),
    rotationDays,
  );

/** True if the span may have a rollup: all but single periods that are too long. */
const isCoverable = ({ firstDay, lastDay }: RollupSpan): boolean => daysBetween(firstDay, lastDay) < ROLLUP_DAYS_MAX;

/** The spans and all their parts, newest first, each after its halves. */
export const inOrderOfMaking = (spans: readonly RollupSpan[]): RollupSpan[] =>
  spans.toReversed().flatMap((span) => [...inOrderOfMaking(span.halves), span]);

/** Together they hold each event of a range once. */
export interface RollupCoverage {
  readonly rollups: readonly ObjectKey[];
  /** Whole salt periods, as far as they lie in the range, that no rollup covers; oldest first, neighbours joined. */
  readonly rest: readonly DateRange[];
}

/** The rollups of those spans that have a usable one. */
export type FindRollups = (spans: readonly RollupSpan[]) => Promise<ReadonlyMap<RollupSpan, ObjectKey>>;

/** True if a rollup has all rows of a measure. A property that none of its events has needs no rows. */
export const hasMeasure = ({ measures, hasAllProperties }: RollupHeader, measure: string): boolean =>
  Object.hasOwn(measures, measure) || (hasAllProperties && isPropertyMeasure(measure));

interface Part {
  readonly firstDay: LocalDate;
  readonly lastDay: LocalDate;
  /** null if it is to be computed. */
  readonly rollup: ObjectKey | null;
}

/** Looks for the rollups of the largest spans first, then for those of the halves of the others, all of one size at once. */
export async function coverRange(
  range: DateRange,
  days: readonly PartitionVersion[],
  rotationDays: number,
  find: FindRollups,
): Promise<RollupCoverage> {
  const parts: Part[] = [];
  const isWithin = ({ firstDay, lastDay }: Pick<Part, "firstDay" | "lastDay">) => range.firstDay <= firstDay && lastDay <= range.lastDay;
  const inRange = days.filter(({ day }) => isWithin({ firstDay: day, lastDay: day }));
  for (let open = rollupSpans(inRange, rotationDays); open.length > 0;) {
    const found = await find(open.filter(isWithin));
    const uncovered = open.filter((span) => !found.has(span));
    for (const [{ firstDay, lastDay }, rollup] of found) parts.push({ firstDay, lastDay, rollup });
    for (const { firstDay, lastDay, halves } of uncovered) if (halves.length === 0) parts.push({ firstDay, lastDay, rollup: null });
    open = uncovered.flatMap(({ halves }) => halves);
  }
  parts.sort((a, b) => (a.firstDay < b.firstDay ? -1 : 1));
  return { rollups: parts.flatMap(({ rollup }) => rollup ?? []), rest: joined(parts).map((part) => clipped(part, range)) };
}

/** The uncovered parts. Neighbours are joined, also across days without events, but not across a covered part. */
function joined(parts: readonly Part[]): Part[] {
  const result: Part[] = [];
  let previous: Part | undefined;
  for (const part of parts) {
    if (part.rollup === null) {
      const start = previous?.rollup === null ? (result.pop() ?? part) : part;
      result.push({ ...part, firstDay: start.firstDay });
    }
    previous = part;
  }
  return result;
}

const clipped = ({ firstDay, lastDay }: Part, range: DateRange): DateRange =>
  rangeOfDays(firstDay > range.firstDay ? firstDay : range.firstDay, lastDay < range.lastDay ? lastDay : range.lastDay);

export interface RollupConditions {
  readonly today: LocalDate;
  /** See `EventStore.isSettled`. */
  readonly isSettled: (file: PartitionFile) => boolean;
  /** See `ROLLUP_WEIGHT_BYTES_MIN`. */
  readonly weightBytesMin: number;
}

/** The parts of a rollup: each event of its span is in exactly one part. */
export interface RollupParts {
  readonly rollups: readonly ObjectKey[];
  /** The days whose events are read, oldest first. */
  readonly events: readonly DateRange[];
}

const weightOf = ({ days }: RollupSpan): number => days.reduce((sum, { bytes }) => sum + bytes + ROLLUP_DAY_WEIGHT_BYTES, 0);

/** False if neither the span nor a part of it has the events for a rollup: no need to look further. */
const isHeavyEnough = (span: RollupSpan, { weightBytesMin }: RollupConditions): boolean => weightOf(span) >= weightBytesMin;

/** True if the span's days are over, all their events are in files for good, and a report is faster with a rollup of them. */
const isDue = (span: RollupSpan, conditions: RollupConditions): boolean =>
  isCoverable(span) &&
  isLocalDate(span.firstDay) &&
  daysBetween(span.lastDay, conditions.today) > 0 &&
  isHeavyEnough(span, conditions) &&
  span.days.every(({ hasUnflushed, files }) => !hasUnflushed && files.every(conditions.isSettled));

/** The span itself, or the part of it that has all of its events: it has a rollup for both. */
function withoutEmptyHalves(span: RollupSpan): RollupSpan {
  const [half, other] = span.halves;
  return half && !other ? withoutEmptyHalves(half) : span;
}

/** The spans that should have a rollup, newest first, each after its halves. */
export const dueSpans = (spans: readonly RollupSpan[], conditions: RollupConditions): RollupSpan[] =>
  spans
    .toReversed()
    .filter((span) => isHeavyEnough(span, conditions))
    .flatMap((span) => [...dueSpans(span.halves, conditions), ...(span.halves.length !== 1 && isDue(span, conditions) ? [span] : [])]);

/** The days of the spans that should have a rollup. All days of a span that is due are. */
export const dueDays = (spans: readonly RollupSpan[], conditions: RollupConditions): LocalDate[] =>
  spans
    .filter((span) => isHeavyEnough(span, conditions))
    .flatMap((span) => (isDue(span, conditions) ? span.days.map(({ day }) => day) : dueDays(span.halves, conditions)));

/** The first of the due spans that has no rollup in `made`. Its halves precede it, so those that are due have one. */
export function nextRollup(
  due: readonly RollupSpan[],
  made: ReadonlyMap<RollupSpan, ObjectKey>,
  conditions: RollupConditions,
): (RollupParts & { readonly span: RollupSpan }) | null {
  const span = due.find((candidate) => !made.has(candidate));
  return span ? { span, ...partsOf(span, made, conditions) } : null;
}

/** The sum of the rollups of halves that are due. Halves that are too thin to have one are read. */
function partsOf(span: RollupSpan, made: ReadonlyMap<RollupSpan, ObjectKey>, conditions: RollupConditions): RollupParts {
  const thin = span.halves.filter((half) => !isDue(half, conditions));
  const rollups = span.halves
    .filter((half) => !thin.includes(half))
    .map((half) => {
      const rollup = made.get(withoutEmptyHalves(half));
      if (rollup === undefined) throw new Error(`the rollup of ${half.firstDay} to ${half.lastDay} is missing`);
      return rollup;
    });
  const read = rollups.length === 0 ? [span] : thin;
  return { rollups, events: read.map(({ firstDay, lastDay }) => rangeOfDays(firstDay, lastDay)) };
}
