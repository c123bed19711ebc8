/** The encoding of events in Parquet files, and its inverse. The only user of hyparquet-writer. */
import { normalizeHost, normalizePath } from "../shared/paths.ts";
import { checkSeal, seal, SEAL_ENTRY } from "./checksum.ts";
import {
  type ColumnKind,
  EVENT_COLUMNS,
  type EventColumn,
  eventOf,
  type EventText,
  isNumber,
  isText,
  type NumberEventColumn,
  SITE_COLUMN,
  type SiteId,
  type StoredEvent,
  type TextEventColumn,
} from "./event.ts";
import type { ObjectKey } from "./object-store.ts";
import { NO_PLACE, type NumberColumn, openParquet, type ParquetColumns, type SchemaElement, type TextColumn } from "./parquet-columns.ts";
import { ByteWriter, type ColumnSource, ParquetWriter as FileWriter } from "hyparquet-writer";

/** Events by column, with few repeated strings: the contents of one row group. */
export interface DecodedEvents {
  readonly rows: number;
  text(column: TextEventColumn): TextColumn;
  /** Hundredths if the kind is `cents`. */
  number(column: NumberEventColumn): NumberColumn;
  readonly timestampsMs: BigInt64Array;
  readonly visitorIds: BigUint64Array;
}

/** The Parquet type of each kind. The unsigned visitor id has the older annotation only: the newer one is not written readably. */
const SCHEMA_OF_KIND: Record<ColumnKind, Omit<SchemaElement, "name">> = {
  text: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  json: { type: "BYTE_ARRAY", converted_type: "JSON", logical_type: { type: "JSON" } },
  integer: { type: "INT64" },
  cents: { type: "INT64", converted_type: "DECIMAL", precision: 12, scale: 2, logical_type: { type: "DECIMAL", precision: 12, scale: 2 } },
  visitor: { type: "INT64", converted_type: "UINT_64" },
  timestamp: {
    type: "INT64",
    converted_type: "TIMESTAMP_MILLIS",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" },
  },
};

const SCHEMA: SchemaElement[] = [
  { name: "event", num_children: EVENT_COLUMNS.length },
  ...EVENT_COLUMNS.map(({ name, kind, required }): SchemaElement => ({
    name,
    repetition_type: required ? "REQUIRED" : "OPTIONAL",
    ...SCHEMA_OF_KIND[kind],
  })),
];

/**
 * The schema passed to the library while it writes rows: it would parse and re-serialize JSON columns, which is slow and
 * rounds long numbers. Declared as UTF-8, they are written unchanged.
 */
const SCHEMA_OF_ROWS = SCHEMA.map((element) => (element.converted_type === "JSON" ? { ...element, ...SCHEMA_OF_KIND.text } : element));

/** The values of each of `EVENT_COLUMNS`, equally many. */
type EventColumns = readonly StoredEvent[keyof StoredEvent][][];

const eventColumns = (events: readonly StoredEvent[]): EventColumns =>
  EVENT_COLUMNS.map(({ field }) => events.map((event) => event[field]));

function columnSource({ name, kind }: EventColumn, values: EventColumns[number]): ColumnSource {
  // The least and the greatest of its texts help nobody to find one, and may be 4 KB long.
  if (kind === "json") return { name, data: values, statistics: false };
  if (kind === "text" || kind === "visitor") return { name, data: values };
  return { name, data: values.map((value) => (value === null ? null : BigInt(value))) };
}

/** One Snappy-compressed Parquet file of the events, in their order, sealed with a checksum. */
export function encodeEvents(events: readonly StoredEvent[]): Uint8Array {
  const file = beginFile();
  file.write(eventColumns(events));
  return file.finish();
}

/** The footer entry of files whose paths and hosts are normalized (docs/data-format.md, "Columns"). */
const SPELLING_ENTRY = { key: "sandpiper.spelling", value: "1" };

const NORMALIZED: Readonly<Record<string, (text: string) => string>> = { pathname: normalizePath, hostname: normalizeHost };

