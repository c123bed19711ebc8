/** The cache of loaded rollups: bounded, one load per key, and no failures in it. */
import { describe, expect, it } from "vitest";
import { LoadCache } from "../../../../src/runtime/rollups/load-cache.ts";

/** A cache of texts, each as large as it is long, that counts its loads. */
function countedCache(bytesMax: number) {
  const cache = new LoadCache<string>(bytesMax, ({ length }) => length);
  const loads: string[] = [];
  const get = (key: string, load: () => Promise<string> = () => Promise.resolve(key)): Promise<string> =>
    cache.get(key, () => {
      loads.push(key);
      return load();
    });
  return { get, loads };
}

describe("the cache of loaded values", () => {
  it("loads a key once, also for concurrent calls", async () => {
    const { get, loads } = countedCache(100);
    expect(await Promise.all([get("a"), get("a"), get("b")])).toEqual(["a", "a", "b"]);
    expect(await get("a")).toBe("a");
    expect(loads).toEqual(["a", "b"]);
  });

  it("evicts the least recently used values beyond its size", async () => {
    const { get, loads } = countedCache(6);
    for (const key of ["aaa", "bbb", "aaa", "ccc", "aaa", "bbb"]) await get(key);
    expect(loads).toEqual(["aaa", "bbb", "ccc", "bbb"]);
  });

  it("does not keep a value that is larger than all of it, nor evict others for it", async () => {
    const { get, loads } = countedCache(3);
    for (const key of ["a", "long text", "a", "long text"]) await get(key);
    expect(loads).toEqual(["a", "long text", "long text"]);
  });

  it("does not keep a failure, which all callers that wait for it get", async () => {
    const { get, loads } = countedCache(100);
    const fail = () => Promise.reject(new Error("no such object"));
    const results = await Promise.allSettled([get("a", fail), get("a", fail)]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await get("a")).toBe("a");
    expect(loads).toEqual(["a", "a"]);
  });
});
