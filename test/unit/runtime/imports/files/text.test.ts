import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { IMPORT_BAD_VALUE_CHARS_MAX, IMPORT_LINE_BYTES_MAX, IMPORT_OPENING_BYTES } from "../../../../../src/runtime/base/config/limits.ts";
import type { SourceFile } from "../../../../../src/runtime/imports/files/file.ts";
import { badRow, type Line, linesOf, openingOf, textOfFile } from "../../../../../src/runtime/imports/files/text.ts";
import { wellFormed } from "../../../../../src/shared/text.ts";
import { GROWTH_MAX, growthOf, SIZE_RATIO } from "../../../../support/growth.ts";
import { chunksOf, fileOf, streamedFile } from "../../../../support/import-files.ts";

async function linesIn(file: SourceFile): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const batch of linesOf(await openingOf(file))) lines.push(...batch);
  return lines;
}

const textsIn = async (content: string | Uint8Array): Promise<string[]> => (await linesIn(fileOf("a", content))).map(({ text }) => text);

const utf16 = (text: string, order: "le" | "be"): Uint8Array => {
  const bytes = new Uint8Array(2 * text.length);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < text.length; i++) view.setUint16(2 * i, text.charCodeAt(i), order === "le");
  return bytes;
};

describe("lines", () => {
  it("end with LF, CRLF or CR, and are counted from 1", async () => {
    expect(await linesIn(fileOf("a", "one\ntwo\r\n\nfour"))).toEqual([
      { line: 1, text: "one", isTooLong: false },
      { line: 2, text: "two", isTooLong: false },
      { line: 3, text: "", isTooLong: false },
      { line: 4, text: "four", isTooLong: false },
    ]);
    expect(await textsIn("one\rtwo\r")).toEqual(["one", "two"]);
    expect(await textsIn("one\n")).toEqual(["one"]);
    expect(await textsIn("")).toEqual([]);
  });

  it("are decoded by their byte-order mark, which is not part of them", async () => {
    for (const bytes of ["\ufeffé,ü\n日", utf16("\ufeffé,ü\n日", "le"), utf16("\ufeffé,ü\n日", "be")]) {
      expect(await textsIn(bytes)).toEqual(["é,ü", "日"]);
    }
  });

  it("that are not UTF-8 are windows-1252, each by itself", async () => {
    expect(await textsIn(new Uint8Array([0xc3, 0xa9, 10, 0xe9, 0x80, 10, 0xc3, 0xa9]))).toEqual(["é", "é€", "é"]);
  });

  it("longer than the maximum are cut, and the lines after them are read", async () => {
    const longest = "é".repeat(IMPORT_LINE_BYTES_MAX / 2);
    const tooLong = `${longest}x`;
    const lines = await linesIn(fileOf("a", `a\n${longest}\n${tooLong}\nb\n${tooLong}`));
    expect(lines.map(({ line, isTooLong, text }) => [line, isTooLong, text.length])).toEqual([
      [1, false, 1],
      [2, false, longest.length],
      [3, true, 264],
      [4, false, 1],
      [5, true, 264],
    ]);
  });

  it("property: the chunks of the file change nothing", async () => {
    const piece = fc.constantFrom("a", "é", "日本", "\r", "\n", "\r\n", ",", '"', "😀");
    await fc.assert(
      fc.asyncProperty(fc.array(piece), fc.array(fc.nat()), fc.boolean(), async (pieces, cuts, isUtf16) => {
        const text = pieces.join("");
        const bytes = isUtf16 ? utf16(`\ufeff${text}`, "le") : new TextEncoder().encode(text);
        expect(await linesIn(streamedFile("a", chunksOf(bytes, cuts)))).toEqual(await linesIn(fileOf("a", bytes)));
      }),
    );
  });

  it("property: the chunks of a file with lines at the maximum change nothing", async () => {
    const content = ["x".repeat(IMPORT_LINE_BYTES_MAX), "y".repeat(IMPORT_LINE_BYTES_MAX + 1), "", "z"].join("\n");
    const whole = await linesIn(fileOf("a", content));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: content.length }), { maxLength: 5 }), async (cuts) => {
        expect(await linesIn(streamedFile("a", chunksOf(content, cuts)))).toEqual(whole);
      }),
      { numRuns: 10 },
    );
  });

  it("take linear time, also without an end", async () => {
    for (const unit of ["a,b,c\n", "x"]) {
      const chunk = unit.repeat(1000);
      // Kept, as many lines would cost the collector more than their number says.
      const read = (chunks: number) => async () => {
        let count = 0;
        for await (const batch of linesOf(await openingOf(streamedFile("a", Array<string>(chunks).fill(chunk))))) count += batch.length;
        return count;
      };
      expect(await growthOf(read(300), read(300 * SIZE_RATIO))).toBeLessThan(GROWTH_MAX);
    }
  });
});

describe("the opening of a file", () => {
  it("ends where the file does, or at the maximum without half a character", async () => {
    expect(await openingOf(fileOf("a", "abc"))).toMatchObject({ text: "abc", isWhole: true, encoding: "utf-8" });
    const long = await openingOf(fileOf("a", `a${"é".repeat(IMPORT_OPENING_BYTES)}`));
    expect(long).toMatchObject({ isWhole: false });
    expect(long.text).toBe(`a${"é".repeat(IMPORT_OPENING_BYTES / 2 - 1)}`);
    expect((await openingOf(fileOf("a", new Uint8Array([0xe9, 10])))).text).toBe("é\n");
  });
});

describe("the text of a file", () => {
  it("property: has characters that chunks cut", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme" }), fc.array(fc.nat()), async (text, cuts) => {
        let read = "";
        for await (const piece of textOfFile(await openingOf(streamedFile("a", chunksOf(`\ufeff${text}`, cuts))))) read += piece;
        expect(read).toBe(wellFormed(text));
      }),
    );
  });
});

describe("the value of a bad row", () => {
  const shown = (value: string): string => badRow(1, "not_a_log_line", value).value;

  it.each([
    ['203.0.113.7 - - [06/Mar/2024:10:00:00 +0000] "GET / HTTP/1.1"', '(address) - - [06/Mar/2024:10:00:00 +0000] "GET / HTTP/1.1"'],
    ["198.51.100.4:51234 10.0.0.2, 2001:db8::1 -", "(address):51234 (address), (address) -"],
    ["[2001:0db8:0000:0000:0000:0000:0000:0001]:443 ::1 ::ffff:203.0.113.7", "[(address)]:443 (address) (address)"],
    ["2024-03-06 10:00:01 1.2.3 v1.2.3.4.5 a:b:c", "2024-03-06 10:00:01 1.2.3 v1.2.3.4.5 a:b:c"],
  ])("has no addresses: %s", (value, expected) => {
    expect(shown(value)).toBe(expected);
  });

  it("has no part of an address at its end, and is cut", () => {
    const value = shown(`${"x".repeat(IMPORT_BAD_VALUE_CHARS_MAX - 5)} 203.0.113.7`);
    expect([value.length, value.slice(-5)]).toEqual([IMPORT_BAD_VALUE_CHARS_MAX, " (add"]);
  });

  it("cannot change the terminal that shows it", () => {
    expect(shown("a\u001b[31mb\u202ec\td\u0007")).toBe("a\uFFFD[31mb\uFFFDc d\uFFFD");
  });
});
