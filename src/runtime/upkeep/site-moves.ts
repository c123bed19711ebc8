/**
 * Renames sites, and merges one into another (docs/internals/sites.md). Both make a hidden copy of the site's files, and then one write of a
 * record lets the copy count in place of the site. One site moves at a time.
 */
import type { ImportedDays } from "../../storage/day-sums.ts";
import { type EpochMs, type LocalDate, type SiteId } from "../../storage/event.ts";
import type { EventStore } from "../../storage/event-store.ts";
import { IMPORT_NUMBERS, importFileNumber, UnreadableEvents } from "../../storage/partitions.ts";
import { SiteCopy } from "../../storage/site-copy.ts";
import {
  SITE_COPY_PASSES_MAX,
  SITE_HOLD_MS_MAX,
  SITE_MOVE_ANSWER_MS,
  SITE_MOVE_RETRY_MS,
  SITE_MOVES_WAITING_MAX,
  SITE_NAMES_MAX,
} from "../base/config/admin-limits.ts";
import { IMPORTS_MAX } from "../base/config/limits.ts";
import { DEMO_SITE } from "../base/config/names.ts";
import { AppError, conflict, invalidInput } from "../base/errors.ts";
import { type Log, reasonOf } from "../base/metrics/log.ts";
import { PeriodicJob, type Run } from "../base/periodic-job.ts";
import { SerialQueue } from "../base/queue.ts";
import type { SiteBelongings } from "../base/record-table.ts";
import { hidesSource, type ImportRecord, type ImportRecords } from "../imports/import-record.ts";
import type { Imports } from "../imports/imports.ts";
import type { SiteAdmission } from "../ingest/admission.ts";
import { endOfName, type Rename, type SiteNames } from "../sites/site-names.ts";
import type { CalendarOf, ChangeRequest, Sites } from "../sites/sites.ts";
import type { Flush } from "./flush.ts";

const FIRST_DAY = "0001-01-01" as LocalDate;
const LAST_DAY = "9999-12-31" as LocalDate;

interface SiteMovesOptions {
  readonly eventStore: EventStore;
  readonly names: SiteNames;
  readonly importRecords: ImportRecords;
  /** null with ClickHouse, which would not follow: nothing moves then. */
  readonly imports: Imports | null;
  /** Everything else that belongs to sites. */
  readonly belongings: readonly SiteBelongings<SiteId>[];
  readonly sites: Pick<Sites, "change" | "recordOf">;
  readonly flush: Pick<Flush, "run">;
  readonly knownSites: Pick<SiteAdmission, "add" | "forgetUnlessJournaled" | "has">;
  readonly calendarOf: CalendarOf;
  readonly dropResults: (siteId: SiteId) => void;
  /** Gives another site the counts of what is dropped. See `DayCountStore.move`. */
  readonly moveCounts: (from: SiteId, to: SiteId, part: number) => Promise<void>;
  /** Keeps counts of a site's imports, which are about to be deleted. See `DayCountStore.keepImported`. */
  readonly keepImportedCounts: (siteId: SiteId) => Promise<void>;
  /** Deletes a whole site, with all that it has. */
  readonly deleteSite: (siteId: SiteId, signal: AbortSignal) => Promise<void>;
  /** Bytes that the disk has left. */
  readonly freeBytes: () => Promise<number>;
  readonly log: Log;
  readonly now: () => EpochMs;
  readonly monotonicMs: () => number;
  readonly wait: (ms: number) => Promise<void>;
}

/** A name of a site besides its own, or one that is about to be. */
export interface OtherName {
  readonly name: SiteId;
  readonly siteId: SiteId;
  /** The merge that made it one; null for a rename. */
  readonly importNumber: number | null;
  readonly isComplete: boolean;
  readonly since: string;
  /** The end of the name; null before it counts. */
  readonly untilMs: EpochMs | null;
}

/** A change of a record that has failed: until the record is as it was, the next start might find either. */
interface Unsure {
  readonly restore: () => Promise<void>;
  readonly release: () => void;
}

/** The part of files of counts that a move brings, by the time of its beginning. */
export const partOfMove = (beganAt: string): number => Date.parse(beganAt);

export class SiteMoves {
  readonly #options: SiteMovesOptions;
  readonly #changes = new SerialQueue({ waitingMax: SITE_MOVES_WAITING_MAX, retryAfterSecs: 1 });
  readonly job: PeriodicJob;
  #unsure: Unsure | null = null;
  /** Why the last move was given up. */
  #failure: { readonly from: SiteId; readonly reason: string } | null = null;

