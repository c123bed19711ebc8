/** Takes a name of the behavioral extension, so that an engine cannot load it. */
import type { EngineExtension } from "../../src/runtime/duckdb/engine.ts";

export const TAKEN_NAME: EngineExtension = {
  name: "taken-name",
  version: "1.0.0",
  definitions: ["CREATE MACRO sessionize(anything) AS anything"],
  check: "SELECT sessionize(1)",
};
