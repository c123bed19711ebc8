/** The job that makes rollups, with real stores and the real engine: what it makes, in which order, what it waits for, and failures. */
import { randomBytes } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { ROLLUP_CACHE } from "../../../../../src/runtime/base/config/report-limits.ts";
import { createInlineRollupCalculator, type RollupCalculator } from "../../../../../src/runtime/duckdb/rollups/rollup-calculator.ts";
import { createMemoryObjectStore } from "../../../../support/memory-object-store.ts";
import type { ObjectKey, ObjectStore } from "../../../../../src/storage/object-store.ts";
import { utcCalendar } from "../../../../../src/storage/calendar.ts";
import { type SiteId, type StoredEvent, utcDateOf } from "../../../../../src/storage/event.ts";
import { rangeOfDays } from "../../../../../src/runtime/query/date-range.ts";
import { EXPORT, queryOf } from "../../../../../src/runtime/reports/queries.ts";
import { encodeEvents } from "../../../../../src/storage/parquet-events.ts";
import { partitionKey } from "../../../../../src/storage/partitions.ts";
import { parseRollupKey, rollupFolder, ROLLUPS_FOLDER } from "../../../../../src/storage/rollup.ts";
import { createDeferred } from "../../../../support/deferred.ts";
import { createInProcessTarget, START_MS, type InProcessParts, type InProcessTarget } from "../../../../support/in-process-target.ts";
import { getMetricFamilies, getMetrics } from "../../../../support/metrics.ts";
import { getMain, record, wireEvent } from "../../../../support/requests.ts";
import { storeDay } from "../../../../support/stored-days.ts";
import { anEvent, siteId } from "../../../../support/stored-event.ts";
import type { Environment } from "../../../../support/target.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

const [A, B] = [siteId("a.test"), siteId("b.test")];

const daysBack = (days: number): number => START_MS - days * DAY_MS;

/** More than the least weight of a rollup. */
const HEAVY: Partial<StoredEvent>[] = Array.from({ length: 100 }, (_, i) => ({
  visitorId: BigInt(i % 7),
  props: JSON.stringify({ text: randomBytes(1500).toString("hex") }),
}));

const isRollup = (key: ObjectKey): boolean => key.startsWith(`${ROLLUPS_FOLDER}/`);

/** An object store that knows which rollups were written, and whose operations a test replaces. */
function createObjects() {
  const stored = createMemoryObjectStore();
  const written: ObjectKey[] = [];
  const listed: string[] = [];
  let refuses: (key: ObjectKey) => boolean = () => false;
  const objects: ObjectStore = {
    ...stored,
    list(folder) {
      listed.push(folder);
      return stored.list(folder);
    },
    async put(key, bytes) {
      if (refuses(key)) throw new Error("told to fail");
      await stored.put(key, bytes);
      if (isRollup(key)) written.push(key);
    },
  };
  return {
    objects,
    written,
    listed,
    refuse(which: (key: ObjectKey) => boolean) {
      refuses = which;
    },
    rollups: async () => (await stored.list(ROLLUPS_FOLDER)).map(({ key }) => key).sort(),
  };
}

async function start(objects: ObjectStore, environment: Environment = {}, parts: InProcessParts = {}): Promise<InProcessTarget> {
  const target = await createInProcessTarget(environment, { objects, ...parts });
  onTestFinished(() => target.close());
  return target;
}

/** One tick of the job alone. */
async function tick({ services: { rollups } }: InProcessTarget): Promise<void> {
  rollups.tick();
  await rollups.settled();
}

/** Ticks until there is nothing to do now. */
async function makeAll(target: InProcessTarget): Promise<void> {
  await target.services.compaction.run();
  do await tick(target);
  while (target.services.rollups.isBusy);
}

const daysOf = (site: SiteId, keys: readonly ObjectKey[]): (readonly [string, string])[] =>
  keys.flatMap((key) => {
    const file = key.startsWith(`${rollupFolder(site)}/`) ? parseRollupKey(site, key) : null;
    return file ? [[file.firstDay, file.lastDay] as const] : [];
  });

const linesOf = ({ log }: InProcessTarget, beginning: string) => log.lines.filter(({ message }) => message.startsWith(beginning));

