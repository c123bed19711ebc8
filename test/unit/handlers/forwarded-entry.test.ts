/** Which entry of a list header is by the outermost trusted proxy. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { forwardedEntry } from "../../../src/handlers/forwarded-entry.ts";

it.each([
  ["https", 1, "https"],
  ["https, http", 1, "http"],
  ["https, http", 2, "https"],
  ["https, http", 3, null],
  ["", 1, ""],
  ["", 2, null],
  [",", 2, ""],
  [",", 3, null],
  [" a ,\tb ", 2, "a"],
])("of %j with %d proxies is %j", (header, trustedProxies, entry) => {
  expect(forwardedEntry(header, trustedProxies)).toBe(entry);
});

it("is the entry that many from the end, whatever stands before it", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(",", " ", "a", "1") }), fc.integer({ min: 1, max: 8 }), (header, trustedProxies) => {
      expect(forwardedEntry(header, trustedProxies)).toBe(header.split(",").at(-trustedProxies)?.trim() ?? null);
    }),
  );
});
