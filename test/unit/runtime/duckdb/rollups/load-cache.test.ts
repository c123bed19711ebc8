/** The cache of loaded rollups: bounded, one load per key, and no failures in it. */
import { describe, expect, it } from "vitest";
import { LoadCache } from "../../../../../src/runtime/duckdb/rollups/rollup-calculator.ts";

/** A cache of texts, each as large as it is long, that counts its loads. */
function countedCache(bytesMax: number) {
  const loads: string[] = [];
  const evicted: string[] = [];
  const cache = new LoadCache<string, string>(
    bytesMax,
    ({ length }) => length,
    (value) => evicted.push(value),
  );
  const get = (key: string, load: () => Promise<string> = () => Promise.resolve(key)): Promise<string> =>
    cache.get(key, () => {
      loads.push(key);
      return load();
    });
  return { get, loads, evicted };
}

describe("the cache of loaded values", () => {
  it("loads a key once, even for concurrent calls", async () => {
    const { get, loads } = countedCache(100);
    expect(await Promise.all([get("a"), get("a"), get("b")])).toEqual(["a", "a", "b"]);
    expect(await get("a")).toBe("a");
    expect(loads).toEqual(["a", "b"]);
  });

  it("keeps null, which a rollup returns for a measure that it lacks, like any value", async () => {
    const cache = new LoadCache<string, null>(100, () => 1);
    let loads = 0;
    const load = async () => {
      loads++;
      return null;
    };
    expect([await cache.get("a", load), await cache.get("a", load), loads]).toEqual([null, null, 1]);
  });

  it("evicts the least recently used values beyond its size", async () => {
    const { get, loads, evicted } = countedCache(6);
    for (const key of ["aaa", "bbb", "aaa", "ccc", "aaa", "bbb"]) await get(key);
    expect(loads).toEqual(["aaa", "bbb", "ccc", "bbb"]);
    expect(evicted).toEqual(["bbb", "ccc"]);
  });

  it("does not cache a value that is larger than the cache, nor evict others for it", async () => {
    const { get, loads, evicted } = countedCache(3);
    for (const key of ["a", "long text", "a", "long text"]) await get(key);
    expect(loads).toEqual(["a", "long text", "long text"]);
    expect(evicted).toEqual(["long text", "long text"]);
  });

  it("does not cache a failure, which all waiting callers get", async () => {
    const { get, loads } = countedCache(100);
    const fail = () => Promise.reject(new Error("no such object"));
    const results = await Promise.allSettled([get("a", fail), get("a", fail)]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await get("a")).toBe("a");
    expect(loads).toEqual(["a", "a"]);
  });
});
