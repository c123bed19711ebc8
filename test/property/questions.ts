/** Random queries of a history: a site, its days and a filter. */
import fc from "fast-check";
import { allowedTogether, condition, filterText } from "./conditions.ts";
import { SITES, TEXTS, type History } from "./histories.ts";
import { plainUtc, type PlainCalendar } from "./plain-calendar.ts";
import { dayPlus, daysOfPeriod, type Condition, type Dimension, type Scope } from "./model.ts";

const MINUTE_MS = 60_000;

/** Days as a request names them; dates count back from today, so that they overlap the history whatever its current time. */
type Days =
  | { readonly kind: "none" }
  | { readonly kind: "period"; readonly period: string }
  | { readonly kind: "dates"; readonly endDaysBack: number; readonly dayCount: number };

export interface Question {
  readonly siteId: string;
  readonly days: Days;
  readonly conditions: readonly Condition[];
}

const days: fc.Arbitrary<Days> = fc.oneof(
  { weight: 1, arbitrary: fc.constant<Days>({ kind: "none" }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("period" as const),
      period: fc.constantFrom("day", "today", "7d", "30d", "90d", "6mo", "12mo", "month", "year"),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("dates" as const),
      endDaysBack: fc.oneof(fc.integer({ min: -2, max: 5 }), fc.integer({ min: 0, max: 60 })),
      dayCount: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 60 }), fc.constantFrom(365, 366)),
    }),
  },
);

const dimensions = Object.keys(TEXTS) as Dimension[];

export const dimension = fc.constantFrom(...dimensions);

/** Mostly few conditions, or nothing would be left. */
export const filterConditions = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Condition[]>([]) },
  { weight: 5, arbitrary: fc.array(condition, { minLength: 1, maxLength: 2 }) },
  { weight: 1, arbitrary: fc.array(condition, { minLength: 3, maxLength: 12 }).map(allowedTogether) },
);

export const question: fc.Arbitrary<Question> = fc.record({
  siteId: fc.constantFrom(SITES[0], SITES[0], SITES[0], ...SITES, "nobody.test"),
  days,
  conditions: filterConditions,
});

function firstAndLastDay(asked: Days, today: string): Pick<Scope, "firstDay" | "lastDay"> {
  if (asked.kind === "none") return daysOfPeriod("30d", today);
  if (asked.kind === "period") return daysOfPeriod(asked.period, today);
  const lastDay = dayPlus(today, -asked.endDaysBack);
  return { firstDay: dayPlus(lastDay, 1 - asked.dayCount), lastDay };
}

/** What the question means at that time of a history. */
export const scopeOf = (
  { siteId, days: asked, conditions: filter }: Question,
  { nowMs, sessionWindowMinutes }: Pick<History, "nowMs" | "sessionWindowMinutes">,
  { dateOf }: PlainCalendar = plainUtc,
): Scope => ({
  siteId,
  conditions: filter,
  sessionGapMs: sessionWindowMinutes * MINUTE_MS,
  ...firstAndLastDay(asked, dateOf(nowMs)),
});

export const filtersParameter = (filter: readonly Condition[]): Record<string, string> =>
  filter.length === 0 ? {} : { filters: filterText(filter) };

/** The question as a query string's parameters. */
export function parametersOf(
  { siteId, days: asked, conditions: filter }: Question,
  nowMs: number,
  { dateOf }: PlainCalendar = plainUtc,
): Record<string, string> {
  const common = { site_id: siteId, ...filtersParameter(filter) };
  if (asked.kind === "none") return common;
  if (asked.kind === "period") return { ...common, period: asked.period };
  const { firstDay, lastDay } = firstAndLastDay(asked, dateOf(nowMs));
  return { ...common, start_date: firstDay, end_date: lastDay };
}
