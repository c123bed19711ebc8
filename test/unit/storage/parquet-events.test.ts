/** Parquet files: written events are read back exactly, and other bytes are refused. */
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { parquetMetadata } from "hyparquet";
import { describe, expect, it } from "vitest";
import { utcCalendar } from "../../../src/storage/calendar.ts";
import { EVENT_COLUMNS, isNumber, type StoredEvent } from "../../../src/storage/event.ts";
import { type DecodedEvents, decodeEvents, encodeEvents, mergeFiles, openEventsOf } from "../../../src/storage/parquet-events.ts";
import { EARLIER_PARQUET, NOT_STORED_YET, withoutSpelling } from "../../support/earlier-version.ts";
import { aFullEvent, anEvent, anyEvent } from "../../support/stored-event.ts";

/** The events of a file, assembled from its columns. */
const roundTrip = (events: readonly StoredEvent[]): StoredEvent[] => eventsIn(encodeEvents(events));

const eventsIn = (bytes: Uint8Array): StoredEvent[] => [...decodeEvents(bytes)].flatMap(eventsOf);

function eventsOf(decoded: DecodedEvents): StoredEvent[] {
  return Array.from({ length: decoded.rows }, (_, row) => {
    const values = EVENT_COLUMNS.map((column): [string, unknown] => {
      if (column.kind === "timestamp") return [column.field, Number(decoded.timestampsMs[row])];
      if (column.kind === "visitor") return [column.field, decoded.visitorIds[row]];
      if (isNumber(column)) {
        const { numbers, recorded } = decoded.number(column);
        return [column.field, recorded[row] === 1 ? Number(numbers[row]) : null];
      }
      const { texts, places } = decoded.text(column);
      return [column.field, texts[places[row] ?? -1] ?? null];
    });
    // No column has the date: the folder of a file has it.
    const date = utcCalendar.dateOf(Number(decoded.timestampsMs[row]));
    return { ...Object.fromEntries(values), date } as unknown as StoredEvent;
  });
}

const TEXTS = ["", "\u0000", "a\u0000b", "\n", '"', "\\", "\u{10ffff}", "\ufffe", "e\u0301", "null", "x".repeat(100_000)];

