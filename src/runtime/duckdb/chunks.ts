/** Chunks: the parts of a range that fit into the engine's memory, when they are loaded, and how many at a time. */
import type { EventValue } from "../query/sql.ts";
import { addDays, firstDateOfPeriod, periodOf } from "../../storage/calendar.ts";
import type { LocalDate, SiteId } from "../../storage/event.ts";
import { CHUNK_BYTES_MAX, CHUNKS_OF_BUDGET_MIN, PART_BYTES_MIN } from "../base/config/limits.ts";
import { GUEST_CHUNKS_SHARE_MAX } from "../base/config/report-limits.ts";
import type { Asker } from "../query/scope.ts";
import { type DateRange, periodsIn, rangeOfDays } from "../query/date-range.ts";
import { CACHED_SHARE_OF_PARQUET } from "./cache/engine-memory.ts";
import type { PartitionCache } from "./cache/partition-cache.ts";
import type { PartitionVersion } from "../../storage/partitions.ts";

export interface Chunk {
  readonly range: DateRange;
  readonly days: readonly LocalDate[];
  /** Approximate size of its Parquet files and unflushed events. */
  readonly bytes: number;
  /** Changes whenever an event is added or deleted (see `PartitionVersion`). */
  readonly version: string;
}

/** A range with its days that have events, and the newest such day of the range that it is a part of. */
export interface CutRange {
  readonly range: DateRange;
  readonly days: readonly PartitionVersion[];
  readonly newestDay: LocalDate;
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
 * multiple of that, so that overlapping ranges share most of their chunks, also on the next day. The period of the newest day with
 * events, which may be after the range, is a chunk of its own, because it still grows.
 */
export function cutIntoChunks({ range, days, newestDay }: CutRange, rotationDays: number, bytesMax: number): Chunk[] {
  const all = periodsOf(days, rotationDays);
  const newest = periodOf(newestDay, rotationDays);
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
    return {
      range: periodsIn(range, start, end - 1, rotationDays),
      days: version.map(({ day }) => day),
      bytes: bytesOf(version),
      version: versionOf(version),
    };
  }

  const size = 2 ** Math.ceil(Math.log2(last - first + 1));
  const start = Math.floor(first / size) * size;
  return [...cut(start, size, all), ...cut(start + size, size, all)];
}

const versionOf = (days: readonly PartitionVersion[]): string => days.map(({ day, version }) => `${day} ${version}`).join(";");

/** The range as one chunk; none without events. */
export const wholeOf = ({ range, days }: CutRange): Chunk[] =>
  days.length === 0 ? [] : [{ range, days: days.map(({ day }) => day), bytes: bytesOf(days), version: versionOf(days) }];

const joined = (a: Chunk, b: Chunk): Chunk => ({
  range: rangeOfDays(a.range.firstDay, b.range.lastDay),
  days: [...a.days, ...b.days],
  bytes: a.bytes + b.bytes,
  version: `${a.version};${b.version}`,
});

/** Chunks of which neighbours are joined while they are small together, but for the newest: most of them are at the ends of the range. */
export function cutIntoParts(cut: CutRange, rotationDays: number, bytesMax: number): Chunk[] {
  const parts: Chunk[] = [];
  for (const chunk of cutIntoChunks(cut, rotationDays, bytesMax)) {
    const before = parts.at(-1);
    const isSmall = before && before.bytes + chunk.bytes <= Math.min(PART_BYTES_MIN, bytesMax);
    if (isSmall && !chunk.days.includes(cut.newestDay)) parts[parts.length - 1] = joined(before, chunk);
    else parts.push(chunk);
  }
  return parts;
}

interface ChunkLoaderOptions {
  readonly partitionCache: PartitionCache;
  /** null if chunks need no admission: all should fit into the memory together, or there is one only. */
  readonly admission: MemoryAdmission | null;
  /** See `Loading`. */
  readonly withinBudget: boolean;
  readonly onePass: boolean;
  readonly siteId: SiteId;
  readonly asker: Asker;
}

export const chunkName = ({ range }: Chunk): string => `${range.firstDay} ${range.lastDay}`;

/** Loads the chunks of a range one at a time, in an order that lets concurrent queries over the same range share them. */
export class ChunkLoader {
  readonly #options: ChunkLoaderOptions;

  constructor(options: ChunkLoaderOptions) {
    this.#options = options;
  }

