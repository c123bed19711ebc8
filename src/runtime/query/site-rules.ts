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

/** null for a rule that this version or backend does not know: it was stored by another version, or before the backend was changed. */
function knownRuleOf(text: RuleText, backend: Backend): FilterRule | null {
  try {
    return filterRuleOf(text, backend);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** 400 if a rule cannot be applied, or not beside the others. Those of them that are not known count nowhere. */
export function checkApplied(text: RuleText, others: readonly RuleText[], backend: Backend): void {
  const texts = [text];
  const rules = [filterRuleOf(text, backend)];
  for (const other of others) {
    const rule = knownRuleOf(other, backend);
    if (rule === null) continue;
    texts.push(other);
    rules.push(rule);
  }
  const problem = problemOf(texts, rules);
  if (problem !== null) throw invalidInput(`The filters of all applied rules must have at most ${problem} together`);
}

/** The rules as reports apply them: without unknown ones, and without those that are too many, which two nodes applied at the same time. */
export function appliedRules(stored: readonly RuleText[], backend: Backend): readonly FilterRule[] {
  const texts: RuleText[] = [];
  const rules: FilterRule[] = [];
  for (const text of stored) {
    const rule = knownRuleOf(text, backend);
    if (rule === null || problemOf([...texts, text], [...rules, rule]) !== null) continue;
    texts.push(text);
    rules.push(rule);
  }
  return rules;
}
