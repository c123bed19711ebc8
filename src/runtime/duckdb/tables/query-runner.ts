/** Runs one query in DuckDB: defines the relations it reads, and executes it in steps so that it can be aborted. */
import type { SiteId } from "../../../storage/event.ts";
import type { ArrivalRules } from "../../arrivals/arrivals.ts";
import { GUEST_TEST_STEPS_MAX } from "../../base/config/report-limits.ts";
import type { ArrivalTest, PropertyTest, SqlParameter } from "../../query/sql.ts";
import { compiledTest, stepsPerChar, type TextTest, TooManyStepsError } from "../../query/text-matching.ts";
import {
  EngineFullError,
  DroppedError,
  type EngineQuery,
  type EngineSelect,
  type PropertiesWanted,
  QUERY_TESTS_MAX,
  TooManyTestsError,
} from "../engine.ts";
import { columnsFromIpc, ipcFromMatches, ipcFromPropertyRows, ipcFromStrings, ipcsOf, type Matches } from "./arrow.ts";
import { ARRIVAL_NAME_COLUMNS, createArrivalMatching, createArrivalNaming, type ReadableArrivals, UnseenArrivals } from "./arrivals.ts";
import { type ConnectionPool, type DuckdbBindings, isFatal, isOutOfMemory, type Turn } from "./connections.ts";
import { type BlockProps, type Entries, type Entry, ReadableEntries, UnseenEntries } from "./dictionaries.ts";
import { columnsIn, type NamedColumns } from "./event-columns.ts";
import type { EngineSites, Loader, Site } from "./event-tables.ts";
import { createPropertyReader, parseProps } from "./properties.ts";

/** Steps of matchers before other work of the thread runs: a millisecond, 20 in the worst case. A test of one text is one step at least. */
const BATCH_STEPS = 100_000;

interface WithBit<Test> {
  readonly test: Test;
  readonly bit: bigint;
}

/** Distinct tests, in the order of their bits. */
class Bits<Test> {
  readonly #tests = new Map<string, WithBit<Test>>();

