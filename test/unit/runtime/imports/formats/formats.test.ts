import fc from "fast-check";
import { gzipSync, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import type { SourceFile } from "../../../../../src/runtime/imports/files/file.ts";
import { recognizeFiles } from "../../../../../src/runtime/imports/formats/formats.ts";
import { csvHeaderOf, csvRows } from "../../../../../src/runtime/imports/files/csv-rows.ts";
import { openingOf } from "../../../../../src/runtime/imports/files/text.ts";
import { bytesOf, chunksOf, CONTEXT, fileOf, fixtureFiles, rowsOf, streamedFile } from "../../../../support/import-files.ts";

const FOLDERS = ["plausible-export", "plausible-dump", "umami", "goatcounter", "matomo", "simple-analytics", "fathom", "swetrix", "own"];

async function outcomeOf(files: Iterable<SourceFile>) {
  const { recognitions, refusals, skipped } = await recognizeFiles(files, CONTEXT);
  const rows = [];
  for (const recognition of recognitions) rows.push(...(await rowsOf(recognition)));
  return { formats: recognitions.map(({ format }) => format), rows, refused: refusals.length, skipped };
}

async function contentOf(file: SourceFile): Promise<Uint8Array> {
  const parts: number[] = [];
  for await (const chunk of file.open()) parts.push(...chunk);
  return new Uint8Array(parts);
}

/** The same table as other programs would write it. */
async function rewritten(file: SourceFile): Promise<SourceFile> {
  const opening = await openingOf(file);
  const header = csvHeaderOf(opening);
  if (!file.path.endsWith(".csv") || header === null || file.path.startsWith("matomo/")) return file;
  const lines = [header.names.map((name) => (name.startsWith("metadata") ? name : name.toUpperCase())).toReversed()];
  for await (const rows of csvRows(opening, header))
    for (const row of rows) lines.push("fields" in row ? row.fields.toReversed() : ["broken"]);
  const text = `\ufeff${lines.map((fields) => fields.map((field) => `"${field.replaceAll('"', '""')}"`).join(";")).join("\r\n")}\r\n`;
  const bytes = new Uint8Array(2 * text.length);
  for (let i = 0; i < text.length; i++) new DataView(bytes.buffer).setUint16(2 * i, text.charCodeAt(i), true);
  return fileOf(file.path, bytes);
}

const withoutValue = (row: object): object => ({ ...row, value: "" });

describe("files of an import", () => {
  it("are recognized by content, whatever their names", async () => {
    for (const folder of FOLDERS) {
      const files = fixtureFiles(folder).map((file, i) => ({ ...file, path: `${i}` }));
      const { formats, skipped } = await outcomeOf(files);
      expect([folder, formats.length, skipped]).toEqual([folder, 1, []]);
    }
  });

  it("have the same rows zipped and gzipped", async () => {
    for (const folder of FOLDERS) {
      const files = fixtureFiles(folder);
      const { rows } = await outcomeOf(files);
      const contents = Object.fromEntries(
        await Promise.all(files.map(async (file) => [file.path.replaceAll("/", "\\"), await contentOf(file)] as const)),
      );
      expect((await outcomeOf([fileOf("a.zip", zipSync(contents))])).rows).toEqual(rows);
      const gzipped = await Promise.all(files.map(async (file) => fileOf(`${file.path}.gz`, gzipSync(await contentOf(file)))));
      expect((await outcomeOf(gzipped)).rows).toEqual(rows);
    }
  });

  it("have the same rows with columns in reverse order, capitals, semicolons, CRLF and UTF-16", async () => {
    for (const folder of FOLDERS) {
      const files = fixtureFiles(folder);
      const [before, after] = [await outcomeOf(files), await outcomeOf(await Promise.all(files.map(rewritten)))];
      expect(after.rows.map(withoutValue)).toEqual(before.rows.map(withoutValue));
    }
  });

  it("property: have the same rows whatever the chunks", async () => {
    for (const folder of FOLDERS) {
      const files = fixtureFiles(folder);
      const contents = await Promise.all(files.map(contentOf));
      const { rows } = await outcomeOf(files);
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat(), { maxLength: 20 }), async (cuts) => {
          const streamed = files.map(({ path }, i) => streamedFile(path, chunksOf(contents[i] ?? new Uint8Array(), cuts)));
          expect((await outcomeOf(streamed)).rows).toEqual(rows);
        }),
        { numRuns: 10 },
      );
    }
  });

  it("of several products in one import are told apart, and the rest is named", async () => {
    const files = [
      ...FOLDERS.filter((folder) => folder !== "plausible-dump").flatMap(fixtureFiles),
      ...["ga4-data-api", "ga4-bigquery", "combined-log"].flatMap(fixtureFiles),
      fileOf("notes.txt", "Hello"),
      fileOf("x.csv", "x,y\n"),
    ];
    const { formats, refused, skipped } = await outcomeOf(files);
    expect(formats).toEqual([
      "sandpiper",
      "umami",
      "goatcounter",
      "matomo",
      "simple-analytics",
      "swetrix",
      "plausible",
      "fathom",
      "ga4-data-api",
      "ga4-bigquery",
      "combined-log",
    ]);
    expect(refused).toBe(2);
    expect(skipped).toEqual([{ path: "notes.txt", reason: "Not in a format that Sandpiper knows." }]);
  });

  it("property: no content makes a reader fail", async () => {
    const headers = await Promise.all(FOLDERS.flatMap(fixtureFiles).map(async (file) => (await openingOf(file)).text.slice(0, 2000)));
    const noise = fc.array(fc.constantFrom('"', ",", "\n", "{", "}", "[", "]", ":", "\\", "\0", "2026-05-01", "-1", "é", "<row>", "'"), {
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("", ...headers), fc.nat({ max: 2000 }), noise, async (header, end, pieces) => {
        const content = bytesOf(header.slice(0, end) + pieces.join("") + header.slice(end));
        await outcomeOf([fileOf("a", content)]).catch((error: unknown) => expect(error).toHaveProperty("name", "UnreadableFile"));
      }),
    );
  });
});
