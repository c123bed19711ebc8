/** Spans of 1, 2, 4, … whole salt periods, of which a rollup has one: which rollups cover a range, and which to make next. */
import { addDays, daysBetween, firstDateOfPeriod, periodOf } from "../../../storage/calendar.ts";
import { isLocalDate, type LocalDate } from "../../../storage/event.ts";
import type { ObjectKey } from "../../../storage/object-store.ts";
import type { PartitionFile } from "../../../storage/partition.ts";
import { isPropertyMeasure, type RollupHeader } from "../../../storage/rollup.ts";
import { ROLLUP_DAY_WEIGHT_BYTES, ROLLUP_DAYS_MAX } from "../../base/config/report-limits.ts";
import { type DateRange, rangeOfDays } from "../../query/date-range.ts";
import type { PartitionVersion } from "../cache/partition-version.ts";

export interface RollupNode {
  readonly firstDay: LocalDate;
  readonly lastDay: LocalDate;
  /** The days with events, at least one, oldest first. */
  readonly days: readonly PartitionVersion[];
  /** The halves that have events, oldest first. None if the node is a single period. */
  readonly halves: readonly RollupNode[];
}

/** The largest nodes, as a number of periods. At least one, however long it is. */
const periodsMax = (rotationDays: number): number => 2 ** Math.floor(Math.log2(Math.max(1, ROLLUP_DAYS_MAX / rotationDays)));

interface NumberedDay {
  readonly period: number;
  readonly version: PartitionVersion;
}

/** Computes its halves on demand, because few of a large node are usually needed. */
class PeriodRun implements RollupNode {
  readonly firstDay: LocalDate;
  readonly lastDay: LocalDate;
  readonly days: readonly PartitionVersion[];
  readonly #numbered: readonly NumberedDay[];
  readonly #periods: number;
  readonly #rotationDays: number;
  #halves: readonly RollupNode[] | null = null;

  constructor(start: number, periods: number, numbered: readonly NumberedDay[], rotationDays: number) {
    this.firstDay = firstDateOfPeriod(start, rotationDays);
    this.lastDay = addDays(this.firstDay, periods * rotationDays - 1);
    this.days = numbered.map(({ version }) => version);
    this.#numbered = numbered;
    this.#periods = periods;
    this.#rotationDays = rotationDays;
  }

  get halves(): readonly RollupNode[] {
    this.#halves ??= this.#periods === 1 ? [] : runsOf(this.#periods / 2, this.#numbered, this.#rotationDays);
    return this.#halves;
  }
}