/** A row group of events. */
type Part = Pick<ParquetColumns, "rows" | "texts" | "numbers">;

/** Earlier versions stored paths as they were sent: `/caf%c3%a9` beside `/caf%C3%A9`. Each distinct text is normalized once. */
const normalizedPart = (part: ParquetColumns): Part => ({
  rows: part.rows,
  texts(name) {
    const { texts, places } = part.texts(name);
    const normalize = NORMALIZED[name];
    return { texts: normalize ? texts.map((text) => normalize(text)) : texts, places };
  },
  numbers: (name) => part.numbers(name),
});

function partsOf(bytes: Uint8Array): readonly Part[] {
  const { entries, parts } = openParquet(bytes);
  return entries.get(SPELLING_ENTRY.key) === SPELLING_ENTRY.value ? parts : parts.map(normalizedPart);
}

/** Rows per row group, which a reader decodes at a time. Twice as many would save 2 % of a file's size. */
const PART_ROWS_MAX = 50_000;

function beginFile() {
  const bytes = new ByteWriter();
  const writer = new FileWriter({
    writer: bytes,
    schema: SCHEMA_OF_ROWS,
    codec: "SNAPPY",
    createdBy: "sandpiper",
    kvMetadata: [SPELLING_ENTRY, SEAL_ENTRY],
  });
  return {
    write(columns: EventColumns): void {
      const columnData = EVENT_COLUMNS.map((column, i) => columnSource(column, columns[i] ?? []));
      void writer.write({ columnData, rowGroupSize: PART_ROWS_MAX });
    },
    finish(): Uint8Array {
      writer.schema = SCHEMA;
      void writer.finish();
      const file = new Uint8Array(bytes.getBuffer());
      seal(file);
      return file;
    },
  };
}

export interface EventFile {
  readonly key: ObjectKey;
  /** The site of its folder. */
  readonly siteId: SiteId;
  readonly bytes: Uint8Array;
  /** Seconds that a merge stores as engaged time of rows, counted from 0, in place of what they have. */
  readonly engagedSeconds?: ReadonlyMap<number, number>;
}

/** One file of all rows, in order, or the first file that cannot be read, with the reason. */
export type MergedFile =
  | { readonly bytes: Uint8Array; readonly events: number }
  | { readonly unreadable: ObjectKey; readonly reason: string };

/**
 * A merge of files that are added one at a time. At most two row groups are decoded in memory at a time. With a site, all events become its
 * events.
 */
export function beginMerge(newSite?: SiteId) {
  const merged = beginFile();
  let events = 0;
  let part: EventColumns = eventColumns([]);
  const add = (decoded: DecodedEvents, engagedAt: (row: number) => number | undefined) => {
    const columns = columnsOf(decoded);
    columns[ENGAGED_AT]?.forEach((seconds, row, values) => (values[row] = engagedAt(row) ?? seconds));
    const more = newSite === undefined ? columns : columns.map(ofSite(newSite));
    part = part.map((values, i) => values.concat(more[i] ?? []));
    while (rowsOf(part) > PART_ROWS_MAX) {
      merged.write(part.map((values) => values.slice(0, PART_ROWS_MAX)));
      part = part.map((values) => values.slice(PART_ROWS_MAX));
    }
    events += decoded.rows;
  };
  return {
    /** The reason if a file cannot be read; what could be read before is in the merge. */
    add({ siteId, bytes, engagedSeconds }: EventFile): string | null {
      let before = 0;
      for (const read of readEvents(bytes, siteId)) {
        if ("reason" in read) return read.reason;
        const from = before;
        add(read, (row) => engagedSeconds?.get(from + row));
        before += read.rows;
      }
      return null;
    },
    finish(): { readonly bytes: Uint8Array; readonly events: number } {
      merged.write(part);
      return { bytes: merged.finish(), events };
    },
  };
}

export function mergeFiles(files: readonly EventFile[], newSite?: SiteId): MergedFile {
  const merge = beginMerge(newSite);
  for (const file of files) {
    const reason = merge.add(file);
    if (reason !== null) return { unreadable: file.key, reason };
  }
  return merge.finish();
}

