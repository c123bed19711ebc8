/** The report of what AI crawlers read. */
import type { LabelCount, PathCount } from "../../storage/day-counts.ts";
import type { LocalDate } from "../../storage/event.ts";
import { type Purpose, purposeOf } from "./ai-crawlers.ts";
import { addTo, byCount, type CountQuestion, countSums, sumOf, topPaths } from "./count-sums.ts";
import type { DayCountStore } from "./day-count-store.ts";
import { operatorOf } from "./known-bots.ts";

interface StatusRow {
  /** null for responses whose status was not reported. */
  readonly status: number | null;
  readonly reads: number;
}

interface ReadRows {
  readonly reads: number;
  readonly statuses: readonly StatusRow[];
}

export interface CrawlerRow extends ReadRows {
  readonly name: string;
  readonly operator: string | null;
  /** null for a crawler that a later table has no more. */
  readonly purpose: Purpose | null;
  /** Whether all reads came from addresses of its operator. Anybody can send any User-Agent. */
  readonly verified: boolean;
  readonly verified_reads: number;
}

/** What an operator's crawlers read of a page. */
interface PageOperatorRow extends ReadRows {
  readonly operator: string;
}

interface PageRow extends ReadRows {
  readonly path: string;
  readonly missed_max: number;
  readonly crawlers: readonly { readonly name: string; readonly reads: number }[];
  readonly operators: readonly PageOperatorRow[];
}

export interface CrawlReport {
  readonly reads: number;
  readonly days: readonly { readonly date: LocalDate; readonly reads: number }[];
  /** All of them, most reads first. */
  readonly crawlers: readonly CrawlerRow[];
  readonly paths: { readonly rows: readonly PageRow[]; readonly rest: number; readonly missed_max: number };
}

/** Reads by status, of a crawler, an operator or a page. */
class Reads {
  readonly #statuses = new Map<string, number>();
  sum = 0;

  add(status: string, count: number): void {
    this.sum += count;
    addTo(this.#statuses, status, count);
  }

  get rows(): ReadRows {
    return {
      reads: this.sum,
      statuses: [...this.#statuses].sort(byCount).map(([status, reads]) => ({ status: status === "" ? null : Number(status), reads })),
    };
  }
}

class CrawlerReads extends Reads {
  verified = 0;
}

class PageReads extends Reads {
  readonly crawlers = new Map<string, number>();
  readonly #operators = new Map<string, Reads>();

  addOf(name: string, status: string, count: number): void {
    this.add(status, count);
    addTo(this.crawlers, name, count);
    const operator = operatorOf(name);
    if (operator !== null) readsOf(this.#operators, operator, Reads).add(status, count);
  }

  get operators(): PageOperatorRow[] {
    return ranked(this.#operators).map(([operator, reads]) => ({ operator, ...reads.rows }));
  }
}

function readsOf<Of extends Reads>(all: Map<string, Of>, key: string, New: new () => Of): Of {
  const reads = all.get(key) ?? new New();
  all.set(key, reads);
  return reads;
}

const ranked = <Of extends Reads>(all: ReadonlyMap<string, Of>): [string, Of][] =>
  [...all].sort(([a, x], [b, y]) => byCount([a, x.sum], [b, y.sum]));

function pageRow({ path, missed }: PathCount, counts: readonly LabelCount[]): PageRow {
  const reads = new PageReads();
  for (const { labels, count } of counts) {
    const [name = "", status = ""] = labels;
    reads.addOf(name, status, count);
  }
  return {
    ...{ path, ...reads.rows, missed_max: missed },
    crawlers: [...reads.crawlers].sort(byCount).map(([name, ofName]) => ({ name, reads: ofName })),
    operators: reads.operators,
  };
}

export async function crawlReport(store: Pick<DayCountStore, "days">, question: CountQuestion): Promise<CrawlReport> {
  const { limit } = question;
  const { byDay, all } = await countSums(store, question);
  const crawlers = new Map<string, CrawlerReads>();
  for (const { labels, count } of all.sums()) {
    const [name = "", status = "", verified = ""] = labels;
    const ofCrawler = readsOf(crawlers, name, CrawlerReads);
    ofCrawler.add(status, count);
    if (verified !== "") ofCrawler.verified += count;
  }
  const { paths, rest } = topPaths(all, limit);
  const days = [...byDay].map(([date, ofDay]) => ({ date, reads: sumOf(ofDay) }));
  return {
    reads: days.reduce((sum, { reads }) => sum + reads, 0),
    days,
    crawlers: ranked(crawlers).map(([name, reads]) => ({
      ...{
        name,
        operator: operatorOf(name),
        purpose: purposeOf(name),
        verified: reads.verified === reads.sum,
        verified_reads: reads.verified,
      },
      ...reads.rows,
    })),
    paths: { rows: paths.map((path) => pageRow(path, all.countsOf(path.path))), rest, missed_max: all.missed },
  };
}
