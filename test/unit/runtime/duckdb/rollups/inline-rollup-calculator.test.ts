/** The arithmetic of rollups on a store whose reads fail. */
import { expect, it } from "vitest";
import { ROLLUP_CACHE } from "../../../../../src/runtime/base/config/report-limits.ts";
import { createInlineRollupCalculator } from "../../../../../src/runtime/duckdb/rollups/rollup-calculator.ts";
import { fileOf } from "../../../../../src/runtime/duckdb/rollups/rollup-origin.ts";
import { createMemoryObjectStore } from "../../../../support/memory-object-store.ts";
import type { ObjectKey } from "../../../../../src/storage/object-store.ts";
import { encodedRollup, originOf, visitorsOf } from "../../../../support/rollups.ts";

it("a rollup that cannot be read counts as damaged if others can be read; otherwise nothing is known of any", async () => {
  const objects = createMemoryObjectStore();
  const days = ["2026-03-14", "2026-03-15"];
  const keys = days.map((day) => fileOf(originOf(day)).key);
  for (const [i, day] of days.entries()) await objects.put(keys[i] ?? "", await encodedRollup({ pages: visitorsOf({ a: 1 }) }, { day }));
  const failing = new Set<ObjectKey>();
  const get = async (key: ObjectKey) => (failing.has(key) ? Promise.reject(new Error("EIO: i/o error, read")) : objects.get(key));
  const { headers } = createInlineRollupCalculator({ get }, { ...ROLLUP_CACHE, fileBytesMax: 0 });
  const found = async () => (await headers(keys)).map((header) => header?.firstDay ?? null);
  expect(await found()).toEqual(days);
  failing.add(keys[0] ?? "");
  expect(await found()).toEqual([null, "2026-03-15"]);
  failing.add(keys[1] ?? "");
  await expect(found()).rejects.toThrow("EIO");
  failing.clear();
  expect(await found()).toEqual(days);
});
