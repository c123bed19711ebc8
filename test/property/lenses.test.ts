/** The properties of `lenses.suite.ts` with DuckDB. */
import { createInProcessTarget } from "../support/in-process-target.ts";
import { describeLenses } from "./lenses.suite.ts";

describeLenses(createInProcessTarget);
