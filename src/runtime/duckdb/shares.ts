/**
 * Which thread computes which days. Rows add up over salt periods, so that a large range is divided among several threads, each of which
 * keeps its own days. One thread answers for a site: it computes what is too little to divide, and adds the sums of all.
 */
import { addDays, firstDateOfPeriod, periodOf } from "../../storage/calendar.ts";
import { crc32 } from "../../storage/checksum.ts";
import type { LocalDate, SiteId } from "../../storage/event.ts";
import { type DateRange, rangeOfDays } from "../query/date-range.ts";
import type { Columns } from "../../storage/columns.ts";
import type { PlanSource } from "../query/plan.ts";
import type { Waiter } from "../query/progress.ts";

/**
 * Salt periods in a row that one thread owns: 32 for two threads, 8 for eight. A part of a range lies within a run, and each part costs a
 * statement. With 365 days, the largest share is at most 1.1 of the mean.
 */
const runPeriodsOf = (threads: number): number => 64 / 2 ** Math.ceil(Math.log2(threads));

/** One of several threads. */
export interface Thread {
  /** Counted from 0. */
  readonly number: number;
  readonly count: number;
  /** Less Parquet is not worth the other threads. In bytes. */
  readonly dividedBytesMin: number;
}

/** What a thread computes for another one: the sum of the rows of each query of a step of a plan, over ranges that it owns. */
export interface SharedRows {
  readonly source: PlanSource;
  readonly step: number;
  readonly ranges: readonly DateRange[];
  readonly isGuest: boolean;
}

export interface OtherThreads {
  readonly thread: Thread;
  /** Starts the thread if nothing has. Rejects as the queries of a plan do, and with `EngineLostError` if it ends. */
  rowsOf(thread: number, rows: SharedRows, by: Waiter): Promise<readonly Columns[]>;
}

const encoder = new TextEncoder();

/** A thread for a site, the same for the same number of threads. */
export function homeOf(siteId: SiteId, threads: number): number {
  const bytes = encoder.encode(siteId);
  return crc32(bytes, 0, bytes.length) % threads;
}

const ownerOf = (siteId: SiteId, run: number, threads: number): number => (((homeOf(siteId, threads) + run) % threads) + threads) % threads;

const later = (a: LocalDate, b: LocalDate): LocalDate => (a > b ? a : b);
const earlier = (a: LocalDate, b: LocalDate): LocalDate => (a < b ? a : b);

/** The parts of the ranges that each thread owns, by its number; neighbouring runs of one thread are one part. */
export function divided(
  siteId: SiteId,
  ranges: readonly DateRange[],
  rotationDays: number,
  threads: number,
): readonly (readonly DateRange[])[] {
  const runPeriods = runPeriodsOf(threads);
  const parts: DateRange[][] = Array.from({ length: threads }, () => []);
  for (const { firstDay, lastDay } of ranges) {
    const runOf = (day: LocalDate) => Math.floor(periodOf(day, rotationDays) / runPeriods);
    for (let run = runOf(firstDay); run <= runOf(lastDay); run++) {
      const begin = firstDateOfPeriod(run * runPeriods, rotationDays);
      const end = addDays(firstDateOfPeriod((run + 1) * runPeriods, rotationDays), -1);
      parts[ownerOf(siteId, run, threads)]?.push(rangeOfDays(later(begin, firstDay), earlier(end, lastDay)));
    }
  }
  return parts;
}
