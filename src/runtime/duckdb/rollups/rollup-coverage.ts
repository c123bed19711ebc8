/** Splits a range into the rollups that answer it, and the days that must be computed from events. */
import type { LocalDate } from "../../../storage/event.ts";
import type { ObjectKey } from "../../../storage/object-store.ts";
import { isPropertyMeasure, type RollupHeader } from "../../../storage/rollup.ts";
import type { PartitionVersion } from "../cache/partition-version.ts";
import { rangeOfDays, type DateRange } from "../../query/date-range.ts";
import { rollupNodes, type RollupNode } from "./rollup-nodes.ts";

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
