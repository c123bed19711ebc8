/** The parameters of a breakdown: which rows and columns it has, in which order and form (docs/http-api.md, "Breakdowns"). */
import { exceedsChars } from "../base/text.ts";
import { EVENT_NAME_CHARS_MAX } from "../base/config/limits.ts";
import { BREAKDOWN_OFFSET_MAX, BREAKDOWN_ROWS_DEFAULT, BREAKDOWN_ROWS_MAX } from "../base/config/report-limits.ts";
import { invalidInput } from "../base/errors.ts";
import { COMPARISON_PARAMETERS, customRange } from "../query/comparison.ts";
import type { DateRange } from "../query/date-range.ts";
import { DIMENSIONS, SESSION_DIMENSIONS, parseDimension, type Dimension, type SessionDimension } from "../query/dimensions.ts";
import { text } from "../query/json-schema.ts";
import {
  integer,
  oneOf,
  optional,
  parameter,
  rowLimit,
  searchFor,
  UNKNOWN_LABEL,
  type Parameter,
  type Parameters,
  type Values,
} from "../query/parameters.ts";
import { COUNT_COLUMNS, FURTHER_COLUMNS, type CountColumn, type FurtherColumn } from "./measures/row-columns.ts";

const DIMENSION: Parameter<Dimension | SessionDimension> = {
  in: "path",
  description: `The dimension of the breakdown. ${SESSION_DIMENSIONS.join(" and ")} need the behavioral extension.`,
  required: true,
  schema: text("A dimension.", { enum: [...DIMENSIONS, ...SESSION_DIMENSIONS] }),
  example: "pages",
  parse: (slug) => parseDimension(slug ?? ""),
};

interface Columns {
  /** In the order of the request. */
  readonly further: readonly FurtherColumn[];
  readonly hasComparison: boolean;
}

const COLUMN_NAMES = [...FURTHER_COLUMNS, "comparison"];
const COLUMN_NAME = `(?:${COLUMN_NAMES.join("|")})`;

const COLUMNS: Parameter<Columns> = parameter(
  {
    description:
      "Further fields of each row, joined by commas. `conversions` and `conversion_rate` require `goal`, `revenue` requires `currency`; " +
      "`comparison` adds the numbers of the same value in another window. All but `revenue` and `comparison` need the behavioral extension.",
    schema: text("Names of fields.", { pattern: `^(?:${COLUMN_NAME}(?:,${COLUMN_NAME})*)?$` }),
    example: "bounce_rate,avg_visit_duration_secs",
  },
  (value, name) => {
    const words = new Set(value === null || value === "" ? [] : value.split(","));
    const further = [...words].flatMap((word) => FURTHER_COLUMNS.find((known) => known === word) ?? []);
    const hasComparison = words.has("comparison");
    if (further.length + Number(hasComparison) !== words.size) {
      throw invalidInput(`"${name}" must list some of ${COLUMN_NAMES.join(", ")}, joined by commas`);
    }
    return { further, hasComparison };
  },
);

/** What rows are ordered by: the value, or a number. */
export interface Sorting {
  readonly column: "value" | CountColumn;
  readonly isAscending: boolean;
}

const SORT: Parameter<Sorting> = parameter(
  {
    description: "The order of the rows: a field, and `asc` or `desc`. Equal ones are in ascending order of their values.",
    schema: text("`value`, or a field of the rows that the request has.", {
      pattern: `^(?:value|${COUNT_COLUMNS.join("|")}):(?:asc|desc)$`,
      default: "visitors:desc",
    }),
    example: "visitors:desc",
  },
  (written, name) => {
    if (written === null) return { column: "visitors", isAscending: false };
    const [word, direction, ...others] = written.split(":");
    const column = (["value", ...COUNT_COLUMNS] as const).find((known) => known === word);
    if (column === undefined || (direction !== "asc" && direction !== "desc") || others.length > 0) {
      throw invalidInput(`"${name}" must be one of value, ${COUNT_COLUMNS.join(", ")}, followed by :asc or :desc`);
    }
    return { column, isAscending: direction === "asc" };
  },
);

