/** The made-up events of a day: a weekly rhythm, slow growth, and now and then a day with many visitors from Hacker News. */
import { dayNumberOf } from "../../../storage/calendar.ts";
import { DAY_MS, startOfDayMs, type EpochMs, type SiteId, type StoredEvent, type LocalDate } from "../../../storage/event.ts";
import { HACKER_NEWS } from "./demo-tables.ts";
import { visitOf, visitorFrom } from "./demo-visit.ts";
import { numbersFrom, type Numbers } from "./seeded-numbers.ts";

const HOUR_MS = 3_600_000;

/** Visits on the first day, what growth adds in the long run, and how many days two thirds of that take. */
const VISITS_AT_FIRST = 95;
const VISITS_ADDED = 150;
const GROWTH_DAYS = 300;

/** A front page lasts a day and a half, twice a year; the last one of the first 365 days is eleven days before their end. */
const LAUNCH_EVERY_DAYS = 180;
const LAUNCH_DAY = 173;

/** Visitors who come back some hours later. */
const RETURNING = 0.12;

export interface DemoDay {
  readonly siteId: SiteId;
  readonly date: LocalDate;
  /** Its first instant, and that of the next day. */
  readonly startMs: EpochMs;
  readonly endMs: EpochMs;
  /** Days since the first of the demo. */
  readonly index: number;
}

const isWeekend = (date: LocalDate): boolean => [0, 6].includes(new Date(startOfDayMs(date)).getUTCDay());

/** Visits of the day, without those of a front page. */
function usualVisits({ date, index }: DemoDay, numbers: Numbers): number {
  const grown = VISITS_AT_FIRST + VISITS_ADDED * (1 - Math.exp(-index / GROWTH_DAYS));
  return Math.round(grown * (isWeekend(date) ? 0.62 : 1) * (0.88 + numbers() * 0.24));
}

/** How many visits a front page adds, relative to the usual ones. */
const launchShare = ({ index }: DemoDay): number => ({ [LAUNCH_DAY]: 1.5, [LAUNCH_DAY + 1]: 0.5 })[index % LAUNCH_EVERY_DAYS] ?? 0;

/** Mostly in the European afternoon, which is the American morning; some at any hour. */
function timeOfDay(numbers: Numbers): EpochMs {
  if (numbers() < 0.15) return numbers() * DAY_MS;
  const hours = 14.5 + (numbers() + numbers() + numbers() - 1.5) * 9;
  return ((hours + 24) % 24) * HOUR_MS;
}

/** All events of the day, in order of time. The same day has the same events whenever this is called. */
export function demoDay(day: DemoDay): StoredEvent[] {
  const { siteId, date, startMs, endMs } = day;
  const numbers = numbersFrom(dayNumberOf(date));
  const usual = usualVisits(day, numbers);
  const visits = Math.round(usual * (1 + launchShare(day)));
  const ofDay = { siteId, date, hostname: siteId };
  const events: StoredEvent[] = [];
  for (let visit = 0; visit < visits; visit++) {
    const visitor = visitorFrom(ofDay, numbers, visit < usual ? undefined : HACKER_NEWS);
    const beginMs = startMs + timeOfDay(numbers);
    events.push(...visitOf(visitor, beginMs, numbers));
    if (numbers() < RETURNING) events.push(...visitOf(visitor, beginMs + (1 + numbers() * 6) * HOUR_MS, numbers));
  }
  return events.filter(({ timestampMs }) => timestampMs < endMs).sort((a, b) => a.timestampMs - b.timestampMs);
}
