/** Reads every file, journal line and record of a data folder, and reports each fault. Changes nothing. */
import { ANNOTATION_KIND } from "../sites/annotation.ts";
import { GOAL_KIND } from "../sites/goal.ts";
import { RULE_KIND } from "../sites/rule.ts";
import { SEGMENT_KIND } from "../sites/segment.ts";
import { widestDay, utcCalendar, type Calendar } from "../../storage/calendar.ts";
import { bufferedEvent, type LocalDate, SITE_COLUMN, type SiteId } from "../../storage/event.ts";
import { countEvents, decodeEvents, inlineParquetWriter } from "../../storage/parquet-events.ts";
import { COUNT_KINDS, decodeCounts, parseCountKey } from "../../storage/day-counts.ts";
import { DAY_SUMS_DEFINITIONS, daySumsKey, parseDaySumsKey } from "../../storage/day-sums.ts";
import { openRollup } from "../../storage/rollup-file.ts";
import { dayFolder, isInFiles, type PartitionFile, Partitions, siteFolder } from "../../storage/partitions.ts";
import { decodeJournalLines } from "../../storage/journal.ts";
import { Segment, type SegmentLog } from "../../storage/segment.ts";
import type { ObjectKey, ObjectStore } from "../../storage/object-store.ts";
import type { RecordStore } from "../../storage/record-store.ts";
import { ADMIN_RECORD, readPasswordHash } from "../access/admin-password.ts";
import { API_KEY_RECORDS } from "../access/api-keys.ts";
import { FAULTS_KEPT_MAX, LISTING_ATTEMPTS_MAX } from "../base/config/limits.ts";
import { reasonOf } from "../base/metrics/log.ts";
import { readSites, siteRecords, type RecordedSites } from "../sites/site-record.ts";
import { verifyRollups, type RollupCounts, type RollupVerificationOptions } from "./rollup-verification.ts";
import { isSiteId, PROGRAM_NAME } from "../base/config/names.ts";
import { readPersistentSessions, SESSIONS_RECORD } from "../access/persistent-sessions.ts";
import { SHARE_RECORDS } from "../access/shares.ts";
import { createSha256, type Sha256 } from "../base/bytes.ts";
import { CALENDAR_RECORD, readDefaultCalendar } from "../sites/site-calendar.ts";
import { importRecordName, readableImports, readImport, type ReadableImports } from "../imports/import-record.ts";
import { IMPORTS_FOLDER } from "../imports/identities.ts";
import { readWhatCounts } from "../imports/what-counts.ts";
import { itemRecords } from "../sites/collection.ts";
import { renameRecords } from "../sites/site-names.ts";
import { readTableRecord, type RecordKind } from "../base/record-table.ts";

/** A file whose events are all of another site than its folder: a folder that was renamed by hand does not rename its site. */
interface MisplacedFile {
  readonly file: PartitionFile;
  readonly siteId: SiteId;
}

interface ReadFile {
  readonly rows: number;
  /** The site of all its events, if it is not that of the folder. */
  readonly otherSite: SiteId | null;
  readonly faults: readonly string[];
}

/**
 * The number of a file's events, and of those of another site than the folder's, or that cannot have its date. Which date an event has was
 * decided when it came: today's calendar and this host's time zones do not determine it. Throws if it cannot be read.
 */
function readFile(bytes: Uint8Array, siteId: SiteId, day: LocalDate): ReadFile {
  const { startMs, endMs } = widestDay(day);
  const sites = new Set<string | undefined>();
  let [rows, ofOtherSites, ofOtherDays] = [0, 0, 0];
  for (const decoded of decodeEvents(bytes)) {
    const { texts, places } = decoded.text(SITE_COLUMN);
    rows += decoded.rows;
    for (const place of places) {
      sites.add(texts[place]);
      if (texts[place] !== siteId) ofOtherSites++;
    }
    ofOtherDays += decoded.timestampsMs.filter((timestampMs) => timestampMs < startMs || timestampMs >= endMs).length;
  }
  const [site] = sites;
  const otherSite = sites.size === 1 && site !== undefined && site !== siteId && isSiteId(site) ? site : null;
  const countFault = (count: number, what: string) =>
    count > 0 ? [`${count} of its ${rows} events are of another ${what} than its folder`] : [];
  return { rows, otherSite, faults: [...(otherSite === null ? countFault(ofOtherSites, "site") : []), ...countFault(ofOtherDays, "day")] };
}

