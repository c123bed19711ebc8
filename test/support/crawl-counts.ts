/** Counts of what crawlers read, over objects of any kind, of sites that keep their names. */
import { LeftOutFiles } from "../../src/runtime/base/metrics/storage-faults.ts";
import { DayCountStore } from "../../src/runtime/bots/day-count-store.ts";
import { CRAWLS } from "../../src/storage/day-counts.ts";
import type { LocalDate, SiteId } from "../../src/storage/event.ts";
import type { ObjectStore } from "../../src/storage/object-store.ts";
import { createRecordingLog } from "./recording-log.ts";

type Options = ConstructorParameters<typeof DayCountStore>[0];

export const crawlCountsIn = (objects: ObjectStore, options: Partial<Options> = {}): DayCountStore =>
  new DayCountStore({
    ...{ kind: CRAWLS, objects, leftOutFiles: new LeftOutFiles(), log: createRecordingLog(), monotonicMs: () => 0, onlySite: null },
    siteOf: (siteId) => siteId,
    mergedInto: () => [],
    moveTo: () => null,
    rowsShownOf: () => 0,
    hasEvents: async () => true,
    wait: async () => {},
    ...options,
  });

/** What is counted of all days, by path. */
export async function crawledPaths(counts: DayCountStore, siteId: SiteId): Promise<Readonly<Record<string, number>>> {
  const paths: Record<string, number> = {};
  for await (const [, ofDay] of counts.days(siteId, "0001-01-01" as LocalDate, "9999-12-31" as LocalDate)) {
    for (const { path, count } of ofDay.rows()) paths[path ?? ""] = (paths[path ?? ""] ?? 0) + count;
  }
  return paths;
}
