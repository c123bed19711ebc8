/** All formats, and what they make of the files of an import. */
import { IMPORT_OPENING_BYTES, IMPORT_OPENINGS_BYTES_MAX } from "../../base/config/limits.ts";
import { fathom } from "./fathom.ts";
import { type Format, type ImportContext, isRefusal, type Recognition, type Refusal } from "./format.ts";
import { type Breathe, type Opening, type SourceFile, UnreadableFile } from "../files/file.ts";
import { goatcounter } from "./goatcounter.ts";
import { GA4_BIGQUERY } from "./google/bigquery.ts";
import { GA4_DATA_API } from "./google/data-api.ts";
import { SERVER_LOG_FORMATS } from "./logs/server-logs.ts";
import { matomo } from "./matomo.ts";
import { ownEvents } from "./own-events.ts";
import { plausible } from "./plausible.ts";
import { simpleAnalytics } from "./simple-analytics.ts";
import { type SkippedFile, unpackedFiles } from "../files/source-files.ts";
import { swetrix } from "./swetrix.ts";
import { openingOf } from "../files/text.ts";
import { umami } from "./umami.ts";

/** The more distinctive ones first: a file belongs to the first that claims it. */
const FORMATS: readonly Format[] = [
  ownEvents,
  umami,
  goatcounter,
  matomo,
  simpleAnalytics,
  swetrix,
  plausible,
  fathom,
  GA4_DATA_API,
  GA4_BIGQUERY,
  ...SERVER_LOG_FORMATS,
];

export interface RecognizedFiles {
  readonly recognitions: readonly Recognition[];
  readonly refusals: readonly Refusal[];
  /** Files that cannot be opened, that no format claims, or that operating systems wrote. */
  readonly skipped: readonly SkippedFile[];
}

/**
 * The product and the format of each file; archives are opened. Fails with `UnreadableFile` if there are too many files. `breathe` is
 * called for each piece of a file, now and when it is read.
 */
export async function recognizeFiles(
  given: Iterable<SourceFile>,
  context: ImportContext,
  breathe: Breathe = async () => {},
): Promise<RecognizedFiles> {
  const { files, skipped } = await unpackedFiles(given, breathe);
  const openingBytes = Math.min(IMPORT_OPENING_BYTES, Math.floor(IMPORT_OPENINGS_BYTES_MAX / Math.max(1, files.length)));
  const unreadable: SkippedFile[] = [];
  let unclaimed: Opening[] = [];
  for (const file of files) {
    try {
      unclaimed.push(await openingOf(file, openingBytes));
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      unreadable.push({ path: file.path, reason: error.message });
    }
  }
  const recognitions: Recognition[] = [];
  const refusals: Refusal[] = [];
  for (const format of FORMATS) {
    await breathe();
    for (const outcome of await format.recognize(unclaimed, context, breathe)) {
      if (isRefusal(outcome)) refusals.push(outcome);
      else recognitions.push(outcome);
      const claimed = new Set(isRefusal(outcome) ? outcome.paths : [...outcome.files, ...outcome.ignored].map(({ path }) => path));
      unclaimed = unclaimed.filter(({ file }) => !claimed.has(file.path));
    }
  }
  const unknown = unclaimed.map(({ file }) => ({ path: file.path, reason: "Not in a format that Sandpiper knows." }));
  return { recognitions, refusals, skipped: [...skipped, ...unreadable, ...unknown] };
}
