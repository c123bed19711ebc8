/** How reports fail when ClickHouse does, and what a real server reads for them. */
import { describe, expect, it, onTestFinished } from "vitest";
import { connectClickhouse } from "../../adapters/clickhouse-connection.ts";
import { GOALS_OF_QUERY_MAX } from "../../src/runtime/base/config/admin-limits.ts";
import type { ConnectClickhouse } from "../../src/runtime/clickhouse/connection.ts";
import { bodyOf, CLOSED, logIn } from "../support/auth-requests.ts";
import { ONLY_THE_FRONT, clickhouseOfFile } from "../support/clickhouse-server.ts";
import { createClickhouseTarget } from "../support/clickhouse-target.ts";
import { addItem } from "../support/collections.ts";
import { expectAccepted, post, wireEvent } from "../support/requests.ts";
import { START_MS } from "../support/in-process-target.ts";
import { anEvent, siteId } from "../support/stored-event.ts";
import { skippedFor } from "../support/skipped.ts";

const SITE = "backend.test";
const TIMEOUT_SECS = 60;
const REPORT = `/api/stats/breakdown/pages?site_id=${SITE}`;
/** In the statement of every report. */
const MATCH = "totals AS";

const clickhouse = clickhouseOfFile();

/** A service whose server has an event. */
async function targetWithEvent() {
  const target = await createClickhouseTarget(clickhouse(), { SVC_REQUEST_TIMEOUT_SECS: String(TIMEOUT_SECS) });
  await expectAccepted(await post(target, wireEvent(SITE)));
  expect((await target.fetch(REPORT)).status).toBe(200);
  return target;
}

const FAILURES = [
  [{ kind: "error", code: 159 }, 408, `exceeded the limit of ${TIMEOUT_SECS} seconds`],
  [{ kind: "error", code: 241 }, 503, "too little memory"],
  [{ kind: "error", code: 396 }, 400, "takes too much memory"],
  [{ kind: "error", code: 47 }, 503, "has refused a statement"],
  [{ kind: "refuse" }, 503, "cannot be reached"],
  [{ kind: "drop" }, 503, "cannot be reached"],
] as const;

describe("a report over ClickHouse", () => {
  it.each(FAILURES)(
    "with %j is a %i with a reason, and the next one succeeds",
    skippedFor(ONLY_THE_FRONT),
    async (failure, status, reason) => {
      const target = await targetWithEvent();
      await clickhouse().fail({ ...failure, match: MATCH });
      const response = await target.fetch(REPORT);
      expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(reason) as string]);
      expect((await target.fetch(REPORT)).status).toBe(200);
      await target.close();
    },
  );

  it("a statement that exceeds the deadline is a 408, and the next report succeeds", skippedFor(ONLY_THE_FRONT), async () => {
    const target = await targetWithEvent();
    await clickhouse().fail({ kind: "delay", ms: 3_000, match: MATCH });
    const asked = target.fetch(REPORT);
    await new Promise((resolve) => setImmediate(resolve));
    await target.advance?.((TIMEOUT_SECS + 1) * 1000);
    expect((await asked).status).toBe(408);
    expect((await target.fetch(REPORT)).status).toBe(200);
    await target.close();
  });
});

describe("reports while ClickHouse hangs", () => {
  it(
    "answer 503 before their own limit, at once after the first, and contain every event once it responds again",
    skippedFor(ONLY_THE_FRONT),
    async () => {
      const target = await targetWithEvent();
      onTestFinished(() => target.close());
      onTestFinished(() => clickhouse().thaw());
      await expectAccepted(await post(target, wireEvent(SITE)));
      clickhouse().freeze();
      // The clock of the target stands still, so nothing here ends by its own limit.
      const waiting = await Promise.all(Array.from({ length: 5 }, () => target.fetch(REPORT)));
      const refused: Response[] = [];
      for (let i = 0; i < 20; i++) refused.push(await target.fetch(REPORT));
      for (const response of [...waiting, ...refused]) {
        expect([response.status, response.headers.get("retry-after")]).toEqual([503, "10"]);
        expect(await bodyOf(response, 503)).toEqual({ error: "ClickHouse cannot be reached. Try again later." });
      }
      expect(target.log.lines.filter(({ message }) => message === "a request failed")).toHaveLength(1);
      clickhouse().thaw();
      await expect.poll(async () => (await target.fetch(REPORT)).status, { interval: 50 }).toBe(200);
      const { total_events: events } = await bodyOf<{ total_events: number }>(await target.fetch(`/api/stats/main?site_id=${SITE}`));
      expect(events).toBe(2);
    },
  );
});

