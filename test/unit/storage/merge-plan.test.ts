/** Which files are merged: neighbours only, never more than once too often, and few are left. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { UtcDay } from "../../../src/storage/event.ts";
import { MERGED_FILE_BYTES_MAX, planMerges } from "../../../src/storage/merge-plan.ts";
import type { PartitionFile } from "../../../src/storage/partition.ts";

const DAY = "2026-03-14" as UtcDay;
const KIB = 1024;
const MIB = 1024 * KIB;

const file = (first: number, last: number, sizeBytes: number): PartitionFile => ({
  day: DAY,
  first,
  last,
  key: `${first}-${last}`,
  sizeBytes,
});

const filesOf = (sizes: readonly number[]): PartitionFile[] => sizes.map((sizeBytes, i) => file(i + 1, i + 1, sizeBytes));

const plan = (files: readonly PartitionFile[], given: { filesMax?: number; isPast?: boolean; stays?: readonly number[] } = {}) => {
  const { filesMax = 3, isPast = true, stays = [] } = given;
  return planMerges({ files, isMergeable: ({ first }) => !stays.includes(first), isPast, filesMax }).map((group) =>
    group.map(({ first }) => first),
  );
};

/** What is there after the groups were merged. */
const mergedFiles = (files: readonly PartitionFile[], groups: readonly (readonly PartitionFile[])[]): PartitionFile[] => {
  const gone = new Set(groups.flat());
  const made = groups.map((group) =>
    file(
      group[0]?.first ?? 0,
      group.at(-1)?.last ?? 0,
      group.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    ),
  );
  return [...files.filter((each) => !gone.has(each)), ...made].sort((a, b) => a.first - b.first);
};

describe("a past day", () => {
  it("is left alone up to the number of files", () => {
    expect(plan(filesOf([KIB, KIB, KIB]))).toEqual([]);
  });

  it("becomes one file beyond it", () => {
    expect(plan(filesOf([KIB, KIB, KIB, KIB]))).toEqual([[1, 2, 3, 4]]);
  });

  it("becomes as many as its size needs", () => {
    expect(plan(filesOf([3 * MIB, 3 * MIB, 3 * MIB, 3 * MIB, MIB]))).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
  });

  it("keeps full files, which do not count", () => {
    expect(plan(filesOf([KIB, 4 * MIB, KIB, KIB]))).toEqual([]);
    expect(plan(filesOf([KIB, 4 * MIB, KIB, KIB, KIB]))).toEqual([[3, 4, 5]]);
  });

  it("is merged around a file that stays", () => {
    expect(plan(filesOf([KIB, KIB, KIB, KIB, KIB, KIB]), { stays: [3] })).toEqual([
      [1, 2],
      [4, 5, 6],
    ]);
  });
});

describe("today", () => {
  it("merges its newest files of a size, when there are too many", () => {
    const grown = [file(1, 4, 40 * KIB), ...[5, 6, 7].map((n) => file(n, n, KIB))];
    expect(plan(grown, { isPast: false })).toEqual([]);
    expect(plan([...grown, file(8, 8, KIB)], { isPast: false })).toEqual([[5, 6, 7, 8]]);
  });

  it("merges the merged when there are too many of them", () => {
    const grown = [1, 5, 9, 13].map((n) => file(n, n + 3, 40 * KIB));
    expect(plan(grown, { isPast: false })).toEqual([[1, 5, 9, 13]]);
  });

  it("leaves what is older than a file that stays for later", () => {
    expect(plan(filesOf([KIB, KIB, KIB, KIB, KIB]), { isPast: false, stays: [5] })).toEqual([[1, 2, 3, 4]]);
    expect(plan(filesOf([KIB, KIB, KIB, KIB, KIB]), { isPast: false, stays: [4] })).toEqual([]);
  });

  it("has few files and rewrites little, however many flushes there are", () => {
    const [filesMax, flushes, flushBytes] = [24, 5_000, 6 * KIB];
    let files: PartitionFile[] = [];
    let rewritten = 0;
    let most = 0;
    for (let n = 1; n <= flushes; n++) {
      files.push(file(n, n, flushBytes));
      const groups = planMerges({ files, isMergeable: () => true, isPast: false, filesMax });
      rewritten += groups.flat().reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      files = mergedFiles(files, groups);
      most = Math.max(most, files.length);
    }
    expect(most).toBeLessThan(5 * filesMax);
    expect(rewritten / (flushes * flushBytes)).toBeLessThan(5);
  });
});

describe("any day", () => {
  const days = fc.record({
    sizes: fc.array(fc.integer({ min: 1, max: MERGED_FILE_BYTES_MAX }), { maxLength: 60 }),
    stays: fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 4 }),
    filesMax: fc.integer({ min: 1, max: 10 }),
    isPast: fc.boolean(),
  });

  it("merges neighbours only, none that stay, within the size, and comes to an end", () => {
    fc.assert(
      fc.property(days, ({ sizes, stays, filesMax, isPast }) => {
        let files = filesOf(sizes);
        const isMergeable = ({ first, last }: PartitionFile) => !stays.some((n) => first <= n && n <= last);
        for (let round = 0; ; round++) {
          const groups = planMerges({ files, isMergeable, isPast, filesMax });
          if (groups.length === 0) return;
          expect(round).toBeLessThan(10);
          for (const group of groups) {
            const at = files.indexOf(group[0] as PartitionFile);
            expect(group).toEqual(files.slice(at, at + group.length));
            expect(group.length).toBeGreaterThan(1);
            expect(group.every(isMergeable)).toBe(true);
            expect(group.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)).toBeLessThanOrEqual(MERGED_FILE_BYTES_MAX);
          }
          files = mergedFiles(files, groups);
        }
      }),
    );
  });
});
