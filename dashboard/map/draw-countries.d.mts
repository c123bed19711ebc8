import type { WorldFile } from "./world-shapes.ts";

/** Reads the atlas. */
export function drawCountries(): Promise<WorldFile>;

export function textOfNumbers(numbers: readonly number[]): string;
