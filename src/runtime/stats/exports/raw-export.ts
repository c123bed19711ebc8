/** A row for each event of a scope (contract 4.4, "export", `raw`), of which there may be a million. */
import { EVENT_COLUMNS, type EventColumn } from "../../../storage/event-columns.ts";
import type { NumberColumns } from "../../engine/engine.ts";
import { NOT_RECORDED } from "../../engine/site-texts.ts";
import { TEXT_COLUMNS } from "../../engine/event-batch.ts";
import { decimalFromCents } from "../decimal.ts";
import { queryEvents, queryMinutes } from "../queries/raw-export.ts";
import type { Ask, AskNumbers } from "../query-runner.ts";
import type { Scope } from "../scope.ts";
import { ExportBody } from "./export-body.ts";
import type { ExportFormat } from "./export-format.ts";
import { portionsOf } from "./export-portions.ts";
import { TextPages } from "./text-pages.ts";

/** Events that are read from the engine and forgotten again as one. */
const ROWS_PER_PORTION = 25_000;

/** Events that are written without a pause: a few milliseconds of work. */
const ROWS_PER_SLICE = 1_000;

/** Contract 1: a visitor id is never exported. */
export const EXPORTED_COLUMNS: readonly EventColumn[] = EVENT_COLUMNS.filter(({ kind }) => kind !== "visitor");

const COLUMN_NAMES = EXPORTED_COLUMNS.map(({ name }) => name);
const TEXT_COLUMN_NAMES = TEXT_COLUMNS.map(({ name }) => name);

export interface RawExportOptions {
  readonly ask: Ask;
  readonly askNumbers: AskNumbers;
  readonly scope: Scope;
  readonly rowsMax: number;
  readonly format: ExportFormat;
  /** Lets others go on; rejects when the export is not wanted any more. */
  readonly pause: () => Promise<void>;
}

/** Writes one column's value of a row. */
type Cell = (row: number) => string;

/** The first events of the scope, oldest first. */
export async function exportRaw({ ask, askNumbers, scope, rowsMax, format, pause }: RawExportOptions): Promise<ExportBody> {
  const body = new ExportBody();
  const frame = format.frame(COLUMN_NAMES);
  const texts = new TextPages(ask, format.text);
  body.add(format.opening(COLUMN_NAMES));
  let written = 0;
  for (const { startMs, endMs } of portionsOf(await askNumbers(queryMinutes(scope)), rowsMax, ROWS_PER_PORTION)) {
    const events = await askNumbers(queryEvents(scope, startMs, endMs, rowsMax - written));
    await texts.need(events, TEXT_COLUMN_NAMES);
    const cells = EXPORTED_COLUMNS.map((column) => cellOf(column, events, { scope, format, texts }));
    const rows = events.timestamp?.length ?? 0;
    for (let first = 0; first < rows; first += ROWS_PER_SLICE) {
      let slice = "";
      for (let row = first; row < Math.min(first + ROWS_PER_SLICE, rows); row++) {
        if (written > 0) slice += format.separator;
        slice += frame[0];
        for (let i = 0; i < cells.length; i++) slice += (cells[i]?.(row) ?? "") + (frame[i + 1] ?? "");
        written++;
      }
      body.add(slice);
      await pause();
    }
  }
  body.add(format.closing);
  return body;
}

interface Writing {
  readonly scope: Scope;
  readonly format: ExportFormat;
  readonly texts: TextPages;
}

function cellOf({ name, kind }: EventColumn, events: NumberColumns, { scope, format, texts }: Writing): Cell {
  const { revenue_cents, has_revenue, timestamp } = events;
  if (name === "site_id") {
    const site = format.text(scope.siteId);
    return () => site;
  }
  if (kind === "timestamp") return (row) => format.text(new Date(Number(timestamp?.[row])).toISOString());
  if (kind === "cents") {
    return (row) => (has_revenue?.[row] === 1 ? format.number(decimalFromCents(BigInt(revenue_cents?.[row] ?? 0))) : format.unrecorded);
  }
  const codes = events[name];
  const write = kind === "json" ? (code: number) => format.json(texts.text(code)) : (code: number) => texts.written(code);
  return (row) => {
    const code = Number(codes?.[row] ?? NOT_RECORDED);
    return code === NOT_RECORDED ? format.unrecorded : write(code);
  };
}
