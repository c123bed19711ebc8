/** Revenue totals that need more events than can be sent over HTTP. */
import { expect, it } from "vitest";
import { REVENUE_CENTS_MAX } from "../../src/runtime/base/config/limits.ts";
import { createInProcessTarget } from "../support/in-process-target.ts";
import { getStatsText } from "../support/stats-requests.ts";
import { anEvent, siteId } from "../support/stored-event.ts";

it("revenue: a total beyond the exact range of a float is exact", async () => {
  const target = await createInProcessTarget();
  const site = "totals.test";
  // 9,011 times 999,999,999,999 hundredths is odd and beyond 2^53: no float is that number.
  const transactions = 9_011;
  const sale = anEvent({
    siteId: siteId(site),
    timestampMs: target.nowMs(),
    eventName: "Purchase",
    revenueCents: REVENUE_CENTS_MAX,
    currency: "EUR",
  });
  await Promise.all(Array.from({ length: transactions }, () => target.services.eventStore.append(sale)));
  const total = "90109999999909.89";
  expect(await getStatsText(target, "revenue", { site_id: site })).toBe(
    `{"by_currency":[{"currency":"EUR","total":${total},"transactions":${transactions},"paying_visitors":1,"average_order_value":9999999999.99}],` +
      `"by_event":[{"value":"Purchase","currency":"EUR","total":${total},"transactions":${transactions}}],` +
      `"by_page":[{"value":"/","currency":"EUR","total":${total},"transactions":${transactions}}]}`,
  );
  await target.close();
});
