/** The first date of a scope that has a matching event: where `period=all` begins for guests who see only such events. */
import { DAY_MS, utcDateOf, type LocalDate, type SiteId } from "../../../storage/event.ts";
import type { AggregateQuery } from "../../query/aggregate-query.ts";
import { planOf, type Plan } from "../../query/plan.ts";
import { DAY_BUCKET } from "../../query/buckets.ts";
import { rangeOfDays } from "../../query/date-range.ts";
import { numberIn } from "../../query/row-values.ts";
import type { Scope } from "../../query/scope.ts";
import { sql, type SqlRow } from "../../query/sql.ts";
import { visitorCountsBy } from "./visitor-counts.ts";

const firstOf = (rows: readonly SqlRow[], column: string): LocalDate | null =>
  rows.length === 0
    ? null
    : utcDateOf(rows.reduce((least, row) => Math.min(least, numberIn(row, column)), Number.POSITIVE_INFINITY) * DAY_MS);

/** Null without such an event. */
export const firstDayPlan = (scope: Scope): Plan<LocalDate | null> =>
  planOf(scope, [visitorCountsBy(scope, DAY_BUCKET)], (rows) => firstOf(rows, "bucket"));

/** A row `first_day` of each shard with events, whatever the range. Only ClickHouse has the column. */
const FIRST_DAY: AggregateQuery = {
  keys: ["first_day"],
  counts: [],
  partial: () => sql`SELECT min(day) AS first_day FROM events HAVING count(*) > 0`,
};

const EPOCH = utcDateOf(0);

/** Of all events of the site. Null without any. */
export const clickhouseFirstDayPlan = (siteId: SiteId): Plan<LocalDate | null> =>
  planOf({ siteId, range: rangeOfDays(EPOCH, EPOCH) }, [FIRST_DAY], (rows) => firstOf(rows, "first_day"));
