/** ClickHouse's SQL where it differs from DuckDB's: what each fragment becomes. */
import { clockPartSql, monthSql, timeUnitsSql, weekSql } from "../../query/date-range.ts";
import { arrivalPasses, matchesText, meetsSessionConditions, propertyPasses, reachesAny } from "../../query/conditions.ts";
import { isOfKeptVisit } from "../../query/left-out-visits.ts";
import { column, type Dialect, type Fragment, sql, type SqlParameter, type SqlText } from "../../query/sql.ts";
import { eventPlace, propsText } from "../../reports/exports/raw-export.ts";
import { channelsOfVisits } from "../../reports/channel-preview.ts";
import { neighboursOfPage } from "../../reports/flow.ts";
import { perMetGoal } from "../../reports/goals.ts";
import { revenueTotal } from "../../reports/measures/counts.ts";
import { notMaterialized, withSessions } from "../../reports/measures/sessions.ts";
import { eventsOfVisitors } from "../../reports/measures/step-events.ts";
import { pagesOfSessions, valuesOfSessions, valueText } from "../../reports/measures/values.ts";
import { eventsWithVisit, eventsWithVisitColumns } from "../../reports/measures/visits.ts";
import { withVisits } from "../../reports/measures/visit-sums.ts";
import { countsOfValues, keysOfEvents } from "../../reports/properties.ts";
import { EPOCH_WEEKDAY, isSeen, WEEK_DAYS, weeksAfter, weeksKept, weeksSeen } from "../../reports/retention.ts";
import type { ArrivalName, StoredArrival } from "../../arrivals/arrival-names.ts";
import type { ArrivalRules } from "../../arrivals/arrivals.ts";
import { compiledTest } from "../../query/text-matching.ts";
import { toHex } from "../../base/bytes.ts";
import { ARRIVAL_NAMES_CHARS_MAX } from "../../base/config/clickhouse-limits.ts";
import { invalidInput } from "../../base/errors.ts";
import { UNRECORDED } from "../../../shared/filters.ts";
import type { ClickhouseStatement } from "../connection.ts";
import {
  ARRIVAL,
  channelsOfOrderedVisits,
  eventsOfOrderedVisits,
  eventsWithOrderedVisits,
  historiesOfVisitors,
  isOfKeptOrderedVisit,
  meetsBySessions,
  neighboursInOrderedSessions,
  pagesOfOrderedSessions,
  valuesOfOrderedSessions,
  withOrderedSessions,
  withOrderedVisits,
} from "./sessions.ts";
import { KEYS_WITH_VALUE, mayHaveKey, propertyIsFound, textIsFound, tokenOfKey, valueOf, withPairs } from "./texts.ts";

type Writer = (...args: never[]) => SqlText;

const WRITERS = new Map<Fragment<never>, Writer>();

function write<Args extends readonly unknown[]>(fragment: Fragment<Args>, writer: (...args: Args) => SqlText): void {
  WRITERS.set(fragment as unknown as Fragment<never>, writer as unknown as Writer);
}

write(withSessions, withOrderedSessions);
write(notMaterialized, () => sql``);
write(pagesOfSessions, pagesOfOrderedSessions);
write(valuesOfSessions, valuesOfOrderedSessions);
write(withVisits, withOrderedVisits);
write(eventsWithVisit, eventsOfOrderedVisits);
write(eventsWithVisitColumns, eventsWithOrderedVisits);
write(channelsOfVisits, channelsOfOrderedVisits);
write(valueText, (name) => sql`toString(${name})`);
write(eventsOfVisitors, historiesOfVisitors);
write(neighboursOfPage, neighboursInOrderedSessions);

// Sums of 64-bit integers have 64 bits, which may overflow.
write(revenueTotal, () => sql`sum(toInt128(assumeNotNull(revenue_amount)))`);
write(
  perMetGoal,
  (marked) => sql`
    SELECT arrayJoin(bitPositionsToArray(met)) AS goal, visitor_id, currency, revenue_amount
    FROM ${marked}
    WHERE met <> 0`,
);
write(propsText, (name) => sql`ifNull(${column(name)}, '(unknown)') AS ${column(name)}`);
write(eventPlace, () => sql`segment, row, node`);

