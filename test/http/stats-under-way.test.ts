/** Running queries: sharing, slots, disconnects and timeouts, with an engine that a test can pause. */
import { describe, expect, it, onTestFinished } from "vitest";
import type { SiteId } from "../../src/storage/event.ts";
import { CLOSED, logIn } from "../support/auth-requests.ts";
import { createControlledEngine, type ControlledEngine } from "../support/controlled-engine.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { expectAccepted, expectError, getMain, post, record, wireEvent, type StatsParameters } from "../support/requests.ts";
import { FILTERED_ENDPOINTS, askStats } from "../support/stats-requests.ts";
import type { Environment } from "../support/target.ts";

const SITE = "under-way.test";

const TOO_MANY = "Too many statistics queries at the same time. Try again later.";

const SECOND_MS = 1000;

/** Reports of days with events run in the engine. */
const READS_EVENTS: Environment = { SVC_ROLLUPS: "false" };

async function createTarget(environment: Environment = {}): Promise<{ target: InProcessTarget; control: ControlledEngine }> {
  const control = await createControlledEngine();
  const target = await createInProcessTarget({ ...READS_EVENTS, ...environment }, { engine: control.engine });
  onTestFinished(async () => {
    control.release();
    await target.close();
  });
  await record(target, wireEvent(SITE));
  return { target, control };
}

/** Questions that are all different. */
const different = (number: number): StatsParameters => ({ site_id: SITE, filters: `pages!=/${number}` });

const ask = (target: InProcessTarget, number: number): Promise<Response> => askStats(target, "main", different(number));

async function expectTooMany(response: Response): Promise<void> {
  expect({
    status: response.status,
    retryAfter: response.headers.get("retry-after"),
    type: response.headers.get("content-type"),
    body: await response.json(),
  }).toEqual({ status: 429, retryAfter: "1", type: "application/json", body: { error: TOO_MANY } });
}

async function expectSuccess(response: Response): Promise<string> {
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return text;
}

/** A question that the engine is at until the test lets it go on. */
async function holdOne(target: InProcessTarget, control: ControlledEngine): Promise<{ readonly response: Promise<Response> }> {
  control.hold();
  const response = ask(target, 1);
  await control.held(1);
  return { response };
}

interface UnderWay {
  /** Lets the engine go on; every question is answered. */
  end(): Promise<string[]>;
}

/** Asks while the engine is held, until so many queries are at it. */
async function underWay(control: ControlledEngine, queries: number, asked: () => readonly Promise<Response>[]): Promise<UnderWay> {
  control.hold();
  const all = asked();
  await control.held(queries);
  return {
    async end() {
      control.release();
      return Promise.all(all.map(async (response) => expectSuccess(await response)));
    },
  };
}