const RUN = "Reports leave them out. To move them back, stop the server and run in the data folder:";

/** Moving the folder back comes first, because the events in its files have the earlier id. */
const toRename = (from: SiteId, to: SiteId): string => `(and then, to rename the site: ${PROGRAM_NAME} rename ${from} ${to})`;

/** Faults of the files of one folder. `isWhole`: it contains no others. `sites` have folders. */
function misplacedFaults(
  folderSite: SiteId,
  misplaced: readonly MisplacedFile[],
  isWhole: boolean,
  sites: ReadonlySet<SiteId>,
): (readonly [key: string, reason: string])[] {
  const [site, ...others] = new Set(misplaced.map(({ siteId }) => siteId));
  const folder = siteFolder(folderSite);
  if (site !== undefined && others.length === 0 && isWhole && !sites.has(site))
    return [
      [folder, `it was renamed: all its events are of ${site}. ${RUN} mv ${folder} ${siteFolder(site)} ${toRename(site, folderSite)}`],
    ];
  return misplaced.map(({ file: { key, day }, siteId }) => {
    const target = dayFolder(siteId, day);
    return [key, `its events are of ${siteId}, not of the site of its folder. ${RUN} mkdir -p ${target} && mv -n ${key} ${target}/`];
  });
}

export interface VerifiedData {
  readonly objects: ObjectStore;
  readonly segmentLog: Pick<SegmentLog, "list" | "read">;
  readonly records: Pick<RecordStore, "list" | "read">;
}

export interface Fault {
  /** The damaged object, record or journal segment. */
  readonly file: string;
  readonly reason: string;
}

export interface VerificationReport {
  readonly sites: number;
  /** Days of sites that have files. */
  readonly days: number;
  /** Files that are not superseded, and their bytes. */
  readonly files: number;
  readonly bytes: number;
  readonly events: number;
  /** Events among them under a site's earlier or coming name, or of a site that was merged into another. Reports leave them out. */
  readonly hiddenEvents: number;
  /** Superseded files: left by a crash, or about to be removed. Queries ignore them. */
  readonly supersededFiles: number;
  readonly segments: number;
  readonly unflushedEvents: number;
  /** Segments that end in a partial line: it is being written, or a crash interrupted it before it was acknowledged. */
  readonly tornSegments: number;
  readonly rollups: RollupCounts;
  /** The first of them, at most `FAULTS_KEPT_MAX`. */
  readonly faults: readonly Fault[];
  readonly faultCount: number;
}

export interface VerificationOptions {
  /** Options of the verification of rollups. Without them, rollups are not read. */
  readonly rollups?: RollupVerificationOptions;
  /** True if the content of a file is known to equal that of a verified one: its events are counted, and not decoded. */
  readonly isVerified?: (key: ObjectKey) => boolean;
}

/**
 * Reads everything, a file at a time; rollups only with options for them. The service may be running: files that disappear were merged,
 * flushed or erased, which is not a fault.
 */
export async function verifyData(data: VerifiedData, { rollups, isVerified }: VerificationOptions = {}): Promise<VerificationReport> {
  const sha256 = await createSha256();
  const imports = await readableImports(data.records);
  const recorded = { sites: await readSites(data.records, sha256), imports, whatCounts: await readWhatCounts(data.records, imports) };
  const verification = new Verification(data, sha256, recorded, isVerified);
  await verification.checkPartitions();
  await verification.checkDaySums();
  await verification.checkDayCounts();
  await verification.checkJournal();
  await verification.checkRecords();
  if (rollups) await verification.checkRollups(rollups);
  return verification.report();
}

interface Recorded {
  readonly sites: RecordedSites;
  readonly imports: ReadableImports;
  readonly whatCounts: Awaited<ReturnType<typeof readWhatCounts>>;
}

