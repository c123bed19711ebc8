/** The report of dropped events. */
import type { LocalDate } from "../../storage/event.ts";
import { type Purpose, purposeOf } from "./ai-crawlers.ts";
import { addTo, byCount, type CountQuestion, countSums, sumOf, topPaths } from "./count-sums.ts";
import type { DayCountStore } from "./day-count-store.ts";
import { operatorOf } from "./known-bots.ts";

interface ValueRow {
  readonly value: string | null;
  readonly dropped: number;
}

export interface Rows<Row = ValueRow> {
  /** Most first. */
  readonly rows: readonly Row[];
  /** What is in no row. */
  readonly rest: number;
}

interface PathRow {
  readonly value: string;
  readonly dropped: number;
  readonly missed_max: number;
}

export interface DroppedReport {
  readonly dropped: number;
  readonly days: readonly { readonly date: LocalDate; readonly dropped: number; readonly reasons: readonly ValueRow[] }[];
  readonly reasons: Rows;
  readonly names: Rows<ValueRow & { readonly operator: string | null; readonly purpose: Purpose | null }>;
  readonly operators: Rows;
  readonly paths: Rows<PathRow> & { readonly missed_max: number };
}

/** The first rows, and the sum of the others. */
function rowsOf(sums: ReadonlyMap<string | null, number>, limit: number): Rows {
  const ranked = [...sums].sort(byCount);
  return {
    rows: ranked.slice(0, limit).map(([value, dropped]) => ({ value, dropped })),
    rest: ranked.slice(limit).reduce((sum, [, dropped]) => sum + dropped, 0),
  };
}

const saidOf = (name: string) => ({ operator: operatorOf(name), purpose: purposeOf(name) });

export async function droppedReport(store: Pick<DayCountStore, "days">, question: CountQuestion): Promise<DroppedReport> {
  const { limit } = question;
  const { byDay, all } = await countSums(store, question);
  const reasons = new Map<string, number>();
  const names = new Map<string | null, number>();
  const operators = new Map<string | null, number>();
  for (const { labels, count } of all.sums()) {
    const [reason = "", name = ""] = labels;
    addTo(reasons, reason, count);
    addTo(names, name || null, count);
    addTo(operators, operatorOf(name), count);
  }
  const { paths, rest } = topPaths(all, limit);
  const ofNames = rowsOf(names, limit);
  const days = [...byDay].map(([date, ofDay]) => ({ date, dropped: sumOf(ofDay), reasons: rowsOf(ofDay, ofDay.size).rows }));
  return {
    dropped: days.reduce((sum, { dropped }) => sum + dropped, 0),
    days,
    reasons: rowsOf(reasons, limit),
    names: { ...ofNames, rows: ofNames.rows.map((row) => ({ ...row, ...saidOf(row.value ?? "") })) },
    operators: rowsOf(operators, limit),
    paths: {
      rows: paths.map(({ path, count, missed }) => ({ value: path, dropped: count, missed_max: missed })),
      ...{ rest, missed_max: all.missed },
    },
  };
}
