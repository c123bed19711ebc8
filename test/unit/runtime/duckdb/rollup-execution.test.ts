/** What reports over rollups read from events besides, with the real engine. */
import { expect, it, onTestFinished } from "vitest";
import { ROLLUP_MEASURE_ROWS_MAX, ROLLUP_CACHE } from "../../../../src/runtime/base/config/report-limits.ts";
import { createInlineRollupCalculator } from "../../../../src/runtime/duckdb/rollups/rollup-calculator.ts";
import { createMemoryObjectStore } from "../../../support/memory-object-store.ts";
import { createInProcessTarget, START_MS } from "../../../support/in-process-target.ts";
import { createEngineShare } from "../../../support/shared-engine.ts";
import { storeDay } from "../../../support/stored-days.ts";
import { siteId } from "../../../support/stored-event.ts";

const SITE = siteId("a.test");
const DAY_MS = 86_400_000;

it("a dimension with very many values is in no rollup, and reports add its values of the days without one", async () => {
  const objects = createMemoryObjectStore();
  const pages = Array.from({ length: ROLLUP_MEASURE_ROWS_MAX + 1 }, (_, i) => ({ pathname: `/${i}` }));
  await storeDay(objects, SITE, START_MS - 2 * DAY_MS, [{ pathname: "/1", visitorId: 2n }]);
  await storeDay(objects, SITE, START_MS - DAY_MS, pages);
  const engine = await createEngineShare();
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
  const report = await target.fetch(`/api/stats/breakdown/pages?site_id=${SITE}&period=7d&limit=2`);
  expect(await report.json()).toEqual([
    { value: "/1", visitors: 2, pageviews: 2, events: 2 },
    { value: "/0", visitors: 1, pageviews: 1, events: 1 },
  ]);
});

it("a report whose rollups never finish ends at its time limit, and frees its slot", async () => {
  const objects = createMemoryObjectStore();
  await storeDay(objects, SITE, START_MS - DAY_MS);
  let isHanging = false;
  const calculator = createInlineRollupCalculator(objects, ROLLUP_CACHE);
  const rows: typeof calculator.rows = (...call) => (isHanging ? new Promise(() => {}) : calculator.rows(...call));
  const environment = { SVC_CACHE_TTL_SECS: "0", SVC_MAX_CONCURRENT_QUERIES: "1", SVC_COMPACT_AFTER_FILES: "0" };
  const target = await createInProcessTarget(environment, { objects, rollupWeightBytesMin: 1, rollupCalculator: { ...calculator, rows } });
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
