/** Relations that are computed outside DuckDB and exist for one query only: `matches`, `matching_props`, `properties` and `property_texts`. */
import { VIEWER_TEST_STEPS_MAX } from "../../config/report-limits.ts";
import type { PropertyTest } from "../../query/sql.ts";
import type { TextTest } from "../../query/text-matching.ts";
import { EngineLostError, TooManyStepsError, type EngineQuery, type PropertiesWanted } from "../engine.ts";
import { ipcFromMatches, ipcFromPropertyRows, ipcFromStrings } from "./arrow-batches.ts";
import type { EngineSites } from "./engine-sites.ts";
import type { BlockProps } from "./props-dictionary.ts";
import { createPropertyReader } from "./property-rows.ts";
import { createPropsMatching, createTextMatching, type Matching, type QueryTests } from "./test-matches.ts";
import { UnseenEntries, type Dictionary } from "./unseen-entries.ts";

export interface QueryRelationsOptions {
  /** Part of the table names. No other query uses it. */
  readonly queryNumber: number;
  readonly run: (statement: string) => unknown;
  readonly insert: (table: string, ipc: Uint8Array) => void;
  readonly sites: EngineSites;
}

/** What a guest's query may read (see `EngineQuery.readable`). */
export interface ReadableCodes {
  readonly texts: ReadonlySet<number>;
  readonly props: ReadonlySet<number>;
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

/** What is read of dictionaries for a query, which get new entries while it waits. */
interface Reading {
  readonly entries: UnseenEntries;
  /** Steps for each character of an entry, at most; 0 if they do not count. */
  readonly weight: number;
  readonly read: (entries: UnseenEntries, next: () => Promise<void>) => Promise<void>;
}

function matchesTable(relation: string, code: "code" | "props", matchings: readonly Matching[]): Table {
  const found = matchings.map(({ matches }) => matches).filter(({ codes }) => codes.length > 0);
  return { relation, columns: `${code} INTEGER, tests BIGINT`, rows: found.map((matches) => ipcFromMatches(code, matches)) };
}

/** The readable entries of dictionaries. Those that are added later are not. */
const readableOf = (dictionaries: readonly Dictionary[], codes: ReadonlySet<number> | undefined): readonly Dictionary[] =>
  codes === undefined
    ? dictionaries
    : dictionaries.map((dictionary) => {
        const entries = [...dictionary.entries()].filter(([, code]) => codes.has(code));
        return { entries: () => entries, size: entries.length, chars: entries.reduce((sum, [text]) => sum + text.length, 0) };
      });

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
    this.#stepsMax = query.isGuest ? VIEWER_TEST_STEPS_MAX : Number.POSITIVE_INFINITY;
    if (texts.tests.length > 0) this.#addMatches(query, texts);
    if (properties.tests.length > 0) this.#addMatchingProps(query, properties);
    if (query.properties) this.#addProperties(query, query.properties);
  }

  #read(dictionaries: readonly Dictionary[], reading: Omit<Reading, "entries">): void {
    this.#readings.push({ ...reading, entries: new UnseenEntries(dictionaries) });
  }

  #addMatches({ siteId }: EngineQuery, tests: QueryTests["texts"]): void {
    const site = this.#options.sites.get(siteId);
    const strings = site ? [site.strings] : [];
    const isExempt = (test: TextTest) => this.#readable?.exempt.texts.has(test) ?? false;
    const [own, exempt] = [createTextMatching(tests.filter((test) => !isExempt(test))), createTextMatching(tests.filter(isExempt))];
    this.#read(readableOf(strings, this.#readable?.texts), { weight: own.weight, read: own.test });
    if (exempt.weight > 0) this.#read(strings, { weight: 0, read: exempt.test });
    this.#wanted.push(() => [matchesTable("matches", "code", [own, exempt])]);
  }

  #addMatchingProps(query: EngineQuery, tests: QueryTests["properties"]): void {
    const props = this.#propsOf(query);
    const isExempt = (test: PropertyTest) => this.#readable?.exempt.properties.has(test) ?? false;
    const [own, exempt] = [createPropsMatching(tests.filter((test) => !isExempt(test))), createPropsMatching(tests.filter(isExempt))];
    this.#read(readableOf(props, this.#readable?.props), { weight: own.weight, read: own.test });
    if (exempt.weight > 0) this.#read(props, { weight: 0, read: exempt.test });
    this.#wanted.push(() => [matchesTable("matching_props", "props", [own, exempt])]);
  }

  #addProperties(query: EngineQuery, wanted: PropertiesWanted): void {
    const reader = createPropertyReader(wanted);
    this.#read(readableOf(this.#propsOf(query), this.#readable?.props), { weight: reader.weight, read: reader.read });
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
