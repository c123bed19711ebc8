/** Instants in exports: each as the language itself writes it. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ByteWriter } from "../../../../../src/runtime/reports/exports/byte-writer.ts";
import { csvField } from "../../../../../src/runtime/reports/exports/csv-format.ts";
import { TimeWriter } from "../../../../../src/runtime/reports/exports/time-writer.ts";

const LATEST_MS = Date.parse("9999-12-31T23:59:59.999Z");

const instant = fc.oneof(
  fc.integer({ min: -62_135_596_800_000, max: LATEST_MS }),
  fc.nat(200_000),
  fc.constantFrom(0, -1, 59_999, 60_000, LATEST_MS),
);

describe("the timestamps of an export", () => {
  it.each([
    ["CSV", csvField],
    ["JSON", (text: string) => JSON.stringify(text)],
  ])("are ISO 8601 in UTC with milliseconds, in any order, in %s", (_name, formatted) => {
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
