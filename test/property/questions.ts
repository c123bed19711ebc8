/** Random queries of a history: a site, its days and a filter. */
import fc from "fast-check";
import { SITES, TEXTS } from "./histories.ts";
import { plainUtc, type PlainCalendar } from "./plain-calendar.ts";
import { dayPlus, daysOfPeriod, type Condition, type Dimension, type Scope } from "./model.ts";

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

export const condition: fc.Arbitrary<Condition> = dimension.chain((chosen) =>
  fc.record({
    dimension: fc.constant(chosen),
    operator: fc.constantFrom("==" as const, "!=" as const),
    value: fc.oneof({ weight: 3, arbitrary: TEXTS[chosen] }, { weight: 1, arbitrary: fc.constantFrom("(unknown)", "never recorded") }),
  }),
);

/** Mostly few conditions, or nothing would be left. */
const conditions = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Condition[]>([]) },
  { weight: 5, arbitrary: fc.array(condition, { minLength: 1, maxLength: 2 }) },
  { weight: 1, arbitrary: fc.array(condition, { minLength: 3, maxLength: 12 }) },
);

export const question: fc.Arbitrary<Question> = fc.record({
  siteId: fc.constantFrom(SITES[0], SITES[0], SITES[0], ...SITES, "nobody.test"),
  days,
  conditions,
});

function firstAndLastDay(asked: Days, today: string): Pick<Scope, "firstDay" | "lastDay"> {
  if (asked.kind === "none") return daysOfPeriod("30d", today);
  if (asked.kind === "period") return daysOfPeriod(asked.period, today);
  const lastDay = dayPlus(today, -asked.endDaysBack);
  return { firstDay: dayPlus(lastDay, 1 - asked.dayCount), lastDay };
}

/** What the question means at that time. */
export const scopeOf = (
  { siteId, days: asked, conditions: filter }: Question,
  nowMs: number,
  { dateOf }: PlainCalendar = plainUtc,
): Scope => ({
  siteId,
  conditions: filter,
  ...firstAndLastDay(asked, dateOf(nowMs)),
});

export const filtersParameter = (filter: readonly Condition[]): Record<string, string> =>
  filter.length === 0 ? {} : { filters: filter.map(({ dimension: name, operator, value }) => name + operator + value).join(";") };

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
