/** Filters: their notation. All conditions must hold (docs/http-api.md, "Filters"); `conditions.ts` has their SQL. */
import {
  type Filter,
  FilterSyntaxError,
  type Operator,
  OPERATORS,
  parseFilter,
  printFilter,
  PROPERTY_PREFIX,
  TooManyValuesError,
} from "../../shared/filters.ts";
import { FILTER_CONDITIONS_MAX, FILTER_EXPRESSION_CHARS_MAX, FILTER_VALUE_CHARS_MAX, FILTER_VALUES_MAX } from "../../shared/limits.ts";
import { exceedsChars } from "../../shared/text.ts";
import { FILTER_EXPRESSIONS_MAX } from "../base/config/report-limits.ts";
import type { LocalDate } from "../../storage/event.ts";
import { AppError, invalidInput } from "../base/errors.ts";
import type { Goal, SiteGoal } from "../sites/goal.ts";
import type { ArrivalName } from "../arrivals/arrival-names.ts";
import type { ColumnName } from "./sql.ts";
import { compileInTurns, isKnownExpression, problemOfExpression, problemOfSize, type TextTest } from "./text-matching.ts";

const DIMENSION_COLUMNS = {
  pages: "pathname",
  hostnames: "hostname",
  referrers: "referrer",
  sources: "referrer_source",
  countries: "country_code",
  regions: "region",
  cities: "city",
  browsers: "browser",
  "browser-versions": "browser_version",
  os: "os",
  "os-versions": "os_version",
  devices: "device_type",
  "screen-sizes": "screen_size",
  "utm-sources": "utm_source",
  "utm-mediums": "utm_medium",
  "utm-campaigns": "utm_campaign",
  "utm-contents": "utm_content",
  "utm-terms": "utm_term",
  events: "event_name",
} as const satisfies Record<string, ColumnName>;

export type Dimension = keyof typeof DIMENSION_COLUMNS;

/** The dimensions of breakdowns and filters, and the stored column that each reads (docs/http-api.md, "Breakdowns"). */
export const DIMENSIONS = Object.keys(DIMENSION_COLUMNS) as readonly Dimension[];

export const columnOf = (dimension: Dimension): ColumnName => DIMENSION_COLUMNS[dimension];

/** Undoes `columnOf`; null for a column that is no dimension. */
export const dimensionOf = (column: ColumnName): Dimension | null => DIMENSIONS.find((dimension) => columnOf(dimension) === column) ?? null;

/** Dimensions of sessions, not of events: they need the behavioral extension and cannot be filtered on. */
export const SESSION_DIMENSIONS = ["entry-pages", "exit-pages"] as const;
export type SessionDimension = (typeof SESSION_DIMENSIONS)[number];

/** What a dimension reads of the first event of a visit: a column, or a name that the site's rules give to its arrival. */
export type VisitValue = { readonly column: ColumnName } | { readonly name: ArrivalName };

const VISIT_VALUES = {
  "visit-channels": { name: "channel" },
  "visit-sources": { name: "source" },
  "visit-referrers": { name: "referrer" },
  "visit-hostnames": { column: "hostname" },
  "visit-utm-sources": { column: "utm_source" },
  "visit-utm-mediums": { column: "utm_medium" },
  "visit-utm-campaigns": { column: "utm_campaign" },
  "visit-utm-contents": { column: "utm_content" },
  "visit-utm-terms": { column: "utm_term" },
} as const satisfies Record<string, { readonly column: ColumnName & `${"hostname" | `utm_${string}`}` } | { readonly name: ArrivalName }>;

export type VisitDimension = keyof typeof VISIT_VALUES;

/** Dimensions of visits: the value of a session's first event (docs/reports.md, "Visit dimensions"). Each session has exactly one. */
export const VISIT_DIMENSIONS = Object.keys(VISIT_VALUES) as readonly VisitDimension[];

