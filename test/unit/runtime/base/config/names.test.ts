import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AppError } from "../../../../../src/runtime/base/errors.ts";
import { isSiteId, parseSiteId } from "../../../../../src/runtime/base/config/names.ts";

/** Any UTF-16 unit, half of a surrogate pair included. */
const anyUnit = fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit));

/** The rule of docs/http-api.md, "Site ids", written a second way. */
function keepsTheRule(text: string): boolean {
  const allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_:";
  return text.length >= 1 && text.length <= 256 && [...text].every((char) => allowed.includes(char));
}

describe("a site id", () => {
  it.each(["a", "example.com", "shop.example.com:8080", "A-b_c.9", "::", ".", "constructor", "__proto__", "x".repeat(256)])(
    "%s is valid",
    (value) => {
      expect(isSiteId(value)).toBe(true);
      expect(parseSiteId(value, "d")).toBe(value);
    },
  );

  it.each(["", " ", "a b", "a/b", "ü.de", "a\n", "\na", "a\u0000", "a,b", "a%20b", "é", "a\ud800", "x".repeat(257)])(
    "%j is invalid",
    (value) => {
      expect(isSiteId(value)).toBe(false);
    },
  );

  it("is rejected with a message that names the field and the rule if it is invalid", () => {
    const parse = () => parseSiteId("a b", "site_id");
    expect(parse).toThrow(AppError);
    expect(parse).toThrow('"site_id" must be 1 to 256 characters long and hold only ASCII letters, digits, ".", "-", "_" and ":"');
    expect(parse).toThrow(expect.objectContaining({ failure: { code: "invalid_input" } }));
  });

  it("is any text of allowed characters, and nothing else", () => {
    const nearMisses = fc.string({ unit: fc.constantFrom("a", "Z", "9", ".", "-", "_", ":", " ", "/", "é", "\n"), maxLength: 12 });
    fc.assert(
      fc.property(fc.oneof(nearMisses, fc.string({ unit: anyUnit, maxLength: 3 })), (text) => {
        expect(isSiteId(text)).toBe(keepsTheRule(text));
      }),
    );
  });
});
