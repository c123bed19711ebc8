/** The journal: acknowledged events survive every failure of the segment log, and later appends succeed. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventOf, type LocalDate, type StoredEvent } from "../../../src/storage/event.ts";
import { decodeJournalLines, encodeJournalLines, Journal, type JournalDamage } from "../../../src/storage/journal.ts";
import { NothingAppendedError, type SegmentLog } from "../../../src/storage/segment.ts";
import { createDeferred } from "../../support/deferred.ts";
import { SegmentLogFailure, createFailingSegmentLog, type FailingSegmentLog } from "../../support/failing-segment-log.ts";
import { anEvent, eventTexts, siteId } from "../../support/stored-event.ts";

const NOW_MS = Date.parse("2026-03-15T12:00:00Z");
const DAY = "2026-03-15" as LocalDate;
const SITE = siteId("site.test");

/** An event that its path identifies. */
const numbered = (number: number, fields: Partial<StoredEvent> = {}): StoredEvent => anEvent({ pathname: `/${number}`, ...fields });

const open = async (log: SegmentLog, nowMs = NOW_MS): Promise<Journal> => (await Journal.open(log, nowMs)).journal;

/** The paths of all unflushed events of the site's day, in order. */
const pathsIn = (journal: Journal): string[] =>
  journal.unflushed(SITE, DAY).flatMap(({ events }) => events.map((text) => eventOf(text).pathname));

/** What a process that starts now would find. */
async function recovered(log: SegmentLog): Promise<{ paths: string[]; damage: readonly JournalDamage[] }> {
  const { journal, damage } = await Journal.open(log, NOW_MS);
  return { paths: pathsIn(journal), damage };
}

/** Takes all events out of the sealed segments and drops these, as a flush does. */
async function flushAll(journal: Journal): Promise<void> {
  await journal.seal();
  for (const segment of [...journal.sealed]) {
    for (const site of [...segment.sites.keys()]) journal.release(segment, site);
    await journal.drop(segment);
  }
}

