import { describe, expect, it } from "vitest";
import { CACHE_CHARS_MAX } from "../../../../src/runtime/base/config/report-limits.ts";
import type { Asker } from "../../../../src/runtime/query/scope.ts";
import { type CacheKey, ResultCache } from "../../../../src/runtime/results/query-service.ts";
import type { SiteId } from "../../../../src/storage/event.ts";
import { createDeferred } from "../../../support/deferred.ts";

interface Bench {
  readonly cache: ResultCache;
  readonly counts: { hits: number; misses: number };
  /** Asks a question that is answered at once, and tells whether it had to be computed. */
  ask(
    question: Partial<CacheKey> & { readonly name?: string },
    answer?: string,
    asker?: Asker,
  ): Promise<{ answer: string; computed: boolean }>;
  advance(ms: number): void;
}

/** An answer that has this length together with its key. */
const answerTo = (name: string, chars: number): string => "x".repeat(chars - JSON.stringify(["main", "a.test", [name]]).length);

const OWN: Asker = { isGuest: false, signal: new AbortController().signal };

const VIEWER: Asker = { ...OWN, isGuest: true };

const keyOf = ({
  report = "main",
  siteId = "a.test" as SiteId,
  parameters,
  name = "",
}: Partial<CacheKey> & { readonly name?: string }): CacheKey => ({
  report,
  siteId,
  parameters: parameters ?? [name],
});

function createBench({ ttlSecs = 60, entriesMax = 100 } = {}): Bench {
  const counts = { hits: 0, misses: 0 };
  let monotonicMs = 1_000_000;
  const cache = new ResultCache({
    ttlSecs,
    entriesMax,
    monotonicMs: () => monotonicMs,
    onHit: () => counts.hits++,
    onMiss: () => counts.misses++,
  });
  return {
    cache,
    counts,
    async ask(question, answer = "answer", asker = OWN) {
      let computed = false;
      const text = await cache.get(keyOf(question), asker, async () => {
        computed = true;
        return answer;
      });
      return { answer: text, computed };
    },
    advance(ms) {
      monotonicMs += ms;
    },
  };
}

describe("ResultCache", () => {
  it("returns a cached result for the ttl and not a millisecond longer", async () => {
    const { ask, advance, cache } = createBench({ ttlSecs: 60 });
    expect(await ask({}, "first")).toEqual({ answer: "first", computed: true });
    advance(59_999);
    expect(await ask({}, "second")).toEqual({ answer: "first", computed: false });
    advance(1);
    expect(await ask({}, "third")).toEqual({ answer: "third", computed: true });
    expect(cache.size).toBe(1);
  });

  it("accepts a ttl of a fraction of a second", async () => {
    const { ask, advance } = createBench({ ttlSecs: 0.25 });
    await ask({});
    advance(249);
    expect((await ask({})).computed).toBe(false);
    advance(1);
    expect((await ask({})).computed).toBe(true);
  });

  it("caches nothing with a ttl of 0", async () => {
    const { ask, cache } = createBench({ ttlSecs: 0 });
    expect([(await ask({})).computed, (await ask({})).computed, cache.size]).toEqual([true, true, 0]);
  });

  it("caches an empty result", async () => {
    const { ask } = createBench();
    await ask({}, "");
    expect(await ask({}, "other")).toEqual({ answer: "", computed: false });
  });

  it("distinguishes queries by report, site and parameters, whatever their characters", async () => {
    const { ask } = createBench();
    const questions = [
      { report: "main", siteId: "a" as SiteId, parameters: ["b"] },
      { report: "main", siteId: "a" as SiteId, parameters: "b" },
      { report: "main", siteId: "a" as SiteId, parameters: [["b"]] },
      { report: "main", siteId: "a" as SiteId, parameters: ["b", null] },
      { report: "main", siteId: "a" as SiteId, parameters: ["b", "null"] },
      { report: "main", siteId: "a" as SiteId, parameters: [1] },
      { report: "main", siteId: "a" as SiteId, parameters: ["1"] },
      { report: "main", siteId: "a:b" as SiteId, parameters: [] },
      { report: "main:a", siteId: "b" as SiteId, parameters: [] },
      { report: "main", siteId: "a" as SiteId, parameters: ['b"],["c'] },
      { report: "main", siteId: "a" as SiteId, parameters: [["b"], ["c"]] },
    ];
    for (const [i, question] of questions.entries()) expect(await ask(question, String(i))).toEqual({ answer: String(i), computed: true });
    for (const [i, question] of questions.entries()) expect(await ask(question, "?")).toEqual({ answer: String(i), computed: false });
  });

  it("counts every query once, as a hit or as a miss", async () => {
    const { ask, counts, advance } = createBench({ ttlSecs: 1 });
    await ask({});
    await ask({});
    await ask({ name: "other" });
    advance(1000);
    await ask({});
    expect(counts).toEqual({ hits: 1, misses: 3 });
  });
});

