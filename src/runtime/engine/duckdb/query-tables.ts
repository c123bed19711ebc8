/** Tables that exist for one query only: relations that are computed outside the database, from the query and the site's texts. */

export interface QueryTablesOptions {
  /** No other query's. */
  readonly number: number;
  readonly run: (statement: string) => unknown;
  readonly insert: (table: string, ipc: Uint8Array) => void;
}

export class QueryTables {
  readonly #options: QueryTablesOptions;
  readonly #names: string[] = [];
  readonly #relations: Record<string, string> = {};

  constructor(options: QueryTablesOptions) {
    this.#options = options;
  }

  /** The rows are an Arrow IPC stream; null where there are none. */
  add(relation: string, columns: string, rows: Uint8Array | null): void {
    const { number, run, insert } = this.#options;
    const name = `query_${number}_${relation}`;
    run(`CREATE TABLE ${name} (${columns})`);
    this.#names.push(name);
    this.#relations[relation] = `SELECT * FROM ${name}`;
    if (rows) insert(name, rows);
  }

  /** The query that gives each relation, by its name. */
  get relations(): Readonly<Record<string, string>> {
    return this.#relations;
  }

  get isEmpty(): boolean {
    return this.#names.length === 0;
  }

  drop(): void {
    for (const name of this.#names.splice(0)) this.#options.run(`DROP TABLE ${name}`);
  }
}
