/** The properties of `breakdowns.suite.ts` with DuckDB. */
import { createInProcessTarget } from "../support/in-process-target.ts";
import { describeBreakdowns } from "./breakdowns.suite.ts";
import { ALL_RUNS } from "./settings.ts";

describeBreakdowns(createInProcessTarget, ALL_RUNS);
