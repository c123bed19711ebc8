/** Queries over ranges larger than the engine's memory: each day is a chunk, which a test can pause. */
import { describe, expect, it, onTestFinished } from "vitest";
import { LOOKED_UP_CHARS_MAX } from "../../src/runtime/base/config/report-limits.ts";
import type { Engine } from "../../src/runtime/duckdb/engine.ts";
import { planOf } from "../../src/runtime/query/plan.ts";
import { rangeOfDays } from "../../src/runtime/query/date-range.ts";
import { countsByValue } from "../../src/runtime/reports/measures/values.ts";
import type { LocalDate, StoredEvent } from "../../src/storage/event.ts";
import { createDeferred, type Deferred } from "../support/deferred.ts";
import { START_MS, createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { expectAccepted, getBreakdown, getMain, getSeries, post, record, wireEvent } from "../support/requests.ts";
import { createEngineShare } from "../support/shared-engine.ts";
import { askStats } from "../support/stats-requests.ts";
import { anEvent, siteId } from "../support/stored-event.ts";
import type { Environment } from "../support/target.ts";

const SITE = "chunks.test";
const SECOND_MS = 1000;
const DAY_MS = 86_400_000;
/** No other number in a query is as large as that of a day of these years, counted from 1970-01-01. */
const DAY_NUMBER_MIN = 20_000;

const DAYS = 6;

const dayAt = (daysBack: number): LocalDate => new Date(START_MS - daysBack * DAY_MS).toISOString().slice(0, 10) as string as LocalDate;

const pageviewAt = (daysBack: number, pathname = "/"): StoredEvent =>
  anEvent({ siteId: siteId(SITE), timestampMs: START_MS - daysBack * DAY_MS, visitorId: BigInt(daysBack + 1), pathname });

interface Watched {
  readonly target: InProcessTarget;
  /** The days that were summed up, oldest first. */
  readonly summedUp: string[];
  /** From now on, days are held before they are summed up. */
  hold(): void;
  release(): void;
  /** Resolves when a day is held. */
  held(): Promise<void>;
}

/** A service with an event a day, whose engine has room for no two days. */
async function createTight(environment: Environment = {}): Promise<Watched> {
  const share = await createEngineShare();
  const summedUp: string[] = [];
  let gate: Deferred<void> | null = null;
  let reached = createDeferred<void>();
  const engine: Engine = {
    ...share,
    async queryColumns(query, signal) {
      if (gate && query.siteId === SITE) {
        const held = gate.promise;
        reached.resolve();
        await new Promise<void>((resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error));
          void held.then(resolve);
        });
      }
      const rows = await share.queryColumns(query, signal);
      const day = query.parameters.find((parameter) => typeof parameter === "number" && parameter > DAY_NUMBER_MIN);
      if (day !== undefined) summedUp.push(new Date(Number(day) * DAY_MS).toISOString().slice(0, 10));
      return rows;
    },
  };
  const target = await createInProcessTarget({ SVC_ROLLUPS: "false", ...environment }, { engine, engineMemoryMb: 0 });
  for (let daysBack = DAYS - 1; daysBack >= 0; daysBack--) await target.services.eventStore.append(pageviewAt(daysBack));
  await target.flush();
  onTestFinished(async () => {
    gate?.resolve();
    await target.close();
  });
  return {
    target,
    summedUp,
    hold() {
      gate = createDeferred();
      reached = createDeferred();
    },
    release() {
      gate?.resolve();
      gate = null;
    },
    held: () => reached.promise,
  };
}

const PERIOD = { period: "7d" };

const askSeries = (target: InProcessTarget): Promise<Response> => askStats(target, "timeseries", { site_id: SITE, ...PERIOD });

const visitorsByDay = async (target: InProcessTarget): Promise<number[]> =>
  (await getSeries(target, SITE, PERIOD)).map(({ visitors }) => visitors);

const oldestFirst = Array.from({ length: DAYS }, (_, i) => dayAt(DAYS - 1 - i));

