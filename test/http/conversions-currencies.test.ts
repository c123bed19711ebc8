/** The revenue of a goal is listed however many currencies another goal has. */
import { expect, it, onTestFinished } from "vitest";
import { GOALS_MAX } from "../../src/runtime/base/config/admin-limits.ts";
import { REVENUE_ROWS_MAX } from "../../src/runtime/base/config/report-limits.ts";
import { bodyOf, CLOSED, logIn } from "../support/auth-requests.ts";
import { addItem } from "../support/collections.ts";
import { START_MS, createInProcessTarget } from "../support/in-process-target.ts";
import { anEvent, siteId } from "../support/stored-event.ts";

const SITE = "currencies.test";

/** As many as fill the lists of all goals. */
const CURRENCIES = Array.from({ length: REVENUE_ROWS_MAX * GOALS_MAX }, (_, i) => `C${1000 + i}`);

interface Conversion {
  readonly revenue: readonly { readonly currency: string; readonly total: number; readonly transactions: number }[];
}

it("conversions: each goal lists its own largest totals", async () => {
  const target = await createInProcessTarget(CLOSED);
  onTestFinished(() => target.close());
  const headers = await logIn(target);
  const sell = (eventName: string, currency: string, revenueCents: number) =>
    target.services.eventStore.append(anEvent({ siteId: siteId(SITE), timestampMs: START_MS, eventName, currency, revenueCents }));
  for (const currency of CURRENCIES) await sell("junk", currency, 500);
  await sell("sale", "EUR", 299);
  await sell("sale", "USD", 300);
  await sell("sale", "CHF", -100);
  for (const event of ["junk", "sale"]) await addItem(target, "goals", SITE, headers, { name: event, event, revenue: true });
  const [junk, sale] = await bodyOf<Conversion[]>(await target.fetch(`/api/stats/conversions?site_id=${SITE}`, { headers }));
  const row = (currency: string, total: number) => ({ currency, total, transactions: 1 });
  expect(junk?.revenue).toEqual(
    CURRENCIES.toSorted()
      .slice(0, REVENUE_ROWS_MAX)
      .map((currency) => row(currency, 5)),
  );
  expect(sale?.revenue).toEqual([row("USD", 3), row("EUR", 2.99), row("CHF", -1)]);
});
