/** Relations that are computed outside DuckDB and exist for one query only: `matches`, `properties` and `property_texts`. */
import { EngineLostError, type EngineQuery } from "../engine.ts";
import { ipcFromMatches, ipcFromPropertyRows, ipcFromStrings } from "./arrow-batches.ts";
import type { EngineSites } from "./engine-sites.ts";
import { readProperties } from "./property-rows.ts";
import { StringDictionary } from "./string-dictionary.ts";
import { matchStrings } from "./wildcard-matches.ts";

export interface QueryRelationsOptions {
  /** Part of the table names. No other query uses it. */
  readonly queryNumber: number;
  readonly run: (statement: string) => unknown;
  readonly insert: (table: string, ipc: Uint8Array) => void;
  readonly sites: EngineSites;
  readonly yieldToOthers: () => Promise<void>;
}

export class QueryRelations {
  readonly #options: QueryRelationsOptions;
  readonly #tables: string[] = [];
  readonly #sqlByName: Record<string, string> = {};

  constructor(options: QueryRelationsOptions) {
    this.#options = options;
  }

  /** Adds `matches`, if the query has patterns. */
  async addMatches({ siteId }: EngineQuery, patterns: readonly string[], signal: AbortSignal): Promise<void> {
    if (patterns.length === 0) return;
    const { sites, yieldToOthers } = this.#options;
    const matches = await matchStrings(sites.get(siteId)?.strings ?? new StringDictionary(), patterns, yieldToOthers, signal);
    this.#add("matches", "code INTEGER, patterns BIGINT", matches.codes.length > 0 ? ipcFromMatches(matches) : null);
  }

  /** Adds `properties` and `property_texts`, if the query reads properties. */
  async addProperties({ siteId, blocks, properties }: EngineQuery, signal: AbortSignal): Promise<void> {
    if (!properties) return;
    const { sites, yieldToOthers } = this.#options;
    const blockProps = blocks.map((id) => {
      const props = sites.get(siteId)?.props.of(id);
      if (!props) throw new EngineLostError(`the properties of block ${id} were dropped`);
      return props;
    });
    const rows = await readProperties(blockProps, properties, yieldToOthers, signal);
    this.#add("properties", "props INTEGER, code INTEGER", rows.props.length > 0 ? ipcFromPropertyRows(rows) : null);
    this.#add("property_texts", "code INTEGER, text VARCHAR", rows.strings.length > 0 ? ipcFromStrings(1, rows.strings) : null);
  }

  /** `rows` is an Arrow IPC stream; null if there are none. */
  #add(relation: string, columns: string, rows: Uint8Array | null): void {
    const { queryNumber, run, insert } = this.#options;
    const table = `query_${queryNumber}_${relation}`;
    run(`CREATE TABLE ${table} (${columns})`);
    this.#tables.push(table);
    this.#sqlByName[relation] = `SELECT * FROM ${table}`;
    if (rows) insert(table, rows);
  }

  /** The SELECT of each relation, by name. */
  get sqlByName(): Readonly<Record<string, string>> {
    return this.#sqlByName;
  }

  get isEmpty(): boolean {
    return this.#tables.length === 0;
  }

  drop(): void {
    for (const table of this.#tables.splice(0)) this.#options.run(`DROP TABLE ${table}`);
  }
}
