/** Properties that exceed the memory limit affect only the reports of properties. */
import { describe, expect, it, onTestFinished } from "vitest";
import { createDuckdbEngine } from "../../adapters/node/threads/duckdb-instance.ts";
import type { LocalDate, StoredEvent } from "../../src/storage/event.ts";
import { engineModule } from "../support/engine-module.ts";
import { shareOf } from "../../adapters/workerd/shared-engine.ts";
import { START_MS, createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { getStats, post, wireEvent, type StatsParameters } from "../support/requests.ts";
import { FILTERED_ENDPOINTS, askStats } from "../support/stats-requests.ts";
import { anEvent, siteId } from "../support/stored-event.ts";

const SITE = "properties.test";
const DAY_MS = 86_400_000;

const dayAt = (daysBack: number): string => new Date(START_MS - daysBack * DAY_MS).toISOString().slice(0, 10);
const onDay = (daysBack: number): StatsParameters => ({ start_date: dayAt(daysBack), end_date: dayAt(daysBack) });
const TODAY = onDay(0);

async function createTarget(engineMemoryMb: number): Promise<InProcessTarget> {
  // No other target is in the way of its memory, and a restart drops what it holds.
  const engine = shareOf(await createDuckdbEngine(await engineModule()));
  const target = await createInProcessTarget({}, { engine, engineMemoryMb });
  onTestFinished(() => target.close());
  return target;
}

/** So many events of a day, each of a visitor of its own, with the props that are given. */
async function store(target: InProcessTarget, daysBack: number, count: number, props: (i: number) => string | null): Promise<void> {
  const events: StoredEvent[] = Array.from({ length: count }, (_, i) =>
    anEvent({
      siteId: siteId(SITE),
      timestampMs: START_MS - daysBack * DAY_MS - i,
      visitorId: BigInt(daysBack * 100_000 + i),
      pathname: "/",
      props: props(i),
    }),
  );
  await Promise.all(events.map((event) => target.services.eventStore.append(event)));
}

/** 330 keys that no other event has, as long as an event's properties may be. */
const newKeys = (i: number): string =>
  JSON.stringify(Object.fromEntries(Array.from({ length: 330 }, (_, k) => [`${i.toString(36)}_${k}`, 1])));

/** As long as properties may be, and unlike all others. */
const longProps = (i: number): string => JSON.stringify({ plan: i % 2 === 0 ? "pro" : "free", id: `${i}-`.padEnd(4_000, "x") });

const KEY = { key: "plan" };
const ask = (target: InProcessTarget, endpoint: string, parameters: StatsParameters) =>
  askStats(target, endpoint, { site_id: SITE, ...parameters });

/** Every report that does not look into properties. */
async function expectOtherReports(target: InProcessTarget, range: StatsParameters, visitors: number): Promise<void> {
  const others = FILTERED_ENDPOINTS.filter(([endpoint]) => !endpoint.startsWith("propert"));
  for (const [endpoint, parameters] of others) {
    const response = await ask(target, endpoint, { ...parameters, ...range });
    expect({ endpoint, status: response.status, body: response.status === 200 ? "" : await response.text() }).toEqual({
      endpoint,
      status: 200,
      body: "",
    });
  }
  expect(await getStats(target, "main", { site_id: SITE, ...range })).toMatchObject({ unique_visitors: visitors, total_events: visitors });
  expect(await getStats(target, "breakdown/pages", { site_id: SITE, ...range })).toEqual([
    { value: "/", visitors, pageviews: visitors, events: visitors },
  ]);
}

/** The answer, or that the properties are too many: nothing else is allowed. */
async function propertyReport(target: InProcessTarget, endpoint: string, parameters: StatsParameters): Promise<unknown> {
  const response = await ask(target, endpoint, parameters);
  if (response.status === 200) return response.json();
  expect({ status: response.status, body: await response.json() }).toEqual({
    status: 503,
    body: {
      error:
        "The properties of this range's events need more memory than reports of properties may take. Try a shorter range, or set a larger engine_memory_mb.",
    },
  });
  return "too many";
}

describe("properties that exceed the memory limit", () => {
  it("do not affect other reports of the day, with 400 events of 330 new keys each", async () => {
    const target = await createTarget(8);
    await store(target, 0, 400, newKeys);
    await expectOtherReports(target, TODAY, 400);
    expect(await propertyReport(target, "properties", TODAY)).toBe("too many");
    expect(await propertyReport(target, "property-values", { ...TODAY, key: "7_7" })).toEqual([{ value: "1", visitors: 1, events: 1 }]);
    await target.flush();
    await expectOtherReports(target, TODAY, 400);
    expect(await propertyReport(target, "property-values", { ...TODAY, key: "7_7" })).toEqual([{ value: "1", visitors: 1, events: 1 }]);
    expect((await ask(target, "export", { ...TODAY, kind: "raw" })).status).toBe(200);
    await expectOtherReports(target, TODAY, 400);
    await target.restart();
    await expectOtherReports(target, TODAY, 400);
  });

  it("do not affect other reports, buffered or in files, with 5,000 events of 4 KB each, and events are accepted", async () => {
    const target = await createTarget(8);
    await store(target, 1, 50, (i) => JSON.stringify({ plan: i % 5 === 0 ? "pro" : "free" }));
    await store(target, 0, 5_000, longProps);
    for (const where of ["journal", "files"]) {
      if (where === "files") await target.flush();
      await expectOtherReports(target, TODAY, 5_000);
      expect(await propertyReport(target, "property-values", { ...TODAY, ...KEY })).toBe("too many");
      expect(await propertyReport(target, "properties", TODAY)).toBe("too many");
      expect((await ask(target, "export", { ...TODAY, kind: "raw" })).status).toBe(503);
      expect((await post(target, wireEvent("other.test"))).status).toBe(202);
      // A range of which a day is too large is, too; the other days are not.
      expect(await propertyReport(target, "property-values", { period: "7d", ...KEY })).toBe("too many");
      expect(await propertyReport(target, "property-values", { ...onDay(1), ...KEY })).toEqual([
        { value: "free", visitors: 40, events: 40 },
        { value: "pro", visitors: 10, events: 10 },
      ]);
      expect(await propertyReport(target, "properties", onDay(1))).toEqual(["plan"]);
      await expectOtherReports(target, { period: "7d" }, 5_050);
      expect(target.services.queryEngine.state.memoryBytes).toBeLessThan(8 * 1024 * 1024);
    }
  });

  it("are reported exactly if memory suffices, even after they were evicted", async () => {
    const target = await createTarget(128);
    for (const daysBack of [0, 1, 2]) await store(target, daysBack, 3_000, longProps);
    await target.flush();
    await expectOtherReports(target, { period: "7d" }, 9_000);
    for (const range of [{ period: "7d" }, onDay(1), { period: "7d" }]) {
      const [pro, free] = (await propertyReport(target, "property-values", { ...range, ...KEY })) as { events: number }[];
      expect([pro?.events, free?.events]).toEqual("period" in range ? [4_500, 4_500] : [1_500, 1_500]);
    }
    expect(await propertyReport(target, "properties", { period: "7d" })).toEqual(["id", "plan"]);
    // All days have more text than an export may hold.
    for (const daysBack of [0, 1, 2]) {
      const response = await ask(target, "export", { ...onDay(daysBack), kind: "raw", format: "json" });
      expect(await response.json()).toHaveLength(3_000);
    }
  });

  it("disappear from reports and memory with their erased days", async () => {
    const target = await createTarget(8);
    await store(target, 1, 2_000, longProps);
    await store(target, 0, 10, () => '{"plan":"pro"}');
    expect(await propertyReport(target, "properties", { period: "7d" })).toBe("too many");
    await target.services.erasure.erase(siteId(SITE), dayAt(1) as LocalDate, dayAt(1) as LocalDate);
    expect(await propertyReport(target, "properties", { period: "7d" })).toEqual(["plan"]);
    await expectOtherReports(target, { period: "7d" }, 10);
  });
});
