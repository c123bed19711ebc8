/** Requests of AI crawlers among the rows of an import, by day. They wait for a checkpoint, and are written with it. */
import type { Calendar } from "../../storage/calendar.ts";
import { DayCounts } from "../../storage/day-counts.ts";
import type { LocalDate } from "../../storage/event.ts";
import { barePathOf, type PageRules } from "../ingest/urls.ts";
import type { VerifiesCrawler } from "../bots/crawler-addresses.ts";
import { crawlLabels } from "../bots/crawls.ts";
import type { DayCountStore } from "../bots/day-count-store.ts";
import type { CrawlRow } from "./rows.ts";

/** Files with the counts of all imports; null where nothing is counted. */
export type StoredCrawls = Pick<DayCountStore, "addImported" | "daysWithout" | "removeImported"> | null;

interface CrawlCountsOptions {
  readonly calendar: Pick<Calendar, "dateOf">;
  readonly pageRules: PageRules;
  readonly verifiesCrawler: VerifiesCrawler;
}

interface OfDay {
  readonly counts: DayCounts;
  requests: number;
}

export class CrawlCounts {
  readonly #options: CrawlCountsOptions;
  readonly #days = new Map<LocalDate, OfDay>();
  /** Rows of counts, which take memory. */
  rows = 0;

  constructor(options: CrawlCountsOptions) {
    this.#options = options;
  }

  /** Counts a request, unless its day has counts already. */
  add({ atMs, name, status, address, path }: CrawlRow, isCounted: (day: LocalDate) => boolean = () => false): void {
    const { calendar, pageRules, verifiesCrawler } = this.#options;
    const day = calendar.dateOf(atMs);
    if (isCounted(day)) return;
    const ofDay = this.#days.get(day) ?? { counts: new DayCounts(), requests: 0 };
    this.#days.set(day, ofDay);
    const before = ofDay.counts.rowCount;
    ofDay.counts.add(crawlLabels(name, status, verifiesCrawler(name, address)), barePathOf(path, pageRules));
    this.rows += ofDay.counts.rowCount - before;
    ofDay.requests++;
  }

  /** All that waits, but for days that were erased since. */
  take(isErased: (day: LocalDate) => boolean = () => false): {
    readonly requests: number;
    readonly days: ReadonlyMap<LocalDate, DayCounts>;
  } {
    const left = [...this.#days].filter(([day]) => !isErased(day)).sort(([a], [b]) => (a < b ? -1 : 1));
    this.#days.clear();
    this.rows = 0;
    return {
      requests: left.reduce((sum, [, { requests }]) => sum + requests, 0),
      days: new Map(left.map(([day, { counts }]) => [day, counts])),
    };
  }
}