export const visitValueOf = (dimension: VisitDimension) => VISIT_VALUES[dimension];

export const isVisitDimension = (slug: string): slug is VisitDimension => Object.hasOwn(VISIT_VALUES, slug);

/** Event dimensions of which a visit has the value of its first event. */
export const FIRST_EVENT_DIMENSIONS = [
  "countries",
  "regions",
  "cities",
  "browsers",
  "browser-versions",
  "os",
  "os-versions",
  "devices",
  "screen-sizes",
] as const satisfies readonly Dimension[];

/** Dimensions of which a visit has the value of its first event. */
export type FirstValueDimension = VisitDimension | (typeof FIRST_EVENT_DIMENSIONS)[number];

/** Dimensions of which each visit has exactly one value, so that visits add up over all values. */
export const ADDITIVE_DIMENSIONS = [...VISIT_DIMENSIONS, ...SESSION_DIMENSIONS, ...FIRST_EVENT_DIMENSIONS] as const;
export type AdditiveDimension = (typeof ADDITIVE_DIMENSIONS)[number];

export const isAdditive = (dimension: string): dimension is AdditiveDimension =>
  (ADDITIVE_DIMENSIONS as readonly string[]).includes(dimension);

export const firstValueOf = (dimension: FirstValueDimension) =>
  isVisitDimension(dimension) ? visitValueOf(dimension) : { column: DIMENSION_COLUMNS[dimension] };

export type BreakdownDimension = Dimension | SessionDimension | VisitDimension;

export const BREAKDOWN_DIMENSIONS: readonly BreakdownDimension[] = [...DIMENSIONS, ...SESSION_DIMENSIONS, ...VISIT_DIMENSIONS];

export const isDimension = (slug: string): slug is Dimension => Object.hasOwn(DIMENSION_COLUMNS, slug);

export const isSessionDimension = (slug: string): slug is SessionDimension => (SESSION_DIMENSIONS as readonly string[]).includes(slug);

export function parseDimension(slug: string): BreakdownDimension {
  if (isDimension(slug) || isSessionDimension(slug) || isVisitDimension(slug)) return slug;
  throw invalidInput(`Unknown dimension "${slug}". Use one of: ${BREAKDOWN_DIMENSIONS.join(", ")}`);
}

export interface NamedGoal {
  readonly name: string;
  readonly goal: Goal;
}

/** Dimensions of whole sessions: a condition on them keeps all events of the sessions that meet it. */
export const SESSION_FILTERS = ["entry-page", "exit-page", "goal", ...VISIT_DIMENSIONS] as const;
export type SessionFilter = (typeof SESSION_FILTERS)[number];

/** Session filters on what one event of the session has. */
export type ValueFilter = Exclude<SessionFilter, "goal">;

/** The filter on the codes of an event (docs/privacy.md, "Evidence"), of which it may have several. */
export const EVIDENCE_FILTER = "evidence";

export type FilterDimension = Dimension | SessionFilter | typeof EVIDENCE_FILTER | `${typeof PROPERTY_PREFIX}${string}`;

/** What no filter can name: the parameter `lens` (`lenses.ts`). */
type ConditionDimension = FilterDimension | "lens";

export interface Condition {
  /** The key of a property is decoded. */
  readonly dimension: ConditionDimension;
  /** Applied to the stored value. A missing value equals `(unknown)` and fails every other operator. */
  readonly test: TextTest;
  readonly isNegated: boolean;
  /** The site's goals, of a condition on `goal` and of rules that spare people (`conditionsOn`). */
  readonly goals?: readonly NamedGoal[];
  /** What the lens leaves out; if it is negated, all that it has. */
  readonly rules?: readonly LensRule[];
}

/** A visit is left out if any of its events has any of the codes (docs/privacy.md, "Evidence"). */
export interface CodesRule {
  readonly codes: readonly string[];
}

