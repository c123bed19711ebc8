/** What changed in a period, and which values stand apart: the analysis behind `GET /api/stats/changes` (docs/internals/changes.md). */
import type { ChangesInput, DrillQuery, DrillRows } from "./input.ts";
import type { ChangesResult } from "./result.ts";

export declare function changesOf(input: ChangesInput): ChangesResult;

/** null if the first finding needs none. Ask it only for periods of few events, and leave `drill` null otherwise. */
export declare function drillNeeded(input: ChangesInput, result: ChangesResult): DrillQuery | null;

export declare function withDrill(input: ChangesInput, result: ChangesResult, rows: readonly DrillRows[]): ChangesResult;
