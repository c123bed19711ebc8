/** Relations that are computed outside DuckDB and exist for one query only: `matches`, `matching_props`, `properties` and `property_texts`. */
import { GUEST_TEST_STEPS_MAX } from "../../base/config/report-limits.ts";
import type { PropertyTest } from "../../query/sql.ts";
import type { TextTest } from "../../query/text-matching.ts";
import { EngineLostError, TooManyStepsError, type EngineQuery, type PropertiesWanted } from "../engine.ts";
import { ipcFromMatches, ipcFromPropertyRows, ipcFromStrings } from "./arrow-batches.ts";
import type { EngineSites } from "./engine-sites.ts";
import type { BlockProps } from "./props-dictionary.ts";
import { ReadableEntries } from "./readable-entries.ts";
import { createPropertyReader } from "./property-rows.ts";
import { createPropsMatching, createTextMatching, type Matching, type QueryTests } from "./test-matches.ts";
import { UnseenEntries, type Entries } from "./unseen-entries.ts";

export interface QueryRelationsOptions {
  /** Part of the table names. No other query uses it. */
  readonly queryNumber: number;
  readonly run: (statement: string) => unknown;
  readonly insert: (table: string, ipc: Uint8Array) => void;
  readonly sites: EngineSites;
}

/** The codes that a guest's query may read (see `EngineQuery.readable`). */
export interface ReadableCodes {
  readonly texts: Int32Array;
  readonly props: Int32Array;
  /** Tests that read every text all the same. */
  readonly exempt: QueryTests;
}

/** A table of one query. */
interface Table {
  readonly relation: string;
  readonly columns: string;
  /** Arrow IPC streams. */
  readonly rows: readonly Uint8Array[];
}

/** The entries of dictionaries that a query reads; more may be added while it waits. */
interface Reading {
  readonly entries: Entries;
  /** Steps for each character of an entry, at most; 0 if they do not count. */
  readonly weight: number;
  readonly read: (entries: Entries, next: () => Promise<void>) => Promise<void>;
}

function matchesTable(relation: string, code: "code" | "props", matchings: readonly Matching[]): Table {
  const found = matchings.map(({ matches }) => matches).filter(({ codes }) => codes.length > 0);
  return { relation, columns: `${code} INTEGER, tests BIGINT`, rows: found.map((matches) => ipcFromMatches(code, matches)) };
}

export class QueryRelations {
  readonly #options: QueryRelationsOptions;
  readonly #readable: ReadableCodes | null;
  readonly #stepsMax: number;
  readonly #readings: Reading[] = [];
  readonly #wanted: (() => readonly Table[])[] = [];
  readonly #tables: string[] = [];
  readonly #sqlByName: Record<string, string> = {};

  constructor(query: EngineQuery, { texts, properties }: QueryTests, readable: ReadableCodes | null, options: QueryRelationsOptions) {
    this.#options = options;
    this.#readable = readable;
    this.#stepsMax = query.isGuest ? GUEST_TEST_STEPS_MAX : Number.POSITIVE_INFINITY;
    if (texts.tests.length > 0) this.#addMatches(query, texts);
    if (properties.tests.length > 0) this.#addMatchingProps(query, properties);
    if (query.properties) this.#addProperties(query, query.properties);
  }

  /** All texts of the site. */
  #textsOf({ siteId }: EngineQuery): Entries {
    const site = this.#options.sites.get(siteId);
    return new UnseenEntries(site ? [site.strings] : []);
  }

  /** Texts that the query may read, fixed when it starts: it never reads texts added later. */
  #readableTextsOf(query: EngineQuery): Entries {
    const site = this.#options.sites.get(query.siteId);
    return this.#readable ? new ReadableEntries(this.#readable.texts, (code) => site?.strings.stringOf(code)) : this.#textsOf(query);
  }

  #readablePropsOf(query: EngineQuery): Entries {
    const site = this.#options.sites.get(query.siteId);
    const all = this.#propsOf(query);
    return this.#readable ? new ReadableEntries(this.#readable.props, (code) => site?.props.stringOf(code)) : all;
  }

  #addMatches(query: EngineQuery, tests: QueryTests["texts"]): void {
    const isExempt = (test: TextTest) => this.#readable?.exempt.texts.has(test) ?? false;
    const [own, exempt] = [createTextMatching(tests.filter((test) => !isExempt(test))), createTextMatching(tests.filter(isExempt))];
    this.#readings.push({ entries: this.#readableTextsOf(query), weight: own.weight, read: own.test });
    if (exempt.weight > 0) this.#readings.push({ entries: this.#textsOf(query), weight: 0, read: exempt.test });
    this.#wanted.push(() => [matchesTable("matches", "code", [own, exempt])]);
  }

  #addMatchingProps(query: EngineQuery, tests: QueryTests["properties"]): void {
    const isExempt = (test: PropertyTest) => this.#readable?.exempt.properties.has(test) ?? false;
    const [own, exempt] = [createPropsMatching(tests.filter((test) => !isExempt(test))), createPropsMatching(tests.filter(isExempt))];
    this.#readings.push({ entries: this.#readablePropsOf(query), weight: own.weight, read: own.test });
    if (exempt.weight > 0) this.#readings.push({ entries: this.#propsOf(query), weight: 0, read: exempt.test });
    this.#wanted.push(() => [matchesTable("matching_props", "props", [own, exempt])]);
  }

  #addProperties(query: EngineQuery, wanted: PropertiesWanted): void {
    const reader = createPropertyReader(wanted);
    this.#readings.push({ entries: this.#readablePropsOf(query), weight: reader.weight, read: reader.read });
    this.#wanted.push(() => {
      const { rows } = reader;
      return [
        {
          relation: "properties",
          columns: "props INTEGER, code INTEGER",
          rows: rows.props.length > 0 ? [ipcFromPropertyRows(rows)] : [],
        },
        {
          relation: "property_texts",
          columns: "code INTEGER, text VARCHAR",
          rows: rows.strings.length > 0 ? [ipcFromStrings(1, rows.strings)] : [],
        },
      ];
    });
  }

  #propsOf({ siteId, blocks }: EngineQuery): Entries {
    const all = blocks.map((id): BlockProps => {
      const props = this.#options.sites.get(siteId)?.props.of(id);
      if (!props) throw new EngineLostError(`the properties of block ${id} were dropped`);
      return props;
    });
    return new UnseenEntries(all);
  }

  /** Reads what was not read yet. To be called again when others have run: events may have come with new texts. */
  async read(next: () => Promise<void>): Promise<void> {
    await this.#checkSteps(next);
    while (this.#readings.some(({ entries }) => entries.areAny)) {
      for (const { entries, read } of this.#readings) await read(entries, next);
    }
  }

  async #checkSteps(next: () => Promise<void>): Promise<void> {
    if (this.#stepsMax === Number.POSITIVE_INFINITY) return;
    let steps = 0;
    for (const { entries, weight } of this.#readings) if (weight > 0) steps += (await entries.weigh(next)) * weight;
    if (steps > this.#stepsMax) throw new TooManyStepsError(`the tests of the query take ${steps} steps`);
  }

  create(): void {
    for (const { relation, columns, rows } of this.#wanted.flatMap((tables) => tables())) {
      const { queryNumber, run, insert } = this.#options;
      const table = `query_${queryNumber}_${relation}`;
      run(`CREATE TABLE ${table} (${columns})`);
      this.#tables.push(table);
      this.#sqlByName[relation] = `SELECT * FROM ${table}`;
      for (const ipc of rows) insert(table, ipc);
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
