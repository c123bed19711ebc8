/** The comparison of secrets is correct and does the same work wherever they differ. */
import { describe, expect, it } from "vitest";
import { equalBytes } from "../../../../src/runtime/base/bytes.ts";
import { countReads } from "../../../support/counted-bytes.ts";

const bytes = Uint8Array.from({ length: 32 }, (_, i) => i * 7);

const changedAt = (at: number): Uint8Array => bytes.map((byte, i) => (i === at ? byte ^ 1 : byte));

describe("equalBytes", () => {
  it("returns false whichever byte differs, and true for equal bytes", () => {
    expect(equalBytes(bytes, bytes.slice())).toBe(true);
    expect(equalBytes(new Uint8Array(), new Uint8Array())).toBe(true);
    for (let at = 0; at < bytes.length; at++) expect(equalBytes(bytes, changedAt(at))).toBe(false);
    expect(equalBytes(bytes, bytes.subarray(0, 31))).toBe(false);
    expect(
      equalBytes(
        bytes.map((byte) => byte ^ 255),
        bytes,
      ),
    ).toBe(false);
  });

  it("reads every byte once, wherever the first difference is", () => {
    for (const other of [bytes.slice(), changedAt(0), changedAt(31), new Uint8Array(32).fill(1)]) {
      const counted = countReads(other);
      equalBytes(bytes, counted.bytes);
      expect(counted.reads()).toBe(32);
    }
  });
});
