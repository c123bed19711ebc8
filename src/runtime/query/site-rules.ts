/**
 * The rules of a site, which its owner applies and undoes: which filters they may have, and how many (docs/reports.md, "Rules of a site").
 * Every report reads the applied ones, so none of them may make a report fail that could be answered without them.
 */
import { FILTER_VALUES_MAX } from "../../shared/limits.ts";
import { exceedsChars } from "../../shared/text.ts";
import { RULE_CHARS_MAX, RULES_CONDITIONS_MAX } from "../base/config/admin-limits.ts";
import type { Config } from "../base/config/config.ts";
import { AppError, invalidInput } from "../base/errors.ts";
import type { RuleText } from "../sites/rule.ts";
import { type Condition, type FilterRule, isVisitDimension, parseSegmentFilter, visitValueOf } from "./filters.ts";

type Backend = Pick<Config, "engine">;

/** ClickHouse has no room for the names of very many arrivals. */
const isOnArrivals = (dimension: string): boolean => isVisitDimension(dimension) && "name" in visitValueOf(dimension);

function refusalOf({ dimension, test: { kind } }: Condition, { engine }: Backend): string | null {
  if (kind === "matches") return "regular expressions";
  if (dimension === "goal") return "conditions on goals";
  // Every report would read the properties of all events.
  if (dimension.startsWith("props:")) return "conditions on properties";
  return engine === "clickhouse" && isOnArrivals(dimension) ? `conditions on ${dimension} with ClickHouse` : null;
}

const PARSED = new WeakMap<RuleText, FilterRule>();

/** 400 for filters that a rule may not have. Kept as long as the text is, so that a report parses no rule again. */
export function filterRuleOf(text: RuleText, backend: Backend): FilterRule {
  const known = PARSED.get(text);
  if (known) return known;
  const { filters, firstDate, lastDate, sparesPeople } = text;
  const conditions = parseSegmentFilter(filters);
  if (conditions.length === 0) throw invalidInput('Field "filters" must have at least one condition');
  for (const condition of conditions) {
    const refusal = refusalOf(condition, backend);
    if (refusal !== null) throw invalidInput(`Field "filters": a rule cannot have ${refusal}`);
  }
  const rule: FilterRule = {
    conditions: conditions.map((condition) => ({ ...condition, test: { ...condition.test, isOfRule: true as const } })),
    ...{ firstDate, lastDate, sparesPeople },
  };
  PARSED.set(text, rule);
  return rule;
}

/** Why so many rules cannot be applied together; null if they can. */
function problemOf(rules: readonly RuleText[], parsed: readonly FilterRule[]): string | null {
  const conditions = parsed.flatMap((rule) => rule.conditions);
  if (conditions.length > RULES_CONDITIONS_MAX) return `${RULES_CONDITIONS_MAX} conditions`;
  if (conditions.reduce((sum, { test }) => sum + test.values.length, 0) > FILTER_VALUES_MAX) return `${FILTER_VALUES_MAX} values`;
  return exceedsChars(rules.map(({ filters }) => filters).join(""), RULE_CHARS_MAX) ? `${RULE_CHARS_MAX} characters` : null;
}

/** 400 if these rules cannot be applied together. Each may be. */
export function checkApplied(rules: readonly RuleText[], backend: Backend): void {
  const problem = problemOf(
    rules,
    rules.map((rule) => filterRuleOf(rule, backend)),
  );
  if (problem !== null) throw invalidInput(`The filters of all applied rules must have at most ${problem} together`);
}

/** The rules as reports apply them: without one that this version or backend does not know, and without those that are too many. */
export function appliedRules(stored: readonly RuleText[], backend: Backend): readonly FilterRule[] {
  const texts: RuleText[] = [];
  const rules: FilterRule[] = [];
  for (const text of stored) {
    try {
      const rule = filterRuleOf(text, backend);
      if (problemOf([...texts, text], [...rules, rule]) !== null) continue;
      texts.push(text);
      rules.push(rule);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // It was stored by another version, or before the backend was changed, or another node has applied one at the same time.
    }
  }
  return rules;
}
