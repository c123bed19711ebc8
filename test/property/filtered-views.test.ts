/** The properties of `filtered-views.suite.ts` with DuckDB. */
import { createInProcessTarget } from "../support/in-process-target.ts";
import { describeFilteredViews } from "./filtered-views.suite.ts";
import { ALL_RUNS } from "./settings.ts";

describeFilteredViews(createInProcessTarget, ALL_RUNS);
