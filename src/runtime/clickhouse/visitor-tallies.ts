/**
 * Counts visitors by the value of a function with ClickHouse: natively where that is exact, and else from the events of these visitors,
 * which come in portions, so that memory is bounded, and go through the automata that DuckDB's events go through.
 */
import { oneVisitor, type Tally, type VisitorFunction } from "../query/behavioral/visitor-function.ts";
import { UNDECIDED, nativeValue } from "./native-values.ts";
import { numberIn, rowsBy, textIn } from "../query/row-values.ts";
import { sql, type SqlRow, type SqlText } from "../query/sql.ts";

/** Events of a portion, about; each takes some 10 bytes of a response. Every portion is a query over all events of the range. */
const PORTION_EVENTS = 500_000;

/** Numbers of a text, with spaces in between. */
const joined = (numbers: SqlText): SqlText => sql`arrayStringConcat(${numbers}, ' ')`;

export interface VisitorTalliesOptions {
  readonly perVisitor: VisitorFunction;
  /** A SELECT of `visitor_id` and `history` (see `nativeValue`). */
  readonly histories: SqlText;
  /** The rows of a statement. `rest` follows the definition of the relation `events`. */
  readonly select: (rest: SqlText) => Promise<readonly SqlRow[]>;
}

/** The value of each visitor of a portion of those whose value is undecided. Functions depend on differences of times only. */
async function portionValues({ perVisitor, histories, select }: VisitorTalliesOptions, portion: number, portions: number) {
  const rows = await select(sql`
    histories AS (${histories})
    SELECT
      ${joined(sql`arrayMap(event -> toString(event.ms - history[1].ms), history)`)} AS times,
      ${joined(sql`arrayMap(event -> toString(event.met), history)`)} AS conditions
    FROM (SELECT * FROM histories WHERE intHash64(visitor_id) % ${portions} = ${portion}) AS portion
    WHERE ${nativeValue(perVisitor)} = ${UNDECIDED}`);
  const valueOf = oneVisitor(perVisitor);
  return rows.map((row) => {
    const timestampsMs = Float64Array.from(textIn(row, "times").split(" "), Number);
    const met = Int32Array.from(textIn(row, "conditions").split(" "), Number);
    return valueOf({ timestampsMs, met }, 0, met.length);
  });
}

/** Rows `value`, `visitors`, one for each distinct value. */
export async function visitorTallies(options: VisitorTalliesOptions): Promise<Tally[]> {
  const { perVisitor, histories, select } = options;
  const rows = await select(sql`
    histories AS (${histories})
    SELECT value, count(*) AS visitors, sum(events) AS events
    FROM (SELECT ${nativeValue(perVisitor)} AS value, length(history) AS events FROM histories) AS valued
    GROUP BY value`);
  const visitorsBy = new Map(rows.map((row) => [numberIn(row, "value"), numberIn(row, "visitors")]));
  visitorsBy.delete(UNDECIDED);
  const events = numberIn(rowsBy("value", rows).get(UNDECIDED), "events");
  const portions = Math.ceil(events / PORTION_EVENTS);
  for (let portion = 0; portion < portions; portion++) {
    for (const value of await portionValues(options, portion, portions)) visitorsBy.set(value, (visitorsBy.get(value) ?? 0) + 1);
  }
  return [...visitorsBy].map(([value, visitors]) => ({ value, visitors }));
}
