/** The properties of `breakdown-rows.suite.ts` with DuckDB. */
import { createInProcessTarget } from "../support/in-process-target.ts";
import { describeBreakdownRows } from "./breakdown-rows.suite.ts";
import { ALL_RUNS } from "./settings.ts";

describeBreakdownRows(createInProcessTarget, ALL_RUNS);