/**
 * A wave: many visits of one country and browser on one day, of which nearly all are bare, while those of other countries and browsers do
 * more. The bare ones are left out. A visit belongs to the day, country and browser of its first event; it is bare if it is a bounce.
 */
export interface WaveRule {
  /** A group is suspect with so many bare visits, if they are so many of a hundred of its visits. */
  readonly bareMin: number;
  readonly barePercentMin: number;
  /**
   * It is a wave if it would have so many visits that are not bare, were it like the groups of the day that are not suspect, and these
   * have as many.
   */
  readonly activeExpectedMin: number;
  /** And if it has so many times fewer of them. */
  readonly timesFewer: number;
}

/** A visit is left out if any of its events meets all conditions. Rules of a site's owner are such ones (`site-rules.ts`). */
export interface FilterRule {
  readonly conditions: readonly Condition[];
  /** Dates of the first event of the visit; null for any. */
  readonly firstDate: LocalDate | null;
  readonly lastDate: LocalDate | null;
  /** Keeps visits with a proof of a person: no bounce, an outbound click, or a goal. */
  readonly sparesPeople: boolean;
}

export type LensRule = CodesRule | WaveRule | FilterRule;

/** Dimensions of filters whose names are all known. */
export const NAMED_FILTERS = [...DIMENSIONS, ...SESSION_FILTERS, EVIDENCE_FILTER] as const;

const TESTS = { in: "is", contains: "contains", begins: "begins", like: "like", matches: "matches" } as const;

const problem = (text: string): AppError => invalidInput(`"filters": ${text}`);

const tooManyValues = (): AppError => invalidInput(`"filters" must have at most ${FILTER_VALUES_MAX} values in all conditions`);

export const isSessionFilter = (name: string): name is SessionFilter => (SESSION_FILTERS as readonly string[]).includes(name);

function checkedDimension(name: string): FilterDimension {
  if (isDimension(name) || isSessionFilter(name) || name === EVIDENCE_FILTER) return name;
  if (isSessionDimension(name)) throw problem(`the dimension "${name}" cannot be filtered on`);
  if (!name.startsWith(PROPERTY_PREFIX)) {
    throw problem(`there is no dimension "${name}"; there are ${NAMED_FILTERS.join(", ")} and ${PROPERTY_PREFIX}<key>`);
  }
  if (exceedsChars(name.slice(PROPERTY_PREFIX.length), FILTER_VALUE_CHARS_MAX))
    throw problem(`the key of a property must be at most ${FILTER_VALUE_CHARS_MAX} characters`);
  return name as FilterDimension;
}

function checkValue(value: string, dimension: string): void {
  if (value === "") throw problem(`the condition on "${dimension}" has an empty value`);
  if (exceedsChars(value, FILTER_VALUE_CHARS_MAX)) {
    throw problem(`the value for "${dimension}" must be at most ${FILTER_VALUE_CHARS_MAX} characters`);
  }
}

interface Expression {
  readonly value: string;
  readonly what: string;
}

const expressionsOf = ({ dimension, test: { kind, values } }: Condition): Expression[] =>
  kind === "matches" ? values.map((value) => ({ value, what: `the regular expression for "${dimension}"` })) : [];

/** Compiles none of them: filters are parsed on the thread that accepts events, and before a query has a slot. */
function checkExpressions(conditions: readonly Condition[]): void {
  const expressions = conditions.flatMap(expressionsOf);
  if (expressions.length > FILTER_EXPRESSIONS_MAX) {
    throw invalidInput(`"filters" must have at most ${FILTER_EXPRESSIONS_MAX} regular expressions in all conditions`);
  }
  for (const { value, what } of expressions) {
    if (exceedsChars(value, FILTER_EXPRESSION_CHARS_MAX))
      throw problem(`${what} must be at most ${FILTER_EXPRESSION_CHARS_MAX} characters`);
    const found = problemOfSize(value);
    if (found !== null) throw problem(`${what} ${found}`);
  }
}

