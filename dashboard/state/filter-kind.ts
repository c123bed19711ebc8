/** What filters select, which decides which metrics mean something (docs/reports.md, "Metrics under filters"). */
import { passes, type Filter } from "./filters.ts";

/**
 * - `visitors`: all or nothing of a visit, as without filters
 * - `events`: single pageviews and events
 * - `goal`: one event other than pageviews, the conversions
 * - `converting`: the visits that reach a goal, as a whole
 */
export type FilterKind = "visitors" | "events" | "goal" | "converting";

/** The dimensions of which all events of a visit have the same value. */
const VISIT_DIMENSIONS: ReadonlySet<string> = new Set([
  "countries",
  "regions",
  "cities",
  "browsers",
  "browser-versions",
  "os",
  "os-versions",
  "devices",
  "entry-page",
  "exit-page",
  "goal",
]);

const isGoal = ({ dimension, operator, isNot, values }: Filter): boolean =>
  dimension === "events" && operator === "in" && !isNot && !values.includes("pageview");

const isReachedGoal = ({ dimension, isNot }: Filter): boolean => dimension === "goal" && !isNot;

export function filterKindOf(filters: readonly Filter[]): FilterKind {
  if (filters.some(isGoal)) return "goal";
  if (filters.some(isReachedGoal)) return "converting";
  return filters.every(({ dimension }) => VISIT_DIMENSIONS.has(dimension)) ? "visitors" : "events";
}

/** Whether the visitors are those of conversions. */
export const countsConversions = (kind: FilterKind): boolean => kind === "goal" || kind === "converting";

const isOnGoals = ({ dimension }: Filter): boolean => dimension === "events" || dimension === "goal";

/** The filters without those on events and goals. Conversion rates are shares of the visitors whom they leave. */
export const withoutGoalFilters = (filters: readonly Filter[]): Filter[] => filters.filter((filter) => !isOnGoals(filter));

/** Whether the filters on events and goals leave the goal of this name. */
export const hasGoal = (filters: readonly Filter[], name: string): boolean =>
  filters.every((filter) => !isOnGoals(filter) || passes(filter, name));