write(weeksAfter, (firstWeek) => sql`greatest(intDiv(day + ${EPOCH_WEEKDAY}, ${WEEK_DAYS}) - ${firstWeek}, 0)`);
write(weeksSeen, () => sql`groupBitOr(bitShiftLeft(toUInt64(ranged AND matching = 1), week))`);
write(weeksKept, (weeks) => sql`bitAnd(bitShiftRight(seen, week), ${2 ** weeks - 1})`);
write(isSeen, () => sql`bitTest(seen, week)`);

write(
  keysOfEvents,
  (events, limit) => sql`
    SELECT DISTINCT arrayJoin(${KEYS_WITH_VALUE}) AS value
    FROM (${withPairs(sql`SELECT props FROM (${events}) AS scoped WHERE props IS NOT NULL GROUP BY props`)}) AS read
    ${limit}`,
);
write(countsOfValues, (events, key, isCounted) => {
  const carried = sql`
      SELECT props, uniqExactState(visitor_id) AS visitor_set, count(*) AS event_count
      FROM (${events}) AS scoped
      WHERE ${mayHaveKey(key)} AND ${isCounted}
      GROUP BY props`;
  return sql`
      SELECT ${valueOf(sql`token`)} AS value, uniqExactMerge(visitor_set) AS visitors, sum(event_count) AS events
      FROM (SELECT visitor_set, event_count, ${tokenOfKey(key)} AS token FROM (${withPairs(carried)})) AS read
      GROUP BY value`;
});

write(matchesText, textIsFound);
write(arrivalPasses, (arrival, arrivalTest) => sql`${arrival} IN (SELECT arrayJoin(${{ arrivalTest }}))`);
write(propertyPasses, propertyIsFound);
write(meetsSessionConditions, meetsBySessions);
write(isOfKeptVisit, isOfKeptOrderedVisit);
write(reachesAny, (mask) => sql`bitAnd(reached, ${mask}) <> 0`);
write(timeUnitsSql, (ms, timeMs = sql`timestamp`) => sql`intDiv(${timeMs}, ${ms})`);
write(clockPartSql, ({ ms, perDay }, localMs) => sql`toInt64(day) * ${perDay} + intDiv(${localMs}, ${ms}) % ${perDay}`);
write(weekSql, (daysBefore1970) => sql`intDiv(day + ${daysBefore1970}, 7)`);
write(monthSql, () => sql`(toYear(toDate32(day)) - 1970) * 12 + toMonth(toDate32(day)) - 1`);

const clickhouseDialect: Dialect = (fragment, args) => {
  const writer = WRITERS.get(fragment as unknown as Fragment<never>);
  if (!writer) throw new Error("a fragment is not written in ClickHouse's dialect");
  return writer(...(args as unknown as never[]));
};

export const TOO_MANY_ARRIVALS = "The visits of these days came in too many ways for ClickHouse; ask for fewer days";

/** An arrival among a query's events: its number (`ARRIVAL`), and what it is the number of. */
export interface NumberedArrival extends StoredArrival {
  /** Decimal digits, which become part of the statement. */
  readonly number: string;
}

type OfArrivals = Extract<SqlParameter, { arrivalTest: unknown } | { arrivalRules: unknown }>;

const isOfArrivals = (parameter: SqlParameter): parameter is OfArrivals =>
  typeof parameter === "object" && ("arrivalTest" in parameter || "arrivalRules" in parameter);

const numbersOf = (arrivals: readonly NumberedArrival[]): string =>
  `CAST([${arrivals.map(({ number }) => number).join(",")}], 'Array(UInt64)')`;

const HEX = Array.from({ length: 256 }, (_, byte) => toHex(Uint8Array.of(byte)));
const encoder = new TextEncoder();

function hexOf(text: string): string {
  let digits = "";
  for (const byte of encoder.encode(text)) digits += HEX[byte] ?? "";
  return digits;
}

/** Texts of a statement itself, which has no room for them in its address. None is in it as it is: hexadecimal digits cannot be read as SQL. */
const textsSql = (texts: readonly string[]): string =>
  `arrayMap(digits -> unhex(digits), splitByChar(',', '${texts.map(hexOf).join(",")}'))`;