/** Runs work of a few milliseconds at most in a turn of the thread. */
type InTurn = <Result>(work: () => Result) => Promise<Result>;

/** 400 for what is no regular expression. Each is compiled in a turn of its own, and the tests of goals are then ready to be used. */
export async function checkSyntax(conditions: readonly Condition[], inTurn: InTurn): Promise<void> {
  for (const condition of conditions) {
    for (const { value, what } of expressionsOf(condition)) {
      const check = () => problemOfExpression(value);
      const found = isKnownExpression(value) ? check() : await inTurn(check);
      if (found !== null) throw problem(`${what} ${found}`);
    }
    if (condition.dimension === "goal" && condition.test.kind === "matches") await compileInTurns(condition.test, inTurn);
  }
}

function parseCondition(text: string): Condition {
  const { dimension: name, operator, isNot, values } = writtenFilter(text);
  const dimension = checkedDimension(name);
  for (const value of values) checkValue(value, name);
  const kind = dimension === EVIDENCE_FILTER && operator === "in" ? "word" : TESTS[operator];
  return { dimension, test: { kind, values }, isNegated: isNot };
}

function writtenFilter(text: string): Filter {
  try {
    return parseFilter(text);
  } catch (error) {
    if (error instanceof TooManyValuesError) throw tooManyValues();
    throw error instanceof FilterSyntaxError ? problem(error.message) : error;
  }
}

const operatorOf = (kind: TextTest["kind"]): Operator => OPERATORS.find((operator) => TESTS[operator] === kind) ?? "in";

/** Canonical: equal for equal conditions. */
const formatted = ({ dimension, test: { kind, values }, isNegated }: Condition): string =>
  printFilter({ dimension, operator: operatorOf(kind), isNot: isNegated, values });

/** The conditions as in the parameter `filters`. */
export const filterText = (conditions: readonly Condition[]): string => conditions.map(formatted).join(";");

/** Sorted and without duplicates, so that equivalent filters are equal. */
export function distinctConditions(conditions: readonly Condition[]): readonly Condition[] {
  const distinct = new Map(conditions.map((condition) => [formatted(condition), condition]));
  return [...distinct].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, condition]) => condition);
}

/** The distinct conditions; 400 for invalid ones, except that nothing is compiled (`checkSyntax`). */
export function parseSegmentFilter(text: string | null): readonly Condition[] {
  if (text === null || text === "") return [];
  const written = text.split(";", FILTER_CONDITIONS_MAX + 1);
  if (written.length > FILTER_CONDITIONS_MAX) throw invalidInput(`"filters" must have at most ${FILTER_CONDITIONS_MAX} conditions`);
  const conditions = written.map(parseCondition);
  checkExpressions(conditions);
  if (conditions.reduce((sum, { test: { values } }) => sum + values.length, 0) > FILTER_VALUES_MAX) {
    throw tooManyValues();
  }
  return distinctConditions(conditions);
}

const sparesPeople = (rule: LensRule): boolean => "conditions" in rule && rule.sparesPeople;

/** The conditions with what they mean for a site. */
export function conditionsOn(conditions: readonly Condition[], goals: () => readonly SiteGoal[]): readonly Condition[] {
  const readsGoals = ({ dimension, rules = [] }: Condition) => dimension === "goal" || rules.some(sparesPeople);
  if (!conditions.some(readsGoals)) return conditions;
  const named = goals().map(({ fields: { name, goal } }) => ({ name, goal }));
  return conditions.map((condition) => (readsGoals(condition) ? { ...condition, goals: named } : condition));
}

/** Equal for equal conditions. Every condition on goals has all goals of the site, so they are written once. */
export function keyOfConditions(conditions: readonly Condition[]): unknown {
  const lists = new Set(conditions.flatMap(({ goals }) => (goals ? [goals] : [])));
  return [conditions.map(({ goals: _goals, ...condition }) => condition), ...lists];
}
