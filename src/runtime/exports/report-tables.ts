/** The reports by day, with all their rows and with sums in place of averages (docs/exporting.md, "Reports"). */
import type { ArrivalRules } from "../arrivals/arrivals.ts";
import { PAGEVIEW } from "../base/config/names.ts";
import { Decimal } from "../base/decimal.ts";
import { bitsSql, goalSql, IS_BOUNCE } from "../query/conditions.ts";
import { HOUR_BUCKET } from "../query/date-range.ts";
import {
  BREAKDOWN_DIMENSIONS,
  type BreakdownDimension,
  columnOf,
  isSessionDimension,
  isVisitDimension,
  type SessionDimension,
  type VisitDimension,
  visitValueOf,
} from "../query/filters.ts";
import type { AggregateQuery } from "../query/plan.ts";
import {
  arrivalNameColumn,
  column,
  type ColumnName,
  joinSql,
  numberIn,
  resultColumn,
  sql,
  type SqlRow,
  type SqlText,
  textCode,
  textIn,
} from "../query/sql.ts";
import { goalsInQueries } from "../reports/goals.ts";
import { COUNT_PAGEVIEWS, revenueTotal } from "../reports/measures/counts.ts";
import { moneyIn } from "../reports/measures/fields.ts";
import { allKeys } from "../reports/properties.ts";
import type { SiteGoal } from "../sites/goal.ts";
import type { DayRow, DayTable } from "./day-table.ts";

const COUNTS = ["visitors", "pageviews", "events"] as const;
const SESSION_SUMS = ["sessions", "bounces", "duration_ms"] as const;
const SESSION_COLUMNS = ["sessions", "bounces", "visit_duration_secs"] as const;

const COUNT_EVENTS = sql`count(DISTINCT visitor_id) AS visitors, ${COUNT_PAGEVIEWS} AS pageviews, count(*) AS events`;

const SUM_SESSIONS = sql`
  count(*) AS sessions, count(*) FILTER (WHERE ${IS_BOUNCE}) AS bounces, CAST(sum(last_ms - first_ms) AS BIGINT) AS duration_ms`;

const HOURS_PER_DAY = 24;

/** Milliseconds as seconds, without a rounding error. */
const secondsIn = (row: SqlRow): Decimal => new Decimal((numberIn(row, "duration_ms") / 1000).toFixed(3).replace(/\.?0+$/, ""));

const numbersIn = (row: SqlRow, names: readonly string[]): readonly number[] => names.map((name) => numberIn(row, name));

const sessionsIn = (row: SqlRow) => [...numbersIn(row, ["sessions", "bounces"]), secondsIn(row)];

const revenueIn = (row: SqlRow) => [textIn(row, "currency"), moneyIn(row, "total"), numberIn(row, "transactions")];

const dayOf = (row: SqlRow): number => numberIn(row, "day");

/** A table of which each row is one of a query. */
const tableOf = (name: string, columns: readonly string[], query: AggregateQuery, cellsOf: (row: SqlRow) => DayRow["cells"]): DayTable => ({
  name,
  columns,
  rows: async ({ rowsOf }) => (await rowsOf(query)).map((row) => ({ day: dayOf(row), cells: cellsOf(row) })),
});

const visits = tableOf(
  "visits",
  [...COUNTS, ...SESSION_COLUMNS],
  {
    keys: ["day"],
    counts: [...COUNTS, ...SESSION_SUMS],
    partial: () => sql`
    WITH counted AS (SELECT day, ${COUNT_EVENTS} FROM events GROUP BY day),
    described AS (SELECT day, ${SUM_SESSIONS} FROM sessions GROUP BY day)
    SELECT counted.*, described.* EXCLUDE (day) FROM counted JOIN described ON described.day = counted.day`,
  },
  (row) => [...numbersIn(row, COUNTS), ...sessionsIn(row)],
);

/** Hours of the site's clock with events. Visits stand in the hour in which they begin. */
const hours = tableOf(
  "hours",
  ["hour", ...COUNTS, ...SESSION_COLUMNS],
  {
    keys: ["day", "hour"],
    counts: [...COUNTS, ...SESSION_SUMS],
    partial: (range, calendar) => sql`
    WITH placed AS (SELECT day, visitor_id, event_name, ${HOUR_BUCKET(range, calendar)} AS hour FROM events),
    counted AS (SELECT day, hour, ${COUNT_EVENTS} FROM placed GROUP BY day, hour),
    begun AS (SELECT *, ${HOUR_BUCKET(range, calendar, sql`first_ms`)} AS hour FROM sessions),
    described AS (SELECT day, hour, ${SUM_SESSIONS} FROM begun GROUP BY day, hour)
    SELECT counted.*, sessions, bounces, duration_ms
    FROM counted LEFT JOIN described ON described.day = counted.day AND described.hour = counted.hour`,
  },
  (row) => [
    `${String(numberIn(row, "hour") - dayOf(row) * HOURS_PER_DAY).padStart(2, "0")}:00`,
    ...numbersIn(row, COUNTS),
    ...sessionsIn(row),
  ],
);

