/** The properties of `filter-operators.suite.ts` with DuckDB. */
import { createInProcessTarget } from "../support/in-process-target.ts";
import { describeFilterOperators } from "./filter-operators.suite.ts";
import { PROPERTY_RUNS } from "./settings.ts";

describeFilterOperators(createInProcessTarget, PROPERTY_RUNS);
