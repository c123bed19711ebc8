/** What reports over rollups read from events besides, with the real engine. */
import { expect, it, onTestFinished } from "vitest";
import { ROLLUP_ADDED_ROWS_MAX, ROLLUP_CACHE } from "../../../../src/runtime/base/config/report-limits.ts";
import { createInlineRollupCalculator } from "../../../../src/runtime/duckdb/rollups/rollup-calculator.ts";
import { rowCountOf, type Columns } from "../../../../src/storage/columns.ts";
import { createMemoryObjectStore } from "../../../support/memory-object-store.ts";
import { createInProcessTarget, START_MS } from "../../../support/in-process-target.ts";
import { createEngineShare } from "../../../support/shared-engine.ts";
import { storeDay } from "../../../support/stored-days.ts";
import { siteId } from "../../../support/stored-event.ts";

const SITE = siteId("a.test");
const DAY_MS = 86_400_000;

/** An engine that tells how many rows left it, at most in one result. */
async function createMeasuredEngine() {
  const engine = await createEngineShare();
  let rowsMax = 0;
  const note = (columns: Columns): Columns => {
    rowsMax = Math.max(rowsMax, rowCountOf(columns));
    return columns;
  };
  return {
    engine: {
      ...engine,
      generation: 0,
      queryColumns: async (...call: Parameters<typeof engine.queryColumns>) => note(await engine.queryColumns(...call)),
    },
    takeRowsMax() {
      const taken = rowsMax;
      rowsMax = 0;
      return taken;
    },
  };
}

it("a dimension with very many values is reported from events, without reading all of them from the engine; making rollups reads none", async () => {
  const objects = createMemoryObjectStore();
  const pages = Array.from({ length: ROLLUP_ADDED_ROWS_MAX + 1000 }, (_, i) => ({ pathname: `/${i}` }));
  await storeDay(objects, SITE, START_MS - 2 * DAY_MS, [{ pathname: "/1" }]);
  await storeDay(objects, SITE, START_MS - DAY_MS, pages);
  const { engine, takeRowsMax } = await createMeasuredEngine();
  onTestFinished(() => engine.close());
  const environment = { SVC_CACHE_TTL_SECS: "0", SVC_COMPACT_AFTER_FILES: "0" };
  const target = await createInProcessTarget(environment, { objects, engine, rollupWeightBytesMin: 1 });
  onTestFinished(() => target.close());
  const { rollups, rollupDays } = target.services;
  do {
    rollups.tick();
    await rollups.settled();
  } while (rollups.isBusy);
  expect(rollupDays.total.stored).toBe(2);
  expect(takeRowsMax()).toBe(0);
  const report = await target.fetch(`/api/stats/breakdown/pages?site_id=${SITE}&period=7d&limit=2`);
  expect(await report.json()).toEqual([
    { value: "/0", visitors: 1, pageviews: 1, events: 1 },
    { value: "/1", visitors: 1, pageviews: 2, events: 2 },
  ]);
  expect(takeRowsMax()).toBe(ROLLUP_ADDED_ROWS_MAX + 1);
});

it("a report whose rollups never finish ends at its time limit, and frees its slot", async () => {
  const objects = createMemoryObjectStore();
  await storeDay(objects, SITE, START_MS - DAY_MS);
  let isHanging = false;
  const calculator = createInlineRollupCalculator(objects, ROLLUP_CACHE);
  const total: typeof calculator.total = (request) => (isHanging ? new Promise(() => {}) : calculator.total(request));
  const environment = { SVC_CACHE_TTL_SECS: "0", SVC_MAX_CONCURRENT_QUERIES: "1", SVC_COMPACT_AFTER_FILES: "0" };
  const target = await createInProcessTarget(environment, { objects, rollupWeightBytesMin: 1, rollupCalculator: { ...calculator, total } });
  onTestFinished(() => target.close());
  const { rollups } = target.services;
  do {
    rollups.tick();
    await rollups.settled();
  } while (rollups.isBusy);
  const path = `/api/stats/main?site_id=${SITE}&period=7d`;
  isHanging = true;
  const asked = target.fetch(path);
  await new Promise((resolve) => setTimeout(resolve, 0));
  await target.advance(31_000);
  expect((await asked).status).toBe(408);
  isHanging = false;
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(await (await target.fetch(path)).json()).toMatchObject({ total_events: 2 });
});
