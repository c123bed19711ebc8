/** When objects in workerd wake without a request: only when something is due. */
import { afterAll, describe, expect, it } from "vitest";
import { DAY_MS } from "../../src/storage/event.ts";
import { getMetrics } from "../support/metrics.ts";
import { getStats, record, wireEvent } from "../support/requests.ts";
import { able } from "../support/target.ts";
import { workerdTargets, type WorkerdTarget } from "../support/workerd-target.ts";

const makeTarget = workerdTargets();
afterAll(() => makeTarget.closeAll());

/** Until the jobs of the last requests are done. Objects then wake in an hour or later, if at all. */
async function alarmsAtRest(target: WorkerdTarget): Promise<(number | null)[]> {
  const isAtRest = (ms: number | null) => ms === null || ms > DAY_MS / 24;
  await expect.poll(async () => (await target.alarms()).every(isAtRest), { timeout: 100_000, interval: 500 }).toBe(true);
  return target.alarms();
}

const untilMidnight = (target: WorkerdTarget): number => DAY_MS - (target.nowMs() % DAY_MS);

describe("alarms in workerd", () => {
  it("wake a site with events of today after midnight, the registry at the end of the salt period, and nothing else", async () => {
    const target = await makeTarget({ SVC_FLUSH_INTERVAL_SECS: "1" });
    await record(target, wireEvent("busy.test"));
    await able(target, "flush")();
    expect(await getStats(target, "main", { site_id: "asked.test" })).toMatchObject({ total_events: 0 });
    const [registry, busy, asked] = await alarmsAtRest(target);
    expect(registry).toBeGreaterThan(untilMidnight(target) - 180_000);
    expect(busy).toBeGreaterThan(untilMidnight(target) - 180_000);
    expect(busy).toBeLessThan(untilMidnight(target) + 300_000);
    expect(asked).toBeNull();
    expect(await getMetrics(target)).toMatchObject({ svc_events_ingested_total: 1, svc_buffered_events: 0 });
    await target.close();
  });

  it("wake nothing if a secret is configured and no site has events of today", async () => {
    const target = await makeTarget({ SVC_SECRET: "a secret of at least thirty-two characters", SVC_FLUSH_INTERVAL_SECS: "1" });
    expect(await getStats(target, "main", { site_id: "asked.test" })).toMatchObject({ total_events: 0 });
    expect(await alarmsAtRest(target)).toEqual([null, null]);
    await target.close();
  });

  it("wake a site with retention_days when its oldest day expires", async () => {
    const target = await makeTarget({ SVC_FLUSH_INTERVAL_SECS: "1", SVC_RETENTION_DAYS: "30" });
    await record(target, wireEvent("kept.test"));
    await able(target, "flush")();
    await target.setClockAhead(2 * DAY_MS);
    await getStats(target, "main", { site_id: "kept.test" });
    const [, kept] = await alarmsAtRest(target);
    expect(kept).toBeGreaterThan(28 * DAY_MS);
    expect(kept).toBeLessThan(30 * DAY_MS);
    await target.close();
  });
});
