/** The properties of `intervals.suite.ts` with DuckDB. */
import { createInProcessTarget } from "../support/in-process-target.ts";
import { describeIntervals } from "./intervals.suite.ts";
import { ALL_RUNS } from "./settings.ts";

describeIntervals(createInProcessTarget, ALL_RUNS);
