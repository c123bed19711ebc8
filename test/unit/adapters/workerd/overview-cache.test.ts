/** The numbers of the overview that the registry keeps: how long they are used, and that none outlives a deletion. */
import { describe, expect, it } from "vitest";
import { OverviewCache, type Numbers } from "../../../../adapters/workerd/overview-cache.ts";
import { OVERVIEW_NUMBERS_BYTES_MAX } from "../../../../src/runtime/base/config/report-limits.ts";
import type { SiteId } from "../../../../src/storage/event.ts";
import { createDeferred } from "../../../support/deferred.ts";

const A = "a.test" as SiteId;
const B = "b.test" as SiteId;

/** A cache whose numbers tell how often each site was asked. */
function makeCache(ttlMs = 60_000) {
  const cache = new OverviewCache({ ttlMs, monotonicMs: () => 0 });
  const asked = new Map<SiteId, number>();
  const ask = (siteId: SiteId): Numbers => {
    asked.set(siteId, (asked.get(siteId) ?? 0) + 1);
    return [Float64Array.of(asked.get(siteId) ?? 0)];
  };
  const get = async (siteId: SiteId, until: Promise<void> = Promise.resolve()): Promise<number | undefined> => {
    const numbers = await cache.get({ siteId, view: "day", key: "today" }, false, async () => {
      const answer = ask(siteId);
      await until;
      return answer;
    });
    return numbers[0]?.[0];
  };
  return { cache, get };
}

describe("numbers of the overview", () => {
  it("are reused until the site is forgotten; the numbers of other sites stay", async () => {
    const { cache, get } = makeCache();
    for (let i = 0; i < 2; i++) expect([await get(A), await get(B)]).toEqual([1, 1]);
    cache.forget(A);
    expect([await get(A), await get(B)]).toEqual([2, 1]);
  });

  it("are reused without a time limit as long as nothing has changed", async () => {
    const { cache, get } = makeCache(0);
    for (let i = 0; i < 2; i++) expect(await get(A)).toBe(1);
    cache.noteChange(A);
    for (let i = 0; i < 2; i++) expect(await get(A)).toBe(2);
  });

  it("are not cached if the site is forgotten before they arrive", async () => {
    const { cache, get } = makeCache();
    const [late, other] = [createDeferred<void>(), createDeferred<void>()];
    const [ofA, ofB] = [get(A, late.promise), get(B, other.promise)];
    cache.forget(A);
    late.resolve();
    other.resolve();
    expect([await ofA, await ofB]).toEqual([1, 1]);
    expect([await get(A), await get(B)]).toEqual([2, 1]);
  });

  it("replace those of the day before, while those of other periods stay", async () => {
    const { cache } = makeCache();
    const get = async (view: string, key: string, visitors: number) =>
      (await cache.get({ siteId: A, view, key }, false, async () => [Float64Array.of(visitors)]))[0]?.[0];
    expect([await get("day", "monday", 1), await get("week", "monday", 2), await get("day", "tuesday", 3)]).toEqual([1, 2, 3]);
    expect([await get("day", "tuesday", 4), await get("week", "monday", 4), await get("day", "monday", 4)]).toEqual([3, 2, 4]);
  });

  it("are cached within a memory limit, the latest ones first", async () => {
    const { cache } = makeCache();
    const siteIds = Array.from({ length: 5 }, (_, i) => `${i}.test` as SiteId);
    const quarter = [new Float64Array((OVERVIEW_NUMBERS_BYTES_MAX / 4 - 1000) / Float64Array.BYTES_PER_ELEMENT)];
    const asked: SiteId[] = [];
    const get = (siteId: SiteId): Promise<Numbers> =>
      cache.get({ siteId, view: "day", key: "today" }, false, async () => {
        asked.push(siteId);
        return quarter;
      });
    for (const siteId of siteIds) await get(siteId);
    for (const siteId of siteIds.slice(1)) await get(siteId);
    expect(asked).toEqual(siteIds);
    await get(siteIds[0] ?? A);
    await get(siteIds[1] ?? A);
    expect(asked.slice(siteIds.length)).toEqual(siteIds.slice(0, 2));
    // What was dropped or forgotten takes none.
    for (const siteId of siteIds) cache.forget(siteId);
    for (const siteId of [...siteIds.slice(1), ...siteIds.slice(1)]) await get(siteId);
    expect(asked.slice(siteIds.length + 2)).toEqual(siteIds.slice(1));
  });

  it("are requested again after a failed request", async () => {
    const { get } = makeCache();
    await expect(get(A, Promise.reject(new Error("gone")))).rejects.toThrow("gone");
    expect(await get(A)).toBe(2);
  });
});
