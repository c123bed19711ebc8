/** Sums of days in backups and for `verify`: nothing else can make them again. */
import { describe, expect, it } from "vitest";
import type { DayRow } from "../../../../src/runtime/imports/rows.ts";
import { backUp } from "../../../../src/runtime/upkeep/backup.ts";
import { verifyData } from "../../../../src/runtime/upkeep/verification.ts";
import type { LocalDate } from "../../../../src/storage/event.ts";
import { HIT_SOURCE, openHitImports } from "../../../support/hit-imports.ts";
import { memoryStores, type Stores } from "../../../support/mortal-stores.ts";

const KEY = "imports/1/days/0.parquet";

const row: DayRow = {
  ...{ kind: "day", line: 1, date: "2026-01-01" as LocalDate, table: "totals", values: {} },
  counts: { visitors: 1, pageviews: 2 },
};

async function* read() {
  yield await Promise.resolve([row]);
}

async function imported(): Promise<Stores> {
  const stores = memoryStores();
  const { imports, add } = await openHitImports(stores);
  const { number } = await add();
  await imports.run(number, { ...HIT_SOURCE, files: [{ path: "days.csv", format: "csv", read }] });
  return stores;
}

const faultsIn = async (stores: Stores) => (await verifyData(stores)).faults;

describe("sums of days", () => {
  it("are copied by a backup, which is sound", async () => {
    const [stores, copy] = [await imported(), memoryStores()];
    await backUp(stores, {
      ...copy,
      async copyObject(key) {
        const bytes = await stores.objects.get(key);
        if (bytes) await copy.objects.put(key, bytes);
        return bytes !== null;
      },
    });
    expect(await copy.objects.get(KEY)).toEqual(await stores.objects.get(KEY));
    expect([await faultsIn(stores), await faultsIn(copy)]).toEqual([[], []]);
  });

  it("are missed, and checked, by verify", async () => {
    const { objects, ...others } = await imported();
    const stores = { objects, ...others };
    const bytes = (await objects.get(KEY)) ?? new Uint8Array();
    await objects.put(
      KEY,
      Uint8Array.from(bytes, (byte, i) => (i === 20 ? byte ^ 1 : byte)),
    );
    expect(await faultsIn(stores)).toMatchObject([{ file: KEY, reason: expect.stringContaining("cannot be read") as unknown }]);
    await objects.delete(KEY);
    expect(await faultsIn(stores)).toMatchObject([{ file: KEY, reason: expect.stringContaining("missing") as unknown }]);
    await objects.put("imports/2/days/0.parquet", bytes);
    expect(await faultsIn(stores)).toContainEqual({
      file: "imports/2/days/0.parquet",
      reason: "its import has no record, so that reports leave it out",
    });
  });
});
