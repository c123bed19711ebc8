/** Cuts a range that exceeds the engine's memory into chunks of whole salt periods, at the same boundaries for every range. */
import { addDays, firstDateOfPeriod, periodOf } from "../../storage/calendar.ts";
import type { LocalDate } from "../../storage/event.ts";
import { CHUNKS_OF_BUDGET_MIN, CHUNK_BYTES_MAX } from "../base/config/limits.ts";
import { CACHED_SHARE_OF_PARQUET } from "./cache/engine-memory.ts";
import type { PartitionVersion } from "./cache/partition-version.ts";
import { rangeOfDays, type DateRange } from "../query/date-range.ts";

export interface Chunk {
  readonly range: DateRange;
  /** The days with events. */
  readonly days: readonly LocalDate[];
  /** Approximate size of its Parquet files and unflushed events. */
  readonly bytes: number;
  /** Changes whenever an event is added or deleted (see `PartitionVersion`). */
  readonly version: string;
}

interface Period {
  readonly number: number;
  readonly days: readonly PartitionVersion[];
}

export const bytesOf = (days: readonly PartitionVersion[]): number => days.reduce((sum, { bytes }) => sum + bytes, 0);

/** The size of chunks, as Parquet, with this much memory for the engine. */
export const chunkBytesMax = (budgetBytes: number): number =>
  Math.min(CHUNK_BYTES_MAX, budgetBytes / CACHED_SHARE_OF_PARQUET / CHUNKS_OF_BUDGET_MIN);

function periodsOf(days: readonly PartitionVersion[], rotationDays: number): Period[] {
  const periods = new Map<number, PartitionVersion[]>();
  for (const day of days) {
    const number = periodOf(day.day, rotationDays);
    const ofPeriod = periods.get(number);
    if (ofPeriod) ofPeriod.push(day);
    else periods.set(number, [day]);
  }
  return [...periods].map(([number, ofPeriod]) => ({ number, days: ofPeriod }));
}

/**
 * Chunks of up to `bytesMax`, oldest first; a salt period is never cut. Each is 1, 2, 4, … periods whose number is a
 * multiple of that, so that overlapping ranges share most of their chunks, also on the next day. The newest period with
 * events is a chunk of its own, because it still grows.
 */
export function cutIntoChunks(range: DateRange, days: readonly PartitionVersion[], rotationDays: number, bytesMax: number): Chunk[] {
  const all = periodsOf(days, rotationDays);
  const newest = all.at(-1)?.number ?? 0;
  const [first, last] = [periodOf(range.firstDay, rotationDays), periodOf(range.lastDay, rotationDays)];
  const isWhole = (start: number, end: number): boolean =>
    firstDateOfPeriod(start, rotationDays) >= range.firstDay && firstDateOfPeriod(end, rotationDays) <= addDays(range.lastDay, 1);

  /** The chunks of the periods from `start` to before `start + size`. */
  function cut(start: number, size: number, periods: readonly Period[]): Chunk[] {
    const found = periods.filter(({ number }) => start <= number && number < start + size);
    if (found.length === 0) return [];
    const version = found.flatMap((period) => period.days);
    const isChunk = size === 1 || (bytesOf(version) <= bytesMax && start + size <= newest && isWhole(start, start + size));
    if (isChunk) return [chunkOf(start, start + size, version)];
    const half = size / 2;
    return [...cut(start, half, found), ...cut(start + half, half, found)];
  }

  function chunkOf(start: number, end: number, version: readonly PartitionVersion[]): Chunk {
    const [startDay, endDay] = [firstDateOfPeriod(start, rotationDays), addDays(firstDateOfPeriod(end, rotationDays), -1)];
    return {
      range: rangeOfDays(startDay > range.firstDay ? startDay : range.firstDay, endDay < range.lastDay ? endDay : range.lastDay),
      days: version.map(({ day }) => day),
      bytes: bytesOf(version),
      version: version.map((day) => `${day.day} ${day.version}`).join(";"),
    };
  }

  const size = 2 ** Math.ceil(Math.log2(last - first + 1));
  const start = Math.floor(first / size) * size;
  return [...cut(start, size, all), ...cut(start + size, size, all)];
}
