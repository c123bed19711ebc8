/**
 * Counts of what is no event, of a site's day: exact by labels, and by path for the most frequent paths (docs/data-format.md, "Counts").
 *
 * A path that has become rare gives its place to others: its counts stay in those without a path. A path that comes anew may have been
 * counted there before, at most `missed` times. So all counts together are exact, and a path has between `count` and `count + missed`. It is
 * the sketch "Space-Saving", pruned in batches: `missed` grows to no more than the number of all counts divided by `pathsMax`, if rows are few.
 */
import { compareCodePoints } from "./code-point-order.ts";
import { isLocalDate, type LocalDate, type SiteId } from "./event.ts";
import { gunzip, gzip } from "./gzip.ts";
import type { ObjectKey } from "./object-store.ts";
import { siteFolderIn } from "./partitions.ts";

/** What is counted, by these labels. */
export interface CountKind {
  /** The folder of its files. */
  readonly folder: ObjectKey;
  readonly labels: readonly string[];
  /** The last labels may be missing in files of earlier versions, which read as "". */
  readonly labelsMin: number;
}

/** Events that got their response and are not stored. */
export const DROPPED: CountKind = { folder: "dropped", labels: ["reason", "name"], labelsMin: 2 };

/** Requests of AI crawlers that servers have reported. */
export const CRAWLS: CountKind = { folder: "crawls", labels: ["name", "status", "verified"], labelsMin: 2 };

export const COUNT_KINDS: readonly CountKind[] = [DROPPED, CRAWLS];

/** The values of the labels of a kind, in their order. None has a line break. */
export type Labels = readonly string[];

export interface CountRow {
  readonly labels: Labels;
  /** null for all paths that have no rows. */
  readonly path: string | null;
  readonly count: number;
  /** How many more of the path may be counted in rows without a path; in those, how many of any single path. */
  readonly missed: number;
}

export type LabelCount = Pick<CountRow, "labels" | "count">;

export interface PathCount extends Pick<CountRow, "count" | "missed"> {
  readonly path: string;
}

export interface CountLimits {
  readonly pathsMax: number;
  /** Rows of paths. */
  readonly rowsMax: number;
}

/** Paths of a day and site, of which each may have rows of several labels. */
export const DAY_LIMITS: CountLimits = { pathsMax: 1000, rowsMax: 5000 };

/** Longer paths, which are ASCII, are cut, and count together. */
export const PATH_CHARS_MAX = 256;

/** Batches of a day that are known again. A repetition comes within seconds, and thousands of others seldom come before it. */
export const BATCHES_MAX = 5000;

interface CountedPath {
  readonly counts: Map<string, number>;
  sum: number;
  missed: number;
}

const SEPARATOR = "\n";

const cutPath = (path: string): string => (path.length > PATH_CHARS_MAX ? `${path.slice(0, PATH_CHARS_MAX)}…` : path);

const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];

/** A text of its own. A part of a text keeps all of that in memory, which is an address of 2,000 characters. */
const copyOf = (path: string): string => decoder.decode(encoder.encode(path));

const addTo = (counts: Map<string, number>, key: string, count: number): void => void counts.set(key, (counts.get(key) ?? 0) + count);

const labelCounts = (counts: ReadonlyMap<string, number>): LabelCount[] =>
  Array.from(counts, ([key, count]) => ({ labels: key.split(SEPARATOR), count }));

export class DayCounts {
  readonly #limits: CountLimits;
  readonly #paths = new Map<string, CountedPath>();
  readonly #withoutPath = new Map<string, number>();
  readonly #batches = new Set<string>();
  #missed = 0;
  #pathRows = 0;

  constructor(limits: CountLimits = DAY_LIMITS) {
    this.#limits = limits;
  }

  /** Twice the limits at most, and a row for each combination of labels. */
  get rowCount(): number {
    return this.#pathRows + this.#withoutPath.size;
  }

  add(labels: Labels, path: string): void {
    const key = labels.join(SEPARATOR);
    const cut = cutPath(path);
    this.#addRow(this.#paths.get(cut) ?? this.#counted(copyOf(cut)), key, 1);
    this.#pruneIfNeeded();
  }

