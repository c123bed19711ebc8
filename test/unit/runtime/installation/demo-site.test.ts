/** Which minutes are stored, by the names of files. */
import { describe, expect, it } from "vitest";
import { demoFile, MINUTES_OF_DAY, storedDemo } from "../../../../src/runtime/installation/demo-site.ts";
import { dayNumberOf } from "../../../../src/storage/calendar.ts";
import type { LocalDate } from "../../../../src/storage/event.ts";
import type { Partition } from "../../../../src/storage/partitions.ts";

const DAY = "2026-03-15" as LocalDate;

const partition = (files: readonly (readonly [first: number, last: number])[]): Partition => ({
  day: DAY,
  files: files.map(([first, last]) => ({ day: DAY, first, last, key: `${first}-${last}`, sizeBytes: 1 })),
  journaled: [],
});

const rangeOf = (index: number, from: number, to: number): readonly [number, number] => {
  const { first, last } = demoFile(DAY, index, { from, to });
  return [first, last];
};

describe("the files of the demo site", () => {
  it.each([0, 1, 364, 30_000])("are named by the minutes of a day and the demo's first day: day %d", (index) => {
    const beginning = dayNumberOf(DAY) - index;
    const morning = rangeOf(index, 0, 600);
    const rest = rangeOf(index, 600, MINUTES_OF_DAY);
    const stored = (files: Parameters<typeof partition>[0]) => {
      const { firstDay, minutes, hasOthers } = storedDemo([partition(files)]);
      return { firstDay, minutes: minutes.get(DAY), hasOthers };
    };
    expect(stored([morning])).toEqual({ firstDay: beginning, minutes: 600, hasOthers: false });
    expect(stored([morning, rest])).toEqual({ firstDay: beginning, minutes: MINUTES_OF_DAY, hasOthers: false });
    // Merged.
    expect(stored([[morning[0], rest[1]]])).toEqual({ firstDay: beginning, minutes: MINUTES_OF_DAY, hasOthers: false });
  });

  it("differ in name from files of the journal's segments", () => {
    const segment = [1_773_532_800_000, 1_773_532_800_001] as const;
    expect(storedDemo([partition([segment])])).toMatchObject({ firstDay: null, hasOthers: true });
    expect(storedDemo([partition([rangeOf(3, 0, 9), segment])])).toMatchObject({ firstDay: dayNumberOf(DAY) - 3, hasOthers: true });
    expect(storedDemo([])).toEqual({ firstDay: null, lastDay: null, minutes: new Map(), hasOthers: false });
  });
});