const ENGAGED_AT = EVENT_COLUMNS.findIndex(({ field }) => field === "engagedSeconds");
const SITE_AT = EVENT_COLUMNS.findIndex(({ name }) => name === SITE_COLUMN.name);

const ofSite =
  (siteId: SiteId) =>
  (values: EventColumns[number], column: number): EventColumns[number] =>
    column === SITE_AT ? values.map(() => siteId) : values;

const rowsOf = ([first]: EventColumns): number => first?.length ?? 0;

/** Columns of decoded events, equal to the result of `eventColumns`. */
function columnsOf(decoded: DecodedEvents): EventColumns {
  return EVENT_COLUMNS.map((column): EventColumns[number] => {
    if (column.kind === "timestamp") return Array.from(decoded.timestampsMs, Number);
    if (column.kind === "visitor") return Array.from(decoded.visitorIds);
    if (isText(column)) {
      const { texts, places } = decoded.text(column);
      return Array.from(places, (place) => texts[place] ?? null);
    }
    const { numbers, recorded } = decoded.number(column);
    return Array.from(numbers, (number, row) => (recorded[row] === 1 ? Number(number) : null));
  });
}

/** Number of events in a file's footer; null if there is no footer. The rest is not read. */
export function countEvents(bytes: Uint8Array): number | null {
  try {
    return openParquet(bytes).rows;
  } catch {
    return null;
  }
}

function numbersOfAll(part: Part, name: string): BigInt64Array {
  const { numbers, recorded } = part.numbers(name);
  if (recorded.includes(0)) throw new Error(`the file has no ${name} in some of its rows`);
  return numbers;
}

function visitorIdsOf(part: Part): BigUint64Array {
  const { buffer, byteOffset, length } = numbersOfAll(part, "visitor_id");
  return new BigUint64Array(buffer, byteOffset, length);
}

/** Decodes texts and numbers when they are read, each time. */
const openedPart = (part: Part): DecodedEvents => ({
  rows: part.rows,
  text: ({ name }) => part.texts(name),
  number: ({ name }) => part.numbers(name),
  timestampsMs: numbersOfAll(part, "timestamp"),
  visitorIds: visitorIdsOf(part),
});

/** Holds the wanted columns decoded, and decodes the others of an event never, or times and visitors when they are read. */
class DecodedPart implements DecodedEvents {
  readonly rows: number;
  readonly #part: Part;
  readonly #texts: ReadonlyMap<string, TextColumn>;
  readonly #numbers: ReadonlyMap<string, NumberColumn>;
  #timestampsMs: BigInt64Array | null = null;
  #visitorIds: BigUint64Array | null = null;

  constructor(part: Part, wanted: readonly EventColumn[]) {
    this.rows = part.rows;
    this.#part = part;
    this.#texts = new Map(wanted.filter(isText).map(({ name }) => [name, part.texts(name)]));
    this.#numbers = new Map(wanted.filter(isNumber).map(({ name }) => [name, part.numbers(name)]));
    for (const { kind } of wanted) {
      if (kind === "timestamp") this.#timestampsMs = this.timestampsMs;
      if (kind === "visitor") this.#visitorIds = this.visitorIds;
    }
  }

  readonly text = ({ name }: TextEventColumn): TextColumn =>
    this.#texts.get(name) ?? { texts: [], places: new Int32Array(this.rows).fill(NO_PLACE) };

  readonly number = ({ name }: NumberEventColumn): NumberColumn =>
    this.#numbers.get(name) ?? { numbers: new BigInt64Array(this.rows), recorded: new Uint8Array(this.rows) };

  get timestampsMs(): BigInt64Array {
    return this.#timestampsMs ?? numbersOfAll(this.#part, "timestamp");
  }

  get visitorIds(): BigUint64Array {
    return this.#visitorIds ?? visitorIdsOf(this.#part);
  }
}

function* decodedParts(parts: Iterable<Part>, wanted: readonly EventColumn[]): Generator<DecodedEvents, void> {
  for (const part of parts) yield new DecodedPart(part, wanted);
}

