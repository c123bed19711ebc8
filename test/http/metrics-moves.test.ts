/** Counters of failures and scheduled jobs, and the log of requests. */
import { randomBytes } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { renderMetrics } from "../../src/runtime/base/metrics/metrics.ts";
import { encodeEvents } from "../../src/storage/parquet-events.ts";
import { partitionKey } from "../../src/storage/partitions.ts";
import { createInProcessTarget, START_MS, type InProcessTarget } from "../support/in-process-target.ts";
import { getMetrics, parseMetrics } from "../support/metrics.ts";
import { memoryStores, type Stores } from "../support/mortal-stores.ts";
import { browserHeaders, record, wireEvent } from "../support/requests.ts";
import { anEvent, siteId } from "../support/stored-event.ts";
import type { Environment } from "../support/target.ts";
import { utcDateOf } from "../../src/storage/event.ts";

const SITE = siteId("moves.test");

const DAY_MS = 86_400_000;

/** Stores with a day of ten files, a week ago, whose writes and removals fail while they are told to. */
async function brittleStores(): Promise<{ stores: Stores; fails: { put: boolean; delete: boolean } }> {
  const { objects, ...others } = memoryStores();
  const day = utcDateOf(START_MS - 7 * DAY_MS);
  for (let i = 1; i <= 10; i++) {
    await objects.put(partitionKey(SITE, day, i, i), encodeEvents([anEvent({ siteId: SITE, at: `${day}T10:00:00Z`, pathname: `/${i}` })]));
  }
  const fails = { put: false, delete: false };
  const refuse = () => Promise.reject(new Error("told to fail"));
  return {
    fails,
    stores: {
      ...others,
      objects: {
        ...objects,
        put: (key, bytes) => (fails.put ? refuse() : objects.put(key, bytes)),
        delete: (key) => (fails.delete ? refuse() : objects.delete(key)),
      },
    },
  };
}

async function createTarget(stores: Stores, environment: Environment = {}): Promise<InProcessTarget> {
  const target = await createInProcessTarget(environment, stores);
  onTestFinished(() => target.close());
  return target;
}

async function movesOf(target: InProcessTarget, counter: string, move: () => Promise<unknown>): Promise<number> {
  const before = (await getMetrics(target))[counter] ?? Number.NaN;
  await move();
  return ((await getMetrics(target))[counter] ?? Number.NaN) - before;
}

describe("counters of failures and scheduled jobs:", () => {
  it("svc_flush_failures_total counts failed flushes", async () => {
    const { stores, fails } = await brittleStores();
    const target = await createTarget(stores);
    await record(target, wireEvent(SITE));
    fails.put = true;
    expect(await movesOf(target, "svc_flush_failures_total", () => target.services.flush.run())).toBe(1);
    fails.put = false;
    expect(await movesOf(target, "svc_flush_failures_total", () => target.services.flush.run())).toBe(0);
  });

  it("svc_files_compacted_total and svc_compaction_failures_total count compacted files and failed compactions", async () => {
    const { stores, fails } = await brittleStores();
    const target = await createTarget(stores, { SVC_COMPACT_AFTER_FILES: "2" });
    const compact = () => target.services.compaction.run();
    fails.put = true;
    expect(await movesOf(target, "svc_compaction_failures_total", compact)).toBe(1);
    fails.put = false;
    expect(await movesOf(target, "svc_files_compacted_total", compact)).toBe(10);
  });

  it("svc_rollups_made_total, svc_rollup_failures_total and svc_rollup_seconds_total count rollups, failures and the time they take", async () => {
    const { stores, fails } = await brittleStores();
    const day = utcDateOf(START_MS - 3 * DAY_MS);
    const events = Array.from({ length: 200 }, (_, i) =>
      anEvent({
        siteId: SITE,
        at: `${day}T10:00:00Z`,
        pathname: `/${i}`,
        props: JSON.stringify({ text: randomBytes(1000).toString("hex") }),
      }),
    );
    await stores.objects.put(partitionKey(SITE, day, 1, 1), encodeEvents(events));
    const target = await createTarget(stores, { SVC_COMPACT_AFTER_FILES: "0" });
    const make = async () => {
      await target.advance(60_000);
      await target.services.settled();
    };
    fails.put = true;
    expect(await movesOf(target, "svc_rollup_failures_total", make)).toBe(1);
    fails.put = false;
    expect(await movesOf(target, "svc_rollups_made_total", make)).toBe(1);
    target.services.counters.rollupMs = 1500;
    expect((await getMetrics(target))["svc_rollup_seconds_total"]).toBe(1.5);
  });

  it("svc_retention_failures_total and svc_events_erased_total count failed runs and erased events of retention", async () => {
    const { stores, fails } = await brittleStores();
    const target = await createTarget(stores, { SVC_RETENTION_DAYS: "3" });
    const retain = () => target.services.retention.run();
    fails.delete = true;
    expect(await movesOf(target, "svc_retention_failures_total", retain)).toBe(1);
    fails.delete = false;
    expect(await movesOf(target, "svc_events_erased_total", retain)).toBe(10);
  });
});

describe("the metrics text", () => {
  it("escapes characters that would end a label or a line", () => {
    const label = 'a "quoted" \\ back\nslash';
    const text = renderMetrics([{ name: "m", type: "gauge", help: "One \\ line\nonly.", samples: [{ labels: { label }, value: 1.5 }] }]);
    expect(text.split("\n")).toHaveLength(4);
    expect(parseMetrics(text)).toEqual([
      { name: "m", type: "GAUGE", help: "One \\ line\nonly.", metrics: [{ labels: { label }, value: "1.5" }] },
    ]);
  });
});

describe("the log of a request", () => {
  const ask = (target: InProcessTarget) =>
    target.fetch("/api/stats/breakdown/secret-dimension?site_id=secret.test&filters=secret", {
      headers: browserHeaders({
        "x-forwarded-for": "198.51.100.77",
        cookie: "svc_session=secret",
        authorization: "Bearer secret",
        referer: "https://secret.test/",
      }),
    });

  it("contains at level debug the route, status, duration and id, and nothing that the sender chose", async () => {
    const target = await createInProcessTarget({ SVC_LOG_LEVEL: "debug", SVC_TRUST_PROXY: "1" });
    onTestFinished(() => target.close());
    const response = await ask(target);
    await target.fetch("/secret-path", { method: "POST" });
    const lines = target.log.lines.filter(({ level }) => level === "debug").map(({ fields }) => fields);
    expect(lines).toEqual([
      { requestId: response.headers.get("x-request-id"), route: "GET /api/stats/breakdown/:dimension", status: 400, durationMs: 0 },
      { requestId: expect.any(String) as unknown, route: "none", status: 404, durationMs: 0 },
    ]);
    expect(JSON.stringify(target.log.lines)).not.toMatch(/secret|198\.51/);
  });

  it("is written at the level debug only", async () => {
    const target = await createInProcessTarget();
    onTestFinished(() => target.close());
    await ask(target);
    expect(target.log.lines.filter(({ level }) => level === "debug")).toEqual([]);
  });
});
