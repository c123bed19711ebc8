/** The map that evicts what was not used for longest, compared with a plain list. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LruMap } from "../../../src/storage/lru-map.ts";

describe("a map with a limit", () => {
  it("evicts the least recently used entry, and notifies its owner", () => {
    const evicted: string[] = [];
    const map = new LruMap<string, number>({ max: 2, onEvict: (value, key) => void evicted.push(`${key}=${value}`) });
    map.set("a", 1);
    map.set("b", 2);
    expect(map.get("a")).toBe(1);
    map.set("c", 3);
    expect(evicted).toEqual(["b=2"]);
    expect([...map]).toEqual([
      ["a", 1],
      ["c", 3],
    ]);
  });

  it("does not count a peek as a use", () => {
    const map = new LruMap<string, number>({ max: 2 });
    map.set("a", 1);
    map.set("b", 2);
    expect(map.peek("a")).toBe(1);
    map.set("c", 3);
    expect(map.has("a")).toBe(false);
  });

  it("evicts an entry that alone exceeds the limit, and no other", () => {
    const evicted: string[] = [];
    const map = new LruMap<string, string>({ max: 3, weightOf: (text) => text.length, onEvict: (text) => void evicted.push(text) });
    map.set("a", "aa");
    map.set("b", "bbbb");
    expect(evicted).toEqual(["bbbb"]);
    expect([map.size, map.weight]).toEqual([1, 2]);
  });

  it("evicts nothing by itself without a limit", () => {
    const map = new LruMap<number, number>({});
    for (let i = 0; i < 1000; i++) map.set(i, i);
    expect(map.size).toBe(1000);
    map.evictOldest();
    expect([map.size, map.has(0)]).toEqual([999, false]);
    map.clear();
    map.evictOldest();
    expect([map.size, map.weight]).toEqual([0, 0]);
  });

  it("contains what a plain list contains after any calls", () => {
    const key = fc.integer({ min: 0, max: 5 });
    const call = fc.oneof(
      fc.record({ kind: fc.constant("set" as const), key, value: fc.integer({ min: 0, max: 6 }) }),
      fc.record({ kind: fc.constantFrom("get" as const, "delete" as const), key }),
    );
    fc.assert(
      fc.property(fc.array(call, { maxLength: 40 }), (calls) => {
        const map = new LruMap<number, number>({ max: 10, weightOf: (value) => value });
        let list: [number, number][] = [];
        const sum = () => list.reduce((total, [, value]) => total + value, 0);
        for (const each of calls) {
          const known = list.find(([other]) => other === each.key);
          const others = list.filter((entry) => entry !== known);
          if (each.kind === "set") list = [...others, [each.key, each.value]];
          else if (each.kind === "delete") list = others;
          else if (known) list = [...others, known];
          while (sum() > 10) list.shift();
          if (each.kind === "set") map.set(each.key, each.value);
          else if (each.kind === "get") expect(map.get(each.key)).toBe(known?.[1]);
          else expect(map.delete(each.key)).toBe(known !== undefined);
          expect([...map]).toEqual(list);
          expect(map.weight).toBe(sum());
        }
      }),
    );
  });
});