describe("a range that is computed in chunks", () => {
  it("is computed day by day, and only changed days are recomputed later", async () => {
    const { target, summedUp } = await createTight();
    expect(await visitorsByDay(target)).toEqual([0, 1, 1, 1, 1, 1, 1]);
    expect(summedUp).toEqual(oldestFirst);
    expect(await visitorsByDay(target)).toEqual([0, 1, 1, 1, 1, 1, 1]);
    expect(summedUp.length).toBe(DAYS);
    await record(target, wireEvent(SITE));
    expect(await visitorsByDay(target)).toEqual([0, 1, 1, 1, 1, 1, 2]);
    expect(summedUp.slice(DAYS)).toEqual([dayAt(0)]);
    await target.services.eventStore.append({ ...pageviewAt(2), visitorId: 77n });
    expect(await visitorsByDay(target)).toEqual([0, 1, 1, 1, 2, 1, 2]);
    expect(summedUp.slice(DAYS + 1)).toEqual([dayAt(2)]);
    // The files of the flushed events are other versions of their days.
    await target.flush();
    expect(await visitorsByDay(target)).toEqual([0, 1, 1, 1, 2, 1, 2]);
    const summedUpToday = summedUp.length;
    await target.advance(DAY_MS);
    expect(await visitorsByDay(target)).toEqual([1, 1, 1, 2, 1, 2, 0]);
    expect(summedUp.length).toBe(summedUpToday);
  });

  it("is computed once for queries that want different rows of the same kind", async () => {
    const { target, summedUp } = await createTight();
    const scope = { siteId: siteId(SITE), range: rangeOfDays(dayAt(DAYS - 1), dayAt(0)), conditions: [] };
    const query = countsByValue(scope, "pathname");
    const top = { rowsMax: 1 };
    const plan = planOf(
      scope,
      [
        { ...query, top },
        { ...query, top, isCounted: true },
      ],
      (...rows) => rows,
    );
    const [pages, counted] = await target.run(plan);
    expect(pages).toMatchObject([{ value: "/", visitors: DAYS }]);
    expect(counted).toEqual([{ row_count: 1 }]);
    expect(summedUp).toEqual(oldestFirst);
  });

  it("is computed once for a comparison, however long the values are", async () => {
    const { target, summedUp } = await createTight();
    const paths = Array.from({ length: 150 }, (_, i) => `/${i}-`.padEnd(2_000, "x"));
    expect(paths.join("").length).toBeGreaterThan(LOOKED_UP_CHARS_MAX);
    for (const path of paths) for (const daysBack of [0, 3]) await target.services.eventStore.append(pageviewAt(daysBack, path));
    const range = { start_date: dayAt(2), end_date: dayAt(0) };
    const rows = await getBreakdown(target, SITE, "pages", { ...range, columns: "comparison", limit: "1000" });
    const one = { visitors: 1, pageviews: 1, events: 1 };
    const three = { visitors: 3, pageviews: 3, events: 3 };
    expect(rows).toEqual([
      { value: "/", ...three, comparison: three },
      ...paths.toSorted().map((value) => ({ value, ...one, comparison: one })),
    ]);
    expect(summedUp.toSorted()).toEqual(oldestFirst);
  });

  it("resumes after a timeout from the finished chunks", async () => {
    const { target, summedUp, hold, release, held } = await createTight({ SVC_REQUEST_TIMEOUT_SECS: "30" });
    const days = [...oldestFirst];
    for (let rounds = 0; rounds < 3; rounds++) {
      hold();
      const asked = askSeries(target);
      await held();
      release();
      // One more day is summed up, and the next one is held.
      hold();
      await held();
      await target.advance(30 * SECOND_MS);
      const { status } = await asked;
      expect([status, summedUp]).toEqual([408, days.slice(0, rounds + 1)]);
    }
    release();
    expect(await visitorsByDay(target)).toEqual([0, 1, 1, 1, 1, 1, 1]);
    expect(summedUp).toEqual(days);
  });

  it("is aborted within a chunk when the client disconnects", async () => {
    const { target, summedUp, hold, release, held } = await createTight({ SVC_MAX_CONCURRENT_QUERIES: "1", SVC_QUERY_QUEUE_MS: "600000" });
    hold();
    const client = new AbortController();
    const left = target.fetch(`/api/stats/timeseries?site_id=${SITE}&period=7d`, { signal: client.signal });
    await held();
    client.abort();
    await left;
    release();
    expect(await visitorsByDay(target)).toEqual([0, 1, 1, 1, 1, 1, 1]);
    expect(summedUp).toEqual(oldestFirst);
  });

  it("lets events be accepted and other queries run meanwhile", async () => {
    const { target, hold, release, held } = await createTight();
    await record(target, wireEvent("small.test"));
    hold();
    const asked = askSeries(target);
    await held();
    for (const daysBack of [0, 3, DAYS - 1]) await target.services.eventStore.append({ ...pageviewAt(daysBack), visitorId: 99n });
    await expectAccepted(await post(target, wireEvent(SITE)));
    expect(await getMain(target, "small.test")).toMatchObject({ total_events: 1 });
    await target.flush();
    release();
    expect((await asked).status).toBe(200);
    expect(await visitorsByDay(target)).toEqual([0, 2, 1, 2, 1, 1, 3]);
  });

  it("contains no event that was erased meanwhile", async () => {
    const { target, hold, release, held } = await createTight();
    hold();
    const asked = askSeries(target);
    await held();
    release();
    hold();
    // The oldest day is summed up already.
    await held();
    const erased = target.services.erasure.erase(siteId(SITE), dayAt(DAYS - 1), dayAt(2));
    expect(await erased).toEqual({ events: 4, days: 4 });
    release();
    const points = (await (await asked).json()) as { visitors: number }[];
    expect(points.map(({ visitors }) => visitors)).toEqual([0, 0, 0, 0, 0, 1, 1]);
    expect(await visitorsByDay(target)).toEqual([0, 0, 0, 0, 0, 1, 1]);
  });

  it("shares its chunks with concurrent queries over the same range", async () => {
    const { target } = await createTight();
    const endpoints = ["timeseries", "goals", "breakdown/pages", "sessions"];
    const answers = await Promise.all(endpoints.map((endpoint) => askStats(target, endpoint, { site_id: SITE, ...PERIOD })));
    for (const answer of answers) expect(answer.status, await answer.text()).toBe(200);
  });
});
