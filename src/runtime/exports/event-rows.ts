/** Events of a day as rows of CSV or JSON lines, or as one Parquet file (docs/exporting.md, "Events as JSON lines and CSV"). */
import { EVENT_COLUMNS, type EventColumn, eventOf, isText, type LocalDate } from "../../storage/event.ts";
import { columnsOfEvents, type DecodedEvents, beginMerge, decodeEventsOf, encodeEvents } from "../../storage/parquet-events.ts";
import { decimalFromCents } from "../base/decimal.ts";
import { reasonOf } from "../base/metrics/log.ts";
import type { ExportFormat } from "../reports/exports/formats.ts";
import type { DayEvents } from "./data-snapshot.ts";

/** New columns of events follow at the end, so that the place of a column never changes. */
export const exportedColumns = (hasVisitors: boolean): readonly EventColumn[] =>
  EVENT_COLUMNS.filter(({ kind }) => hasVisitors || kind !== "visitor");

/** A file whose events are left out. */
export interface DamagedFile {
  readonly key: string;
  readonly reason: string;
}

type Cell = (row: number) => string;

function cellOf(column: EventColumn, events: DecodedEvents, format: ExportFormat): Cell {
  const { kind } = column;
  if (kind === "timestamp") {
    const timesMs = events.timestampsMs;
    return (row) => format.text(new Date(Number(timesMs[row])).toISOString());
  }
  if (kind === "visitor") {
    const ids = events.visitorIds;
    // A text, because JSON readers would round the number.
    return (row) => format.text(String(ids[row]));
  }
  if (isText(column)) {
    const { texts, places } = events.text(column);
    const written = texts.map(column.kind === "json" ? format.json : format.text);
    return (row) => written[places[row] ?? -1] ?? format.unrecorded;
  }
  const { numbers, recorded } = events.number(column);
  const digits = kind === "cents" ? decimalFromCents : String;
  return (row) => (recorded[row] === 1 ? format.number(digits(numbers[row] ?? 0n)) : format.unrecorded);
}

/** Characters of a chunk, at about which it is passed on. */
const CHUNK_CHARS = 256 * 1024;

interface RowsLayout {
  readonly format: ExportFormat;
  readonly columns: readonly EventColumn[];
}

const namesOf = (columns: readonly EventColumn[]): readonly string[] => ["date", ...columns.map(({ name }) => name)];

function* rowsOf(day: LocalDate, events: DecodedEvents, { format, columns }: RowsLayout): Generator<string> {
  const date = format.text(day);
  const cells: readonly Cell[] = [() => date, ...columns.map((column) => cellOf(column, events, format))];
  const frame = format.frame(namesOf(columns));
  let chunk = "";
  for (let row = 0; row < events.rows; row++) {
    for (let i = 0; i < cells.length; i++) chunk += (frame[i] ?? "") + (cells[i]?.(row) ?? "");
    chunk += frame.at(-1) ?? "";
    if (chunk.length < CHUNK_CHARS) continue;
    yield chunk;
    chunk = "";
  }
  if (chunk !== "") yield chunk;
}

/** Returns the number of rows. */
export async function* eventRows(
  { siteId, day, files, journaled, readFile }: DayEvents,
  layout: RowsLayout,
  onDamage: (file: DamagedFile) => void,
): AsyncGenerator<Uint8Array, number> {
  const encoder = new TextEncoder();
  let rows = 0;
  yield encoder.encode(layout.format.opening(namesOf(layout.columns)));
  for (const file of files) {
    const bytes = await readFile(file);
    try {
      for (const part of decodeEventsOf(siteId, bytes)) {
        for (const chunk of rowsOf(day, part, layout)) yield encoder.encode(chunk);
        rows += part.rows;
      }
    } catch (error) {
      onDamage({ key: file.key, reason: reasonOf(error) });
    }
  }
  if (journaled.length > 0) {
    for (const chunk of rowsOf(day, columnsOfEvents(journaled.map(eventOf)), layout)) yield encoder.encode(chunk);
    rows += journaled.length;
  }
  return rows;
}

interface DayFile {
  readonly bytes: Uint8Array;
  readonly rows: number;
}

/** One Parquet file as the data folder has them. */
export async function parquetOf(events: DayEvents, onDamage: (file: DamagedFile) => void): Promise<DayFile> {
  const { siteId, files, journaled, readFile } = events;
  const merge = beginMerge();
  for (const file of files) {
    const reason = merge.add({ key: file.key, siteId, bytes: await readFile(file) });
    if (reason !== null) onDamage({ key: file.key, reason });
  }
  if (journaled.length > 0) merge.add({ key: "", siteId, bytes: encodeEvents(journaled.map(eventOf)) });
  const { bytes, events: rows } = merge.finish();
  return { bytes, rows };
}