describe("results of guests", () => {
  const names = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${prefix} ${i}`);

  async function askAll({ ask }: Bench, asked: readonly string[], asker: Asker, chars?: number): Promise<string[]> {
    const computed: string[] = [];
    for (const name of asked) {
      const result = await ask({ name }, chars === undefined ? name : answerTo(name, chars), asker);
      if (result.computed) computed.push(name);
    }
    return computed;
  }

  it("evict each other above a quarter of the cache, and none of others", async () => {
    const bench = createBench({ entriesMax: 100 });
    const own = names("own", 75);
    await askAll(bench, own, OWN);
    await askAll(bench, names("viewer", 1_000), VIEWER);
    expect(bench.cache.size).toBe(100);
    expect(await askAll(bench, own, OWN)).toEqual([]);
    expect(await askAll(bench, names("viewer", 1_000).slice(-25), VIEWER)).toEqual([]);
  });

  it("use a quarter of the characters", async () => {
    const bench = createBench();
    const own = names("own", 3);
    await askAll(bench, own, OWN, CACHE_CHARS_MAX / 4);
    await askAll(bench, names("viewer", 20), VIEWER, CACHE_CHARS_MAX / 8);
    expect(bench.cache.size).toBe(5);
    expect(await askAll(bench, own, OWN)).toEqual([]);
  });

  it("are computed again if they are longer than that", async () => {
    const bench = createBench();
    expect(await askAll(bench, ["long", "long"], VIEWER, CACHE_CHARS_MAX / 2)).toEqual(["long", "long"]);
    expect(bench.cache.size).toBe(0);
  });

  it("get their share of a full cache, and leave the rest to others", async () => {
    const bench = createBench({ entriesMax: 8 });
    await askAll(bench, names("own", 8), OWN);
    await askAll(bench, names("viewer", 5), VIEWER);
    expect(await askAll(bench, names("own", 8).slice(2), OWN)).toEqual([]);
    await askAll(bench, names("more", 10), OWN);
    expect(await askAll(bench, names("viewer", 5).slice(3), VIEWER)).toEqual([]);
    expect(bench.cache.size).toBe(8);
  });

  it("belong to others once these request them, and guests do not keep results of others for longer", async () => {
    const bench = createBench({ entriesMax: 4 });
    await askAll(bench, ["shared"], VIEWER);
    expect(await askAll(bench, ["shared"], OWN)).toEqual([]);
    await askAll(bench, names("viewer", 10), VIEWER);
    expect(await askAll(bench, ["shared"], VIEWER)).toEqual([]);
    await askAll(bench, names("own", 3), OWN);
    expect(await askAll(bench, ["shared"], VIEWER)).toEqual(["shared"]);
  });
});

describe("eviction", () => {
  it("removes the least recently used result first", async () => {
    const { ask, cache } = createBench({ entriesMax: 3 });
    for (const name of ["a", "b", "c"]) await ask({ name });
    await ask({ name: "a" });
    await ask({ name: "d" });
    expect(cache.size).toBe(3);
    expect((await ask({ name: "a" })).computed).toBe(false);
    expect((await ask({ name: "c" })).computed).toBe(false);
    expect((await ask({ name: "d" })).computed).toBe(false);
    expect((await ask({ name: "b" })).computed).toBe(true);
  });

  it("does not extend the ttl of a result that is used", async () => {
    const { ask, advance } = createBench({ ttlSecs: 10 });
    await ask({});
    advance(9_000);
    await ask({});
    advance(1_000);
    expect((await ask({})).computed).toBe(true);
  });

  it("works with a maximum of one entry", async () => {
    const { ask, cache } = createBench({ entriesMax: 1 });
    await ask({ name: "a" });
    await ask({ name: "b" });
    expect(cache.size).toBe(1);
    expect((await ask({ name: "b" })).computed).toBe(false);
    expect((await ask({ name: "a" })).computed).toBe(true);
  });

  it("is limited by total length", async () => {
    const { ask, cache } = createBench();
    const half = CACHE_CHARS_MAX / 2;
    await ask({ name: "small" }, "small");
    await ask({ name: "first" }, answerTo("first", half));
    expect(cache.size).toBe(2);
    await ask({ name: "second" }, answerTo("second", half));
    // The small one was the oldest, and with it gone there is room.
    expect(cache.size).toBe(2);
    expect((await ask({ name: "first" })).computed).toBe(false);
    expect((await ask({ name: "second" })).computed).toBe(false);
    await ask({ name: "third" }, answerTo("third", half));
    expect(cache.size).toBe(2);
    expect((await ask({ name: "first" })).computed).toBe(true);
  });

  it("counts the length of keys, which requests choose", async () => {
    const { ask, cache } = createBench({ entriesMax: 100_000 });
    const name = "x".repeat(CACHE_CHARS_MAX / 4);
    for (let i = 0; i < 10; i++) await ask({ name: `${name}${i}` });
    expect(cache.size).toBe(3);
    expect((await ask({ name: `${name}9` })).computed).toBe(false);
  });

  it("does not cache a result that is too long, but returns it", async () => {
    const { ask, cache } = createBench();
    await ask({ name: "small" });
    const long = "x".repeat(CACHE_CHARS_MAX + 1);
    expect((await ask({ name: "long" }, long)).answer).toBe(long);
    expect(cache.size).toBe(1);
    expect((await ask({ name: "small" })).computed).toBe(false);
  });

  it("counts neither expired nor dropped results", async () => {
    const { ask, cache, advance } = createBench({ ttlSecs: 10 });
    const whole = answerTo("", CACHE_CHARS_MAX);
    for (let round = 0; round < 3; round++) {
      await ask({}, whole);
      advance(10_000);
    }
    await ask({}, whole);
    cache.dropSite("a.test" as SiteId);
    await ask({ name: "a" }, answerTo("a", CACHE_CHARS_MAX - 100));
    await ask({ name: "b" }, "y");
    expect(cache.size).toBe(2);
  });
});

describe("running computations", () => {
  /** A question whose answer comes when the test says so. */
  function slowQuestion({ cache }: Bench, question: Parameters<Bench["ask"]>[0] = {}, asker: Partial<Asker> = {}) {
    const { promise, resolve, reject } = createDeferred<string>();
    const run = { begun: false, answer: Promise.resolve(""), resolve, reject };
    run.answer = cache.get(keyOf(question), { ...OWN, ...asker }, () => {
      run.begun = true;
      return promise;
    });
    run.answer.catch(() => {});
    return run;
  }

  it("identical queries share one running computation", async () => {
    const bench = createBench();
    const [first, second, third] = [slowQuestion(bench), slowQuestion(bench), slowQuestion(bench, { name: "other" })];
    expect([first.begun, second.begun, third.begun]).toEqual([true, false, true]);
    first.resolve("one");
    third.resolve("two");
    expect(await Promise.all([first.answer, second.answer, third.answer])).toEqual(["one", "one", "two"]);
    expect(bench.counts).toEqual({ hits: 1, misses: 2 });
  });

  it("are shared even if caching is off", async () => {
    const bench = createBench({ ttlSecs: 0 });
    const [first, second] = [slowQuestion(bench), slowQuestion(bench)];
    first.resolve("one");
    expect(await Promise.all([first.answer, second.answer])).toEqual(["one", "one"]);
    expect(second.begun).toBe(false);
    expect((await bench.ask({})).computed).toBe(true);
  });

  it("share their failure, which is not cached", async () => {
    const bench = createBench();
    const [first, second] = [slowQuestion(bench), slowQuestion(bench)];
    first.reject(new Error("no"));
    await expect(first.answer).rejects.toThrow("no");
    await expect(second.answer).rejects.toThrow("no");
    expect(bench.cache.size).toBe(0);
    expect(await bench.ask({}, "later")).toEqual({ answer: "later", computed: true });
  });

  it("for guests are shared by guests, and those of others by everyone; a request of others never waits for a guest", async () => {
    const [viewers, others] = [createBench(), createBench()];
    const ofViewer = [slowQuestion(viewers, {}, { isGuest: true }), slowQuestion(viewers, {}, { isGuest: true })];
    const own = slowQuestion(viewers);
    expect([...ofViewer, own].map(({ begun }) => begun)).toEqual([true, false, true]);
    ofViewer[0]?.reject(new Error("refused"));
    own.resolve("one");
    await expect(ofViewer[1]?.answer).rejects.toThrow("refused");
    expect(await own.answer).toBe("one");
    const [first, joined] = [slowQuestion(others), slowQuestion(others, {}, { isGuest: true })];
    expect([first.begun, joined.begun]).toEqual([true, false]);
    first.resolve("two");
    expect(await joined.answer).toBe("two");
  });

  it("start the ttl when their query starts", async () => {
    const bench = createBench({ ttlSecs: 10 });
    const slow = slowQuestion(bench);
    bench.advance(9_999);
    slow.resolve("slow");
    await slow.answer;
    expect((await bench.ask({})).computed).toBe(false);
    bench.advance(1);
    expect((await bench.ask({})).computed).toBe(true);
  });

  it("are returned and not cached if they took longer than the ttl", async () => {
    const bench = createBench({ ttlSecs: 10 });
    const slow = slowQuestion(bench);
    bench.advance(10_000);
    slow.resolve("slow");
    expect(await slow.answer).toBe("slow");
    expect((await bench.ask({})).computed).toBe(true);
  });

  describe("for a request that has timed out", () => {
    it("are no longer shared", async () => {
      const bench = createBench();
      const end = new AbortController();
      const first = slowQuestion(bench, {}, { signal: end.signal });
      end.abort();
      const second = slowQuestion(bench);
      expect(second.begun).toBe(true);
      first.reject(end.signal.reason);
      second.resolve("second");
      await expect(first.answer).rejects.toBe(end.signal.reason);
      expect(await second.answer).toBe("second");
      expect((await bench.ask({})).answer).toBe("second");
    });

    it("are restarted once for the other requests that have time left", async () => {
      const bench = createBench();
      const end = new AbortController();
      const first = slowQuestion(bench, {}, { signal: end.signal });
      const [second, third] = [slowQuestion(bench), slowQuestion(bench)];
      expect([second.begun, third.begun]).toEqual([false, false]);
      end.abort();
      first.reject(end.signal.reason);
      await expect(first.answer).rejects.toBe(end.signal.reason);
      second.resolve("second");
      expect(await Promise.all([second.answer, third.answer])).toEqual(["second", "second"]);
      expect([second.begun, third.begun]).toEqual([true, false]);
    });

    it("fail for other requests that have timed out as well", async () => {
      const bench = createBench();
      const end = new AbortController();
      const [first, second] = [slowQuestion(bench, {}, { signal: end.signal }), slowQuestion(bench, {}, { signal: end.signal })];
      end.abort();
      first.reject(end.signal.reason);
      await expect(second.answer).rejects.toBe(end.signal.reason);
      expect(second.begun).toBe(false);
    });

    it("share a result that arrives anyway", async () => {
      const bench = createBench();
      const end = new AbortController();
      const [first, second] = [slowQuestion(bench, {}, { signal: end.signal }), slowQuestion(bench)];
      end.abort();
      first.resolve("just in time");
      expect(await second.answer).toBe("just in time");
      expect((await bench.ask({})).computed).toBe(false);
    });

    it("do not overwrite the result of a later computation", async () => {
      const bench = createBench();
      const end = new AbortController();
      const first = slowQuestion(bench, {}, { signal: end.signal });
      end.abort();
      const second = slowQuestion(bench);
      second.resolve("second");
      await second.answer;
      first.resolve("first");
      await first.answer;
      expect((await bench.ask({})).answer).toBe("second");
      expect(bench.cache.size).toBe(1);
    });
  });

  describe("dropSite", () => {
    it("drops the results of a site and no others", async () => {
      const { ask, cache } = createBench();
      const other = "b.test" as SiteId;
      for (const report of ["main", "goals"]) {
        await ask({ report });
        await ask({ report, siteId: other });
      }
      cache.dropSite("a.test" as SiteId);
      expect(cache.size).toBe(2);
      expect((await ask({ report: "main" })).computed).toBe(true);
      expect((await ask({ report: "goals" })).computed).toBe(true);
      expect((await ask({ report: "main", siteId: other })).computed).toBe(false);
      expect((await ask({ report: "goals", siteId: other })).computed).toBe(false);
    });

    it("returns but does not cache the results of running computations, which may include erased events", async () => {
      const bench = createBench();
      const slow = slowQuestion(bench);
      bench.cache.dropSite("a.test" as SiteId);
      slow.resolve("old");
      expect(await slow.answer).toBe("old");
      expect(bench.cache.size).toBe(0);
      expect((await bench.ask({}, "new")).answer).toBe("new");
    });

    it("stops sharing running computations with later requests", async () => {
      const bench = createBench();
      const before = slowQuestion(bench);
      bench.cache.dropSite("a.test" as SiteId);
      const after = slowQuestion(bench);
      expect(after.begun).toBe(true);
      after.resolve("new");
      expect(await after.answer).toBe("new");
      before.resolve("old");
      expect(await before.answer).toBe("old");
      expect((await bench.ask({})).answer).toBe("new");
    });

    it("still caches running computations of other sites", async () => {
      const bench = createBench();
      const slow = slowQuestion(bench);
      bench.cache.dropSite("b.test" as SiteId);
      slow.resolve("kept");
      await slow.answer;
      expect(bench.cache.size).toBe(1);
    });
  });
});
