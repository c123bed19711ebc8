/**
 * The sessions of a salt period, made from its events day by day: the rows that the relation `matching_sessions` has in SQL. Those of a
 * day end with it, except that the parts of a session on both sides of midnight are joined at the end of the period.
 */
import { DaySessions, NO_PAGE, type SessionRows, sortedSessions } from "../tables/day-sessions.ts";

/** Sessions by column. Pages are those of the first and the last page view, or `NO_PAGE`. */
export interface SessionTable {
  readonly visitors: Int32Array;
  /** The date on which a session begins. */
  readonly days: Int32Array;
  readonly firstMs: Float64Array;
  readonly lastMs: Float64Array;
  readonly events: Int32Array;
  readonly interactions: Int32Array;
  readonly pageviews: Int32Array;
  readonly entryPages: Int32Array;
  readonly exitPages: Int32Array;
  /** The mark of the first event. */
  readonly marks: Int32Array;
}

/** Memory of an event until the end of its day, of a session until the end of its period, and of a visitor while a day is counted. */
const [EVENT_BYTES, SESSION_BYTES, VISITOR_BYTES] = [28, 48, 72];

/** Rows in order of visitor, then of time, then as they are. */
function orderOf(visitors: Int32Array, times: Float64Array, visitorCount: number): Int32Array {
  const begins = new Int32Array(visitorCount + 1);
  for (const visitor of visitors) begins[visitor + 1] = (begins[visitor + 1] ?? 0) + 1;
  for (let visitor = 0; visitor < visitorCount; visitor++) begins[visitor + 1] = (begins[visitor + 1] ?? 0) + (begins[visitor] ?? 0);
  const ends = begins.slice(0, visitorCount);
  const order = new Int32Array(visitors.length);
  visitors.forEach((visitor, row) => {
    const end = ends[visitor] ?? 0;
    order[end] = row;
    ends[visitor] = end + 1;
  });
  const timeOf = (row: number): number => times[row] ?? 0;
  for (let visitor = 0; visitor < visitorCount; visitor++) {
    const ofVisitor = order.subarray(begins[visitor], begins[visitor + 1]);
    const isSorted = ofVisitor.every((row, i) => i === 0 || timeOf(ofVisitor[i - 1] ?? 0) <= timeOf(row));
    if (!isSorted) ofVisitor.sort((a, b) => timeOf(a) - timeOf(b) || a - b);
  }
  return order;
}

function sessionsOfDay(rows: SessionRows, day: number, gapMs: number): SessionTable {
  let count = 0;
  const newDay = () => new DaySessions(gapMs, () => ++count);
  let sessions = newDay();
  if (!sessions.add(rows)) sortedSessions(rows, (sessions = newDay()));
  return {
    visitors: sessions.visitors.slice(0, sessions.count),
    days: new Int32Array(sessions.count).fill(day),
    firstMs: sessions.firstMs.slice(0, sessions.count),
    lastMs: sessions.lastMs.slice(0, sessions.count),
    events: sessions.events.slice(0, sessions.count),
    interactions: sessions.interactions.slice(0, sessions.count),
    pageviews: sessions.pageviews.slice(0, sessions.count),
    entryPages: sessions.entryPages.slice(0, sessions.count),
    exitPages: sessions.exitPages.slice(0, sessions.count),
    marks: sessions.marks.slice(0, sessions.count),
  };
}

type Column<Values> = { [Name in keyof SessionTable]: SessionTable[Name] extends Values ? Name : never }[keyof SessionTable];

const mapColumns = (
  integers: (column: Column<Int32Array>) => Int32Array,
  floats: (column: Column<Float64Array>) => Float64Array,
): SessionTable => ({
  visitors: integers("visitors"),
  days: integers("days"),
  firstMs: floats("firstMs"),
  lastMs: floats("lastMs"),
  events: integers("events"),
  interactions: integers("interactions"),
  pageviews: integers("pageviews"),
  entryPages: integers("entryPages"),
  exitPages: integers("exitPages"),
  marks: integers("marks"),
});

function floatsAt(rows: Int32Array, values: Float64Array): Float64Array {
  const found = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) found[i] = values[rows[i] ?? 0] ?? 0;
  return found;
}

const rowsOf = (table: SessionTable, rows: Int32Array): SessionTable =>
  mapColumns(
    (column) => rows.map((row) => table[column][row] ?? 0),
    (column) => floatsAt(rows, table[column]),
  );

function joined<Values extends Int32Array | Float64Array>(parts: readonly Values[], create: (length: number) => Values): Values {
  const [first, ...others] = parts;
  if (first && others.length === 0) return first;
  const values = create(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    values.set(part, at);
    at += part.length;
  }
  return values;
}

