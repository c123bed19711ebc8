/** What an event looks like inside a Parquet file, both ways. Owner of hyparquet and hyparquet-writer. */
import { parquetMetadata, parquetRead, type FileMetaData, type SchemaElement } from "hyparquet";
import { ByteWriter, ParquetWriter as FileWriter, type ColumnSource } from "hyparquet-writer";
import { EVENT_COLUMNS, type ColumnKind, type EventColumn } from "./event-columns.ts";
import type { StoredEvent } from "./event.ts";
import type { ObjectKey } from "./object-store.ts";
import { checkSeal, seal, SEAL_ENTRY } from "./parquet-seal.ts";

/** The events of one file by column: what the file says, before anyone gives it a meaning. */
export interface DecodedEvents {
  readonly rows: number;
  /** A text or JSON column's values; null where not recorded. */
  text(column: EventColumn): readonly (string | null)[];
  readonly timestampsMs: BigInt64Array;
  readonly visitorIds: BigUint64Array;
  /** Hundredths; null where there is no revenue. */
  readonly revenueCents: readonly (bigint | null)[];
}

/** The Parquet type of each kind. The unsigned visitor id has the older annotation only: the newer one is not written readably. */
const SCHEMA_OF_KIND: Record<ColumnKind, Omit<SchemaElement, "name">> = {
  text: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  json: { type: "BYTE_ARRAY", converted_type: "JSON", logical_type: { type: "JSON" } },
  cents: { type: "INT64", converted_type: "DECIMAL", precision: 12, scale: 2, logical_type: { type: "DECIMAL", precision: 12, scale: 2 } },
  visitor: { type: "INT64", converted_type: "UINT_64" },
  timestamp: { type: "INT64", converted_type: "TIMESTAMP_MILLIS", logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" } },
};

const SCHEMA: SchemaElement[] = [
  { name: "event", num_children: EVENT_COLUMNS.length },
  ...EVENT_COLUMNS.map(({ name, kind, required }): SchemaElement => ({
    name,
    repetition_type: required ? "REQUIRED" : "OPTIONAL",
    ...SCHEMA_OF_KIND[kind],
  })),
];

/** The values of each of `EVENT_COLUMNS`, equally many. */
type EventColumns = readonly StoredEvent[keyof StoredEvent][][];

const eventColumns = (events: readonly StoredEvent[]): EventColumns =>
  EVENT_COLUMNS.map(({ field }) => events.map((event) => event[field]));

function columnSource({ name, kind }: EventColumn, values: EventColumns[number]): ColumnSource {
  if (kind === "json") return { name, data: values.map((value) => (value === null ? null : (JSON.parse(String(value)) as unknown))) };
  if (kind === "cents" || kind === "timestamp") return { name, data: values.map((value) => (value === null ? null : BigInt(value))) };
  return { name, data: values };
}

/** One Snappy-compressed Parquet file of the events, in their order, sealed with a checksum. */
export function encodeEvents(events: readonly StoredEvent[]): Uint8Array {
  const file = beginFile();
  file.write(eventColumns(events));
  return file.finish();
}

/** Rows that a file's part holds: what a reader has to decode at a time. */
const ROW_GROUP_ROWS_MAX = 100_000;

function beginFile() {
  const bytes = new ByteWriter();
  const writer = new FileWriter({ writer: bytes, schema: SCHEMA, codec: "SNAPPY", createdBy: "sandpiper", kvMetadata: [SEAL_ENTRY] });
  return {
    write(columns: EventColumns): void {
      const columnData = EVENT_COLUMNS.map((column, i) => columnSource(column, columns[i] ?? []));
      void writer.write({ columnData, rowGroupSize: ROW_GROUP_ROWS_MAX });
    },
    finish(): Uint8Array {
      void writer.finish();
      const file = new Uint8Array(bytes.getBuffer());
      seal(file);
      return file;
    },
  };
}

export interface EventFile {
  readonly key: ObjectKey;
  readonly bytes: Uint8Array;
}

/** One file of all rows, in order, or the first file that cannot be read, with the reason. */
export type MergedFile = { readonly bytes: Uint8Array; readonly events: number } | { readonly unreadable: ObjectKey; readonly reason: string };

/** Makes one file of several. No more rows than a part has, or the largest file, are in memory as values at a time. */
export async function mergeFiles(files: readonly EventFile[]): Promise<MergedFile> {
  const merged = beginFile();
  let events = 0;
  let part: EventColumns = eventColumns([]);
  for (const { key, bytes } of files) {
    let decoded: DecodedEvents;
    try {
      decoded = await decodeEvents(bytes);
    } catch (error) {
      return { unreadable: key, reason: error instanceof Error ? error.message : String(error) };
    }
    const more = columnsOf(decoded);
    if (rowsOf(part) + decoded.rows > ROW_GROUP_ROWS_MAX) {
      merged.write(part);
      part = more;
    } else {
      part = part.map((values, i) => values.concat(more[i] ?? []));
    }
    events += decoded.rows;
  }
  merged.write(part);
  return { bytes: merged.finish(), events };
}

const rowsOf = ([first]: EventColumns): number => first?.length ?? 0;

/** What `eventColumns` would make of the events that were decoded. */
function columnsOf(decoded: DecodedEvents): EventColumns {
  return EVENT_COLUMNS.map((column): EventColumns[number] => {
    if (column.kind === "timestamp") return Array.from(decoded.timestampsMs, Number);
    if (column.kind === "visitor") return Array.from(decoded.visitorIds);
    if (column.kind === "cents") return decoded.revenueCents.map((cents) => (cents === null ? null : Number(cents)));
    return [...decoded.text(column)];
  });
}

/** How many events a file's footer names; null when there is no footer. The rest is not looked at. */
export function countEvents(bytes: Uint8Array): number | null {
  try {
    return Number(parquetMetadata(bytes.slice().buffer).num_rows);
  } catch {
    return null;
  }
}

/** Times, money and JSON are read as they lie in the file: the reader's own conversions would go through dates and floats. */
function withRawNumbers(metadata: FileMetaData): FileMetaData {
  const raw = new Set<string>(EVENT_COLUMNS.filter(({ kind }) => kind === "timestamp" || kind === "cents").map(({ name }) => name));
  const schema = metadata.schema.map((element): SchemaElement => {
    if (!raw.has(element.name)) return element;
    const { converted_type: _converted, logical_type: _logical, ...rest } = element;
    return rest;
  });
  return { ...metadata, schema };
}

/** Without `ignoreBOM` a text that begins with U+FEFF loses it. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

const textFrom = (bytes: Uint8Array | undefined): string | null => (bytes ? decoder.decode(bytes) : null);

/**
 * Reads a file written by `encodeEvents`, of this or an earlier version: a column the file lacks is unrecorded.
 * Throws when the bytes are no such file.
 */
export async function decodeEvents(bytes: Uint8Array): Promise<DecodedEvents> {
  checkSeal(bytes);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  const metadata = withRawNumbers(parquetMetadata(buffer));
  const rows = Number(metadata.num_rows);
  const values = new Map<string, unknown[]>();
  await parquetRead({
    file: { byteLength: buffer.byteLength, slice: (start, end) => buffer.slice(start, end) },
    metadata,
    parsers: { jsonFromBytes: textFrom, stringFromBytes: textFrom },
    onChunk: ({ columnName, columnData, rowStart }) => {
      let column = values.get(columnName);
      if (!column) values.set(columnName, (column = Array.from({ length: rows }, () => null)));
      for (let i = 0; i < columnData.length; i++) column[rowStart + i] = columnData[i] ?? null;
    },
  });
  const column = <T>(name: string): T[] => (values.get(name) ?? Array.from({ length: rows }, () => null)) as T[];
  return {
    rows,
    text: ({ name }) => column<string | null>(name),
    timestampsMs: BigInt64Array.from(column<bigint>("timestamp")),
    visitorIds: BigUint64Array.from(column<bigint>("visitor_id")),
    revenueCents: column<bigint | null>("revenue_amount"),
  };
}
