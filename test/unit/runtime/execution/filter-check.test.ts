/** Regular expressions are compiled one at a time, and after what has arrived meanwhile. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { FilterCheck } from "../../../../src/runtime/execution/filter-check.ts";
import { parseSegmentFilter } from "../../../../src/runtime/query/filters.ts";
import { isKnownExpression } from "../../../../src/runtime/query/text-matching.ts";
import { createDeferred, type Deferred } from "../../../support/deferred.ts";

const expressionsOf = (name: string) => [1, 2, 3].map((i) => `^${name}${i}$`);

const filtersOf = (name: string) => parseSegmentFilter(`pages=matches=(${expressionsOf(name).join(",")})`);

describe("the check of filters", () => {
  it("compiles one expression for each turn that it waits for, whoever asks", async () => {
    const turns: Deferred<void>[] = [];
    const check = new FilterCheck(() => {
      const turn = createDeferred<void>();
      turns.push(turn);
      return turn.promise;
    });
    const all = [...expressionsOf("one"), ...expressionsOf("two")];
    const checks = Promise.all([check.check(filtersOf("one")), check.check(filtersOf("two"))]);
    for (let compiled = 0; compiled < all.length; compiled++) {
      await nextTurn();
      expect(turns.length).toBe(compiled + 1);
      expect(all.filter(isKnownExpression).length).toBe(compiled);
      turns[compiled]?.resolve();
    }
    await checks;
    expect(all.filter(isKnownExpression)).toEqual(all);
  });

  it("goes on after an expression that is refused", async () => {
    const check = new FilterCheck(async () => {});
    const refused = check.check(parseSegmentFilter("pages=matches=a%28"));
    const passed = check.check(filtersOf("three"));
    await expect(refused).rejects.toThrow('"filters": the regular expression for "pages" is no regular expression');
    await expect(passed).resolves.toBeUndefined();
  });
});
