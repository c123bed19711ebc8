/** What the engine computes of loaded events for a reader: the rows of a query, of which a guest's tests read shared texts only. */
import type { AggregateQuery, LargestOfEach } from "../query/plan.ts";
import { sharedEventsIn, type SiteRange } from "../query/scope.ts";
import { column, joinSql, resultColumn, sql, type SqlText } from "../query/sql.ts";
import type { EngineQuery, EngineSelect } from "./engine.ts";

export const statement = ({ text, values }: SqlText): EngineSelect => ({ sql: text, parameters: values });

const NO_CODES = statement(sql`SELECT 0 AS code WHERE false`);

function testedColumns({ values }: SqlText): SqlText[] {
  const tested = new Set(values.flatMap((value) => (typeof value === "object" && "test" in value && value.of ? [value.of] : [])));
  return [...tested].map(column);
}

function codesOf(columns: readonly SqlText[], events: SqlText): EngineSelect {
  const [first, ...others] = columns;
  if (!first) return NO_CODES;
  const code = others.length === 0 ? first : sql`unnest([${joinSql(columns, ", ")}])`;
  return statement(sql`SELECT ${code} AS code FROM (${events}) AS shared_events`);
}

/** The part of an engine query over the events of a range that says who asks. */
export function readableIn(query: SqlText, range: SiteRange, isGuest: boolean): Pick<EngineQuery, "isGuest" | "readable"> {
  if (!isGuest) return {};
  const events = sharedEventsIn(range);
  return {
    isGuest: true,
    readable: {
      texts: codesOf(testedColumns(query), events),
      props: codesOf([sql`props`], events),
      arrivals: codesOf([sql`arrival`], events),
    },
  };
}

/**
 * All columns without NULL: texts as codes, or as texts if they have none, amounts in decimal digits, and other numbers, which are below
 * 2^53, as DOUBLE. They are faster to read than 64-bit integers.
 */
function rowsSql(query: AggregateQuery, partial: SqlText, rowsMax: number): SqlText {
  const { keys, codes = [], names = [], counts, amounts = [], largestOfEach } = query;
  const columns = [
    ...codes.map((name) => sql`CAST(coalesce(${resultColumn(name)}, 0) AS INTEGER) AS ${resultColumn(name)}`),
    ...names.map(resultColumn),
    ...[...keys, ...counts].map((name) => sql`CAST(coalesce(${resultColumn(name)}, 0) AS DOUBLE) AS ${resultColumn(name)}`),
    ...amounts.map((name) => sql`CAST(coalesce(${resultColumn(name)}, 0) AS VARCHAR) AS ${resultColumn(name)}`),
  ];
  const rows = largestOfEach ? sql`(${largestSql(largestOfEach)}) AS totals` : sql`totals`;
  return sql`WITH totals AS NOT MATERIALIZED (${partial}) SELECT ${joinSql(columns, ", ")} FROM ${rows} LIMIT ${rowsMax}`;
}

/** Its text is a code, but for the order. */
const largestSql = ({ key, by, text, rowsMax }: LargestOfEach): SqlText => sql`
  SELECT totals.*
  FROM totals LEFT JOIN texts ON texts.code = totals.${resultColumn(text)}
  QUALIFY row_number() OVER (
    PARTITION BY totals.${resultColumn(key)} ORDER BY totals.${resultColumn(by)} DESC, coalesce(texts.text, '(unknown)')
  ) <= ${rowsMax}`;

interface EventsRead extends SiteRange, Pick<EngineQuery, "blocks"> {
  readonly isGuest: boolean;
  /** See `EngineMemory`. */
  readonly propertyTextBytesMax: number;
  /** Only so many rows, if there are more. */
  readonly rowsMax: number;
}

/** The rows of a query over a range whose events are in these blocks, in no particular order, for `queryColumns`. `partial` is its SQL for that range. */
export function rowsQuery(query: AggregateQuery, partial: SqlText, read: EventsRead): EngineQuery {
  const { siteId, blocks, isGuest, propertyTextBytesMax, rowsMax } = read;
  const { perVisitor, property, top, codes } = query;
  const search = top?.search;
  return {
    siteId,
    blocks,
    ...statement(perVisitor ? partial : rowsSql(query, partial, rowsMax)),
    ...(perVisitor && { perVisitor }),
    ...(codes && { texts: codes }),
    ...(property !== undefined && {
      properties: { key: property, bytesMax: propertyTextBytesMax, ...(search !== undefined && { search }) },
    }),
    ...readableIn(partial, read, isGuest),
  };
}
