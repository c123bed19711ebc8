/**
 * All imports of an instance, from the first byte to the deletion: uploads, the manifest that is made of them, the confirmation, the run,
 * and what is shown afterwards. One import is read at a time, in the background.
 */
import type { EpochMs, LocalDate, SiteId } from "../../storage/event.ts";
import type { EventStore } from "../../storage/event-store.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import { readJsonRecord, type RecordStore, replaceJsonRecord } from "../../storage/record-store.ts";
import type { SecretStore } from "../../storage/secret-store.ts";
import { createHasher, type Sha256 } from "../base/bytes.ts";
import {
  IMPORT_ATTEMPTS_MAX,
  IMPORT_FREE_BYTES_MIN,
  IMPORT_PARTS_AT_ONCE,
  IMPORT_RETRY_MS,
  IMPORT_WAITING_DAYS,
  IMPORTS_MAX,
  IMPORTS_WAITING_MAX,
} from "../base/config/limits.ts";
import { DEMO_SITE } from "../base/config/names.ts";
import { AppError, conflict, invalidInput } from "../base/errors.ts";
import { type Log, reasonOf } from "../base/metrics/log.ts";
import { PeriodicJob, type Run } from "../base/periodic-job.ts";
import type { SerialQueue } from "../base/queue.ts";
import { endOfName } from "../sites/site-names.ts";
import type { StoredCrawls } from "./crawl-counts.ts";
import { firstOwnEvent, otherImports } from "./covered-days.ts";
import type { ImportContext, Recognition } from "./formats/format.ts";
import { type Breathe, type SourceFile, UnreadableFile } from "./files/file.ts";
import { type RecognizedFiles, recognizeFiles } from "./formats/formats.ts";
import { nginxLayout } from "./formats/logs/nginx.ts";
import { type HitEventsOptions, hostOf } from "./hit-events.ts";
import { GrowingImports, NOT_YET } from "./growing-imports.ts";
import { HitImports } from "./hit-import.ts";
import { IdentityStore, isComparable } from "./identities.ts";
import type { ImportRecord, ImportRecords, ImportState, NewImport } from "./import-record.ts";
import { lateCutOff, ManifestTotals } from "./manifest.ts";
import { type ManifestJson, manifestJson, withCutOff } from "./manifest-json.ts";
import { StoredDaySums } from "./stored-day-sums.ts";
import { UploadedFiles } from "./uploaded-files.ts";

const DAY_MS = 86_400_000;

/** They have not been confirmed, and take room. */
const WAITING: readonly ImportState[] = ["receiving", "reading", "ready"];

const UNFINISHED: readonly ImportState[] = [...WAITING, "running"];

const manifestName = (number: number): string => `imports/${number}-manifest.json`;

/** Sites are mostly named after their host, which sources may not record. */
const HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i;

/** What a host allows while an import is read. */
export interface ImportPace {
  /** Time after which other work gets its turn. 0: after each batch, where clocks stand still while code runs. */
  readonly sliceMs: number;
  /** Time after which a run pauses at its next checkpoint. */
  readonly runMs: number;
  /** Events in memory before they are written, with a checkpoint behind them. */
  readonly checkpointEvents: number;
  /** Values of days that are. */
  readonly checkpointGroups: number;
  /** Bytes of all files of an upload. */
  readonly uploadBytesMax: number;
}

interface ImportsOptions {
  readonly eventStore: EventStore;
  readonly records: ImportRecords;
  readonly recordStore: RecordStore;
  readonly objects: ObjectStore;
  readonly secrets: SecretStore;
  /** null where nothing is counted. */
  readonly crawls: StoredCrawls;
  readonly sha256: Sha256;
  readonly randomBytes: (length: number) => Uint8Array;
  /** How hits become events, by the settings of the site. */
  readonly eventsOf: (siteId: SiteId) => Omit<HitEventsOptions, "siteId" | "salt">;
  /** Days that events of the site are kept; 0 for all. */
  readonly retentionDaysOf: (siteId: SiteId) => number;
  /** 409 while the site is being renamed or merged, and for an earlier name of one. */
  readonly checkSite: (siteId: SiteId) => void;
  /** False if `max_sites` is reached. */
  readonly hasRoomFor: (siteId: SiteId) => boolean;
  /** Called when a site has got files, or is shown again. */
  readonly addSite: (siteId: SiteId) => Promise<void>;
  readonly dropSite: (siteId: SiteId) => void;
  /** Bytes that the disk has left. */
  readonly freeBytes: () => Promise<number>;
  readonly pace: ImportPace;
  /** False where reports are answered without them. */
  readonly answersDaySums: boolean;
  /** False where an import that grows would not reach all copies of its events. */
  readonly canFollow: boolean;
  readonly log: Log;
  readonly now: () => number;
  readonly monotonicMs: () => number;
  readonly wait: (ms: number) => Promise<void>;
}