const CURRENCY = /^[A-Z]{3}$/;

const goalColumnOf = ({ further }: Columns): FurtherColumn | undefined =>
  further.find((column) => column === "conversions" || column === "conversion_rate");

/** Read only with columns that need them, which are declared before: otherwise breakdowns ignore these, whatever they are. */
const readIf = <P extends Parameters>(isNeeded: (columns: Columns) => boolean, parameters: P): P =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, declared]) => [
      name,
      { ...declared, isRead: ({ columns }: { readonly columns: Columns }) => isNeeded(columns) },
    ]),
  ) as P;

export const BREAKDOWN_PARAMETERS = {
  dimension: DIMENSION,
  limit: rowLimit("Maximum number of rows.", BREAKDOWN_ROWS_MAX, BREAKDOWN_ROWS_DEFAULT),
  offset: integer(
    { description: "Rows that are left out before the first one.", meaning: "Values outside the bounds are refused.", example: 0 },
    { min: 0, max: BREAKDOWN_OFFSET_MAX, default: 0 },
  ),
  search: searchFor("rows with values"),
  unknown_label: UNKNOWN_LABEL,
  sort: SORT,
  columns: COLUMNS,
  ...readIf((columns) => goalColumnOf(columns) !== undefined, {
    goal: optional(
      {
        description: "The goal of `conversions` and `conversion_rate`: one of the site's, or the events of that name if no goal has it.",
        schema: text("The name of a goal or of an event.", { minLength: 1, maxLength: EVENT_NAME_CHARS_MAX }),
        example: "signup",
      },
      (goal, name) => {
        if (goal === "" || exceedsChars(goal, EVENT_NAME_CHARS_MAX)) {
          throw invalidInput(`"${name}" must be a name of 1 to ${EVENT_NAME_CHARS_MAX} characters`);
        }
        return goal;
      },
    ),
  }),
  ...readIf(({ further }) => further.includes("revenue"), {
    currency: optional(
      {
        description: "The currency of `revenue`.",
        schema: text("An ISO 4217 code in capital letters.", { pattern: CURRENCY.source }),
        example: "EUR",
      },
      (code, name) => {
        if (!CURRENCY.test(code)) throw invalidInput(`"${name}" must be three capital letters, such as EUR`);
        return code;
      },
    ),
  }),
  with_total: oneOf("`true`: the response is an object with the rows and their number, and not just the rows.", ["false", "true"]),
  format: oneOf("`csv`: the same rows as a file.", ["json", "csv"]),
  ...readIf(({ hasComparison }) => hasComparison, COMPARISON_PARAMETERS),
};

export type BreakdownValues = Values<typeof BREAKDOWN_PARAMETERS>;

/** The comparison that a breakdown asks for; by default with the previous period. */
export const comparisonOf = ({ compare, compare_start_date, compare_end_date, compare_same_time }: BreakdownValues) => ({
  compare: compare ?? ("previous_period" as const),
  compare_start_date,
  compare_end_date,
  compare_same_time,
});

/** 400 for a column without what it requires, and for an order by a field that rows do not have. */
export function checkBreakdown(values: BreakdownValues, _range: DateRange, rangeDaysMax: number): void {
  const { columns, goal, currency, sort } = values;
  const ofGoal = goalColumnOf(columns);
  if (ofGoal !== undefined && goal === null) throw invalidInput(`"goal" is required when "columns" has ${ofGoal}`);
  if (columns.further.includes("revenue") && currency === null) throw invalidInput('"currency" is required when "columns" has revenue');
  const isFurther = (FURTHER_COLUMNS as readonly string[]).includes(sort.column);
  if (isFurther && !columns.further.some((column) => column === sort.column)) {
    throw invalidInput(`"sort" by ${sort.column} requires it in "columns"`);
  }
  if (columns.hasComparison) customRange(comparisonOf(values), rangeDaysMax);
}
