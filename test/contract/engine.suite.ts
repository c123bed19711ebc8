/** The contract of the engine port. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  EngineFullError,
  DroppedError,
  type Block,
  type BlockFile,
  type Engine,
  type EngineQuery,
} from "../../src/runtime/duckdb/engine.ts";
import { ENGINE_CONNECTIONS_MAX } from "../../src/runtime/base/config/limits.ts";
import type { SqlParameter, SqlRow } from "../../src/runtime/query/sql.ts";
import { TooManyStepsError } from "../../src/runtime/query/text-matching.ts";
import { DAY_MS, EVENT_COLUMNS, type LocalDate, type SiteId, type StoredEvent, utcDateOf } from "../../src/storage/event.ts";
import { encodeEvents } from "../../src/storage/parquet-events.ts";
import { aFullEvent, anEvent, eventTexts, siteId } from "../support/stored-event.ts";

/** A signal that never aborts. */
export const silent = (): AbortSignal => new AbortController().signal;

/** The date of events that say nothing of theirs. */
export const DATE = "2026-03-15" as LocalDate;

const MINUTE_MS = 60_000;

/** Runs longer than any test: joins a few thousand events with themselves several times. */
const HEAVY_SQL = `
  SELECT count(*) AS n
  FROM events AS a, events AS b, events AS c
  WHERE (a.timestamp * 31 + b.timestamp * 17 + c.timestamp * 13 + a.sequence_number + b.sequence_number + c.sequence_number) % 7 = 3`;
const HEAVY_ROWS = 4_000;

let blocksMade = 0;
let sitesMade = 0;

/** A block that no other test uses. */
export const aBlock = (site: SiteId, grows = true): Block => ({
  id: ++blocksMade,
  siteId: site,
  sessionGapMs: 30 * MINUTE_MS,
  propsBytesMax: 1_000_000,
  grows,
});

/** A site that no other test uses. */
export const aSite = (): SiteId => siteId(`engine-${++sitesMade}.test`);

/** A file of the site. */
export const fileOf = (site: SiteId, events: readonly StoredEvent[]): Uint8Array =>
  encodeEvents(events.map((event) => ({ ...event, siteId: site })));

const withoutParameters: readonly SqlParameter[] = [];

export const aQuery = (
  site: SiteId,
  blocks: readonly Block[],
  sql: string,
  parameters: readonly SqlParameter[] = withoutParameters,
): EngineQuery => ({ siteId: site, blocks: blocks.map(({ id }) => id), sql, parameters });

/** The events of each session by its first one, as "visitor time": a visitor's events of a day without a pause longer than half an hour. */
function firstsOfSessions(events: readonly StoredEvent[]): ReadonlyMap<string, readonly string[]> {
  const sessions = new Map<string, string[]>();
  let [session, before]: [string[], StoredEvent | null] = [[], null];
  const inTime = [...events].sort((a, b) => Number(a.visitorId - b.visitorId) || a.timestampMs - b.timestampMs);
  for (const event of inTime) {
    const name = `${event.visitorId} ${event.timestampMs}`;
    const goesOn =
      before?.visitorId === event.visitorId &&
      utcDateOf(before.timestampMs) === utcDateOf(event.timestampMs) &&
      event.timestampMs - before.timestampMs <= 30 * MINUTE_MS;
    if (!goesOn) sessions.set(name, (session = []));
    session.push(name);
    before = event;
  }
  return sessions;
}

/** The events in their order, cut where the date changes. */
function runsOfOneDate(events: readonly StoredEvent[]): StoredEvent[][] {
  const runs: StoredEvent[][] = [];
  for (const event of events) {
    const run = runs.at(-1);
    if (run?.[0] && utcDateOf(run[0].timestampMs) === utcDateOf(event.timestampMs)) run.push(event);
    else runs.push([event]);
  }
  return runs;
}

