/** Local time, here and in SQL: what the clock of a site shows, and when its days begin (docs/time-zones.md, "Days and hours"). */
import { addDays, dayNumberOf, type Calendar } from "../../storage/calendar.ts";
import { DAY_MS, type EpochMs, type LocalDate, startOfDayMs } from "../../storage/event.ts";
import { datesOf, type DateRange } from "./date-range.ts";
import { sql, type SqlText } from "./sql.ts";

/** Local time at an instant, in milliseconds as if it were UTC. */
export const localTimeOf = (nowMs: EpochMs, calendar: Calendar): number =>
  nowMs + (calendar.offsetsBetween(nowMs, nowMs + 1)[0]?.offsetMs ?? 0);

/** The first instant of a date at which it is that long after midnight by the clock, or later; the end of the date if there is none. */
export function whenClockShows(date: LocalDate, sinceMidnightMs: number, calendar: Calendar): EpochMs {
  const [startMs, endMs] = [calendar.startOf(date), calendar.startOf(addDays(date, 1))];
  const offsets = calendar.offsetsBetween(startMs, endMs);
  for (const [i, { fromMs, offsetMs }] of offsets.entries()) {
    const ms = Math.max(fromMs, startOfDayMs(date) + sinceMidnightMs - offsetMs);
    if (ms < (offsets[i + 1]?.fromMs ?? endMs)) return ms;
  }
  return endMs;
}

/** SQL over the columns of events whose dates are in the range of a site's calendar. */
export type LocalSql = (range: DateRange, calendar: Calendar) => SqlText;

/** A value that applies from this value of a column on. */
interface Step {
  readonly from: number;
  readonly ms: number;
}

/** The first instant of the range, and the first after it. */
const boundsOf = ({ firstDay, lastDay }: DateRange, calendar: Calendar): readonly [startMs: EpochMs, endMs: EpochMs] => [
  calendar.startOf(firstDay),
  calendar.startOf(addDays(lastDay, 1)),
];

/** True if the days of the range are those of UTC. */
export function isInUtc(range: DateRange, calendar: Calendar): boolean {
  const [startMs, endMs] = boundsOf(range, calendar);
  const areDaysOfUtc = startMs === startOfDayMs(range.firstDay) && endMs - startMs === range.dayCount * DAY_MS;
  return areDaysOfUtc && calendar.offsetsBetween(startMs, endMs).every(({ offsetMs }) => offsetMs === 0);
}

/** The number of milliseconds that belongs to a value: that of the last step from which it is not below. */
function steppedSql(value: SqlText, steps: readonly Step[]): SqlText {
  const [first = { ms: 0 }, ...later] = steps;
  const cases = later.reduce((text, { from }, i) => sql`${text} WHEN ${value} < ${from} THEN ${(later[i - 1] ?? first).ms}`, sql``);
  return later.length === 0 ? sql`${first.ms}` : sql`CASE${cases} ELSE ${(later.at(-1) ?? first).ms} END`;
}

/** Local time at `timestamp`, in milliseconds as if it were UTC. */
export const localTimeSql: LocalSql = (range, calendar) => {
  const offsets = calendar.offsetsBetween(...boundsOf(range, calendar));
  return sql`timestamp + ${steppedSql(
    sql`timestamp`,
    offsets.map(({ fromMs, offsetMs }) => ({ from: fromMs, ms: offsetMs })),
  )}`;
};

/** Local time as a function of the timestamp. */
export function localTimesIn(range: DateRange, calendar: Calendar): (timestampMs: EpochMs) => number {
  const [first = { fromMs: 0, offsetMs: 0 }, ...later] = calendar.offsetsBetween(...boundsOf(range, calendar));
  return (timestampMs) => timestampMs + (later.findLast(({ fromMs }) => fromMs <= timestampMs) ?? first).offsetMs;
}

/**
 * The distance from midnight in UTC to the start of each day of the range and the one after it; only days that differ from the one before.
 */
function startsOf(range: DateRange, calendar: Calendar): readonly Step[] {
  const days = [...datesOf(range), addDays(range.lastDay, 1)];
  const steps = days.map((day) => ({ from: dayNumberOf(day), ms: calendar.startOf(day) - startOfDayMs(day) }));
  return steps.filter(({ ms }, i) => ms !== steps[i - 1]?.ms);
}

/** The start of the day with the number `day`: one of the range, or the one after it. */
export const startOfDaySql = (day: SqlText, range: DateRange, calendar: Calendar): SqlText =>
  sql`CAST(${day} AS BIGINT) * ${DAY_MS} + ${steppedSql(day, startsOf(range, calendar))}`;
