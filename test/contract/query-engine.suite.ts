/** The contract of the query engine: what it answers over files and journal, and what the end of a life changes, on every host. */
import { describe, expect, it, onTestFinished } from "vitest";
import { parseConfig } from "../../src/runtime/base/config/config.ts";
import { isSiteId } from "../../src/runtime/base/config/names.ts";
import { LeftOutFiles } from "../../src/runtime/base/metrics/storage-faults.ts";
import { type EngineParts, engineConfigOf } from "../../src/runtime/engine/duckdb-queries.ts";
import { rangeOfDays } from "../../src/runtime/query/date-range.ts";
import type { DaysRead } from "../../src/runtime/query/progress.ts";
import type { QueryEngine, ReportQuery } from "../../src/runtime/query/query-engine.ts";
import { EXPORT, queryOf } from "../../src/runtime/reports/queries.ts";
import { REPORTS } from "../../src/runtime/reports/registry.ts";
import type { Report } from "../../src/runtime/reports/report.ts";
import { utcCalendar } from "../../src/storage/calendar.ts";
import { type LocalDate, utcDateOf } from "../../src/storage/event.ts";
import { EventStore } from "../../src/storage/event-store.ts";
import type { ObjectStore } from "../../src/storage/object-store.ts";
import { inlineParquetWriter } from "../../src/storage/parquet-events.ts";
import { createMemorySegmentLog } from "../support/memory-segment-log.ts";
import { ownerAt } from "../support/reader.ts";
import { anEvent, siteId } from "../support/stored-event.ts";

const NOW_MS = Date.parse("2026-03-15T12:00:00Z");
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const SITE = siteId("engine.test");

const dayAt = (daysBack: number): LocalDate => utcDateOf(NOW_MS - daysBack * DAY_MS);
/** No visitor id outlives its day. */
const eventAt = (daysBack: number, number: number) =>
  anEvent({
    siteId: SITE,
    timestampMs: NOW_MS - daysBack * DAY_MS + number * 1000,
    visitorId: BigInt(daysBack * 10 + (number % 3)),
    pathname: `/${number % 5}`,
  });

export const owner = (signal = new AbortController().signal) => ({ isGuest: false, signal });

export async function reportQuery(path: string, parameters: Readonly<Record<string, string>>): Promise<ReportQuery> {
  const report = REPORTS.find((each: Report) => each.path === path) as Report;
  const given: Readonly<Record<string, string>> = { site_id: SITE, ...parameters };
  return (await report.prepare((name) => given[name] ?? null, ownerAt(NOW_MS))).query;
}

/** Its raw exports have the campaign source of each visit in the last column. */
const exportQuery = (kind: "daily" | "raw", limit = 100, rotationDays = 1): ReportQuery => {
  const sessionRules = { sessionGapMs: 30 * MINUTE_MS, rotationDays };
  const scope = { siteId: SITE, range: rangeOfDays(dayAt(6), dayAt(0)), conditions: [], sessionRules };
  const columns = [{ name: "visit_utm_source", dimension: "visit-utm-sources" }];
  return queryOf(EXPORT, scope, { nowMs: NOW_MS, calendar: utcCalendar }, { kind, format: "csv", limit, attribution: "event", columns });
};

async function textOf(chunks: AsyncIterator<Uint8Array, undefined>): Promise<string> {
  const parts: Uint8Array[] = [];
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) parts.push(next.value);
  return new TextDecoder().decode(Buffer.concat(parts));
}

export interface OpenedEngine {
  readonly engine: QueryEngine;
  /** Ends the life that is running. */
  kill(): Promise<void>;
}

export interface EngineHost {
  readonly objects: ObjectStore;
  open(parts: EngineParts): OpenedEngine;
}

