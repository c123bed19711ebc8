/** What the sentence above the chart claims, and when it claims nothing. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { changeBetween, growthText, outlierIn, sourceOf } from "../../../../dashboard/charts/summary.ts";

describe("the change", () => {
  it.each([
    [113, 100, 0.13],
    [50, 100, -0.5],
    [100, 100, null],
    [1004, 1000, null],
    [400, 19, null],
    [400, 0, null],
  ])("the change from %i to %i is %f, backwards", (now, before, change) => {
    expect(changeBetween(now, before)).toBe(change);
  });
});

describe("the outlier", () => {
  const quiet = [10, 12, 9, 11, 10, 12];

  it("the outlier is the largest whole bucket with at least twice the median", () => {
    expect(outlierIn([...quiet, 25])).toEqual({ index: 6, value: 25, usual: 11 });
    expect(outlierIn([...quiet, 40, 25])).toEqual({ index: 6, value: 40, usual: 11 });
    expect(outlierIn([...quiet, 20])).toBeNull();
  });

  it("an incomplete bucket is never the outlier", () => {
    expect(outlierIn([...quiet, null])).toBeNull();
    expect(outlierIn([null, ...quiet, 25])?.index).toBe(7);
  });

  it("there is no outlier on a tiny site, in a short range, or without a usual value", () => {
    expect(outlierIn([1, 2, 1, 1, 2, 19])).toBeNull();
    expect(outlierIn([10, 10, 10, 30])).toBeNull();
    expect(outlierIn([0, 0, 0, 0, 50])).toBeNull();
    expect(outlierIn([])).toBeNull();
  });

  it.each([
    [20, 10, "doubled"],
    [29, 10, "doubled"],
    [30, 10, "tripled"],
    [49, 10, "had 4 times the usual number"],
  ])("an outlier of %i where %i are usual %s", (value, usual, text) => {
    expect(growthText({ index: 0, value, usual })).toBe(text);
  });
});

describe("the source", () => {
  const outlier = { index: 0, value: 40, usual: 10 };
  const bySource = (counts: Record<string, number>) => new Map(Object.entries(counts));

  it("the source explains more than half of the excess", () => {
    expect(sourceOf(outlier, bySource({ HN: 28, Google: 8 }), bySource({ Google: 150, HN: 29 }), 300)).toBe("HN");
  });

  it("a large source with its usual share explains nothing", () => {
    expect(sourceOf(outlier, bySource({ Google: 22, HN: 10 }), bySource({ Google: 282, HN: 10 }), 300)).toBeNull();
  });

  it("no source explains an excess that is spread over several, or exactly half of it", () => {
    expect(sourceOf(outlier, bySource({ HN: 14, Reddit: 14 }), bySource({ HN: 14, Reddit: 14 }), 300)).toBeNull();
    expect(sourceOf(outlier, bySource({ HN: 15 }), bySource({ HN: 15 }), 300)).toBeNull();
    expect(sourceOf(outlier, bySource({ HN: 16 }), bySource({ HN: 16 }), 300)).toBe("HN");
  });

  it("a source whose usual share is unknown explains nothing", () => {
    expect(sourceOf(outlier, bySource({ HN: 40 }), bySource({}), 300)).toBeNull();
    expect(sourceOf(outlier, bySource({ HN: 40 }), bySource({ HN: 40 }), 40)).toBeNull();
  });

  it("a source with less than half of the excess never explains it", () => {
    const counts = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.nat({ max: 40 }));
    fc.assert(
      fc.property(counts, counts, fc.integer({ min: 41, max: 1000 }), (inBucket, inRange, total) => {
        const source = sourceOf(outlier, bySource(inBucket), bySource(inRange), total);
        if (source !== null) expect(inBucket[source]).toBeGreaterThan((outlier.value - outlier.usual) / 2);
      }),
    );
  });
});
