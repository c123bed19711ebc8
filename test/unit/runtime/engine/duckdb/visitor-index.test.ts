/** Numbers for visitors: the same for the same id, and a new one for each other. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VisitorIndex } from "../../../../../src/runtime/engine/duckdb/visitor-index.ts";

/** Halves that are often the same, so that ids share one of them. */
const half = fc.oneof(fc.constantFrom(0, 1, -1, 2 ** 31 - 1, -(2 ** 31)), fc.integer());

describe("the numbers of visitors", () => {
  it("count up from 0 by first sight, however many there are", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(half, half), { maxLength: 500 }), (ids) => {
        const places = new VisitorIndex();
        const seen = new Map<string, number>();
        for (const [low, high] of ids) {
          const id = `${low} ${high}`;
          if (!seen.has(id)) seen.set(id, seen.size);
          expect(places.placeOf(low, high)).toBe(seen.get(id));
        }
        expect(places.count).toBe(seen.size);
      }),
    );
  });

  it("stay as they are when the table grows", () => {
    const places = new VisitorIndex();
    for (let round = 0; round < 2; round++) for (let id = 0; id < 10_000; id++) expect(places.placeOf(id, 0)).toBe(id);
  });
});