  /** Counts where there is no room for another path. */
  addWithoutPath(labels: Labels): void {
    addTo(this.#withoutPath, labels.join(SEPARATOR), 1);
    this.#missed++;
  }

  /** Ids of the batches that are counted here, the oldest first. Empty where nothing comes in batches. */
  get batches(): ReadonlySet<string> {
    return this.#batches;
  }

  /** Notes that the counts of a batch are in. The oldest ids are forgotten. */
  noteBatch(id: string): void {
    this.#batches.add(id);
    for (const oldest of this.#batches) {
      if (this.#batches.size <= BATCHES_MAX) return;
      this.#batches.delete(oldest);
    }
  }

  hasPath(path: string): boolean {
    return this.#paths.has(cutPath(path));
  }

  #counted(path: string): CountedPath {
    const known = this.#paths.get(path);
    if (known) return known;
    const added: CountedPath = { counts: new Map(), sum: 0, missed: this.#missed };
    this.#paths.set(path, added);
    return added;
  }

  #addRow(counted: CountedPath, key: string, count: number): void {
    const before = counted.counts.get(key);
    if (before === undefined) this.#pathRows++;
    counted.counts.set(key, (before ?? 0) + count);
    counted.sum += count;
  }

  /** Adds what was counted apart, of other times or another site. */
  merge(other: DayCounts): void {
    this.addCounts(other);
    for (const id of other.#batches) this.noteBatch(id);
  }

  /** Adds the counts alone: where nothing comes in batches, nobody asks for their ids. */
  addCounts(other: DayCounts): void {
    const missedHere = this.#missed;
    if (other.#missed > 0) {
      for (const [path, counted] of this.#paths) if (!other.#paths.has(path)) counted.missed += other.#missed;
    }
    for (const [path, { counts, missed }] of other.#paths) {
      const counted = this.#counted(path);
      counted.missed += missed;
      for (const [key, count] of counts) this.#addRow(counted, key, count);
    }
    for (const [key, count] of other.#withoutPath) addTo(this.#withoutPath, key, count);
    this.#missed = missedHere + other.#missed;
    this.#pruneIfNeeded();
  }

  /** Waits for twice the limits, so that the cost of an addition stays constant on average. */
  #pruneIfNeeded(): void {
    const { pathsMax, rowsMax } = this.#limits;
    if (this.#paths.size > 2 * pathsMax || this.#pathRows > 2 * rowsMax) this.prune();
  }

  /** Keeps the paths that may be the most frequent ones, within the limits. */
  prune(): void {
    const { pathsMax, rowsMax } = this.#limits;
    if (this.#paths.size <= pathsMax && this.#pathRows <= rowsMax) return;
    const ranked = Array.from(this.#paths, ([path, counted]) => ({ path, counted, most: counted.sum + counted.missed }));
    ranked.sort((a, b) => b.most - a.most || compareCodePoints(a.path, b.path));
    let [paths, rows] = [0, 0];
    for (const { path, counted, most } of ranked) {
      if (paths < pathsMax && rows + counted.counts.size <= rowsMax) {
        paths++;
        rows += counted.counts.size;
        continue;
      }
      this.#missed = Math.max(this.#missed, most);
      for (const [key, count] of counted.counts) addTo(this.#withoutPath, key, count);
      this.#paths.delete(path);
    }
    this.#pathRows = rows;
  }

  *rows(): Generator<CountRow> {
    for (const [path, { counts, missed }] of this.#paths) {
      for (const { labels, count } of labelCounts(counts)) yield { labels, path, count, missed };
    }
    for (const { labels, count } of labelCounts(this.#withoutPath)) yield { labels, path: null, count, missed: this.#missed };
  }

  /** The counts of each combination of labels, whatever the path. */
  sums(): LabelCount[] {
    const sums = new Map(this.#withoutPath);
    for (const { counts } of this.#paths.values()) for (const [key, count] of counts) addTo(sums, key, count);
    return labelCounts(sums);
  }

  /** The count of each path that has rows, whatever the labels. */
  paths(): PathCount[] {
    return Array.from(this.#paths, ([path, { sum, missed }]) => ({ path, count: sum, missed }));
  }

  /** What is counted of a path, by labels. */
  countsOf(path: string): LabelCount[] {
    return labelCounts(this.#paths.get(path)?.counts ?? new Map());
  }

  /** No single path without rows has more. */
  get missed(): number {
    return this.#missed;
  }

  static from(rows: Iterable<CountRow>, limits?: CountLimits): DayCounts {
    const counts = new DayCounts(limits);
    for (const { labels, path, count, missed } of rows) {
      const key = labels.join(SEPARATOR);
      if (path === null) {
        addTo(counts.#withoutPath, key, count);
        counts.#missed = missed;
        continue;
      }
      const counted = counts.#counted(path);
      counted.missed = missed;
      counts.#addRow(counted, key, count);
    }
    return counts;
  }
}

// Files

/** Counts of rows of an import, which are numbered: from the first one, without the last one. */
export interface ImportedRows {
  readonly importNumber: number;
  readonly from: number;
  readonly to: number;
}

export interface CountFile {
  readonly key: ObjectKey;
  readonly day: LocalDate;
  /**
   * 0 for what was counted under the site's own name; else the time of the move by which the site got it, in milliseconds. Files of
   * imports have the rows that are counted in place of it.
   */
  readonly part: number | ImportedRows;
}

export const countFolder = ({ folder }: CountKind, siteId: SiteId): ObjectKey => siteFolderIn(folder, siteId);

const partName = (part: CountFile["part"]): string =>
  typeof part === "number" ? String(part) : `i${part.importNumber}-${part.from}-${part.to}`;

export const countFileOf = (kind: CountKind, siteId: SiteId, day: LocalDate, part: CountFile["part"]): CountFile => ({
  key: `${countFolder(kind, siteId)}/${day}_${partName(part)}.ndjson.gz`,
  day,
  part,
});

/** null for a key that is not that of a file of counts. */
export function parseCountKey(key: ObjectKey): CountFile | null {
  const [, day = "", part = "", ...rows] =
    /\/(\d{4}-\d{2}-\d{2})_(?:(\d{1,15})|i(\d{1,6})-(\d{1,15})-(\d{1,15}))\.ndjson\.gz$/.exec(key) ?? [];
  if (!isLocalDate(day)) return null;
  const [importNumber = 0, from = 0, to = 0] = rows.map(Number);
  return { key, day, part: part === "" ? { importNumber, from, to } : Number(part) };
}

/** A file of the limits has fewer. Bounds the memory that a damaged one takes. */
const FILE_BYTES_MAX = 64 * 1024 * 1024;

/** Equal counts yield equal bytes: lines of JSON, compressed. */
export async function encodeCounts(kind: CountKind, day: LocalDate, counts: DayCounts): Promise<Uint8Array> {
  const lines: string[] = [];
  for (const { labels, path, count, missed } of counts.rows()) {
    const named = Object.fromEntries(kind.labels.map((label, place) => [label, labels[place]]));
    lines.push(`${JSON.stringify({ day, path, ...named, count, missed })}\n`);
  }
  lines.sort(compareCodePoints);
  if (counts.batches.size > 0) lines.push(`${JSON.stringify({ day, batches: [...counts.batches] })}\n`);
  return gzip(new TextEncoder().encode(lines.join("")));
}

/** Throws unless the bytes are a file of counts, whole and unchanged. */
export async function decodeCounts(kind: CountKind, bytes: Uint8Array, limits?: CountLimits): Promise<DayCounts> {
  if (bytes.length < 18) throw new Error("it is cut off");
  // The last four bytes of the format are the length of its content.
  const size = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(bytes.length - 4, true);
  if (size > FILE_BYTES_MAX) throw new Error("it is too long");
  const text = new TextDecoder().decode(await gunzip(bytes, size));
  const lines = text.split("\n").filter((line) => line !== "");
  const batches = batchesIn(lines.at(-1));
  if (batches) lines.pop();
  const counts = DayCounts.from(
    lines.map((line) => rowOf(kind, line)),
    limits,
  );
  for (const id of batches ?? []) counts.noteBatch(id);
  return counts;
}

/** null for a line of counts. */
function batchesIn(line = "{}"): readonly string[] | null {
  const { batches } = JSON.parse(line) as { readonly batches?: unknown };
  if (batches === undefined) return null;
  if (Array.isArray(batches) && batches.every((id) => typeof id === "string")) return batches;
  throw new Error("its batches are none");
}

const isNumber = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

function rowOf({ labels, labelsMin }: CountKind, line: string): CountRow {
  const row = JSON.parse(line) as Readonly<Record<string, unknown>>;
  const { path, count, missed } = row;
  const values = labels.map((label, place) => row[label] ?? (place < labelsMin ? null : ""));
  const isLabel = (value: unknown): value is string => typeof value === "string" && !value.includes(SEPARATOR);
  if (!values.every(isLabel) || (path !== null && typeof path !== "string") || !isNumber(count) || !isNumber(missed)) {
    throw new Error("a line is none of counts");
  }
  return { labels: values, path, count, missed };
}
