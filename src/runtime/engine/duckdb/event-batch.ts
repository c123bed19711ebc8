/** Events as the columns of numbers that the engine's tables consist of. */
import { EVENT_COLUMNS } from "../../../storage/event-columns.ts";
import type { NumberColumn } from "../../../storage/parquet-columns.ts";
import type { DecodedEvents } from "../../../storage/parquet-events.ts";
import type { BlockProps } from "./site-props.ts";
import { NOT_RECORDED, type StringDictionary } from "./string-dictionary.ts";

/** Rows of one block. Texts are numbers of the block's site. */
export interface EventBatch {
  readonly rows: number;
  /** By column name, in the order of `TEXT_COLUMNS`. */
  readonly texts: readonly Int32Array[];
  readonly timestampsMs: BigInt64Array;
  readonly visitorIds: BigUint64Array;
  readonly revenueCents: NumberColumn;
}

/** Columns held as numbers of texts. The site is the same throughout a block. */
export const TEXT_COLUMNS = EVENT_COLUMNS.filter(({ kind, name }) => (kind === "text" || kind === "json") && name !== "site_id");

/** Where a batch's texts and properties get their numbers; properties that the block does not keep get none. */
export interface BatchNumbers {
  readonly texts: StringDictionary;
  readonly props: BlockProps | undefined;
}

type TextColumn = (typeof TEXT_COLUMNS)[number];

/** The codes of one column. Each text is looked up once, however many rows have it. */
function codesOf(column: TextColumn, parts: readonly DecodedEvents[], rows: number, { texts, props }: BatchNumbers): Int32Array {
  const codes = new Int32Array(rows);
  if (column.kind === "json" && !props) return codes;
  let begin = 0;
  for (const part of parts) {
    const { texts: distinct, places } = part.text(column);
    // Shifted by one, so that no place stands for what is not recorded.
    const codeAt = new Int32Array(distinct.length + 1).fill(NOT_RECORDED, 0, 1);
    distinct.forEach((text, place) => {
      codeAt[place + 1] = column.kind === "json" && props ? props.numberOf(text) : texts.codeOf(text);
    });
    for (let row = 0; row < places.length; row++) codes[begin + row] = codeAt[(places[row] ?? -1) + 1] ?? 0;
    begin += part.rows;
  }
  return codes;
}

/** One batch of the events of several files, or parts of a day, one after another. */
export function batchOf(parts: readonly DecodedEvents[], numbers: BatchNumbers): EventBatch {
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  const batch = {
    rows,
    texts: TEXT_COLUMNS.map((column) => codesOf(column, parts, rows, numbers)),
    timestampsMs: new BigInt64Array(rows),
    visitorIds: new BigUint64Array(rows),
    revenueCents: { numbers: new BigInt64Array(rows), recorded: new Uint8Array(rows) },
  };
  let begin = 0;
  for (const { rows: partRows, timestampsMs, visitorIds, revenueCents } of parts) {
    batch.timestampsMs.set(timestampsMs, begin);
    batch.visitorIds.set(visitorIds, begin);
    batch.revenueCents.numbers.set(revenueCents.numbers, begin);
    batch.revenueCents.recorded.set(revenueCents.recorded, begin);
    begin += partRows;
  }
  return batch;
}
