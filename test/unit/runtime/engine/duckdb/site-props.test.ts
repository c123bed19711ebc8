/** How custom properties are numbered by block. */
import { describe, expect, it } from "vitest";
import { SiteProps } from "../../../../../src/runtime/engine/duckdb/site-props.ts";

describe("the properties of a site", () => {
  it("have a number for each distinct text of a block, and other numbers in other blocks", () => {
    const props = new SiteProps();
    props.keep(1);
    props.keep(2);
    const [a, b, again, ofOther] = [
      props.of(1)?.numberOf("a"),
      props.of(1)?.numberOf("b"),
      props.of(1)?.numberOf("a"),
      props.of(2)?.numberOf("a"),
    ];
    expect(again).toBe(a);
    expect(new Set([a, b, ofOther]).size).toBe(3);
    expect(props.textOf(ofOther ?? 0)).toBe("a");
  });

  it("of a block that was dropped have no text, and their numbers are not those of a block that comes after it", () => {
    const props = new SiteProps();
    props.keep(1);
    const old = props.of(1)?.numberOf("old") ?? 0;
    props.drop(1);
    props.keep(2);
    expect(props.of(2)?.numberOf("new")).not.toBe(old);
    expect(props.textOf(old)).toBeUndefined();
  });
});
