/** The properties of `figures.suite.ts` with DuckDB. */
import { createInProcessTarget } from "../support/in-process-target.ts";
import { describeFigures } from "./figures.suite.ts";
import { PROPERTY_RUNS } from "./settings.ts";

describeFigures(createInProcessTarget, PROPERTY_RUNS);
