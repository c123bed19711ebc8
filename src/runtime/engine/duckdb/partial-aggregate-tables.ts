/** How DuckDB keeps partialAggregates: a table for each, in which every row says of which part it is. Parts come and go by INSERT and DELETE. */
import type { Tally } from "./behavioral/visitor-function.ts";
import type { SiteId } from "../../../storage/event.ts";
import { rowsFromIpc } from "./arrow-batches.ts";
import { EngineLostError, type PartialTableRef, type PartialTableParts } from "../engine.ts";

/** The relation of rows that are to be inserted. */
export const NEW_ROWS = "new_rows";

/** No query gives a column of that name. */
const PART = "summary_part";

interface PartialTable {
  readonly name: string;
  readonly siteId: SiteId;
  readonly columns: string;
  /** Of texts. */
  readonly textColumns: readonly string[];
}

/** What a text takes beside its bytes. */
const TEXT_ENTRY_BYTES = 16;

export class PartialAggregateTables {
  readonly #run: (statement: string) => Uint8Array;
  readonly #tables = new Map<number, PartialTable>();

  constructor(run: (statement: string) => Uint8Array) {
    this.#run = run;
  }

  /** Makes the table when it is new, and gives its name. */
  open({ id, siteId, columns }: PartialTableRef): string {
    const known = this.#tables.get(id);
    if (known) return known.name;
    const name = `summary_${id}`;
    this.#run(`CREATE TABLE ${name} (${PART} INTEGER, ${columns.map((column) => `${column.name} ${column.type}`).join(", ")})`);
    const textColumns = columns.filter(({ type }) => type === "VARCHAR").map((column) => column.name);
    this.#tables.set(id, { name, siteId, columns: columns.map((column) => column.name).join(", "), textColumns });
    return name;
  }

  #table(id: number): PartialTable {
    const table = this.#tables.get(id);
    if (!table) throw new EngineLostError(`summary ${id} is gone`);
    return table;
  }

  /** What inserts `NEW_ROWS`. */
  insertion(id: number, part: number): string {
    const { name, columns } = this.#table(id);
    return `INSERT INTO ${name} SELECT ${part}, ${columns} FROM ${NEW_ROWS}`;
  }

  /** Of how many rows they are. */
  insertTallies(id: number, part: number, tallies: readonly Tally[]): number {
    const rows = tallies.map(({ value, visitors }) => `(${part}, ${value}, ${visitors})`);
    if (rows.length > 0) this.#run(`INSERT INTO ${this.#table(id).name} (${PART}, value, visitors) VALUES ${rows.join(", ")}`);
    return rows.length;
  }

  /** What the texts of a part take. */
  textBytesOf(id: number, part: number): number {
    const { name, textColumns } = this.#table(id);
    if (textColumns.length === 0) return 0;
    const bytes = textColumns.map((column) => `coalesce(sum(strlen(${column}) + ${TEXT_ENTRY_BYTES}), 0)`).join(" + ");
    return Number(rowsFromIpc([this.#run(`SELECT CAST(${bytes} AS BIGINT) AS bytes FROM ${name} WHERE ${PART} = ${part}`)])[0]?.bytes ?? 0);
  }

  relationOf({ id, parts }: PartialTableParts): string {
    return `SELECT * FROM ${this.#table(id).name} WHERE ${PART} IN (${[-1, ...parts].join(", ")})`;
  }

  /** The table, if it is gone now. */
  drop(id: number, parts: readonly number[] | "all"): PartialTable | undefined {
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
