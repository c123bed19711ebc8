/**
 * Counts of what is no event, in memory since the last write and in files: a file of each site and day, which each write adds to. Nobody waits
 * for the write of what is noted one by one: a kill of the process loses what was noted since the last one. Batches are in a file at once.
 */
import {
  type CountFile,
  countFileOf,
  countFolder,
  type CountKind,
  DayCounts,
  decodeCounts,
  encodeCounts,
  type ImportedRows,
  type Labels,
  parseCountKey,
} from "../../storage/day-counts.ts";
import type { LocalDate, SiteId } from "../../storage/event.ts";
import type { ObjectKey, ObjectStore } from "../../storage/object-store.ts";
import { isContinued, siteOfFolders } from "../../storage/partitions.ts";
import {
  COUNT_ROWS_PENDING_MAX,
  COUNT_TURN_MS_MAX,
  COUNT_WRITE_MS,
  COUNT_WRITE_PAUSE_MS_MAX,
  IMPORT_COUNT_FILES_MAX,
} from "../base/config/limits.ts";
import { isSiteId } from "../base/config/names.ts";
import { type Log, reasonOf } from "../base/metrics/log.ts";
import type { LeftOutFiles } from "../base/metrics/storage-faults.ts";
import { type Job, PeriodicJob, type Run } from "../base/periodic-job.ts";

interface DayCountStoreOptions {
  readonly kind: CountKind;
  readonly objects: ObjectStore;
  readonly leftOutFiles: LeftOutFiles;
  readonly log: Log;
  readonly monotonicMs: () => number;
  readonly wait: (ms: number) => Promise<void>;
  /** The name that a site has now. */
  readonly siteOf: (siteId: SiteId) => SiteId;
  /** The sites that were merged into a site, and are hidden. */
  readonly mergedInto: (siteId: SiteId) => readonly SiteId[];
  /** The site of an instance that has no other; else null. */
  readonly onlySite: SiteId | null;
  /** The rename whose counts the site has not got yet, or not all of them; null for most. */
  readonly moveTo: (siteId: SiteId) => CountMove | null;
  /** How many rows of an import count; 0 for one that is hidden or deleted. */
  readonly rowsShownOf: (importNumber: number) => number;
  /** False for a site that somebody has made up: what is counted of it is not written. */
  readonly hasEvents: (siteId: SiteId) => Promise<boolean>;
}

/** See `move`. */
interface CountMove {
  readonly from: SiteId;
  readonly part: number;
}

interface SiteDay {
  readonly siteId: SiteId;
  readonly day: LocalDate;
}

interface Pending extends SiteDay {
  readonly counts: DayCounts;
}

