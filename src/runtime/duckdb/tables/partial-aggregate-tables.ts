/**
 * Stores partial aggregates in DuckDB: one table for each query, with a column for the chunk ("part") that a row belongs to. Tables
 * are expensive here (10 ms to create, 1 to 4 ms for each that a query reads); rows are cheap (2 bytes compressed).
 */
import type { Tally } from "../../query/behavioral/visitor-function.ts";
import type { SiteId } from "../../../storage/event.ts";
import { rowsFromIpc } from "./arrow.ts";
import { DroppedError, type PartialTable, type PartialTableParts } from "../engine.ts";

/** The relation that `insertion` reads. */
export const NEW_ROWS = "new_rows";

/** No query has a column of this name. */
const PART = "partial";

interface StoredTable {
  readonly name: string;
  readonly siteId: SiteId;
  readonly columns: string;
  readonly textColumns: readonly string[];
}

/** Memory of a string in addition to its bytes. */
const TEXT_ENTRY_BYTES = 16;

export class PartialAggregateTables {
  readonly #run: (statement: string) => Uint8Array;
  readonly #tables = new Map<number, StoredTable>();

  constructor(run: (statement: string) => Uint8Array) {
    this.#run = run;
  }

  /** The name of the table; creates it if it is new. */
  open({ id, siteId, columns }: PartialTable): string {
    const known = this.#tables.get(id);
    if (known) return known.name;
    const name = `partials_${id}`;
    this.#run(`CREATE TABLE ${name} (${PART} INTEGER, ${columns.map((column) => `${column.name} ${column.type}`).join(", ")})`);
    const textColumns = columns.filter(({ type }) => type === "VARCHAR").map((column) => column.name);
    this.#tables.set(id, { name, siteId, columns: columns.map((column) => column.name).join(", "), textColumns });
    return name;
  }

  #table(id: number): StoredTable {
    const table = this.#tables.get(id);
    if (!table) throw new DroppedError(`partial table ${id} does not exist`);
    return table;
  }

  /** The statement that inserts `NEW_ROWS` as a part. */
  insertion(id: number, part: number): string {
    const { name, columns } = this.#table(id);
    return `INSERT INTO ${name} SELECT ${part}, ${columns} FROM ${NEW_ROWS}`;
  }

  insertTallies(id: number, part: number, tallies: readonly Tally[]): number {
    const rows = tallies.map(({ value, visitors }) => `(${part}, ${value}, ${visitors})`);
    if (rows.length > 0) this.#run(`INSERT INTO ${this.#table(id).name} (${PART}, value, visitors) VALUES ${rows.join(", ")}`);
    return rows.length;
  }

  textBytesOf(id: number, part: number): number {
    const { name, textColumns } = this.#table(id);
    if (textColumns.length === 0) return 0;
    const bytes = textColumns.map((column) => `coalesce(sum(strlen(${column}) + ${TEXT_ENTRY_BYTES}), 0)`).join(" + ");
    return Number(rowsFromIpc([this.#run(`SELECT CAST(${bytes} AS BIGINT) AS bytes FROM ${name} WHERE ${PART} = ${part}`)])[0]?.bytes ?? 0);
  }

  /** The rows of some parts. The -1 makes the list valid SQL when it is empty. */
  relationOf({ id, parts }: PartialTableParts): string {
    return `SELECT * FROM ${this.#table(id).name} WHERE ${PART} IN (${[-1, ...parts].join(", ")})`;
  }

  /** Deletes parts. Returns the table if it was dropped. */
  drop(id: number, parts: readonly number[] | "all"): StoredTable | undefined {
    const table = this.#tables.get(id);
    if (!table || parts.length === 0) return undefined;
    if (parts !== "all") {
      this.#run(`DELETE FROM ${table.name} WHERE ${PART} IN (${parts.join(", ")})`);
      return undefined;
    }
    this.#run(`DROP TABLE ${table.name}`);
    this.#tables.delete(id);
    return table;
  }
}
