/** The properties of `visit-sums.suite.ts` with DuckDB. */
import { createInProcessTarget } from "../support/in-process-target.ts";
import { PROPERTY_RUNS } from "./settings.ts";
import { describeVisitSums } from "./visit-sums.suite.ts";

describeVisitSums(createInProcessTarget, PROPERTY_RUNS);
