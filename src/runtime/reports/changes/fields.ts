/** The fields of `GET /api/stats/changes` in the OpenAPI document. */
import { CHANGE_ROWS_MAX, CHANGE_VALUES_MAX } from "../../base/config/report-limits.ts";
import { boolean, closed, count, list, nullable, number, orNull, text, word, type Schema } from "../../base/json-schema.ts";
import { TIME_ZONE } from "../measures/fields.ts";
import { CHANGE_COMPARISONS, CHANGE_METRICS } from "./input.ts";
import { type Amount, CAVEAT_CODES, type ChangesResult, REASONS, VERDICTS } from "./result.ts";

const amount = (description: string): Schema<Amount> & { readonly type: "number" } => ({ type: "number", description });

const DATE = text("A date of the site's calendar.", { format: "date" });
const HOUR_OR_DATE = text("A date, or an hour as `YYYY-MM-DD HH:00`, of the site's calendar.", {
  pattern: "^\\d{4}-\\d{2}-\\d{2}( \\d{2}:00)?$",
});

const VALUE = {
  dimension: text("A dimension, as in breakdowns."),
  value: text("A value of it; `(unknown)` if nothing was recorded."),
};

const SIDES = {
  before: amount("In the other window; of `typical`, what is typical."),
  after: amount("In the period."),
  delta: amount("`after` minus `before`."),
};

const CHANGE = orNull(number("`delta` divided by `before`, of rates `delta` itself. Null if `before` is less than 20."));
const SHARE = orNull(number("The part of the total's change; it may be negative or above 1. Null if that is too small to be divided."));
const Z = orNull(number("The distance from what is typical, in standard deviations of this site."));

const WITHOUT_VALUE = {
  before: amount("The other window's total without this value."),
  after: amount("The period's total without this value."),
  change: CHANGE,
};

const PARTS = {
  mix: amount("Of rates: what another share of the visits changed. Of revenue: what another number of payments changed."),
  rate: amount("Of rates: what another rate of this value changed. Of revenue: what another mean payment changed."),
};

const VALUE_OF = closed(VALUE);

const RANGE = {
  expected: amount("What is typical."),
  low: amount("Where the usual range begins."),
  high: amount("Where the usual range ends."),
};

const DATES = {
  start_date: DATE,
  end_date: DATE,
};

const FINDING = closed({
  ...VALUE,
  also: list("Other values that are largely the same visits.", VALUE_OF),
  dates: list("The days that hold most of what is unusual about it. Empty for periods of more than 28 days.", DATE),
  numbers_of: word("What the numbers are of: the period, or the days in `dates`, beside what is typical of them.", ["period", "dates"]),
  ...SIDES,
  typical: nullable(amount("What is typical of this value. Null for periods of more than 28 days.")),
  share: SHARE,
  z: Z,
  contrast_z: orNull(number("The same distance, once all other values are taken into account.")),
  recurring: boolean("The value stood apart in 3 of the last 8 weeks as well."),
  without_value: closed({ ...WITHOUT_VALUE, ordinary: nullable(boolean("The period would be an ordinary one without the value.")) }),
  drill: nullable(
    closed({
      ...VALUE,
      after: number("The finding's count that has this value, on its days."),
      share: number("The part of the finding's excess."),
    }),
  ),
  filters: text("The filter that shows only this value, in the notation of `filters`."),
  sentence: text("The finding as a sentence."),
});

const CONTRIBUTIONS = closed({
  dimension: VALUE.dimension,
  additive: boolean("Rows and `rest` add up to the total."),
  rows: list(
    "The values that changed most.",
    closed(
      {
        value: VALUE.value,
        ...SIDES,
        share: SHARE,
        typical: nullable(amount("What is typical of this value.")),
        ...PARTS,
        without_value: closed(WITHOUT_VALUE),
      },
      { optional: ["mix", "rate"] },
    ),
    { maxItems: CHANGE_ROWS_MAX },
  ),
  rest: closed(
    { values: count(`The number of all other values, of the ${CHANGE_VALUES_MAX} largest in each window.`), ...SIDES, ...PARTS },
    { optional: ["mix", "rate"] },
  ),
});

export const CHANGES: Schema<ChangesResult & { readonly ends_at?: string; readonly time_zone?: string }> = closed(
  {
    metric: word("What is compared.", CHANGE_METRICS),
    goal: text("The goal, of `conversions` and `conversion_rate`."),
    currency: text("The currency, of `revenue`."),
    ...DATES,
    ends_at: text("Only events before this instant count in the other window.", { format: "date-time" }),
    time_zone: TIME_ZONE,
    verdict: word("What the analysis says of the period.", VERDICTS),
    sentence: text("The answer in one sentence or two."),
    comparison: closed(
      {
        compare: word("What the period is compared with.", CHANGE_COMPARISONS),
        ...DATES,
        reference_days: count("The days on which the typical value rests."),
      },
      { optional: ["start_date", "end_date", "reference_days"] },
    ),
    total: closed({
      before: nullable(SIDES.before),
      after: SIDES.after,
      delta: nullable(SIDES.delta),
      change: CHANGE,
    }),
    typical: nullable(
      closed({
        ...RANGE,
        counted: amount("What was counted on the tested days: those without a tracking gap."),
        z: number("The distance from what is typical, in standard deviations of this site."),
        trend_per_week: number("Growth that is part of what is typical, as a fraction per week; 0 without a trend."),
      }),
    ),
    so_far: boolean("The period is the current date, so it counts until now, and so does what is typical. Absent otherwise."),
    reason: word("Why `typical` is null.", REASONS),
    findings: list("The values that stand apart: at most three, the clearest first.", FINDING),
    mix: closed({
      ...VALUE,
      more: boolean("More visits had this value than typical."),
      higher: boolean("Their rate is above that of all visits."),
      filters: text("The filter that shows only this value, in the notation of `filters`."),
    }),
    dimensions: list("What the change consists of, by dimension. Values of different dimensions describe the same visits.", CONTRIBUTIONS),
    days: list(
      "Days that stand out, at most three.",
      closed({
        date: DATE,
        value: amount("What was counted."),
        ...RANGE,
        z: number("The distance from what is typical, in standard deviations of this site."),
        finding: nullable(count("The place of its finding in `findings`, from 0.")),
      }),
    ),
    band: list(
      "What is typical of each day or hour.",
      closed({ date: HOUR_OR_DATE, low: RANGE.low, expected: RANGE.expected, high: RANGE.high }),
    ),
    caveats: list(
      "What makes the answer less certain.",
      closed(
        {
          code: word("Its kind.", CAVEAT_CODES),
          from: HOUR_OR_DATE,
          to: HOUR_OR_DATE,
          amount: amount("The payment."),
          sentence: text("The caveat as a sentence."),
        },
        { optional: ["from", "to", "amount"] },
      ),
    ),
    noise: closed({
      dispersion: nullable(number("The variance of a day, in that of a Poisson count.")),
      persistence: nullable(number("The correlation of consecutive days.")),
      weeks: count("Weeks of history."),
      tried: count("Values that could have been named."),
    }),
    floors: closed({ visits: count("Smaller changes are never findings."), share: number("The same, as a share of the total.") }),
  },
  { optional: ["goal", "currency", "ends_at", "time_zone", "so_far", "reason", "mix", "band"] },
);
