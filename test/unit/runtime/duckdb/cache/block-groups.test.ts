/** Days that have to be loaded go into blocks: together where they are small, alone where they are large, always in order. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { groupIntoBlocks } from "../../../../../src/runtime/duckdb/cache/cached-blocks.ts";
import { DAY_MS, utcDateOf } from "../../../../../src/storage/event.ts";
import type { PartitionFile } from "../../../../../src/storage/partitions.ts";

type Missing = Parameters<typeof groupIntoBlocks>[0][number];

/** Days one after the other; each has files of these sizes. */
const daysOf = (sizes: readonly (readonly number[])[]): Missing[] =>
  sizes.map((fileSizes, i) => {
    const day = utcDateOf(Date.parse("2026-01-01") + i * DAY_MS);
    return {
      day,
      files: fileSizes.map((sizeBytes, file): PartitionFile => ({ day, first: file, last: file, key: `${day}/${file}`, sizeBytes })),
    };
  });

const countsOf = (groups: readonly (readonly Missing[])[]): number[] => groups.map(({ length }) => length);

const bytesOf = (days: readonly Missing[]): number => days.flatMap(({ files }) => files).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

describe("groupIntoBlocks", () => {
  it.each<[string, number[][], number[]]>([
    ["no days", [], []],
    ["one day", [[5]], [1]],
    ["days that fit together", [[4], [3], [3]], [3]],
    ["days of which each pair is too large", [[6], [6], [6]], [1, 1, 1]],
    ["a day larger than a block", [[100], [1], [1]], [1, 2]],
    ["a large day between small ones", [[1], [100], [1]], [1, 1, 1]],
    ["days of several files", [[2, 2], [3, 3], [1]], [2, 1]],
    ["days without files", [[], [], [10], []], [4]],
    ["days that fill a block to the byte", [[5], [5], [5], [5]], [2, 2]],
  ])("makes of %s blocks of so many days", (_name, sizes, counts) => {
    expect(countsOf(groupIntoBlocks(daysOf(sizes), 10))).toEqual(counts);
  });

  it("keeps every day once and in order, fits each block or leaves one day alone, and makes no two where one would do", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.nat(12), { maxLength: 3 }), { maxLength: 30 }),
        fc.integer({ min: 1, max: 30 }),
        (sizes, bytesMax) => {
          const days = daysOf(sizes);
          const groups = groupIntoBlocks(days, bytesMax);
          expect(groups.flat()).toEqual(days);
          groups.forEach((group, i) => {
            expect(group.length).toBeGreaterThan(0);
            if (group.length > 1) expect(bytesOf(group)).toBeLessThanOrEqual(bytesMax);
            const next = groups[i + 1]?.[0];
            if (next) expect(bytesOf([...group, next])).toBeGreaterThan(bytesMax);
          });
        },
      ),
    );
  });
});