export async function createWorld({ objects, open }: EngineHost) {
  const { eventStore } = await EventStore.open({
    ...{ segmentLog: createMemorySegmentLog(), parquet: inlineParquetWriter, objects, isSiteId, listingsMax: 10, nowMs: NOW_MS },
    onStray: () => {},
  });
  const { config } = parseConfig({ environment: {}, file: {}, platform: "node" });
  const leftOutFiles = new LeftOutFiles();
  const { engine, kill } = open({ config: engineConfigOf(config), eventStore, leftOutFiles, onUnreadableRollup: () => {} });
  onTestFinished(() => engine.close());
  eventStore.observe({
    beforeRelease: (site, released, days) => engine.changed({ siteId: site, released, days }),
    beforeDelete: (site, firstDay, lastDay) => engine.changed({ siteId: site, deleted: { firstDay, lastDay } }),
  });
  let appended = 0;
  const main = await reportQuery("/api/stats/main", { period: "7d" });
  return {
    engine,
    kill,
    objects,
    eventStore,
    leftOutFiles,
    async append(...daysBack: readonly number[]) {
      for (const back of daysBack) await eventStore.append(eventAt(back, ++appended));
    },
    async flush() {
      await eventStore.seal();
      for (const segment of [...eventStore.sealedSegments]) {
        for (const site of segment.sites.keys()) await eventStore.commitFlush(segment, site);
        await eventStore.drop(segment);
      }
    },
    async count(): Promise<number> {
      return (JSON.parse(await engine.execute(main, owner())) as { total_events: number }).total_events;
    },
  };
}

