/** The properties of `breakdown-rows.suite.ts` with DuckDB. */
import { createInProcessTarget } from "../support/in-process-target.ts";
import { describeBreakdownRows } from "./breakdown-rows.suite.ts";
import { PROPERTY_RUNS } from "./settings.ts";

describeBreakdownRows(createInProcessTarget, PROPERTY_RUNS);
