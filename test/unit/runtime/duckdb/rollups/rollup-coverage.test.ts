/** Rollups and the rest of a range: together they hold every salt period with events exactly once. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PartitionVersion } from "../../../../../src/storage/partitions.ts";
import { rangeOfDays } from "../../../../../src/runtime/query/date-range.ts";
import {
  coverRange,
  type FindRollups,
  hasMeasure,
  inOrderOfMaking,
  type RollupSpan,
  rollupSpans,
} from "../../../../../src/runtime/duckdb/rollups/rollup-spans.ts";
import { addDays, daysBetween, firstDateOfPeriod, periodOf } from "../../../../../src/storage/calendar.ts";
import type { LocalDate } from "../../../../../src/storage/event.ts";
import type { RollupHeader } from "../../../../../src/storage/rollup.ts";
import { day } from "../../../../support/json-rollups.ts";
import { versionsFrom } from "../../../../support/partition-versions.ts";

/** The first day of period 20480, a multiple of 4096. */
const START = day("2026-01-27");

const nameOf = ({ firstDay, lastDay }: Pick<RollupSpan, "firstDay" | "lastDay">): string => `${firstDay} ${lastDay}`;

/** Finds the nodes of these names, and records which were looked for. */
function rollupsOf(names: readonly string[]) {
  const asked: string[][] = [];
  const find: FindRollups = async (nodes) => {
    asked.push(nodes.map(nameOf));
    return new Map(nodes.filter((node) => names.includes(nameOf(node))).map((node) => [node, nameOf(node)]));
  };
  return { asked, find };
}

/** Dates as numbers of days after the start. */
const number = (date: LocalDate): number => daysBetween(START, date);
const at = (days: number): LocalDate => addDays(START, days);
const named = (first: number, last: number): string => `${at(first)} ${at(last)}`;

async function cover(range: readonly [number, number], numbers: readonly number[], rollups: readonly string[], rotationDays = 1) {
  const { asked, find } = rollupsOf(rollups);
  const { rollups: found, rest } = await coverRange(
    rangeOfDays(at(range[0]), at(range[1])),
    versionsFrom(START, numbers),
    rotationDays,
    find,
  );
  return { found, rest: rest.map(({ firstDay, lastDay }) => [number(firstDay), number(lastDay)]), asked };
}

describe("the coverage of a range", () => {
  it("takes the largest rollups and leaves the rest, with neighbours joined, even across days without events", async () => {
    const rollups = [named(0, 3), named(0, 1), named(0, 0), named(6, 6)];
    const { found, rest } = await cover([0, 12], [0, 1, 2, 3, 4, 6, 7, 9, 12], rollups);
    expect(found).toEqual([named(0, 3), named(6, 6)]);
    expect(rest).toEqual([
      [4, 4],
      [7, 12],
    ]);
  });

  it("never joins the rest across a rollup", async () => {
    expect((await cover([0, 2], [0, 1, 2], [named(1, 1)])).rest).toEqual([
      [0, 0],
      [2, 2],
    ]);
  });

  it("reads no part of a span that has a rollup, and no span beyond the range or without events", async () => {
    const { asked } = await cover([2, 7], [0, 2, 3, 4, 5, 6, 7], [named(4, 7)]);
    expect(asked.flat()).toEqual([named(4, 7), named(2, 3), named(2, 2), named(3, 3)]);
  });

  it("clips the salt periods at the ends of the range, which no rollup can answer", async () => {
    // The start is the sixth day of a period of seven days.
    const rollups = [named(2, 8), named(9, 15), named(23, 29)];
    const { found, rest } = await cover([3, 25], [3, 8, 12, 20, 24], rollups, 7);
    expect(found).toEqual([named(9, 15)]);
    expect(rest).toEqual([
      [3, 8],
      [16, 25],
    ]);
  });

  it("is empty for a range without events", async () => {
    expect(await cover([0, 365], [], [named(0, 0)])).toEqual({ found: [], rest: [], asked: [] });
  });

  const story = fc.record({
    rotationDays: fc.constantFrom(1, 2, 7, 30),
    numbers: fc.uniqueArray(fc.integer({ min: -400, max: 400 }), { maxLength: 120 }).map((all) => all.sort((a, b) => a - b)),
    range: fc.tuple(fc.integer({ min: -400, max: 400 }), fc.nat({ max: 365 })),
    isMade: fc.func(fc.boolean()),
  });

  it("contains each salt period with events exactly once, whole or clipped, for any range and any rollups", async () => {
    const check = async ({
      rotationDays,
      numbers,
      range: [first, more],
      isMade,
    }: typeof story extends fc.Arbitrary<infer T> ? T : never) => {
      const range = rangeOfDays(at(first), at(first + more));
      const days: PartitionVersion[] = versionsFrom(START, numbers);
      const names = inOrderOfMaking(rollupSpans(days, rotationDays)).map(nameOf).filter(isMade);
      const { rollups, rest } = await coverRange(range, days, rotationDays, rollupsOf(names).find);
      const parts = [
        ...rollups.map((name) => name.split(" ") as [LocalDate, LocalDate]),
        ...rest.map(({ firstDay, lastDay }) => [firstDay, lastDay]),
      ];
      for (const { day: date } of days) {
        const inRange = range.firstDay <= date && date <= range.lastDay;
        expect(parts.filter(([start = "", end = ""]) => start <= date && date <= end).length, date).toBe(inRange ? 1 : 0);
      }
      for (const [start = range.firstDay, end = range.lastDay] of parts) {
        expect(range.firstDay <= start && end <= range.lastDay).toBe(true);
        const isPeriodStart = start === firstDateOfPeriod(periodOf(start, rotationDays), rotationDays);
        const isPeriodEnd = addDays(end, 1) === firstDateOfPeriod(periodOf(end, rotationDays) + 1, rotationDays);
        expect([isPeriodStart || start === range.firstDay, isPeriodEnd || end === range.lastDay]).toEqual([true, true]);
      }
      const starts = rest.map(({ firstDay }) => firstDay);
      expect(starts).toEqual([...starts].sort());
      for (const [i, { firstDay }] of rest.entries()) {
        const before = rest[i - 1];
        // Between two of the rest there is a rollup: otherwise they were one.
        if (before) expect(parts.some(([start = "", end = ""]) => before.lastDay < start && end < firstDay)).toBe(true);
      }
    };
    await fc.assert(fc.asyncProperty(story, check), { numRuns: 300 });
  });
});

describe("a rollup", () => {
  const header = (fields: Partial<RollupHeader>): RollupHeader => ({
    siteId: "a" as RollupHeader["siteId"],
    firstDay: START,
    lastDay: START,
    definitions: "",
    sessionWindowMinutes: 30,
    saltRotationDays: 1,
    arrivals: "",
    events: [],
    measures: { main: 1, "property-values/plan": 2 },
    hasAllProperties: false,
    ...fields,
  });

  it.each([
    ["main", false, true],
    ["constructor", false, false],
    ["property-values/plan", false, true],
    ["property-values/other", false, false],
    ["property-values/other", true, true],
    ["other", true, false],
  ])("contains the measure %j, if it has all properties (%s): %s", (measure, hasAllProperties, expected) => {
    expect(hasMeasure(header({ hasAllProperties }), measure)).toBe(expected);
  });
});
