/** Responses when a part of the service fails, with parts that fail on demand. */
import { describe, expect, it, onTestFinished } from "vitest";
import { EngineLostError, type Engine } from "../../src/runtime/duckdb/engine.ts";
import { createMemoryRecordStore } from "../support/memory-record-store.ts";
import { createMemorySegmentLog } from "../support/memory-segment-log.ts";
import type { RecordStore } from "../../src/storage/record-store.ts";
import { CLOSED, logIn } from "../support/auth-requests.ts";
import { addItem, listItems } from "../support/collections.ts";
import { createInProcessTarget, type InProcessParts, type InProcessTarget } from "../support/in-process-target.ts";
import {
  browserHeaders,
  expectAccepted,
  expectError,
  getMain,
  getPixel,
  post,
  postBody,
  putSettings,
  wireEvent,
} from "../support/requests.ts";
import { createEngineShare } from "../support/shared-engine.ts";
import type { Environment } from "../support/target.ts";

const SITE = "failures.test";

/** Reports run in the engine, also over days without events. */
const READS_EVENTS: Environment = { SVC_ROLLUPS: "false" };

async function createTarget(environment: Environment = {}, parts: InProcessParts = {}): Promise<InProcessTarget> {
  const target = await createInProcessTarget({ ...READS_EVENTS, ...environment }, parts);
  onTestFinished(() => target.close());
  return target;
}

/** An engine whose queries meet what the test sets before they are run. */
async function fragileEngine(): Promise<{ engine: Engine; failNext(...errors: Error[]): void; failAlways(error: Error): void }> {
  const share = await createEngineShare();
  const errors: Error[] = [];
  let always: Error | null = null;
  const meet = <T>(run: () => Promise<T>): Promise<T> => {
    const error = always ?? errors.shift();
    return error ? Promise.reject(error) : run();
  };
  return {
    engine: {
      append: (block, source) => share.append(block, source),
      addColumns: (block, columns, files) => share.addColumns(block, columns, files),
      dropProps: (blocks) => share.dropProps(blocks),
      propsTexts: (site, numbers) => share.propsTexts(site, numbers),
      drop: (blocks) => share.drop(blocks),
      query: (query, signal) => meet(() => share.query(query, signal)),
      queryColumns: (query, signal) => meet(() => share.queryColumns(query, signal)),
      behavioralFailure: () => share.behavioralFailure(),
      close: () => share.close(),
    },
    failNext: (...next) => errors.push(...next),
    failAlways: (error) => {
      always = error;
    },
  };
}

/** Records of which those that begin with `failing` cannot be removed. */
function fragileRecords(): { records: RecordStore; failing: string | null } {
  const records = createMemoryRecordStore();
  const fragile = {
    failing: null as string | null,
    records: {
      ...records,
      async remove(name: string) {
        if (fragile.failing !== null && name.startsWith(fragile.failing)) throw new Error("the disk is full");
        await records.remove(name);
      },
    },
  };
  return fragile;
}

