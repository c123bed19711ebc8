/** The columns of an export in memory: texts by code, packed numbers and timestamps. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { siteTexts } from "../../../../../src/runtime/duckdb/executor.ts";
import type { Engine } from "../../../../../src/runtime/duckdb/engine.ts";
import type { TextsOf } from "../../../../../src/runtime/query/plan.ts";
import { ExportMemory } from "../../../../../src/runtime/reports/exports/export-memory.ts";
import { csvText } from "../../../../../src/shared/csv.ts";
import { ByteWriter, ExportTexts, PackedNumbers, TimeWriter } from "../../../../../src/runtime/reports/exports/packed-columns.ts";
import { utcDateOf } from "../../../../../src/storage/event.ts";
import { createEngineShare } from "../../../../support/shared-engine.ts";
import { anEvent, eventTexts, siteId } from "../../../../support/stored-event.ts";

const SITE = siteId("texts.test");
const PAGES = 12_000;

describe("export texts", () => {
  let engine: Engine;
  let textsOf: TextsOf;
  /** Codes of the pages, in order. */
  let codes: number[];
  beforeAll(async () => {
    engine = await createEngineShare();
    const block = { id: 1, siteId: SITE, sessionGapMs: 1000, propsBytesMax: 0, grows: true };
    await engine.append(block, {
      date: utcDateOf(anEvent().timestampMs),
      events: eventTexts(Array.from({ length: PAGES }, (_, i) => anEvent({ siteId: SITE, pathname: `/${i}` }))),
    });
    textsOf = siteTexts(engine, SITE, { isGuest: false, signal: new AbortController().signal });
    codes = (
      await engine.query(
        { siteId: SITE, blocks: [1], sql: "SELECT pathname FROM events ORDER BY sequence_number", parameters: [] },
        new AbortController().signal,
      )
    ).map(({ pathname }) => Number(pathname));
  });
  afterAll(() => engine.close());

  it.each([1, 3, 9, 500])("maps each code to its text if one code in %d occurs", async (step) => {
    const texts = new ExportTexts((text) => `<${text}>`, new ExportMemory(1024 * 1024).open());
    const wanted = codes.filter((_, page) => page % step === 0);
    texts.mark(Int32Array.from(wanted));
    await texts.fetch(textsOf);
    const writer = new ByteWriter(16);
    expect(wanted.every((code) => texts.copyTo(writer, code))).toBe(true);
    expect(new TextDecoder().decode(writer.take())).toBe(wanted.map((_, i) => `</${i * step}>`).join(""));
    expect(texts.copyTo(writer, 0)).toBe(false);
  });

  it("takes memory only for codes that occur, not for all smaller codes", async () => {
    const memory = new ExportMemory(1024 * 1024);
    const texts = new ExportTexts((text) => text, memory.open());
    texts.mark(Int32Array.of(0, 50_000_000, 49_999_999));
    await texts.fetch(async (wanted) => new Map(wanted.map((code) => [code, `<${code}>`])));
    const writer = new ByteWriter(16);
    expect([0, 49_999_999, 50_000_000, 50_000_001].map((code) => texts.copyTo(writer, code))).toEqual([false, true, true, false]);
    expect(new TextDecoder().decode(writer.take())).toBe("<49999999><50000000>");
    expect(memory.bytes).toBeLessThan(100_000);
  });

  it("rejects texts that exceed the memory limit together", async () => {
    const texts = new ExportTexts((text) => text, new ExportMemory(100_000).open());
    texts.mark(Int32Array.from(codes));
    await expect(texts.fetch(textsOf)).rejects.toThrow(/takes more than .* of memory/);
  });
});

describe("a packed column", () => {
  const ranges = fc.constantFrom(0, 1, 255, 256, 65_535, 65_536, 2 ** 31 - 1);

  it("packed numbers unpack to the same numbers and take no more bytes", () => {
    fc.assert(
      fc.property(
        ranges.chain((max) => fc.array(fc.integer({ min: max > 2 ** 30 ? -max : 0, max }), { maxLength: 20 })),
        (numbers) => {
          const packed = new PackedNumbers(Int32Array.from(numbers));
          expect([...packed.unpacked()]).toEqual(numbers);
          expect(packed.bytes).toBeLessThanOrEqual(numbers.length * 4);
        },
      ),
    );
    fc.assert(
      fc.property(fc.array(fc.maxSafeInteger(), { maxLength: 20 }), (numbers) => {
        fc.pre(numbers.length === 0 || Math.max(...numbers) - Math.min(...numbers) <= Number.MAX_SAFE_INTEGER);
        const packed = new PackedNumbers(BigInt64Array.from(numbers, BigInt));
        expect([...packed.unpacked()]).toEqual(numbers);
      }),
    );
  });

  it("packed numbers take no bytes if all are equal, and one byte each for a small range", () => {
    expect(new PackedNumbers(new Int32Array(1000).fill(70_000)).bytes).toBe(0);
    expect(new PackedNumbers(Int32Array.from({ length: 1000 }, (_, i) => i % 200)).bytes).toBe(1000);
    expect(new PackedNumbers(BigInt64Array.from({ length: 1000 }, (_, i) => BigInt(1_700_000_000_000 + (i % 200)))).bytes).toBe(1000);
  });
});

const LATEST_MS = Date.parse("9999-12-31T23:59:59.999Z");

const instant = fc.oneof(
  fc.integer({ min: -62_135_596_800_000, max: LATEST_MS }),
  fc.nat(200_000),
  fc.constantFrom(0, -1, 59_999, 60_000, LATEST_MS),
);

describe("export timestamps", () => {
  it.each([
    ["CSV", csvText],
    ["JSON", (text: string) => JSON.stringify(text)],
  ])("a timestamp equals its ISO 8601 form in UTC with milliseconds, whatever the order, in %s", (_name, formatted) => {
    fc.assert(
      fc.property(fc.array(instant, { maxLength: 20 }), (instants) => {
        const [writer, times] = [new ByteWriter(16), new TimeWriter(formatted)];
        for (const timestampMs of instants) times.write(writer, timestampMs);
        expect(new TextDecoder().decode(writer.take())).toBe(
          instants.map((timestampMs) => formatted(new Date(timestampMs).toISOString())).join(""),
        );
      }),
    );
  });
});