describe("concurrent identical queries", () => {
  it.each(FILTERED_ENDPOINTS.filter(([endpoint]) => endpoint !== "realtime"))(
    "/api/stats/%s is computed once for all concurrent identical requests",
    async (endpoint, parameters) => {
      const { target, control } = await createTarget({ SVC_CACHE_TTL_SECS: "60" });
      // Another result than that of a single event.
      await record(target, wireEvent(SITE));
      await record(target, wireEvent("other.test"));
      const alone = await expectSuccess(await askStats(target, endpoint, { site_id: "other.test", ...parameters }));
      const queries = control.queryCount;
      const running = await underWay(control, 1, () =>
        Array.from({ length: 20 }, () => askStats(target, endpoint, { site_id: SITE, ...parameters })),
      );
      const texts = await running.end();
      expect(new Set(texts).size).toBe(1);
      expect(texts[0]).not.toBe(endpoint === "main" ? alone : undefined);
      expect(control.queryCount - queries).toBe(queries);
      expect(target.services.counters).toMatchObject({ cacheMisses: 2, cacheHits: 19 });
    },
  );

  it("concurrent identical queries share one computation even if caching is off", async () => {
    const { target, control } = await createTarget({ SVC_CACHE_TTL_SECS: "0" });
    const running = await underWay(control, 1, () => [ask(target, 1), ask(target, 1), ask(target, 1)]);
    await running.end();
    expect(target.services.counters).toMatchObject({ cacheMisses: 1, cacheHits: 2 });
    await expectSuccess(await ask(target, 1));
    expect(target.services.counters).toMatchObject({ cacheMisses: 2, cacheHits: 2 });
  });

  it("the order of conditions does not make queries different", async () => {
    const { target, control } = await createTarget();
    const running = await underWay(control, 1, () =>
      ["pages==/;events==pageview", "events==pageview;pages==/"].map((filters) => askStats(target, "main", { site_id: SITE, filters })),
    );
    await running.end();
    expect(target.services.counters).toMatchObject({ cacheMisses: 1, cacheHits: 1 });
  });

  it("realtime is neither cached nor shared, and counts as neither hit nor miss", async () => {
    const { target, control } = await createTarget({ SVC_CACHE_TTL_SECS: "60" });
    const running = await underWay(control, 2, () => [1, 2].map(() => askStats(target, "realtime", { site_id: SITE })));
    await running.end();
    expect(target.services.counters).toMatchObject({ cacheMisses: 0, cacheHits: 0 });
  });

  it("cached results count as hits, and new or expired ones as misses", async () => {
    const { target } = await createTarget({ SVC_CACHE_TTL_SECS: "60" });
    for (const expected of [
      { cacheMisses: 1, cacheHits: 0 },
      { cacheMisses: 1, cacheHits: 1 },
      { cacheMisses: 1, cacheHits: 2 },
    ]) {
      await expectSuccess(await ask(target, 1));
      expect(target.services.counters).toMatchObject(expected);
    }
    expect(target.services.stats.cachedCount).toBe(1);
    await target.advance(60 * SECOND_MS);
    await expectSuccess(await ask(target, 1));
    expect(target.services.counters).toMatchObject({ cacheMisses: 2, cacheHits: 2 });
    expect(target.services.stats.cachedCount).toBe(1);
  });

  it("the ttl of a result starts when its query starts", async () => {
    const { target, control } = await createTarget({ SVC_CACHE_TTL_SECS: "10" });
    const { response: slow } = await holdOne(target, control);
    await target.advance(9 * SECOND_MS);
    control.release();
    await expectSuccess(await slow);
    await expectSuccess(await ask(target, 1));
    expect(target.services.counters).toMatchObject({ cacheMisses: 1, cacheHits: 1 });
    await target.advance(SECOND_MS);
    await expectSuccess(await ask(target, 1));
    expect(target.services.counters).toMatchObject({ cacheMisses: 2, cacheHits: 1 });
  });

  it("a timeout of the request that computes a shared result does not fail the requests that share it", async () => {
    const { target, control } = await createTarget({ SVC_REQUEST_TIMEOUT_SECS: "30" });
    const { response: first } = await holdOne(target, control);
    await target.advance(29 * SECOND_MS);
    const meanwhile = [ask(target, 1), ask(target, 1)];
    // Once this is answered, those two wait.
    await expectSuccess(await target.fetch("/health"));
    await target.advance(SECOND_MS);
    expect((await first).status).toBe(408);
    const afterwards = ask(target, 1);
    control.release();
    for (const response of [...meanwhile, afterwards]) await expectSuccess(await response);
    // The first was asked in vain, then once for all who were left: two shared the first, then two what one of them began.
    expect(target.services.counters).toMatchObject({ cacheMisses: 2, cacheHits: 4 });
    expect(control.queryCount).toBe(3);
  });

  it("a request that times out gets 408 even if others still wait for the same result", async () => {
    const { target, control } = await createTarget({ SVC_REQUEST_TIMEOUT_SECS: "30" });
    const { response: first } = await holdOne(target, control);
    await target.advance(10 * SECOND_MS);
    const second = ask(target, 1);
    await target.advance(20 * SECOND_MS);
    expect((await first).status).toBe(408);
    await control.held(1);
    const third = ask(target, 1);
    await target.advance(10 * SECOND_MS);
    expect((await second).status).toBe(408);
    await control.held(1);
    control.release();
    await expectSuccess(await third);
  });

  it("a failure is not cached", async () => {
    const { target, control } = await createTarget({ SVC_CACHE_TTL_SECS: "60", SVC_REQUEST_TIMEOUT_SECS: "5" });
    const { response: failing } = await holdOne(target, control);
    await target.advance(5 * SECOND_MS);
    expect((await failing).status).toBe(408);
    control.release();
    await expectSuccess(await ask(target, 1));
    expect(target.services.stats.cachedCount).toBe(1);
  });
});