const integersOf = (parts: readonly Int32Array[]): Int32Array => joined(parts, (length) => new Int32Array(length));

const floatsOf = (parts: readonly Float64Array[]): Float64Array => joined(parts, (length) => new Float64Array(length));

const joinedTables = (tables: readonly SessionTable[]): SessionTable =>
  mapColumns(
    (column) => integersOf(tables.map((table) => table[column])),
    (column) => floatsOf(tables.map((table) => table[column])),
  );

/** Parts of a visitor without a longer pause between them become one session. */
function chained(parts: SessionTable, visitorCount: number, gapMs: number): SessionTable {
  const table = rowsOf(parts, orderOf(parts.visitors, parts.firstMs, visitorCount));
  const { visitors, days, firstMs, lastMs, events, interactions, pageviews, entryPages, exitPages } = table;
  const firsts: number[] = [];
  let first = -1;
  let previousEndMs = 0;
  for (let row = 0; row < visitors.length; row++) {
    const endMs = lastMs[row] ?? 0;
    const isSame = first >= 0 && visitors[row] === visitors[first] && (firstMs[row] ?? 0) - previousEndMs <= gapMs;
    previousEndMs = endMs;
    if (!isSame) {
      firsts.push((first = row));
      continue;
    }
    days[first] = Math.min(days[first] ?? 0, days[row] ?? 0);
    lastMs[first] = Math.max(lastMs[first] ?? 0, endMs);
    events[first] = (events[first] ?? 0) + (events[row] ?? 0);
    interactions[first] = (interactions[first] ?? 0) + (interactions[row] ?? 0);
    pageviews[first] = (pageviews[first] ?? 0) + (pageviews[row] ?? 0);
    if (entryPages[first] === NO_PAGE) entryPages[first] = entryPages[row] ?? NO_PAGE;
    if (exitPages[row] !== NO_PAGE) exitPages[first] = exitPages[row] ?? NO_PAGE;
  }
  return rowsOf(table, Int32Array.from(firsts));
}

/** When a day of the site's calendar begins and ends. */
export interface DayBounds {
  readonly startMs: number;
  readonly endMs: number;
}

interface PeriodSessionsOptions {
  readonly gapMs: number;
  /** No session continues past midnight. */
  readonly isOneDay: boolean;
  /** Takes sessions once they are complete. */
  readonly onSessions: (sessions: SessionTable) => void;
}

export class PeriodSessions {
  readonly #options: PeriodSessionsOptions;
  #events: SessionRows[] = [];
  /** Sessions that may continue past midnight. */
  #nearMidnight: SessionTable[] = [];

  constructor(options: PeriodSessionsOptions) {
    this.#options = options;
  }

  bytes(visitorCount: number): number {
    const events = this.#events.reduce((sum, { visitors }) => sum + visitors.length, 0);
    const sessions = this.#nearMidnight.reduce((sum, { visitors }) => sum + visitors.length, 0);
    return events * EVENT_BYTES + sessions * SESSION_BYTES + visitorCount * VISITOR_BYTES;
  }

  add(events: SessionRows): void {
    this.#events.push(events);
  }

  endDay(day: number, bounds: DayBounds): void {
    const { gapMs, isOneDay, onSessions } = this.#options;
    const events = {
      visitors: integersOf(this.#events.map(({ visitors }) => visitors)),
      times: floatsOf(this.#events.map(({ times }) => times)),
      pages: integersOf(this.#events.map(({ pages }) => pages)),
      marks: integersOf(this.#events.map(({ marks }) => marks)),
    };
    this.#events = [];
    const sessions = sessionsOfDay(events, day, gapMs);
    onSessions(isOneDay ? sessions : this.#withoutNearMidnight(sessions, bounds));
  }

  #withoutNearMidnight(sessions: SessionTable, { startMs, endMs }: DayBounds): SessionTable {
    const { gapMs } = this.#options;
    const { firstMs, lastMs } = sessions;
    const near = firstMs.map((beginMs, row) => (beginMs - startMs <= gapMs || endMs - (lastMs[row] ?? 0) <= gapMs ? 1 : 0));
    const rows = Int32Array.from(near.keys());
    this.#nearMidnight.push(
      rowsOf(
        sessions,
        rows.filter((row) => near[row] === 1),
      ),
    );
    return rowsOf(
      sessions,
      rows.filter((row) => near[row] === 0),
    );
  }

  endPeriod(visitorCount: number): void {
    const { gapMs, isOneDay, onSessions } = this.#options;
    if (!isOneDay) onSessions(chained(joinedTables(this.#nearMidnight), visitorCount, gapMs));
    this.#nearMidnight = [];
  }
}
