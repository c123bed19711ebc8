/** What the formats have in common: how files are recognized, and what reads them. */
import type { EpochMs } from "../../../storage/event.ts";
import type { Breathe, Opening } from "../files/file.ts";
import type { Row } from "../rows.ts";

/** What an import knows beside its files. */
export interface ImportContext {
  /** The site that gets the rows. */
  readonly siteId: string;
  /** The IANA name of the site's time zone, assumed for dates and times whose zone the source does not say. */
  readonly timeZone: string;
  /** Assumed for hits of sources that record no host. */
  readonly hostname: string | null;
  /** Times after this instant's next day are bad rows. */
  readonly nowMs: EpochMs;
  /** The nginx `log_format` of server logs in a format of their own. */
  readonly logFormat: string | null;
}

/** A file that a format reads. */
export interface RecognizedFile {
  readonly path: string;
  /**
   * Reads the rows in small batches, in the same order whenever the same files are read: a checkpoint is the number of rows so far. A
   * reader that joins files opens the others itself. Fails with `UnreadableFile` only; bad rows are rows.
   */
  read(): AsyncIterable<readonly Row[]>;
}

/** The files of one product. */
export interface Recognition {
  /** The name of the `Format`. */
  readonly format: string;
  /** A name for people: "Plausible", "nginx combined log". */
  readonly product: string;
  /** Words for people, if the format changed over time: "export with custom properties (since 2025-08)". */
  readonly generation: string | null;
  readonly rows: "hits" | "days";
  /** Its sums of days are of page views and events alone. */
  readonly lacksVisitors?: true;
  readonly files: readonly RecognizedFile[];
  /** Files of the product that are not read or only looked up, with a sentence that says why. */
  readonly ignored: readonly { readonly path: string; readonly reason: string }[];
  readonly timeZone: { readonly name: string; readonly reason: string };
  /** Sentences: what the source has not, or what is left out of it on purpose. */
  readonly lost: readonly string[];
}

/** Files of a known product that cannot be imported: why, and how to get those that can. */
export interface Refusal {
  readonly format: string;
  readonly product: string;
  readonly paths: readonly string[];
  /** A sentence or two with the way to the right file. */
  readonly advice: string;
}

/** Makes the refusals of a product's files. */
export const refusing =
  (format: string, product: string) =>
  (files: readonly { readonly opening: Opening }[], advice: string): Refusal => ({
    format,
    product,
    paths: files.map(({ opening }) => opening.file.path),
    advice,
  });

export const isRefusal = (outcome: Recognition | Refusal): outcome is Refusal => "advice" in outcome;

export interface Format {
  readonly name: string;
  /**
   * Claims files by content, never by name alone. Gets the files that no format before it claimed, and may find several sets of them, such
   * as logs in two formats. An empty result claims nothing. `breathe` is called after each file that takes a while.
   */
  recognize(
    openings: readonly Opening[],
    context: ImportContext,
    breathe: Breathe,
  ): readonly (Recognition | Refusal)[] | Promise<readonly (Recognition | Refusal)[]>;
}
