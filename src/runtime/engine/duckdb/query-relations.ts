/** Relations that are computed outside DuckDB and exist for one query only: `matches`, `matching_props`, `properties` and `property_texts`. */
import { EngineLostError, type EngineQuery } from "../engine.ts";
import { ipcFromMatches, ipcFromPropertyRows, ipcFromStrings } from "./arrow-batches.ts";
import type { EngineSites } from "./engine-sites.ts";
import type { BlockProps } from "./props-dictionary.ts";
import { readProperties } from "./property-rows.ts";
import { StringDictionary } from "./string-dictionary.ts";
import { matchProps, matchTexts, type QueryTests } from "./test-matches.ts";

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

  /** Adds `matches` and `matching_props`, if the query has tests for them. */
  async addMatches(query: EngineQuery, { texts, properties }: QueryTests, signal: AbortSignal): Promise<void> {
    const { sites, yieldToOthers } = this.#options;
    if (texts.tests.length > 0) {
      const strings = sites.get(query.siteId)?.strings ?? new StringDictionary();
      const matches = await matchTexts(strings.entries(), texts.tests, { yieldToOthers, signal });
      this.#add("matches", "code INTEGER, tests BIGINT", matches.codes.length > 0 ? ipcFromMatches("code", matches) : null);
    }
    if (properties.tests.length > 0) {
      const blocks = this.#propsOf(query).map((block) => block.entries());
      const matches = await matchProps(blocks, properties.tests, { yieldToOthers, signal });
      this.#add("matching_props", "props INTEGER, tests BIGINT", matches.codes.length > 0 ? ipcFromMatches("props", matches) : null);
    }
  }

  /** Adds `properties` and `property_texts`, if the query reads properties. */
  async addProperties(query: EngineQuery, signal: AbortSignal): Promise<void> {
    if (!query.properties) return;
    const rows = await readProperties(this.#propsOf(query), query.properties, this.#options.yieldToOthers, signal);
    this.#add("properties", "props INTEGER, code INTEGER", rows.props.length > 0 ? ipcFromPropertyRows(rows) : null);
    this.#add("property_texts", "code INTEGER, text VARCHAR", rows.strings.length > 0 ? ipcFromStrings(1, rows.strings) : null);
  }

  #propsOf({ siteId, blocks }: EngineQuery): BlockProps[] {
    return blocks.map((id) => {
      const props = this.#options.sites.get(siteId)?.props.of(id);
      if (!props) throw new EngineLostError(`the properties of block ${id} were dropped`);
      return props;
    });
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
