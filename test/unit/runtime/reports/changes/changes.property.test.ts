/** What holds of changes for any input: exact sums, finite numbers, short sentences, bounded answers, linear time. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { changesOf, usesDaysOfValues } from "../../../../../src/runtime/reports/changes/changes.ts";
import {
  CHANGE_METRICS,
  type ChangesInput,
  type DayTally,
  HISTORY_DAYS,
  type Tally,
  type ValueTally,
  type Window,
} from "../../../../../src/runtime/reports/changes/input.ts";
import type { Amount, ChangesResult } from "../../../../../src/runtime/reports/changes/result.ts";
import { growthOf, GROWTH_MAX, SIZE_RATIO } from "../../../../support/growth.ts";
import { numbersFrom } from "../../../../support/seeded-numbers.mjs";

const DIMENSIONS = ["visit-sources", "entry-pages", "screen-sizes"];
const FIRST_DAY = 20_500;

interface Shape {
  readonly seed: number;
  readonly days: number;
  readonly values: number;
  readonly countMax: number;
  /** Share of days of a value without a count. */
  readonly gaps: number;
}

const added = (tallies: readonly Tally[]): Tally =>
  tallies.reduce<Required<Tally>>(
    (sum, { count, part = 0, cents = 0n }) => ({ count: sum.count + count, part: sum.part + part, cents: sum.cents + cents }),
    { count: 0, part: 0, cents: 0n },
  );

/** Counts without any rhyme: spikes, empty days, refunds. Values of each dimension add up to the total. */
function windowOf({ seed, days, values, countMax, gaps }: Shape, firstDay: number): Window {
  const random = numbersFrom(seed);
  const numbers = Array.from({ length: HISTORY_DAYS + days }, (_, i) => firstDay - HISTORY_DAYS + i);
  const cells = numbers.flatMap((day) =>
    Array.from({ length: values }, (_, i) => {
      const count = random() < gaps ? 0 : Math.floor(countMax * random() ** 4);
      return {
        day,
        value: i === 0 ? "(unknown)" : `value ${i} ${"x".repeat(i * 7)}`,
        count,
        part: Math.floor(count * random()),
        cents: BigInt(Math.floor(count * (random() * 20_000 - 2_000))),
      };
    }).filter(({ count }) => count > 0),
  );
  const inWindow = cells.filter(({ day }) => day >= firstDay);
  const names = [...new Set(inWindow.map(({ value }) => value))];
  return {
    firstDay,
    lastDay: firstDay + days - 1,
    total: added(inWindow),
    days: numbers.map((day): DayTally => ({ day, ...added(cells.filter((cell) => cell.day === day)) })),
    hours: cells.slice(0, 500).map(({ day, count }, i) => ({ day, hour: i % 24, count, visits: count, events: count })),
    dimensions: DIMENSIONS.map((dimension) => ({
      dimension,
      sums: names.map((value): ValueTally => ({ value, ...added(inWindow.filter((cell) => cell.value === value)) })),
      byDay: cells,
    })),
  };
}

const shapes = fc.record({
  seed: fc.nat(),
  days: fc.constantFrom(1, 2, 7, 10, 28, 40),
  values: fc.integer({ min: 1, max: 12 }),
  countMax: fc.constantFrom(1, 30, 2_000, 1_000_000),
  gaps: fc.constantFrom(0, 0.5, 0.98),
});

const inputs = fc
  .record({
    shape: shapes,
    metric: fc.constantFrom(...CHANGE_METRICS),
    hasCompared: fc.boolean(),
    isNew: fc.boolean(),
    nowHour: fc.option(fc.double({ min: 0, max: 24, noNaN: true })),
    limit: fc.integer({ min: 1, max: 12 }),
    band: fc.constantFrom("day" as const, "hour" as const, null),
    fact: fc.constantFrom("retention" as const, "retention" as const, "imported_days" as const),
  })
  .map(({ shape, metric, hasCompared, isNew, nowHour, limit, band, fact }): ChangesInput => {
    const needsCompared = hasCompared || isNew || shape.days > 28;
    return {
      metric,
      goal: "A goal",
      currency: "EUR",
      compare: hasCompared ? "previous_period" : "typical",
      dataFirstDay: FIRST_DAY - (isNew ? 10 : 40),
      now: nowHour === null ? null : { day: FIRST_DAY + shape.days - 1, hour: nowHour },
      period: windowOf(shape, FIRST_DAY),
      compared: needsCompared ? windowOf({ ...shape, seed: shape.seed + 1 }, FIRST_DAY - shape.days) : null,
      facts: [{ code: fact, firstDay: FIRST_DAY - 3, lastDay: FIRST_DAY }],
      limit,
      band,
      nameOf: (_, value) => value,
    };
  });

