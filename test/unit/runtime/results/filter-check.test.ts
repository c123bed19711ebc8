/** Regular expressions are compiled one at a time, and after what has arrived meanwhile. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { QUERIES_WAITING_MAX } from "../../../../src/runtime/base/config/report-limits.ts";
import type { Asker } from "../../../../src/runtime/query/scope.ts";
import { FilterCheck } from "../../../../src/runtime/results/query-limiter.ts";
import { parseSegmentFilter } from "../../../../src/runtime/query/filters.ts";
import { isKnownExpression } from "../../../../src/runtime/query/text-matching.ts";
import { createDeferred, type Deferred } from "../../../support/deferred.ts";

const expressionsOf = (name: string) => [1, 2, 3].map((i) => `^${name}${i}$`);

const filtersOf = (name: string) => parseSegmentFilter(`pages=matches=(${expressionsOf(name).join(",")})`);

const { signal } = new AbortController();
const OWNER: Asker = { isGuest: false, signal };
const VIEWER: Asker = { isGuest: true, signal };

const oneExpression = (name: string) => parseSegmentFilter(`pages=matches=^${name}$`);

describe("the check of filters", () => {
  it("compiles one expression in each turn, whoever asks, and the report gets a turn of its own", async () => {
    const turns: Deferred<void>[] = [];
    const check = new FilterCheck(() => {
      const turn = createDeferred<void>();
      turns.push(turn);
      return turn.promise;
    });
    const all = [...expressionsOf("one"), ...expressionsOf("two")];
    const checks = Promise.all([check.check(filtersOf("one"), OWNER), check.check(filtersOf("two"), OWNER)]);
    for (let compiled = 0; compiled < all.length; compiled++) {
      await nextTurn();
      expect(turns.length).toBe(compiled + 1);
      expect(all.filter(isKnownExpression).length).toBe(compiled);
      turns[compiled]?.resolve();
    }
    await nextTurn();
    expect([turns.length, all.filter(isKnownExpression)]).toEqual([all.length + 1, all]);
    turns[all.length]?.resolve();
    await nextTurn();
    expect(turns.length).toBe(all.length + 2);
    turns[all.length + 1]?.resolve();
    await checks;
  });

  it("takes no turn for a query without filters", async () => {
    const check = new FilterCheck(() => new Promise(() => {}));
    await expect(check.check([], OWNER)).resolves.toBeUndefined();
  });

  it("continues after an expression that is refused", async () => {
    const check = new FilterCheck(async () => {});
    const refused = check.check(parseSegmentFilter("pages=matches=a%28"), OWNER);
    const passed = check.check(filtersOf("three"), OWNER);
    await expect(refused).rejects.toThrow('"filters": the regular expression for "pages" is no regular expression');
    await expect(passed).resolves.toBeUndefined();
  });

  it("compiles owners' expressions first, whoever came first", async () => {
    const turn = createDeferred<void>();
    const check = new FilterCheck(() => turn.promise);
    const done: string[] = [];
    const asked = (
      [
        ["viewer", VIEWER],
        ["viewer-2", VIEWER],
        ["owner", OWNER],
      ] as const
    ).map(async ([name, asker]) => {
      await check.check(oneExpression(name), asker);
      done.push(name);
    });
    turn.resolve();
    await Promise.all(asked);
    expect(done).toEqual(["owner", "viewer", "viewer-2"]);
  });

  it("compiles nothing for an aborted request, which ends at once", async () => {
    const turn = createDeferred<void>();
    const check = new FilterCheck(() => turn.promise);
    const controller = new AbortController();
    const aborted = check.check(oneExpression("aborted"), { ...OWNER, signal: controller.signal });
    const waits = check.check(oneExpression("waits"), VIEWER);
    controller.abort(new Error("gone"));
    await expect(aborted).rejects.toThrow("gone");
    await expect(check.check(oneExpression("aborted"), { ...OWNER, signal: controller.signal })).rejects.toThrow("gone");
    turn.resolve();
    await waits;
    expect(["^aborted$", "^waits$"].map(isKnownExpression)).toEqual([false, true]);
  });

  it("refuses guests when the queue is full, and leaves room for owners", async () => {
    const turn = createDeferred<void>();
    const check = new FilterCheck(() => turn.promise);
    const viewers = Array.from({ length: QUERIES_WAITING_MAX }, (_, i) => check.check(oneExpression(`waiting-${i}`), VIEWER));
    const refusal = { failure: { code: "too_many_requests", retryAfterSecs: 1 } };
    await expect(check.check(oneExpression("one-too-many"), VIEWER)).rejects.toMatchObject(refusal);
    const owner = check.check(oneExpression("own"), OWNER);
    turn.resolve();
    await expect(owner).resolves.toBeUndefined();
    await Promise.all(viewers);
  });
});
