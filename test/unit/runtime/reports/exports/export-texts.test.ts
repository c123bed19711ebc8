/** The texts of an export: each under its number, however many there are and however far apart the numbers lie. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Engine } from "../../../../../src/runtime/duckdb/engine.ts";
import { ByteWriter } from "../../../../../src/runtime/reports/exports/byte-writer.ts";
import { ExportMemory } from "../../../../../src/runtime/reports/exports/export-memory.ts";
import { ExportTexts } from "../../../../../src/runtime/reports/exports/export-texts.ts";
import { siteTexts } from "../../../../../src/runtime/duckdb/chunk-scan.ts";
import type { TextsOf } from "../../../../../src/runtime/query/scan.ts";
import { utcDateOf } from "../../../../../src/storage/event.ts";
import { createEngineShare } from "../../../../support/shared-engine.ts";
import { anEvent, eventTexts, siteId } from "../../../../support/stored-event.ts";

const SITE = siteId("texts.test");
const PAGES = 12_000;

describe("the strings of an export", () => {
  let engine: Engine;
  let textsOf: TextsOf;
  /** The numbers of the pages, in order. */
  let codes: number[];
  beforeAll(async () => {
    engine = await createEngineShare();
    const block = { id: 1, siteId: SITE, sessionGapMs: 1000, propsBytesMax: 0 };
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

  it.each([1, 3, 9, 500])("are found if one in %d occurs", async (step) => {
    const texts = new ExportTexts((text) => `<${text}>`, new ExportMemory(1024 * 1024).open());
    const wanted = codes.filter((_, page) => page % step === 0);
    texts.mark(Int32Array.from(wanted));
    await texts.fetch(textsOf);
    const writer = new ByteWriter(16);
    expect(wanted.every((code) => texts.copyTo(writer, code))).toBe(true);
    expect(new TextDecoder().decode(writer.take())).toBe(wanted.map((_, i) => `</${i * step}>`).join(""));
    expect(texts.copyTo(writer, 0)).toBe(false);
  });

  it("take memory for the codes that occur, not for all smaller codes", async () => {
    const memory = new ExportMemory(1024 * 1024);
    const texts = new ExportTexts((text) => text, memory.open());
    texts.mark(Int32Array.of(0, 50_000_000, 49_999_999));
    await texts.fetch(async (wanted) => new Map(wanted.map((code) => [code, `<${code}>`])));
    const writer = new ByteWriter(16);
    expect([0, 49_999_999, 50_000_000, 50_000_001].map((code) => texts.copyTo(writer, code))).toEqual([false, true, true, false]);
    expect(new TextDecoder().decode(writer.take())).toBe("<49999999><50000000>");
    expect(memory.bytes).toBeLessThan(100_000);
  });

  it("are refused if they exceed the memory limit together", async () => {
    const texts = new ExportTexts((text) => text, new ExportMemory(100_000).open());
    texts.mark(Int32Array.from(codes));
    await expect(texts.fetch(textsOf)).rejects.toThrow(/takes more than .* of memory/);
  });
});
