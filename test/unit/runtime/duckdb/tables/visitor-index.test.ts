/** Indexes of visitors: one per id. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VisitorIndex } from "../../../../../src/runtime/duckdb/tables/day-sessions.ts";

/** Halves that are often the same, so that ids share one of them. */
const half = fc.oneof(fc.constantFrom(0, 1, -1, 2 ** 31 - 1, -(2 ** 31)), fc.integer());

describe("the visitor index", () => {
  it("assigns indexes from 0 in order of first occurrence, for any number of visitors", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(half, half), { maxLength: 500 }), (ids) => {
        const index = new VisitorIndex();
        const seen = new Map<string, number>();
        for (const [low, high] of ids) {
          const id = `${low} ${high}`;
          if (!seen.has(id)) seen.set(id, seen.size);
          expect(index.indexOf(low, high)).toBe(seen.get(id));
        }
        expect(index.count).toBe(seen.size);
      }),
    );
  });

  it("keeps its indexes when the table grows", () => {
    const index = new VisitorIndex();
    for (let round = 0; round < 2; round++) for (let id = 0; id < 10_000; id++) expect(index.indexOf(id, 0)).toBe(id);
  });
});
