/** Rollups in workerd: the object makes them in its own isolate and stores them in the bucket, and reports do not change. */
import { randomBytes } from "node:crypto";
import { afterAll, describe, expect, it } from "vitest";
import { DAY_MS, utcDateOf } from "../../src/storage/event.ts";
import { getMetricFamilies, getMetrics } from "../support/metrics.ts";
import { getStats, record, wireEvent } from "../support/requests.ts";
import { able, type Target } from "../support/target.ts";
import { workerdTargets } from "../support/workerd-target.ts";

const MINUTE_MS = 60_000;
const SITE = "rolled.test";

const makeTarget = workerdTargets();
afterAll(() => makeTarget.closeAll());

async function storedDays(target: Target): Promise<string | undefined> {
  const family = (await getMetricFamilies(target)).find(({ name }) => name === "svc_rollup_partitions");
  return family?.metrics.find(({ labels }) => labels?.state === "stored")?.value;
}

describe("rollups in workerd", () => {
  it("are made for a past day once it is flushed, an object that starts later finds them, and reports stay the same", async () => {
    const target = await makeTarget({ SVC_CACHE_TTL_SECS: "0" });
    const today = utcDateOf(target.nowMs());
    const reports = async () => [
      await getStats(target, "main", { site_id: SITE, start_date: today, end_date: today }),
      await getStats(target, "breakdown/pages", { site_id: SITE, start_date: today, end_date: today }),
      await getStats(target, "properties", { site_id: SITE, start_date: today, end_date: today }),
    ];
    for (let i = 0; i < 120; i++) {
      const p = JSON.stringify({ text: randomBytes(1900).toString("hex") });
      await record(target, wireEvent(SITE, { u: `https://${SITE}/${i % 7}`, p }));
    }
    await able(target, "flush")();
    const before = await reports();
    await able(target, "advance")(DAY_MS);
    const makeAll = () =>
      expect
        .poll(
          async () => {
            await able(target, "advance")(MINUTE_MS);
            // Gauges are of objects that have answered since their last alarm.
            await getStats(target, "realtime", { site_id: SITE });
            return storedDays(target);
          },
          { timeout: 30_000, interval: 200 },
        )
        .toBe("1");
    await makeAll();
    expect(await getMetrics(target)).toMatchObject({ svc_rollups_made_total: 1, svc_rollup_failures_total: 0 });
    expect(await reports()).toEqual(before);
    // The next day after an event is due, so that the object wakes then. A day with one event gets no rollup of its own.
    await record(target, wireEvent(SITE));
    await able(target, "flush")();
    await able(target, "restart")();
    await able(target, "advance")(DAY_MS);
    await makeAll();
    expect(await getMetrics(target)).toMatchObject({ svc_rollups_made_total: 0, svc_rollup_failures_total: 0 });
    expect(await reports()).toEqual(before);
    await target.close();
  });
});
