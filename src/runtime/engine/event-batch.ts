/** Events as the columns of numbers that the engine's tables consist of. */
import { EVENT_COLUMNS } from "../../storage/event-columns.ts";
import type { StoredEvent } from "../../storage/event.ts";
import type { DecodedEvents } from "../../storage/parquet-events.ts";
import type { SiteProperties } from "./site-properties.ts";
import type { SiteTexts } from "./site-texts.ts";

/** Rows of one block. Texts are numbers of the block's site. */
export interface EventBatch {
  readonly rows: number;
  /** By column name, in the order of `TEXT_COLUMNS`. */
  readonly texts: readonly Int32Array[];
  readonly timestampsMs: BigInt64Array;
  readonly visitorIds: BigUint64Array;
  readonly revenueCents: readonly (bigint | null)[];
}

/** Columns held as numbers of texts. The site is the same throughout a block. */
export const TEXT_COLUMNS = EVENT_COLUMNS.filter(
  ({ kind, name }) => (kind === "text" || kind === "json") && name !== "site_id",
);

/** Where a batch's texts and properties get their numbers. */
export interface SiteNumbers {
  readonly texts: SiteTexts;
  readonly properties: SiteProperties;
}

type TextColumn = (typeof TEXT_COLUMNS)[number];

/** Repeated values are the rule, and neighbours often share theirs, so the last one is remembered. */
function codesOf(
  { kind }: TextColumn,
  { texts, properties }: SiteNumbers,
  rows: number,
  valueAt: (row: number) => string | null,
): Int32Array {
  const codes = new Int32Array(rows);
  let lastValue: string | null = null;
  let lastCode = texts.codeOf(null);
  for (let row = 0; row < rows; row++) {
    const value = valueAt(row);
    if (value !== lastValue) {
      lastValue = value;
      lastCode = texts.codeOf(value);
      if (kind === "json" && value !== null) properties.add(lastCode, value, texts);
    }
    codes[row] = lastCode;
  }
  return codes;
}

export function batchFromFile(decoded: DecodedEvents, numbers: SiteNumbers): EventBatch {
  const { rows, timestampsMs, visitorIds, revenueCents } = decoded;
  return {
    rows,
    timestampsMs,
    visitorIds,
    revenueCents,
    texts: TEXT_COLUMNS.map((column) => {
      const values = decoded.text(column);
      return codesOf(column, numbers, rows, (row) => values[row] ?? null);
    }),
  };
}

export function batchFromEvents(events: readonly StoredEvent[], numbers: SiteNumbers): EventBatch {
  return {
    rows: events.length,
    texts: TEXT_COLUMNS.map((column) =>
      codesOf(column, numbers, events.length, (row) => (events[row]?.[column.field] ?? null) as string | null),
    ),
    timestampsMs: BigInt64Array.from(events, ({ timestampMs }) => BigInt(timestampMs)),
    visitorIds: BigUint64Array.from(events, ({ visitorId }) => visitorId),
    revenueCents: events.map(({ revenueCents }) => (revenueCents === null ? null : BigInt(revenueCents))),
  };
}