describe("the journal", () => {
  it("a new journal is empty", async () => {
    const journal = await open(createFailingSegmentLog());
    expect([journal.size, journal.openSegment.appended, journal.sealed, journal.unflushedSites()]).toEqual([0, 0, [], []]);
  });

  it("returns an appended event by its site and day", async () => {
    const journal = await open(createFailingSegmentLog());
    const other = siteId("other.test");
    await journal.append(numbered(1));
    await journal.append(numbered(2, { siteId: other }));
    await journal.append(numbered(3, { timestampMs: NOW_MS + 86_400_000 }));
    expect(journal.unflushed(SITE, DAY)).toEqual([{ segment: NOW_MS, events: eventTexts([numbered(1)]) }]);
    expect(journal.unflushed(other, DAY)).toEqual([{ segment: NOW_MS, events: eventTexts([numbered(2, { siteId: other })]) }]);
    expect(journal.unflushedDays(SITE)).toEqual(["2026-03-15", "2026-03-16"]);
    expect(journal.unflushedSites().sort()).toEqual([other, SITE]);
    expect([journal.size, journal.openSegment.appended]).toEqual([3, 3]);
  });

  it("counts the bytes of its lines from the call of append until the segment is dropped, and again at the next start", async () => {
    const log = createFailingSegmentLog();
    const journal = await open(log);
    const events = [numbered(1), numbered(2, { pathname: `/${"漢".repeat(1000)}` })];
    const release = log.hold();
    const appends = events.map((event) => journal.append(event));
    expect(journal.bytes).toBeGreaterThan(1000);
    release();
    await Promise.all(appends);
    const lineBytes = encodeJournalLines(eventTexts(events)).length;
    expect([journal.bytes, journal.openSegment.bytes]).toEqual([lineBytes, lineBytes]);
    log.failAppendCleanly();
    await expect(journal.append(numbered(3))).rejects.toThrow(NothingAppendedError);
    expect(journal.bytes).toBe(lineBytes);
    const restarted = await open(log, NOW_MS + 1);
    expect([restarted.size, restarted.bytes, restarted.openSegment.bytes]).toEqual([2, lineBytes, 0]);
    await flushAll(restarted);
    expect([restarted.size, restarted.bytes]).toEqual([0, 0]);
  });

  it("does not return an event before its append has completed", async () => {
    const log = createFailingSegmentLog();
    const journal = await open(log);
    const release = log.hold();
    const appended = journal.append(numbered(1));
    expect(journal.size).toBe(0);
    release();
    await appended;
    expect(journal.size).toBe(1);
  });

  it("writes all events that arrive during a write together in the next one", async () => {
    const log = createFailingSegmentLog();
    const journal = await open(log);
    const release = log.hold();
    const appended = Array.from({ length: 100 }, (_, i) => journal.append(numbered(i)));
    release();
    await Promise.all(appended);
    expect(log.appends()).toBe(2);
    expect(pathsIn(journal)).toEqual(Array.from({ length: 100 }, (_, i) => `/${i}`));
  });

  it("limits the size of a write and splits a burst into several", async () => {
    const log = createFailingSegmentLog();
    const journal = await open(log);
    await Promise.all(Array.from({ length: 3_000 }, (_, i) => journal.append(numbered(i))));
    expect(log.appends()).toBe(4);
    expect(pathsIn(journal)).toEqual(Array.from({ length: 3_000 }, (_, i) => `/${i}`));
  });

  it("seals the open segment and appends to the next one", async () => {
    const journal = await open(createFailingSegmentLog());
    await journal.append(numbered(1));
    await journal.seal();
    await journal.append(numbered(2));
    expect(journal.sealed.map(({ number }) => number)).toEqual([NOW_MS]);
    expect([journal.size, journal.openSegment.appended]).toEqual([2, 1]);
    expect(journal.unflushed(SITE, DAY).map(({ segment }) => segment)).toEqual([NOW_MS, NOW_MS + 1]);
  });

  it("does not seal an empty segment", async () => {
    const log = createFailingSegmentLog();
    const journal = await open(log);
    await journal.seal();
    await journal.seal();
    expect(journal.sealed).toEqual([]);
    expect(await log.list()).toEqual([NOW_MS]);
  });

  it("keeps an event whose write is in progress in the segment that is being sealed", async () => {
    const log = createFailingSegmentLog();
    const journal = await open(log);
    await journal.append(numbered(1));
    const release = log.hold();
    const appended = journal.append(numbered(2));
    const sealed = journal.seal();
    release();
    await Promise.all([appended, sealed]);
    expect(journal.unflushed(SITE, DAY)).toEqual([{ segment: NOW_MS, events: eventTexts([numbered(1), numbered(2)]) }]);
    await journal.append(numbered(3));
    expect(journal.unflushed(SITE, DAY).map(({ segment }) => segment)).toEqual([NOW_MS, NOW_MS + 1]);
    expect((await recovered(log)).paths).toEqual(["/1", "/2", "/3"]);
  });

  it("drops a segment only after its events were released", async () => {
    const log = createFailingSegmentLog();
    const journal = await open(log);
    await journal.append(numbered(1));
    await journal.seal();
    const [segment] = journal.sealed;
    if (!segment) throw new Error("nothing was sealed");
    await expect(journal.drop(segment)).rejects.toThrow("still holds 1 events");
    journal.release(segment, SITE);
    journal.release(segment, SITE);
    expect([journal.size, pathsIn(journal)]).toEqual([0, []]);
    await journal.drop(segment);
    expect(journal.sealed).toEqual([]);
    expect(await log.list()).toEqual([NOW_MS + 1]);
  });

  it("waits for the writes in progress when it is closed", async () => {
    const log = createFailingSegmentLog();
    const journal = await open(log);
    const release = log.hold();
    let closed = false;
    const appended = Promise.all([journal.append(numbered(1)), journal.append(numbered(2))]);
    const closing = journal.close().then(() => {
      closed = true;
    });
    await Promise.resolve();
    expect(closed).toBe(false);
    release();
    await Promise.all([appended, closing]);
    expect((await recovered(log)).paths).toEqual(["/1", "/2"]);
  });
});

