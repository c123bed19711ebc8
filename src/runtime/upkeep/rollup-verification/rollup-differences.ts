/** Compares a rollup with its events: every row of every measure, and whether it has every measure that it must have. */
import { isPropertyMeasure, propertyMeasure } from "../../../storage/rollup.ts";
import type { OpenedRollup } from "../../../storage/rollup-file.ts";
import { PROPERTY_KEYS_MAX, ROLLUP_PROPERTIES_MAX } from "../../base/config/report-limits.ts";
import { KEYS_MEASURE } from "../../duckdb/measure-computation.ts";
import type { RolledMeasures } from "../../duckdb/rollups/rolled-measures.ts";
import { isAskedFor } from "../../duckdb/rollups/rollup-sum.ts";
import type { MeasureSums } from "./measure-sums.ts";
import { differenceOf } from "./row-comparison.ts";

/** The measures of properties that the events have. */
interface ExpectedProperties {
  readonly measures: readonly string[];
  /** A rollup has room for all of them. */
  readonly fit: boolean;
}

function propertiesIn(sums: MeasureSums): ExpectedProperties {
  const keys = sums.sum(KEYS_MEASURE).toRows({ rowsMax: PROPERTY_KEYS_MAX });
  return { measures: keys.map(({ value }) => propertyMeasure(String(value))), fit: keys.length <= ROLLUP_PROPERTIES_MAX };
}

/**
 * The differences, one for each measure. A rollup may lack measures only if they have too many rows or too many hours, and those of
 * custom properties also if there are too many, or if they did not fit into the engine's memory. Reports then read the events.
 */
export async function differencesOf(file: OpenedRollup, sums: MeasureSums, rolled: RolledMeasures): Promise<string[]> {
  const { header } = file;
  const differences: string[] = [];
  for (const name of Object.keys(header.measures)) {
    const rowsMax = name === KEYS_MEASURE ? PROPERTY_KEYS_MAX : undefined;
    const difference = differenceOf((await file.measure(name)) ?? {}, sums.sum(name), rowsMax);
    if (difference !== null) differences.push(`measure ${JSON.stringify(name)}: ${difference}`);
  }
  const has = (name: string) => Object.hasOwn(header.measures, name);
  const isOfProperties = new Map(rolled.measures.map(({ name, query }) => [name, query.property !== undefined]));
  const properties = propertiesIn(sums);
  const mayLack = (name: string) =>
    (isPropertyMeasure(name) && !properties.fit) || ((isPropertyMeasure(name) || isOfProperties.get(name)) && !has(KEYS_MEASURE));
  for (const name of sums.names) {
    if (!has(name) && isAskedFor(name, header) && !mayLack(name)) differences.push(`measure ${JSON.stringify(name)}: it is missing`);
  }
  return [...differences, ...differenceOfProperties(file, sums, properties)];
}

/** Reports take a property that a rollup with all properties lacks for one that no event has. */
function differenceOfProperties({ header }: OpenedRollup, sums: MeasureSums, { measures, fit }: ExpectedProperties): string[] {
  const lacking = measures.filter((name) => !Object.hasOwn(header.measures, name));
  if (header.hasAllProperties) {
    return lacking.length === 0 ? [] : [`it says that it has all custom properties, but lacks ${JSON.stringify(lacking[0])}`];
  }
  const hasAll = Object.hasOwn(header.measures, KEYS_MEASURE) && fit && !measures.some((name) => sums.isDropped(name));
  return hasAll && lacking.length === 0 ? ["it says that it lacks custom properties, but has all"] : [];
}
