/** The merge plan: it merges only adjacent files, keeps their number low and rewrites few bytes. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LocalDate } from "../../../src/storage/event.ts";
import { MERGED_FILE_BYTES_MAX, type PartitionFile, planMerges } from "../../../src/storage/partitions.ts";

const DAY = "2026-03-14" as LocalDate;
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

describe("the merge plan of a past day", () => {
  it("is empty up to the maximum number of files", () => {
    expect(plan(filesOf([KIB, KIB, KIB]))).toEqual([]);
  });

  it("merges all files into one above the maximum", () => {
    expect(plan(filesOf([KIB, KIB, KIB, KIB]))).toEqual([[1, 2, 3, 4]]);
  });

  it("creates as many files as the size limit requires", () => {
    expect(plan(filesOf([3 * MIB, 3 * MIB, 3 * MIB, 3 * MIB, MIB]))).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
  });

  it("leaves full files unchanged and does not count them", () => {
    expect(plan(filesOf([KIB, 4 * MIB, KIB, KIB]))).toEqual([]);
    expect(plan(filesOf([KIB, 4 * MIB, KIB, KIB, KIB]))).toEqual([[3, 4, 5]]);
  });

  it("merges the files on either side of a file that cannot be merged", () => {
    expect(plan(filesOf([KIB, KIB, KIB, KIB, KIB, KIB]), { stays: [3] })).toEqual([
      [1, 2],
      [4, 5, 6],
    ]);
  });
});

describe("the merge plan of today", () => {
  it("merges the newest files of similar size when there are too many", () => {
    const grown = [file(1, 4, 40 * KIB), ...[5, 6, 7].map((n) => file(n, n, KIB))];
    expect(plan(grown, { isPast: false })).toEqual([]);
    expect(plan([...grown, file(8, 8, KIB)], { isPast: false })).toEqual([[5, 6, 7, 8]]);
  });

  it("merges merged files when there are too many of them", () => {
    const grown = [1, 5, 9, 13].map((n) => file(n, n + 3, 40 * KIB));
    expect(plan(grown, { isPast: false })).toEqual([[1, 5, 9, 13]]);
  });

  it("postpones files older than one that cannot be merged", () => {
    expect(plan(filesOf([KIB, KIB, KIB, KIB, KIB]), { isPast: false, stays: [5] })).toEqual([[1, 2, 3, 4]]);
    expect(plan(filesOf([KIB, KIB, KIB, KIB, KIB]), { isPast: false, stays: [4] })).toEqual([]);
  });

  it("keeps the number of files and the rewritten bytes low over 5,000 flushes", () => {
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

describe("the merge plan of any day", () => {
  const days = fc.record({
    sizes: fc.array(fc.integer({ min: 1, max: MERGED_FILE_BYTES_MAX }), { maxLength: 60 }),
    stays: fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 4 }),
    filesMax: fc.integer({ min: 1, max: 10 }),
    isPast: fc.boolean(),
  });

  it("merges only adjacent mergeable files within the size limit, and terminates", () => {
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