interface Breakdown {
  /** `session` and `value`: each value that a session has, once. */
  readonly valued: SqlText;
  /** `day`, `value` and `COUNTS`. */
  readonly counted: SqlText;
}

function ofEvents(name: ColumnName): Breakdown {
  const value = sql`coalesce(${column(name)}, 0)`;
  return {
    valued: sql`SELECT DISTINCT session, ${value} AS value FROM events`,
    counted: sql`SELECT day, ${value} AS value, ${COUNT_EVENTS} FROM events GROUP BY day, ${value}`,
  };
}

/** Each visit counts as one page view and one event of the page, as in the report. */
function ofPages(dimension: SessionDimension): Breakdown {
  const page = dimension === "entry-pages" ? sql`entry_page` : sql`exit_page`;
  return {
    valued: sql`SELECT session, ${page} AS value FROM sessions WHERE ${page} IS NOT NULL`,
    counted: sql`
      SELECT day, ${page} AS value, count(DISTINCT visitor_id) AS visitors, count(*) AS pageviews, count(*) AS events
      FROM sessions WHERE ${page} IS NOT NULL GROUP BY day, ${page}`,
  };
}

function ofVisits(dimension: VisitDimension, arrivalRules: ArrivalRules): Breakdown {
  const read = visitValueOf(dimension);
  const valued =
    "column" in read
      ? sql`SELECT session, coalesce(${resultColumn(`visit_${read.column}`)}, 0) AS value FROM sessions`
      : sql`
      SELECT session, ${arrivalNameColumn(read.name)} AS value
      FROM sessions JOIN arrival_names ON arrival_names.arrival = visit_arrival AND rules = ${{ arrivalRules }}`;
  return {
    valued,
    counted: sql`
      SELECT day, value, ${COUNT_EVENTS}
      FROM events JOIN valued ON valued.session = events.session GROUP BY day, value`,
  };
}

function breakdownOf(dimension: BreakdownDimension, arrivalRules: ArrivalRules): Breakdown {
  if (isSessionDimension(dimension)) return ofPages(dimension);
  return isVisitDimension(dimension) ? ofVisits(dimension, arrivalRules) : ofEvents(columnOf(dimension));
}

/** Sessions are described whole, as in the report with further columns. */
const breakdown = (dimension: BreakdownDimension): DayTable => ({
  name: dimension,
  columns: ["value", ...COUNTS, ...SESSION_COLUMNS, "session_pageviews"],
  async rows({ arrivalRules, rowsOf }) {
    const { valued, counted } = breakdownOf(dimension, arrivalRules);
    const rows = await rowsOf({
      keys: ["day"],
      codes: ["value"],
      counts: [...COUNTS, ...SESSION_SUMS, "session_pageviews"],
      partial: () => sql`
      WITH valued AS (${valued}),
      counted AS (${counted}),
      described AS (
        SELECT day, value, ${SUM_SESSIONS}, CAST(sum(pageviews) AS BIGINT) AS session_pageviews
        FROM sessions JOIN valued ON valued.session = sessions.session
        GROUP BY day, value
      )
      SELECT counted.*, sessions, bounces, duration_ms, session_pageviews
      FROM counted JOIN described ON described.day = counted.day AND described.value = counted.value`,
    });
    return rows.map((row) => ({
      day: dayOf(row),
      cells: [textIn(row, "value"), ...numbersIn(row, COUNTS), ...sessionsIn(row), numberIn(row, "session_pageviews")],
    }));
  },
});

const goals = tableOf(
  "goals",
  ["name", "visitors", "events"],
  {
    keys: ["day"],
    codes: ["value"],
    counts: ["visitors", "events"],
    partial: () => sql`
    SELECT day, event_name AS value, count(DISTINCT visitor_id) AS visitors, count(*) AS events
    FROM events WHERE event_name <> ${textCode(PAGEVIEW)} GROUP BY day, event_name`,
  },
  (row) => [textIn(row, "value"), ...numbersIn(row, ["visitors", "events"])],
);

/** A row for each goal that an event meets, with the place of the goal in the list. */
function eventsByGoal(listed: readonly SiteGoal[]): SqlText {
  const met = bitsSql(listed.map(({ fields }) => goalSql(fields.goal, sql`SELECT props FROM events`)));
  return sql`
    SELECT day, goal, visitor_id, currency, revenue_amount
    FROM (SELECT day, visitor_id, currency, revenue_amount, ${met} AS met FROM events) AS marked,
      (SELECT unnest(range(CAST(${listed.length} AS BIGINT))) AS goal) AS goals
    WHERE (met >> CAST(goal AS INTEGER)) & 1 = 1`;
}

