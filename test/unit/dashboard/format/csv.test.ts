/** The CSV that the Details dialog saves, read the way spreadsheets read it. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { csvOf } from "../../../../dashboard/format/csv.ts";

/** As spreadsheets read it: quotes count where they begin a cell, and what follows the closing one belongs to the cell. */
function cellsOf(text: string, separator: string): string[] {
  const cells: string[] = [];
  let at = 0;
  while (at < text.length) {
    let cell = "";
    if (text[at] === '"') {
      for (at++; at < text.length && (text[at] !== '"' || text[at + 1] === '"'); at++) {
        if (text[at] === '"') at++;
        cell += text[at];
      }
      at++;
    }
    while (at < text.length && text[at] !== separator && text[at] !== "\r" && text[at] !== "\n") cell += text[at++];
    cells.push(cell);
    at += text[at] === "\r" && text[at + 1] === "\n" ? 2 : 1;
  }
  return cells;
}

describe("the dashboard's CSV", () => {
  it.each([
    ["/blog/a", '"/blog/a"'],
    [12, '"12"'],
    [-1.5, '"-1.5"'],
    ["", '""'],
    ['say "hi"', '"say ""hi"""'],
    ["a,b;c\r\nd", '"a,b;c\r\nd"'],
    ["=1+1", `"'=1+1"`],
    ["+1", `"'+1"`],
    ["-1", `"'-1"`],
    ["@SUM(A1)", `"'@SUM(A1)"`],
    ["\t=1", `"'\t'=1"`],
    ["\r=1", `"'\r'=1"`],
    ["a;=1+1;-b", `"a;'=1+1;'-b"`],
    ['a;"=1+1', `"a;'""=1+1"`],
    ["a\n=1+1", `"a\n'=1+1"`],
    ["a=b+c-d@e", '"a=b+c-d@e"'],
  ])("a cell of %j is %j", (value, cell) => {
    expect(csvOf([[value]])).toBe(`${cell}\r\n`);
  });

  const TEXTS = fc
    .array(fc.constantFrom("=", "+", "-", "@", "\t", "\r", "\n", ";", ",", '"', "a", " "), { maxLength: 6 })
    .map((all) => all.join(""));
  const ROWS = fc.array(fc.tuple(TEXTS, TEXTS, fc.nat(99)), { minLength: 1, maxLength: 3 });

  it.each([",", ";", "\t"])("a program that splits at %j finds no formula", (separator) => {
    fc.assert(
      fc.property(ROWS, (rows) => {
        expect(cellsOf(csvOf(rows), separator).filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  it("a program that splits at commas finds every value in its place", () => {
    fc.assert(
      fc.property(ROWS, (rows) => {
        const unmarked = (text: string) => text.replaceAll("'", "");
        expect(cellsOf(csvOf(rows), ",").map(unmarked)).toEqual(rows.flat().map(String));
      }),
      { numRuns: 1000 },
    );
  });
});
