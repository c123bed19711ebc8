/** Sums of counts over a range of days, for reports: a day at a time, in bounded memory. */
import { type CountLimits, DayCounts, type PathCount } from "../../storage/day-counts.ts";
import type { LocalDate, SiteId } from "../../storage/event.ts";
import type { DayCountStore } from "./day-count-store.ts";

/** Paths of a whole range. Those of a day are fewer. */
export const RANGE_LIMITS: CountLimits = { pathsMax: 5000, rowsMax: 20_000 };

export interface CountQuestion {
  readonly siteId: SiteId;
  readonly dates: readonly LocalDate[];
  /** Rows of each list. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

export const addTo = <Key>(sums: Map<Key, number>, key: Key, count: number): void => void sums.set(key, (sums.get(key) ?? 0) + count);

/** The order of rows: most first, then by value. */
export const byCount = (a: readonly [string | null, number], b: readonly [string | null, number]): number =>
  b[1] - a[1] || ((a[0] ?? "") < (b[0] ?? "") ? -1 : 1);

/** The counts of each date by the first label, and of all together. */
export async function countSums(
  store: Pick<DayCountStore, "days">,
  { siteId, dates, signal }: CountQuestion,
): Promise<{ readonly byDay: ReadonlyMap<LocalDate, ReadonlyMap<string, number>>; readonly all: DayCounts }> {
  const byDay = new Map(dates.map((date) => [date, new Map<string, number>()]));
  const all = new DayCounts(RANGE_LIMITS);
  const [firstDay, lastDay] = [dates[0], dates.at(-1)];
  if (firstDay === undefined || lastDay === undefined) return { byDay, all };
  for await (const [day, counts] of store.days(siteId, firstDay, lastDay)) {
    signal.throwIfAborted();
    const ofDay = byDay.get(day);
    if (ofDay) for (const { labels, count } of counts.sums()) addTo(ofDay, labels[0] ?? "", count);
    all.addCounts(counts);
  }
  return { byDay, all };
}

export const sumOf = (counts: ReadonlyMap<unknown, number>): number => [...counts.values()].reduce((sum, count) => sum + count, 0);

/** The paths with most counts, and what has no row among them. Few of thousands are asked for: their order is that of rows. */
export function topPaths(all: DayCounts, limit: number): { readonly paths: readonly PathCount[]; readonly rest: number } {
  const paths = all
    .paths()
    .sort((a, b) => b.count - a.count || (a.path < b.path ? -1 : 1))
    .slice(0, limit);
  const count = all.sums().reduce((sum, row) => sum + row.count, 0);
  return { paths, rest: count - paths.reduce((sum, row) => sum + row.count, 0) };
}
