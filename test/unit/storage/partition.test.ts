/** Which files of a partition count, and which segments they contain. */
import { describe, expect, it } from "vitest";
import type { LocalDate } from "../../../src/storage/event.ts";
import { isInFiles, type PartitionFile, withoutSuperseded } from "../../../src/storage/partitions.ts";

const DAY = "2026-03-15" as LocalDate;

const file = (first: number, last: number): PartitionFile => ({ day: DAY, first, last, key: `${first}-${last}`, sizeBytes: 1 });

describe("withoutSuperseded", () => {
  it.each([
    ["nothing", [], []],
    ["files side by side, oldest first", [file(3, 3), file(1, 1), file(2, 2)], ["1-1", "2-2", "3-3"]],
    ["a merged file, without its parts", [file(1, 1), file(2, 2), file(1, 3), file(3, 3), file(4, 4)], ["1-3", "4-4"]],
    ["a merged file of merged files", [file(1, 3), file(4, 6), file(1, 6), file(5, 5)], ["1-6"]],
    ["a merged file that begins where its first part does", [file(1, 1), file(1, 2)], ["1-2"]],
    ["numbers by size, not by digits", [file(10, 10), file(9, 9), file(100, 100)], ["9-9", "10-10", "100-100"]],
  ])("keeps %s", (_name, files, keys) => {
    expect(withoutSuperseded(files).map(({ key }) => key)).toEqual(keys);
  });
});

describe("isInFiles", () => {
  it.each([
    [2, [], false],
    [2, [file(2, 2)], true],
    [2, [file(1, 1), file(3, 9)], false],
    [2, [file(7, 9), file(1, 3)], true],
    [10, [file(1, 9)], false],
  ])("finds segment %i in the files %j: %s", (segment, files, expected) => {
    expect(isInFiles(segment, files)).toBe(expected);
  });
});