describe("period=all", () => {
  const ALL = `/api/stats/timeseries?site_id=${SITE}&period=all`;
  const FIRST_DAY = "min(day) AS first_day";

  it("is refused like any report while the server cannot return the first date", skippedFor(ONLY_THE_FRONT), async () => {
    const target = await targetWithEvent();
    await clickhouse().fail({ kind: "drop", match: FIRST_DAY });
    const response = await target.fetch(ALL);
    expect([response.status, await response.text()]).toEqual([503, expect.stringContaining("cannot be reached") as string]);
    expect((await target.fetch(ALL)).status).toBe(200);
    await target.close();
  });

  it("begins with the first event of all nodes, which is queried once while results are cached", async () => {
    let asked = 0;
    const connection: ConnectClickhouse = (options) => {
      const connected = connectClickhouse(options);
      return {
        rows(statement, signal) {
          if (statement.sql.includes(FIRST_DAY)) asked++;
          return connected.rows(statement, signal);
        },
        execute: (statement, signal) => connected.execute(statement, signal),
        insert: (statement, data, signal) => connected.insert(statement, data, signal),
        responds: (timeoutMs) => connected.responds(timeoutMs),
      };
    };
    const target = await createClickhouseTarget(clickhouse(), { SVC_CACHE_TTL_SECS: "30" }, { connectClickhouse: connection });
    onTestFinished(() => target.close());
    await target.services.eventStore.append(anEvent({ siteId: siteId(SITE), timestampMs: START_MS - 3 * 86_400_000 }));
    for (const report of ["main", "timeseries", "breakdown/pages"]) {
      expect((await target.fetch(`/api/stats/${report}?site_id=${SITE}&period=all`)).status).toBe(200);
    }
    expect(asked).toBe(1);
    const series = await bodyOf<readonly unknown[]>(await target.fetch(ALL));
    expect(series.length).toBe(4);
  });
});

it("goals with properties are counted in a range that is filtered by goals", async () => {
  const target = await createClickhouseTarget(clickhouse(), { ...CLOSED, SVC_REQUEST_TIMEOUT_SECS: "240" });
  onTestFinished(() => target.close());
  const headers = await logIn(target);
  const properties = Array.from({ length: GOALS_OF_QUERY_MAX }, (_, i) => ({ key: `key ${i}`, value: `value ${i}` }));
  const p = JSON.stringify(Object.fromEntries(properties.map(({ key, value }) => [key, value])));
  await expectAccepted(await post(target, wireEvent(SITE, { n: "buy", p, ra: 5, rc: "EUR" })));
  for (const property of properties) {
    await addItem(target, "goals", SITE, headers, { name: property.key, event: "buy", property, revenue: true });
  }
  const filters = properties.slice(0, 3).map(({ key }) => `goal==${key}`);
  const query = new URLSearchParams({ site_id: SITE, filters: filters.join(";") });
  const found = await bodyOf<object[]>(await target.fetch(`/api/stats/conversions?${query}`, { headers }));
  const revenue = [{ currency: "EUR", total: 5, transactions: 1 }];
  expect(found).toMatchObject(properties.map(({ key }) => ({ name: key, visitors: 1, events: 1, revenue })));
}, 300_000);
