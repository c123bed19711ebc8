import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createHmacSha256 } from "../../../../src/runtime/ingest/visitor-salt.ts";

/** Any UTF-16 unit, half of a surrogate pair included. */
const anyUnit = fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit));

const hmac = await createHmacSha256();

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

const filled = (byte: number, count: number): Uint8Array => new Uint8Array(count).fill(byte);

describe("HMAC-SHA256", () => {
  it.each([
    ["1", filled(0x0b, 20), "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"],
    ["2", "Jefe", "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"],
    ["3", filled(0xaa, 20), filled(0xdd, 50), "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"],
    [
      "4",
      Uint8Array.from({ length: 25 }, (_, i) => i + 1),
      filled(0xcd, 50),
      "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
    ],
    [
      "6",
      filled(0xaa, 131),
      "Test Using Larger Than Block-Size Key - Hash Key First",
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
    ],
    [
      "7",
      filled(0xaa, 131),
      "This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm.",
      "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
    ],
  ])("matches RFC 4231, test case %s", (_case, key, message, expected) => {
    expect(hex(hmac.digest(hmac.keyFrom(key), message))).toBe(expected);
  });

  it("matches RFC 4231, test case 5 (cut to 128 bits)", () => {
    const code = hmac.digest(hmac.keyFrom(filled(0x0c, 20)), "Test With Truncation");
    expect(hex(code.slice(0, 16))).toBe("a3b6167473100ee06e0c796c2955552b");
  });

  it("equals node:crypto, for any key and message, with alternating keys", () => {
    const bytes = fc.uint8Array({ maxLength: 200 });
    fc.assert(
      fc.property(bytes, bytes, bytes, fc.string({ unit: anyUnit, maxLength: 100 }), (keyA, keyB, message, text) => {
        const [a, b] = [hmac.keyFrom(keyA), hmac.keyFrom(keyB)];
        expect(hex(hmac.digest(a, message))).toBe(createHmac("sha256", keyA).update(message).digest("hex"));
        expect(hex(hmac.digest(b, text))).toBe(createHmac("sha256", keyB).update(text, "utf8").digest("hex"));
        expect(hex(hmac.digest(a, text))).toBe(createHmac("sha256", keyA).update(text, "utf8").digest("hex"));
      }),
    );
  });

  it.each([0, 1, 55, 56, 63, 64, 65, 119, 128, 100_000])("equals node:crypto for key and message of %i bytes", (count) => {
    const data = filled(7, count);
    expect(hex(hmac.digest(hmac.keyFrom(data), data))).toBe(createHmac("sha256", data).update(data).digest("hex"));
  });

  it("keeps keys independent of each other and of returned digests", () => {
    const key = hmac.keyFrom("a");
    const first = hmac.digest(key, "m");
    const copy = hex(first);
    hmac.keyFrom("b");
    hmac.digest(hmac.keyFrom("c"), "n");
    expect(hex(first)).toBe(copy);
    expect(hex(hmac.digest(key, "m"))).toBe(copy);
  });
});
