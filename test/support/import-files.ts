/** Files of imports, given as texts or bytes. */
import { readdirSync, readFileSync } from "node:fs";
import { type Format, type ImportContext, isRefusal, type Recognition, type Refusal } from "../../src/runtime/imports/formats/format.ts";
import type { Opening, SourceFile } from "../../src/runtime/imports/files/file.ts";
import type { Row } from "../../src/runtime/imports/rows.ts";
import { sourceFile, unpackedFiles } from "../../src/runtime/imports/files/source-files.ts";
import { openingOf } from "../../src/runtime/imports/files/text.ts";

const encoder = new TextEncoder();

export const bytesOf = (content: string | Uint8Array): Uint8Array => (typeof content === "string" ? encoder.encode(content) : content);

/** A file that can be read at any place. */
export const fileOf = (path: string, content: string | Uint8Array): SourceFile => {
  const bytes = bytesOf(content);
  return sourceFile(path, { size: bytes.length, read: (from, to) => Promise.resolve(bytes.subarray(from, to)) });
};

/** A file that arrives in the given chunks, such as standard input. */
export const streamedFile = (path: string, chunks: readonly (string | Uint8Array)[]): SourceFile => ({
  path,
  bytes: null,
  randomAccess: null,
  async *open() {
    for (const chunk of chunks) yield await Promise.resolve(bytesOf(chunk));
  },
});

/** Cuts bytes at these places, which need no order. */
export function chunksOf(content: string | Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const bytes = bytesOf(content);
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return places.slice(1).map((to, i) => bytes.subarray(places[i], to));
}

const FIXTURES = new URL("../fixtures/imports/", import.meta.url);

export const fixture = (path: string): Uint8Array => readFileSync(new URL(path, FIXTURES));

/** The files of a folder of fixtures. */
export const fixtureFiles = (folder: string): SourceFile[] =>
  readdirSync(new URL(`${folder}/`, FIXTURES))
    .toSorted()
    .map((name) => fileOf(`${folder}/${name}`, fixture(`${folder}/${name}`)));

export async function openingsOf(given: Iterable<SourceFile>): Promise<Opening[]> {
  const { files } = await unpackedFiles(given);
  const openings: Opening[] = [];
  for (const file of files) openings.push(await openingOf(file));
  return openings;
}

export const CONTEXT: ImportContext = {
  siteId: "example.com",
  timeZone: "Europe/Berlin",
  hostname: null,
  nowMs: Date.parse("2026-11-27T12:00:00Z"),
  logFormat: null,
};

/** What a format says about the files. */
export const recognized = async (
  format: Format,
  files: Iterable<SourceFile>,
  context: Partial<ImportContext> = {},
): Promise<readonly (Recognition | Refusal)[]> => format.recognize(await openingsOf(files), { ...CONTEXT, ...context }, async () => {});

/** The one recognition that a format has of these files. */
export async function recognition(format: Format, files: Iterable<SourceFile>, context: Partial<ImportContext> = {}): Promise<Recognition> {
  const [outcome, ...others] = await recognized(format, files, context);
  if (outcome === undefined || isRefusal(outcome) || others.length > 0)
    throw new Error(`not one recognition: ${JSON.stringify([outcome, ...others])}`);
  return outcome;
}

/** All rows of a recognition, in order. */
export async function rowsOf({ files }: Pick<Recognition, "files">): Promise<Row[]> {
  const rows: Row[] = [];
  for (const file of files) for await (const batch of file.read()) rows.push(...batch);
  return rows;
}

/** How many rows there are of each kind: events by name, rows of days by table, and others by reason. */
export function tally(rows: readonly Row[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const row of rows) {
    const key =
      row.kind === "hit"
        ? row.name
        : row.kind === "day"
          ? row.table
          : row.kind === "remark"
            ? "remark"
            : `${row.kind}: ${row.kind === "crawl" ? row.name : row.reason}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}
