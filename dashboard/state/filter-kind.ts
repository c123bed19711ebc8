/** What filters select, which decides which metrics mean something (docs/reports.md, "Metrics under filters"). */
import type { Filter } from "./filters.ts";

/**
 * - `visitors`: all or nothing of a visitor, as without filters
 * - `events`: single pageviews and events
 * - `goal`: one event other than pageviews, the conversions
 */
export type FilterKind = "visitors" | "events" | "goal";

/** The dimensions of which all events of a visitor have the same value. */
const VISITOR_DIMENSIONS: ReadonlySet<string> = new Set([
  "countries",
  "regions",
  "cities",
  "browsers",
  "browser-versions",
  "os",
  "os-versions",
  "devices",
]);

const isGoal = ({ dimension, isNot, value }: Filter): boolean => dimension === "events" && !isNot && value !== "pageview";

export function filterKindOf(filters: readonly Filter[]): FilterKind {
  if (filters.some(isGoal)) return "goal";
  return filters.every(({ dimension }) => VISITOR_DIMENSIONS.has(dimension)) ? "visitors" : "events";
}

/** The filters without those on events. Conversion rates are shares of the visitors whom they leave. */
export const withoutEventFilters = (filters: readonly Filter[]): Filter[] => filters.filter(({ dimension }) => dimension !== "events");

/** Whether the filters on events leave the event of this name. */
export const hasEvent = (filters: readonly Filter[], name: string): boolean =>
  filters.every(({ dimension, isNot, value }) => dimension !== "events" || (value === name) !== isNot);
