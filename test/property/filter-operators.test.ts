/** The properties of `filter-operators.suite.ts` with DuckDB. */
import { createInProcessTarget } from "../support/in-process-target.ts";
import { ofTier } from "../support/tier.ts";
import { OPERATORS } from "./conditions.ts";
import { describeFilterOperators, describeRulesOfSite } from "./filter-operators.suite.ts";
import { PROPERTY_RUNS } from "./settings.ts";

/** In the quick tier, one of a set of values and one of patterns: each asks every dimension, which takes seconds. */
const SOME = ofTier({ quick: OPERATORS.filter((operator) => operator === "in" || operator === "like"), all: OPERATORS });

describeFilterOperators(createInProcessTarget, { from: 0, to: PROPERTY_RUNS }, SOME);
describeRulesOfSite(createInProcessTarget, { from: 0, to: PROPERTY_RUNS }, true);
