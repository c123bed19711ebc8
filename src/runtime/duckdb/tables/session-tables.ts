/** The sessions of a block's events: the number of each event's, and the table of what they are, which the relation `sessions` reads. */
import { floatsOf, integersOf, wordsOf } from "../../base/bytes.ts";
import { countedFrom, ipcsOf, type NumberValues } from "./arrow.ts";
import type { ConnectionPool } from "./connections.ts";
import { DaySessions, type SessionRows, sortedSessions, VisitorIndex } from "./day-sessions.ts";

/** Columns of the relation `sessions` (see `EngineQuery`). */
export const SESSION_COLUMNS =
  "session INTEGER, visitor_id UBIGINT, day INTEGER, first_ms BIGINT, last_ms BIGINT, interactions INTEGER, pageviews INTEGER, " +
  "entry_page INTEGER, exit_page INTEGER, first_event INTEGER";

/** Rows that are numbered, and sessions that are inserted, before other work of the thread runs: a few milliseconds. */
const ROWS_AT_ONCE = 50_000;

/** Events of one day, in order of sequence number. */
export interface DayRows {
  /** Days since the epoch. */
  readonly day: number;
  readonly visitorIds: BigUint64Array;
  readonly timestampsMs: BigInt64Array;
  /** The code of the page that an event viewed, `NO_PAGE`, or `NO_INTERACTION`. */
  readonly pages: Int32Array;
  /** The place of each event in the table of its block. */
  readonly places: Int32Array;
}

/** The sessions of a day so far. */
interface OpenDay {
  readonly day: number;
  readonly visitors: VisitorIndex;
  readonly sessions: DaySessions;
}

/** Sessions of a day: those at these places, or all. */
interface ChosenSessions extends OpenDay {
  readonly places: Int32Array | null;
}

const countOf = ({ sessions, places }: ChosenSessions): number => places?.length ?? sessions.count;

const rowsOf = (chosen: readonly ChosenSessions[]): number => chosen.reduce((sum, each) => sum + countOf(each), 0);

function columnsOf(chosen: readonly ChosenSessions[]): Readonly<Record<string, NumberValues>> {
  const rows = rowsOf(chosen);
  const integers = () => new Int32Array(rows);
  const [numbers, days, interactions, pageviews, entryPages, exitPages, firstEvents] = [
    integers(),
    integers(),
    integers(),
    integers(),
    integers(),
    integers(),
    integers(),
  ];
  const [firstMs, lastMs] = [new Float64Array(rows), new Float64Array(rows)];
  const isViewed = new Uint8Array(rows);
  const ids = new BigUint64Array(rows);
  const idWords = wordsOf(ids);
  let row = 0;
  for (const each of chosen) {
    const { day, visitors, sessions, places } = each;
    const count = countOf(each);
    days.fill(day, row, row + count);
    for (let i = 0; i < count; i++, row++) {
      const place = places ? (places[i] ?? 0) : i;
      numbers[row] = sessions.numbers[place] ?? 0;
      visitors.copyId(sessions.visitors[place] ?? 0, idWords, row);
      firstMs[row] = sessions.firstMs[place] ?? 0;
      lastMs[row] = sessions.lastMs[place] ?? 0;
      interactions[row] = sessions.interactions[place] ?? 0;
      pageviews[row] = sessions.pageviews[place] ?? 0;
      entryPages[row] = sessions.entryPages[place] ?? 0;
      exitPages[row] = sessions.exitPages[place] ?? 0;
      firstEvents[row] = sessions.marks[place] ?? 0;
      isViewed[row] = pageviews[row] === 0 ? 0 : 1;
    }
  }
  return {
    session: numbers,
    visitor_id: ids,
    day: days,
    first_ms: integersOf(firstMs),
    last_ms: integersOf(lastMs),
    interactions,
    pageviews,
    entry_page: { numbers: entryPages, recorded: isViewed },
    exit_page: { numbers: exitPages, recorded: isViewed },
    first_event: firstEvents,
  };
}

/** Told of what a checkpoint has to compress. */
export type Grown = Pick<ConnectionPool, "noteRows" | "noteColumns">;

interface SessionTableOptions {
  readonly run: (statement: string) => Uint8Array;
  readonly insert: (table: string, ipc: Uint8Array) => void;
  readonly grown: Grown;
  readonly yieldToOthers: () => Promise<void>;
  readonly name: string;
  readonly gapMs: number;
  /** Returns numbers from 1 on, each once per site. */
  readonly nextNumber: () => number;
}

const sortedNumbers = ({ visitors, sessions }: OpenDay, rows: DayRows): Int32Array =>
  sortedSessions(sessionRowsOf(visitors, rows, 0, rows.pages.length), sessions);

