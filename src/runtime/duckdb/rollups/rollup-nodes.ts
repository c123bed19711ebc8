/**
 * The salt periods that a rollup can belong to: a node is a run of 1, 2, 4, … periods whose first number is a multiple of that, so
 * that any range consists of few nodes, and each node of two halves.
 */
import { addDays, daysBetween, firstDateOfPeriod, periodOf } from "../../../storage/calendar.ts";
import type { LocalDate } from "../../../storage/event.ts";
import { ROLLUP_DAYS_MAX } from "../../base/config/report-limits.ts";
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
export const isCoverable = ({ firstDay, lastDay }: RollupNode): boolean => daysBetween(firstDay, lastDay) < ROLLUP_DAYS_MAX;

/** The nodes and all their parts, newest first, each after its halves. */
export const inOrderOfMaking = (nodes: readonly RollupNode[]): RollupNode[] =>
  nodes.toReversed().flatMap((node) => [...inOrderOfMaking(node.halves), node]);