const number = (amount: Amount | null | undefined): number =>
  typeof amount === "object" && amount ? Number(amount.digits) : Number(amount);

/** Hundredths of money, 1/1024 of counts. */
function units(amount: Amount | null | undefined): bigint {
  if (typeof amount !== "object" || amount === null) return BigInt(Math.round(Number(amount) * 1024));
  const [, sign, whole = "0", fraction = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount.digits) ?? [];
  const cents = BigInt(whole + fraction.padEnd(2, "0"));
  return sign === "-" ? -cents : cents;
}

const isRate = ({ metric }: ChangesResult): boolean =>
  !["visits", "visitors", "pageviews", "events", "conversions", "revenue"].includes(metric);

/** Every number of an answer, with its path. */
function numbersIn(value: unknown, path = ""): [string, number][] {
  if (typeof value === "number") return [[path, value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => numbersIn(inner, `${path}.${name}`));
}

describe("changes of any input", () => {
  it("rows and rest add up to the total exactly", () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const result = changesOf(input);
        const { total, dimensions } = result;
        for (const { rows, rest } of dimensions) {
          const all = [...rows, rest];
          if (isRate(result)) {
            const parts = all.reduce((sum, { mix, rate }) => sum + number(mix) + number(rate), 0);
            expect(Math.abs(parts - number(total.delta))).toBeLessThanOrEqual(1e-9 * Math.max(1, Math.abs(number(total.after))));
            continue;
          }
          for (const side of ["before", "after", "delta"] as const) {
            expect(all.reduce((sum, row) => sum + units(row[side]), 0n)).toBe(units(total[side]));
          }
          if (result.metric !== "revenue") continue;
          expect(all.reduce((sum, { mix, rate }) => sum + units(mix) + units(rate), 0n)).toBe(units(total.delta));
        }
      }),
      { numRuns: 80 },
    );
  });

  it("rows by day and value change no answer that is said not to use them", () => {
    const withoutDays = (window: Window): Window => ({
      ...window,
      dimensions: window.dimensions.map((tallies) => ({ ...tallies, byDay: [] })),
    });
    fc.assert(
      fc.property(
        inputs.filter((input) => !usesDaysOfValues(input)),
        (input) => {
          const { period, compared } = input;
          const without = { ...input, period: withoutDays(period), compared: compared && withoutDays(compared) };
          expect(changesOf(without)).toEqual(changesOf(input));
        },
      ),
      { numRuns: 80 },
    );
  });

  it("numbers are finite, ranges are in order, and answers bounded", () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const result = changesOf(input);
        expect(numbersIn(result).filter(([, found]) => !Number.isFinite(found))).toEqual([]);
        const ranges = [result.typical, ...result.days, ...(result.band ?? [])].filter((range) => range !== null);
        for (const { low, expected, high } of ranges) {
          expect(number(low)).toBeLessThanOrEqual(number(expected) + 1 / 1024);
          expect(number(expected)).toBeLessThanOrEqual(number(high) + 1 / 1024);
        }
        expect(result.findings.length).toBeLessThanOrEqual(3);
        expect(result.days.length).toBeLessThanOrEqual(3);
        expect(Math.max(0, ...result.dimensions.map(({ rows }) => rows.length))).toBeLessThanOrEqual(input.limit);
      }),
      { numRuns: 80 },
    );
  });

  it("no sentence is empty, unfilled, or longer than 160 characters", () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const { sentence, findings, caveats } = changesOf(input);
        const sentences = [...findings, ...caveats].map((told) => told.sentence);
        for (const text of [sentence, ...sentences]) expect(text).not.toMatch(/^$|[{}]|NaN|Infinity|undefined|null/);
        expect(sentence.length).toBeLessThanOrEqual(321);
        expect(Math.max(0, ...sentences.map(({ length }) => length))).toBeLessThanOrEqual(160);
      }),
      { numRuns: 80 },
    );
  });

  it("take time in proportion to the values", async () => {
    const inputOf = (values: number): ChangesInput => ({
      metric: "visits",
      compare: "typical",
      dataFirstDay: FIRST_DAY - HISTORY_DAYS,
      now: null,
      period: windowOf({ seed: 3, days: 7, values, countMax: 30, gaps: 0.5 }, FIRST_DAY),
      compared: null,
      facts: [],
      limit: 10,
      band: null,
      nameOf: (_, value) => value,
    });
    const [small, large] = [inputOf(50), inputOf(50 * SIZE_RATIO)];
    expect(
      await growthOf(
        () => changesOf(small),
        () => changesOf(large),
      ),
    ).toBeLessThan(GROWTH_MAX);
  });
});
