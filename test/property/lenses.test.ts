/** The properties of `lenses.suite.ts` with DuckDB. */
import { describe } from "vitest";
import { createInProcessTarget } from "../support/in-process-target.ts";
import { describeLenses } from "./lenses.suite.ts";

describeLenses(createInProcessTarget);

describe("days that do not fit into the engine's memory together", () => {
  describeLenses((environment) => createInProcessTarget(environment, { engineMemoryMb: 0.1 }), [1]);
});
