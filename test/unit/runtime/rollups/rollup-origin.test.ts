/** When the files of a day have the same events as those that a rollup records. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { areSameEvents } from "../../../../src/runtime/rollups/rollup-origin.ts";
import { filesOf } from "../../../support/partition-versions.ts";
import { day } from "../../../support/json-rollups.ts";

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
  ])("that are %s have the same events: %j and %j, %s", (_name, recorded, ranges, expected) => {
    expect(same(recorded, ranges)).toBe(expected);
  });

  it.each(["", "1", "x-y", "1-", "-1", "1-1;2-2"])("are never the same as a damaged record: %j", (recorded) => {
    expect(same(recorded, [[1, 1]])).toBe(false);
  });

  /** Disjoint ranges, oldest first. */
  const files = fc
    .uniqueArray(fc.nat({ max: 60 }), { minLength: 1, maxLength: 12 })
    .map((starts) => starts.sort((a, b) => a - b))
    .chain((starts) =>
      fc.tuple(...starts.map((start, i) => fc.integer({ min: start, max: (starts[i + 1] ?? 70) - 1 }).map((end) => [start, end] as const))),
    );

  it("keep their events through any merges of neighbours, and have others once any file is added or deleted", () => {
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
