/** Which visits of the sites count, by what their owners have set. */
import type { Config } from "../base/config/config.ts";
import { sessionRulesOf } from "../query/conditions.ts";
import type { LensReader } from "../query/scope.ts";
import { appliedRules } from "../query/site-rules.ts";
import { inOrder } from "../sites/goal.ts";
import { appliedOf } from "../sites/rule.ts";
import type { Sites } from "../sites/sites.ts";
import type { Collections } from "./stored-data.ts";

interface LensParts extends Pick<Collections, "goals" | "rules"> {
  readonly sites: Sites;
  readonly config: Config;
}

export const lensReaderOf = ({ sites, goals, rules, config }: LensParts): Omit<LensReader, "nowMs"> => ({
  arrivalRulesOf: (siteId) => sites.arrivalRulesOf(siteId),
  goalsOf: (siteId) => inOrder(goals.of(siteId)),
  rulesOf: (siteId) => appliedRules(appliedOf(rules.of(siteId)), config),
  sessionRules: sessionRulesOf(config),
});
