/** How many bytes of events may wait for their flush: what is beyond is refused, and what was accepted never is. */
import { describe, expect, it, onTestFinished } from "vitest";
import { createInProcessTarget, type InProcessTarget } from "../../../support/in-process-target.ts";
import { getMetrics } from "../../../support/metrics.ts";
import { memoryStores, type Stores } from "../../../support/mortal-stores.ts";
import { expectAccepted, expectError, getMain, post, record, wireEvent, type WireFields } from "../../../support/requests.ts";
import type { Environment } from "../../../support/target.ts";

const SITE = "bytes.test";

const BOUND = 100_000;

/** About as long as an event gets, most of it in characters of three bytes. */
const longEvent = (): WireFields =>
  wireEvent(SITE, { n: "漢".repeat(256), u: `https://${SITE}/${"p".repeat(2000)}`, p: JSON.stringify({ long: "漢".repeat(4000) }) });

/** Stores that take files only while they are told to. */
function storesWithFiles(): { stores: Stores; files: { areTaken: boolean } } {
  const { objects, ...others } = memoryStores();
  const files = { areTaken: false };
  return {
    files,
    stores: {
      ...others,
      objects: { ...objects, put: (key, bytes) => (files.areTaken ? objects.put(key, bytes) : Promise.reject(new Error("told to fail"))) },
    },
  };
}

async function createTarget(stores: Stores, environment: Environment = {}, unflushedBytesMax = BOUND): Promise<InProcessTarget> {
  const target = await createInProcessTarget(environment, { ...stores, unflushedBytesMax });
  onTestFinished(() => target.close());
  return target;
}

/** Posts until one is refused; how many were not. */
async function postUntilRefused(target: InProcessTarget): Promise<number> {
  for (let accepted = 0; accepted < 100; accepted++) {
    const response = await post(target, longEvent());
    if (response.status === 202) continue;
    expect(response.headers.get("retry-after")).toBe("60");
    await expectError(response, 503, "cannot store events");
    return accepted;
  }
  throw new Error("none is refused");
}

describe("events that wait for a flush", () => {
  it("are limited in bytes: further events get 503 with Retry-After, are counted, and are accepted again after a flush", async () => {
    const { stores, files } = storesWithFiles();
    const target = await createTarget(stores);
    const accepted = await postUntilRefused(target);
    expect(accepted).toBeLessThan(15);
    expect(await getMetrics(target)).toMatchObject({
      svc_buffered_events: accepted,
      svc_buffered_bytes: target.services.eventStore.unflushedBytes,
      svc_ingest_available: 0,
      svc_events_refused_total: 1,
    });
    expect(target.services.eventStore.unflushedBytes).toBeGreaterThanOrEqual(BOUND);
    expect(target.services.eventStore.unflushedBytes).toBeLessThan(BOUND + 20_000);
    files.areTaken = true;
    await target.flush();
    expect((await getMetrics(target))["svc_buffered_bytes"]).toBe(0);
    await expectAccepted(await post(target, longEvent()));
  });

  it("are all replayed after a restart, even above the limit; new events are refused until a flush", async () => {
    const { stores, files } = storesWithFiles();
    const before = await createTarget(stores);
    const accepted = await postUntilRefused(before);
    const after = await createTarget(stores, {}, BOUND / 4);
    expect(after.services.eventStore.unflushedEvents).toBe(accepted);
    await expectError(await post(after, longEvent()), 503, "cannot store events");
    expect((await getMain(after, SITE)).total_events).toBe(accepted);
    files.areTaken = true;
    await after.flush();
    await expectAccepted(await post(after, longEvent()));
    expect((await getMain(after, SITE)).total_events).toBe(accepted + 1);
  });

  it("are flushed at a quarter of the limit, however few they are", async () => {
    const target = await createTarget(memoryStores());
    await record(target, wireEvent(SITE));
    expect(target.services.eventStore.sealedSegments).toHaveLength(0);
    for (let i = 0; i < 4; i++) await record(target, longEvent());
    await target.services.flush.settled();
    expect(target.services.eventStore.unflushedEvents).toBeLessThan(5);
    for (let i = 0; i < 50; i++) {
      await record(target, longEvent());
      await target.services.flush.settled();
    }
    expect((await getMain(target, SITE)).total_events).toBe(55);
  });
});
