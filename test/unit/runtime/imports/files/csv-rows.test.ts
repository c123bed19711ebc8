import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { IMPORT_LINE_BYTES_MAX } from "../../../../../src/runtime/base/config/limits.ts";
import { csvHeaderOf, csvRows } from "../../../../../src/runtime/imports/files/csv-rows.ts";
import type { SourceFile } from "../../../../../src/runtime/imports/files/file.ts";
import { openingOf } from "../../../../../src/runtime/imports/files/text.ts";
import { GROWTH_MAX, growthOf, SIZE_RATIO } from "../../../../support/growth.ts";
import { chunksOf, fileOf, streamedFile } from "../../../../support/import-files.ts";

async function parsed(file: SourceFile) {
  const opening = await openingOf(file);
  const header = csvHeaderOf(opening);
  const rows = [];
  if (header) for await (const batch of csvRows(opening, header)) rows.push(...batch);
  return { columns: header?.columns, rows: rows.map((row) => ("kind" in row ? `${row.line} ${row.reason}` : [row.line, ...row.fields])) };
}

const csv = (text: string) => parsed(fileOf("a.csv", text));

describe("CSV", () => {
  it("is separated by what divides its header into most columns", async () => {
    for (const separator of [",", ";", "\t"]) {
      const text = ["Date;x", "b", " C "].join(separator === ";" ? "," : separator).replaceAll(";", separator === ";" ? ";" : "-");
      const header = separator === ";" ? "Date;b; C " : text;
      expect((await csv(`${header}\n1${separator}2${separator}3`)).rows).toEqual([[2, "1", "2", "3"]]);
    }
    expect((await csv("Date,B, C \n")).columns).toEqual(["date", "b", "c"]);
  });

  it("has quoted values with separators, marks and line breaks, and empty lines", async () => {
    const { rows } = await csv('a,b\r\n"x,y","say ""hi"""\r\n\r\n"two\nlines",\n"5" screen",z');
    expect(rows).toEqual([
      [2, "x,y", 'say "hi"'],
      [4, "two\nlines", ""],
      [6, '5" screen', "z"],
    ]);
  });

  it("may end its rows with more separators; other numbers of values are bad rows", async () => {
    expect((await csv("a,b\n1,2,,\n1\n1,2,3\n3,4")).rows).toEqual([
      [2, "1", "2"],
      "3 wrong_field_count",
      "4 wrong_field_count",
      [5, "3", "4"],
    ]);
  });

  it("loses one row only by a quotation mark that is never closed", async () => {
    const rows = Array.from({ length: 40_000 }, (_, i) => `${i},row ${i} of many`);
    const result = await csv(["a,b", rows[0], '1,"never closed', ...rows.slice(2)].join("\n"));
    expect(result.rows).toHaveLength(rows.length);
    expect(result.rows[1]).toBe("3 unclosed_quote");
    expect(result.rows.at(-1)).toEqual([40_001, "39999", "row 39999 of many"]);
  });

  it("has bad rows for lines that are too long", async () => {
    expect((await csv(`a,b\n${"x".repeat(IMPORT_LINE_BYTES_MAX + 1)}\n1,2`)).rows).toEqual(["2 line_too_long", [3, "1", "2"]]);
  });

  it("of databases has escapes in values separated by tabs", async () => {
    expect((await csv("a\tb\nx\\ty\\\\\t\\N\n")).rows).toEqual([[2, "x\ty\\", "\\N"]]);
  });

  it("property: what is written as RFC 4180 says is read again, whatever the chunks", async () => {
    const value = fc.string({ unit: fc.constantFrom("a", '"', ",", ";", "\n", "é", " ") });
    const table = fc.array(fc.tuple(value, value, value), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(table, fc.array(fc.nat()), async (rows, cuts) => {
        const text = ["x,y,z", ...rows.map((row) => row.map((field) => `"${field.replaceAll('"', '""')}"`).join(","))].join("\n");
        const { rows: read } = await parsed(streamedFile("a.csv", chunksOf(text, cuts)));
        expect(read.map((row) => (Array.isArray(row) ? row.slice(1) : row))).toEqual(rows);
      }),
    );
  });

  it("takes linear time, also if every line has a quotation mark that is never closed", async () => {
    const file = (lines: number): SourceFile => fileOf("a.csv", `a,b\n${'"x,y\n'.repeat(lines)}`);
    const [small, large] = [file(40_001), file(40_001 * SIZE_RATIO)];
    expect(
      await growthOf(
        () => parsed(small),
        () => parsed(large),
      ),
    ).toBeLessThan(GROWTH_MAX);
  });
});