describe("internal failures", () => {
  it("settings and items of a site that cannot all be deleted are found again when the deletion is repeated", async () => {
    const fragile = fragileRecords();
    const target = await createTarget(CLOSED, fragile);
    const headers = await logIn(target);
    const goals = async () => (await listItems(target, "goals", SITE, headers)).length;
    const deleteSite = () => target.fetch(`/api/sites/${SITE}`, { method: "DELETE", headers });
    await putSettings(target, SITE, { name: "A" }, headers);
    await addItem(target, "goals", SITE, headers, { name: "Docs", page: "/docs" });
    fragile.failing = "sites/";
    await expectError(await deleteSite(), 503);
    expect(await goals()).toBe(1);
    fragile.failing = "goals/";
    await expectError(await deleteSite(), 503, "in part", "Repeat");
    expect(await goals()).toBe(1);
    fragile.failing = null;
    expect((await deleteSite()).status).toBe(200);
    expect(await goals()).toBe(0);
    await expectError(await deleteSite(), 404, "no settings");
  });

  it("/health/ready gives 503 in plain text while the engine does not respond, and /health stays ok", async () => {
    const { engine, failAlways } = await fragileEngine();
    const target = await createTarget({}, { engine });
    await expectAccepted(await post(target, wireEvent(SITE)));
    failAlways(new Error("gone"));
    const response = await target.fetch("/health/ready");
    expect({ status: response.status, body: await response.text() }).toEqual({ status: 503, body: "database not ready" });
    expect(response.headers.get("content-type")).toMatch(/^text\/plain\b/);
    expect(await (await target.fetch("/health")).text()).toBe("ok");
    await expectAccepted(await post(target, wireEvent(SITE)));
  });

  it("a failed query gives 500 with a fixed message; the log has the reason and the request id", async () => {
    const { engine, failAlways } = await fragileEngine();
    const target = await createTarget({}, { engine });
    await expectAccepted(await post(target, wireEvent(SITE)));
    failAlways(new Error("secret detail"));
    const response = await target.fetch(`/api/stats/main?site_id=${SITE}`);
    const requestId = response.headers.get("x-request-id");
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ error: "Internal error. The server's log tells more under this request's id." });
    expect(target.log.lines).toContainEqual({
      level: "error",
      message: expect.any(String) as unknown,
      fields: { requestId, reason: "secret detail" },
    });
  });

  it("a query whose engine is lost is retried once", async () => {
    const { engine, failNext } = await fragileEngine();
    const target = await createTarget({}, { engine });
    await expectAccepted(await post(target, wireEvent(SITE)));
    failNext(new EngineLostError("lost"));
    expect((await getMain(target, SITE)).total_events).toBe(1);
  });

  it("a query whose engine is lost again gives 503, and later ones work", async () => {
    const { engine, failNext } = await fragileEngine();
    const target = await createTarget({}, { engine });
    await expectAccepted(await post(target, wireEvent(SITE)));
    failNext(new EngineLostError("lost"), new EngineLostError("lost again"));
    const response = await target.fetch(`/api/stats/main?site_id=${SITE}`);
    expect(response.headers.get("retry-after")).toBe("10");
    await expectError(response, 503, "engine failed");
    expect((await getMain(target, SITE)).total_events).toBe(1);
  });

  /** A target whose journal takes nothing while `isFull` says so. */
  const withJournal = (isFull: () => boolean) => {
    const log = createMemorySegmentLog();
    return createTarget(
      {},
      {
        segmentLog: {
          ...log,
          append: (segment, bytes) => (isFull() ? Promise.reject(new Error("disk full")) : log.append(segment, bytes)),
        },
      },
    );
  };

  const storable = async (target: InProcessTarget): Promise<string | undefined> =>
    /^svc_ingest_available (\d)$/m.exec(await (await target.fetch("/metrics")).text())?.[1];

  it("an event that cannot be journaled gives 503 with Retry-After and is not counted, and the next one is", async () => {
    let isFull = true;
    const target = await withJournal(() => isFull);
    expect(await storable(target)).toBe("1");
    const response = await post(target, wireEvent(SITE), { origin: "https://page.test" });
    expect(response.headers.get("access-control-allow-origin")).toBe("https://page.test");
    expect(response.headers.get("retry-after")).toBe("10");
    await expectError(response, 503, "The service cannot store events at the moment. Try again later.");
    await expectError(await getPixel(target, { d: SITE, u: "/" }), 503, "cannot store events");
    expect([await storable(target), target.services.counters.eventsIngested]).toEqual(["0", 0]);
    isFull = false;
    await target.advance(1_000);
    await expectAccepted(await post(target, wireEvent(SITE)));
    expect([await storable(target), target.services.counters.eventsRefused]).toEqual(["1", 2]);
    expect((await getMain(target, SITE)).total_events).toBe(1);
  });

  it("journal failures are logged once a minute, not per event, and so is recovery", async () => {
    let isFull = true;
    const target = await withJournal(() => isFull);
    for (let i = 0; i < 5; i++) await post(target, wireEvent(SITE));
    await target.advance(60_000);
    for (let i = 0; i < 5; i++) await post(target, wireEvent(SITE));
    // Now and then one is taken meanwhile, which is not the end of it.
    isFull = false;
    await expectAccepted(await post(target, wireEvent(SITE)));
    isFull = true;
    await post(target, wireEvent(SITE));
    isFull = false;
    await target.advance(1_000);
    for (let i = 0; i < 5; i++) await post(target, wireEvent(SITE));
    expect(target.log.lines.map(({ level, fields }) => [level, fields["refusedEvents"], fields["reason"]])).toEqual([
      ["error", 1, "disk full"],
      ["error", 6, "disk full"],
      ["info", 11, undefined],
    ]);
  });
});

describe("the request timeout", () => {
  /** A body that never ends. */
  const unfinished = (): ReadableStream<Uint8Array> => new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) });

  it("a request that takes 30 seconds gives 408, one that takes less does not", async () => {
    const target = await createTarget();
    const answer = target.fetch("/api/event", {
      method: "POST",
      headers: browserHeaders({ origin: "https://page.test" }),
      body: unfinished(),
      duplex: "half",
    });
    let answered = false;
    void answer.then(() => {
      answered = true;
    });
    await target.advance(29_999);
    expect(answered).toBe(false);
    await target.advance(1);
    const response = await answer;
    expect(response.headers.get("connection")).toBe("close");
    expect(response.headers.get("access-control-allow-origin")).toBe("https://page.test");
    await expectError(response, 408, "The request exceeded the limit of 30 seconds");
  });

  it("a query that exceeds the timeout is aborted", async () => {
    const { engine } = await fragileEngine();
    let signalled: AbortSignal | undefined;
    const target = await createTarget(
      { SVC_REQUEST_TIMEOUT_SECS: "5" },
      {
        engine: {
          ...engine,
          query: (_query, signal) =>
            new Promise((_, reject) => {
              signalled = signal;
              signal.addEventListener("abort", () => reject(signal.reason as Error));
            }),
        },
      },
    );
    const answer = target.fetch(`/api/stats/main?site_id=${SITE}`);
    await target.advance(5_000);
    await expectError(await answer, 408, "The request exceeded the limit of 5 seconds");
    expect(signalled?.aborted ?? true).toBe(true);
  });
});

describe("an incorrect Content-Length on a host that does not enforce it:", () => {
  it("a body longer than declared is refused beyond 64 KB, counted in bytes", async () => {
    const target = await createTarget();
    const body = `{"filler":"${"\u00fc".repeat(40_000)}"}`;
    expect(body.length).toBeLessThan(65_536);
    await expectError(await postBody(target, body, { "content-length": "10" }), 413, /body/, "65536");
  });

  it("a length of more than 64 KB is refused whatever the body", async () => {
    const target = await createTarget();
    await expectError(await postBody(target, JSON.stringify(wireEvent(SITE)), { "content-length": "65537" }), 413);
  });

  it("a length that is not a number is ignored", async () => {
    const target = await createTarget();
    await expectAccepted(await postBody(target, JSON.stringify(wireEvent(SITE)), { "content-length": "many" }));
  });
});
