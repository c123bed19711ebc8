/** Local time in SQL, computed by DuckDB, against the calendar. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  bucketsOf,
  type DateRange,
  datesOf,
  HOUR_BUCKET,
  isInUtc,
  localTimeSql,
  rangeOfDays,
  startOfDaySql,
} from "../../../../src/runtime/query/date-range.ts";
import { joinSql, numberIn, sql, type SqlText } from "../../../../src/runtime/query/sql.ts";
import type { Engine } from "../../../../src/runtime/duckdb/engine.ts";
import { addDays, dayNumberOf, utcCalendar, ZonedCalendar, type Calendar } from "../../../../src/storage/calendar.ts";
import type { LocalDate } from "../../../../src/storage/event.ts";
import { createEngineShare } from "../../../support/shared-engine.ts";
import { siteId } from "../../../support/stored-event.ts";
import { localTimeByIntl, zoneNamed } from "../../../support/time-zones.ts";

const MINUTE_MS = 60_000;

const calendarOf = (zone: string, ...changes: readonly (readonly [firstDate: string, zone: string])[]): Calendar =>
  new ZonedCalendar(
    zoneNamed(zone),
    changes.map(([firstDate, name]) => ({ firstDate: firstDate as LocalDate, zone: zoneNamed(name) })),
  );

const rangeOf = (first: string, last: string): DateRange => rangeOfDays(first as LocalDate, last as LocalDate);

describe("isInUtc", () => {
  it.each([
    ["UTC", utcCalendar, "2026-01-01", "2026-12-31", true],
    ["a zone named UTC", calendarOf("Etc/UTC"), "2026-01-01", "2026-12-31", true],
    ["London in winter", calendarOf("Europe/London"), "2026-01-01", "2026-01-31", true],
    ["London in spring", calendarOf("Europe/London"), "2026-03-01", "2026-03-31", false],
    ["London in a whole year", calendarOf("Europe/London"), "2026-01-01", "2026-12-31", false],
    ["Berlin", calendarOf("Europe/Berlin"), "2026-01-01", "2026-01-01", false],
    ["UTC before a change of the zone", calendarOf("UTC", ["2026-03-05", "Europe/Berlin"]), "2026-03-01", "2026-03-03", true],
    [
      "UTC on the day before it, which is longer or shorter",
      calendarOf("UTC", ["2026-03-05", "Asia/Tokyo"]),
      "2026-03-04",
      "2026-03-04",
      false,
    ],
  ])("is true if the days of a range are those of UTC: %s", (_case, calendar, first, last, expected) => {
    expect(isInUtc(rangeOf(first, last), calendar)).toBe(expected);
  });
});

let engine: Engine;
beforeAll(async () => {
  engine = await createEngineShare();
});
afterAll(() => engine.close());

/** The rows of a query over `day` and `timestamp` of an event each 17 minutes of the range. */
async function rowsOf(range: DateRange, calendar: Calendar, columns: SqlText) {
  const events: SqlText[] = [];
  for (const date of datesOf(range)) {
    for (let ms = calendar.startOf(date); ms < calendar.startOf(addDays(date, 1)); ms += 17 * MINUTE_MS) {
      events.push(sql`SELECT ${dayNumberOf(date)} AS day, CAST(${ms} AS BIGINT) AS timestamp`);
    }
  }
  const union = events.slice(1).reduce((all, each) => sql`${all} UNION ALL ${each}`, events[0] ?? sql``);
  const { text, values } = sql`SELECT day, timestamp, ${columns} FROM (${union}) AS sampled ORDER BY timestamp`;
  return engine.query({ siteId: siteId("local-time.test"), blocks: [], sql: text, parameters: values }, new AbortController().signal);
}

describe.each([
  ["Europe/Berlin", calendarOf("Europe/Berlin"), rangeOf("2026-03-28", "2026-03-30")],
  ["Europe/Berlin", calendarOf("Europe/Berlin"), rangeOf("2026-10-24", "2026-10-26")],
  ["America/St_Johns", calendarOf("America/St_Johns"), rangeOf("2010-11-06", "2010-11-08")],
  ["America/Sao_Paulo", calendarOf("America/Sao_Paulo"), rangeOf("2018-02-16", "2018-02-18")],
  ["Australia/Lord_Howe", calendarOf("Australia/Lord_Howe"), rangeOf("2026-10-03", "2026-10-05")],
  ["Asia/Kathmandu", calendarOf("Asia/Kathmandu"), rangeOf("2026-03-28", "2026-03-30")],
  ["Pacific/Apia", calendarOf("Pacific/Apia"), rangeOf("2011-12-28", "2012-01-01")],
])("the local time of events in %s", (zone, calendar, range) => {
  it("equals Intl, and a day begins with its first event", async () => {
    const wanted = joinSql(
      [sql`${localTimeSql(range, calendar)} AS local_ms`, sql`${startOfDaySql(sql`day`, range, calendar)} AS start_ms`],
      ", ",
    );
    for (const row of await rowsOf(range, calendar, wanted)) {
      const ms = numberIn(row, "timestamp");
      expect(new Date(numberIn(row, "local_ms")).toISOString().slice(0, 19).replace("T", " ")).toBe(localTimeByIntl(zone, ms));
      expect(numberIn(row, "start_ms")).toBe(calendar.startOf(calendar.dateOf(ms)));
    }
  });

  it("yields the hour of a bucket of the event's own date", async () => {
    const buckets = new Map(bucketsOf(range, "hour", calendar).map(({ key, label }) => [key, label]));
    for (const row of await rowsOf(range, calendar, sql`${HOUR_BUCKET(range, calendar)} AS bucket`)) {
      const ms = numberIn(row, "timestamp");
      const hour = localTimeByIntl(zone, ms).slice(11, 13);
      expect(buckets.get(numberIn(row, "bucket"))).toBe(`${calendar.dateOf(ms)} ${hour}:00`);
    }
  });
});

it("the day before a change of the time zone ends where the first day of the new zone begins", async () => {
  const calendar = calendarOf("Pacific/Kiritimati", ["2026-03-10", "Pacific/Pago_Pago"]);
  const range = rangeOf("2026-03-08", "2026-03-11");
  for (const row of await rowsOf(range, calendar, sql`${startOfDaySql(sql`day + 1`, range, calendar)} AS end_ms`)) {
    expect(numberIn(row, "end_ms")).toBe(calendar.startOf(addDays(calendar.dateOf(numberIn(row, "timestamp")), 1)));
  }
});