function runsOf(periods: number, numbered: readonly NumberedDay[], rotationDays: number): RollupNode[] {
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

/** The largest nodes with events of these days, oldest first. */
export const rollupNodes = (days: readonly PartitionVersion[], rotationDays: number): RollupNode[] =>
  runsOf(
    periodsMax(rotationDays),
    days.filter(hasEvents).map((version) => ({ period: periodOf(version.day, rotationDays), version })),
    rotationDays,
  );

/** True if the node may have a rollup: all but single periods that are too long. */
const isCoverable = ({ firstDay, lastDay }: RollupNode): boolean => daysBetween(firstDay, lastDay) < ROLLUP_DAYS_MAX;

/** The nodes and all their parts, newest first, each after its halves. */
export const inOrderOfMaking = (nodes: readonly RollupNode[]): RollupNode[] =>
  nodes.toReversed().flatMap((node) => [...inOrderOfMaking(node.halves), node]);

/** Together they hold each event of a range once. */
export interface RollupCoverage {
  readonly rollups: readonly ObjectKey[];
  /** Whole salt periods, as far as they lie in the range, that no rollup covers; oldest first, neighbours joined. */
  readonly rest: readonly DateRange[];
}

/** The rollups of those nodes that have a usable one. */
export type FindRollups = (nodes: readonly RollupNode[]) => Promise<ReadonlyMap<RollupNode, ObjectKey>>;

/** True if a rollup has all rows of a measure. A property that none of its events has needs no rows. */
export const hasMeasure = ({ measures, hasAllProperties }: RollupHeader, measure: string): boolean =>
  Object.hasOwn(measures, measure) || (hasAllProperties && isPropertyMeasure(measure));

interface Part {
  readonly firstDay: LocalDate;
  readonly lastDay: LocalDate;
  /** null if it is to be computed. */
  readonly rollup: ObjectKey | null;
}

/** Looks for the rollups of the largest nodes first, then for those of the halves of the others, all of one size at once. */
export async function coverRange(
  range: DateRange,
  days: readonly PartitionVersion[],
  rotationDays: number,
  find: FindRollups,
): Promise<RollupCoverage> {
  const parts: Part[] = [];
  const isWithin = ({ firstDay, lastDay }: Pick<Part, "firstDay" | "lastDay">) => range.firstDay <= firstDay && lastDay <= range.lastDay;
  const inRange = days.filter(({ day }) => isWithin({ firstDay: day, lastDay: day }));
  for (let open = rollupNodes(inRange, rotationDays); open.length > 0;) {
    const found = await find(open.filter(isWithin));
    const uncovered = open.filter((node) => !found.has(node));
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

interface NextRollup extends RollupParts {
  readonly node: RollupNode;
}

const weightOf = ({ days }: RollupNode): number => days.reduce((sum, { bytes }) => sum + bytes + ROLLUP_DAY_WEIGHT_BYTES, 0);

/** True if the node's days are over, all their events are in files for good, and a report is faster with a rollup of them. */
const isDue = (node: RollupNode, { today, isSettled, weightBytesMin }: RollupConditions): boolean =>
  isCoverable(node) &&
  isLocalDate(node.firstDay) &&
  daysBetween(node.lastDay, today) > 0 &&
  weightOf(node) >= weightBytesMin &&
  node.days.every(({ hasUnflushed, files }) => !hasUnflushed && files.every(isSettled));

/** The node itself, or the part of it that has all of its events: it has a rollup for both. */
function withoutEmptyHalves(node: RollupNode): RollupNode {
  const [half, other] = node.halves;
  return half && !other ? withoutEmptyHalves(half) : node;
}

/** The nodes that should have a rollup, newest first, each after its halves. */
export const dueNodes = (nodes: readonly RollupNode[], conditions: RollupConditions): RollupNode[] =>
  inOrderOfMaking(nodes).filter((node) => node.halves.length !== 1 && isDue(node, conditions));

/** The days of the nodes that should have a rollup. All days of a node that is due are. */
export const dueDays = (nodes: readonly RollupNode[], conditions: RollupConditions): LocalDate[] =>
  nodes.flatMap((node) => (isDue(node, conditions) ? node.days.map(({ day }) => day) : dueDays(node.halves, conditions)));

/** The first of the due nodes that has no rollup in `made`. Its halves precede it, so those that are due have one. */
export function nextRollup(
  due: readonly RollupNode[],
  made: ReadonlyMap<RollupNode, ObjectKey>,
  conditions: RollupConditions,
): NextRollup | null {
  const node = due.find((candidate) => !made.has(candidate));
  return node ? { node, ...partsOf(node, made, conditions) } : null;
}

/** The sum of the rollups of halves that are due. Halves that are too thin to have one are read. */
function partsOf(node: RollupNode, made: ReadonlyMap<RollupNode, ObjectKey>, conditions: RollupConditions): RollupParts {
  const thin = node.halves.filter((half) => !isDue(half, conditions));
  const rollups = node.halves
    .filter((half) => !thin.includes(half))
    .map((half) => {
      const rollup = made.get(withoutEmptyHalves(half));
      if (rollup === undefined) throw new Error(`the rollup of ${half.firstDay} to ${half.lastDay} is missing`);
      return rollup;
    });
  const read = rollups.length === 0 ? [node] : thin;
  return { rollups, events: read.map(({ firstDay, lastDay }) => rangeOfDays(firstDay, lastDay)) };
}