/** What is asked for when an import begins. */
export type Asked = Pick<NewImport, "siteId" | "given" | "hostname" | "logFormat">;

export interface ImportDetails {
  readonly record: ImportRecord;
  /** Bytes of each file that are there, of an upload that is not complete; else null. */
  readonly received: readonly number[] | null;
  /** Rows that were read, in this process or up to the last checkpoint. */
  readonly rows: number;
  readonly manifest: ManifestJson | null;
}

/** The imports of all sites, where each site has an instance of its own. Requests that name an import go there. */
export interface ImportsOfSites {
  /** Newest first. */
  list(): Promise<readonly ImportRecord[]>;
  begin(asked: Asked): Promise<ImportDetails>;
  /** Deletes all imports of a site. Resolves with how many. */
  removeSite(siteId: SiteId): Promise<number>;
}

interface Active {
  readonly number: number;
  readonly stop: AbortController;
  rows: number;
}

export class Imports {
  readonly #options: ImportsOptions;
  readonly #hits: HitImports;
  readonly #growing: GrowingImports;
  readonly #identities: IdentityStore;
  readonly #daySums: StoredDaySums;
  readonly #uploaded: UploadedFiles;
  readonly #changes: SerialQueue;
  /** The files of imports of the command line. */
  readonly #local = new Map<number, readonly SourceFile[]>();
  readonly job: PeriodicJob;
  #active: Active | null = null;
  /** The import whose last turn failed, so that others have theirs before it. */
  #lastFailed: number | null = null;
  #parts = 0;
  #hasRecovered = false;