/** The name that rules give to an event's arrival. */
function namesSql(arrivals: readonly NumberedArrival[], nameOf: (arrival: NumberedArrival) => string): string {
  // The first one is that of arrivals that have come since.
  const places = new Map([[UNRECORDED, 1]]);
  const placeOf = (name: string): number => {
    const place = places.get(name) ?? places.size + 1;
    places.set(name, place);
    return place;
  };
  const placed = `CAST([${arrivals.map((arrival) => placeOf(nameOf(arrival))).join(", ")}], 'Array(UInt32)')`;
  const place = `transform(${ARRIVAL.renderedIn(clickhouseDialect).strings.join("")}, ${numbersOf(arrivals)}, ${placed}, toUInt32(1))`;
  const names = textsSql([...places.keys()]);
  if (names.length > ARRIVAL_NAMES_CHARS_MAX) throw invalidInput(TOO_MANY_ARRIVALS);
  return `${names}[${place}]`;
}

/** What rules make of arrivals: the name of an event's, or the numbers of those that pass a test. */
function arrivalsSql(parameter: OfArrivals, { arrivals, namesOf }: SiteArrivals): string {
  const nameOf = namesOf(wantedBy(parameter));
  if ("arrivalRules" in parameter) return namesSql(arrivals, (arrival) => nameOf(arrival) ?? UNRECORDED);
  const { test } = parameter.arrivalTest;
  const passes = compiledTest(test);
  const passesUnrecorded = test.kind === "is" && test.values.includes(UNRECORDED);
  return numbersOf(
    arrivals.filter((arrival) => {
      const found = nameOf(arrival);
      return found === null ? passesUnrecorded : passes(found);
    }),
  );
}

interface Typed {
  readonly type: "Int64" | "UInt64" | "String";
  readonly value: string | number;
}

function typed(parameter: SqlParameter): Typed {
  if (typeof parameter === "number") return { type: "Int64", value: parameter };
  if (typeof parameter === "bigint") return { type: parameter < 0n ? "Int64" : "UInt64", value: String(parameter) };
  if ("text" in parameter) return { type: "String", value: parameter.text };
  throw new TypeError("tests are parameters of DuckDB only");
}

interface NamesWanted {
  readonly rules: ArrivalRules;
  readonly name: ArrivalName;
}

const wantedBy = (parameter: OfArrivals): NamesWanted =>
  "arrivalTest" in parameter ? parameter.arrivalTest : { rules: parameter.arrivalRules, name: parameter.name ?? "channel" };

/** The names of arrivals that a statement needs. */
export const namesWantedBy = (statement: SqlText): readonly NamesWanted[] =>
  statement.renderedIn(clickhouseDialect).values.filter(isOfArrivals).map(wantedBy);

/** The arrivals among the events of a query's site, and their names. */
export interface SiteArrivals {
  readonly arrivals: readonly NumberedArrival[];
  readonly namesOf: (wanted: NamesWanted) => (arrival: NumberedArrival) => string | null;
}

/**
 * Equal values have one name, because the address of a request has each parameter. `known` has all arrivals that a statement with rules of
 * arrivals may read.
 */
export function clickhouseStatement(statement: SqlText, known?: SiteArrivals): ClickhouseStatement {
  const { strings, values } = statement.renderedIn(clickhouseDialect);
  const parameters: Record<string, string | number> = {};
  const placeholders = new Map<string, string>();
  const placeholderOf = ({ type, value }: Typed): string => {
    const name = `p${placeholders.size}`;
    parameters[name] = value;
    return `{${name}:${type}}`;
  };
  let text = strings[0] ?? "";
  values.forEach((parameter, i) => {
    if (isOfArrivals(parameter)) {
      if (!known) throw new TypeError("the arrivals of the site are not known");
      text += arrivalsSql(parameter, known) + (strings[i + 1] ?? "");
      return;
    }
    const value = typed(parameter);
    const key = `${value.type} ${value.value}`;
    const placeholder = placeholders.get(key) ?? placeholderOf(value);
    placeholders.set(key, placeholder);
    text += placeholder + (strings[i + 1] ?? "");
  });
  return { sql: text, parameters };
}