describe("the journal of an earlier process", () => {
  it("is read back into sealed segments, oldest first", async () => {
    const log = createFailingSegmentLog();
    const journal = await open(log);
    await journal.append(numbered(1));
    await journal.seal();
    await journal.append(numbered(2));
    const next = await open(log, NOW_MS + 1000);
    expect(next.sealed.map(({ number, size }) => ({ number, size }))).toEqual([
      { number: NOW_MS, size: 1 },
      { number: NOW_MS + 1, size: 1 },
    ]);
    expect([pathsIn(next), next.size, next.openSegment.appended]).toEqual([["/1", "/2"], 2, 0]);
    await next.append(numbered(3));
    expect(pathsIn(next)).toEqual(["/1", "/2", "/3"]);
  });

  it("keeps no empty segments, but the next segment still gets a higher number", async () => {
    const log = createFailingSegmentLog();
    await open(log, NOW_MS);
    await open(log, NOW_MS);
    expect(await log.list()).toEqual([NOW_MS + 1]);
  });

  it("never reuses segment numbers, even if the clock goes back", async () => {
    const log = createFailingSegmentLog();
    const first = await open(log, NOW_MS);
    await first.append(numbered(1));
    await flushAll(first);
    const second = await open(log, NOW_MS - 86_400_000);
    await second.append(numbered(2));
    expect(second.unflushed(SITE, DAY).map(({ segment }) => segment)).toEqual([NOW_MS + 2]);
  });

  it("takes its first segment number from the clock if it has no segments", async () => {
    expect((await open(createFailingSegmentLog(), NOW_MS + 5)).unflushedSites()).toEqual([]);
    const log = createFailingSegmentLog();
    await open(log, NOW_MS + 5);
    expect(await log.list()).toEqual([NOW_MS + 5]);
  });

  it("ignores a partial last line without reporting damage, because its event was never acknowledged", async () => {
    const log = createFailingSegmentLog();
    const journal = await open(log);
    await journal.append(numbered(1));
    const line = encodeJournalLines(eventTexts([numbered(2)]));
    await log.append(NOW_MS, line.slice(0, line.length / 2));
    expect(await recovered(log)).toEqual({ paths: ["/1"], damage: [] });
  });

  it("reports a damaged line in the middle, copies its segment aside and keeps all other events", async () => {
    const log = createFailingSegmentLog();
    const journal = await open(log);
    for (const number of [1, 2, 3]) await journal.append(numbered(number));
    const asides: number[] = [];
    const watched: SegmentLog = { ...log, quarantine: async (segment) => `kept ${asides.push(segment)}` };
    const length = (await log.read(NOW_MS)).length;
    await log.damage(NOW_MS, (bytes) => bytes.map((byte, at) => (at === Math.floor(length / 2) ? byte ^ 1 : byte)));
    expect(await recovered(watched)).toEqual({
      paths: ["/1", "/3"],
      damage: [{ segment: NOW_MS, damagedLines: 1, keptAt: "kept 1" }],
    });
    expect(asides).toEqual([NOW_MS]);
  });

  it("reports damage if a segment ends in several invalid lines", async () => {
    const log = createFailingSegmentLog();
    const journal = await open(log);
    await journal.append(numbered(1));
    await log.append(NOW_MS, new TextEncoder().encode("noise\nmore noise\nand more"));
    const { paths, damage } = await recovered(log);
    expect(paths).toEqual(["/1"]);
    expect(damage).toHaveLength(1);
  });
});

describe("a journal whose log groups appends", () => {
  /** How many events each append brought, and a moment that ends when the test says so. */
  async function openGathering() {
    const moment = createDeferred<void>();
    const groups: number[] = [];
    const log: SegmentLog = { ...createFailingSegmentLog(), gather: () => moment.promise };
    const { append } = log;
    log.append = (segment, bytes) => {
      groups.push(decodeJournalLines(bytes).events.length);
      return append(segment, bytes);
    };
    return { journal: await open(log), groups, endMoment: moment.resolve };
  }

  it("appends all events of one interval together", async () => {
    const { journal, groups, endMoment } = await openGathering();
    const events = [1, 2, 3].map((number) => journal.append(numbered(number)));
    endMoment();
    await Promise.all(events);
    expect(groups).toEqual([3]);
  });

  it("does not wait for the end of the interval once there are enough events", async () => {
    const { journal, groups } = await openGathering();
    await Promise.all(Array.from({ length: 16 }, (_, i) => journal.append(numbered(i))));
    expect(groups.reduce((sum, events) => sum + events, 0)).toBe(16);
    expect(pathsIn(journal)).toHaveLength(16);
  });

  it("waits for grouped events when it is closed", async () => {
    const { journal, groups, endMoment } = await openGathering();
    const event = journal.append(numbered(1));
    setImmediate(endMoment);
    await journal.close();
    await event;
    expect(groups).toEqual([1]);
  });

  it("reports that it is torn while the next events are being grouped", async () => {
    const log = createFailingSegmentLog();
    const moment = createDeferred<void>();
    let gather = (): Promise<void> => Promise.resolve();
    const journal = await open({ ...log, gather: () => gather() });
    log.failAppendAfter(10);
    await expect(journal.append(numbered(1))).rejects.toBeInstanceOf(SegmentLogFailure);
    gather = () => moment.promise;
    const next = journal.append(numbered(2));
    expect(journal.isTorn).toBe(true);
    moment.resolve();
    await next;
  });
});

