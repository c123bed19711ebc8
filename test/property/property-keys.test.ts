/** The properties of `property-keys.suite.ts` with DuckDB. */
import { createInProcessTarget } from "../support/in-process-target.ts";
import { describePropertyKeys } from "./property-keys.suite.ts";
import { ALL_RUNS } from "./settings.ts";

describePropertyKeys(createInProcessTarget, ALL_RUNS);
