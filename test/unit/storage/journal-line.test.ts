/** Journal lines: written events are read back, and torn or damaged lines are detected without loss of other lines. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { crc32 } from "../../../src/storage/checksum.ts";
import type { LocalDate, StoredEvent } from "../../../src/storage/event.ts";
import { decodeJournalLines, encodeJournalLines } from "../../../src/storage/journal.ts";
import { EARLIER_JOURNAL, NOT_STORED_YET } from "../../support/earlier-version.ts";
import { aFullEvent, anEvent, anyEvent, eventTexts, siteId } from "../../support/stored-event.ts";

const encoder = new TextEncoder();

const bytesOf = (text: string): Uint8Array => encoder.encode(text);

const joined = (...parts: readonly Uint8Array[]): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
};

/** A line around any JSON, with the right checksum. */
const lineOf = (json: string): Uint8Array => {
  const bytes = bytesOf(json);
  return bytesOf(`${crc32(bytes, 0, bytes.length).toString(16).padStart(8, "0")} ${json}\n`);
};

const EVENTS: readonly StoredEvent[] = [
  anEvent(),
  aFullEvent(1),
  anEvent({ eventName: 'line\nbreak\r\n\u2028 \u0000 \u{1f600} "quoted" \\', visitorId: 0xffff_ffff_ffff_ffffn }),
  anEvent({ siteId: siteId("a".repeat(256)), pathname: `/${"\u{10ffff}".repeat(2000)}`, revenueCents: -999_999_999_999 }),
];

