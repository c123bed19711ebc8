/** Rollups of a site whose rules about sources and channels change: reports are right at once, and use rollups as far as they can. */
import { expect, it } from "vitest";
import { ROLLUP_CACHE } from "../../src/runtime/base/config/report-limits.ts";
import { createInlineRollupCalculator } from "../../src/runtime/duckdb/rollups/rollup-calculator.ts";
import { DAY_MS } from "../../src/storage/event.ts";
import { bodyOf, CLOSED, logIn } from "../support/auth-requests.ts";
import { makeDueRollups } from "../support/due-rollups.ts";
import { createInProcessTarget } from "../support/in-process-target.ts";
import { createMemoryObjectStore } from "../support/memory-object-store.ts";
import { record, wireEvent } from "../support/requests.ts";
import { visitor } from "../support/stats-requests.ts";

const SITE = "rules.test";

it("after a change of rules, reports by channel read events until the rollups are made again, and all others use the earlier ones", async () => {
  const objects = createMemoryObjectStore();
  const calculator = createInlineRollupCalculator(objects, ROLLUP_CACHE);
  const fromRollups = new Set<string>();
  const target = await createInProcessTarget(
    { ...CLOSED, SVC_TRUST_PROXY: "1", SVC_CACHE_TTL_SECS: "0" },
    {
      objects,
      rollupWeightBytesMin: 0,
      rollupCalculator: {
        ...calculator,
        rows(measure, rollups) {
          if (rollups.length > 0) fromRollups.add(measure);
          return calculator.rows(measure, rollups);
        },
      },
    },
  );
  for (const [i, r] of ["https://partner.example/", "https://partner.example/", "https://www.google.com/"].entries()) {
    await record(target, wireEvent(SITE, { u: "/", r }), visitor(i));
  }
  await target.advance(DAY_MS);
  await target.flush();
  await makeDueRollups(target);
  const headers = await logIn(target);

  const ask = async (report: string) => {
    fromRollups.clear();
    const body = await bodyOf<unknown>(await target.fetch(`/api/stats/${report}?site_id=${SITE}&period=7d`, { headers }));
    return { body, measures: [...fromRollups] };
  };
  const channels = (...rows: readonly (readonly [value: string, visitors: number])[]) =>
    rows.map(([value, visitors]) => ({ value, visitors, pageviews: visitors, events: visitors }));

  const byName = channels(["Referral", 2], ["Organic Search", 1]);
  expect(await ask("breakdown/visit-channels")).toEqual({ body: byName, measures: ["visit-channels"] });

  const settings = { channel_rules: [{ channel: "Affiliates", referrer: ["partner.example"] }] };
  const changed = await target.fetch(`/api/sites/${SITE}`, { method: "PUT", headers, body: JSON.stringify(settings) });
  expect(changed.status).toBe(200);
  const byRule = channels(["Affiliates", 2], ["Organic Search", 1]);
  expect(await ask("breakdown/visit-channels")).toEqual({ body: byRule, measures: [] });
  expect((await ask("breakdown/pages")).measures).toEqual(["pages"]);
  expect((await ask("breakdown/visit-utm-sources")).measures).toEqual(["visit-utm-sources"]);

  await makeDueRollups(target);
  expect(await ask("breakdown/visit-channels")).toEqual({ body: byRule, measures: ["visit-channels"] });
  await target.close();
});
