import { describe, expect, it } from "vitest";
import { parseScreenWidth } from "../../../../src/runtime/ingest/screen-size.ts";

describe("parseScreenWidth", () => {
  it.each([
    [null, null],
    [1440, 1440],
    [390.4, 390],
    [390.5, 391],
    [1, 1],
    [0.5, 1],
    [0.4, null],
    [0, null],
    [-0, null],
    [-1440, null],
    [99_999, 99_999],
    [100_000, null],
    [1e300, null],
    [Number.POSITIVE_INFINITY, null],
    [Number.NaN, null],
  ])("%s -> %s", (width, expected) => {
    expect(parseScreenWidth(width)).toBe(expected);
  });
});