/** `makeEngine` returns an empty engine, which the suite closes. */
export function describeEngine(name: string, makeEngine: () => Promise<Engine>): void {
  describe(`the engine ${name}`, () => {
    let engine: Engine;
    beforeAll(async () => {
      engine = await makeEngine();
    });
    afterAll(() => engine.close());

    const ask = (site: SiteId, blocks: readonly Block[], sql: string, parameters?: readonly SqlParameter[]): Promise<SqlRow[]> =>
      engine.query(aQuery(site, blocks, sql, parameters), silent());

    const countOf = async (site: SiteId, blocks: readonly Block[]): Promise<unknown> =>
      (await ask(site, blocks, "SELECT count(*) AS n FROM events"))[0]?.n;

    /** A block of its own with these events. */
    async function load(events: readonly StoredEvent[], site: SiteId = aSite()): Promise<{ site: SiteId; block: Block }> {
      const block = aBlock(site);
      if (events.length === 0) await engine.append(block, { date: DATE, events: [] });
      for (const ofDate of runsOfOneDate(events)) {
        await engine.append(block, { date: utcDateOf(ofDate[0]?.timestampMs ?? 0), events: eventTexts(ofDate) });
      }
      return { site, block };
    }

    /** Every text column by name, as text. */
    const TEXT_COLUMNS = EVENT_COLUMNS.filter(({ kind, name: column }) => kind === "text" && column !== "site_id");
    const ALL_TEXTS = `
      SELECT ${TEXT_COLUMNS.map(({ name: column }) => `t_${column}.text AS ${column}`).join(", ")}
      FROM events ${TEXT_COLUMNS.map(({ name: column }) => `LEFT JOIN texts AS t_${column} ON t_${column}.code = events.${column}`).join(" ")}
      ORDER BY sequence_number`;

    const textsOf = (event: StoredEvent): SqlRow =>
      Object.fromEntries(TEXT_COLUMNS.map(({ name: column, field }) => [column, event[field] as string | null]));

    /** The properties of a block's events, as the texts that they came as. */
    async function propsOf(site: SiteId, block: Block): Promise<(string | null)[]> {
      const numbers = (await ask(site, [block], "SELECT props FROM events ORDER BY sequence_number")).map(({ props }) => Number(props));
      const recorded = numbers.filter((number) => number !== 0);
      const texts = new Map((await engine.propsTexts(site, recorded)).map((text, i) => [recorded[i], text]));
      return numbers.map((number) => texts.get(number) ?? null);
    }

    describe("events", () => {
      const events = [
        aFullEvent(1, { at: "2026-03-15T12:00:00.000Z" }),
        anEvent({ at: "2026-03-15T12:00:00.001Z", visitorId: 0xffff_ffff_ffff_ffffn }),
        anEvent({ at: "1970-01-01T00:00:00.000Z", visitorId: 0n, revenueCents: 0 }),
        anEvent({ at: "9999-12-31T23:59:59.999Z", visitorId: 1n << 63n, revenueCents: 999_999_999_999, engagedSeconds: 86_400 }),
        aFullEvent(2, { revenueCents: -999_999_999_999 }),
      ];
      const NUMBERS = "SELECT timestamp, visitor_id, revenue_amount, engaged_seconds, sequence_number FROM events ORDER BY sequence_number";
      const numbers = events.map(({ timestampMs, visitorId, revenueCents, engagedSeconds }, sequence_number) => ({
        timestamp: timestampMs,
        visitor_id: visitorId <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(visitorId) : visitorId,
        revenue_amount: revenueCents,
        engaged_seconds: engagedSeconds,
        sequence_number,
      }));

      it("event rows come in order of sequence number, with exact numbers", async () => {
        const { site, block } = await load(events);
        expect(await ask(site, [block], NUMBERS)).toEqual(numbers);
      });

      it("every text column contains its string, or NULL if it was not recorded", async () => {
        const { site, block } = await load(events);
        expect(await ask(site, [block], ALL_TEXTS)).toEqual(events.map(textsOf));
        expect(await propsOf(site, block)).toEqual(events.map(({ props }) => props));
        expect(await ask(site, [block], "SELECT count(*) AS n FROM events WHERE browser = 0")).toEqual([{ n: 3 }]);
      });

      it("events loaded from files equal events appended directly", async () => {
        const site = aSite();
        const block = aBlock(site);
        const files = [
          { key: "first", date: DATE, bytes: fileOf(site, events.slice(0, 2)) },
          { key: "second", date: DATE, bytes: fileOf(site, events.slice(2)) },
        ];
        expect((await engine.append(block, { files })).unreadable).toEqual([]);
        expect(await ask(site, [block], NUMBERS)).toEqual(numbers);
        expect(await ask(site, [block], ALL_TEXTS)).toEqual(events.map(textsOf));
        expect(await propsOf(site, block)).toEqual(events.map(({ props }) => props));
      });

      it("sequence numbers continue from one append to the next", async () => {
        const site = aSite();
        const block = aBlock(site);
        await engine.append(block, { files: [{ key: "file", date: DATE, bytes: fileOf(site, events.slice(0, 2)) }] });
        await engine.append(block, { date: DATE, events: eventTexts(events.slice(2, 3)) });
        await engine.append(block, { date: DATE, events: eventTexts(events.slice(3)) });
        expect(await ask(site, [block], NUMBERS)).toEqual(numbers);
        expect(await ask(site, [block], ALL_TEXTS)).toEqual(events.map(textsOf));
        expect(await propsOf(site, block)).toEqual(events.map(({ props }) => props));
      });

      it("rows contain the day of the date that they were loaded with, whatever their timestamps say", async () => {
        const site = aSite();
        const block = aBlock(site);
        const late = fileOf(site, [anEvent({ at: "2026-03-16T00:30:00.000Z" })]);
        const files = [
          { key: "first", date: DATE, bytes: late },
          { key: "second", date: "2026-03-17" as LocalDate, bytes: late },
        ];
        await engine.append(block, { files });
        await engine.append(block, { date: "1969-12-31" as LocalDate, events: eventTexts([anEvent(), anEvent()]) });
        const first = Date.parse(DATE) / DAY_MS;
        expect(await ask(site, [block], "SELECT day FROM events ORDER BY sequence_number")).toEqual(
          [first, first + 2, -1, -1].map((day) => ({ day })),
        );
      });

      it("an append of thousands of events loads all of them", async () => {
        const many = Array.from({ length: 5_000 }, (_, i) => aFullEvent(i % 1_000, { revenueCents: i % 100 }));
        const { site, block } = await load(many);
        const sql =
          "SELECT count(*) AS n, count(DISTINCT pathname) AS pages, sum(revenue_amount)::BIGINT AS cents, max(sequence_number) AS last FROM events";
        expect(await ask(site, [block], sql)).toEqual([{ n: 5_000, pages: 1_000, cents: 247_500, last: 4_999 }]);
      });
    });

    describe("blocks", () => {
      it("a query reads exactly the blocks that it names", async () => {
        const site = aSite();
        const [first, second] = [aBlock(site), aBlock(site)];
        await engine.append(first, { date: DATE, events: eventTexts([anEvent({ pathname: "/first" }), anEvent({ pathname: "/both" })]) });
        await engine.append(second, { date: DATE, events: eventTexts([anEvent({ pathname: "/both" })]) });
        const PAGES = "SELECT text, count(*) AS n FROM events JOIN texts ON code = pathname GROUP BY text ORDER BY text";
        expect(await ask(site, [first, second], PAGES)).toEqual([
          { text: "/both", n: 2 },
          { text: "/first", n: 1 },
        ]);
        expect(await ask(site, [second], PAGES)).toEqual([{ text: "/both", n: 1 }]);
        expect(await countOf(site, [])).toBe(0);
      });

      it("sessions are numbered correctly for any order of files, days and timestamps", async () => {
        await fc.assert(
          fc.asyncProperty(
            fc.array(fc.tuple(fc.nat(2), fc.array(fc.tuple(fc.nat(3), fc.nat(200)), { minLength: 1, maxLength: 12 })), {
              minLength: 1,
              maxLength: 8,
            }),
            async (parts) => {
              const site = aSite();
              const block = aBlock(site);
              const files = parts.map(([day, rows]) =>
                rows.map(([visitor, minute]) =>
                  anEvent({ visitorId: BigInt(visitor), timestampMs: day * 24 * 60 * MINUTE_MS + minute * MINUTE_MS }),
                ),
              );
              await engine.append(block, {
                files: files.map((ofFile, i) => ({
                  key: String(i),
                  date: utcDateOf(ofFile[0]?.timestampMs ?? 0),
                  bytes: fileOf(site, ofFile),
                })),
              });
              const given = await ask(site, [block], "SELECT visitor_id, timestamp, session FROM events ORDER BY sequence_number");
              expect(given.map(({ visitor_id, timestamp }) => [visitor_id, timestamp])).toEqual(
                files.flat().map(({ visitorId, timestampMs }) => [Number(visitorId), timestampMs]),
              );
              expect(new Set(given.map(({ session }) => session)).size).toBe(firstsOfSessions(files.flat()).size);
              const sessionOf = new Map(given.map(({ visitor_id, timestamp, session }) => [`${visitor_id} ${timestamp}`, session]));
              for (const [first, ofSession] of firstsOfSessions(files.flat())) {
                expect(new Set(ofSession.map((event) => sessionOf.get(event)))).toEqual(new Set([sessionOf.get(first)]));
              }
              await engine.drop([block.id]);
            },
          ),
          { numRuns: 25 },
        );
      });

      it("a block may be empty", async () => {
        const { site, block } = await load([]);
        expect(await countOf(site, [block])).toBe(0);
        await engine.append(block, { files: [] });
        expect(await countOf(site, [block])).toBe(0);
        await engine.append(block, { date: DATE, events: eventTexts([anEvent()]) });
        expect(await countOf(site, [block])).toBe(1);
      });

      it("a site without blocks has no events and no strings", async () => {
        const site = aSite();
        expect(await countOf(site, [])).toBe(0);
        expect(await ask(site, [], "SELECT count(*) AS n FROM texts")).toEqual([{ n: 0 }]);
        expect(await ask(site, [], "SELECT count(*) AS n FROM events WHERE pathname = $1", [{ text: "/" }])).toEqual([{ n: 0 }]);
      });

      it("a query that names a dropped block rejects with DroppedError", async () => {
        const site = aSite();
        const [kept, dropped] = [aBlock(site), aBlock(site)];
        for (const block of [kept, dropped]) await engine.append(block, { date: DATE, events: eventTexts([anEvent()]) });
        await engine.drop([dropped.id]);
        await expect(countOf(site, [kept, dropped])).rejects.toBeInstanceOf(DroppedError);
        expect(await countOf(site, [kept])).toBe(1);
      });

      it("dropping an unknown or already dropped block succeeds", async () => {
        const { block } = await load([anEvent()]);
        await engine.drop([block.id, block.id]);
        await engine.drop([block.id, 987_654_321]);
        await engine.drop([]);
      });

      it("blocks count as resident memory until they are dropped", async () => {
        const [first, second] = [aBlock(aSite()), aBlock(aSite())];
        // Enough rows for a checkpoint after each append.
        const many = Array.from({ length: 60_000 }, (_, i) => anEvent({ pathname: `/${i}`, visitorId: BigInt(i) }));
        const { memoryBytes: one } = await engine.append(first, { date: DATE, events: eventTexts(many) });
        const { memoryBytes: two } = await engine.append(second, { date: DATE, events: eventTexts(many) });
        expect(two).toBeGreaterThan(one + 1_000_000);
        const { memoryBytes: left } = await engine.drop([second.id]);
        expect(left).toBeLessThan(two - 1_000_000);
        expect((await engine.drop([first.id])).memoryBytes).toBeLessThan(left - 1_000_000);
      });

      it("a site whose blocks were all dropped can be loaded again", async () => {
        const { site, block } = await load([anEvent({ pathname: "/old" })]);
        await engine.drop([block.id]);
        const { block: next } = await load([anEvent({ pathname: "/new" })], site);
        const sql = "SELECT text FROM events JOIN texts ON code = pathname";
        expect(await ask(site, [next], sql)).toEqual([{ text: "/new" }]);
        expect(await ask(site, [next], "SELECT count(*) AS n FROM events WHERE pathname = $1", [{ text: "/old" }])).toEqual([{ n: 0 }]);
      });
    });

    describe("sessions", () => {
      const SESSIONS = "SELECT * FROM sessions ORDER BY session";
      const EVENTS = `
        SELECT session, visitor_id, day, timestamp, pathname, sequence_number, CAST(event_name = $1 AS INTEGER) AS viewed,
          CAST(event_name = $1 OR interactive IS NULL AS INTEGER) AS interacted
        FROM events ORDER BY day, timestamp, sequence_number`;

      /** The sessions of the blocks, grouped here. */
      async function groupedSessions(site: SiteId, blocks: readonly Block[]): Promise<SqlRow[]> {
        const sessions = new Map<number, SqlRow[]>();
        const rows = await ask(site, blocks, EVENTS, [{ text: "pageview" }]);
        for (const row of rows) sessions.set(Number(row.session), [...(sessions.get(Number(row.session)) ?? []), row]);
        return [...sessions]
          .sort(([a], [b]) => a - b)
          .map(([session, events]) => {
            const views = events.filter(({ viewed }) => viewed === 1);
            return {
              session,
              visitor_id: events[0]?.visitor_id ?? null,
              day: events[0]?.day ?? null,
              first_ms: events[0]?.timestamp ?? null,
              last_ms: events.at(-1)?.timestamp ?? null,
              interactions: events.filter(({ interacted }) => interacted === 1).length,
              pageviews: views.length,
              entry_page: views[0]?.pathname ?? null,
              exit_page: views.at(-1)?.pathname ?? null,
              first_event: events[0]?.sequence_number ?? null,
            };
          });
      }

      const expectSessions = async (site: SiteId, blocks: readonly Block[]): Promise<void> =>
        expect(await ask(site, blocks, SESSIONS)).toEqual(await groupedSessions(site, blocks));

      const anyEvent = fc.record({
        visitor: fc.nat(3),
        minute: fc.nat(200),
        page: fc.constantFrom("/a", "/b", "/c"),
        eventName: fc.constantFrom("pageview", "Signup"),
        interactive: fc.constantFrom(null, 0),
      });
      const anyChange = fc.record({ block: fc.nat(1), day: fc.nat(2), inFile: fc.boolean(), rows: fc.array(anyEvent, { maxLength: 8 }) });

      it("sessions are the groups of all events, whatever is appended in any order", async () => {
        await fc.assert(
          fc.asyncProperty(fc.array(anyChange, { maxLength: 12 }), async (changes) => {
            const site = aSite();
            const blocks = [aBlock(site), aBlock(site)] as const;
            for (const block of blocks) await engine.append(block, { files: [] });
            for (const change of changes) {
              // A day is in one block only.
              const startMs = (change.day + 3 * change.block) * DAY_MS;
              const date = utcDateOf(startMs);
              const events = change.rows.map(({ visitor, minute, page, ...named }) =>
                anEvent({ visitorId: BigInt(visitor), timestampMs: startMs + minute * MINUTE_MS, pathname: page, ...named }),
              );
              const files = [{ key: "file", date, bytes: fileOf(site, events) }];
              await engine.append(blocks[change.block] ?? blocks[0], change.inFile ? { files } : { date, events: eventTexts(events) });
              await expectSessions(site, blocks);
            }
            await engine.drop(blocks.map(({ id }) => id));
          }),
          { numRuns: 25 },
        );
      });

      it("a range of days and a list of sessions restrict sessions", async () => {
        const days = [0, 1, 2, 3].map((day) => anEvent({ visitorId: 7n, timestampMs: day * DAY_MS, pathname: `/${day}` }));
        const { site, block } = await load(days);
        const sql =
          "SELECT day FROM sessions WHERE day >= 1 AND day <= 2 AND session IN (SELECT session FROM events WHERE pathname <> $1) ORDER BY day";
        expect(await ask(site, [block], sql, [{ text: "/1" }])).toEqual([{ day: 2 }]);
      });

      it("a query without blocks finds no sessions", async () => {
        const site = aSite();
        expect(await ask(site, [], SESSIONS)).toEqual([]);
      });

      it("the memory of sessions is given back when events continue them again and again", async () => {
        const { site, block } = await load([anEvent()]);
        const sizes: number[] = [];
        for (let round = 0; round < 40; round++) {
          const events = Array.from({ length: 5_000 }, (_, i) =>
            anEvent({ visitorId: BigInt(i), at: `2026-03-15T12:${10 + (round % 20)}:00Z` }),
          );
          sizes.push((await engine.append(block, { date: DATE, events: eventTexts(events) })).memoryBytes);
        }
        expect(await ask(site, [block], "SELECT count(*) AS n, sum(interactions)::BIGINT AS interactions FROM sessions")).toEqual([
          { n: 5_000, interactions: 200_001 },
        ]);
        await engine.drop([block.id]);
        // 200,000 sessions would have been written, of which 5,000 stay.
        expect((sizes.at(-1) ?? 0) - (sizes[0] ?? 0)).toBeLessThan(20_000_000);
      }, 60_000);
    });

    describe("further columns", () => {
      const anyDays = fc.array(
        fc.array(
          fc.array(
            fc.record({
              visitor: fc.nat(3),
              minute: fc.nat(200),
              page: fc.constantFrom("/a", "/b"),
              eventName: fc.constantFrom("pageview", "Signup"),
              interactive: fc.constantFrom(null, 0),
              seed: fc.nat(5),
            }),
            { maxLength: 6 },
          ),
          { minLength: 1, maxLength: 3 },
        ),
        { minLength: 1, maxLength: 4 },
      );
      const NAMES = EVENT_COLUMNS.map(({ name: column }) => column).filter((column) => column !== "site_id" && column !== "props");
      const FURTHER = NAMES.filter((column) => !["visitor_id", "event_name", "pathname"].includes(column));
      const ORDER = "SELECT day, visitor_id, session, event_name, pathname";
      const SESSIONS_BY_START =
        "SELECT visitor_id, day, first_ms, last_ms, interactions, pageviews, entry_page, exit_page FROM sessions ORDER BY ALL";

      it("a block has the same rows, whichever columns it gets at first and later, as one that has all", async () => {
        await fc.assert(
          fc.asyncProperty(anyDays, fc.subarray(FURTHER), fc.shuffledSubarray(FURTHER), async (days, first, later) => {
            const site = aSite();
            const [whole, block] = [aBlock(site), aBlock(site, false)];
            const files = days.flatMap((ofDay, day) =>
              ofDay.map((rows, i) => ({
                key: `${day} ${i}`,
                date: utcDateOf(day * DAY_MS),
                bytes: fileOf(
                  site,
                  rows.map(({ visitor, minute, page, eventName, seed }) =>
                    aFullEvent(seed, {
                      visitorId: BigInt(visitor),
                      timestampMs: day * DAY_MS + minute * MINUTE_MS,
                      pathname: page,
                      eventName,
                      ...(seed === 0 && { countryCode: null, revenueCents: null, engagedSeconds: null }),
                    }),
                  ),
                ),
              })),
            );
            await engine.append(whole, { files });
            await engine.append(block, { files, columns: first });
            for (const column of later) await engine.addColumns(block.id, [column], files);
            const present = FURTHER.filter((column) => first.includes(column) || later.includes(column));
            const rows = `${[ORDER, ...present].join(", ")} FROM events`;
            const withoutNumbers = async (of: Block) => (await ask(site, [of], rows)).map(({ session: _session, ...row }) => row);
            expect(await withoutNumbers(block)).toEqual(await withoutNumbers(whole));
            expect(await ask(site, [block], SESSIONS_BY_START)).toEqual(await ask(site, [whole], SESSIONS_BY_START));
            expect(await ask(site, [block, whole], `SELECT count(DISTINCT session) AS n FROM events`)).toEqual([
              { n: (await ask(site, [block, whole], "SELECT session FROM sessions")).length },
            ]);
            await engine.drop([whole.id, block.id]);
          }),
          { numRuns: 25 },
        );
      });

      it("days that are appended later have the columns of their block", async () => {
        const site = aSite();
        const block = aBlock(site, false);
        const ofDay = (day: number, city: string) => ({
          key: String(day),
          date: utcDateOf(day * DAY_MS),
          bytes: fileOf(site, [anEvent({ timestampMs: day * DAY_MS, city })]),
        });
        await engine.append(block, { files: [ofDay(0, "Bonn")], columns: ["city"] });
        await engine.append(block, { files: [ofDay(1, "Ulm")] });
        await engine.addColumns(block.id, ["timestamp"], [ofDay(0, "Bonn"), ofDay(1, "Ulm")]);
        await engine.append(block, { files: [ofDay(2, "Rom")] });
        const CITIES = "SELECT text, timestamp, sequence_number FROM events JOIN texts ON code = city ORDER BY timestamp";
        expect(await ask(site, [block], CITIES)).toEqual([
          { text: "Bonn", timestamp: 0, sequence_number: 0 },
          { text: "Ulm", timestamp: DAY_MS, sequence_number: 1 },
          { text: "Rom", timestamp: 2 * DAY_MS, sequence_number: 2 },
        ]);
      });

      it("properties are a column, which goes and comes again", async () => {
        const site = aSite();
        const block = aBlock(site, false);
        const files = [{ key: "file", date: DATE, bytes: fileOf(site, [anEvent({ props: '{"plan":"pro"}' }), anEvent()]) }];
        expect((await engine.append(block, { files, columns: ["timestamp"] })).propsBytes).toBeNull();
        for (let round = 0; round < 2; round++) {
          expect((await engine.addColumns(block.id, ["props"], files)).propsBytes).toBeGreaterThan(0);
          expect(await propsOf(site, block)).toEqual(['{"plan":"pro"}', null]);
          await engine.dropProps([block.id]);
        }
        await engine.addColumns(block.id, ["props"], files);
        expect(await propsOf(site, block)).toEqual(['{"plan":"pro"}', null]);
        const small = { ...aBlock(site, false), propsBytesMax: 1 };
        expect((await engine.append(small, { files, columns: ["props"] })).propsBytes).toBeNull();
        expect((await engine.addColumns(small.id, ["props"], files)).propsBytes).toBeNull();
        expect(await countOf(site, [small])).toBe(2);
      });

      it("properties may be dropped at any moment while more days are loaded", async () => {
        const site = aSite();
        const fileOn = (day: number, count: number): BlockFile => {
          const events = Array.from({ length: count }, (_, i) => anEvent({ timestampMs: day * DAY_MS + i, props: '{"plan":"pro"}' }));
          return { key: String(day), date: utcDateOf(day * DAY_MS), bytes: fileOf(site, events) };
        };
        const [first, more] = [fileOn(0, 1), fileOn(1, 60_000)];
        for (let turns = 0; turns < 5; turns++) {
          const block = aBlock(site, false);
          await engine.append(block, { files: [first], columns: ["props"] });
          const appended = engine.append(block, { files: [more] });
          for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setTimeout(resolve));
          await engine.dropProps([block.id]);
          await appended;
          expect(await countOf(site, [block])).toBe(60_001);
        }
      });

      it.each<[string, (files: readonly BlockFile[], more: BlockFile) => readonly BlockFile[]]>([
        ["a file more", (files, more) => [...files, more]],
        ["a file less", (files) => files.slice(1)],
        ["a file that cannot be read", ([first, ...others]) => [{ ...first, bytes: new Uint8Array(9) } as BlockFile, ...others]],
        ["the days in another order", (files) => files.toReversed()],
        ["no file", () => []],
      ])("a column of %s is refused with DroppedError, and the block stays as it was", async (_name, changed) => {
        const site = aSite();
        const block = aBlock(site, false);
        const ofDay = (day: number) => ({
          key: String(day),
          date: utcDateOf(day * DAY_MS),
          bytes: fileOf(site, [anEvent({ timestampMs: day * DAY_MS, city: "Bonn" })]),
        });
        const files = [ofDay(0), ofDay(1)];
        await engine.append(block, { files, columns: ["os"] });
        await expect(engine.addColumns(block.id, ["city", "browser"], changed(files, ofDay(1)))).rejects.toBeInstanceOf(DroppedError);
        expect(await ask(site, [block], "SELECT count(*) AS n, count(os) AS os FROM events")).toEqual([{ n: 2, os: 2 }]);
        await engine.addColumns(block.id, ["city"], files);
        expect(await ask(site, [block], "SELECT count(*) AS n FROM events WHERE city = $1", [{ text: "Bonn" }])).toEqual([{ n: 2 }]);
      });

      it("a query that names a column that its block does not have rejects with DroppedError", async () => {
        const site = aSite();
        const block = aBlock(site, false);
        await engine.append(block, { files: [{ key: "file", date: DATE, bytes: fileOf(site, [anEvent()]) }] });
        await expect(ask(site, [block], "SELECT (SELECT max(city) FROM events) AS city")).rejects.toBeInstanceOf(DroppedError);
        await expect(engine.addColumns(987_654_321, ["city"], [])).rejects.toBeInstanceOf(DroppedError);
      });

      it("a column takes a small part of the memory, until its block is dropped", async () => {
        const site = aSite();
        const block = aBlock(site, false);
        const visitorId = (i: number) => BigInt.asUintN(64, BigInt(i) * 0x9e37_79b9_7f4a_7c15n);
        const many = Array.from({ length: 200_000 }, (_, i) => anEvent({ visitorId: visitorId(i >> 3), city: `city ${i % 300}` }));
        const files = [{ key: "file", date: DATE, bytes: fileOf(site, many) }];
        const { memoryBytes: without } = await engine.append(block, { files });
        const { memoryBytes: all } = await engine.addColumns(block.id, ["city"], files);
        const { memoryBytes: none } = await engine.drop([block.id]);
        expect(all - without).toBeGreaterThan(50_000);
        expect(all - without).toBeLessThan((without - none) / 2);
      }, 200_000);
    });

    describe("strings", () => {
      const TEXTS = [
        "'",
        '"',
        "\\",
        "$1",
        "a\u0000b",
        "\n",
        "\u{1f600}",
        "e\u0301",
        "\u00e9",
        "",
        " ",
        "null",
        "x".repeat(5_000),
        "); DROP TABLE texts; --",
      ];

      it("strings of all kinds are returned unchanged and stay distinct", async () => {
        const { site, block } = await load(TEXTS.map((eventName) => anEvent({ eventName })));
        const rows = await ask(site, [block], "SELECT text FROM events JOIN texts ON code = event_name ORDER BY sequence_number");
        expect(rows.map(({ text }) => text)).toEqual(TEXTS);
        for (const text of TEXTS) {
          const sql = "SELECT count(*) AS n, min(sequence_number) AS first FROM events WHERE event_name = $1";
          expect(await ask(site, [block], sql, [{ text }])).toEqual([{ n: 1, first: TEXTS.indexOf(text) }]);
        }
      });

      it("a string that no event contains matches no event", async () => {
        const { site, block } = await load([anEvent({ browser: "Firefox" }), anEvent({ browser: null })]);
        for (const text of ["firefox", "Firefox ", "", "0", "-1"]) {
          expect(await ask(site, [block], "SELECT count(*) AS n FROM events WHERE browser = $1", [{ text }])).toEqual([{ n: 0 }]);
        }
        expect(await ask(site, [block], "SELECT count(*) AS n FROM events WHERE browser <> $1", [{ text: "Opera" }])).toEqual([{ n: 2 }]);
      });

      it("(unknown) means not recorded, and a recorded (unknown) counts as not recorded", async () => {
        const { site, block } = await load([anEvent({ city: null }), anEvent({ city: "(unknown)" }), anEvent({ city: "Bern" })]);
        expect(await ask(site, [block], "SELECT count(*) AS n FROM events WHERE city = $1", [{ text: "(unknown)" }])).toEqual([{ n: 2 }]);
        expect(await ask(site, [block], "SELECT count(*) AS n FROM texts WHERE text = '(unknown)'")).toEqual([{ n: 0 }]);
      });

      it("a site does not see the strings of another site", async () => {
        const { site } = await load([anEvent({ pathname: "/secret" })]);
        const other = await load([anEvent({ pathname: "/own" })]);
        expect(await ask(other.site, [other.block], "SELECT text FROM texts WHERE text LIKE '/%'")).toEqual([{ text: "/own" }]);
        expect(await ask(site, [], "SELECT text FROM texts WHERE text LIKE '/%'")).toEqual([{ text: "/secret" }]);
      });
    });

    describe("properties", () => {
      /** The keys, or the values of one, of so many events each. */
      const askProperties = (site: SiteId, blocks: readonly Block[], key: string | null, bytesMax = 1_000_000): Promise<SqlRow[]> => {
        const sql = `
          SELECT coalesce(text, '(unknown)') AS text, count(*) AS n
          FROM events JOIN properties ON properties.props = events.props LEFT JOIN property_texts ON property_texts.code = properties.code
          GROUP BY ALL ORDER BY text`;
        return engine.query({ ...aQuery(site, blocks, sql), properties: { key, bytesMax } }, silent());
      };

      it("properties are the keys and values of props, nested keys joined with dots", async () => {
        const props = '{"plan":"pro","n":1.5,"on":true,"none":null,"list":[1,"a"],"nested":{"deep":{"er":"x"},"n":0}}';
        const { site, block } = await load([anEvent({ props }), anEvent({ props }), anEvent()]);
        expect(await askProperties(site, [block], null)).toEqual(
          ["list", "n", "nested.deep.er", "nested.n", "on", "plan"].map((text) => ({ text, n: 2 })),
        );
        const values = await Promise.all(
          ["list", "n", "nested.deep.er", "nested.n", "on", "plan", "none", "nested"].map((key) => askProperties(site, [block], key)),
        );
        expect(values).toEqual([...['[1,"a"]', "1.5", "x", "0", "true", "pro"].map((text) => [{ text, n: 2 }]), [], []]);
      });

      it("numbers and strings keep the digits and spelling in which they were sent", async () => {
        const props =
          '{"id":9007199254740993,"n":-1.50e+2,"list":[12345678901234567890,"]\\"",[]],"a":{"":{"b.c":"\\u00e9\\\\"}},"last":null}';
        const { site, block } = await load([
          anEvent({ props }),
          anEvent({ props: "{}" }),
          anEvent({ props: '{"plan":"(unknown)","id":"null"}' }),
        ]);
        const values = await Promise.all(
          ["id", "n", "list", "a..b.c", "plan", "last", "", "a"].map((key) => askProperties(site, [block], key)),
        );
        expect(values.map((rows) => rows.map(({ text }) => text))).toEqual([
          ["9007199254740993", "null"],
          ["-1.50e+2"],
          ['[12345678901234567890,"]\\"",[]]'],
          ["é\\"],
          [],
          [],
          [],
          [],
        ]);
      });

      it("properties do not enter the site's strings, and are parsed only for queries that read them", async () => {
        const { site, block } = await load(Array.from({ length: 5_000 }, (_, i) => anEvent({ props: `{"key-${i}":"value-${i}"}` })));
        expect(await ask(site, [block], "SELECT count(*) AS n FROM texts WHERE text LIKE '%key-%' OR text LIKE '%value-%'")).toEqual([
          { n: 0 },
        ]);
        expect(await askProperties(site, [block], "key-4999")).toEqual([{ text: "value-4999", n: 1 }]);
        expect(await askProperties(site, [block], null)).toHaveLength(5_000);
        expect(new Set(await propsOf(site, block)).size).toBe(5_000);
      });

      it("a query whose properties exceed its limit rejects with EngineFullError", async () => {
        const { site, block } = await load(
          Array.from({ length: 100 }, (_, i) => anEvent({ props: `{"same":"x","key-${i}":"${"v".repeat(1000)}${i}"}` })),
        );
        await expect(askProperties(site, [block], null, 10_000)).rejects.toThrow(EngineFullError);
        expect(await askProperties(site, [block], "same", 10_000)).toEqual([{ text: "x", n: 100 }]);
        expect(await askProperties(site, [block], "key-7", 10_000)).toHaveLength(1);
      });

      it("properties are dropped on request or above their limit, and everything else stays", async () => {
        const site = aSite();
        const [small, large] = [aBlock(site), { ...aBlock(site), propsBytesMax: 10_000 }];
        const withProps = (text: string, count: number) =>
          Array.from({ length: count }, (_, i) => anEvent({ pathname: `/${text}`, props: JSON.stringify({ text: `${text}-${i}` }) }));
        expect((await engine.append(small, { date: DATE, events: eventTexts(withProps("small", 3)) })).propsBytes).toBeGreaterThan(0);
        const full = await engine.append(large, { date: DATE, events: eventTexts(withProps("large", 1_000)) });
        expect(full.propsBytes).toBeNull();
        const files = [{ key: "more", date: DATE, bytes: fileOf(site, withProps("large", 1_000)) }];
        const { propsBytes, memoryBytes } = await engine.append(large, { files });
        expect(propsBytes).toBeNull();
        expect(await countOf(site, [small, large])).toBe(2_003);
        await expect(askProperties(site, [small, large], "text")).rejects.toThrow(DroppedError);
        expect(await askProperties(site, [small], "text")).toHaveLength(3);
        const numbers = (await ask(site, [small], "SELECT DISTINCT props FROM events")).map(({ props }) => Number(props));
        expect((await engine.dropProps([small.id])).memoryBytes).toBeLessThan(memoryBytes);
        await expect(engine.propsTexts(site, numbers)).rejects.toThrow(DroppedError);
        expect(
          await ask(
            site,
            [small, large],
            "SELECT text, count(*) AS n FROM events JOIN texts ON code = pathname GROUP BY text ORDER BY text",
          ),
        ).toEqual([
          { text: "/large", n: 2_000 },
          { text: "/small", n: 3 },
        ]);
      });
    });

    describe("files", () => {
      it("files of another site than their block's are reported with its name, and the others are loaded", async () => {
        const [site, other] = [aSite(), aSite()];
        const block = aBlock(site);
        const files = [
          { key: "own", date: DATE, bytes: fileOf(site, [anEvent()]) },
          { key: "renamed", date: DATE, bytes: fileOf(other, [anEvent(), anEvent()]) },
        ];
        const { unreadable } = await engine.append(block, { files });
        expect(unreadable).toEqual([{ key: "renamed", reason: expect.stringContaining(`its events are of ${other}, not of`) as unknown }]);
        expect(await countOf(site, [block])).toBe(1);
      });

      it("unreadable files are reported with a reason, and the others are loaded", async () => {
        const site = aSite();
        const block = aBlock(site);
        const whole = fileOf(site, [anEvent()]);
        const { unreadable } = await engine.append(block, {
          files: [
            { key: "first", date: DATE, bytes: whole },
            { key: "empty", date: DATE, bytes: new Uint8Array() },
            { key: "noise", date: DATE, bytes: new Uint8Array(500).fill(7) },
            { key: "cut", date: DATE, bytes: whole.subarray(0, whole.length - 20) },
            { key: "headless", date: DATE, bytes: whole.subarray(50) },
            { key: "last", date: DATE, bytes: whole },
          ],
        });
        expect(unreadable.map(({ key }) => key)).toEqual(["empty", "noise", "cut", "headless"]);
        for (const { reason } of unreadable) expect(reason).not.toBe("");
        expect(await countOf(site, [block])).toBe(2);
      });
    });

    describe("queries", () => {
      it("a query may define relations with WITH", async () => {
        const { site, block } = await load([anEvent(), anEvent()]);
        const sql = "\n  WITH counted AS (SELECT count(*) AS n FROM events)\n  SELECT n + 1 AS n FROM counted";
        expect(await ask(site, [block], sql)).toEqual([{ n: 3 }]);
      });

      it("parameters are numbers and strings, in any order and used any number of times", async () => {
        const { site, block } = await load([anEvent({ visitorId: 0xffff_ffff_ffff_fff0n, timestampMs: -5 })]);
        const sql = "SELECT count(*) AS n FROM events WHERE pathname = $3 AND timestamp > $1 AND visitor_id > $2 AND timestamp < -$1";
        expect(await ask(site, [block], sql, [-6, 0xffff_ffff_ffff_ffefn, { text: "/" }])).toEqual([{ n: 1 }]);
        expect(await ask(site, [block], sql, [-5, 0xffff_ffff_ffff_ffefn, { text: "/" }])).toEqual([{ n: 0 }]);
      });

      it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])("the parameter %d is rejected", async (parameter) => {
        const site = aSite();
        await expect(ask(site, [], "SELECT $1 AS n", [parameter])).rejects.toThrow();
        expect(await countOf(site, [])).toBe(0);
      });

      it("integers are returned as numbers if exact, else as bigints", async () => {
        const sql = `SELECT
          9007199254740991::BIGINT AS safe, 9007199254740992::BIGINT AS unsafe, -9007199254740992::BIGINT AS negative,
          18446744073709551615::UBIGINT AS unsigned, 1::INTEGER AS small, 0.5::DOUBLE AS half, NULL::BIGINT AS nothing, 'x' AS text`;
        expect(await ask(aSite(), [], sql)).toEqual([
          {
            safe: 9_007_199_254_740_991,
            unsafe: 9_007_199_254_740_992n,
            negative: -9_007_199_254_740_992n,
            unsigned: 18_446_744_073_709_551_615n,
            small: 1,
            half: 0.5,
            nothing: null,
            text: "x",
          },
        ]);
      });

      it("a result without rows is an empty list", async () => {
        expect(await ask(aSite(), [], "SELECT timestamp FROM events")).toEqual([]);
      });

      it("a result of many rows is complete and in order", async () => {
        const { site, block } = await load(Array.from({ length: 10_000 }, (_, i) => anEvent({ pathname: `/${i}` })));
        const rows = await ask(
          site,
          [block],
          "SELECT sequence_number, text FROM events JOIN texts ON code = pathname ORDER BY sequence_number DESC",
        );
        expect(rows).toEqual(Array.from({ length: 10_000 }, (_, i) => ({ sequence_number: 9_999 - i, text: `/${9_999 - i}` })));
      });

      it("queryColumns returns typed columns", async () => {
        const { site, block } = await load([anEvent(), anEvent({ at: "2026-03-16T00:00:00.000Z" })]);
        const columns = await engine.queryColumns(
          aQuery(site, [block], "SELECT sequence_number, timestamp FROM events ORDER BY sequence_number"),
          silent(),
        );
        expect(Object.fromEntries(Object.entries(columns).map(([column, values]) => [column, [...values].map(Number)]))).toEqual({
          sequence_number: [0, 1],
          timestamp: [Date.parse("2026-03-15T12:00:00Z"), Date.parse("2026-03-16T00:00:00Z")],
        });
      });

      it("queryColumns returns texts, including empty ones and those that begin with a byte order mark", async () => {
        const { site, block } = await load(["/b", "", "\ufeffa"].map((pathname) => anEvent({ pathname })));
        const sql = "SELECT text, count(*) AS events FROM events JOIN texts ON code = pathname GROUP BY text ORDER BY text";
        const { text, events } = await engine.queryColumns(aQuery(site, [block], sql), silent());
        expect(text).toEqual(["", "/b", "\ufeffa"]);
        expect([...(events ?? [])].map(Number)).toEqual([1, 1, 1]);
      });

      it("a visitor function returns how many visitors have each value", async () => {
        const events = [3n, 0xffff_ffff_ffff_ffffn, 3n].map((visitorId, i) => anEvent({ visitorId, timestampMs: i * MINUTE_MS }));
        const { site, block } = await load(events);
        const sql =
          "SELECT visitor_id, timestamp, CAST(CASE WHEN timestamp = 0 THEN 1 ELSE 2 END AS BIGINT) AS met FROM events ORDER BY visitor_id, timestamp";
        const reached = async (windowMs: number) =>
          engine.query({ ...aQuery(site, [block], sql), perVisitor: { name: "window_funnel", windowMs, steps: 2, modes: [] } }, silent());
        expect(await reached(2 * MINUTE_MS)).toEqual([
          { value: 0, visitors: 1 },
          { value: 2, visitors: 1 },
        ]);
        expect(await reached(2 * MINUTE_MS - 1)).toEqual([
          { value: 0, visitors: 1 },
          { value: 1, visitors: 1 },
        ]);
      });

      it.each(["SELECT nothing FROM events", "SELEC 1", "SELECT 1 AS n FROM block_none_such", "SELECT 'x'::INTEGER AS n"])(
        "an invalid query rejects, and the next one is answered: %s",
        async (sql) => {
          const { site, block } = await load([anEvent()]);
          await expect(ask(site, [block], sql)).rejects.toThrow();
          expect(await countOf(site, [block])).toBe(1);
        },
      );

      it("concurrent queries each get their own result", async () => {
        const loaded = await Promise.all(
          Array.from({ length: 12 }, (_, i) => load(Array.from({ length: i }, () => anEvent({ pathname: `/${i}` })))),
        );
        const answers = await Promise.all(
          loaded.flatMap(({ site, block }, i) => [
            countOf(site, [block]),
            ask(site, [block], "SELECT count(*) AS n FROM events WHERE pathname = $1", [{ text: `/${i}` }]).then((rows) => rows[0]?.n),
          ]),
        );
        expect(answers).toEqual(loaded.flatMap((_, i) => [i, i]));
      });

      it("concurrent queries and appends do not affect each other", async () => {
        const site = aSite();
        const blocks = Array.from({ length: 6 }, () => aBlock(site));
        await engine.append(blocks[0] ?? aBlock(site), { date: DATE, events: eventTexts([anEvent()]) });
        await Promise.all(
          blocks.slice(1).flatMap((block, i) => [
            engine.append(block, {
              files: [{ key: `${i}`, date: DATE, bytes: fileOf(site, [anEvent({ pathname: `/${i}` }), anEvent({ pathname: "/all" })]) }],
            }),
            countOf(site, blocks.slice(0, 1)),
          ]),
        );
        expect(await countOf(site, blocks)).toBe(11);
        expect(await ask(site, blocks, "SELECT count(*) AS n FROM events WHERE pathname = $1", [{ text: "/all" }])).toEqual([{ n: 5 }]);
        expect(await ask(site, blocks, "SELECT count(*) AS n, count(DISTINCT text) AS different FROM texts WHERE text LIKE '/%'")).toEqual([
          { n: 7, different: 7 },
        ]);
      });
    });

    describe("rows", () => {
      const BY_PAGE =
        "WITH scoped AS (SELECT * FROM events) SELECT pathname AS page, CAST(count(*) AS DOUBLE) AS views FROM scoped GROUP BY pathname ORDER BY views";

      it("rows have texts in place of codes, and (unknown) for what was not recorded", async () => {
        const { site, block } = await load(["/b", "/a", "/b"].map((pathname) => anEvent({ pathname, countryCode: null })));
        const query = { ...aQuery(site, [block], BY_PAGE), texts: ["page"] };
        expect(await engine.queryColumns(query, silent())).toEqual({ page: ["/a", "/b"], views: Float64Array.of(1, 2) });
        const unrecorded = { ...aQuery(site, [block], "SELECT DISTINCT country_code FROM events"), texts: ["country_code"] };
        expect(await engine.queryColumns(unrecorded, silent())).toEqual({ country_code: ["(unknown)"] });
      });

      it("rows of a visitor function count the visitors of each value", async () => {
        const { site, block } = await load([1n, 2n, 2n].map((visitorId, i) => anEvent({ visitorId, timestampMs: i })));
        const sql = "SELECT visitor_id, timestamp, CAST(1 AS BIGINT) AS met FROM events ORDER BY visitor_id, timestamp";
        const query: EngineQuery = {
          ...aQuery(site, [block], sql),
          perVisitor: { name: "sequence_count", pattern: "(?1)", conditions: 1 },
        };
        const rows = { value: Float64Array.of(1, 2), visitors: Float64Array.of(1, 1) };
        expect(await engine.queryColumns(query, silent())).toEqual(rows);
        expect(await engine.queryColumns({ ...query, blocks: [] }, silent())).toEqual({
          value: new Float64Array(),
          visitors: new Float64Array(),
        });
      });

      it("the engine works on after a query of rows that failed or was aborted", async () => {
        const { site, block } = await load(Array.from({ length: HEAVY_ROWS }, (_, i) => anEvent({ timestampMs: i })));
        await expect(engine.queryColumns(aQuery(site, [block], "SELECT nothing FROM events"), silent())).rejects.toThrow();
        const controller = new AbortController();
        const reason = new Error("given up");
        const outcome = engine.queryColumns(aQuery(site, [block], HEAVY_SQL), controller.signal).catch((error: unknown) => error);
        expect(await countOf(site, [block])).toBe(HEAVY_ROWS);
        controller.abort(reason);
        expect(await outcome).toBe(reason);
        await expect(engine.queryColumns(aQuery(site, [block], BY_PAGE), AbortSignal.abort(reason))).rejects.toBe(reason);
        // Enough rows for a checkpoint.
        await load(Array.from({ length: 60_000 }, () => anEvent()));
        expect(await countOf(site, [block])).toBe(HEAVY_ROWS);
      });
    });

    describe("guests", () => {
      it("a guest's query returns the same result, and rejects if its tests take more steps than guests may use", async () => {
        const { site, block } = await load(Array.from({ length: 1_000 }, (_, i) => anEvent({ pathname: `/${"a".repeat(400)}${i}` })));
        const tests = (count: number) =>
          Array.from({ length: count }, (_, i) => ({ test: { kind: "matches" as const, values: [`z.{${200 + i}}y`] } }));
        const asked = (count: number, isGuest: boolean) => {
          const none = tests(count).map((_, i) => `pathname NOT IN (SELECT code FROM matches WHERE tests & $${i + 1} <> 0)`);
          const query = aQuery(site, [block], `SELECT count(*) AS n FROM events WHERE ${none.join(" AND ")}`, tests(count));
          return engine.query({ ...query, isGuest }, silent());
        };
        expect([await asked(1, true), await asked(2, false)]).toEqual([[{ n: 1_000 }], [{ n: 1_000 }]]);
        await expect(asked(2, true)).rejects.toBeInstanceOf(TooManyStepsError);
        expect(await countOf(site, [block])).toBe(1_000);
      });
    });

    describe("readable texts", () => {
      const contains = (value: string) => ({ kind: "contains" as const, values: [value] });
      const OF_SHOWN = { sql: "SELECT pathname AS code FROM events WHERE hostname = $1", parameters: [{ text: "shown.test" }] };
      const PROPS_OF_SHOWN = { sql: "SELECT props AS code FROM events WHERE hostname = $1", parameters: [{ text: "shown.test" }] };
      const NOTHING = { sql: "SELECT nothing", parameters: [] };
      const withTexts = () =>
        load(
          ["shown", "hidden"].flatMap((host) =>
            [1, 2].map((i) =>
              anEvent({ hostname: `${host}.test`, pathname: `/${host}/${i}`, props: `{"plan":"${host} ${i}","${host}":1}` }),
            ),
          ),
        );

      it("tests of texts and of properties read only what is readable, even if a test is negated", async () => {
        const { site, block } = await withTexts();
        const readable = { texts: OF_SHOWN, props: PROPS_OF_SHOWN, arrivals: NOTHING };
        const texts = aQuery(site, [block], "SELECT text FROM matches JOIN texts USING (code) WHERE tests & $1 <> 0 ORDER BY text", [
          { test: contains("/") },
        ]);
        expect(await engine.query({ ...texts, readable }, silent())).toEqual([{ text: "/shown/1" }, { text: "/shown/2" }]);
        expect(await engine.query(texts, silent())).toHaveLength(4);
        const sql =
          "SELECT text FROM events JOIN texts ON code = pathname WHERE props IN (SELECT props FROM matching_props WHERE tests & $1 <> 0) ORDER BY text";
        const props = aQuery(site, [block], sql, [{ propertyTest: { key: "plan", test: contains("") } }]);
        expect(await engine.query({ ...props, readable }, silent())).toEqual([{ text: "/shown/1" }, { text: "/shown/2" }]);
        expect(await engine.query(props, silent())).toHaveLength(4);
        const keys = {
          ...aQuery(site, [block], "SELECT text FROM property_texts ORDER BY text"),
          properties: { key: null, bytesMax: 10_000 },
        };
        expect(await engine.query({ ...keys, readable }, silent())).toEqual([{ text: "plan" }, { text: "shown" }]);
        expect(await engine.query(keys, silent())).toEqual([{ text: "hidden" }, { text: "plan" }, { text: "shown" }]);
      });

      it("tests that decide what is readable read every text", async () => {
        const { site, block } = await withTexts();
        const [hidden, any] = [{ test: contains("hidden") }, { test: contains("/") }];
        const isHidden = "SELECT code FROM matches WHERE tests & $1 <> 0";
        const readable = {
          texts: { sql: `SELECT pathname AS code FROM events WHERE pathname NOT IN (${isHidden})`, parameters: [hidden] },
          props: PROPS_OF_SHOWN,
          arrivals: NOTHING,
        };
        const sql = `SELECT text FROM texts WHERE text LIKE '/%' AND code NOT IN (${isHidden}) AND code IN (SELECT code FROM matches WHERE tests & $2 <> 0) ORDER BY text`;
        const query = { ...aQuery(site, [block], sql, [hidden, any]), readable, isGuest: true };
        expect(await engine.query(query, silent())).toEqual([{ text: "/shown/1" }, { text: "/shown/2" }]);
      });

      it("without a test, nothing is looked up", async () => {
        const { site, block } = await withTexts();
        const readable = { texts: NOTHING, props: NOTHING, arrivals: NOTHING };
        expect(await engine.query({ ...aQuery(site, [block], "SELECT count(*) AS n FROM events"), readable }, silent())).toEqual([
          { n: 4 },
        ]);
      });
    });

    describe("aborts", () => {
      it("an abort before the query starts rejects with the signal's reason", async () => {
        const reason = new Error("too late");
        const { site, block } = await load([anEvent()]);
        await expect(engine.query(aQuery(site, [block], "SELECT 1 AS n"), AbortSignal.abort(reason))).rejects.toBe(reason);
        expect(await countOf(site, [block])).toBe(1);
      });

      it("an abort ends a query that would take minutes, while others are answered, and the engine stays usable", async () => {
        const { site, block } = await load(Array.from({ length: HEAVY_ROWS }, (_, i) => anEvent({ timestampMs: i })));
        const reason = new Error("given up");
        const controller = new AbortController();
        const heavy = engine.query(aQuery(site, [block], HEAVY_SQL), controller.signal);
        const outcome = heavy.then(
          () => "answered",
          (error: unknown) => error,
        );
        expect(await countOf(site, [block])).toBe(HEAVY_ROWS);
        controller.abort(reason);
        expect(await outcome).toBe(reason);
        expect(await countOf(site, [block])).toBe(HEAVY_ROWS);
        const next = await load([anEvent()]);
        expect(await countOf(next.site, [next.block])).toBe(1);
      });

      it("aborts end any number of concurrent heavy queries, including those still waiting", async () => {
        const { site, block } = await load(Array.from({ length: HEAVY_ROWS }, (_, i) => anEvent({ timestampMs: i })));
        const controller = new AbortController();
        const outcomes = Array.from({ length: 8 }, () =>
          engine.query(aQuery(site, [block], HEAVY_SQL), controller.signal).then(
            () => "answered",
            (error: unknown) => error,
          ),
        );
        const reason = new Error("given up");
        controller.abort(reason);
        expect(new Set(await Promise.all(outcomes))).toEqual(new Set([reason]));
        expect(await countOf(site, [block])).toBe(HEAVY_ROWS);
      });

      describe("in every state of a query, while others go on", () => {
        /** As many tests of long texts as one query has, of which each takes seconds. */
        const SLOW_TESTS = Array.from({ length: 5 }, (_, i) => ({ test: { kind: "matches" as const, values: [`(a.{60}){2}b${i}$`] } }));
        const PASSING = SLOW_TESTS.map((_, i) => `pathname IN (SELECT code FROM matches WHERE tests & $${i + 1} <> 0)`).join(" OR ");

        /** Takes all connections until the returned function is called. */
        async function busy(): Promise<{ readonly release: () => Promise<void> } & Awaited<ReturnType<typeof load>>> {
          const loaded = await load(Array.from({ length: HEAVY_ROWS }, (_, i) => anEvent({ timestampMs: i })));
          const controller = new AbortController();
          const running = Array.from({ length: ENGINE_CONNECTIONS_MAX }, () =>
            engine.query(aQuery(loaded.site, [loaded.block], HEAVY_SQL), controller.signal).catch(() => null),
          );
          await engine.drop([]);
          const release = async () => {
            controller.abort();
            await Promise.all(running);
          };
          return { ...loaded, release };
        }

        /** Begins a call, lets the engine come to it, aborts it, and expects that it ends. */
        async function expectAbort(begin: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
          const controller = new AbortController();
          const reason = new Error("given up");
          const outcome = begin(controller.signal).then(
            () => "answered",
            (error: unknown) => error,
          );
          for (let i = 0; i < 3; i++) await engine.drop([]);
          controller.abort(reason);
          expect(await outcome).toBe(reason);
        }

        it.each([false, true])("a query is aborted while it waits for a connection, as a guest: %s", async (isGuest) => {
          const { site, block, release } = await busy();
          const query = { ...aQuery(site, [block], "SELECT count(*) AS n FROM events"), isGuest };
          await expectAbort((signal) => engine.query(query, signal));
          await expectAbort((signal) => engine.queryColumns(query, signal));
          await release();
          expect(await countOf(site, [block])).toBe(HEAVY_ROWS);
        });

        it.each([false, true])("a query is aborted while it tests texts, with all connections taken or none: %s", async (isBusy) => {
          const other = isBusy ? await busy() : null;
          const { site, block } = await load(
            Array.from({ length: 1_000 }, (_, i) =>
              anEvent({ pathname: `/${"a".repeat(400)}${i}`, props: `{"plan":"${"a".repeat(400)}${i}"}` }),
            ),
          );
          const sql = `SELECT count(*) AS n FROM events WHERE ${PASSING}`;
          await expectAbort((signal) => engine.query(aQuery(site, [block], sql, SLOW_TESTS), signal));
          const ofProperty = SLOW_TESTS.map(({ test }) => ({ propertyTest: { key: "plan", test } }));
          const byProperty = sql.replaceAll("pathname", "props").replaceAll("code FROM matches", "props FROM matching_props");
          await expectAbort((signal) => engine.query(aQuery(site, [block], byProperty, ofProperty), signal));
          await other?.release();
          expect(await countOf(site, [block])).toBe(1_000);
        });

        it.each([false, true])("a query is aborted while it executes, as a guest: %s", async (isGuest) => {
          const { site, block } = await load(Array.from({ length: HEAVY_ROWS }, (_, i) => anEvent({ timestampMs: i })));
          await expectAbort((signal) => engine.query({ ...aQuery(site, [block], HEAVY_SQL), isGuest }, signal));
          await expectAbort((signal) => engine.queryColumns({ ...aQuery(site, [block], HEAVY_SQL), isGuest }, signal));
          expect(await countOf(site, [block])).toBe(HEAVY_ROWS);
        });

        it("a guest's query is aborted while it waits for its turn and owners compute", async () => {
          const { site, block } = await load(Array.from({ length: HEAVY_ROWS }, (_, i) => anEvent({ timestampMs: i })));
          const controller = new AbortController();
          const owner = engine.query(aQuery(site, [block], HEAVY_SQL), controller.signal).catch(() => null);
          await expectAbort((signal) => engine.query({ ...aQuery(site, [block], HEAVY_SQL), isGuest: true }, signal));
          controller.abort();
          await owner;
          expect(await countOf(site, [block])).toBe(HEAVY_ROWS);
        });
      });

      it("an abort after the result does nothing", async () => {
        const controller = new AbortController();
        const { site, block } = await load([anEvent()]);
        expect(await engine.query(aQuery(site, [block], "SELECT count(*) AS n FROM events"), controller.signal)).toEqual([{ n: 1 }]);
        controller.abort(new Error("late"));
        expect(await countOf(site, [block])).toBe(1);
      });
    });
  });
}
