/** The contract of the record store port. */
import { describe, expect, it } from "vitest";
import type { RecordStore } from "../../src/storage/record-store.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

const textOf = (bytes: Uint8Array | null): string | null => (bytes === null ? null : new TextDecoder().decode(bytes));

/** An empty store, and how the next process opens the same one. */
export interface OpenedRecords {
  readonly store: RecordStore;
  reopen(): Promise<RecordStore>;
}

export function describeRecordStore(title: string, openStore: () => Promise<OpenedRecords>): void {
  describe(`the record store ${title}`, () => {
    it("a new store is empty", async () => {
      const { store } = await openStore();
      expect(await store.read("admin.json")).toBeNull();
      expect(await store.read("keys/a.json")).toBeNull();
      expect(await store.list("")).toEqual([]);
      expect(await store.list("keys/")).toEqual([]);
    });

    it("read returns exactly the bytes that were written, even in the next process", async () => {
      const { store, reopen } = await openStore();
      const bytes = Uint8Array.from({ length: 1024 }, (_, i) => i & 0xff);
      await store.write("admin.json", bytes);
      await store.write("keys/a.json", bytesOf("a part of it").subarray(2, 6));
      await store.write("keys/empty.json", new Uint8Array());
      for (const opened of [store, await reopen()]) {
        expect([...((await opened.read("admin.json")) ?? [])]).toEqual([...bytes]);
        expect(textOf(await opened.read("keys/a.json"))).toBe("part");
        expect(textOf(await opened.read("keys/empty.json"))).toBe("");
      }
    });

    it("write replaces a record completely", async () => {
      const { store, reopen } = await openStore();
      await store.write("admin.json", bytesOf("the first, which is longer"));
      await store.write("admin.json", bytesOf("the second"));
      expect(textOf(await (await reopen()).read("admin.json"))).toBe("the second");
      expect(await store.list("")).toEqual(["admin.json"]);
    });

    it("changing bytes after write or read does not change the record", async () => {
      const { store } = await openStore();
      const given = bytesOf("kept");
      await store.write("admin.json", given);
      given.fill(0);
      (await store.read("admin.json"))?.fill(0);
      expect(textOf(await store.read("admin.json"))).toBe("kept");
    });

    it("concurrent writes of one record leave one of them, complete", async () => {
      const { store } = await openStore();
      const texts = Array.from({ length: 20 }, (_, i) => String(i).repeat(1000));
      await Promise.all(texts.map((text) => store.write("keys/same.json", bytesOf(text))));
      expect(texts).toContain(textOf(await store.read("keys/same.json")));
    });

    it("list returns the names with the prefix, sorted", async () => {
      const { store, reopen } = await openStore();
      for (const name of ["keys/b.json", "admin.json", "keys/a.json", "keys/ab.json", "keys-old/a.json", "keys.json"]) {
        await store.write(name, bytesOf(name));
      }
      for (const opened of [store, await reopen()]) {
        expect(await opened.list("keys/")).toEqual(["keys/a.json", "keys/ab.json", "keys/b.json"]);
        expect(await opened.list("keys/a")).toEqual(["keys/a.json", "keys/ab.json"]);
        expect(await opened.list("keys")).toEqual(["keys-old/a.json", "keys.json", "keys/a.json", "keys/ab.json", "keys/b.json"]);
        expect(await opened.list("admin")).toEqual(["admin.json"]);
        expect(await opened.list("other/")).toEqual([]);
        expect(await opened.list("keys/a.json/")).toEqual([]);
      }
    });

    it("remove deletes a record, and succeeds for an unknown one", async () => {
      const { store, reopen } = await openStore();
      await store.write("keys/a.json", bytesOf("a"));
      await store.write("keys/b.json", bytesOf("b"));
      await store.remove("keys/a.json");
      await store.remove("keys/a.json");
      await store.remove("others/a.json");
      for (const opened of [store, await reopen()]) {
        expect(await opened.read("keys/a.json")).toBeNull();
        expect(await opened.list("")).toEqual(["keys/b.json"]);
      }
      await store.write("keys/a.json", bytesOf("again"));
      expect(textOf(await store.read("keys/a.json"))).toBe("again");
    });

    it.each([
      "",
      "admin",
      "a/b/c.json",
      "/admin.json",
      "../admin.json",
      "keys/../admin.json",
      "keys/.json",
      "keys/A.json",
      "keys//a.json",
      "a b.json",
      "a\0.json",
    ])("rejects the invalid name %j", async (wrong) => {
      const { store } = await openStore();
      await expect(store.read(wrong)).rejects.toThrow("not the name of a record");
      await expect(store.write(wrong, bytesOf("x"))).rejects.toThrow("not the name of a record");
      await expect(store.remove(wrong)).rejects.toThrow("not the name of a record");
    });
  });
}
