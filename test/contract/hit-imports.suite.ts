/** What imports of hits do over stores of any kind: what counts, when it ends to count, and what is refused. */
import { describe, expect, it } from "vitest";
import { UnreadableFile } from "../../src/runtime/imports/files/file.ts";
import type { SecretStore } from "../../src/storage/secret-store.ts";
import { CRAWLS, FIRST, HIT_SOURCE, HITS, openHitImports } from "../support/hit-imports.ts";
import type { Stores } from "../support/mortal-stores.ts";

/** `make`: empty stores. */
export function describeHitImports(name: string, make: () => Promise<[Stores, SecretStore?]>): void {
  describe(`an import of hits ${name}`, () => {
    it("counts from its end on until it is hidden, and leaves nothing when it is deleted", async () => {
      const { imports, records, add, counted, secrets } = await openHitImports(...(await make()));
      const { number } = await add();
      await imports.run(number, HIT_SOURCE);
      expect(records.get(number)).toMatchObject({
        state: "shown",
        rows: HITS + CRAWLS,
        events: HITS,
        firstDay: FIRST,
        lastDay: "2026-01-03",
      });
      expect([await counted(), await secrets.names()]).toEqual([HITS, []]);
      await imports.hide(number);
      expect(await counted()).toBe(0);
      await imports.show(number);
      expect(await counted()).toBe(HITS);
      await imports.end(number);
      await records.remove(number);
      expect([await counted(), records.all]).toEqual([0, []]);
    });

    it("has a number that is not used again", async () => {
      const stores = await make();
      const { imports, records, add } = await openHitImports(...stores);
      const { number } = await add();
      await imports.end(number);
      await records.remove(number);
      expect((await (await openHitImports(...stores)).add()).number).toBe(2);
    });

    it("leaves nothing when it fails", async () => {
      const { imports, records, add, counted, secrets } = await openHitImports(...(await make()));
      const { number } = await add();
      const damaged = async function* () {
        yield* take(HIT_SOURCE.files[0].read(), 3);
        throw new UnreadableFile("It ends too early.");
      };
      const run = imports.run(number, { ...HIT_SOURCE, files: [{ path: "hits.csv", format: "csv", read: damaged }] });
      await expect(run).rejects.toThrow("too early");
      await imports.fail(number, "It ends too early.");
      expect(records.get(number)).toMatchObject({ state: "failed", failure: "It ends too early.", rows: 0, events: 0, outcome: {} });
      expect([await counted(), await secrets.names()]).toEqual([0, []]);
      await expect(imports.run(number, HIT_SOURCE)).rejects.toThrow("Import #1 is failed, and not running");
    });

    it("ends where own events begin", async () => {
      const { imports, records, add, counted } = await openHitImports(...(await make()));
      const record = await add();
      await records.put({ ...record, endMs: Date.parse("2026-01-01T10:00:00Z") });
      await imports.run(record.number, HIT_SOURCE);
      expect(await counted()).toBe(2);
      expect(records.get(record.number)?.outcome).toEqual({
        "2026-01": { imported: { pageviews: 2, events: 0 }, leftOut: { own_day: { pageviews: HITS - 2, events: 0 } } },
      });
    });

    it("goes on in another process", async () => {
      const stores = await make();
      const { imports, add } = await openHitImports(...stores);
      const { number } = await add();
      const damaged = async function* () {
        yield* take(HIT_SOURCE.files[0].read(), 3);
        throw new Error("the file ends too early");
      };
      await expect(imports.run(number, { ...HIT_SOURCE, files: [{ path: "hits.csv", format: "csv", read: damaged }] })).rejects.toThrow(
        "too early",
      );
      const next = await openHitImports(...stores);
      expect([await next.counted(), next.records.get(number)?.rows]).toEqual([0, 6]);
      await next.imports.run(number, HIT_SOURCE);
      expect([await next.counted(), await next.secrets.names()]).toEqual([HITS, []]);
    });
  });
}

async function* take<T>(items: AsyncIterable<T>, count: number): AsyncIterable<T> {
  let taken = 0;
  for await (const item of items) {
    if (taken++ === count) return;
    yield item;
  }
}
