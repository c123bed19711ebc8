import fc from "fast-check";
import { gzipSync, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import type { SourceFile } from "../../../../../src/runtime/imports/files/file.ts";
import { IMPORT_OPENINGS_BYTES_MAX } from "../../../../../src/runtime/base/config/limits.ts";
import { sourceFile } from "../../../../../src/runtime/imports/files/source-files.ts";
import { recognizeFiles } from "../../../../../src/runtime/imports/formats/formats.ts";
import { layoutNamed, SERVER_LOG_FORMATS } from "../../../../../src/runtime/imports/formats/logs/server-logs.ts";
import { csvHeaderOf, csvRows } from "../../../../../src/runtime/imports/files/csv-rows.ts";
import { openingOf } from "../../../../../src/runtime/imports/files/text.ts";
import { bytesOf, chunksOf, CONTEXT, fileOf, fixtureFiles, openingsOf, rowsOf, streamedFile } from "../../../../support/import-files.ts";

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

  it("share the memory of their openings, and logs are still known by less", async () => {
    const line = '203.0.113.7 - - [06/Mar/2024:10:00:00 +0000] "GET /a HTTP/1.1" 200 512\n';
    const content = bytesOf(line.repeat(2000));
    let read = 0;
    const many = Array.from({ length: 4096 }, (_, i) => ({
      ...fileOf(`${i}.log`, content),
      async *open() {
        for (let at = 0; at < content.length; at += 1024) {
          read += 1024;
          yield content.subarray(at, at + 1024);
        }
      },
    }));
    const { recognitions } = await recognizeFiles(many, CONTEXT);
    expect(recognitions.map(({ format, files }) => [format, files.length])).toEqual([["combined-log", 4096]]);
    // A piece more of each file shows which container it is, and whether it ends there.
    expect(read).toBeLessThanOrEqual(IMPORT_OPENINGS_BYTES_MAX + 4096 * 2 * 1024);
  });

  it("give other work its turn before each log that a layout is tried on", async () => {
    const openings = await openingsOf(Array.from({ length: 100 }, (_, i) => fileOf(`${i}.log`, "no request\n")));
    for (const { name, recognize } of SERVER_LOG_FORMATS.filter((each) => layoutNamed(each.name, null) !== null)) {
      let turns = 0;
      await recognize(openings, CONTEXT, async () => void turns++);
      expect(turns, name).toBe(openings.length);
    }
  });

  it("of Parquet fail as storage does where it cannot be read, and are not called damaged", async () => {
    const [file] = fixtureFiles("ga4-bigquery-parquet") as [SourceFile];
    const failing = sourceFile(file.path, {
      size: file.bytes ?? 0,
      async read(from, to) {
        // Of the end, where the footer is.
        if (to === file.bytes && from > 0) throw new Error("the disk does not answer");
        return (await file.randomAccess?.read(from, to)) ?? new Uint8Array();
      },
    });
    await expect(recognizeFiles([failing], CONTEXT)).rejects.toThrow("the disk does not answer");
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