  add(test: Test): void {
    const key = JSON.stringify(test);
    if (!this.#tests.has(key)) this.#tests.set(key, { test, bit: 1n << BigInt(this.#tests.size) });
    if (this.#tests.size > QUERY_TESTS_MAX) throw new TooManyTestsError(`a query has at most ${QUERY_TESTS_MAX} different tests`);
  }

  of(test: Test): bigint {
    return this.#tests.get(JSON.stringify(test))?.bit ?? 0n;
  }

  has(test: Test): boolean {
    return this.#tests.has(JSON.stringify(test));
  }

  get tests(): readonly Test[] {
    return Array.from(this.#tests.values(), ({ test }) => test);
  }

  /** The tests for which `isWanted` returns true, with their bits. */
  filter(isWanted: (test: Test) => boolean = () => true): readonly WithBit<Test>[] {
    return [...this.#tests.values()].filter(({ test }) => isWanted(test));
  }
}

export class QueryTests {
  readonly texts = new Bits<TextTest>();
  readonly properties = new Bits<PropertyTest>();
  readonly arrivals = new Bits<ArrivalTest>();
  /** Tests of rules of the site have relations of their own: no rule takes a bit from a request. */
  readonly ofRules = { texts: new Bits<TextTest>(), arrivals: new Bits<ArrivalTest>() };
  /** Rules of `arrival_names`, by their places. */
  readonly rules: ArrivalRules[] = [];

  constructor(parameters: readonly SqlParameter[]) {
    for (const parameter of parameters) {
      if (typeof parameter !== "object") continue;
      if ("test" in parameter) this.textsWith(parameter.test).add(parameter.test);
      if ("propertyTest" in parameter) this.properties.add(parameter.propertyTest);
      if ("arrivalTest" in parameter) this.arrivalsWith(parameter.arrivalTest).add(parameter.arrivalTest);
      if ("arrivalRules" in parameter && this.numberOf(parameter.arrivalRules) < 0) this.rules.push(parameter.arrivalRules);
    }
  }

  textsWith({ isOfRule }: TextTest): Bits<TextTest> {
    return isOfRule ? this.ofRules.texts : this.texts;
  }

  arrivalsWith({ test }: ArrivalTest): Bits<ArrivalTest> {
    return test.isOfRule ? this.ofRules.arrivals : this.arrivals;
  }

  numberOf(rules: ArrivalRules): number {
    const key = JSON.stringify(rules);
    return this.rules.findIndex((known) => JSON.stringify(known) === key);
  }
}

/** Finds the strings that pass tests. */
interface Matching {
  /** Steps for each character of a string, at most. */
  readonly weight: number;
  /** Tests these strings, too. Rejects as `next` does, which lets other work run. */
  test(strings: Iterable<Entry>, next: () => Promise<void>): Promise<void>;
  readonly matches: Matches;
}

interface ReadyTest {
  readonly bit: bigint;
  /** Steps for each character, at most. */
  readonly weight: number;
  readonly passes: (value: string) => boolean;
}

/** `valueOf` returns what a test reads of a string; undefined if there is nothing. */
function createMatching<Ready extends ReadyTest>(
  tests: readonly Ready[],
  readerOf: (text: string) => (test: Ready) => string | undefined,
): Matching {
  const codes: number[] = [];
  const bits: bigint[] = [];
  return {
    weight: tests.reduce((sum, { weight }) => sum + weight, 0),
    async test(strings, next) {
      let stepsLeft = BATCH_STEPS;
      for (const [text, code] of strings) {
        const valueOf = readerOf(text);
        let passed = 0n;
        for (const test of tests) {
          const value = valueOf(test);
          if (value !== undefined && test.passes(value)) passed |= test.bit;
          stepsLeft -= (text.length + 1) * test.weight;
          if (stepsLeft > 0) continue;
          stepsLeft = BATCH_STEPS;
          await next();
        }
        if (passed === 0n) continue;
        codes.push(code);
        bits.push(passed);
      }
    },
    get matches() {
      return { codes: Int32Array.from(codes), tests: BigInt64Array.from(bits) };
    },
  };
}

/** Takes time proportional to the total length of the texts times the steps per character. */
export function createTextMatching(tests: readonly WithBit<TextTest>[]): Matching {
  const ready = tests.map(({ test, bit }) => ({ bit, weight: stepsPerChar(test), passes: compiledTest(test) }));
  return createMatching(ready, (text) => () => text);
}

/** Matching of props strings, which are parsed once for all tests. */
export function createPropsMatching(tests: readonly WithBit<PropertyTest>[]): Matching {
  const ready = tests.map(({ test: { key, test }, bit }) => ({ key, bit, weight: 1 + stepsPerChar(test), passes: compiledTest(test) }));
  return createMatching(ready, (json) => {
    const properties = parseProps(json);
    return ({ key }) => properties.get(key);
  });
}

interface QueryRelationsOptions extends Loader {
  /** Part of the table names. No other query uses it. */
  readonly queryNumber: number;
  readonly sites: EngineSites;
}

/** The codes that a guest's query may read (see `EngineQuery.readable`). */
export interface ReadableCodes {
  readonly texts: Int32Array;
  readonly props: Int32Array;
  readonly arrivals: ReadableArrivals;
  /** Tests that read every text all the same. */
  readonly exempt: QueryTests;
}

interface Table {
  readonly relation: string;
  readonly columns: string;
  readonly rows: readonly Uint8Array[];
}

/** The entries of dictionaries that a query reads; more may be added while it waits. */
interface Reading {
  readonly entries: Entries;
  /** Steps for each character of an entry, at most; 0 if they do not count. */
  readonly weight: number;
  readonly read: (entries: Entries, next: () => Promise<void>) => Promise<void>;
}

function matchesTable(relation: string, code: "code" | "props" | "arrival", matchings: readonly Pick<Matching, "matches">[]): Table {
  const found = matchings.map(({ matches }) => matches).filter(({ codes }) => codes.length > 0);
  return { relation, columns: `${code} INTEGER, tests BIGINT`, rows: found.map((matches) => ipcFromMatches(code, matches)) };
}

/** Relations that are computed outside DuckDB and exist for one query only. */
export class QueryRelations {
  readonly #options: QueryRelationsOptions;
  readonly #readable: ReadableCodes | null;
  readonly #stepsMax: number;
  readonly #readings: Reading[] = [];
  readonly #wanted: (() => readonly Table[])[] = [];
  readonly #tables: string[] = [];
  /** The SELECT of each relation. */
  readonly sqlByName: Record<string, string> = {};

  constructor(
    query: EngineQuery,
    { texts, properties, arrivals, ofRules, rules }: QueryTests,
    readable: ReadableCodes | null,
    options: QueryRelationsOptions,
  ) {
    this.#options = options;
    this.#readable = readable;
    this.#stepsMax = query.isGuest ? GUEST_TEST_STEPS_MAX : Number.POSITIVE_INFINITY;
    if (texts.tests.length > 0) this.#addMatches(query, texts);
    if (properties.tests.length > 0) this.#addMatchingProps(query, properties);
    if (arrivals.tests.length > 0) this.#addMatchingArrivals(query, arrivals);
    if (ofRules.texts.tests.length > 0) this.#addMatchesOfRules(query, ofRules.texts);
    if (ofRules.arrivals.tests.length > 0) this.#addMatchingArrivalsOfRules(query, ofRules.arrivals);
    if (rules.length > 0) this.#addArrivalNames(query, rules);
    if (query.properties) this.#addProperties(query, query.properties);
  }

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

  /** The owner of the site chose these tests, so their steps are nobody's, but a guest's query applies them to what is shared only. */
  #addMatchesOfRules(query: EngineQuery, tests: QueryTests["texts"]): void {
    const matching = createTextMatching(tests.filter());
    this.#readings.push({ entries: this.#readableTextsOf(query), weight: 0, read: matching.test });
    this.#wanted.push(() => [matchesTable("matches_of_rules", "code", [matching])]);
  }

  #addMatchingArrivalsOfRules({ siteId }: EngineQuery, tests: QueryTests["arrivals"]): void {
    const site = this.#options.sites.get(siteId);
    const matching = site && createArrivalMatching(tests.filter(), site);
    if (site && matching) this.#readings.push({ entries: this.#readableArrivalsOf(site), weight: 0, read: matching.read });
    this.#wanted.push(() => [matchesTable("matching_arrivals_of_rules", "arrival", matching ? [matching] : [])]);
  }

  #addMatchingProps(query: EngineQuery, tests: QueryTests["properties"]): void {
    const isExempt = (test: PropertyTest) => this.#readable?.exempt.properties.has(test) ?? false;
    const [own, exempt] = [createPropsMatching(tests.filter((test) => !isExempt(test))), createPropsMatching(tests.filter(isExempt))];
    this.#readings.push({ entries: this.#readablePropsOf(query), weight: own.weight, read: own.test });
    if (exempt.weight > 0) this.#readings.push({ entries: this.#propsOf(query), weight: 0, read: exempt.test });
    this.#wanted.push(() => [matchesTable("matching_props", "props", [own, exempt])]);
  }

  #readableArrivalsOf(site: Site): Entries {
    return new UnseenArrivals(site.arrivals, this.#readable?.arrivals ?? null);
  }

  #addMatchingArrivals({ siteId }: EngineQuery, tests: QueryTests["arrivals"]): void {
    const site = this.#options.sites.get(siteId);
    const isExempt = (test: ArrivalTest) => this.#readable?.exempt.arrivals.has(test) ?? false;
    const matchings: Pick<Matching, "matches">[] = [];
    const add = (chosen: readonly WithBit<ArrivalTest>[], entriesOf: (site: Site) => Entries, weight: number) => {
      if (!site || chosen.length === 0) return;
      const matching = createArrivalMatching(chosen, site);
      matchings.push(matching);
      this.#readings.push({ entries: entriesOf(site), weight, read: matching.read });
    };
    const own = tests.filter((test) => !isExempt(test));
    add(own, (known) => this.#readableArrivalsOf(known), own.length);
    add(tests.filter(isExempt), ({ arrivals }) => new UnseenArrivals(arrivals, null), 0);
    this.#wanted.push(() => [matchesTable("matching_arrivals", "arrival", matchings)]);
  }

  #addArrivalNames({ siteId }: EngineQuery, rules: readonly ArrivalRules[]): void {
    const site = this.#options.sites.get(siteId);
    const naming = site && createArrivalNaming(rules, site.names);
    if (site && naming) this.#readings.push({ entries: this.#readableArrivalsOf(site), weight: rules.length, read: naming.read });
    this.#wanted.push(() => {
      const rows = naming?.rows;
      if (site) this.#options.sites.insertStrings(site);
      const ipcs = rows && rows.arrival.length > 0 ? [...ipcsOf(rows, rows.arrival.length)] : [];
      return [{ relation: "arrival_names", columns: ARRIVAL_NAME_COLUMNS, rows: ipcs }];
    });
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
      if (!props) throw new DroppedError(`the properties of block ${id} were dropped`);
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
      this.sqlByName[relation] = `SELECT * FROM ${table}`;
      for (const ipc of rows) insert(table, ipc);
    }
  }

  get isEmpty(): boolean {
    return this.#tables.length === 0;
  }

  drop(): void {
    for (const table of this.#tables.splice(0)) this.#options.run(`DROP TABLE ${table}`);
  }
}