export function describeQueryEngine(name: string, createHost: () => Promise<EngineHost>): void {
  describe(`the query engine ${name}`, () => {
    const makeWorld = async () => createWorld(await createHost());

    it("counts each event once, in the journal, in files and in days that it has loaded before", async () => {
      const { append, flush, count } = await makeWorld();
      const counts: number[] = [];
      await append(0, 0, 1, 3);
      counts.push(await count());
      await flush();
      counts.push(await count());
      await append(0, 1);
      counts.push(await count());
      await append(0);
      await flush();
      await append(2);
      counts.push(await count(), await count());
      expect(counts).toEqual([4, 4, 6, 8, 8]);
    });

    it("counts no event of days whose deletion it was told", async () => {
      const { append, flush, count, eventStore } = await makeWorld();
      await append(0, 1, 1);
      await flush();
      expect(await count()).toBe(3);
      await eventStore.deleteDays(SITE, dayAt(1), dayAt(1));
      expect(await count()).toBe(1);
    });

    it("leaves out a damaged file, and says so", async () => {
      const { append, flush, count, eventStore, leftOutFiles, objects } = await makeWorld();
      await append(0, 1);
      await flush();
      const [file] = await eventStore.withSnapshot(SITE, dayAt(1), dayAt(1), async (days) => days.flatMap((day) => day.files));
      await objects.put(file?.key ?? "", new TextEncoder().encode("no Parquet at all"));
      expect([await count(), leftOutFiles.count]).toEqual([1, 1]);
    });

    it("writes exports, of all rows or of none that the reader wants", async () => {
      const { append, flush, engine } = await makeWorld();
      await append(0, 0, 2);
      await flush();
      await append(0);
      const daily = await textOf(await engine.export(exportQuery("daily"), owner()));
      expect(daily.trim().split("\n")).toHaveLength(8);
      const raw = await textOf(await engine.export(exportQuery("raw"), owner()));
      expect(raw.trim().split("\n")).toHaveLength(5);
      const returned = await engine.export(exportQuery("raw"), owner());
      expect(await returned.return?.()).toEqual({ done: true, value: undefined });
    });

    it("reads visits from their beginning in each portion of an export", async () => {
      const { flush, engine, eventStore } = await makeWorld();
      const midnightMs = NOW_MS - DAY_MS / 2;
      const isOf = (visitorId: bigint, timestampMs: number, utmSource: string) =>
        eventStore.append(anEvent({ siteId: SITE, visitorId, timestampMs, utmSource }));
      await isOf(1n, midnightMs - MINUTE_MS, "first");
      // More than a portion, within a minute.
      for (let i = 0; i < 30_000; i++) await isOf(2n + BigInt(i % 100), midnightMs + i, "between");
      await isOf(1n, midnightMs + 5 * MINUTE_MS, "last");
      await flush();
      // Both days are of one salt period.
      const lines = (await textOf(await engine.export(exportQuery("raw", 50_000, 3), owner()))).trim().split("\n");
      const visits = lines.slice(1).map((line) => line.slice(line.lastIndexOf(",") + 1));
      expect([visits.length, visits[0], visits[1], visits[30_000], visits.at(-1)]).toEqual([
        30_002,
        '"first"',
        '"between"',
        '"between"',
        '"first"',
      ]);
    });

    it("rejects with the error that the client gets, whatever thread has thrown it", async () => {
      const { engine } = await makeWorld();
      const query = await reportQuery("/api/stats/main", { filters: "pages=matches=(" });
      const refusal = { failure: { code: "invalid_input" }, message: expect.stringContaining("regular expression") as string };
      await expect(engine.execute(query, owner())).rejects.toMatchObject(refusal);
    });

    it("rejects with the reason of an abort, and answers later queries", async () => {
      const { append, engine, count } = await makeWorld();
      await append(0);
      const controller = new AbortController();
      const reason = new Error("nobody waits");
      const outcome = engine.execute(
        await reportQuery("/api/stats/breakdown/:dimension", { dimension: "pages" }),
        owner(controller.signal),
      );
      controller.abort(reason);
      await expect(outcome).rejects.toBe(reason);
      expect(await count()).toBe(1);
    });

    it("runs a query once more if its life ends, and then counts what it had loaded, and the journal, once", async () => {
      const { append, flush, count, kill } = await makeWorld();
      await append(0, 1);
      await flush();
      await append(0);
      expect(await count()).toBe(3);
      await kill();
      expect(await count()).toBe(3);
      const underWay = count();
      await kill();
      expect(await underWay).toBe(3);
      await append(0);
      await flush();
      expect(await count()).toBe(4);
    });

    it("tells what it holds", async () => {
      const { append, flush, count, engine } = await makeWorld();
      expect(engine.state).toEqual({ memoryBytes: 0, cachedDays: 0, threads: 0, hasExtension: null });
      await append(1, 2, 3);
      await flush();
      expect(await count()).toBe(3);
      expect(await engine.health(new AbortController().signal)).toMatchObject({ cachedDays: 3, hasExtension: true });
      expect(engine.state.memoryBytes).toBeGreaterThan(0);
    });

    it("tells how many days of those asked it has read, and continues where a query was aborted", async () => {
      const { append, flush, engine } = await makeWorld();
      await append(...Array.from({ length: 60 }, (_, back) => back));
      await flush();
      await append(0);
      const query = await reportQuery("/api/stats/main", { period: "90d", filters: "pages!=/1" });
      const first: DaysRead[] = [];
      const controller = new AbortController();
      const reason = new Error("the time is over");
      const aborted = engine.execute(query, {
        ...owner(controller.signal),
        onProgress(progress) {
          first.push(progress);
          if (progress.reading === dayAt(0)) controller.abort(reason);
        },
      });
      await expect(aborted).rejects.toBe(reason);
      expect(first.map(({ days }) => days)).toEqual(first.map(() => 90));
      expect(first[0]?.reading).toBe(null);
      expect(first[0]?.daysRead).toBeLessThan(90);
      const second: DaysRead[] = [];
      await engine.execute(query, { ...owner(), onProgress: (progress) => second.push(progress) });
      // Nothing is left if the part that was begun had ended by then.
      expect(second.at(-1)?.daysRead ?? 90).toBeGreaterThanOrEqual(first.at(-1)?.daysRead ?? 90);
      const third: DaysRead[] = [];
      await append(0);
      await engine.execute(query, { ...owner(), onProgress: (progress) => third.push(progress) });
      expect(new Set(third.map(({ reading }) => reading))).toEqual(new Set([null, dayAt(0)]));
      expect(third.at(-1)).toEqual({ days: 90, daysRead: 90, reading: dayAt(0) });
    });

    it("rejects queries once it is closed", async () => {
      const { engine, count } = await makeWorld();
      expect(await count()).toBe(0);
      await engine.close();
      await expect(count()).rejects.toMatchObject({ failure: { code: "unavailable" } });
      await engine.close();
    });
  });
}
