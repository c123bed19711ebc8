/** When the files of a day have the same events as those that a rollup records, and when the rollup is valid. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { areSameEvents, areUnchanged, isValid, originOf } from "../../../../../src/runtime/duckdb/rollups/rollup-origin.ts";
import type { PartitionVersion } from "../../../../../src/storage/partitions.ts";
import { filesOf, versionOf, versionsFrom } from "../../../../support/partition-versions.ts";
import { day } from "../../../../support/json-rollups.ts";
import { siteId } from "../../../../support/stored-event.ts";

const DAY = day("2026-03-15");
type Ranges = readonly (readonly [number, number])[];
const same = (recorded: string, ranges: Ranges) => areSameEvents(recorded, filesOf(DAY, ranges));

describe("the files of a day", () => {
  it.each<[string, string, Ranges, boolean]>([
    [
      "the recorded ones",
      "1-1,4-6",
      [
        [1, 1],
        [4, 6],
      ],
      true,
    ],
    ["the merge of all", "1-1,4-6", [[1, 6]], true],
    [
      "the merge of some",
      "1-1,3-3,4-6,9-9",
      [
        [1, 3],
        [4, 6],
        [9, 9],
      ],
      true,
    ],
    [
      "several merges",
      "1-1,3-3,4-6,9-9",
      [
        [1, 3],
        [4, 9],
      ],
      true,
    ],
    [
      "a later file more",
      "1-1",
      [
        [1, 1],
        [2, 2],
      ],
      false,
    ],
    [
      "a file more between",
      "1-1,4-6",
      [
        [1, 1],
        [2, 2],
        [4, 6],
      ],
      false,
    ],
    [
      "an earlier file more",
      "4-6",
      [
        [1, 1],
        [4, 6],
      ],
      false,
    ],
    ["a merge with a later file", "1-1,4-6", [[1, 7]], false],
    ["a merge with an earlier file", "4-6", [[1, 6]], false],
    ["a file less", "1-1,4-6", [[1, 1]], false],
    ["a merge, and a file less", "1-1,2-2,4-6", [[1, 2]], false],
    ["no file", "1-1", [], false],
    ["other files", "1-1", [[2, 2]], false],
  ])("%s contain the same events: %j and %j, %s", (_name, recorded, ranges, expected) => {
    expect(same(recorded, ranges)).toBe(expected);
  });

  it.each(["", "1", "x-y", "1-", "-1", "1-1;2-2"])("never equal a damaged record: %j", (recorded) => {
    expect(same(recorded, [[1, 1]])).toBe(false);
  });

  /** Disjoint ranges, oldest first. */
  const files = fc
    .uniqueArray(fc.nat({ max: 60 }), { minLength: 1, maxLength: 12 })
    .map((starts) => starts.sort((a, b) => a - b))
    .chain((starts) =>
      fc.tuple(...starts.map((start, i) => fc.integer({ min: start, max: (starts[i + 1] ?? 70) - 1 }).map((end) => [start, end] as const))),
    );

  it("keep their events through any merges of neighbours, and change them once any file is added or deleted", () => {
    const history = fc.tuple(
      files,
      fc.array(fc.record({ at: fc.nat({ max: 11 }), count: fc.integer({ min: 2, max: 4 }) }), { maxLength: 5 }),
      fc.nat(),
    );
    fc.assert(
      fc.property(history, ([recorded, merges, drawn]) => {
        const text = recorded.map(([first, last]) => `${first}-${last}`).join();
        let now: Ranges = recorded;
        for (const { at, count } of merges) {
          const group = now.slice(at, at + count);
          const [oldest, newest] = [group[0], group.at(-1)];
          if (oldest && newest) now = [...now.slice(0, at), [oldest[0], newest[1]], ...now.slice(at + count)];
        }
        expect(same(text, now)).toBe(true);
        expect(same(text, [...now, [100, 100]])).toBe(false);
        expect(
          same(
            text,
            now.filter((_, i) => i !== drawn % now.length),
          ),
        ).toBe(false);
      }),
    );
  });
});

describe("a rollup", () => {
  const [site, nextDay] = [siteId("a.test"), day("2026-03-16")];
  const definitions = { definitions: "d", sessionWindowMinutes: 30, saltRotationDays: 1, arrivals: "" };
  const days = versionsFrom(DAY, [0, 1]);
  const nodeOf = (versions: readonly PartitionVersion[]) => ({ firstDay: DAY, lastDay: nextDay, days: versions, halves: [] });
  const node = nodeOf(days);
  const origin = originOf(site, node, definitions);

  it("is valid for the events and settings of its making", () => {
    expect(isValid(origin, site, node, definitions)).toBe(true);
    expect(areUnchanged(origin, days)).toBe(true);
  });

  it("stays valid after a merge of its files, which changes them", () => {
    const parts = [
      versionOf(DAY, {
        files: filesOf(DAY, [
          [1, 1],
          [2, 2],
        ]),
      }),
    ];
    const merged = [versionOf(DAY, { files: filesOf(DAY, [[1, 2]]) })];
    const made = originOf(site, nodeOf(parts), definitions);
    expect(isValid(made, site, nodeOf(merged), definitions)).toBe(true);
    expect(areUnchanged(made, merged)).toBe(false);
  });

  it.each<[string, readonly PartitionVersion[]]>([
    ["an event of a day is in no file yet", [...days.slice(0, 1), versionOf(nextDay, { hasUnflushed: true })]],
    ["a day has another file", [...days.slice(0, 1), versionOf(nextDay, { files: filesOf(nextDay, [[2, 2]]) })]],
    ["a day has no events any more", days.slice(0, 1)],
    ["events were added on another day", [...days, versionOf(day("2026-03-17"))]],
    ["the events are of other days", versionsFrom(DAY, [0, 2])],
  ])("is not valid when %s", (_name, versions) => {
    expect(isValid(origin, site, nodeOf(versions), definitions)).toBe(false);
    expect(areUnchanged(origin, versions)).toBe(false);
  });

  it.each([
    ["definitions", { ...definitions, definitions: "e" }],
    ["session window", { ...definitions, sessionWindowMinutes: 31 }],
    ["salt rotation", { ...definitions, saltRotationDays: 2 }],
    ["rules of arrivals", { ...definitions, arrivals: "r" }],
  ])("is not valid with another %s", (_name, changed) => {
    expect(isValid(origin, site, node, changed)).toBe(false);
  });

  it("is not valid for another site, or for more or fewer days", () => {
    expect(isValid(origin, siteId("b.test"), node, definitions)).toBe(false);
    expect(isValid(origin, site, { ...node, firstDay: day("2026-03-14") }, definitions)).toBe(false);
    expect(isValid(origin, site, { ...node, lastDay: day("2026-03-17") }, definitions)).toBe(false);
  });
});