/** Days on which a goal was not met have zeros. */
const conversions: DayTable = {
  name: "conversions",
  columns: ["goal", "visitors", "events"],
  async rows({ goals: ofSite, days, rowsOf }) {
    const rows: DayRow[] = [];
    for (const listed of goalsInQueries(ofSite)) {
      const found = await rowsOf({
        keys: ["day", "goal"],
        counts: ["visitors", "events"],
        partial: () => sql`
        SELECT day, goal, count(DISTINCT visitor_id) AS visitors, count(*) AS events FROM (${eventsByGoal(listed)}) AS met GROUP BY day, goal`,
      });
      const byPlace = new Map(found.map((row) => [`${dayOf(row)} ${numberIn(row, "goal")}`, row]));
      for (const day of days) {
        for (const [place, { fields }] of listed.entries())
          rows.push({ day, cells: [fields.name, ...numbersIn(byPlace.get(`${day} ${place}`) ?? {}, ["visitors", "events"])] });
      }
    }
    return rows;
  },
};

const conversionRevenue: DayTable = {
  name: "conversions-revenue",
  columns: ["goal", "currency", "total", "transactions"],
  async rows({ goals: ofSite, rowsOf }) {
    const rows: DayRow[] = [];
    for (const listed of goalsInQueries(ofSite.filter(({ fields }) => fields.hasRevenue))) {
      const found = await rowsOf({
        keys: ["day", "goal"],
        codes: ["currency"],
        counts: ["transactions"],
        amounts: ["total"],
        partial: () => sql`
        SELECT day, goal, currency, ${revenueTotal()} AS total, count(*) AS transactions
        FROM (${eventsByGoal(listed)}) AS met WHERE revenue_amount IS NOT NULL GROUP BY day, goal, currency`,
      });
      for (const row of found) rows.push({ day: dayOf(row), cells: [listed[numberIn(row, "goal")]?.fields.name ?? "", ...revenueIn(row)] });
    }
    return rows;
  },
};

const propertyValues: DayTable = {
  name: "property-values",
  columns: ["property", "value", "visitors", "events"],
  async rows({ siteId, range, rowsOf }) {
    const rows: DayRow[] = [];
    for (const key of (await rowsOf(allKeys({ siteId, range, conditions: [] }))).map((row) => textIn(row, "value"))) {
      const found = await rowsOf({
        keys: ["day"],
        names: ["value"],
        counts: ["visitors", "events"],
        property: key,
        partial: () => sql`
        WITH counted AS (
          SELECT day, code, count(DISTINCT visitor_id) AS visitors, count(*) AS events
          FROM events JOIN properties ON properties.props = events.props GROUP BY day, code
        )
        SELECT day, coalesce(text, '(unknown)') AS value, visitors, events
        FROM counted LEFT JOIN property_texts ON property_texts.code = counted.code`,
      });
      for (const row of found)
        rows.push({ day: dayOf(row), cells: [key, textIn(row, "value"), ...numbersIn(row, ["visitors", "events"])] });
    }
    return rows;
  },
};

const revenue = tableOf(
  "revenue",
  ["currency", "total", "transactions", "paying_visitors"],
  {
    keys: ["day"],
    codes: ["currency"],
    counts: ["transactions", "paying_visitors"],
    amounts: ["total"],
    partial: () => sql`
    SELECT day, currency, ${revenueTotal()} AS total, count(*) AS transactions, count(DISTINCT visitor_id) AS paying_visitors
    FROM events WHERE revenue_amount IS NOT NULL GROUP BY day, currency`,
  },
  (row) => [...revenueIn(row), numberIn(row, "paying_visitors")],
);

const revenueBy = (name: string, by: ColumnName): DayTable =>
  tableOf(
    name,
    ["value", "currency", "total", "transactions"],
    {
      keys: ["day"],
      codes: ["value", "currency"],
      counts: ["transactions"],
      amounts: ["total"],
      partial: () => sql`
      SELECT day, ${column(by)} AS value, currency, ${revenueTotal()} AS total, count(*) AS transactions
      FROM events WHERE revenue_amount IS NOT NULL GROUP BY ${joinSql([sql`day`, column(by), sql`currency`], ", ")}`,
    },
    (row) => [textIn(row, "value"), ...revenueIn(row)],
  );

export const REPORT_TABLES: readonly DayTable[] = [
  visits,
  hours,
  ...BREAKDOWN_DIMENSIONS.map(breakdown),
  goals,
  conversions,
  conversionRevenue,
  propertyValues,
  revenue,
  revenueBy("revenue-by-event", "event_name"),
  revenueBy("revenue-by-page", "pathname"),
];
