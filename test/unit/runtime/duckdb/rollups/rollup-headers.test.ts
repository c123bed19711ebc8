/** The cache of headers: what is read again, and what is not. */
import { describe, expect, it } from "vitest";
import { ROLLUP_HEADERS_CHARS_MAX } from "../../../../../src/runtime/base/config/report-limits.ts";
import { RollupHeaders } from "../../../../../src/runtime/duckdb/rollups/rollup-catalog.ts";
import { createMemoryObjectStore } from "../../../../support/memory-object-store.ts";
import type { RollupOrigin } from "../../../../../src/storage/rollup.ts";
import { jsonRollupBytes, jsonRollups } from "../../../../support/json-rollups.ts";
import { createRecordingLog } from "../../../../support/recording-log.ts";
import { at, SITE } from "../../../../support/rollup-site.ts";

const ORIGIN: RollupOrigin = {
  siteId: SITE,
  firstDay: at(0),
  lastDay: at(1),
  definitions: "1",
  sessionWindowMinutes: 30,
  saltRotationDays: 1,
  arrivals: "",
  events: [],
};

async function openHeaders(keys: readonly string[], definitions = "1") {
  const objects = createMemoryObjectStore();
  for (const key of keys) await objects.put(key, jsonRollupBytes({ ...ORIGIN, definitions }));
  const { calculator, reads } = jsonRollups(objects);
  const log = createRecordingLog();
  const headers = new RollupHeaders(calculator, log);
  return { objects, reads, log, headers, found: async (of: readonly string[]) => [...(await headers.read(of)).keys()] };
}

describe("headers of rollups", () => {
  it("are read once, even by reports that need them at the same time", async () => {
    const { reads, found } = await openHeaders(["a", "b", "c"]);
    expect(await Promise.all([found(["a", "b"]), found(["b", "c"]), found(["a"])])).toEqual([["a", "b"], ["b", "c"], ["a"]]);
    expect(await found(["a", "b", "c"])).toEqual(["a", "b", "c"]);
    expect(reads).toEqual([["a", "b"], ["c"]]);
  });

  it("are left out if they are missing, reported once, and read again only when they are forgotten", async () => {
    const { objects, reads, log, headers, found } = await openHeaders(["a"]);
    expect(await found(["a", "b"])).toEqual(["a"]);
    await objects.put("b", jsonRollupBytes(ORIGIN));
    expect(await found(["a", "b"])).toEqual(["a"]);
    headers.forget(["b"]);
    expect(await found(["a", "b"])).toEqual(["a", "b"]);
    expect(reads).toEqual([["a", "b"], ["b"]]);
    expect(log.lines.map(({ fields }) => fields)).toEqual([{ file: "b" }]);
  });

  it("are read again if they are forgotten while they are read", async () => {
    const { objects, headers, found } = await openHeaders([]);
    const before = found(["a"]);
    await objects.put("a", jsonRollupBytes(ORIGIN));
    headers.forget(["a"]);
    await before;
    expect(await found(["a"])).toEqual(["a"]);
  });

  it("are evicted above a number of characters, the least recently used first", async () => {
    const { reads, found } = await openHeaders(["a", "b", "c"], "x".repeat(ROLLUP_HEADERS_CHARS_MAX * 0.4));
    await found(["a"]);
    await found(["b"]);
    await found(["a"]);
    await found(["c"]);
    await found(["a"]);
    expect(reads).toEqual([["a"], ["b"], ["c"]]);
    await found(["b"]);
    expect(reads.at(-1)).toEqual(["b"]);
  });

  it("are not cached if reading fails", async () => {
    const { reads, found, objects } = await openHeaders(["a"]);
    const { get } = objects;
    objects.get = () => Promise.reject(new Error("no"));
    await expect(found(["a"])).rejects.toThrow("no");
    objects.get = get;
    expect(await found(["a"])).toEqual(["a"]);
    expect(reads).toHaveLength(2);
  });
});
