/** The numbers of the overview that the registry keeps: how long they are used, and that none outlives a deletion. */
import { describe, expect, it } from "vitest";
import { OverviewCache, type Numbers } from "../../../../adapters/workerd/overview-cache.ts";
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
    const numbers = await cache.get(siteId, "today", false, async () => {
      const answer = ask(siteId);
      await until;
      return answer;
    });
    return numbers[0]?.[0];
  };
  return { cache, get };
}

describe("numbers of the overview", () => {
  it("are used again until the site is forgotten; those of other sites stay", async () => {
    const { cache, get } = makeCache();
    for (let i = 0; i < 2; i++) expect([await get(A), await get(B)]).toEqual([1, 1]);
    cache.forget(A);
    expect([await get(A), await get(B)]).toEqual([2, 1]);
  });

  it("are used again without a time limit as long as nothing has changed", async () => {
    const { cache, get } = makeCache(0);
    for (let i = 0; i < 2; i++) expect(await get(A)).toBe(1);
    cache.noteChange(A);
    for (let i = 0; i < 2; i++) expect(await get(A)).toBe(2);
  });

  it("are not kept if the site is forgotten before they arrive", async () => {
    const { cache, get } = makeCache();
    const [late, other] = [createDeferred<void>(), createDeferred<void>()];
    const [ofA, ofB] = [get(A, late.promise), get(B, other.promise)];
    cache.forget(A);
    late.resolve();
    other.resolve();
    expect([await ofA, await ofB]).toEqual([1, 1]);
    expect([await get(A), await get(B)]).toEqual([2, 1]);
  });

  it("are asked for again after a question that failed", async () => {
    const { get } = makeCache();
    await expect(get(A, Promise.reject(new Error("gone")))).rejects.toThrow("gone");
    expect(await get(A)).toBe(2);
  });
});
