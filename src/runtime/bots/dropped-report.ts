/** Adds up counts of dropped events for a report: a day at a time, in bounded memory. */
import { type CountLimits, DayCounts } from "../../storage/day-counts.ts";
import type { LocalDate, SiteId } from "../../storage/event.ts";
import { type Purpose, purposeOf } from "./ai-crawlers.ts";
import type { DayCountStore } from "./day-count-store.ts";
import { operatorOf } from "./known-bots.ts";

/** Paths of a whole range. Those of a day are fewer. */
export const RANGE_LIMITS: CountLimits = { pathsMax: 5000, rowsMax: 20_000 };

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
  readonly days: readonly { readonly date: LocalDate; readonly dropped: number }[];
  readonly reasons: Rows;
  readonly names: Rows<ValueRow & { readonly operator: string | null; readonly purpose: Purpose | null }>;
  readonly operators: Rows;
  readonly paths: Rows<PathRow> & { readonly missed_max: number };
}

export interface DroppedQuestion {
  readonly siteId: SiteId;
  readonly dates: readonly LocalDate[];
  /** Rows of each list. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

const addTo = <Key>(sums: Map<Key, number>, key: Key, count: number): void => void sums.set(key, (sums.get(key) ?? 0) + count);

const byCount = (a: readonly [string | null, number], b: readonly [string | null, number]): number =>
  b[1] - a[1] || ((a[0] ?? "") < (b[0] ?? "") ? -1 : 1);

/** The first rows, and the sum of the others. */
function rowsOf(sums: ReadonlyMap<string | null, number>, limit: number): Rows {
  const ranked = [...sums].sort(byCount);
  return {
    rows: ranked.slice(0, limit).map(([value, dropped]) => ({ value, dropped })),
    rest: ranked.slice(limit).reduce((sum, [, dropped]) => sum + dropped, 0),
  };
}

const saidOf = (name: string) => ({ operator: operatorOf(name), purpose: purposeOf(name) });

export async function droppedReport(
  store: Pick<DayCountStore, "days">,
  { siteId, dates, limit, signal }: DroppedQuestion,
): Promise<DroppedReport> {
  const byDay = new Map<LocalDate, number>(dates.map((date) => [date, 0]));
  const all = new DayCounts(RANGE_LIMITS);
  const [firstDay, lastDay] = [dates[0], dates.at(-1)];
  if (firstDay !== undefined && lastDay !== undefined) {
    for await (const [day, counts] of store.days(siteId, firstDay, lastDay)) {
      signal.throwIfAborted();
      for (const { count } of counts.rows()) addTo(byDay, day, count);
      all.merge(counts);
    }
  }
  const reasons = new Map<string, number>();
  const names = new Map<string | null, number>();
  const operators = new Map<string | null, number>();
  const paths = new Map<string, { dropped: number; missed: number }>();
  let [pathless, missedMax] = [0, 0];
  for (const { labels, path, count, missed } of all.rows()) {
    const [reason = "", name = ""] = labels;
    addTo(reasons, reason, count);
    addTo(names, name || null, count);
    addTo(operators, operatorOf(name), count);
    if (path === null) {
      pathless += count;
      missedMax = missed;
    } else paths.set(path, { dropped: (paths.get(path)?.dropped ?? 0) + count, missed });
  }
  const ofPaths = rowsOf(new Map([...paths].map(([path, { dropped }]) => [path, dropped])), limit);
  const ofNames = rowsOf(names, limit);
  return {
    dropped: [...byDay.values()].reduce((sum, dropped) => sum + dropped, 0),
    days: [...byDay].map(([date, dropped]) => ({ date, dropped })),
    reasons: rowsOf(reasons, limit),
    names: { ...ofNames, rows: ofNames.rows.map((row) => ({ ...row, ...saidOf(row.value ?? "") })) },
    operators: rowsOf(operators, limit),
    paths: {
      rows: ofPaths.rows.map(({ value, dropped }) => ({ value: value ?? "", dropped, missed_max: paths.get(value ?? "")?.missed ?? 0 })),
      rest: ofPaths.rest + pathless,
      missed_max: missedMax,
    },
  };
}