  /** Runs the task with the chunk's blocks, which have these further columns and stay loaded until it ends. */
  load<T>(chunk: Chunk, columns: ReadonlySet<EventValue>, task: (blocks: readonly number[]) => Promise<T>): Promise<T> {
    const { partitionCache, admission, withinBudget, onePass, siteId, asker } = this.#options;
    const { signal, isGuest } = asker;
    const loading = { signal, isGuest, withinBudget, onePass, columns };
    const run = () => partitionCache.withDays(siteId, chunk.range, loading, task);
    return admission ? admission.run(this.#named(chunk), asker, run) : run();
  }

  /** Equal for all queries of the site. A chunk has the same size for all, unless events have arrived. */
  #named(chunk: Chunk): NamedChunk {
    return { name: JSON.stringify([this.#options.siteId, chunkName(chunk), chunk.bytes]), bytes: chunk.bytes };
  }

  /** Cached chunks first, then those that another query is loading, then the one after the last. */
  *inSharedOrder(chunks: readonly Chunk[]): Iterable<Chunk> {
    const { partitionCache, admission, siteId } = this.#options;
    const left = new Set(chunks);
    let lastDay = "";
    while (left.size > 0) {
      const waiting = [...left];
      const next =
        waiting.find(({ days }) => partitionCache.areCached(siteId, days)) ??
        waiting.find((chunk) => admission?.isWorkedOn(this.#named(chunk).name)) ??
        waiting.find(({ range }) => range.firstDay > lastDay) ??
        waiting[0];
      if (!next) return;
      left.delete(next);
      lastDay = next.range.firstDay;
      yield next;
    }
  }
}

/** A chunk with a name that is the same for all queries. */
interface NamedChunk {
  readonly name: string;
  readonly bytes: number;
}

interface Admitted {
  readonly chunk: NamedChunk;
  readonly isGuest: boolean;
}

interface Waiting extends Admitted {
  readonly begin: () => void;
}

/** Admits chunks for processing while they fit into a share of the engine's memory: owners' first, then guests' into a part of it, each in order of arrival. */
export class MemoryAdmission {
  readonly #bytesMax: number;
  #bytes = 0;
  /** The part of chunks that were admitted for guests. */
  #guestBytes = 0;
  /** The queries that process each chunk, and whether it was admitted for a guest. */
  readonly #processed = new Map<string, { workers: number; readonly isGuest: boolean }>();
  readonly #waiting = { owners: new Set<Waiting>(), guests: new Set<Waiting>() };

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** True if a query is processing the chunk. Further queries for it take no more memory. */
  isWorkedOn(name: string): boolean {
    return this.#processed.has(name);
  }

  /** Runs the task once the chunk fits; a chunk larger than the limit runs alone. Rejects with the signal's reason if aborted before. */
  async run<T>(chunk: NamedChunk, { isGuest, signal }: Asker, task: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const { owners, guests } = this.#waiting;
    const isFirst = owners.size === 0 && (!isGuest || guests.size === 0);
    if (this.isWorkedOn(chunk.name) || (isFirst && this.#hasRoomFor({ chunk, isGuest }))) this.#enter({ chunk, isGuest });
    else await this.#wait({ chunk, isGuest }, signal);
    try {
      return await task();
    } finally {
      this.#leave(chunk);
      this.#beginNext();
    }
  }

  #hasRoomFor({ chunk: { name, bytes }, isGuest }: Admitted): boolean {
    if (this.#bytes === 0 || this.isWorkedOn(name)) return true;
    const guestsFit = this.#guestBytes === 0 || this.#guestBytes + bytes <= this.#bytesMax * GUEST_CHUNKS_SHARE_MAX;
    return this.#bytes + bytes <= this.#bytesMax && (!isGuest || guestsFit);
  }

  #enter({ chunk: { name, bytes }, isGuest }: Admitted): void {
    const processed = this.#processed.get(name);
    if (processed) {
      processed.workers++;
      return;
    }
    this.#processed.set(name, { workers: 1, isGuest });
    this.#bytes += bytes;
    if (isGuest) this.#guestBytes += bytes;
  }

  #leave({ name, bytes }: NamedChunk): void {
    const processed = this.#processed.get(name);
    if (!processed || --processed.workers > 0) return;
    this.#processed.delete(name);
    this.#bytes -= bytes;
    if (processed.isGuest) this.#guestBytes -= bytes;
  }

  #wait(admitted: Admitted, signal: AbortSignal): Promise<void> {
    const queue = this.#waiting[admitted.isGuest ? "guests" : "owners"];
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        if (!queue.delete(waiting)) return;
        reject(signal.reason as Error);
        this.#beginNext();
      };
      const waiting: Waiting = {
        ...admitted,
        begin: () => {
          signal.removeEventListener("abort", giveUp);
          resolve();
        },
      };
      queue.add(waiting);
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  #beginNext(): void {
    for (const queue of [this.#waiting.owners, this.#waiting.guests]) {
      for (const next of queue) {
        if (!this.#hasRoomFor(next)) return;
        queue.delete(next);
        this.#enter(next);
        next.begin();
      }
    }
  }
}
