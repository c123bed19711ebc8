/** The properties of `behavioral-figures.suite.ts` with DuckDB. */
import { createInProcessTarget } from "../support/in-process-target.ts";
import { describeBehavioralFigures } from "./behavioral-figures.suite.ts";
import { ALL_RUNS } from "./settings.ts";

describeBehavioralFigures(createInProcessTarget, ALL_RUNS);