export class DayCountStore implements Pick<Job, "tick" | "settled"> {
  readonly #options: DayCountStoreOptions;
  readonly #job: PeriodicJob;
  readonly #pending = new Map<string, Pending>();
  /** Rows of all that is pending. */
  #rows = 0;
  /** The time from which something is pending, by the monotonic clock. */
  #sinceMs = 0;
  #hasWarned = false;
  #isStopping = false;
  #onStored: (() => Promise<void>) | null = null;
  /** Changes whenever files go: what was listed before may be elsewhere. */
  #listing = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: DayCountStoreOptions) {
    this.#options = options;
    const { monotonicMs } = options;
    this.#job = new PeriodicJob({
      monotonicMs,
      isDue: () => this.msUntilDue() === 0,
      run: (run) => this.#write(run),
      pauseMs: COUNT_WRITE_MS,
      retryMs: COUNT_WRITE_MS,
    });
  }

  /** Called before batches and rows of imports count as stored, on hosts that have to know when days expire. */
  observe(onStored: () => Promise<void>): void {
    this.#onStored = onStored;
  }

  /** Infinite if nothing is to be written. */
  msUntilDue(): number {
    if (this.#pending.size === 0) return Number.POSITIVE_INFINITY;
    const isFull = this.#rows >= COUNT_ROWS_PENDING_MAX;
    return isFull ? 0 : Math.max(0, this.#sinceMs + COUNT_WRITE_MS - this.#options.monotonicMs());
  }

  /** Counts one. `path` is asked for only if there is room for it. */
  note(siteId: SiteId, day: LocalDate, labels: Labels, path: string): void {
    const key = `${siteId} ${day}`;
    if (this.#rows >= 2 * COUNT_ROWS_PENDING_MAX && !this.#pending.has(key)) return this.#warnOfTooMany();
    if (this.#pending.size === 0) this.#sinceMs = this.#options.monotonicMs();
    const pending = this.#pending.get(key) ?? { siteId, day, counts: new DayCounts() };
    this.#pending.set(key, pending);
    const { counts } = pending;
    const before = counts.rowCount;
    if (this.#rows < COUNT_ROWS_PENDING_MAX || counts.hasPath(path)) counts.add(labels, path);
    else counts.addWithoutPath(labels);
    this.#rows += counts.rowCount - before;
  }

  #warnOfTooMany(): void {
    if (!this.#hasWarned) this.#options.log.warn("more is dropped than can be counted in memory; the counts are incomplete");
    this.#hasWarned = true;
  }

  tick(): void {
    this.#job.tick();
  }

  /** Writes all that is pending, or waits for the current run; returns whether that succeeded. */
  run(): Promise<boolean> {
    return this.#job.run();
  }

  settled(): Promise<void> {
    return this.#job.settled();
  }

  /** Writes the rest, when nothing can be counted any more, or what can be written until the signal aborts. */
  async stop(late: AbortSignal): Promise<void> {
    this.#isStopping = true;
    const abort = () => void this.#job.stop();
    if (late.aborted) abort();
    else late.addEventListener("abort", abort);
    await this.#job.settled();
    if (this.#pending.size > 0) await this.#job.run();
    await this.#job.stop();
    if (this.#pending.size > 0) this.#options.log.warn("stopped before all counts of what is dropped were written; the rest is lost");
  }

  /** One task after the other: no reader sees a day that is being written. */
  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task);
    this.#last = result.catch(() => {
      // The caller of that task gets its error.
    });
    return result;
  }

  async #write({ signal, retryInMs }: Run): Promise<boolean> {
    const { log, monotonicMs, wait } = this.#options;
    this.#hasWarned = false;
    for (const key of [...this.#pending.keys()]) {
      if (signal.aborted) return true;
      const beganMs = monotonicMs();
      try {
        await this.#inTurn(() => this.#writeDay(key));
      } catch (error) {
        log.warn("counts of what is dropped could not be written; it is tried again", { reason: reasonOf(error), retryInMs });
        return false;
      }
      // A full file takes tens of milliseconds of the thread that accepts events, which gets as many in between.
      if (!this.#isStopping) await wait(Math.min(monotonicMs() - beganMs, COUNT_WRITE_PAUSE_MS_MAX));
    }
    return true;
  }

  async #writeDay(key: string): Promise<void> {
    const { hasEvents, kind, siteOf } = this.#options;
    const pending = this.#take(key);
    if (!pending) return;
    const { siteId, day, counts } = pending;
    try {
      if (!(await hasEvents(siteOf(siteId)))) return;
      const file = countFileOf(kind, siteOf(siteId), day, 0);
      const sum = (await this.#read(file)) ?? new DayCounts();
      sum.merge(counts);
      sum.prune();
      await this.#put(file, await encodeCounts(kind, day, sum));
    } catch (error) {
      this.#putBack(key, pending);
      throw error;
    }
  }

  /** A disk that fails may have the new file all the same: the counts must not be added to it once more. */
  async #put({ key }: CountFile, bytes: Uint8Array): Promise<void> {
    const { objects } = this.#options;
    try {
      await objects.put(key, bytes);
    } catch (error) {
      const stored = await objects.get(key);
      if (stored === null || !isEqual(stored, bytes)) throw error;
    }
  }

  #take(key: string): Pending | null {
    const pending = this.#pending.get(key) ?? null;
    if (pending && this.#pending.delete(key)) this.#rows -= pending.counts.rowCount;
    this.#sinceMs = this.#options.monotonicMs();
    return pending;
  }

  #putBack(key: string, { counts, ...siteDay }: Pending): void {
    const since = this.#take(key);
    if (since) counts.merge(since.counts);
    this.#pending.set(key, { ...siteDay, counts });
    this.#rows += counts.rowCount;
  }

  /** null without a file, and for one that is damaged: reports leave it out, and the next write replaces it. */
  async #read({ key }: CountFile): Promise<DayCounts | null> {
    const { kind, objects, leftOutFiles, log } = this.#options;
    const bytes = await objects.get(key);
    if (bytes === null) return null;
    try {
      const counts = await decodeCounts(kind, bytes);
      leftOutFiles.forget(key);
      return counts;
    } catch (error) {
      leftOutFiles.note(key);
      log.error("a file of counts is damaged, and left out", { file: key, reason: reasonOf(error) });
      return null;
    }
  }

  async #filesIn(folder: SiteId): Promise<CountFile[]> {
    const { kind, objects } = this.#options;
    const found = await objects.list(countFolder(kind, folder));
    return found.map(({ key }) => parseCountKey(key)).filter((file) => file !== null);
  }

  /** The files of a site, with those that a rename has not moved yet. */
  async #files(siteId: SiteId): Promise<CountFile[]> {
    const files = await this.#filesIn(siteId);
    const move = this.#options.moveTo(siteId);
    if (move === null) return files;
    const moved = new Set(files.map(({ key }) => key));
    const left = (await this.#filesIn(move.from)).filter((file) => !moved.has(this.#moved(file, siteId, move.part).key));
    return [...files, ...left];
  }

  #moved({ day, part }: CountFile, to: SiteId, partOfMove: number): CountFile {
    return countFileOf(this.#options.kind, to, day, part === 0 ? partOfMove : part);
  }

  /** The files of a site and all that it has taken over, by day. */
  async #listed(siteId: SiteId) {
    const listing = this.#listing;
    const files: CountFile[] = [];
    for (const each of [siteId, ...this.#options.mergedInto(siteId)]) files.push(...(await this.#files(each)));
    return { listing, filesOf: byDay(files) };
  }

  /** What is counted of a site and all that it has taken over, a day at a time: the days that have something, oldest first. */
  async *days(siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate): AsyncGenerator<readonly [LocalDate, DayCounts]> {
    const { siteOf } = this.#options;
    let listed = await this.#listed(siteId);
    const pending = [...this.#pending.values()].filter((each) => siteOf(each.siteId) === siteId).map(({ day }) => day);
    const days = [...new Set([...listed.filesOf.keys(), ...pending])].filter((day) => firstDay <= day && day <= lastDay);
    for (const day of days.sort()) {
      const counts = await this.#inTurn(async () => {
        if (listed.listing !== this.#listing) listed = await this.#listed(siteId);
        return this.#dayOf(siteId, day, listed.filesOf.get(day) ?? []);
      });
      yield [day, counts];
    }
  }

  async #dayOf(siteId: SiteId, day: LocalDate, files: readonly CountFile[]): Promise<DayCounts> {
    const { kind, rowsShownOf, siteOf } = this.#options;
    const shown = files.filter(({ part }) => typeof part === "number" || part.to <= rowsShownOf(part.importNumber));
    // What was pending may have got its file since.
    const own = countFileOf(kind, siteId, day, 0);
    let sum: DayCounts | null = null;
    for (const file of new Map([own, ...outermost(shown)].map((each) => [each.key, each])).values()) {
      const counts = await this.#read(file);
      // Most days have one file: to add it to nothing would cost as much as to add it to the sum of the range.
      if (sum === null) sum = counts;
      else if (counts) sum.merge(counts);
    }
    sum ??= new DayCounts();
    for (const pending of this.#pending.values()) {
      if (pending.day === day && siteOf(pending.siteId) === siteId) sum.merge(pending.counts);
    }
    return sum;
  }

  /**
   * Adds counts that came in batches to the file of their day, each unless it is in. Returns the ids of those that were not. Counts and ids
   * are in one file: they are durable together once this resolves, and after a rejection or a kill it may be repeated.
   */
  async addBatches(siteId: SiteId, day: LocalDate, batches: ReadonlyMap<string, DayCounts>): Promise<ReadonlySet<string>> {
    const { kind, siteOf } = this.#options;
    const added = await this.#inTurn(async () => {
      const file = countFileOf(kind, siteOf(siteId), day, 0);
      const sum = (await this.#read(file)) ?? new DayCounts();
      const known = new Set(sum.batches);
      // A rename has brought them.
      for (const other of await this.#files(siteOf(siteId))) {
        if (other.day !== day || typeof other.part !== "number" || other.key === file.key) continue;
        for (const id of (await this.#read(other))?.batches ?? []) known.add(id);
      }
      const unknown = [...batches].filter(([id]) => !known.has(id));
      for (const [id, counts] of unknown) {
        sum.merge(counts);
        sum.noteBatch(id);
      }
      sum.prune();
      if (unknown.length > 0) await this.#put(file, await encodeCounts(kind, day, sum));
      return new Set(unknown.map(([id]) => id));
    });
    await this.#onStored?.();
    return added;
  }

  /**
   * Stores counts of rows of an import. They count when its record has these rows. Until then they may be stored again, and are to be deleted
   * before others are. Files of earlier rows are joined when a day has many.
   */
  async addImported(siteId: SiteId, rows: ImportedRows, days: ReadonlyMap<LocalDate, DayCounts>): Promise<void> {
    const { kind, siteOf } = this.#options;
    const site = siteOf(siteId);
    const filesBefore = async () => {
      const earlier = (await this.#files(site)).filter(({ part }) => isOfImport(part, rows.importNumber) && part.to <= rows.from);
      return { listing: this.#listing, filesOf: byDay(earlier) };
    };
    let before: Awaited<ReturnType<typeof filesBefore>> | null = null;
    for (const [day, counts] of days) {
      await this.#inTurn(async () => {
        // A rename may move files between two turns, and a file that is not found would be missing in the joined one.
        if (before?.listing !== this.#listing) before = await filesBefore();
        const ofDay = before.filesOf.get(day) ?? [];
        if (ofDay.length >= IMPORT_COUNT_FILES_MAX) await this.#join(site, day, ofDay);
        counts.prune();
        await this.#put(countFileOf(kind, site, day, rows), await encodeCounts(kind, day, counts));
      });
    }
    await this.#onStored?.();
  }

  /** Makes one file of those that an import has of a day. The others are inside of it, so that they count no more before they are deleted. */
  async #join(siteId: SiteId, day: LocalDate, files: readonly CountFile[]): Promise<void> {
    const { kind } = this.#options;
    const outer = outermost(files);
    const parts = outer.map(({ part }) => part).filter((part) => typeof part !== "number");
    const [first] = parts;
    if (first === undefined) return;
    const rows = { ...first, to: Math.max(...parts.map(({ to }) => to)) };
    const joined = countFileOf(kind, siteId, day, rows);
    const sum = new DayCounts();
    for (const file of outer) {
      const counts = await this.#read(file);
      if (counts) sum.merge(counts);
    }
    sum.prune();
    await this.#put(joined, await encodeCounts(kind, day, sum));
    this.#listing++;
    for (const { key } of files) if (key !== joined.key) await this.#remove(key);
  }

  /** Deletes the counts of an import's rows from this one on. Durable once resolved; may be retried. */
  removeImported(siteId: SiteId, importNumber: number, fromRow = 0): Promise<void> {
    return this.#inTurn(async () => {
      // The files of a merged site are in its own folder. Once the merge is final, they are in the folder of the other site.
      for (const site of new Set([siteId, this.#options.siteOf(siteId)]))
        await this.#delete(site, ({ part }) => isOfImport(part, importNumber) && part.to > fromRow);
    });
  }

  /** The days of a site and all that it has taken over that have counts, apart from those of these imports. */
  async daysWithout(siteId: SiteId, isLeftOut: (importNumber: number) => boolean): Promise<ReadonlySet<LocalDate>> {
    const { filesOf } = await this.#listed(siteId);
    const hasOther = (files: readonly CountFile[]): boolean =>
      files.some(({ part }) => typeof part === "number" || !isLeftOut(part.importNumber));
    return new Set([...filesOf].filter(([, files]) => hasOther(files)).map(([day]) => day));
  }

  /** Sites that have files. */
  async sites(): Promise<SiteId[]> {
    const { onlySite } = this.#options;
    if (onlySite !== null) return [onlySite];
    return (await this.#siteFolders([])).map((names) => siteOfFolders(names, isSiteId)).filter((siteId) => siteId !== null);
  }

  async #siteFolders(above: readonly string[]): Promise<string[][]> {
    const { kind, objects } = this.#options;
    const folders: string[][] = [];
    for (const name of await objects.folders([kind.folder, ...above].join("/"))) {
      folders.push(...(isContinued(name) ? await this.#siteFolders([...above, name]) : [[...above, name]]));
    }
    return folders;
  }

  /** The days that have files. */
  async storedDays(siteId: SiteId): Promise<LocalDate[]> {
    return [...new Set((await this.#files(siteId)).map(({ day }) => day))].sort();
  }

  /** Deletes all counts of these days. Durable once resolved; may be retried. */
  erase(siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate): Promise<void> {
    const { siteOf } = this.#options;
    const isErased = (day: LocalDate): boolean => firstDay <= day && day <= lastDay;
    return this.#inTurn(async () => {
      for (const [key, pending] of [...this.#pending]) {
        if (isErased(pending.day) && siteOf(pending.siteId) === siteId) this.#take(key);
      }
      await this.#delete(siteId, ({ day }) => isErased(day));
    });
  }

  /** Deletes files of a site, also those that a rename has moved or is about to. */
  async #delete(siteId: SiteId, isGone: (file: CountFile) => boolean): Promise<void> {
    const from = this.#options.moveTo(siteId)?.from;
    this.#listing++;
    for (const folder of from === undefined ? [siteId] : [siteId, from]) {
      for (const { key } of (await this.#filesIn(folder)).filter(isGone)) await this.#remove(key);
    }
  }

  async #remove(key: ObjectKey): Promise<void> {
    const { leftOutFiles, objects } = this.#options;
    await objects.delete(key);
    leftOutFiles.forget(key);
  }

  /** Works on one after the other, in turns that end after a second, so that batches and reports get theirs in between. */
  async #inTurns<Each>(all: readonly Each[], work: (each: Each) => Promise<void>): Promise<void> {
    const { monotonicMs } = this.#options;
    for (let done = 0; done < all.length;) {
      done += await this.#inTurn(async () => {
        this.#listing++;
        const untilMs = monotonicMs() + COUNT_TURN_MS_MAX;
        let worked = 0;
        for (const each of all.slice(done)) {
          await work(each);
          worked++;
          if (monotonicMs() >= untilMs) break;
        }
        return worked;
      });
    }
  }

  /**
   * Gives all files of a site to another one, which has none of this `part`. May be repeated: a copy that an interruption left is written
   * again as it was.
   */
  async move(from: SiteId, to: SiteId, part: number): Promise<void> {
    const { objects } = this.#options;
    const files = await this.#inTurn(() => this.#filesIn(from));
    await this.#inTurns(files, async (file) => {
      const bytes = await objects.get(file.key);
      if (bytes !== null) await objects.put(this.#moved(file, to, part).key, bytes);
      await this.#remove(file.key);
    });
  }

  /** Adds what is shown of a site's imports to its own counts: they are about to be deleted, and what is counted is not. May be repeated. */
  async keepImported(siteId: SiteId): Promise<void> {
    const { kind, rowsShownOf } = this.#options;
    const imported = (await this.#inTurn(() => this.#filesIn(siteId))).filter(({ part }) => typeof part !== "number");
    await this.#inTurns([...byDay(imported)], async ([day, ofDay]) => {
      const files = ofDay.filter(({ part }) => typeof part !== "number" && part.to <= rowsShownOf(part.importNumber));
      if (files.length === 0) return;
      const own = countFileOf(kind, siteId, day, 0);
      const sum = (await this.#read(own)) ?? new DayCounts();
      for (const file of outermost(files)) {
        const counts = sum.batches.has(file.key) ? null : await this.#read(file);
        if (counts) sum.merge(counts);
      }
      // Also of those inside of others: they would count if the process ended when the others are gone.
      for (const { key } of files) sum.noteBatch(key);
      sum.prune();
      await this.#put(own, await encodeCounts(kind, day, sum));
      for (const { key } of files) await this.#remove(key);
    });
  }
}

const isOfImport = (part: CountFile["part"], importNumber: number): part is ImportedRows =>
  typeof part !== "number" && part.importNumber === importNumber;

function byDay(files: readonly CountFile[]): ReadonlyMap<LocalDate, readonly CountFile[]> {
  const filesOf = new Map<LocalDate, CountFile[]>();
  for (const file of files) {
    const ofDay = filesOf.get(file.day) ?? [];
    filesOf.set(file.day, ofDay);
    ofDay.push(file);
  }
  return filesOf;
}

/** Leaves out files of an import's rows that are in a joined one as well. All are of one day. */
function outermost(files: readonly CountFile[]): CountFile[] {
  const ends = new Map<number, number>();
  const firstOf = ({ part }: CountFile): number => (typeof part === "number" ? 0 : part.from);
  const lastOf = ({ part }: CountFile): number => (typeof part === "number" ? 0 : part.to);
  return files
    .toSorted((a, b) => firstOf(a) - firstOf(b) || lastOf(b) - lastOf(a))
    .filter(({ part }) => {
      if (typeof part === "number") return true;
      if (part.to <= (ends.get(part.importNumber) ?? -1)) return false;
      ends.set(part.importNumber, part.to);
      return true;
    });
}

const isEqual = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, place) => byte === b[place]);
