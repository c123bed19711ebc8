/**
 * The salt periods that a rollup can belong to: a node is a run of 1, 2, 4, … periods whose first number is a multiple of that, so
 * that any range consists of few nodes, and each node of two halves.
 */
import { addDays, daysBetween, firstDateOfPeriod, periodOf } from "../../storage/calendar.ts";
import type { UtcDay } from "../../storage/event.ts";
import { RANGE_DAYS_MAX } from "../config/limits.ts";
import type { PartitionVersion } from "../engine/partition-version.ts";

export interface RollupNode {
  readonly firstDay: UtcDay;
  readonly lastDay: UtcDay;
  /** The days with events, at least one, oldest first. */
  readonly days: readonly PartitionVersion[];
  /** The halves that have events, oldest first. None if the node is a single period. */
  readonly halves: readonly RollupNode[];
}

/** The largest nodes that a report can cover, as a number of periods. At least one, however long it is. */
const periodsMax = (rotationDays: number): number => 2 ** Math.floor(Math.log2(Math.max(1, RANGE_DAYS_MAX / rotationDays)));

/** The largest nodes with events of these days, oldest first. */
export function rollupNodes(days: readonly PartitionVersion[], rotationDays: number): RollupNode[] {
  function nodeOf(start: number, periods: number, ofNode: readonly PartitionVersion[]): RollupNode {
    const [firstDay, end] = [firstDateOfPeriod(start, rotationDays), firstDateOfPeriod(start + periods, rotationDays)];
    const halves = periods === 1 ? [] : nodesOf(periods / 2, ofNode);
    return { firstDay, lastDay: addDays(end, -1), days: ofNode, halves };
  }

  function nodesOf(periods: number, all: readonly PartitionVersion[]): RollupNode[] {
    const byStart = new Map<number, PartitionVersion[]>();
    for (const day of all) {
      const start = Math.floor(periodOf(day.day, rotationDays) / periods) * periods;
      const ofNode = byStart.get(start);
      if (ofNode) ofNode.push(day);
      else byStart.set(start, [day]);
    }
    return [...byStart].map(([start, ofNode]) => nodeOf(start, periods, ofNode));
  }

  return nodesOf(periodsMax(rotationDays), days.filter(hasEvents));
}

const hasEvents = ({ files, hasUnflushed }: PartitionVersion): boolean => files.length > 0 || hasUnflushed;

/** Whether some report can cover the node: all but single periods that are too long. */
export const isCoverable = ({ firstDay, lastDay }: RollupNode): boolean => daysBetween(firstDay, lastDay) < RANGE_DAYS_MAX;

/** The nodes and all their parts, newest first, each after its halves. */
export const inOrderOfMaking = (nodes: readonly RollupNode[]): RollupNode[] =>
  nodes.toReversed().flatMap((node) => [...inOrderOfMaking(node.halves), node]);
