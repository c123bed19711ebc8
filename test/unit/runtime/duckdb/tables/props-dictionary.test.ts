/** The codes of props strings, by block. */
import { describe, expect, it } from "vitest";
import { PropsDictionary } from "../../../../../src/runtime/duckdb/tables/dictionaries.ts";

describe("a props dictionary", () => {
  it("assigns one code per distinct string of a block, and different codes in different blocks", () => {
    const props = new PropsDictionary();
    props.addBlock(1);
    props.addBlock(2);
    const [a, b, again, ofOther] = [props.of(1)?.codeOf("a"), props.of(1)?.codeOf("b"), props.of(1)?.codeOf("a"), props.of(2)?.codeOf("a")];
    expect(again).toBe(a);
    expect(new Set([a, b, ofOther]).size).toBe(3);
    expect(props.stringOf(ofOther ?? 0)).toBe("a");
  });

  it("has no strings for the codes of a dropped block, and does not assign them to the next block", () => {
    const props = new PropsDictionary();
    props.addBlock(1);
    const old = props.of(1)?.codeOf("old") ?? 0;
    props.dropBlock(1);
    props.addBlock(2);
    expect(props.of(2)?.codeOf("new")).not.toBe(old);
    expect(props.stringOf(old)).toBeUndefined();
  });
});
