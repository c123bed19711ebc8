/** Dictionaries that grow are read to their end, each entry once. */
import { describe, expect, it } from "vitest";
import { StringDictionary, UnseenEntries } from "../../../../../src/runtime/duckdb/tables/dictionaries.ts";

describe("the unseen entries of dictionaries", () => {
  it("each iteration returns the entries that no earlier one returned, including new ones", () => {
    const [first, second] = [new StringDictionary(), new StringDictionary()];
    for (const text of ["a", "b"]) first.codeOf(text);
    second.codeOf("x");
    const entries = new UnseenEntries([first, second]);
    const read: string[] = [];
    for (const [text] of entries) {
      read.push(text);
      if (text === "x") first.codeOf("c");
    }
    expect(read).toEqual(["a", "b", "x"]);
    expect([entries.areAny, [...entries], entries.areAny]).toEqual([true, [["c", 3]], false]);
    expect([...entries]).toEqual([]);
    second.codeOf("y");
    expect([entries.areAny, [...entries]]).toEqual([true, [["y", 2]]]);
  });

  it("an abandoned iteration continues with the next entry", () => {
    const dictionary = new StringDictionary();
    for (const text of ["a", "b", "c"]) dictionary.codeOf(text);
    const entries = new UnseenEntries([dictionary]);
    for (const [text] of entries) if (text === "b") break;
    expect([...entries].map(([text]) => text)).toEqual(["c"]);
  });
});
