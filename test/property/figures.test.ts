/** The properties of `figures.suite.ts` with DuckDB. */
import { createInProcessTarget } from "../support/in-process-target.ts";
import { describeFigures } from "./figures.suite.ts";

describeFigures(createInProcessTarget);
