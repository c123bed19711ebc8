/** The texts that the tests of a guest's query may read: texts of shared events, so that the time of the query reveals nothing about others. */
import type { EngineQuery, EngineSelect } from "./engine.ts";
import { sharedEventsIn, type SiteRange } from "../query/scope.ts";
import { column, joinSql, resultColumn, sql, type SqlText } from "../query/sql.ts";
import type { AggregateQuery } from "../query/aggregate-query.ts";
import type { Asker } from "../query/asker.ts";

type Asked = Pick<EngineQuery, "isGuest" | "readable">;

export const statement = ({ text, values }: SqlText): EngineSelect => ({ sql: text, parameters: values });

const NO_CODES = statement(sql`SELECT 0 AS code WHERE false`);

/** The columns whose texts a query tests. */
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

/** The part of an engine query that says who asks. */
export const askedBy = ({ isGuest }: Asker): Pick<EngineQuery, "isGuest"> => ({ isGuest: isGuest });

/** The part of an engine query over the events of a range that says who asks. */
export function readableIn(query: SqlText, range: SiteRange, asker: Asker): Asked {
  if (!asker.isGuest) return {};
  const events = sharedEventsIn(range);
  return { ...askedBy(asker), readable: { texts: codesOf(testedColumns(query), events), props: codesOf([sql`props`], events) } };
}

/** Readable texts of a query over partial aggregates, which come from shared events only. */
export function readableInPartials({ codes: [code] = [] }: AggregateQuery, asker: Asker): Asked {
  if (!asker.isGuest) return {};
  const texts = code === undefined ? NO_CODES : codesOf([resultColumn(code)], sql`SELECT * FROM partials`);
  return { ...askedBy(asker), readable: { texts, props: NO_CODES } };
}