describe("concurrent queries", () => {
  it.each(FILTERED_ENDPOINTS)(
    "/api/stats/%s beyond max_concurrent_queries gives 429 with Retry-After at once",
    async (endpoint, parameters) => {
      const { target, control } = await createTarget({ SVC_MAX_CONCURRENT_QUERIES: "1" });
      const running = await underWay(control, 1, () => [ask(target, 1)]);
      await expectTooMany(await askStats(target, endpoint, { site_id: SITE, ...parameters }));
      await running.end();
      await expectSuccess(await askStats(target, endpoint, { site_id: SITE, ...parameters }));
    },
  );

  it.each([1, 2, 10])("max_concurrent_queries=%d lets that many run at once, of all endpoints together", async (slots) => {
    const { target, control } = await createTarget({ SVC_MAX_CONCURRENT_QUERIES: String(slots) });
    const running = await underWay(control, slots, () =>
      Array.from({ length: slots }, (_, i) => askStats(target, i % 2 === 0 ? "main" : "goals", different(i))),
    );
    await expectTooMany(await askStats(target, "timeseries", different(0)));
    await expectTooMany(await askStats(target, "realtime", { site_id: "another.test" }));
    await running.end();
    await expectSuccess(await askStats(target, "timeseries", different(0)));
  });

  it("max_concurrent_queries=0 lets any number run", async () => {
    const { target, control } = await createTarget({ SVC_MAX_CONCURRENT_QUERIES: "0" });
    const running = await underWay(control, 50, () => Array.from({ length: 50 }, (_, i) => ask(target, i)));
    await running.end();
  });

  it("cached results take no slot", async () => {
    const { target, control } = await createTarget({ SVC_MAX_CONCURRENT_QUERIES: "1", SVC_CACHE_TTL_SECS: "60" });
    const before = await expectSuccess(await ask(target, 1));
    control.hold();
    const running = ask(target, 2);
    await control.held(1);
    expect(await expectSuccess(await ask(target, 1))).toBe(before);
    await expectTooMany(await ask(target, 3));
    control.release();
    await expectSuccess(await running);
  });

  it("a query that shares a running computation takes no slot", async () => {
    const { target, control } = await createTarget({ SVC_MAX_CONCURRENT_QUERIES: "1" });
    const running = await underWay(control, 1, () => [ask(target, 1), ask(target, 1), ask(target, 1)]);
    await expectTooMany(await ask(target, 2));
    await running.end();
  });

  it("requests with invalid parameters take no slot, and neither do routes other than the stats API", async () => {
    const { target, control } = await createTarget({ SVC_MAX_CONCURRENT_QUERIES: "1" });
    const running = await underWay(control, 1, () => [ask(target, 1)]);
    await expectError(await askStats(target, "main", { site_id: SITE, period: "x" }), 400, '"period"');
    await expectError(await askStats(target, "breakdown/nothing", { site_id: SITE }), 400, "nothing");
    await expectAccepted(await post(target, wireEvent(SITE)));
    for (const path of ["/api/sites", "/health", "/svc.js"]) await expectSuccess(await target.fetch(path));
    await running.end();
  });

  it("a 429 is not shared: the same query succeeds once a slot is free", async () => {
    const { target, control } = await createTarget({ SVC_MAX_CONCURRENT_QUERIES: "1", SVC_CACHE_TTL_SECS: "60" });
    const running = await underWay(control, 1, () => [ask(target, 1)]);
    await expectTooMany(await ask(target, 2));
    await running.end();
    await expectSuccess(await ask(target, 2));
  });

  it("with query_queue_ms queries wait for a slot in order of arrival", async () => {
    const { target, control } = await createTarget({ SVC_MAX_CONCURRENT_QUERIES: "1", SVC_QUERY_QUEUE_MS: "600000" });
    const answered: number[] = [];
    control.hold();
    const running = [1, 2, 3, 4].map(async (number) => {
      await expectSuccess(await ask(target, number));
      answered.push(number);
    });
    await control.held(1);
    expect(answered).toEqual([]);
    control.release();
    await Promise.all(running);
    expect(answered).toEqual([1, 2, 3, 4]);
  });

  it("with query_queue_ms a query that has waited that long gives 429", async () => {
    const { target, control } = await createTarget({ SVC_MAX_CONCURRENT_QUERIES: "1", SVC_QUERY_QUEUE_MS: "1" });
    const running = await underWay(control, 1, () => [ask(target, 1)]);
    await expectTooMany(await ask(target, 2));
    await running.end();
  });
});

