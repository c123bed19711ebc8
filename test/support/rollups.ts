/** Rollups for tests: an origin, small measures, and files of them. */
import { NO_ARRIVAL_RULES } from "../../src/runtime/arrivals/arrival-names.ts";
import type { RollupCalculator } from "../../src/runtime/duckdb/rollups/rollup-calculator.ts";
import type { Top } from "../../src/runtime/query/plan.ts";
import { RowSum } from "../../src/runtime/query/row-sum.ts";
import type { SqlRow } from "../../src/runtime/query/sql.ts";
import type { Columns } from "../../src/storage/columns.ts";
import type { EventsToRead } from "../../src/runtime/duckdb/rollups/event-measures.ts";
import type { LocalDate } from "../../src/storage/event.ts";
import { encodeRollup } from "../../src/storage/rollup-file.ts";
import type { Measures, RollupOrigin } from "../../src/storage/rollup.ts";
import { siteId } from "./stored-event.ts";

export const originOf = (firstDay = "2026-03-14", lastDay = firstDay): RollupOrigin => ({
  siteId: siteId("site.test"),
  firstDay: firstDay as LocalDate,
  lastDay: lastDay as LocalDate,
  definitions: "abc",
  sessionWindowMinutes: 30,
  saltRotationDays: 1,
  arrivals: "",
  events: [[firstDay as LocalDate, "1-3,7-7"]],
});

export const integers = (...values: (number | bigint)[]): BigInt64Array => BigInt64Array.from(values, BigInt);

export const NO_EVENTS: EventsToRead = { days: [], offsets: null, measures: [], arrivalRules: NO_ARRIVAL_RULES };

interface Total {
  readonly measure: string;
  readonly rollups: readonly string[];
  readonly added: readonly Columns[];
  readonly top?: Top;
}

/** The sum of a measure in rollups and of further rows. */
export async function totalOf(calculator: Pick<RollupCalculator, "rows">, { measure, rollups, added, top }: Total): Promise<SqlRow[]> {
  const sum = new RowSum();
  for (const rows of [...(await calculator.rows(measure, rollups)), ...added]) await sum.add(rows);
  return sum.toRows(top);
}

/** Visitors and events by text. */
export const visitorsOf = (rows: Readonly<Record<string, number>>): Columns => ({
  value: Object.keys(rows),
  visitors: integers(...Object.values(rows)),
  events: integers(...Object.values(rows).map((visitors) => 2 * visitors)),
});

export const measuresOf = (measures: Readonly<Record<string, Columns>>): Measures => new Map(Object.entries(measures));

export const rollupOf = (measures: Readonly<Record<string, Columns>>, { hasAllProperties = true, day = "2026-03-14" } = {}) => ({
  ...originOf(day),
  measures: measuresOf(measures),
  hasAllProperties,
});

export const encodedRollup = (...rollup: Parameters<typeof rollupOf>): Promise<Uint8Array> => encodeRollup(rollupOf(...rollup));