describe("the Parquet codec", () => {
  it.each<[string, StoredEvent[]]>([
    ["one event with only the required values", [anEvent()]],
    ["one event with every value", [aFullEvent(1)]],
    ["events with few and with all values", [anEvent(), aFullEvent(1), anEvent(), aFullEvent(2)]],
    ["the same event many times", Array.from({ length: 5_000 }, () => aFullEvent(1))],
    ["thousands of different events", Array.from({ length: 5_000 }, (_, i) => aFullEvent(i))],
    ["texts of all kinds", TEXTS.map((text) => anEvent({ eventName: text, pathname: text, city: text }))],
    ["a column in which one of many has a value", Array.from({ length: 1_000 }, (_, i) => anEvent({ city: i === 777 ? "Bern" : null }))],
    [
      "the ends of all ranges",
      [
        anEvent({ visitorId: 0n, timestampMs: 0, revenueCents: 999_999_999_999 }),
        anEvent({ visitorId: 0xffff_ffff_ffff_ffffn, timestampMs: Date.parse("9999-12-31T23:59:59.999Z"), revenueCents: -999_999_999_999 }),
        anEvent({ visitorId: 1n << 63n, timestampMs: -1, revenueCents: 0 }),
      ],
    ],
    [
      "long texts, which take several pages",
      Array.from({ length: 40 }, (_, i) =>
        anEvent({ city: i % 3 === 0 ? null : `${i} ${"x".repeat(100_000)}`, region: i % 2 === 0 ? "y".repeat(50_000) : null }),
      ),
    ],
    ["texts that begin with a byte order mark", ["\ufeffa", "\ufeff", "a"].map((pathname) => anEvent({ pathname }))],
    [
      "props of all kinds",
      [
        '{"a":1}',
        '{"":""}',
        '{"a":{"b":[1,2.5,-0.1,1e+21,true,false,null,"\\u0000\u{1f600}"]}}',
        '{"toString":"x","constructor":{},"hasOwnProperty":[]}',
        `{"a":${"[".repeat(2_000)}${"]".repeat(2_000)}}`,
        `${'{"a":'.repeat(600)}1${"}".repeat(600)}`,
      ].map((props) => anEvent({ props })),
    ],
  ])("reads back %s", (_name, events) => {
    expect(roundTrip(events)).toEqual(events);
  });

  it("reads back exactly any events", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { minLength: 1, maxLength: 20 }), (events) => {
        expect(roundTrip(events)).toEqual(events);
      }),
      { numRuns: 150 },
    );
  });

  it("reads back a file in several parts, each with its own texts", () => {
    const days = [0, 1, 2].map((day) =>
      Array.from({ length: 40_000 }, (_, i) =>
        anEvent({
          pathname: `/${day}/${i % 100}`,
          city: i % 5 === 0 ? `City ${i % 7}` : null,
          timestampMs: day * 1000 + (i % 10),
          visitorId: BigInt(i % 1000),
          revenueCents: i % 11 === 0 ? i : null,
        }),
      ),
    );
    const merged = mergeFiles(days.map((events, day) => ({ key: String(day), siteId: anEvent().siteId, bytes: encodeEvents(events) })));
    if (!("bytes" in merged)) throw new Error(merged.reason);
    const [read, written] = [eventsIn(merged.bytes), days.flat()];
    expect(read).toHaveLength(written.length);
    // `toEqual` takes seconds for so many.
    expect(read.findIndex((event, i) => !isDeepStrictEqual(event, written[i]))).toBe(-1);
    expect([...decodeEvents(merged.bytes)].map(({ rows }) => rows)).toEqual([50_000, 50_000, 20_000]);
  });

  it("reads a file of an earlier version, whose events have no value in a newer column", () => {
    expect(eventsIn(EARLIER_PARQUET)).toEqual([aFullEvent(1, NOT_STORED_YET), anEvent()]);
  });

  it("merges a file of an earlier version with one of this version", () => {
    const files = [EARLIER_PARQUET, encodeEvents([aFullEvent(2)])];
    const merged = mergeFiles(files.map((bytes, i) => ({ key: String(i), siteId: anEvent().siteId, bytes })));
    if (!("bytes" in merged)) throw new Error(merged.reason);
    expect(eventsIn(merged.bytes)).toEqual([aFullEvent(1, NOT_STORED_YET), anEvent(), aFullEvent(2)]);
  });

  it("reads paths and hosts of a file without a mark in the spelling of today, and a merge writes it", () => {
    const page = (pathname: string, hostname: string | null) => anEvent({ pathname, hostname });
    const sent = [page("/caf%c3%a9", "a.test."), page("/caf%C3%A9", "a.test"), page("/%7ea", null), page("/b", "a.test.")];
    const today = [page("/caf%C3%A9", "a.test"), page("/caf%C3%A9", "a.test"), page("/~a", null), page("/b", "a.test")];
    const marked = encodeEvents(sent);
    expect(eventsIn(marked)).toEqual(sent);
    const unmarked = withoutSpelling(marked);
    expect(eventsIn(unmarked)).toEqual(today);
    expect([...openEventsOf(anEvent().siteId, unmarked)].flatMap(eventsOf)).toEqual(today);
    const merged = mergeFiles([{ key: "1", siteId: anEvent().siteId, bytes: unmarked }]);
    if (!("bytes" in merged)) throw new Error(merged.reason);
    expect(merged.bytes).toEqual(encodeEvents(today));
  });

  it("reads back a file without events", () => {
    expect(roundTrip([])).toEqual([]);
  });

  it("writes the columns of the table in the table's order", () => {
    const bytes = encodeEvents([anEvent()]);
    const { schema } = parquetMetadata(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer);
    expect(schema.slice(1).map(({ name, repetition_type }) => ({ name, required: repetition_type === "REQUIRED" }))).toEqual(
      EVENT_COLUMNS.map(({ name, required }) => ({ name, required })),
    );
  });

  it("writes the same bytes for the same events", () => {
    const events = [anEvent(), aFullEvent(1)];
    expect(encodeEvents(events)).toEqual(encodeEvents(events));
  });

  it("reads a file from a part of a larger buffer", () => {
    const bytes = encodeEvents([aFullEvent(7)]);
    const larger = new Uint8Array(bytes.length + 20).fill(1);
    larger.set(bytes, 9);
    expect(eventsIn(larger.subarray(9, 9 + bytes.length))).toEqual([aFullEvent(7)]);
  });

  it("writes few bytes for repeated values", () => {
    const perEvent = encodeEvents(Array.from({ length: 10_000 }, () => aFullEvent(1))).length / 10_000;
    expect(perEvent).toBeLessThan(10);
  });

  it.each<[string, Uint8Array]>([
    ["an empty file", new Uint8Array()],
    ["a file too short for a footer", new TextEncoder().encode("PAR1PAR1")],
    ["a file of another format", new TextEncoder().encode("a journal line, perhaps\n".repeat(20))],
    ["other bytes between the magic numbers", new TextEncoder().encode(`PAR1${"x".repeat(200)}PAR1`)],
  ])("refuses %s", (_name, bytes) => {
    expect(() => decodeEvents(bytes)).toThrow();
  });

  it("refuses a file truncated at any byte", () => {
    const bytes = encodeEvents([aFullEvent(1), anEvent()]);
    for (let length = 0; length < bytes.length; length += 7) {
      expect(() => decodeEvents(bytes.subarray(0, length)), `cut to ${length}`).toThrow();
    }
  });
});