describe("a client that disconnects", () => {
  it("ends its query and releases the slot", async () => {
    const { target, control } = await createTarget({ SVC_MAX_CONCURRENT_QUERIES: "1", SVC_QUERY_QUEUE_MS: "600000" });
    control.hold();
    const client = new AbortController();
    const left = target.fetch(`/api/stats/main?site_id=${SITE}`, { signal: client.signal });
    await control.held(1);
    const next = ask(target, 2);
    client.abort();
    await left;
    await control.held(1);
    control.release();
    await expectSuccess(await next);
  });

  it.each([
    ["rule-preview", { filters: "pages==/" }],
    ["channel-preview", { channel_rules: [] }],
  ])("ends the queries of a %s, which changes nothing", async (preview, body) => {
    const { target, control } = await createTarget({ ...CLOSED, SVC_MAX_CONCURRENT_QUERIES: "1", SVC_QUERY_QUEUE_MS: "600000" });
    const headers = await logIn(target);
    control.hold();
    const client = new AbortController();
    const init = { method: "POST", headers, body: JSON.stringify(body), signal: client.signal };
    const left = target.fetch(`/api/stats/${preview}?site_id=${SITE}`, init);
    await control.held(1);
    const next = target.fetch(`/api/stats/main?site_id=${SITE}`, { headers });
    client.abort();
    expect((await left).status).toBe(408);
    await control.held(1);
    control.release();
    await expectSuccess(await next);
  });

  it("does not end a query whose result others wait for", async () => {
    const { target, control } = await createTarget();
    control.hold();
    const client = new AbortController();
    const left = target.fetch(`/api/stats/main?site_id=${SITE}`, { signal: client.signal });
    await control.held(1);
    const stays = target.fetch(`/api/stats/main?site_id=${SITE}`);
    client.abort();
    await left;
    control.release();
    await expectSuccess(await stays);
  });
});

describe("a running export", () => {
  const EXPORT = `/api/stats/export?site_id=${SITE}&kind=raw&period=day`;

  /** An engine lets go of what is given up in its own time. */
  const expectNothingKept = (target: InProcessTarget): Promise<void> =>
    expect
      .poll(async () => {
        const response = await target.fetch(EXPORT);
        const lines = (await response.text()).split("\n").length;
        return { status: response.status, lines, bytes: target.exportMemory.bytes };
      })
      .toEqual({ status: 200, lines: 3, bytes: 0 });

  it.each<[string, (target: InProcessTarget, client: AbortController) => unknown]>([
    ["whose client goes away", (_, client) => client.abort()],
    ["whose time is up", (target) => target.advance(31_000)],
  ])("%s during its computation keeps neither its slot nor memory", async (_case, end) => {
    const { target, control } = await createTarget({ SVC_MAX_CONCURRENT_QUERIES: "1" });
    control.hold();
    const client = new AbortController();
    const asked = target.fetch(EXPORT, { signal: client.signal });
    await control.held(1);
    await end(target, client);
    expect((await asked).status).toBe(408);
    control.release();
    await expectNothingKept(target);
  });

  it("counts its memory once if it is recomputed after an erasure of the site's events", async () => {
    const { target, control } = await createTarget({ SVC_MAX_CONCURRENT_QUERIES: "1" });
    control.hold();
    const asked = target.fetch(EXPORT);
    await control.held(1);
    target.services.stats.dropSite(SITE as SiteId);
    control.release();
    const response = await asked;
    const held = target.exportMemory.bytes;
    await expectSuccess(response);
    const again = await target.fetch(EXPORT);
    expect(target.exportMemory.bytes).toBe(held);
    await again.text();
    await expectNothingKept(target);
  });

  it("is not computed if the client has already disconnected", async () => {
    const { target, control } = await createTarget();
    const before = control.queryCount;
    expect((await target.fetch(EXPORT, { signal: AbortSignal.abort() })).status).toBe(408);
    expect(control.queryCount - before).toBe(0);
    await expectNothingKept(target);
  });
});