const FAILED = "a rollup could not be made";

describe("the rollup job", () => {
  it("makes all due rollups, newest days first and sums after their parts, and then nothing", async () => {
    const { objects, written, rollups } = createObjects();
    for (const back of [1, 2, 3, 4, 5]) await storeDay(objects, A, daysBack(back), HEAVY);
    const target = await start(objects);
    await makeAll(target);
    const made = daysOf(A, written);
    const single = made.filter(([first, last]) => first === last).map(([first]) => first);
    expect(single).toEqual([1, 2, 3, 4, 5].map((back) => utcDateOf(daysBack(back))));
    const sums = made.filter(([first, last]) => first !== last);
    expect(sums.length).toBeGreaterThan(0);
    for (const [first, last] of sums) {
      const parts = made.slice(
        0,
        made.findIndex((days) => days[0] === first && days[1] === last),
      );
      expect(single.filter((day) => first <= day && day <= last).every((day) => parts.some(([partFirst]) => partFirst === day))).toBe(true);
    }
    expect((await rollups()).length).toBe(written.length);
    expect(target.services.rollups.msUntilDue()).toBe(Number.POSITIVE_INFINITY);
    const count = written.length;
    await target.advance(MINUTE_MS);
    await target.services.settled();
    expect(written).toHaveLength(count);
    expect(await getMetrics(target)).toMatchObject({ svc_rollups_made_total: count, svc_rollup_failures_total: 0 });
  });

  it("reports how many days have a rollup, are due for one, or have an outdated one", async () => {
    const { objects } = createObjects();
    for (const back of [1, 2]) await storeDay(objects, A, daysBack(back), HEAVY);
    await storeDay(objects, B, daysBack(1), HEAVY);
    const target = await start(objects, { SVC_FLUSH_EVENT_COUNT: "1000" });
    const days = async () => {
      const family = (await getMetricFamilies(target)).find(({ name }) => name === "svc_rollup_partitions");
      return Object.fromEntries(family?.metrics.map(({ labels, value }) => [labels?.state, Number(value)]) ?? []);
    };
    expect(await days()).toEqual({ stored: 0, stale: 0, missing: 0 });
    await makeAll(target);
    expect(await days()).toEqual({ stored: 3, stale: 0, missing: 0 });
    await target.services.erasure.erase(B, utcDateOf(daysBack(1)), utcDateOf(daysBack(1)));
    await makeAll(target);
    expect(await days()).toEqual({ stored: 2, stale: 0, missing: 0 });
  });

  it("says that rollups are remade and when all are, in the log and in the installation check", async () => {
    const { objects, rollups } = createObjects();
    for (let back = 1; back <= 12; back++) await storeDay(objects, A, daysBack(back), HEAVY);
    const target = await start(objects);
    const progress = async () =>
      ((await (await target.fetch(`/api/installation?site_id=${A}`)).json()) as { rollups: Record<string, number> }).rollups;
    expect(await progress()).toEqual({ days_made: 0, days_due: 0 });
    await makeAll(target);
    expect(await progress()).toEqual({ days_made: 12, days_due: 12 });
    const lines = () => linesOf(target, "rollups of past days").concat(linesOf(target, "all rollups of past days"));
    expect(lines().map(({ fields }) => fields)).toEqual([{ stored: 0, stale: 0, missing: 12 }, { stored: 12 }]);
    expect((await rollups()).length).toBeGreaterThan(12);
    await target.advance(DAY_MS);
    await makeAll(target);
    expect(lines()).toHaveLength(2);
  });

  it("makes rollups of few events for many days at once", async () => {
    const { objects, written } = createObjects();
    for (let back = 1; back <= 64; back++) await storeDay(objects, A, daysBack(back));
    await makeAll(await start(objects));
    const made = daysOf(A, written);
    expect(made.length).toBeGreaterThan(0);
    expect(made.every(([first, last]) => Date.parse(last) - Date.parse(first) >= 15 * DAY_MS)).toBe(true);
  });

  it("adds the events of days that are too thin for a rollup of their own to those of the neighbouring days", async () => {
    const { objects, written } = createObjects();
    const backs = Array.from({ length: 16 }, (_, i) => i + 1);
    for (const back of backs) await storeDay(objects, A, daysBack(back), back % 2 === 0 ? HEAVY : undefined);
    const target = await start(objects);
    await makeAll(target);
    const events = (firstBack: number, lastBack: number) =>
      backs.filter((back) => lastBack <= back && back <= firstBack).reduce((sum, back) => sum + (back % 2 === 0 ? HEAVY.length : 2), 0);
    const sums = daysOf(A, written).filter(([first, last]) => first !== last);
    expect(sums.length).toBeGreaterThan(0);
    for (const [first, last] of sums) {
      const { total_events: total } = await getMain(target, A, { start_date: first, end_date: last });
      const backOf = (day: string) => Math.round((Date.parse(utcDateOf(START_MS)) - Date.parse(day)) / DAY_MS);
      expect([first, total]).toEqual([first, events(backOf(first), backOf(last))]);
    }
  });

  it("makes the rollup of a day after its midnight, once its events are flushed", async () => {
    const { objects, written } = createObjects();
    const target = await start(objects, { SVC_FLUSH_INTERVAL_SECS: "3600" });
    await makeAll(target);
    for (let i = 0; i < 150; i++) await record(target, wireEvent(A, { p: JSON.stringify({ text: randomBytes(1500).toString("hex") }) }));
    await makeAll(target);
    expect(written).toEqual([]);
    target.setClockAhead(DAY_MS);
    await target.services.settled();
    await makeAll(target);
    expect(written).toEqual([]);
    await target.flush();
    expect(target.services.rollups.isBusy).toBe(false);
    await target.services.compaction.run();
    expect(target.services.rollups.isBusy).toBe(true);
    await makeAll(target);
    expect(daysOf(A, written)).toEqual([[utcDateOf(START_MS), utcDateOf(START_MS)]]);
  });

  it("makes a changed day again, and deletes the outdated rollup", async () => {
    const { objects, written, rollups } = createObjects();
    for (const back of [1, 2]) await storeDay(objects, A, daysBack(back), HEAVY);
    const target = await start(objects);
    await makeAll(target);
    const before = await rollups();
    await target.services.eventStore.append(anEvent({ siteId: A, timestampMs: daysBack(1) }));
    await target.flush();
    const count = written.length;
    await makeAll(target);
    const again = daysOf(A, written.slice(count));
    expect(again.length).toBeGreaterThan(0);
    expect(again.every(([, last]) => last >= utcDateOf(daysBack(1)))).toBe(true);
    expect((await rollups()).length).toBe(before.length);
    await target.services.erasure.erase(A, utcDateOf(daysBack(2)), utcDateOf(daysBack(1)));
    await makeAll(target);
    expect(await rollups()).toEqual([]);
  });

  it("makes rollups again that were deleted by hand, once a report has missed them", async () => {
    const { objects, rollups } = createObjects();
    for (const back of [1, 2]) await storeDay(objects, A, daysBack(back), HEAVY);
    const target = await start(objects);
    await makeAll(target);
    const made = await rollups();
    for (const key of made) await objects.delete(key);
    await target.services.rollupStore.forget(A);
    await makeAll(target);
    expect(await rollups()).toEqual(made);
  });

  it("waits for the files of a day to be merged", async () => {
    const { objects, written } = createObjects();
    const day = utcDateOf(daysBack(1));
    for (let i = 1; i <= 5; i++)
      await objects.put(
        partitionKey(A, day, i, i),
        encodeEvents(HEAVY.map((fields) => anEvent({ ...fields, siteId: A, timestampMs: daysBack(1) }))),
      );
    const target = await start(objects, { SVC_COMPACT_AFTER_FILES: "2" });
    for (let i = 0; i < 3; i++) await tick(target);
    expect([written, target.services.rollups.isBusy]).toEqual([[], false]);
    await target.services.compaction.run();
    expect(await objects.list(`events/site_id=${A}`)).toHaveLength(1);
    await tick(target);
    expect(daysOf(A, written)).toEqual([[day, day]]);
  });

  it("does not wait for queries to end", async () => {
    const { objects, written } = createObjects();
    for (const back of [1, 2, 3]) await storeDay(objects, A, daysBack(back), HEAVY);
    const target = await start(objects, { SVC_REQUEST_TIMEOUT_SECS: "3600", SVC_COMPACT_AFTER_FILES: "0" });
    const day = utcDateOf(daysBack(1));
    const scope = { siteId: B, range: rangeOfDays(day, day), conditions: [] };
    const query = queryOf(EXPORT, scope, { nowMs: START_MS, calendar: utcCalendar }, { kind: "daily", format: "csv", limit: 1 });
    const { release } = await target.services.stats.held(query, { isGuest: false, signal: new AbortController().signal });
    await makeAll(target);
    expect(written.length).toBeGreaterThan(3);
    release();
  });

  it("stops at once, without storing a rollup in progress", async () => {
    const { objects, rollups } = createObjects();
    await storeDay(objects, A, daysBack(1), HEAVY);
    const inline = createInlineRollupCalculator(objects, ROLLUP_CACHE);
    const [begun, end] = [createDeferred<void>(), createDeferred<void>()];
    const rollupCalculator: RollupCalculator = {
      ...inline,
      async make(...parts) {
        begun.resolve(undefined);
        await end.promise;
        return inline.make(...parts);
      },
    };
    const target = await start(objects, { SVC_COMPACT_AFTER_FILES: "0" }, { rollupCalculator });
    target.services.rollups.tick();
    await begun.promise;
    await target.services.rollups.stop();
    end.resolve(undefined);
    expect([await rollups(), target.services.counters.rollupFailures, linesOf(target, FAILED)]).toEqual([[], 0, []]);
  });

  it("counts and logs a failure, retries after growing pauses, and makes the rollups of other sites meanwhile", async () => {
    const { objects, written, refuse } = createObjects();
    for (const site of [A, B]) await storeDay(objects, site, daysBack(1), HEAVY);
    const target = await start(objects);
    refuse((key) => isRollup(key) && key.includes(A));
    await makeAll(target);
    expect([daysOf(A, written).length, daysOf(B, written).length]).toEqual([0, 1]);
    const pauses = [];
    for (let i = 0; i < 4; i++) {
      const pauseMs = target.services.rollups.msUntilDue();
      pauses.push(pauseMs / MINUTE_MS);
      const { rollupFailures } = target.services.counters;
      await target.advance(pauseMs - 1);
      await target.services.settled();
      expect(target.services.counters.rollupFailures).toBe(rollupFailures);
      await target.advance(1);
      await target.services.settled();
    }
    expect([pauses[0], pauses.at(-1)]).toEqual([1, 8]);
    expect(linesOf(target, FAILED).map(({ fields }) => fields)).toEqual([{ site: A, reason: "told to fail" }]);
    refuse(() => false);
    await target.advance(3_600_000);
    await target.services.settled();
    await makeAll(target);
    expect(daysOf(A, written)).toHaveLength(1);
  });

  it("tries a site's other rollups before one that could not be made", async () => {
    const { objects, written, refuse } = createObjects();
    for (const back of [1, 3, 5]) await storeDay(objects, A, daysBack(back), HEAVY);
    const target = await start(objects);
    const newest = utcDateOf(daysBack(1));
    refuse((key) => isRollup(key) && key.includes(`/${newest}_${newest}`));
    for (let i = 0; i < 10; i++) {
      await target.advance(MINUTE_MS);
      await target.services.settled();
    }
    const single = daysOf(A, written).filter(([first, last]) => first === last);
    expect(single.map(([first]) => first)).toEqual([3, 5].map((back) => utcDateOf(daysBack(back))));
  });

  it("leaves out days with an unreadable file until they change, and makes all others", async () => {
    const { objects, written } = createObjects();
    for (const back of [1, 3]) await storeDay(objects, A, daysBack(back), HEAVY);
    const broken = utcDateOf(daysBack(1));
    await objects.put(partitionKey(A, broken, 2, 2), new Uint8Array([1, 2, 3]));
    await objects.put(partitionKey(A, broken, 3, 3), encodeEvents([anEvent({ siteId: A, timestampMs: daysBack(1) })]));
    const target = await start(objects);
    await makeAll(target);
    expect(daysOf(A, written)).toEqual([[utcDateOf(daysBack(3)), utcDateOf(daysBack(3))]]);
    expect(linesOf(target, "days cannot be in a rollup").map(({ fields }) => [fields.firstDay, fields.lastDay])).toEqual([
      [broken, broken],
    ]);
    expect(target.services.rollupDays.total).toEqual({ stored: 1, stale: 0, missing: 0 });
    expect(target.services.counters.rollupFailures).toBe(1);
    expect(target.services.rollups.msUntilDue()).toBe(Number.POSITIVE_INFINITY);
  });

  it("tries again if a day changes while its files are read, and does not leave it out", async () => {
    const { objects, written } = createObjects();
    await storeDay(objects, A, daysBack(1), HEAVY);
    const inline = createInlineRollupCalculator(objects, ROLLUP_CACHE);
    const day = utcDateOf(daysBack(1));
    let isFirst = true;
    const rollupCalculator: RollupCalculator = {
      ...inline,
      async make(...parts) {
        if (!isFirst) return inline.make(...parts);
        isFirst = false;
        await target.services.eventStore.append(anEvent({ siteId: A, timestampMs: daysBack(1) }));
        await target.flush();
        return { unusable: rangeOfDays(day, day), reason: "a file is missing" };
      },
    };
    const target: InProcessTarget = await start(objects, { SVC_COMPACT_AFTER_FILES: "0" }, { rollupCalculator });
    await makeAll(target);
    await target.advance(MINUTE_MS);
    await target.services.settled();
    await makeAll(target);
    expect(linesOf(target, "days cannot be in a rollup")).toEqual([]);
    expect(daysOf(A, written)).toEqual([[day, day]]);
  });

  it("leaves out days that need more memory than making a rollup may take, once", async () => {
    const { objects, written } = createObjects();
    await storeDay(objects, A, daysBack(1), HEAVY);
    const distinct = Array.from({ length: 40_000 }, (_, i) => ({ pathname: `/${i}`, visitorId: BigInt(i) }));
    await storeDay(objects, A, daysBack(3), distinct);
    const limits = { ...ROLLUP_CACHE, eventBytesMax: 2 * 1024 * 1024 };
    const target = await start(objects, {}, { rollupCalculator: createInlineRollupCalculator(objects, limits) });
    await makeAll(target);
    expect(linesOf(target, "days cannot be in a rollup").map(({ fields }) => fields.firstDay)).toEqual([utcDateOf(daysBack(3))]);
    expect(daysOf(A, written)).toEqual([[utcDateOf(daysBack(1)), utcDateOf(daysBack(1))]]);
    expect(target.services.rollups.msUntilDue()).toBe(Number.POSITIVE_INFINITY);
  });

  it("checks each of a thousand sites without due rollups once", async () => {
    const { objects, written, listed } = createObjects();
    const sites = Array.from({ length: 1000 }, (_, i) => siteId(`site-${i}.test`));
    for (const site of sites) await storeDay(objects, site, daysBack(1));
    const target = await start(objects, { SVC_COMPACT_AFTER_FILES: "0" });
    await makeAll(target);
    expect(written).toEqual([]);
    const count = listed.length;
    expect(new Set(listed).size).toBe(count);
    for (let i = 0; i < 3; i++) {
      await target.advance(1000);
      await target.services.settled();
    }
    expect(listed).toHaveLength(count);
  });

  it("does nothing with the option off, and an erasure still deletes earlier rollups", async () => {
    const { objects, written, rollups } = createObjects();
    await storeDay(objects, A, daysBack(1), HEAVY);
    const off = { SVC_ROLLUPS: "false" };
    await makeAll(await start(objects, off));
    expect(written).toEqual([]);
    await makeAll(await start(objects));
    expect(await rollups()).toHaveLength(1);
    const target = await start(objects, off);
    expect(target.services.rollups.msUntilDue()).toBe(Number.POSITIVE_INFINITY);
    await target.services.erasure.erase(A, utcDateOf(daysBack(1)), utcDateOf(daysBack(1)));
    expect(await rollups()).toEqual([]);
  });
});