/** Bytes of a result that are fetched before other work of the thread runs: a few milliseconds. */
const FETCHED_BYTES = 1_000_000;

const NO_CODES = new Int32Array(0);

/** A query may begin with this and relations of its own. They are appended to the engine's. */
const WITH = "WITH ";

/** Turns an out-of-memory failure into the port's error; rethrows all others. */
export function rethrown(error: unknown): never {
  if (isOutOfMemory(error) && !isFatal(error)) throw new EngineFullError("the query needs more memory than the engine has");
  throw error;
}

interface QueryRunnerOptions extends Loader {
  readonly bindings: DuckdbBindings;
  readonly connections: ConnectionPool;
  readonly sites: EngineSites;
  /** See `EventTables.relationsOf`. */
  readonly blockRelations: (query: Pick<EngineQuery, "blocks" | "range">, named: NamedColumns) => Readonly<Record<string, string>>;
}

interface Execution {
  readonly relations: QueryRelations;
  readonly tests: QueryTests;
}

export class QueryRunner {
  readonly #options: QueryRunnerOptions;
  #queries = 0;

  constructor(options: QueryRunnerOptions) {
    this.#options = options;
  }

  /** The result as Arrow IPC. */
  async run(query: EngineQuery, turn: Turn): Promise<Uint8Array[]> {
    try {
      const tests = new QueryTests(query.parameters);
      const readable = query.readable ? await this.#readableCodes(query, query.readable, tests, turn) : null;
      const relations = new QueryRelations(query, tests, readable, { queryNumber: ++this.#queries, ...this.#options });
      // Takes long, so others use the connections meanwhile.
      await relations.read(turn.next);
      return await this.#options.connections.run(turn, (connection) => this.#runOn(connection, query, turn, { relations, tests }));
    } catch (error) {
      return rethrown(error);
    }
  }

  /** Only what the query needs is looked up. */
  async #readableCodes(
    query: EngineQuery,
    { texts, props, arrivals }: NonNullable<EngineQuery["readable"]>,
    tests: QueryTests,
    turn: Turn,
  ): Promise<ReadableCodes> {
    const exempt = new QueryTests([...texts.parameters, ...props.parameters]);
    const { ofRules } = tests;
    const needsArrivals =
      tests.rules.length > 0 || ofRules.arrivals.tests.length > 0 || tests.arrivals.tests.some((test) => !exempt.arrivals.has(test));
    const needsTexts = ofRules.texts.tests.length > 0 || tests.texts.tests.some((test) => !exempt.texts.has(test));
    const needsProps = query.properties !== undefined || tests.properties.tests.some((test) => !exempt.properties.has(test));
    const from = this.#options.sites.get(query.siteId)?.arrivals.count ?? 0;
    return {
      exempt,
      texts: needsTexts ? await this.#codesOf(query, texts, turn) : NO_CODES,
      props: needsProps ? await this.#codesOf(query, props, turn) : NO_CODES,
      arrivals: { from, codes: needsArrivals ? await this.#codesOf(query, arrivals, turn) : NO_CODES },
    };
  }

  /** Its steps are not bounded: the owner of the site chose what is shared. */
  async #codesOf({ siteId, blocks }: EngineQuery, select: EngineSelect, turn: Turn): Promise<Int32Array> {
    const sql = `SELECT DISTINCT CAST(code AS INTEGER) AS code FROM (${select.sql}) AS readable`;
    const { code } = columnsFromIpc(await this.run({ siteId, blocks, sql, parameters: select.parameters }, turn));
    return (code as Int32Array | undefined) ?? NO_CODES;
  }

  async #runOn(connection: number, query: EngineQuery, turn: Turn, execution: Execution): Promise<Uint8Array[]> {
    const { relations } = execution;
    // An owner goes on at once: in workerd, a step of its own takes a timer.
    if (turn.isGuest) await turn.next();
    await relations.read(turn.next);
    try {
      relations.create();
      return await this.#execute(connection, query, turn, execution);
    } finally {
      this.#drop(connection, relations);
    }
  }