describe("the request timeout", () => {
  it.each(FILTERED_ENDPOINTS)("/api/stats/%s that takes longer than request_timeout_secs gives 408", async (endpoint, parameters) => {
    const { target, control } = await createTarget({ SVC_REQUEST_TIMEOUT_SECS: "0.1" });
    control.hold();
    const asked = askStats(target, endpoint, { site_id: SITE, ...parameters });
    await control.held(1);
    await target.advance(100);
    const response = await asked;
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 408,
      body: { error: "The request exceeded the limit of 0.1 seconds" },
    });
    expect(response.headers.get("content-type")).toBe("application/json");
    control.release();
    await expectSuccess(await askStats(target, endpoint, { site_id: SITE, ...parameters }));
  });

  it("the default time limit is 30 seconds, to the millisecond", async () => {
    const { target, control } = await createTarget();
    const { response: asked } = await holdOne(target, control);
    await target.advance(30 * SECOND_MS - 1);
    const later = ask(target, 2);
    await control.held(2);
    await target.advance(1);
    expect(await (await asked).json()).toEqual({ error: "The request exceeded the limit of 30 seconds" });
    control.release();
    await expectSuccess(await later);
  });

  it("an aborted query releases its slot", async () => {
    const { target, control } = await createTarget({
      SVC_REQUEST_TIMEOUT_SECS: "10",
      SVC_MAX_CONCURRENT_QUERIES: "1",
      SVC_QUERY_QUEUE_MS: "600000",
    });
    const { response: asked } = await holdOne(target, control);
    await target.advance(5 * SECOND_MS);
    const waiting = ask(target, 2);
    await target.advance(5 * SECOND_MS);
    expect((await asked).status).toBe(408);
    await control.held(1);
    control.release();
    await expectSuccess(await waiting);
  });

  it("a query that times out while it waits for a slot gives 408 and takes no slot afterwards", async () => {
    const { target, control } = await createTarget({
      SVC_REQUEST_TIMEOUT_SECS: "1",
      SVC_MAX_CONCURRENT_QUERIES: "1",
      SVC_QUERY_QUEUE_MS: "600000",
    });
    control.hold();
    const asked = [ask(target, 1), ask(target, 2)];
    await control.held(1);
    await target.advance(SECOND_MS);
    for (const response of asked) expect((await response).status).toBe(408);
    control.release();
    await expectSuccess(await ask(target, 3));
  });

  it("a running query is aborted, and the engine runs other queries meanwhile and afterwards", async () => {
    const { target, control } = await createTarget({ SVC_REQUEST_TIMEOUT_SECS: "5" });
    control.hold();
    control.makeEndless(true);
    const endless = ask(target, 1);
    await control.held(1);
    control.release();
    control.makeEndless(false);
    await target.advance(SECOND_MS);
    expect((await getMain(target, SITE)).total_events).toBe(1);
    await target.advance(4 * SECOND_MS);
    expect((await endless).status).toBe(408);
    for (let round = 0; round < 5; round++) {
      await record(target, wireEvent(SITE));
      expect((await getMain(target, SITE)).total_events).toBe(round + 2);
    }
  });
});
