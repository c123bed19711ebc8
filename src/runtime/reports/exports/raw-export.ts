/** The raw export: one row per event, up to a million (docs/http-api.md, "Export"). */
import { EVENT_COLUMNS, type EventColumn } from "../../../storage/event-columns.ts";
import type { SiteId } from "../../../storage/event.ts";
import type { NumberColumns } from "../../../storage/columns.ts";
import { UNKNOWN } from "../../duckdb/tables/string-dictionary.ts";
import { decimalFromCents } from "../../query/decimal.ts";
import type { ScanChunk, ScanReader, TextsOf } from "../../query/scan.ts";
import { within, type Scope } from "../../query/scope.ts";
import { ByteWriter } from "./byte-writer.ts";
import type { ExportFormat } from "./export-format.ts";
import type { ExportReservation } from "./export-memory.ts";
import { eventsQuery, minutesQuery, portionsOf } from "./export-portions.ts";
import { ExportTexts } from "./export-texts.ts";
import { PackedNumbers } from "./packed-numbers.ts";
import { TimeWriter } from "./time-writer.ts";

/** Events per query: enough to amortize its cost, few enough to delay other queries only briefly. */
const ROWS_PER_PORTION = 25_000;

/** Bytes that are written without yielding: about a thousand rows, a few milliseconds of work. */
const CHUNK_BYTES = 256 * 1024;

/** A visitor id is never exported. */
export const COLUMNS: readonly EventColumn[] = EVENT_COLUMNS.filter(({ kind }) => kind !== "visitor");

export interface RawExportOptions {
  readonly scope: Scope;
  readonly rowsMax: number;
  readonly format: ExportFormat;
  /** Memory reservation of the export. Each attempt clears it. */
  readonly memory: ExportReservation;
}

/**
 * Reads the first events of the scope, oldest first. Afterwards the whole export is in memory as codes and their texts, a tenth
 * of its size as a file. The file is formatted in chunks while the client reads it.
 */
export class RawExport implements ScanReader<Iterable<Uint8Array>> {
  readonly #options: RawExportOptions;
  readonly #texts: ExportTexts;
  readonly #portions: PackedEvents[] = [];
  #left: number;

  constructor(options: RawExportOptions) {
    options.memory.clear();
    this.#options = options;
    this.#texts = new ExportTexts(options.format.text, options.memory);
    this.#left = options.rowsMax;
  }

  reserve(bytes: number): void {
    this.#options.memory.add(bytes);
  }

  async readChunk(chunk: ScanChunk): Promise<boolean> {
    const { scope, format, memory } = this.#options;
    const ofChunk = within(scope, chunk.range);
    const texts = { text: this.#texts, json: new ExportTexts(format.json, memory) };
    for (const portion of portionsOf(await chunk.columns(minutesQuery(ofChunk)), this.#left, ROWS_PER_PORTION)) {
      const events = await chunk.columns(eventsQuery(ofChunk, portion, this.#left));
      for (const { name, kind } of COLUMNS) {
        if (isCodes(events[name]) && (kind === "text" || kind === "json")) texts[kind].mark(events[name]);
      }
      const packed = pack(events, texts);
      memory.add(packed.bytes);
      this.#portions.push(packed);
      this.#left -= packed.rows;
    }
    await texts.json.fetch(chunk.propsTextsOf);
    return this.#left > 0;
  }

  async finish(textsOf: TextsOf): Promise<Iterable<Uint8Array>> {
    const { scope, format } = this.#options;
    await this.#texts.fetch(textsOf);
    return chunksOf(this.#portions, format, (events) => COLUMNS.map((column) => cellOf(column, events, { siteId: scope.siteId, format })));
  }
}

const isCodes = (column: NumberColumns[string] | undefined): column is Int32Array => column instanceof Int32Array;

/** The compressed columns of a portion by name, with the texts of their codes. */
interface PackedEvents {
  readonly rows: number;
  readonly texts: Texts;
  readonly columns: ReadonlyMap<string, PackedNumbers>;
  readonly bytes: number;
}

function pack(events: NumberColumns, texts: Texts): PackedEvents {
  const columns = new Map(Object.entries(events).map(([name, numbers]) => [name, new PackedNumbers(numbers)]));
  const bytes = [...columns.values()].reduce((sum, column) => sum + column.bytes, 0);
  return { rows: events.timestamp?.length ?? 0, texts, columns, bytes };
}

/** Writes one column's value of a row. */
type Cell = (writer: ByteWriter, row: number) => void;

function* chunksOf(
  portions: PackedEvents[],
  format: ExportFormat,
  cellsOf: (events: PackedEvents) => readonly Cell[],
): Iterable<Uint8Array> {
  const names = COLUMNS.map(({ name }) => name);
  const encoder = new TextEncoder();
  const frame = format.frame(names).map((chunk) => encoder.encode(chunk));
  const separator = encoder.encode(format.separator);
  const writer = new ByteWriter(CHUNK_BYTES * 2);
  const add = (bytes: Uint8Array | undefined) => bytes && writer.copy(bytes, 0, bytes.length);
  writer.text(format.opening(names));
  let isFirst = true;
  for (let events = portions.shift(); events; events = portions.shift()) {
    const cells = cellsOf(events);
    for (let row = 0; row < events.rows; row++) {
      if (!isFirst) add(separator);
      isFirst = false;
      add(frame[0]);
      for (let i = 0; i < cells.length; i++) {
        cells[i]?.(writer, row);
        add(frame[i + 1]);
      }
      if (writer.length >= CHUNK_BYTES) yield writer.take();
    }
  }
  writer.text(format.closing);
  yield writer.take();
}

interface Texts {
  readonly text: ExportTexts;
  readonly json: ExportTexts;
}

function cellOf(
  { name, kind, required }: EventColumn,
  { columns, texts }: PackedEvents,
  { siteId, format }: { siteId: SiteId; format: ExportFormat },
): Cell {
  const constant = new TextEncoder().encode(name === "site_id" ? format.text(siteId) : format.unrecorded);
  const writeConstant = (writer: ByteWriter): void => writer.copy(constant, 0, constant.length);
  switch (kind) {
    case "timestamp": {
      const timesMs = columns.get("timestamp")?.unpacked();
      const times = new TimeWriter(format.text);
      return (writer, row) => times.write(writer, timesMs?.[row] ?? 0);
    }
    case "cents": {
      const [cents, recorded] = [columns.get("revenue_cents")?.unpacked(), columns.get("has_revenue")?.unpacked()];
      return (writer, row) => {
        if (recorded?.[row] === 1) writer.text(format.number(decimalFromCents(BigInt(cents?.[row] ?? 0))));
        else writeConstant(writer);
      };
    }
    case "visitor":
      throw new Error("a visitor id is never exported");
    default: {
      const codes = columns.get(name)?.unpacked();
      if (!codes) return writeConstant;
      const columnTexts = texts[kind];
      // In a required column, the code of "not recorded" stands for the literal text `(unknown)` (`StringDictionary`).
      const uncoded = required ? new TextEncoder().encode(format.text(UNKNOWN)) : constant;
      return (writer, row) => {
        if (!columnTexts.copyTo(writer, codes[row] ?? 0)) writer.copy(uncoded, 0, uncoded.length);
      };
    }
  }
}