  constructor(options: SiteMovesOptions) {
    this.#options = options;
    this.job = new PeriodicJob({
      monotonicMs: options.monotonicMs,
      isDue: () => this.#unsure !== null || this.#isMoving || options.names.ended().length > 0 || this.#finalMerges().length > 0,
      run: (run) => this.#work(run),
      retryMs: SITE_MOVE_RETRY_MS,
    });
    const { unfinished } = options.names;
    const merge = this.#merge;
    if (unfinished) options.log.info("a rename that an earlier run began goes on", { from: unfinished.from, to: unfinished.to });
    if (merge) options.log.info("a merge that an earlier run began goes on", { from: merge.sourceSite, to: merge.siteId });
    // Records may name a site that was renamed by an earlier process.
    if (unfinished?.state === "switched") this.#moveBelongings(unfinished);
  }

  get #merge(): (ImportRecord & { readonly sourceSite: SiteId }) | null {
    const isUnfinished = (record: ImportRecord): record is ImportRecord & { readonly sourceSite: SiteId } =>
      record.state === "running" && record.door === "site" && record.sourceSite !== null;
    return this.#options.importRecords.all.find(isUnfinished) ?? null;
  }

  get #isMoving(): boolean {
    return this.#options.names.unfinished !== null || this.#merge !== null;
  }

  /** All names that sites have besides their own, oldest first. */
  get otherNames(): readonly OtherName[] {
    const { importRecords, names } = this.#options;
    const renamed = names.all.map(({ from, to, state, startedAt, switchedAt }): OtherName => {
      const isSwitched = state !== "copying" && switchedAt !== null;
      return {
        name: from,
        siteId: isSwitched ? names.siteOf(from) : to,
        importNumber: null,
        isComplete: isSwitched,
        since: switchedAt ?? startedAt,
        untilMs: isSwitched ? endOfName(switchedAt) : null,
      };
    });
    const merged = importRecords.all.flatMap(({ number, siteId, sourceSite, state, changedAt }): OtherName[] => {
      if (sourceSite === null || (state !== "shown" && state !== "running")) return [];
      const isComplete = state === "shown";
      return [
        { name: sourceSite, siteId, importNumber: number, isComplete, since: changedAt, untilMs: isComplete ? endOfName(changedAt) : null },
      ];
    });
    return [...renamed, ...merged].sort((a, b) => (a.since < b.since ? -1 : 1));
  }

  /** 409 for an earlier name of a site, and for one that is being renamed or merged. */
  checkSite(siteId: SiteId): void {
    const { names } = this.#options;
    const { unfinished } = names;
    const isOf = (...siteIds: readonly (SiteId | null)[]) => siteIds.includes(siteId);
    if (unfinished && isOf(unfinished.from, unfinished.to))
      throw conflict(`The site "${unfinished.from}" is being renamed to "${unfinished.to}": try again later`);
    const merge = this.#merge;
    if (merge && isOf(merge.siteId, merge.sourceSite))
      throw conflict(`The site "${merge.sourceSite}" is being merged into "${merge.siteId}": try again later`);
    this.checkName(siteId);
  }

  /** 409 for an earlier name of a site. */
  checkName(siteId: SiteId): void {
    const current = this.#options.names.siteOf(siteId);
    if (current !== siteId) throw conflict(`"${siteId}" is another name of the site "${current}": use that name`);
  }

  // What is asked of it

  /** Begins to rename a site: 404 if there is none, 409 if the name is taken. `job` does the rest. */
  rename(from: SiteId, to: SiteId, request: ChangeRequest): Promise<void> {
    const { imports, names } = this.#options;
    return this.#changes.run(async () => {
      await this.#checkMove(from, to, request);
      if (to === "." || to === "..") throw invalidInput(`A site named "${to}" cannot have settings`);
      if (names.all.length >= SITE_NAMES_MAX) throw conflict(`Sites have ${SITE_NAMES_MAX} earlier names: try again when one ends`);
      const current = names.siteOf(to);
      if (current !== to && current !== from) throw conflict(`"${to}" is another name of the site "${current}"`);
      if (imports?.isImporting(from)) throw conflict(`The site "${from}" has an import that is not complete: confirm or delete it`);
      await this.#whileHeld([to], async (store) => {
        // Only now no event is on its way that would make the site.
        if (await this.#exists(to)) throw conflict(`There is a site "${to}" already: delete it, or merge "${from}" into it`);
        await store(
          () => names.begin(from, to),
          () => names.restore(from),
        );
      });
    }, request.signal);
  }

  /** Begins to merge a site into another: 404 if there is none of them. Resolves with the number of the import. `job` does the rest. */
  merge(from: SiteId, to: SiteId, request: ChangeRequest): Promise<number> {
    const { importRecords, imports, now } = this.#options;
    return this.#changes.run(async () => {
      await this.#checkMove(from, to, request);
      this.checkSite(to);
      if (!(await this.#exists(to))) throw notFound(to);
      for (const siteId of [from, to]) {
        if (imports?.isImporting(siteId)) throw conflict(`The site "${siteId}" has an import that is not complete: confirm or delete it`);
      }
      const earlier = importRecords.all.find((record) => hidesSource(record) && record.siteId === from);
      if (earlier?.sourceSite)
        throw conflict(`The site "${earlier.sourceSite}" was merged into "${from}": undo that first, or wait until it is final`);
      await this.#checkDaySums(from, to);
      if (importRecords.all.length >= IMPORTS_MAX) throw conflict(`There are ${IMPORTS_MAX} imports: delete one`);
      const createdAt = new Date(now()).toISOString();
      const merge = { siteId: to, sourceSite: from, state: "running", door: "site", createdAt } as const;
      return (await importRecords.add({ ...merge, given: [], hostname: null, logFormat: null })).number;
    }, request.signal);
  }

  /** Works until something is done, fails for now, or would take longer than a response waits. */
  async untilDone(isDone: () => boolean): Promise<void> {
    const working = async () => {
      while (!isDone() && (await this.job.run())) continue;
    };
    await Promise.race([working(), this.#options.wait(SITE_MOVE_ANSWER_MS)]);
  }

  /** Why the last move was given up, if it was one of this site; else null. */
  failureOf(from: SiteId): string | null {
    return this.#failure?.from === from ? this.#failure.reason : null;
  }

  /** Sums of days have no events that could be copied, and count on days without events only. */
  async #checkDaySums(from: SiteId, to: SiteId): Promise<void> {
    const { eventStore, importRecords } = this.#options;
    const refuse = (number: number, siteId: SiteId): never => {
      throw conflict(`Import #${number} of "${siteId}" has sums of days, which cannot be merged: hide it first`);
    };
    const [ofSource] = importRecords.daysOf(from);
    if (ofSource) refuse(ofSource.import, from);
    const days = await eventStore.days(from);
    const isWithin = ({ days: spans }: ImportedDays) =>
      spans.some(([firstDay, lastDay]) => days.some((day) => firstDay <= day && day <= lastDay));
    const ofTarget = importRecords.daysOf(to).find(isWithin);
    if (ofTarget) refuse(ofTarget.import, to);
  }

  async #checkMove(from: SiteId, to: SiteId, request: ChangeRequest): Promise<void> {
    const { freeBytes, imports, eventStore, names, sites } = this.#options;
    if (imports === null) throw conflict("Sites cannot be renamed or merged with ClickHouse");
    if (from === DEMO_SITE || to === DEMO_SITE) throw conflict("The demo site cannot be renamed or merged");
    if (from === to) throw invalidInput("It is the same site");
    const { unfinished } = names;
    if (this.#unsure || unfinished) throw conflict(`The site "${unfinished?.from ?? from}" is being renamed: try again later`);
    if (this.#merge) throw conflict(`The site "${this.#merge.sourceSite}" is being merged: try again later`);
    this.checkName(from);
    // Calendars that outlived settings and events.
    await sites.change(new Map(), request);
    if (!(await this.#exists(from))) throw notFound(from);
    const bytes = (await eventStore.filesOf(from, "all")).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const free = await freeBytes();
    if (bytes * ROOM_FACTOR > free) throw conflict(`The site has ${bytes} bytes, which are copied, and the disk has ${free} left`);
    this.#failure = null;
  }

  async #exists(siteId: SiteId): Promise<boolean> {
    const { belongings, eventStore, sites } = this.#options;
    const hasRecord = sites.recordOf(siteId) !== null || belongings.some((each) => each.hasSite(siteId));
    return hasRecord || (await eventStore.sites()).has(siteId);
  }

  // Work in the background

  async #work({ signal }: Run): Promise<boolean> {
    const { log, names } = this.#options;
    try {
      await this.#settleUnsure();
      const { unfinished } = names;
      if (unfinished?.state === "copying") await this.#copyRenamed(unfinished, signal);
      else if (unfinished) await this.#finish(unfinished, signal);
      const merge = this.#merge;
      if (merge) await this.#copyMerged(merge, signal);
      await this.#endNames(signal);
      return true;
    } catch (error) {
      if (signal.aborted) return true;
      log.error("a site could not be renamed or merged because of storage; it goes on later", { reason: reasonOf(error) });
      return false;
    }
  }

  async #copyRenamed(rename: Rename, signal: AbortSignal): Promise<void> {
    const { calendarOf, eventStore, imports, log, names, now } = this.#options;
    const { from, to } = rename;
    if (imports === null) return this.#giveUp(rename, "Sites cannot be renamed with ClickHouse");
    const made = await eventStore.filesOf(to, "all");
    const copy = new SiteCopy({ eventStore, sites: { from, to, which: "all" }, numbersOf: (file) => file, made });
    try {
      await this.#replace(copy, [from, to], signal, (store) => {
        const switched = names.switched(rename, calendarOf(from).dateOf(now()));
        const change = async () => {
          await names.put(switched);
          this.#moveBelongings(switched);
        };
        return store(change, () => names.restore(from));
      });
    } catch (error) {
      if (error instanceof UnreadableEvents) return this.#giveUp(rename, error.message);
      throw error;
    }
    log.info("a site was renamed", { from, to });
    const switched = names.get(from);
    if (switched) await this.#finish(switched, signal);
  }

  /** Nothing is lost: the site has its name still. */
  async #giveUp(rename: Rename, reason: string): Promise<void> {
    const { eventStore, log, names } = this.#options;
    const { from, to } = rename;
    await eventStore.deleteHidden(to, await eventStore.filesOf(to, "all"));
    await names.remove(rename);
    this.#failure = { from, reason };
    log.error("a site could not be renamed, and keeps its name", { from, to, reason });
  }

  #moveBelongings({ from, to }: Rename): void {
    for (const each of this.#options.belongings) each.moveSite(from, to);
  }

  /** Deletes what is left under the earlier name, after the rest has the new one durably. */
  async #finish(rename: Rename, signal: AbortSignal): Promise<void> {
    const { belongings, eventStore, moveCounts, names } = this.#options;
    const { from, to } = rename;
    await this.#exclusively(async () => {
      // Changes that were asked for before the switch, and waited.
      this.#moveBelongings(rename);
      for (const each of belongings) await each.saveMoved(from, to);
    }, signal);
    await moveCounts(from, to, partOfMove(rename.startedAt));
    await eventStore.deleteDays(from, FIRST_DAY, LAST_DAY);
    await names.put({ ...rename, state: "alias" });
  }

  async #copyMerged(record: ImportRecord & { readonly sourceSite: SiteId }, signal: AbortSignal): Promise<void> {
    const { eventStore, importRecords, imports, log, now } = this.#options;
    const { number, siteId: to, sourceSite: from } = record;
    if (imports === null) return;
    // Copies of an earlier process, whose originals are not known any more.
    await eventStore.deleteImport(to, number);
    let index = 0;
    const numbersOf = ({ day }: { readonly day: LocalDate }) => {
      if (index >= IMPORT_NUMBERS) throw new UnreadableEvents(from, `there are more than ${IMPORT_NUMBERS} files`);
      const first = importFileNumber(number, index++);
      return { day, first, last: first };
    };
    const copy = new SiteCopy({ eventStore, sites: { from, to, which: "shown" }, numbersOf });
    try {
      await this.#replace(copy, [from], signal, (store) => {
        const days = copy.copies.map(({ file }) => file.day).sort();
        const shown = {
          ...record,
          state: "shown" as const,
          changedAt: new Date(now()).toISOString(),
          files: index,
          events: copy.copies.reduce((sum, { events }) => sum + events, 0),
          firstDay: days[0] ?? null,
          lastDay: days.at(-1) ?? null,
        };
        return store(
          () => importRecords.put(shown),
          () => importRecords.put(record),
        );
      });
    } catch (error) {
      if (!(error instanceof UnreadableEvents)) throw error;
      await imports.failMerge(number, error.message, signal);
      this.#failure = { from, reason: error.message };
      return;
    }
    log.info("a site was merged into another", { from, to, import: number });
  }

  /**
   * Copies a site, and when the copy is whole, and nothing of the site is in the journal, runs the change by which the copy counts in place
   * of the site. Events of these sites wait meanwhile.
   */
  async #replace(copy: SiteCopy, held: readonly SiteId[], signal: AbortSignal, change: (store: Store) => Promise<void>): Promise<void> {
    const { dropResults, eventStore, flush, knownSites, monotonicMs } = this.#options;
    const { from, to } = copy.sites;
    const goesOn = async () => signal.throwIfAborted();
    // What came while the rest was copied is little, and no event has to wait for the rest.
    for (let pass = 1; (await copy.update(goesOn)) > 0 && pass < SITE_COPY_PASSES_MAX;) pass++;
    await this.#whileHeld(held, async (store) => {
      const untilMs = monotonicMs() + SITE_HOLD_MS_MAX;
      for (let [pass, isDone] = [1, false]; !isDone; pass++) {
        signal.throwIfAborted();
        if (monotonicMs() >= untilMs || pass > SITE_COPY_PASSES_MAX) throw new Error("events of the site cannot wait any longer");
        if ((await eventStore.isJournaled(from, FIRST_DAY, LAST_DAY)) && !(await flush.run()))
          throw new Error("events of the journal cannot be written to files");
        await copy.update(goesOn);
        const whole: Parameters<EventStore["hideCopied"]>[1] = (files) => copy.isOf(files);
        isDone = await this.#exclusively(() => eventStore.hideCopied(copy.sites, whole, () => change(store)), signal);
      }
    });
    knownSites.forgetUnlessJournaled(from);
    if (copy.copies.length > 0) await knownSites.add(to);
    for (const siteId of [from, to]) dropResults(siteId);
  }

  /** Earlier names that have ended, and merges that cannot be undone any more. */
  async #endNames(signal: AbortSignal): Promise<void> {
    const { deleteSite, importRecords, keepImportedCounts, log, moveCounts, names } = this.#options;
    for (const rename of names.ended()) {
      await names.remove(rename);
      log.info("an earlier name of a site has ended", { name: rename.from, siteId: rename.to });
    }
    for (const merge of this.#finalMerges()) {
      signal.throwIfAborted();
      await keepImportedCounts(merge.sourceSite);
      await moveCounts(merge.sourceSite, merge.siteId, partOfMove(merge.createdAt));
      await deleteSite(merge.sourceSite, signal);
      await importRecords.inTurn(() => importRecords.put({ ...merge, sourceSite: null }), signal);
      log.info("a merge of sites is final", { from: merge.sourceSite, to: merge.siteId });
    }
  }

  #finalMerges(): (ImportRecord & { readonly sourceSite: SiteId })[] {
    const { importRecords, imports, now } = this.#options;
    return imports === null ? [] : importRecords.all.filter(hidesSource).filter(({ changedAt }) => now() >= endOfName(changedAt));
  }

  /** Runs a task while nothing that belongs to sites changes. */
  #exclusively<Result>(task: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    const inTurn = this.#options.belongings.reduceRight((inner, each) => () => each.inTurn(inner, signal), task);
    return inTurn();
  }

  /**
   * Runs a task while events of these sites wait. If a change of a record fails, they wait until the record is as it was: the next start
   * could find either.
   */
  async #whileHeld(siteIds: readonly SiteId[], task: (store: Store) => Promise<void>): Promise<void> {
    const release = await this.#options.names.hold(siteIds);
    const failing: { restore: Unsure["restore"] | null } = { restore: null };
    const store: Store = async (change, restore) => {
      failing.restore = restore;
      await change();
      failing.restore = null;
    };
    try {
      await task(store);
    } finally {
      if (failing.restore === null) release();
      else {
        this.#unsure = { restore: failing.restore, release };
        await this.#settleUnsure().catch(() => {
          // `job` tries again, and the caller gets the error of the change.
        });
      }
    }
  }

  async #settleUnsure(): Promise<void> {
    await this.#unsure?.restore();
    this.#unsure?.release();
    this.#unsure = null;
  }
}

/** Makes a change of a record durable. */
type Store = (change: () => Promise<unknown>, restore: Unsure["restore"]) => Promise<void>;

/** Encoded again, a file may become larger. */
const ROOM_FACTOR = 2;

const notFound = (siteId: SiteId): AppError => new AppError({ code: "not_found" }, `There is no site "${siteId}"`);
