/** The contract of the object store port. */
import { describe, expect, it } from "vitest";
import type { ObjectStore } from "../../src/storage/object-store.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

const textOf = (bytes: Uint8Array | null): string | null => (bytes === null ? null : new TextDecoder().decode(bytes));

/** `makeStore` returns an empty store. */
export function describeObjectStore(name: string, makeStore: () => Promise<ObjectStore>): void {
  describe(`the object store ${name}`, () => {
    it("get returns exactly the bytes that were put", async () => {
      const store = await makeStore();
      const bytes = Uint8Array.from({ length: 1024 }, (_, i) => i & 0xff);
      await store.put("a/b.bin", bytes);
      expect(new Uint8Array((await store.get("a/b.bin")) ?? [])).toEqual(bytes);
    });

    it("stores an empty object", async () => {
      const store = await makeStore();
      await store.put("a/empty", new Uint8Array());
      expect(await store.get("a/empty")).toHaveLength(0);
      expect(await store.list("a")).toEqual([{ key: "a/empty", sizeBytes: 0 }]);
    });

    it("stores a view of a larger buffer", async () => {
      const store = await makeStore();
      await store.put("a/part", bytesOf("before part after").subarray(7, 11));
      expect(textOf(await store.get("a/part"))).toBe("part");
    });

    it("stores an object of several megabytes", async () => {
      const store = await makeStore();
      const bytes = new Uint8Array(5_000_000).map((_, i) => (i * 31) >> 8);
      await store.put("a/large", bytes);
      const read = await store.get("a/large");
      expect(read?.length).toBe(bytes.length);
      expect(read?.every((byte, i) => byte === bytes[i])).toBe(true);
    });

    it("get returns null for an unknown key", async () => {
      const store = await makeStore();
      expect(await store.get("a/b")).toBeNull();
      await store.put("a/b", bytesOf("x"));
      expect([await store.get("a/c"), await store.get("c"), await store.get("a/b/c")]).toEqual([null, null, null]);
    });

    it("put replaces the object of the same key", async () => {
      const store = await makeStore();
      await store.put("a/b", bytesOf("first and longer"));
      await store.put("a/b", bytesOf("second"));
      expect(textOf(await store.get("a/b"))).toBe("second");
      expect(await store.list("a")).toEqual([{ key: "a/b", sizeBytes: 6 }]);
    });

    it("changing bytes after put or get does not change the object", async () => {
      const store = await makeStore();
      const bytes = bytesOf("abc");
      await store.put("a/b", bytes);
      bytes.fill(0);
      (await store.get("a/b"))?.fill(0);
      expect(textOf(await store.get("a/b"))).toBe("abc");
    });

    it("delete removes that object only", async () => {
      const store = await makeStore();
      for (const key of ["a/b", "a/bc", "a/b.c"]) await store.put(key, bytesOf(key));
      await store.delete("a/b");
      expect(await store.get("a/b")).toBeNull();
      expect((await store.list("a")).map(({ key }) => key)).toEqual(["a/b.c", "a/bc"]);
    });

    it("deleting an unknown key succeeds", async () => {
      const store = await makeStore();
      await store.delete("nothing");
      await store.delete("no/folder/either");
      await store.put("a/b", bytesOf("x"));
      await store.delete("a/b");
      await store.delete("a/b");
      expect(await store.list("a")).toEqual([]);
    });

    it("an object can be put again after it was deleted", async () => {
      const store = await makeStore();
      await store.put("a/b/c", bytesOf("first"));
      await store.delete("a/b/c");
      await store.put("a/b/c", bytesOf("second"));
      expect(textOf(await store.get("a/b/c"))).toBe("second");
    });

    it("list returns objects at any depth sorted by key, whatever the order of writes", async () => {
      const store = await makeStore();
      const keys = ["a/z", "a/b/2", "a/10", "a/b/c/d", "a/9", "a/b-c", "a/b.d", "a/B", "a/_", "a/~", "a/b=1/x"];
      for (const key of keys) await store.put(key, bytesOf(key));
      expect(await store.list("a")).toEqual([...keys].sort().map((key) => ({ key, sizeBytes: key.length })));
      expect((await store.list("a/b")).map(({ key }) => key)).toEqual(["a/b/2", "a/b/c/d"]);
    });

    it("list excludes a folder whose name has the same prefix", async () => {
      const store = await makeStore();
      await store.put("events2/a", bytesOf("x"));
      await store.put("events/a", bytesOf("x"));
      expect((await store.list("events")).map(({ key }) => key)).toEqual(["events/a"]);
      expect(await store.folders("event")).toEqual([]);
    });

    it("list of an unknown folder or of an object is empty", async () => {
      const store = await makeStore();
      await store.put("a/b", bytesOf("x"));
      expect([await store.list("c"), await store.list("a/b"), await store.folders("c"), await store.folders("a/b")]).toEqual([
        [],
        [],
        [],
        [],
      ]);
    });

    it("folders returns the direct subfolders sorted, and no objects", async () => {
      const store = await makeStore();
      for (const key of ["a/z/1", "a/b/1", "a/b/2", "a/b/c/1", "a/B/1", "a/object", "b/x/1"]) await store.put(key, bytesOf("x"));
      expect(await store.folders("a")).toEqual(["B", "b", "z"]);
      expect(await store.folders("a/b")).toEqual(["c"]);
      expect(await store.folders("a/z")).toEqual([]);
    });

    it("folders excludes a folder whose objects were all deleted", async () => {
      const store = await makeStore();
      for (const key of ["a/b/c/1", "a/b/c/2", "a/d/1"]) await store.put(key, bytesOf("x"));
      await store.delete("a/b/c/1");
      expect(await store.folders("a")).toEqual(["b", "d"]);
      await store.delete("a/b/c/2");
      expect([await store.folders("a"), await store.folders("a/b")]).toEqual([["d"], []]);
      await store.delete("a/d/1");
      expect(await store.folders("a")).toEqual([]);
    });

    it("keys with long or unusual parts stay distinct", async () => {
      const store = await makeStore();
      const long = "x".repeat(255);
      const keys = [
        `${long}/${long}/${long}`,
        `${long}/${long}/${"x".repeat(254)}y`,
        "a/%41",
        "a/A",
        "a/a b",
        "a/\u{1f600}",
        "a/...",
        "a/.hidden",
        "a/-",
      ];
      for (const key of keys) await store.put(key, bytesOf(key));
      for (const key of keys) expect(textOf(await store.get(key))).toBe(key);
      expect((await store.list("a")).map(({ key }) => key)).toEqual(keys.slice(2).sort());
    });

    it("a reader sees the old or the new bytes of an object that is replaced, never a mixture", async () => {
      const store = await makeStore();
      const size = 300_000;
      const versions = Array.from({ length: 12 }, (_, i) => new Uint8Array(size).fill(i));
      await store.put("a/b", versions[0] ?? new Uint8Array());
      const progress = { writing: true };
      const write = async () => {
        for (const version of versions) await store.put("a/b", version);
        progress.writing = false;
      };
      const read = async () => {
        let reads = 0;
        do {
          const bytes = await store.get("a/b");
          expect(bytes).toHaveLength(size);
          expect(bytes?.every((byte) => byte === bytes[0])).toBe(true);
          expect(await store.list("a")).toEqual([{ key: "a/b", sizeBytes: size }]);
          reads++;
        } while (progress.writing);
        return reads;
      };
      const [, ...reads] = await Promise.all([write(), read(), read()]);
      expect(Math.min(...reads)).toBeGreaterThan(0);
      expect((await store.get("a/b"))?.[0]).toBe(11);
    });

    it("list shows complete objects only, while others are written", async () => {
      const store = await makeStore();
      const bytes = new Uint8Array(200_000).fill(7);
      const keys = Array.from({ length: 20 }, (_, i) => `a/folder-${i % 4}/${i}`);
      const progress = { writing: true };
      const write = async () => {
        await Promise.all(keys.map((key) => store.put(key, bytes)));
        progress.writing = false;
      };
      const look = async () => {
        do {
          for (const { key, sizeBytes } of await store.list("a"))
            expect({ known: keys.includes(key), sizeBytes }).toEqual({ known: true, sizeBytes: bytes.length });
        } while (progress.writing);
      };
      await Promise.all([write(), look()]);
      expect((await store.list("a")).map(({ key }) => key)).toEqual([...keys].sort());
    });

    it("concurrent writes of one key leave one of the objects, complete", async () => {
      const store = await makeStore();
      await Promise.all(Array.from({ length: 10 }, (_, i) => store.put("a/b/c", new Uint8Array(50_000).fill(i))));
      const bytes = await store.get("a/b/c");
      expect(bytes).toHaveLength(50_000);
      expect(bytes?.every((byte) => byte === bytes[0])).toBe(true);
      expect(await store.list("a")).toHaveLength(1);
    });

    it("concurrent puts and deletes in one folder all succeed", async () => {
      const store = await makeStore();
      for (let round = 0; round < 20; round++) {
        await store.put(`a/b/${round}`, bytesOf("x"));
        await Promise.all([store.delete(`a/b/${round}`), store.put(`a/b/kept-${round}`, bytesOf("y"))]);
        await store.delete(`a/b/kept-${round}`);
        expect(await store.list("a")).toEqual([]);
      }
    });
  });
}
