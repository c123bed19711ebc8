/** Relations that are computed outside DuckDB and exist for one query only: `matches`, `matching_props`, `properties` and `property_texts`. */
import { VIEWER_TEST_STEPS_MAX } from "../../config/report-limits.ts";
import { EngineLostError, TooManyStepsError, type EngineQuery } from "../engine.ts";
import { ipcFromMatches, ipcFromPropertyRows, ipcFromStrings } from "./arrow-batches.ts";
import type { EngineSites } from "./engine-sites.ts";
import type { BlockProps } from "./props-dictionary.ts";
import { createPropertyReader } from "./property-rows.ts";
import { createPropsMatching, createTextMatching, type Matches, type QueryTests } from "./test-matches.ts";
import { UnseenEntries } from "./unseen-entries.ts";

export interface QueryRelationsOptions {
  /** Part of the table names. No other query uses it. */
  readonly queryNumber: number;
  readonly run: (statement: string) => unknown;
  readonly insert: (table: string, ipc: Uint8Array) => void;
  readonly sites: EngineSites;
}

/** A table of one query. */
interface Table {
  readonly relation: string;
  readonly columns: string;
  /** An Arrow IPC stream; null without rows. */
  readonly rows: Uint8Array | null;
}

/** What is read of dictionaries for a query, which get new entries while it waits. */
interface Reading {
  readonly entries: UnseenEntries;
  /** Steps for each character of an entry, at most. */
  readonly weight: number;
  readonly read: (entries: UnseenEntries, next: () => Promise<void>) => Promise<void>;
  readonly tables: () => readonly Table[];
}

const matchesTable = (relation: string, code: "code" | "props", matches: Matches): Table => ({
  relation,
  columns: `${code} INTEGER, tests BIGINT`,
  rows: matches.codes.length > 0 ? ipcFromMatches(code, matches) : null,
});

export class QueryRelations {
  readonly #options: QueryRelationsOptions;
  readonly #readings: readonly Reading[];
  readonly #stepsMax: number;
  readonly #tables: string[] = [];
  readonly #sqlByName: Record<string, string> = {};

  constructor(query: EngineQuery, tests: QueryTests, options: QueryRelationsOptions) {
    this.#options = options;
    this.#stepsMax = query.isGuest ? VIEWER_TEST_STEPS_MAX : Number.POSITIVE_INFINITY;
    this.#readings = [...this.#matches(query, tests), ...this.#properties(query)];
  }

  *#matches(query: EngineQuery, { texts, properties }: QueryTests): Iterable<Reading> {
    if (texts.tests.length > 0) {
      const site = this.#options.sites.get(query.siteId);
      const matching = createTextMatching(texts.tests);
      const tables = () => [matchesTable("matches", "code", matching.matches)];
      yield { entries: new UnseenEntries(site ? [site.strings] : []), weight: matching.weight, read: matching.test, tables };
    }
    if (properties.tests.length > 0) {
      const matching = createPropsMatching(properties.tests);
      const tables = () => [matchesTable("matching_props", "props", matching.matches)];
      yield { entries: new UnseenEntries(this.#propsOf(query)), weight: matching.weight, read: matching.test, tables };
    }
  }

  *#properties(query: EngineQuery): Iterable<Reading> {
    if (!query.properties) return;
    const reader = createPropertyReader(query.properties);
    const tables = (): readonly Table[] => {
      const { rows } = reader;
      const texts = rows.strings.length > 0 ? ipcFromStrings(1, rows.strings) : null;
      return [
        { relation: "properties", columns: "props INTEGER, code INTEGER", rows: rows.props.length > 0 ? ipcFromPropertyRows(rows) : null },
        { relation: "property_texts", columns: "code INTEGER, text VARCHAR", rows: texts },
      ];
    };
    yield { entries: new UnseenEntries(this.#propsOf(query)), weight: 1, read: reader.read, tables };
  }

  #propsOf({ siteId, blocks }: EngineQuery): BlockProps[] {
    return blocks.map((id) => {
      const props = this.#options.sites.get(siteId)?.props.of(id);
      if (!props) throw new EngineLostError(`the properties of block ${id} were dropped`);
      return props;
    });
  }

  /** Reads what was not read yet. To be called again when others have run: events may have come with new texts. */
  async read(next: () => Promise<void>): Promise<void> {
    this.#checkSteps();
    while (this.#readings.some(({ entries }) => entries.areAny)) {
      for (const { entries, read } of this.#readings) await read(entries, next);
    }
  }

  #checkSteps(): void {
    const steps = this.#readings.reduce((sum, { entries, weight }) => sum + entries.weight * weight, 0);
    if (steps > this.#stepsMax) throw new TooManyStepsError(`the tests of the query take ${steps} steps`);
  }

  create(): void {
    for (const { relation, columns, rows } of this.#readings.flatMap(({ tables }) => tables())) {
      const { queryNumber, run, insert } = this.#options;
      const table = `query_${queryNumber}_${relation}`;
      run(`CREATE TABLE ${table} (${columns})`);
      this.#tables.push(table);
      this.#sqlByName[relation] = `SELECT * FROM ${table}`;
      if (rows) insert(table, rows);
    }
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
