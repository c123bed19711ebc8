/** The properties of `breakdowns.suite.ts` with DuckDB. */
import { createInProcessTarget } from "../support/in-process-target.ts";
import { describeBreakdowns } from "./breakdowns.suite.ts";
import { PROPERTY_RUNS } from "./settings.ts";

describeBreakdowns(createInProcessTarget, PROPERTY_RUNS);