type FileFault = [key: string, reason: string];

interface ReadDay {
  readonly events: number;
  readonly misplaced: readonly MisplacedFile[];
  /** A listed file was missing. */
  readonly vanished: boolean;
  readonly faults: readonly FileFault[];
}

class Verification {
  readonly #data: VerifiedData;
  readonly #isVerified: (key: ObjectKey) => boolean;
  readonly #sha256: Sha256;
  readonly #recorded: Recorded;
  readonly #faults: Fault[] = [];
  readonly #strays = new Set<string>();
  #faultCount = 0;
  readonly #counts = {
    sites: 0,
    days: 0,
    files: 0,
    bytes: 0,
    events: 0,
    hiddenEvents: 0,
    supersededFiles: 0,
    segments: 0,
    unflushedEvents: 0,
    tornSegments: 0,
    rollups: { rollups: 0, compared: 0, outdated: 0, uncompared: 0, uncomparedReason: null } as RollupCounts,
  };

  constructor(data: VerifiedData, sha256: Sha256, recorded: Recorded, isVerified: (key: ObjectKey) => boolean = () => false) {
    this.#data = data;
    this.#sha256 = sha256;
    this.#recorded = recorded;
    this.#isVerified = isVerified;
  }

  report(): VerificationReport {
    return { ...this.#counts, faults: this.#faults, faultCount: this.#faultCount };
  }

  #fault(file: string, reason: string): void {
    this.#faultCount++;
    if (this.#faults.length < FAULTS_KEPT_MAX) this.#faults.push({ file, reason });
  }

  /** A listing of all files, or of those that reports read. */
  #listing(which: "all" | "shown" = "all"): Partitions {
    return new Partitions({
      ...(which === "shown" && this.#recorded.whatCounts),
      objects: this.#data.objects,
      parquet: inlineParquetWriter,
      isSiteId,
      listingsMax: 1,
      onStray: (key, fault) => {
        // A folder that changes is listed again.
        if (this.#strays.has(key) || this.#strays.size >= FAULTS_KEPT_MAX) return;
        this.#strays.add(key);
        this.#fault(key, fault);
      },
    });
  }

  async checkPartitions(): Promise<void> {
    const listing = this.#listing();
    const sites = await listing.sites();
    for (const siteId of sites) {
      const days = await listing.days(siteId);
      if (days.length > 0) this.#counts.sites++;
      await this.#checkImports(siteId, listing);
      const [files, events] = [this.#counts.files, this.#counts.events];
      const misplaced: MisplacedFile[] = [];
      for (const day of days) misplaced.push(...(await this.#checkDay(siteId, day, listing)));
      if (this.#recorded.whatCounts.isHidden(siteId)) this.#counts.hiddenEvents += this.#counts.events - events;
      const isWhole = misplaced.length === this.#counts.files - files;
      for (const [key, reason] of misplacedFaults(siteId, misplaced, isWhole, sites)) this.#fault(key, reason);
    }
  }

  async #checkImports(siteId: SiteId, listing: Partitions): Promise<void> {
    const { imports } = this.#recorded;
    for (const [number, key] of await listing.imports(siteId)) {
      // One that is not among those read before may have begun since.
      const record = imports.get(number) ?? (await readableImports(this.#data.records)).get(number);
      if (record === undefined) this.#fault(key, `it is of import #${number}, which has no record, so that reports leave it out`);
      else if (record && record.siteId !== siteId) this.#fault(key, `it is of import #${number}, which is one of ${record.siteId}`);
    }
  }

  /**
   * Returns the files of another site. A missing file may have been merged into one that is not in the listing, so the day is listed and
   * read again.
   */
  async #checkDay(siteId: SiteId, day: LocalDate, firstListing: Partitions): Promise<readonly MisplacedFile[]> {
    let listing = firstListing;
    for (let attempt = 1; ; attempt++) {
      const files = await listing.files(siteId, day);
      const superseded = await listing.superseded(siteId, day);
      const found = await this.#readDay(siteId, day, files, superseded);
      if (found.vanished && attempt < LISTING_ATTEMPTS_MAX) {
        listing = this.#listing();
        continue;
      }
      for (const [key, reason] of [...found.faults, ...overlaps(files)]) this.#fault(key, reason);
      if (files.length > 0) this.#counts.days++;
      this.#counts.files += files.length;
      this.#counts.bytes += files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      this.#counts.events += found.events;
      this.#counts.supersededFiles += superseded.length;
      return found.misplaced;
    }
  }

  async #readDay(siteId: SiteId, day: LocalDate, files: readonly PartitionFile[], superseded: readonly PartitionFile[]): Promise<ReadDay> {
    const faults: FileFault[] = [];
    const misplaced: MisplacedFile[] = [];
    let [events, vanished] = [0, false];
    for (const file of files) {
      try {
        const bytes = await this.#data.objects.get(file.key);
        if (bytes === null) {
          vanished = true;
          continue;
        }
        const known = this.#isVerified(file.key) ? countEvents(bytes) : null;
        const read: ReadFile = known === null ? readFile(bytes, siteId, day) : { rows: known, otherSite: null, faults: [] };
        const { rows, otherSite } = read;
        events += rows;
        if (otherSite !== null) misplaced.push({ file, siteId: otherSite });
        faults.push(...read.faults.map((reason): FileFault => [file.key, reason]));
        const inParts = await this.#countEvents(superseded.filter((part) => file.first <= part.first && part.last <= file.last));
        if (inParts > rows) faults.push([file.key, `it holds ${rows} events, but the files that it stands for hold ${inParts}`]);
      } catch (error) {
        faults.push([file.key, reasonOf(error)]);
      }
    }
    return { events, misplaced, vanished, faults };
  }

  /** Checks superseded files that can be read. They are not counted. */
  async #countEvents(files: readonly PartitionFile[]): Promise<number> {
    let events = 0;
    for (const { key } of files) {
      const bytes = await this.#data.objects.get(key).catch(() => null);
      events += (bytes && countEvents(bytes)) ?? 0;
    }
    return events;
  }

  async checkJournal(): Promise<void> {
    const { segmentLog } = this.#data;
    const listing = this.#listing();
    for (const segment of await segmentLog.list()) {
      let bytes: Uint8Array;
      try {
        bytes = await segmentLog.read(segment);
      } catch (error) {
        // A missing segment was flushed.
        if ((await segmentLog.list()).includes(segment)) this.#fault(segmentName(segment), reasonOf(error));
        continue;
      }
      const { events, damagedLines, tornBytes } = decodeJournalLines(bytes);
      this.#counts.segments++;
      if (damagedLines > 0) this.#fault(segmentName(segment), `${damagedLines} of its lines are damaged; the rest can be read`);
      if (tornBytes > 0) this.#counts.tornSegments++;
      const read = new Segment(segment);
      for (const event of events) read.add(bufferedEvent(event));
      for (const [siteId, days] of read.sites) {
        for (const [day, ofDay] of days) {
          const files = await listing.files(siteId, day);
          if (!isInFiles(segment, files)) this.#counts.unflushedEvents += ofDay.length;
        }
      }
    }
  }

  async checkRecords(): Promise<void> {
    const { records } = this.#data;
    const check = async (name: string, read: () => Promise<unknown>) => {
      try {
        await read();
      } catch (error) {
        this.#fault(name, reasonOf(error));
      }
    };
    await check(ADMIN_RECORD, () => readPasswordHash(records));
    await check(SESSIONS_RECORD, () => readPersistentSessions(records));
    await check(CALENDAR_RECORD, () => readDefaultCalendar(records));
    const checkFolder = async <T, Key extends string>(kind: RecordKind<T, Key>, what = `a record of ${kind.folder}`) => {
      for (const name of await records.list(`${kind.folder}/`))
        await check(name, async () => {
          if ((await readTableRecord(records, name, kind)) === null) throw new Error(`it is not ${what}, and is ignored`);
        });
    };
    for (const number of (await readableImports(records)).keys()) await check(importRecordName(number), () => readImport(records, number));
    await checkFolder(API_KEY_RECORDS, "an API key");
    await checkFolder(siteRecords(this.#sha256), "the record of a site");
    await checkFolder(renameRecords(this.#sha256), "the record of a rename");
    await checkFolder(SHARE_RECORDS, "a share link");
    await checkFolder(itemRecords(GOAL_KIND, this.#sha256));
    await checkFolder(itemRecords(SEGMENT_KIND, this.#sha256));
    await checkFolder(itemRecords(ANNOTATION_KIND, this.#sha256));
    await checkFolder(itemRecords(RULE_KIND, this.#sha256));
  }

  /** Sums of days, which only imports have: nothing else can make them again. */
  async checkDaySums(): Promise<void> {
    const { objects, records } = this.#data;
    const stored = (await objects.list(IMPORTS_FOLDER)).filter(({ key }) => parseDaySumsKey(key) !== null);
    // After the files, so that one that was written since has a record.
    const imports = await readableImports(records);
    for (const { key } of stored) {
      const record = imports.get(parseDaySumsKey(key)?.importNumber ?? 0);
      const bytes = await objects.get(key);
      // A damaged record is a fault of its own, and a file may be deleted with its import.
      if (bytes === null || record === null) continue;
      try {
        const { header } = openRollup(bytes);
        // The site in the header is that of the import, or the name that the site had when it was written.
        if (record === undefined) this.#fault(key, "its import has no record, so that reports leave it out");
        else if (header.definitions !== DAY_SUMS_DEFINITIONS) this.#fault(key, "it is of another version, and reports leave it out");
      } catch (error) {
        this.#fault(key, `it cannot be read: ${reasonOf(error)}`);
      }
    }
    for (const number of imports.keys()) {
      for (const key of await this.#missingDaySums(number)) this.#fault(key, "it is missing, so that reports leave out days of its import");
    }
  }

  /** Counts of dropped events. */
  async checkDayCounts(): Promise<void> {
    const { objects } = this.#data;
    for (const kind of COUNT_KINDS) {
      for (const { key } of await objects.list(kind.folder)) {
        const bytes = await objects.get(key);
        // It was erased, or is another site's now.
        if (bytes === null) continue;
        if (parseCountKey(key) === null) this.#fault(key, "it is not a file of counts, and is ignored");
        else await decodeCounts(kind, bytes).catch((error: unknown) => this.#fault(key, `it cannot be read: ${reasonOf(error)}`));
      }
    }
  }

  async #missingDaySums(importNumber: number): Promise<ObjectKey[]> {
    const { objects, records } = this.#data;
    const missing: ObjectKey[] = [];
    const record = await readImport(records, importNumber).catch(() => null);
    if (record?.state !== "shown" && record?.state !== "hidden") return missing;
    for (const index of record.dayFiles) {
      const key = daySumsKey(importNumber, index);
      if ((await objects.get(key)) !== null) continue;
      const now = await readImport(records, importNumber).catch(() => null);
      if (now?.dayFiles.includes(index) && now.state !== "deleting") missing.push(key);
    }
    return missing;
  }

  async checkRollups(options: RollupVerificationOptions): Promise<void> {
    const listing = () => this.#listing("shown");
    const onFault = (file: string, reason: string) => this.#fault(file, reason);
    const calendarOf = (siteId: SiteId): Calendar => this.#recorded.sites.calendarOf(siteId) ?? utcCalendar;
    const { arrivalRulesOf } = this.#recorded.sites;
    this.#counts.rollups = await verifyRollups({ objects: this.#data.objects, listing, onFault, calendarOf, arrivalRulesOf }, options);
  }
}

const segmentName = (segment: number): string => `journal segment ${segment}`;

/** Files with overlapping segment ranges: an event may be in both. Takes files oldest first. */
function overlaps(files: readonly PartitionFile[]): FileFault[] {
  return files.flatMap((file, i): FileFault[] => {
    const before = files[i - 1];
    if (!before || before.last < file.first) return [];
    return [[file.key, `its range of segments overlaps that of ${before.key}: events may be counted twice`]];
  });
}