describe("the journal line codec", () => {
  it("writes a checksum, the values in the order of the columns and the date", () => {
    const text = new TextDecoder().decode(encodeJournalLines(eventTexts([anEvent({ currency: "EUR", revenueCents: 5 })])));
    const values =
      '["pageview","/",null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,5,"EUR","1","site.test",1773576000000,"2026-03-15",null,null,null,null]';
    expect(text).toBe(`${crc32(bytesOf(values), 0, values.length).toString(16).padStart(8, "0")} ${values}\n`);
  });

  it("reads paths and hosts of earlier versions, whose lines have fewer values, in the spelling of today", () => {
    const sent = anEvent({ pathname: "/caf%c3%a9", hostname: "a.test." });
    const line = (count: number) => lineOf(JSON.stringify(JSON.parse(eventTexts([sent])[0] ?? "").slice(0, count)));
    const today = { ...sent, pathname: "/caf%C3%A9", hostname: "a.test" };
    expect(decodeJournalLines(joined(line(26), line(27), line(29))).events).toEqual([today, today, sent]);
  });

  it("writes exactly one line for each event, whatever its values", () => {
    const bytes = encodeJournalLines(eventTexts(EVENTS));
    expect(bytes.filter((byte) => byte === 10)).toHaveLength(EVENTS.length);
    expect(decodeJournalLines(bytes)).toEqual({ events: EVENTS, damagedLines: 0, tornBytes: 0 });
  });

  it("writes no bytes for no events", () => {
    expect(encodeJournalLines([])).toHaveLength(0);
    expect(decodeJournalLines(new Uint8Array())).toEqual({ events: [], damagedLines: 0, tornBytes: 0 });
  });

  it("reads back exactly the events that it wrote", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 5 }), (events) => {
        expect(decodeJournalLines(encodeJournalLines(eventTexts(events)))).toEqual({ events, damagedLines: 0, tornBytes: 0 });
      }),
    );
  });

  it("keeps the date assigned to an event, whatever the UTC date of its timestamp", () => {
    const events = [anEvent({ at: "2026-03-15T23:30:00Z", date: "2026-03-16" as LocalDate })];
    expect(decodeJournalLines(encodeJournalLines(eventTexts(events))).events).toEqual(events);
  });

  it("reads lines of an earlier version, whose events have no value in a newer column", () => {
    expect(decodeJournalLines(EARLIER_JOURNAL)).toEqual({
      events: [aFullEvent(1, NOT_STORED_YET), anEvent()],
      damagedLines: 0,
      tornBytes: 0,
    });
  });

  it("uses the UTC date of the timestamp for lines of version 0.1.0, which have no date", () => {
    const line =
      '["Sign up","/a","page.test",null,null,"NL",null,null,"Firefox","126",null,null,null,null,null,null,null,null,null,null,-5,"EUR","18446744073709551615","site.test",1773576000000]';
    expect(decodeJournalLines(lineOf(line))).toEqual({
      events: [
        anEvent({
          at: "2026-03-15T12:00:00.000Z",
          date: "2026-03-15" as LocalDate,
          eventName: "Sign up",
          pathname: "/a",
          hostname: "page.test",
          countryCode: "NL",
          browser: "Firefox",
          browserVersion: "126",
          revenueCents: -5,
          currency: "EUR",
          visitorId: 0xffff_ffff_ffff_ffffn,
        }),
      ],
      damagedLines: 0,
      tornBytes: 0,
    });
  });

  it("counts a line without a time as damaged", () => {
    const values = new TextDecoder().decode(encodeJournalLines(eventTexts([anEvent()]))).slice(9, -1);
    const timeless = lineOf(JSON.stringify((JSON.parse(values) as unknown[]).slice(0, 24)));
    expect(decodeJournalLines(joined(timeless, lineOf(values)))).toEqual({ events: [anEvent()], damagedLines: 1, tornBytes: 0 });
  });

  it("loses only the last event when the bytes are truncated, and reports torn bytes but no damage", () => {
    const bytes = encodeJournalLines(eventTexts(EVENTS.slice(0, 3)));
    const ends = [...bytes.keys()].filter((at) => bytes[at] === 10);
    for (let length = 0; length < bytes.length; length++) {
      const whole = ends.filter((end) => end < length).length;
      const wholeBytes = whole === 0 ? 0 : (ends[whole - 1] ?? 0) + 1;
      expect(decodeJournalLines(bytes.subarray(0, length))).toEqual({
        events: EVENTS.slice(0, whole),
        damagedLines: 0,
        tornBytes: length - wholeBytes,
      });
    }
  });

  it("treats trailing zeros, as after a power loss, as the end", () => {
    const bytes = encodeJournalLines(eventTexts(EVENTS));
    expect(decodeJournalLines(joined(bytes, new Uint8Array(4096)))).toEqual({ events: EVENTS, damagedLines: 0, tornBytes: 4096 });
  });

  it("loses only the line in which a byte of checksum or values changed, and reports it", () => {
    const lines = [EVENTS[0], EVENTS[1], EVENTS[0]].map((event) => encodeJournalLines(eventTexts([event ?? anEvent()])));
    const [first, second, third] = lines as [Uint8Array, Uint8Array, Uint8Array];
    const SEPARATOR = 8;
    for (let at = 0; at < second.length - 1; at++) {
      if (at === SEPARATOR) continue;
      const damaged = second.slice();
      damaged[at] = (damaged[at] ?? 0) ^ 0x55;
      const { events, damagedLines, tornBytes } = decodeJournalLines(joined(first, damaged, third));
      expect({ events, tornBytes }).toEqual({ events: [EVENTS[0], EVENTS[0]], tornBytes: 0 });
      // A change may make a line break of its own, and so two damaged lines of one.
      expect(damagedLines).toBe(damaged[at] === 10 ? 2 : 1);
    }
  });

  it("loses both lines around a missing line break", () => {
    const [first, second, third] = EVENTS.slice(0, 3).map((event) => encodeJournalLines(eventTexts([event]))) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ];
    expect(decodeJournalLines(joined(first, second.subarray(0, -1), third, first))).toEqual({
      events: [EVENTS[0], EVENTS[0]],
      damagedLines: 1,
      tornBytes: 0,
    });
  });

  it.each([
    ["an empty line", "\n"],
    ["a line of other text", "what is this\n"],
    ["a checksum alone", "00000000 \n"],
    ["a line that is not UTF-8", "\u00ff\n"],
  ])("reports %s between other lines as damage and reads the others", (_name, text) => {
    const noise = text === "\u00ff\n" ? Uint8Array.of(0xff, 0xfe, 10) : bytesOf(text);
    const line = encodeJournalLines(eventTexts([anEvent()]));
    expect(decodeJournalLines(joined(line, noise, line))).toEqual({ events: [anEvent(), anEvent()], damagedLines: 1, tornBytes: 0 });
  });

  it.each([
    ["no JSON", "[1,"],
    ["no list", '{"a":1}'],
    ["no visitor", "[]"],
  ])("reports a line with a valid checksum but %s as damage", (_name, json) => {
    const line = encodeJournalLines(eventTexts([anEvent()]));
    expect(decodeJournalLines(joined(lineOf(json), line))).toEqual({ events: [anEvent()], damagedLines: 1, tornBytes: 0 });
  });

  it("reads the lines that follow any random bytes", () => {
    const line = encodeJournalLines(eventTexts([aFullEvent(1)]));
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (noise) => {
        const { events } = decodeJournalLines(joined(noise, Uint8Array.of(10), line));
        expect(events).toEqual([aFullEvent(1)]);
      }),
    );
  });
});