  constructor(options: ImportsOptions) {
    this.#options = options;
    this.#changes = options.records.changes;
    this.#identities = new IdentityStore(options.objects, options.sha256);
    this.#daySums = new StoredDaySums(options.objects, options.records);
    options.eventStore.observe({
      beforeErasure: async (siteId, firstDay, lastDay) => {
        await this.#forgetIdentities(siteId, firstDay, lastDay);
        await this.#daySums.eraseDays(siteId, firstDay, lastDay);
      },
    });
    this.#hits = new HitImports({
      ...options,
      identities: this.#identities,
      daySums: this.#daySums,
      checkpointEvents: options.pace.checkpointEvents,
      checkpointGroups: options.pace.checkpointGroups,
    });
    this.#growing = new GrowingImports(options);
    this.#uploaded = new UploadedFiles(options.objects);
    this.job = new PeriodicJob({
      monotonicMs: options.monotonicMs,
      isDue: () => this.isDue,
      run: (run) => this.#work(run),
      retryMs: IMPORT_RETRY_MS,
    });
  }

  get isDue(): boolean {
    return (
      (!this.#hasRecovered && this.#options.records.all.length > 0) ||
      this.#next() !== undefined ||
      this.#expired().length > 0 ||
      this.#growing.hasOldSalts(this.#dayOf)
    );
  }

  readonly #dayOf = (siteId: SiteId, atMs: EpochMs): LocalDate => this.#options.eventsOf(siteId).calendar.dateOf(atMs);

  /** Time until the job has work, for hosts that set alarms in place of a tick. Infinite if nothing waits. */
  msUntilDue(): number {
    if (this.job.isBackingOff) return IMPORT_RETRY_MS;
    if (this.isDue) return 0;
    const waiting = this.#options.records.all.filter(({ state }) => isWaitingForSomebody(state));
    const endsMs = waiting.map(({ changedAt }) => Date.parse(changedAt) + IMPORT_WAITING_DAYS * DAY_MS);
    return Math.min(...endsMs) - this.#options.now() + 1000;
  }

  // What is asked of it

  /** Newest first. */
  get all(): readonly ImportRecord[] {
    return this.#options.records.all.toReversed();
  }

  async details(number: number): Promise<ImportDetails> {
    const record = this.#options.records.existing(number);
    const isActive = this.#active?.number === number && record.state !== "shown";
    return {
      record,
      received: record.state === "receiving" ? await this.#uploaded.received(record) : null,
      rows: isActive ? Math.max(record.rows, this.#active?.rows ?? 0) : record.rows,
      manifest: await this.#manifestOf(number),
    };
  }

  async #manifestOf(number: number): Promise<ManifestJson | null> {
    const manifest = (await readJsonRecord(this.#options.recordStore, manifestName(number))) as ManifestJson | null;
    // Manifests of earlier versions do not have this field.
    return manifest && { ...manifest, crawls: manifest.crawls ?? 0 };
  }

  /** Begins an upload. `number` is given where another instance counts imports. */
  async begin(asked: Asked, signal: AbortSignal, number?: number): Promise<ImportRecord> {
    const bytes = asked.given.reduce((sum, file) => sum + file.bytes, 0);
    if (bytes === 0) throw invalidInput('Field "files" must have a file that is not empty');
    const { uploadBytesMax } = this.#options.pace;
    if (bytes > uploadBytesMax) throw invalidInput(`The files must have at most ${uploadBytesMax} bytes together`);
    return this.#changes.run(async () => {
      const free = (await this.#options.freeBytes()) - (await this.#missingBytes());
      if (bytes > free - IMPORT_FREE_BYTES_MIN)
        throw invalidInput(`The files have ${bytes} bytes, and the disk has ${free} left, of which ${IMPORT_FREE_BYTES_MIN} stay free`);
      return this.#add({ ...asked, state: "receiving", door: "upload" }, number);
    }, signal);
  }

  /** Bytes that other uploads have not sent yet. */
  async #missingBytes(): Promise<number> {
    let missing = 0;
    for (const record of this.#options.records.all.filter(({ state }) => state === "receiving")) {
      const received = await this.#uploaded.received(record);
      missing += record.given.reduce((sum, { bytes }, i) => sum + bytes - (received[i] ?? 0), 0);
    }
    return missing;
  }

  /** Begins an import of files that this process reads where they are. `job` reads them. */
  async beginWith(asked: Omit<Asked, "given">, files: readonly SourceFile[], signal: AbortSignal): Promise<ImportRecord> {
    const given = files.map(({ path, bytes }) => ({ name: path, bytes: bytes ?? 0 }));
    return this.#changes.run(async () => {
      const record = await this.#add({ ...asked, given, state: "reading", door: "command line" });
      this.#local.set(record.number, files);
      return record;
    }, signal);
  }

  /** Begins an import that grows with a log. It is shown, and counts nothing yet. */
  async follow(asked: Asked, signal: AbortSignal): Promise<ImportRecord> {
    if (!this.#options.canFollow) throw conflict("Logs can be followed with DuckDB on Node only, and not with ClickHouse or on Workers");
    return this.#changes.run(async () => {
      this.#growing.checkRoom(asked.siteId);
      return this.#add({ ...asked, state: "shown", door: "log", followed: NOT_YET });
    }, signal);
  }

  /** Takes whole lines that begin at this place in a followed log; those that it has already count once. `read` is called if it grows. */
  async putLines(number: number, offset: number, read: () => Promise<Uint8Array>, signal: AbortSignal): Promise<ImportDetails> {
    this.#growing.existing(number);
    const lines = await read();
    const { addSite, checkSite, dropSite, eventsOf, now } = this.#options;
    await this.#changes.run(async () => {
      const record = this.#growing.existing(number);
      const { siteId } = record;
      checkSite(siteId);
      const context = { ...this.#contextOf(record), nowMs: now() };
      const breathe = this.#breathing({ number, stop: new AbortController(), rows: 0 });
      try {
        await this.#growing.take(number, offset, lines, { context, events: { ...eventsOf(siteId), siteId }, breathe });
      } finally {
        dropSite(siteId);
      }
      await addSite(siteId);
    }, signal);
    return this.details(number);
  }

  #add(added: Omit<NewImport, "createdAt">, number?: number): Promise<ImportRecord> {
    const { records, hasRoomFor, checkSite } = this.#options;
    checkSite(added.siteId);
    if (added.hostname !== null && hostOf(added.hostname) === null) throw invalidInput('Field "hostname" must be the name of a host');
    if (added.logFormat !== null) nginxLayout(added.logFormat);
    if (added.siteId === DEMO_SITE) throw new AppError({ code: "demo_site" }, "The demo site has made-up events only");
    if (!hasRoomFor(added.siteId))
      throw new AppError({ code: "forbidden" }, 'Field "site_id" must be a site that has events: max_sites is reached');
    if (records.all.length >= IMPORTS_MAX) throw conflict(`There are ${IMPORTS_MAX} imports: delete one`);
    const waiting = records.all.filter(({ state }) => WAITING.includes(state));
    if (waiting.length >= IMPORTS_WAITING_MAX)
      throw conflict(`${IMPORTS_WAITING_MAX} imports wait for files or a confirmation: confirm or delete one`);
    return records.add({ ...added, createdAt: this.#instant() }, number);
  }

  /** `read` is called if the part may be received. Resolves once it is durable. */
  async putPart(
    number: number,
    file: number,
    offset: number,
    read: () => Promise<Uint8Array>,
    signal: AbortSignal,
  ): Promise<ImportDetails> {
    this.#options.records.existing(number, ["receiving"]);
    if (this.#parts >= IMPORT_PARTS_AT_ONCE)
      throw new AppError({ code: "too_many_requests", retryAfterSecs: 1 }, "Too many parts at the same time. Try again later.");
    this.#parts++;
    try {
      const bytes = await read();
      await this.#changes.run(() => this.#storePart(number, file, offset, bytes), signal);
    } finally {
      this.#parts--;
    }
    return this.details(number);
  }

  /** An import may be deleted, or completed by another client, while a part of it comes: files that are read do not change any more. */
  async #storePart(number: number, file: number, offset: number, bytes: Uint8Array): Promise<void> {
    const { records } = this.#options;
    const record = records.existing(number, ["receiving"]);
    await this.#uploaded.put(record, file, offset, bytes);
    // A large upload may take more days than it may wait.
    const isSlow = this.#options.now() - Date.parse(record.changedAt) > DAY_MS;
    if (await this.#isComplete(record)) await this.#repairedLater(this.#readComplete(number));
    else if (isSlow) await records.put({ ...record, ...this.#in("receiving") });
  }

  /** Lets an upload be read whose last part was the last thing that an earlier attempt stored, too. */
  async #readComplete(number: number): Promise<void> {
    const { records } = this.#options;
    const record = records.get(number);
    if (record?.state === "receiving" && (await this.#isComplete(record))) await records.put({ ...record, ...this.#in("reading") });
  }

  confirm(number: number, signal: AbortSignal): Promise<void> {
    const { records } = this.#options;
    return this.#changes.run(async () => {
      const { failure } = records.existing(number);
      if (failure !== null) throw conflict(failure);
      const record = records.existing(number, ["ready"]);
      await records.put({ ...record, ...this.#in("running"), endMs: await this.#endOf(record) });
    }, signal);
  }

  /** The cut-off of the manifest, or the first own event if there was none yet when the manifest was made, which then says so. */
  async #endOf({ number, siteId, endMs }: ImportRecord): Promise<EpochMs | null> {
    const { eventStore, recordStore } = this.#options;
    const firstOwn = await firstOwnEvent(eventStore, siteId);
    const manifest = await this.#manifestOf(number);
    if (!firstOwn || !manifest || endMs !== null || (manifest.end_date ?? "") < firstOwn.day) return endMs;
    await replaceJsonRecord(recordStore, manifestName(number), withCutOff(manifest, lateCutOff(firstOwn)));
    return firstOwn.timestampMs;
  }

  /** A merged site may have got other events since it is shown again, so a merge is not hidden, but deleted. */
  hide(number: number, signal: AbortSignal): Promise<void> {
    return this.#changes.run(() => {
      const { sourceSite } = this.#options.records.existing(number);
      if (sourceSite !== null) throw conflict(`Import #${number} is the merge of ${sourceSite}: delete it to undo the merge`);
      return this.#repairedLater(this.#hits.hide(number));
    }, signal);
  }

  show(number: number, signal: AbortSignal): Promise<void> {
    return this.#changes.run(() => this.#repairedLater(this.#hits.show(number)), signal);
  }

  /** What a failure leaves is repaired by the next run of the job, as after a start. */
  async #repairedLater(change: Promise<void>): Promise<void> {
    try {
      await change;
    } catch (error) {
      this.#hasRecovered = false;
      throw error;
    }
  }

  /** Deletes an import in any state with all that it has. After a rejection it does not count any more; may be repeated. */
  delete(number: number, signal: AbortSignal): Promise<void> {
    return this.#changes.run(() => this.#delete(number), signal);
  }

  /** Deletes all imports of a site. Resolves with how many. */
  async removeSite(siteId: SiteId, signal: AbortSignal): Promise<number> {
    const numbers = this.#options.records.all.filter((record) => record.siteId === siteId).map(({ number }) => number);
    for (const number of numbers) await this.delete(number, signal);
    return numbers.length;
  }

  /** Says why a merge ends without a result. */
  async failMerge(number: number, failure: string, signal: AbortSignal): Promise<void> {
    await this.#changes.run(() => this.#fail(number, failure), signal);
  }

  /** True if the site has an import that is not complete. */
  isImporting(siteId: SiteId): boolean {
    return this.#options.records.all.some((record) => record.siteId === siteId && UNFINISHED.includes(record.state));
  }

  /** Deletes the identities of events that are about to be erased. */
  async #forgetIdentities(siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate): Promise<void> {
    for (const { number } of this.#options.records.all.filter((record) => record.siteId === siteId))
      await this.#identities.remove(number, ({ day }) => firstDay <= day && day <= lastDay);
  }

  async #delete(number: number): Promise<void> {
    const { addSite, eventStore, records, recordStore } = this.#options;
    const { door, state, sourceSite, changedAt } = records.existing(number);
    if (door === "site" && state === "running")
      throw conflict(`Import #${number} is the merge of a site that is being copied: try again later`);
    // The source may be half deleted.
    if (sourceSite !== null && state === "shown" && this.#options.now() >= endOfName(changedAt))
      throw conflict(`The merge of ${sourceSite} is too old to be undone, and about to be made final: try again later`);
    if (this.#active?.number === number) {
      this.#active.stop.abort(new Error("the import was deleted"));
      await this.job.settled();
    }
    await this.#hits.end(number);
    if (sourceSite !== null && (await eventStore.days(sourceSite)).length > 0) await addSite(sourceSite);
    await this.#forgetFiles(number);
    await recordStore.remove(manifestName(number));
    await records.remove(number);
  }

  async #forgetFiles(number: number): Promise<void> {
    this.#local.delete(number);
    await this.#uploaded.remove(number);
  }

  // Work in the background

  #next(): ImportRecord | undefined {
    const all = this.#options.records.all.filter(({ state, door }) => door !== "site" && (state === "reading" || state === "running"));
    return all.find(({ number }) => number !== this.#lastFailed) ?? all[0];
  }

  #expired(): ImportRecord[] {
    const beforeMs = this.#options.now() - IMPORT_WAITING_DAYS * DAY_MS;
    return this.#options.records.all.filter(({ state, changedAt }) => isWaitingForSomebody(state) && Date.parse(changedAt) < beforeMs);
  }

  /** Unless it got another part or was confirmed meanwhile. */
  async #expire(number: number): Promise<void> {
    if (!this.#expired().some((record) => record.number === number)) return;
    await this.#delete(number);
    this.#options.log.info("an import that was not confirmed was deleted", { import: number });
  }

  /** One import at a time: others wait for the next run. */
  async #work({ signal }: Run): Promise<boolean> {
    const { log } = this.#options;
    try {
      await this.#recover(signal);
      for (const { number } of this.#expired()) {
        await this.#changes.run(() => this.#expire(number), signal);
      }
      if (this.#growing.hasOldSalts(this.#dayOf)) await this.#changes.run(() => this.#growing.eraseOldSalts(this.#dayOf), signal);
      const next = this.#next();
      if (next) await this.#goOn(next, signal);
      return true;
    } catch (error) {
      if (signal.aborted) return true;
      log.error("an import failed because of storage; it goes on later", { reason: reasonOf(error) });
      return false;
    }
  }

  async #goOn(record: ImportRecord, signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    const onStop = () => stop.abort(signal.reason);
    signal.addEventListener("abort", onStop, { once: true });
    if (signal.aborted) onStop();
    const active: Active = { number: record.number, stop, rows: 0 };
    this.#active = active;
    this.#lastFailed = record.number;
    try {
      const attempted = await this.#attempted(record);
      await (record.state === "reading" ? this.#read(attempted, active) : this.#run(attempted, active));
      this.#lastFailed = null;
    } catch (error) {
      if (error instanceof UnreadableFile) await this.#fail(record.number, error.message);
      else {
        await this.#noteEnd(record.number);
        if (!stop.signal.aborted || signal.aborted) throw error;
      }
    } finally {
      this.#active = null;
      signal.removeEventListener("abort", onStop);
    }
  }

  /** Counts the attempt, because an import that takes more memory or time than there is would end the process again and again. */
  async #attempted(record: ImportRecord): Promise<ImportRecord> {
    if (record.attempts >= IMPORT_ATTEMPTS_MAX)
      throw new UnreadableFile(
        `The server ended ${record.attempts} times while it read these files, which take more time or memory than it has: import fewer at a time.`,
      );
    const { records } = this.#options;
    return records.alone(async () => {
      const attempted = { ...records.existing(record.number), attempts: record.attempts + 1 };
      await records.put(attempted);
      return attempted;
    });
  }

  /** An end that was seen is no failed attempt. */
  async #noteEnd(number: number): Promise<void> {
    const { records } = this.#options;
    await records.alone(async () => {
      const record = records.get(number);
      if (record !== null && record.attempts > 0 && record.state !== "deleting") await records.put({ ...record, attempts: 0 });
    });
  }

  /** Lets requests have their turn, and ends when the import is deleted or the process stops. */
  #breathing({ stop: { signal } }: Active): Breathe {
    const { monotonicMs, pace, wait } = this.#options;
    let sinceMs = monotonicMs();
    return async () => {
      signal.throwIfAborted();
      if (monotonicMs() - sinceMs < pace.sliceMs) return;
      await wait(0);
      sinceMs = monotonicMs();
    };
  }

  /** What an earlier process has left: complete uploads, half deletions, and files of imports that have ended. */
  async #recover(signal: AbortSignal): Promise<void> {
    if (this.#hasRecovered) return;
    const { log, records } = this.#options;
    for (const record of records.all) {
      const { number, state, door } = record;
      if (state === "deleting") await this.#delete(number);
      else if (door === "site") continue;
      else if (!UNFINISHED.includes(state)) {
        if (state === "failed") await this.#hits.clear(number);
        else {
          await this.#hits.repair(number);
          await this.#changes.run(() => records.alone(() => this.#daySums.restore(number)), signal);
        }
        await this.#forgetFiles(number);
      } else if (state === "receiving") await this.#changes.run(() => this.#readComplete(number), signal);
      else if (door === "command line" ? !this.#local.has(number) : !(await this.#isComplete(record))) {
        await this.#delete(number);
        log.warn("an import was deleted, because its files are gone: import them again", { import: number });
      }
    }
    this.#hasRecovered = true;
  }

  async #isComplete(record: ImportRecord): Promise<boolean> {
    const received = await this.#uploaded.received(record);
    return record.given.every(({ bytes }, i) => received[i] === bytes);
  }

  #sourcesOf(record: ImportRecord): readonly SourceFile[] {
    return this.#local.get(record.number) ?? this.#uploaded.sources(record);
  }

  #contextOf({ siteId, createdAt, hostname, logFormat }: ImportRecord): ImportContext {
    const nowMs = Date.parse(createdAt);
    const { calendar } = this.#options.eventsOf(siteId);
    return { siteId, timeZone: calendar.zoneAt(nowMs), hostname: hostname ?? (HOST.test(siteId) ? siteId : null), nowMs, logFormat };
  }

  /** Makes the manifest. */
  async #read(record: ImportRecord, active: Active): Promise<void> {
    const { eventStore, records, recordStore, eventsOf, retentionDaysOf, answersDaySums } = this.#options;
    const { number, siteId } = record;
    const breathe = this.#breathing(active);
    const contentHash = await contentHashOf(this.#sourcesOf(record), breathe);
    const same = records.withContent(siteId, contentHash, number);
    if (same !== null) throw new UnreadableFile(`The same files are already imported as #${same}.`);
    const recognized = await recognizeFiles(this.#sourcesOf(record), this.#contextOf(record), breathe);
    const { recognitions } = recognized;
    const ofDays = recognitions.find(({ rows }) => rows === "days");
    if (ofDays && !answersDaySums)
      throw new UnreadableFile(
        `The files have sums of days (${ofDays.product}), which are answered with DuckDB only, not with ClickHouse.`,
      );
    const mixed = recognitions.filter(({ rows }) => rows === "days");
    if (new Set(mixed.map(({ lacksVisitors = false }) => lacksVisitors)).size > 1) {
      const products = mixed.map(({ product }) => product).join(", ");
      throw new UnreadableFile(`Only some of the files have visitors (${products}): import those of each product alone.`);
    }
    const { calendar } = eventsOf(siteId);
    const totals = new ManifestTotals(calendar);
    for (const file of filesOf(recognitions)) {
      for await (const rows of file.read()) {
        for (const row of rows) totals.add(file.path, row);
        active.rows += rows.length;
        await breathe();
      }
    }
    const others = await otherImports(eventStore, records, record);
    const retentionDays = retentionDaysOf(siteId);
    if (retentionDays > 0) {
      const text = `The site keeps its events for ${retentionDays} days: older ones are deleted soon after the import.`;
      totals.add("", { kind: "remark", line: 0, text });
    }
    const manifest = totals.manifest({ firstOwn: await firstOwnEvent(eventStore, siteId), imports: others }, calendar);
    const byEvents = new Set<number>();
    for (const other of others) {
      const isAlike = recognitions.every(({ rows, format }) => rows === "hits" && isComparable(other, format));
      if (isAlike && (await this.#identities.files(other.number)).length > 0) byEvents.add(other.number);
    }
    await replaceJsonRecord(recordStore, manifestName(number), manifestJson(recognized, manifest, byEvents));
    if (manifest.totals.size === 0 && manifest.crawls === 0) throw new UnreadableFile(reasonForNothing(recognized));
    const names = new Set(recognitions.map(({ product }) => product));
    await records.put({
      ...record,
      ...this.#in("ready"),
      contentHash,
      product: [...names].join(", "),
      formats: [...new Set(recognitions.map(({ format }) => format))].sort(),
      attempts: 0,
      endMs: manifest.cutOff?.endMs ?? null,
    });
  }

  async #run(record: ImportRecord, active: Active): Promise<void> {
    const { addSite, eventsOf, eventStore, log, monotonicMs, pace, records } = this.#options;
    const { number, siteId } = record;
    const breathe = this.#breathing(active);
    const recognized = await recognizeFiles(this.#sourcesOf(record), this.#contextOf(record), breathe);
    const files = filesOf(recognized.recognitions);
    const others = await otherImports(eventStore, records, record);
    // The time to skip rows does not count: a run that pauses before it has new ones would never end.
    let endMs = Infinity;
    const onRows = (rows: number) => {
      active.rows += rows;
      if (endMs === Infinity && active.rows > record.rows) endMs = monotonicMs() + pace.runMs;
      return breathe();
    };
    const source = { files, others, events: { ...eventsOf(siteId), siteId } };
    if (!(await this.#hits.run(number, source, onRows, () => monotonicMs() >= endMs))) return;
    await this.#forgetFiles(number);
    await addSite(siteId);
    log.info("an import is complete and shown", {
      import: number,
      siteId,
      events: records.existing(number).events,
      crawls: records.existing(number).crawls,
    });
  }

  async #fail(number: number, failure: string): Promise<void> {
    await this.#hits.fail(number, failure);
    await this.#forgetFiles(number);
  }

  #instant(): string {
    return new Date(this.#options.now()).toISOString();
  }

  #in(state: ImportState): Pick<ImportRecord, "state" | "changedAt"> {
    return { state, changedAt: this.#instant() };
  }
}

const isWaitingForSomebody = (state: ImportState): boolean => state === "receiving" || state === "ready";

const filesOf = (recognitions: readonly Recognition[]) =>
  recognitions.flatMap(({ format, files }) => files.map((file) => ({ path: file.path, format, read: () => file.read() })));

/** One hash for the same contents, whatever the files are called and in whichever order they come. */
async function contentHashOf(sources: readonly SourceFile[], breathe: Breathe): Promise<string> {
  const hashes: string[] = [];
  for (const source of sources) {
    const hasher = await createHasher();
    for await (const bytes of source.open()) {
      hasher.add(bytes);
      await breathe();
    }
    hashes.push(hasher.end());
  }
  const all = await createHasher();
  all.add(new TextEncoder().encode(hashes.sort().join("\n")));
  return all.end();
}

/** Why there is nothing to import, in sentences. */
function reasonForNothing({ recognitions, refusals, skipped }: RecognizedFiles): string {
  const [refusal] = refusals;
  if (refusal) return refusal.advice;
  if (recognitions.length > 0) return "The files have no page view and no event.";
  const [first, ...others] = skipped;
  return first && others.length === 0 ? first.reason : "No file is in a format that Sandpiper knows.";
}
