/** The rollup that is the sum of its parts: which measures it has, and which it leaves out. */
import { daysBetween } from "../../../storage/calendar.ts";
import { compareCodePoints } from "../../../storage/code-point-order.ts";
import { type Columns, rowCountOf } from "../../../storage/columns.ts";
import { isPropertyMeasure, type Rollup, type RollupOrigin, VISITS_BY_DAY } from "../../../storage/rollup.ts";
import { ROLLUP_DAILY_VALUES_DAYS_MAX, ROLLUP_HOURLY_DAYS_MAX, ROLLUP_PROPERTIES_MAX } from "../../base/config/report-limits.ts";
import { RowSum } from "../../query/row-sum.ts";

/** A part of a sum: a rollup, or rows computed from events. */
export interface RollupSource {
  readonly measures: ReadonlySet<string>;
  readonly hasAllProperties: boolean;
  /** The rows of a measure; no columns if it has no such measure. */
  read(measure: string): Promise<Columns>;
}

/** Days of the largest rollups that have a measure, by its name; all others are in all rollups. */
function daysMaxOf(measure: string): number {
  if (isPropertyMeasure(measure)) return Number.POSITIVE_INFINITY;
  if (measure.endsWith("-by-hour")) return ROLLUP_HOURLY_DAYS_MAX;
  return measure.startsWith(VISITS_BY_DAY) ? ROLLUP_DAILY_VALUES_DAYS_MAX : Number.POSITIVE_INFINITY;
}

/** True if a part has all rows of a measure (see `hasMeasure`). */
const covers = ({ measures, hasAllProperties }: RollupSource, measure: string): boolean =>
  measures.has(measure) || (isPropertyMeasure(measure) && hasAllProperties);

/** Reports ask for hours, and for the values of days, in short ranges only. */
export const isAskedFor = (measure: string, { firstDay, lastDay }: Pick<RollupOrigin, "firstDay" | "lastDay">): boolean =>
  daysBetween(firstDay, lastDay) < daysMaxOf(measure);

async function sumOf(measure: string, sources: readonly RollupSource[], rowsMax: number): Promise<Columns | null> {
  const [only, other] = sources;
  if (only && !other) {
    const columns = await only.read(measure);
    return rowCountOf(columns) > rowsMax ? null : columns;
  }
  const sum = new RowSum();
  for (const source of sources) {
    if (source.measures.has(measure)) await sum.add(await source.read(measure));
    if (sum.rows > rowsMax) return null;
  }
  return sum.toColumns();
}

const eventsOf = ({ events }: Columns): number => Array.from(events ?? [], Number).reduce((sum, count) => sum + count, 0);

/** The properties beyond `ROLLUP_PROPERTIES_MAX`: those that the fewest events have. */
function rareProperties(measures: ReadonlyMap<string, Columns>): string[] {
  return Array.from(measures, ([name, columns]) => ({ name, events: eventsOf(columns) }))
    .filter(({ name }) => isPropertyMeasure(name))
    .sort((a, b) => b.events - a.events || compareCodePoints(a.name, b.name))
    .slice(ROLLUP_PROPERTIES_MAX)
    .map(({ name }) => name);
}

/** A measure that a part lacks, or with too many rows, is left out, and so are properties beyond `ROLLUP_PROPERTIES_MAX`. */
export async function sumOfParts(origin: RollupOrigin, sources: readonly RollupSource[], measureRowsMax: number): Promise<Rollup> {
  const names = new Set(sources.flatMap(({ measures }) => [...measures]));
  const measures = new Map<string, Columns>();
  for (const name of names) {
    if (!isAskedFor(name, origin) || !sources.every((source) => covers(source, name))) continue;
    const columns = await sumOf(name, sources, measureRowsMax);
    if (columns) measures.set(name, columns);
  }
  for (const name of rareProperties(measures)) measures.delete(name);
  const lacksNone = [...names].every((name) => !isPropertyMeasure(name) || measures.has(name));
  return { ...origin, measures, hasAllProperties: lacksNone && sources.every(({ hasAllProperties }) => hasAllProperties) };
}
