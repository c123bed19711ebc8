/** Decides which spans are worth a rollup, what each is made of, and which comes next. */
import { daysBetween } from "../../../storage/calendar.ts";
import { isLocalDate, type LocalDate } from "../../../storage/event.ts";
import type { ObjectKey } from "../../../storage/object-store.ts";
import type { PartitionFile } from "../../../storage/partition.ts";
import { ROLLUP_DAY_WEIGHT_BYTES } from "../../base/config/report-limits.ts";
import { rangeOfDays, type DateRange } from "../../query/date-range.ts";
import { inOrderOfMaking, isCoverable, type RollupNode } from "./rollup-nodes.ts";

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

export interface NextRollup extends RollupParts {
  readonly node: RollupNode;
}

const weightOf = ({ days }: RollupNode): number => days.reduce((sum, { bytes }) => sum + bytes + ROLLUP_DAY_WEIGHT_BYTES, 0);

/** True if the node's days are over, all their events are in files for good, and a report is faster with a rollup of them. */
export const isDue = (node: RollupNode, { today, isSettled, weightBytesMin }: RollupConditions): boolean =>
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
