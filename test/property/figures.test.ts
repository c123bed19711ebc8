/** The properties of `figures.suite.ts` with DuckDB. */
import { createInProcessTarget } from "../support/in-process-target.ts";
import { describeFigures } from "./figures.suite.ts";
import { ALL_RUNS } from "./settings.ts";

describeFigures(createInProcessTarget, ALL_RUNS);
