/** Scans events in ClickHouse: a result arrives as one row of arrays, and texts get codes within this process. */
import type { NumberColumns } from "../../storage/columns.ts";
import { NOT_RECORDED, StringDictionary } from "../duckdb/tables/string-dictionary.ts";
import type { DateRange } from "../query/date-range.ts";
import { joinSql, resultColumn, sql, type SqlRow, type SqlText } from "../query/sql.ts";
import type { ScanQuery, ScanReader, TextsOf } from "../query/scan.ts";

/** The column with the place of each row's text among the distinct texts of the column. */
const placesOf = (text: string): string => `places_of_${text}`;

/**
 * One row with an array for each column of the query, in the order of its rows: its numbers, or its distinct texts in order of their first
 * place.
 */
export function arraysSql({ sql: rows, texts, numbers }: ScanQuery): SqlText {
  const values = (name: string) => sql`groupArray(scanned.${resultColumn(name)})`;
  const columns = [
    ...numbers.map((name) => sql`${values(name)} AS ${resultColumn(name)}`),
    ...texts.map((name) => sql`arrayDistinct(${values(name)}) AS ${resultColumn(name)}`),
    ...texts.map((name) => sql`arrayEnumerateDense(${values(name)}) AS ${resultColumn(placesOf(name))}`),
  ];
  return sql`scanned AS (${rows}) SELECT ${joinSql(columns, ", ")} FROM scanned`;
}

/** The texts of one scan. Those that were not recorded have the code of that. */
class ScanTexts {
  readonly #dictionary = new StringDictionary();
  readonly #reserve: (bytes: number) => void;

  constructor(reserve: (bytes: number) => void) {
    this.#reserve = reserve;
  }

  /** Adds texts, and returns their codes. */
  codesOf(texts: readonly string[]): readonly number[] {
    const before = this.#dictionary.bytes;
    const codes = texts.map((text) => this.#dictionary.codeOf(text));
    this.#reserve(this.#dictionary.bytes - before);
    return codes;
  }

  readonly textsOf: TextsOf = async (codes) => {
    const { strings } = this.#dictionary.added();
    return new Map(codes.map((code) => [code, strings[code - 1] ?? ""]));
  };
}

/** Other rows have no arrays. */
function arrayIn<Value>(row: SqlRow, name: string): readonly Value[] {
  const array: unknown = row[name];
  if (Array.isArray(array)) return array as readonly Value[];
  throw new TypeError(`the column ${name} of a scan must hold an array`);
}

function columnsOf(row: SqlRow, { texts, numbers }: ScanQuery, dictionary: ScanTexts): NumberColumns {
  const numbersIn = (name: string) => BigInt64Array.from(arrayIn<string | number>(row, name), BigInt);
  const codesIn = (name: string) => {
    const codes = dictionary.codesOf(arrayIn<string>(row, name));
    return Int32Array.from(arrayIn<number>(row, placesOf(name)), (place) => codes[place - 1] ?? NOT_RECORDED);
  };
  return Object.fromEntries([
    ...numbers.map((name) => [name, numbersIn(name)] as const),
    ...texts.map((name) => [name, codesIn(name)] as const),
  ]);
}

/** The reader's result over one chunk, the whole range. `select` runs a statement that continues a `WITH`. */
export async function scanRows<Result>(
  range: DateRange,
  reader: ScanReader<Result>,
  select: (rest: SqlText) => Promise<readonly SqlRow[]>,
): Promise<Result> {
  const texts = new ScanTexts((bytes) => reader.reserve(bytes));
  await reader.readChunk({
    range,
    async columns(query) {
      const [row = {}] = await select(arraysSql(query));
      return columnsOf(row, query, texts);
    },
    propsTextsOf: texts.textsOf,
  });
  return reader.finish(texts.textsOf);
}
