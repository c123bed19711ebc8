/** Files of imports, given as texts or bytes. */
import { readdirSync, readFileSync } from "node:fs";
import type { Format, ImportContext, Opening, Recognition, Refusal, Row, SourceFile } from "../../src/runtime/imports/format.ts";
import { sourceFile, unpackedFiles } from "../../src/runtime/imports/source-files.ts";
import { openingOf } from "../../src/runtime/imports/text.ts";

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
): Promise<readonly (Recognition | Refusal)[]> => format.recognize(await openingsOf(files), { ...CONTEXT, ...context });

/** All rows of a recognition, in order. */
export async function rowsOf({ files }: Pick<Recognition, "files">): Promise<Row[]> {
  const rows: Row[] = [];
  for (const file of files) for await (const batch of file.read()) rows.push(...batch);
  return rows;
}