  #drop(connection: number, relations: QueryRelations): void {
    if (relations.isEmpty) return;
    try {
      // A prepared statement keeps the memory of the tables that it reads.
      this.#options.bindings.runQuery(connection, "PREPARE query AS SELECT 1");
      relations.drop();
    } catch {
      // An engine that cannot drop a table is broken. The failure of the query or the next call reports that.
    }
  }

  /**
   * Executes in steps of `ENGINE_STEP_MS`; other queries and the abort signal are served between them. In this build only
   * PREPARE and EXECUTE allow both an abort and parameters. Parameters are numbers, so none can be read as SQL.
   */
  async #execute(connection: number, query: EngineQuery, turn: Turn, execution: Execution): Promise<Uint8Array[]> {
    const { bindings } = this.#options;
    bindings.runQuery(connection, `PREPARE query AS ${this.#statement(query, execution)}`);
    const values = query.parameters.map((parameter) => this.#literal(query.siteId, parameter, execution.tests));
    const execute = values.length > 0 ? `EXECUTE query(${values.join(", ")})` : "EXECUTE query";
    try {
      return await this.#resultOf(connection, execute, turn);
    } catch (error) {
      if (turn.signal.aborted) {
        bindings.cancelPendingQuery(connection);
        // The rows that it wrote block checkpoints until the connection runs another statement.
        bindings.runQuery(connection, "SELECT 1");
      }
      throw error;
    }
  }

  async #resultOf(connection: number, execute: string, turn: Turn): Promise<Uint8Array[]> {
    const { bindings } = this.#options;
    let head = bindings.startPendingQuery(connection, execute, false);
    while (head === null) {
      await turn.next();
      head = bindings.pollPendingQuery(connection);
    }
    const chunks = [head];
    let bytesLeft = FETCHED_BYTES;
    for (;;) {
      const chunk = bindings.fetchQueryResults(connection);
      if (chunk === null) continue;
      if (chunk.length === 0) return chunks;
      chunks.push(chunk);
      bytesLeft -= chunk.length;
      if (bytesLeft > 0) continue;
      bytesLeft = FETCHED_BYTES;
      await turn.next();
    }
  }

  /** This build does not parse a parenthesised query with a WITH below another WITH, so the lists of relations are joined. */
  #statement(query: EngineQuery, { relations: computed }: Execution): string {
    const { siteId, sql } = query;
    const { sites, blockRelations } = this.#options;
    const site = sites.get(siteId);
    const named = columnsIn(sql);
    const relations = {
      ...blockRelations(query, named),
      texts: site ? `SELECT * FROM ${site.stringsTable}` : "SELECT 0 AS code, '' AS text WHERE false",
      ...computed.sqlByName,
    };
    // DuckDB 1.4 materialises CTEs by default. Every query would first copy all columns of all rows.
    // Sessions with values of first events are a join for each block, which would be planned wherever they are read.
    const isKept = (name: string): boolean => name === "sessions" && named.ofVisits.length > 0;
    const opening = `WITH ${Object.entries(relations)
      .map(([name, relation]) => `${name} AS ${isKept(name) ? "" : "NOT "}MATERIALIZED (${relation})`)
      .join(", ")}`;
    const select = sql.trimStart();
    return select.startsWith(WITH) ? `${opening}, ${select.slice(WITH.length)}` : `${opening} ${select}`;
  }

  #literal(siteId: SiteId, parameter: SqlParameter, tests: QueryTests): string {
    if (typeof parameter === "object") {
      if ("test" in parameter) return String(tests.textsWith(parameter.test).of(parameter.test));
      if ("propertyTest" in parameter) return String(tests.properties.of(parameter.propertyTest));
      if ("arrivalTest" in parameter) return String(tests.arrivalsWith(parameter.arrivalTest).of(parameter.arrivalTest));
      if ("arrivalRules" in parameter) return String(tests.numberOf(parameter.arrivalRules));
      return String(this.#options.sites.get(siteId)?.strings.lookUp(parameter.text) ?? -1);
    }
    if (typeof parameter === "bigint" || Number.isFinite(parameter)) return String(parameter);
    throw new TypeError(`a query parameter must be a finite number, got ${parameter}`);
  }
}
