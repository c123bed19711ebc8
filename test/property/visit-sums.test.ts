/** The properties of `visit-sums.suite.ts` with DuckDB. */
import { createInProcessTarget } from "../support/in-process-target.ts";
import { ALL_RUNS } from "./settings.ts";
import { describeVisitSums } from "./visit-sums.suite.ts";

describeVisitSums(createInProcessTarget, ALL_RUNS);
