/** Parquet files: what is written is read back to the last bit, and what is no such file is refused. */
import fc from "fast-check";
import { parquetMetadata } from "hyparquet";
import { describe, expect, it } from "vitest";
import { EVENT_COLUMNS } from "../../../src/storage/event-columns.ts";
import type { StoredEvent } from "../../../src/storage/event.ts";
import { decodeEvents, encodeEvents } from "../../../src/storage/parquet-events.ts";
import { PROPERTY_SEED, aFullEvent, anEvent, anyEvent } from "../../support/stored-event.ts";

const SEED = { seed: PROPERTY_SEED };

/** The events that a file holds, put together from its columns. */
async function roundTrip(events: readonly StoredEvent[]): Promise<StoredEvent[]> {
  const decoded = await decodeEvents(encodeEvents(events));
  return Array.from({ length: decoded.rows }, (_, row) => {
    const values = EVENT_COLUMNS.map((column): [string, unknown] => {
      if (column.kind === "timestamp") return [column.field, Number(decoded.timestampsMs[row])];
      if (column.kind === "visitor") return [column.field, decoded.visitorIds[row]];
      if (column.kind === "cents") {
        const cents = decoded.revenueCents[row] ?? null;
        return [column.field, cents === null ? null : Number(cents)];
      }
      return [column.field, decoded.text(column)[row] ?? null];
    });
    return Object.fromEntries(values) as unknown as StoredEvent;
  });
}

const TEXTS = ["", "\u0000", "a\u0000b", "\n", '"', "\\", "\u{10ffff}", "\ufffe", "e\u0301", "null", "x".repeat(100_000)];

describe("a Parquet file of events", () => {
  it.each<[string, StoredEvent[]]>([
    ["one event that says little", [anEvent()]],
    ["one event that says everything", [aFullEvent(1)]],
    ["events that say little and everything", [anEvent(), aFullEvent(1), anEvent(), aFullEvent(2)]],
    ["the same event many times", Array.from({ length: 5_000 }, () => aFullEvent(1))],
    ["thousands of different events", Array.from({ length: 5_000 }, (_, i) => aFullEvent(i))],
    ["texts of all kinds", TEXTS.map((text) => anEvent({ eventName: text, pathname: text, city: text }))],
    ["a column in which one of many has a value", Array.from({ length: 1_000 }, (_, i) => anEvent({ city: i === 777 ? "Bern" : null }))],
    ["the ends of all ranges", [
      anEvent({ visitorId: 0n, timestampMs: 0, revenueCents: 999_999_999_999 }),
      anEvent({ visitorId: 0xffff_ffff_ffff_ffffn, timestampMs: Date.parse("9999-12-31T23:59:59.999Z"), revenueCents: -999_999_999_999 }),
      anEvent({ visitorId: 1n << 63n, timestampMs: -1, revenueCents: 0 }),
    ]],
    ["props of all kinds", [
      '{"a":1}',
      '{"":""}',
      '{"a":{"b":[1,2.5,-0.1,1e+21,true,false,null,"\\u0000\u{1f600}"]}}',
      '{"toString":"x","constructor":{},"hasOwnProperty":[]}',
      `{"a":${"[".repeat(2_000)}${"]".repeat(2_000)}}`,
      `${'{"a":'.repeat(600)}1${"}".repeat(600)}`,
    ].map((props) => anEvent({ props }))],
  ])("gives back %s", async (_name, events) => {
    expect(await roundTrip(events)).toEqual(events);
  });

  it("gives back any events", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyEvent, { minLength: 1, maxLength: 20 }), async (events) => {
        expect(await roundTrip(events)).toEqual(events);
      }),
      { ...SEED, numRuns: 150 },
    );
  });

  it("may hold no events", async () => {
    expect(await roundTrip([])).toEqual([]);
  });

  it("has the columns of the table, in its order", () => {
    const bytes = encodeEvents([anEvent()]);
    const { schema } = parquetMetadata(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer);
    expect(schema.slice(1).map(({ name, repetition_type }) => ({ name, required: repetition_type === "REQUIRED" }))).toEqual(
      EVENT_COLUMNS.map(({ name, required }) => ({ name, required })),
    );
  });

  it("is the same bytes for the same events", () => {
    const events = [anEvent(), aFullEvent(1)];
    expect(encodeEvents(events)).toEqual(encodeEvents(events));
  });

  it("is read from a part of a larger buffer", async () => {
    const bytes = encodeEvents([aFullEvent(7)]);
    const larger = new Uint8Array(bytes.length + 20).fill(1);
    larger.set(bytes, 9);
    expect((await decodeEvents(larger.subarray(9, 9 + bytes.length))).rows).toBe(1);
  });

  it("takes few bytes for values that repeat", () => {
    const perEvent = encodeEvents(Array.from({ length: 10_000 }, () => aFullEvent(1))).length / 10_000;
    expect(perEvent).toBeLessThan(10);
  });

  it.each<[string, Uint8Array]>([
    ["nothing", new Uint8Array()],
    ["too little", new TextEncoder().encode("PAR1PAR1")],
    ["another file", new TextEncoder().encode("a journal line, perhaps\n".repeat(20))],
    ["noise between the marks", new TextEncoder().encode(`PAR1${"x".repeat(200)}PAR1`)],
  ])("is not %s", async (_name, bytes) => {
    await expect(decodeEvents(bytes)).rejects.toThrow();
  });

  it("that was cut anywhere is refused", async () => {
    const bytes = encodeEvents([aFullEvent(1), anEvent()]);
    for (let length = 0; length < bytes.length; length += 7) {
      await expect(decodeEvents(bytes.subarray(0, length)), `cut to ${length}`).rejects.toThrow();
    }
  });
});
