/** Standard input, which can be read once, as a file of an import. */
import { describe, expect, it } from "vitest";
import { IMPORT_OPENING_BYTES } from "../../../../src/runtime/base/config/limits.ts";
import { standardInput } from "../../../../src/runtime/imports/standard-input.ts";
import { linesOf, openingOf } from "../../../../src/runtime/imports/text.ts";
import { bytesOf } from "../../../support/import-files.ts";

/** Lines "0", "1", and so on, in chunks of a thousand; `ended` tells whether the stream was closed early. */
function stream(lines: number) {
  const state = { closed: false };
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      for (let from = 0; from < lines; from += 1000) {
        yield await Promise.resolve(bytesOf(Array.from({ length: 1000 }, (_, i) => `${from + i}\n`).join("")));
      }
    } finally {
      state.closed = true;
    }
  }
  return { state, chunks: chunks() };
}

describe("standard input", () => {
  it.each([1000, 100_000])("has an opening, and then all of its %i lines", async (count) => {
    const { chunks, state } = stream(count);
    const file = standardInput(chunks);
    const opening = await openingOf(file);
    expect(opening.head.length).toBe(Math.min(IMPORT_OPENING_BYTES, count === 1000 ? 3890 : Infinity));
    expect(state.closed).toBe(count === 1000);
    let lines = 0;
    for await (const batch of linesOf(opening)) for (const { text } of batch) expect(text).toBe(String(lines++));
    expect(lines).toBe(count);
  });

  it("cannot be read a second time once more than an opening was read", async () => {
    const file = standardInput(stream(100_000).chunks);
    const opening = await openingOf(file);
    for await (const batch of linesOf(opening)) expect(batch.length).toBeGreaterThan(0);
    await expect(openingOf(file)).rejects.toThrow("standard input can be read only once. Store it in a file first.");
  });
});
