import type { WorldShapes } from "./world-shapes.ts";

/** Reads the atlas. */
export function drawCountries(): Promise<WorldShapes>;
