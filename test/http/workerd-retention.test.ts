/** Retention in workerd, where objects are evicted at any time: a clock jump erases nothing at once, and the delay outlives the object. */
import { afterAll, describe, expect, it } from "vitest";
import { getSites, record, wireEvent } from "../support/requests.ts";
import { able, type Target } from "../support/target.ts";
import { workerdTargets } from "../support/workerd-target.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const makeTarget = workerdTargets();
afterAll(() => makeTarget.closeAll());

const advance = (target: Target, ms: number): Promise<void> => able(target, "advance")(ms);

describe("retention in workerd", () => {
  it("waits an hour after a clock jump, across objects, before it erases", async () => {
    const target = await makeTarget({ SVC_RETENTION_DAYS: "2" });
    await record(target, wireEvent("old.test"));
    await advance(target, 0);
    await advance(target, HOUR_MS);
    await target.setClockAhead(10 * DAY_MS);
    for (let quarter = 0; quarter < 4; quarter++) {
      expect(await getSites(target)).toEqual(["old.test"]);
      await able(target, "restart")();
      await advance(target, HOUR_MS / 4);
    }
    await expect.poll(() => getSites(target)).toEqual([]);
    await target.close();
  });

  it("continues on a steady clock for an object that wakes hourly and is evicted in between", async () => {
    const target = await makeTarget({ SVC_RETENTION_DAYS: "1" });
    await record(target, wireEvent("idle.test"));
    for (let hour = 0; hour < 36; hour++) {
      await advance(target, HOUR_MS);
      if (hour % 6 === 5) await able(target, "restart")();
    }
    await expect.poll(() => getSites(target)).toEqual([]);
    await target.close();
  });
});