describe("a journal whose log fails", () => {
  const line = encodeJournalLines(eventTexts([numbered(1)]));

  it.each([0, 1, Math.floor(line.length / 2), line.length - 1])(
    "rejects an append that fails after %d bytes, and accepts the next ones",
    async (bytes) => {
      const log = createFailingSegmentLog();
      const journal = await open(log);
      await journal.append(numbered(1));
      log.failAppendAfter(bytes);
      await expect(journal.append(numbered(2))).rejects.toBeInstanceOf(SegmentLogFailure);
      expect([pathsIn(journal), journal.size]).toEqual([["/1"], 1]);
      await journal.append(numbered(3));
      await journal.append(numbered(4));
      expect(pathsIn(journal)).toEqual(["/1", "/3", "/4"]);
      expect(await recovered(log)).toEqual({ paths: ["/1", "/3", "/4"], damage: [] });
    },
  );

  it("rejects every event of the failed write and no other", async () => {
    const log = createFailingSegmentLog();
    const journal = await open(log);
    const release = log.hold();
    const first = journal.append(numbered(1));
    const group = [2, 3, 4].map((number) => journal.append(numbered(number)));
    const outcomes = Promise.allSettled([first, ...group]);
    release();
    await first;
    log.failAppendAfter(10);
    expect((await outcomes).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "rejected"]);
    await journal.append(numbered(5));
    expect(await recovered(log)).toEqual({ paths: ["/1", "/5"], damage: [] });
  });

  it("accepts appends after many consecutive failures", async () => {
    const log = createFailingSegmentLog();
    const journal = await open(log);
    for (let number = 0; number < 5; number++) {
      log.failAppendAfter(number * 7);
      await expect(journal.append(numbered(number))).rejects.toBeInstanceOf(SegmentLogFailure);
    }
    await journal.append(numbered(9));
    expect(await recovered(log)).toEqual({ paths: ["/9"], damage: [] });
  });

  it("keeps using the same segment, not torn, after a failed write that left no bytes", async () => {
    const log = createFailingSegmentLog();
    const journal = await open(log);
    await journal.append(numbered(1));
    for (let attempt = 0; attempt < 3; attempt++) {
      log.failAppendCleanly();
      await expect(journal.append(numbered(2))).rejects.toBeInstanceOf(NothingAppendedError);
      expect(journal.isTorn).toBe(false);
    }
    await journal.append(numbered(3));
    expect(await log.list()).toHaveLength(1);
    expect(await recovered(log)).toEqual({ paths: ["/1", "/3"], damage: [] });
  });

  it("creates at most one more segment however many writes fail", async () => {
    const log = createFailingSegmentLog();
    const journal = await open(log);
    await journal.append(numbered(1));
    for (let attempt = 0; attempt < 20; attempt++) {
      log.failAppendAfter(3);
      await expect(journal.append(numbered(2))).rejects.toBeInstanceOf(SegmentLogFailure);
    }
    expect(await log.list()).toHaveLength(2);
    await journal.append(numbered(3));
    expect(await recovered(log)).toEqual({ paths: ["/1", "/3"], damage: [] });
  });

  it.each([true, false])("accepts appends after the creation of a new segment failed (created nevertheless: %s)", async (made) => {
    const log = createFailingSegmentLog();
    const journal = await open(log);
    await journal.append(numbered(1));
    log.failAppendAfter(5);
    await expect(journal.append(numbered(2))).rejects.toBeInstanceOf(SegmentLogFailure);
    log.failCreate(made);
    await expect(journal.append(numbered(3))).rejects.toBeInstanceOf(SegmentLogFailure);
    await journal.append(numbered(4));
    expect(pathsIn(journal)).toEqual(["/1", "/4"]);
    expect(await recovered(log)).toEqual({ paths: ["/1", "/4"], damage: [] });
  });

  it.each([true, false])("can seal after the creation of a new segment failed (created nevertheless: %s)", async (made) => {
    const log = createFailingSegmentLog();
    const journal = await open(log);
    await journal.append(numbered(1));
    log.failCreate(made);
    await expect(journal.seal()).rejects.toBeInstanceOf(SegmentLogFailure);
    await journal.append(numbered(2));
    await journal.seal();
    await journal.append(numbered(3));
    expect(pathsIn(journal)).toEqual(["/1", "/2", "/3"]);
    expect(journal.sealed.map(({ size }) => size)).toEqual([2]);
    expect(await recovered(log)).toEqual({ paths: ["/1", "/2", "/3"], damage: [] });
  });

  it("accepts appends after a write failed while its segment was being sealed", async () => {
    const log = createFailingSegmentLog();
    const journal = await open(log);
    await journal.append(numbered(1));
    const release = log.hold();
    const failing = journal.append(numbered(2));
    const sealed = journal.seal();
    log.failAppendAfter(10);
    release();
    await expect(failing).rejects.toBeInstanceOf(SegmentLogFailure);
    await sealed;
    await journal.append(numbered(3));
    expect(journal.sealed.map(({ size }) => size)).toEqual([1]);
    expect(await recovered(log)).toEqual({ paths: ["/1", "/3"], damage: [] });
  });

  it.each([true, false])("drops a segment at the second attempt (removed at the first: %s)", async (gone) => {
    const log = createFailingSegmentLog();
    const journal = await open(log);
    await journal.append(numbered(1));
    log.failRemove(gone);
    await expect(flushAll(journal)).rejects.toBeInstanceOf(SegmentLogFailure);
    await flushAll(journal);
    expect([journal.sealed, journal.size]).toEqual([[], 0]);
    expect((await recovered(log)).paths).toEqual([]);
  });

  /** One thing that a journal goes through. */
  type Step =
    | { readonly kind: "append"; readonly count: number }
    | { readonly kind: "seal" | "flush" | "crash" | "failAppendCleanly" }
    | { readonly kind: "failAppend"; readonly bytes: number }
    | { readonly kind: "failCreate"; readonly made: boolean }
    | { readonly kind: "failRemove"; readonly gone: boolean };

  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("append" as const), count: fc.integer({ min: 1, max: 5 }) }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("seal" as const, "flush" as const, "crash" as const) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("failAppend" as const), bytes: fc.nat(600) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("failAppendCleanly" as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("failCreate" as const), made: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("failRemove" as const), gone: fc.boolean() }) },
  );

  const ignoringFailure = (error: unknown): void => {
    if (!(error instanceof SegmentLogFailure) && !(error instanceof NothingAppendedError)) throw error;
  };

  /** Goes through the steps with appends of a step side by side; what was acknowledged and what was sent at all. */
  async function live(log: FailingSegmentLog, steps: readonly Step[]) {
    let journal = await open(log);
    const acknowledged = new Set<string>();
    const flushed = new Set<string>();
    const sent = new Set<string>();
    for (const taken of steps) {
      if (taken.kind === "append") {
        const appends = Array.from({ length: taken.count }, async () => {
          const event = numbered(sent.size);
          sent.add(event.pathname);
          await journal.append(event);
          acknowledged.add(event.pathname);
        });
        for (const outcome of await Promise.allSettled(appends)) if (outcome.status === "rejected") ignoringFailure(outcome.reason);
      } else if (taken.kind === "seal") await journal.seal().catch(ignoringFailure);
      else if (taken.kind === "flush") {
        await journal.seal().catch(ignoringFailure);
        for (const segment of [...journal.sealed]) {
          for (const text of segment.sites.get(SITE)?.get(DAY) ?? []) flushed.add(eventOf(text).pathname);
          journal.release(segment, SITE);
          await journal.drop(segment).catch(ignoringFailure);
        }
      } else if (taken.kind === "failAppend") log.failAppendAfter(taken.bytes);
      else if (taken.kind === "failAppendCleanly") log.failAppendCleanly();
      else if (taken.kind === "failCreate") log.failCreate(taken.made);
      else if (taken.kind === "failRemove") log.failRemove(taken.gone);
      else {
        log.heal();
        const { journal: next, damage } = await Journal.open(log, NOW_MS);
        expect(damage).toEqual([]);
        journal = next;
      }
      for (const path of acknowledged) {
        if (!flushed.has(path)) expect(pathsIn(journal)).toContain(path);
      }
    }
    return { acknowledged, flushed, sent };
  }

  it("keeps every acknowledged event and adds none that was not sent, for any sequence of failures", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const log = createFailingSegmentLog();
        const { acknowledged, flushed, sent } = await live(log, steps);
        log.heal();
        const { paths, damage } = await recovered(log);
        expect(damage).toEqual([]);
        expect(new Set(paths).size).toBe(paths.length);
        for (const path of acknowledged) if (!flushed.has(path)) expect(paths).toContain(path);
        for (const path of paths) expect(sent).toContain(path);
      }),
      { numRuns: 300 },
    );
  });
});