function sessionRowsOf(visitors: VisitorIndex, rows: DayRows, begin: number, end: number): SessionRows {
  const { visitorIds, timestampsMs, pages, places } = rows;
  return {
    visitors: visitors.indexesOf(visitorIds.subarray(begin, end)),
    times: floatsOf(timestampsMs.subarray(begin, end)),
    pages: pages.subarray(begin, end),
    marks: places.subarray(begin, end),
  };
}

export class SessionTable {
  readonly #options: SessionTableOptions;
  /** The day that got rows last: it is the most likely to get more. */
  #latest: OpenDay | null = null;
  /** Days of which no session is in the table. */
  readonly #unsaved: OpenDay[] = [];

  constructor(options: SessionTableOptions) {
    this.#options = options;
    options.run(`CREATE TABLE ${options.name} (${SESSION_COLUMNS})`);
  }

  #openDay(day: number): OpenDay {
    const { gapMs, nextNumber } = this.#options;
    return { day, visitors: new VisitorIndex(), sessions: new DaySessions(gapMs, nextNumber) };
  }

  /** The session of each row of a day that had none. `save` adds its sessions to the table. */
  async begin(rows: DayRows): Promise<Int32Array> {
    let opened = this.#openDay(rows.day);
    let numbers = await this.#numbersOf(opened, rows);
    if (!numbers) {
      opened = this.#openDay(rows.day);
      numbers = sortedNumbers(opened, rows);
    }
    this.#unsaved.push(opened);
    this.#latest = opened;
    return numbers;
  }

  async #numbersOf({ visitors, sessions }: OpenDay, rows: DayRows): Promise<Int32Array | null> {
    const numbers = new Int32Array(rows.pages.length);
    for (let begin = 0; begin < numbers.length; begin += ROWS_AT_ONCE) {
      if (begin > 0) await this.#options.yieldToOthers();
      const part = sessions.add(sessionRowsOf(visitors, rows, begin, begin + ROWS_AT_ONCE));
      if (!part) return null;
      numbers.set(part, begin);
    }
    return numbers;
  }

  /** Adds the sessions of days that have begun to the table. Nobody reads these days before. */
  async save(): Promise<void> {
    let chosen: ChosenSessions[] = [];
    for (const opened of this.#unsaved.splice(0)) {
      for (let begin = 0; begin < opened.sessions.count; begin += ROWS_AT_ONCE) {
        const places = countedFrom(begin, Math.min(ROWS_AT_ONCE, opened.sessions.count - begin));
        chosen.push({ day: opened.day, visitors: opened.visitors, sessions: opened.sessions, places });
        if (rowsOf(chosen) < ROWS_AT_ONCE) continue;
        this.#insert(chosen);
        chosen = [];
        await this.#options.yieldToOthers();
      }
    }
    this.#insert(chosen);
  }

  #insert(chosen: readonly ChosenSessions[]): void {
    const { name, insert, grown } = this.#options;
    const [columns, rows] = [columnsOf(chosen), rowsOf(chosen)];
    for (const ipc of ipcsOf(columns, rows)) insert(name, ipc);
    grown.noteRows(rows);
    grown.noteColumns(name, Object.keys(columns).length);
  }

  /**
   * The session of each row that comes after others of its day, with the table up to date. null if the day has to be numbered again:
   * the rows then need no number for the moment.
   */
  continue(rows: DayRows): Int32Array | null {
    const { run, name, gapMs } = this.#options;
    const latest = this.#latest;
    if (latest?.day !== rows.day) return null;
    const added = sessionRowsOf(latest.visitors, rows, 0, rows.pages.length);
    const numbers = latest.sessions.add(added);
    if (!numbers) return null;
    // No other session has got a row.
    const sinceMs = added.times.reduce((first, timeMs) => Math.min(first, timeMs), Number.POSITIVE_INFINITY) - gapMs;
    run(`DELETE FROM ${name} WHERE day = ${rows.day} AND last_ms >= ${sinceMs}`);
    this.#insert([{ ...latest, places: latest.sessions.since(sinceMs) }]);
    return numbers;
  }

  /** The sessions of all rows of a day anew, in order of time: needed for a day during which the clock was set back. */
  renumbered(rows: DayRows): Int32Array {
    const { run, name } = this.#options;
    const opened = this.#openDay(rows.day);
    const numbers = sortedNumbers(opened, rows);
    run(`DELETE FROM ${name} WHERE day = ${rows.day}`);
    this.#insert([{ ...opened, places: null }]);
    this.#latest = opened;
    return numbers;
  }

  /** No day gets more rows. */
  close(): void {
    this.#latest = null;
  }

  /** Memory besides the table. */
  get bytes(): number {
    return this.#latest ? this.#latest.visitors.bytes + this.#latest.sessions.bytes : 0;
  }

  drop(): void {
    this.#options.run(`DROP TABLE ${this.#options.name}`);
  }
}
