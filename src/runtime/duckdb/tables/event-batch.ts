/** The content of one INSERT into an event table: decoded events of several files or days, as columns of integers. */
import { NUMBER_COLUMNS, TEXT_COLUMNS, type NumberEventColumn, type TextEventColumn } from "../../../storage/event.ts";
import type { NumberColumn } from "../../../storage/parquet-columns.ts";
import type { DecodedEvents } from "../../../storage/parquet-events.ts";
import { type BlockProps, NOT_RECORDED, type StringDictionary } from "./dictionaries.ts";

/** An INSERT of more rows takes longer than other work of the thread should wait. */
const INSERT_ROWS_MAX = 50_000;

/** Events of one day, in order of sequence number. */
export interface DayEvents {
  /** Days since the epoch, by the date of their partition. */
  readonly day: number;
  readonly events: DecodedEvents;
}

/**
 * Collects events until an INSERT is full. An INSERT takes some milliseconds however few rows it brings, so files of several days
 * share one. The events of a day stay next to each other, so that its sessions are numbered in one pass.
 */
export class PendingInsert {
  #days: DayEvents[] = [];
  #rows = 0;

  hasRoomFor({ day, events }: DayEvents): boolean {
    if (this.#days.length > 0 && this.#rows + events.rows > INSERT_ROWS_MAX) return false;
    return this.#days.at(-1)?.day === day || !this.#days.some((other) => other.day === day);
  }

  add(dayEvents: DayEvents): void {
    if (dayEvents.events.rows > 0) this.#days.push(dayEvents);
    this.#rows += dayEvents.events.rows;
  }

  takeAll(): readonly DayEvents[] {
    const days = this.#days;
    [this.#days, this.#rows] = [[], 0];
    return days;
  }
}

/** Rows of one block. */
export interface EventBatch {
  readonly rows: number;
  /** Codes, in the order of `TEXT_COLUMNS`. */
  readonly codes: readonly Int32Array[];
  readonly timestampsMs: BigInt64Array;
  readonly visitorIds: BigUint64Array;
  /** Ordered like `NUMBER_COLUMNS`. */
  readonly numbers: readonly NumberColumn[];
}

export interface BatchDictionaries {
  readonly strings: StringDictionary;
  /** Undefined if the block does not keep its properties: their codes are all `NOT_RECORDED`. */
  readonly props: BlockProps | undefined;
}

/** The codes of one column. Each distinct string of a file is looked up once, however many rows have it. */
function codesOf(
  column: TextEventColumn,
  parts: readonly DecodedEvents[],
  rows: number,
  { strings, props }: BatchDictionaries,
): Int32Array {
  const codes = new Int32Array(rows);
  if (column.kind === "json" && !props) return codes;
  let begin = 0;
  for (const part of parts) {
    const { texts: distinct, places } = part.text(column);
    // Shifted by one: index -1 of the file means "not recorded".
    const codeAt = new Int32Array(distinct.length + 1).fill(NOT_RECORDED, 0, 1);
    distinct.forEach((text, index) => {
      codeAt[index + 1] = column.kind === "json" && props ? props.codeOf(text) : strings.codeOf(text);
    });
    for (let row = 0; row < places.length; row++) codes[begin + row] = codeAt[(places[row] ?? -1) + 1] ?? 0;
    begin += part.rows;
  }
  return codes;
}

function numbersOf(column: NumberEventColumn, parts: readonly DecodedEvents[], rows: number): NumberColumn {
  const all = { numbers: new BigInt64Array(rows), recorded: new Uint8Array(rows) };
  let begin = 0;
  for (const part of parts) {
    const { numbers, recorded } = part.number(column);
    all.numbers.set(numbers, begin);
    all.recorded.set(recorded, begin);
    begin += part.rows;
  }
  return all;
}

/** One batch of the given events, in their order. Times and visitor ids stay in typed arrays; no row becomes an object. */
export function batchOf(parts: readonly DecodedEvents[], dictionaries: BatchDictionaries): EventBatch {
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  const batch = {
    rows,
    codes: TEXT_COLUMNS.map((column) => codesOf(column, parts, rows, dictionaries)),
    timestampsMs: new BigInt64Array(rows),
    visitorIds: new BigUint64Array(rows),
    numbers: NUMBER_COLUMNS.map((column) => numbersOf(column, parts, rows)),
  };
  let begin = 0;
  for (const { rows: partRows, timestampsMs, visitorIds } of parts) {
    batch.timestampsMs.set(timestampsMs, begin);
    batch.visitorIds.set(visitorIds, begin);
    begin += partRows;
  }
  return batch;
}