/** A folder that was renamed by hand has the events of another site. */
function* partsOfSite(parts: readonly Part[], siteId: SiteId): Generator<Part, void> {
  for (const part of parts) {
    const other = part.texts(SITE_COLUMN.name).texts.find((text) => text !== siteId);
    if (other !== undefined)
      throw new Error(
        `its events are of ${other}, not of the site of its folder; "sandpiper verify" says what to do, and "sandpiper rename" renames a site`,
      );
    yield part;
  }
}

/**
 * Reads a file written by `encodeEvents`, of this or an earlier version, one row group per iteration. A column
 * that the file lacks is unrecorded, and so is a text or number that is not wanted; times and visitors that are not wanted are decoded
 * each time they are read. Throws before the first iteration if the bytes are not such a file.
 */
export function decodeEvents(bytes: Uint8Array, wanted: readonly EventColumn[] = EVENT_COLUMNS): Generator<DecodedEvents, void> {
  checkSeal(bytes);
  return decodedParts(partsOf(bytes), wanted);
}

/** Decodes like `decodeEvents`, and throws at the first row group with events of another site. */
export function decodeEventsOf(
  siteId: SiteId,
  bytes: Uint8Array,
  wanted: readonly EventColumn[] = EVENT_COLUMNS,
): Generator<DecodedEvents, void> {
  checkSeal(bytes);
  return decodedParts(partsOfSite(partsOf(bytes), siteId), wanted);
}

/** Decodes like `decodeEventsOf`, but a text or number only when it is read, each time it is read; that throws if it cannot be. */
export function* openEventsOf(siteId: SiteId, bytes: Uint8Array): Generator<DecodedEvents, void> {
  checkSeal(bytes);
  for (const part of partsOfSite(partsOf(bytes), siteId)) yield openedPart(part);
}

/** The reason why the rest of a file cannot be read. */
interface Unreadable {
  readonly reason: string;
}

/** Decodes like `decodeEventsOf`, but yields an error of the file as a value, which distinguishes it from errors of the consumer. */
export function* readEvents(
  bytes: Uint8Array,
  siteId: SiteId,
  wanted: readonly EventColumn[] = EVENT_COLUMNS,
): Generator<DecodedEvents | Unreadable, void> {
  try {
    yield* decodeEventsOf(siteId, bytes, wanted);
  } catch (error) {
    yield { reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Events as if they had been read from a file. */
export function columnsOfEvents(events: readonly StoredEvent[]): DecodedEvents {
  return {
    rows: events.length,
    text({ field }) {
      const texts: string[] = [];
      const places = Int32Array.from(events, ({ [field]: text }) => {
        if (text === null) return NO_PLACE;
        if (text !== texts.at(-1)) texts.push(String(text));
        return texts.length - 1;
      });
      return { texts, places };
    },
    number: ({ field }) => ({
      numbers: BigInt64Array.from(events, ({ [field]: number }) => BigInt(number ?? 0)),
      recorded: Uint8Array.from(events, ({ [field]: number }) => (number === null ? 0 : 1)),
    }),
    timestampsMs: BigInt64Array.from(events, ({ timestampMs }) => BigInt(timestampMs)),
    visitorIds: BigUint64Array.from(events, ({ visitorId }) => visitorId),
  };
}

/** The port to the encoder of Parquet files: a thread on Node, so that neither flush nor merge delays ingestion; inline elsewhere. */
export interface ParquetWriter {
  /** One file of the events, in their order, as `encodeEvents` returns it. */
  encode(events: readonly EventText[]): Promise<Uint8Array>;
  /** One file of several, in their order. With a site, all events become its events. */
  merge(files: readonly EventFile[], newSite?: SiteId): Promise<MergedFile>;
}

/** Encodes on the calling thread. */
export const inlineParquetWriter: ParquetWriter = {
  encode: async (events) => encodeEvents(events.map(eventOf)),
  merge: async (files, newSite) => mergeFiles(files, newSite),
};
