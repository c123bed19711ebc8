/** The records of imports: whose files an import has, how far it is, and whether it counts. A change of state is one atomic write. */
import { IMPORT_NUMBER_MAX } from "../../storage/partitions.ts";
import type { DaySpan, ImportedDays } from "../../storage/day-sums.ts";
import { isLocalDate, type EpochMs, type LocalDate, type SiteId } from "../../storage/event.ts";
import { isInstant, type JsonObject, readRecord, type RecordStore, replaceJsonRecord } from "../../storage/record-store.ts";
import { isObject } from "../base/body.ts";
import { IMPORT_CHANGES_WAITING_MAX } from "../base/config/limits.ts";
import { isSiteId } from "../base/config/names.ts";
import { AppError, conflict } from "../base/errors.ts";
import { SerialQueue } from "../base/queue.ts";
import type { SiteBelongings } from "../base/record-table.ts";
import { DAY_COUNT_NAMES, type DayCounts, LEFT_OUT_REASONS, type LeftOutReason } from "./rows.ts";
import type { Month } from "./manifest.ts";

/**
 * `receiving` until all files are there, `reading` until there is a manifest, `ready` until it is confirmed, `running` until all rows are
 * read. Only a `shown` import counts. One that `failed` has no files and no events. One that is `deleting` goes on being deleted at the
 * next start.
 */
export const IMPORT_STATES = ["receiving", "reading", "ready", "running", "shown", "hidden", "failed", "deleting"] as const;

export type ImportState = (typeof IMPORT_STATES)[number];

/** A file as it was given. */
export interface GivenFile {
  /** Names nothing in the data folder. */
  readonly name: string;
  readonly bytes: number;
}

/** How far a log that grows was read. */
export interface FollowedLog {
  /** Bytes of whole lines that were taken: the next lines begin there. */
  readonly bytes: number;
  /** What headers among the lines have said; null without any. */
  readonly header: string | null;
  /** Lines that could not be read. */
  readonly badRows: number;
  /** The days whose salt is stored: noted before it is, until after it was erased. */
  readonly saltDays: readonly LocalDate[];
}

/** What became of the hits and days of a month. */
export interface MonthOutcome {
  readonly imported: DayCounts;
  readonly leftOut: Readonly<Partial<Record<LeftOutReason, DayCounts>>>;
}

export type Outcome = Readonly<Record<Month, MonthOutcome>>;

export interface ImportRecord {
  /** Counted from 1; one sequence for the instance. A number is not used again, because files are named after it. */
  readonly number: number;
  readonly siteId: SiteId;
  readonly state: ImportState;
  /** Why the state is `failed`, in sentences; else null. */
  readonly failure: string | null;
  readonly createdAt: string;
  /** When it became what it is, or got a part of a file. */
  readonly changedAt: string;
  /**
   * Uploads are in the data folder. Files of the command line are read where they are, by one process. A merge has the events of another
   * site. A log grows while its import is shown or hidden, and its files count up to `files` only.
   */
  readonly door: "upload" | "command line" | "site" | "log";
  /** The site that was merged into this one, and is hidden while the import is shown; null for none, and when that cannot be undone any more. */
  readonly sourceSite: SiteId | null;
  readonly given: readonly GivenFile[];
  readonly hostname: string | null;
  readonly logFormat: string | null;
  /** SHA-256 of the files' contents, by which the same import is known again; null until they were read. */
  readonly contentHash: string | null;
  /** Words for people; null until it is known. */
  readonly product: string | null;
  /** The names of the formats whose rows are imported. */
  readonly formats: readonly string[];
  /** Hits from this instant on are left out, because the site has events of its own; null for none. */
  readonly endMs: EpochMs | null;
  /** Rows read and files written so far: what a run that goes on skips, and keeps. */
  readonly rows: number;
  readonly files: number;
  readonly events: number;
  /** Requests of AI crawlers that count so far. */
  readonly crawls: number;
  /** Times that reading began since there was progress, and was not seen to end: the process was killed, or had no memory. */
  readonly attempts: number;
  readonly firstDay: LocalDate | null;
  readonly lastDay: LocalDate | null;
  readonly outcome: Outcome;
  /** Files with sums of days so far, by their place, and the days that count of them: an erasure takes some away before it changes files. */
  readonly dayFiles: readonly number[];
  readonly days: readonly DaySpan[];
  /** Days that were erased while it ran: rows of them that are read later are left out. */
  readonly erased: readonly DaySpan[];
  /** How far its log was read, if it follows one; else null. */
  readonly followed: FollowedLog | null;
}

const FOLDER = "imports";

/** Keeps the highest number when its import is deleted. */
const LAST_NUMBER = `${FOLDER}/last.json`;

/** The name of an import's record among all records. */
export const importRecordName = (number: number): string => `${FOLDER}/${number}.json`;

/** The number in such a name; null for every other name. */
export const importNumberOf = (recordName: string): number | null => {
  const digits = /^imports\/(\d{1,6})\.json$/.exec(recordName)?.[1];
  return digits === undefined ? null : Number(digits);
};

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

const isTextOrNull = (value: unknown): value is string | null => value === null || typeof value === "string";

const isDayOrNull = (value: unknown): value is LocalDate | null => value === null || (typeof value === "string" && isLocalDate(value));

const isState = (value: unknown): value is ImportState => IMPORT_STATES.some((state) => state === value);

const isGiven = (value: unknown): value is GivenFile => isObject(value) && typeof value["name"] === "string" && isCount(value["bytes"]);

const isCounts = (value: unknown): value is DayCounts =>
  isObject(value) && Object.entries(value).every(([name, number]) => DAY_COUNT_NAMES.some((known) => known === name) && isCount(number));

const isSpan = (value: unknown): value is DaySpan =>
  Array.isArray(value) && value.length === 2 && value.every((day) => typeof day === "string" && isLocalDate(day));

const isFollowed = (value: unknown): value is FollowedLog =>
  isObject(value) &&
  isCount(value["bytes"]) &&
  isTextOrNull(value["header"]) &&
  isCount(value["badRows"]) &&
  Array.isArray(value["saltDays"]) &&
  value["saltDays"].every((day) => typeof day === "string" && isLocalDate(day));

const isOutcome = (value: unknown): value is Outcome =>
  isObject(value) &&
  Object.values(value).every(
    (month) =>
      isObject(month) &&
      isCounts(month["imported"]) &&
      isObject(month["leftOut"]) &&
      Object.entries(month["leftOut"]).every(([reason, counts]) => Object.hasOwn(LEFT_OUT_REASONS, reason) && isCounts(counts)),
  );

/** What each field must be; the messages name the field. */
const FIELDS: { readonly [Name in keyof ImportRecord]: readonly [is: (value: unknown) => boolean, rule: string] } = {
  number: [(value) => isCount(value) && value >= 1 && value <= IMPORT_NUMBER_MAX, "that of an import"],
  siteId: [(value) => typeof value === "string" && isSiteId(value), "the id of a site"],
  state: [isState, `one of ${IMPORT_STATES.join(", ")}`],
  failure: [isTextOrNull, "a text or null"],
  createdAt: [isInstant, "an instant"],
  changedAt: [isInstant, "an instant"],
  door: [(value) => ["upload", "command line", "site", "log"].some((door) => door === value), "a door"],
  sourceSite: [(value) => value === null || (typeof value === "string" && isSiteId(value)), "the id of a site or null"],
  given: [(value) => Array.isArray(value) && value.every(isGiven), "files"],
  hostname: [isTextOrNull, "a text or null"],
  logFormat: [isTextOrNull, "a text or null"],
  contentHash: [isTextOrNull, "a text or null"],
  product: [isTextOrNull, "a text or null"],
  formats: [(value) => Array.isArray(value) && value.every((name) => typeof name === "string"), "texts"],
  endMs: [(value) => value === null || Number.isSafeInteger(value), "an instant or null"],
  rows: [isCount, "a count"],
  files: [isCount, "a count"],
  events: [isCount, "a count"],
  crawls: [isCount, "a count"],
  attempts: [isCount, "a count"],
  firstDay: [isDayOrNull, "a date or null"],
  lastDay: [isDayOrNull, "a date or null"],
  outcome: [isOutcome, "counts by month"],
  dayFiles: [(value) => Array.isArray(value) && value.every(isCount), "counts"],
  days: [(value) => Array.isArray(value) && value.every(isSpan), "spans of dates"],
  erased: [(value) => Array.isArray(value) && value.every(isSpan), "spans of dates"],
  followed: [(value) => value === null || isFollowed(value), "the position in a log or null"],
};

function parseImport(recorded: JsonObject): ImportRecord {
  // Imports of earlier versions do not have these fields.
  const json: JsonObject = { sourceSite: null, erased: [], followed: null, crawls: 0, ...recorded };
  for (const [name, [is, rule]] of Object.entries(FIELDS)) if (!is(json[name])) throw new Error(`${name} must be ${rule}`);
  return json as unknown as ImportRecord;
}

type ReadableRecords = Pick<RecordStore, "list" | "read">;

/** null if there is none. Rejects if it is damaged. */
export const readImport = (records: ReadableRecords, number: number): Promise<ImportRecord | null> =>
  readRecord(records, importRecordName(number), parseImport);

const importNumbers = async (records: ReadableRecords): Promise<number[]> =>
  (await records.list(`${FOLDER}/`)).map(importNumberOf).filter((number) => number !== null);

/** Records by number; null for one that is damaged. */
export type ReadableImports = ReadonlyMap<number, ImportRecord | null>;

export async function readableImports(records: ReadableRecords): Promise<ReadableImports> {
  const imports = new Map<number, ImportRecord | null>();
  for (const number of await importNumbers(records)) {
    imports.set(number, await readImport(records, number).catch(() => null));
  }
  return imports;
}

export type NewImport = Pick<ImportRecord, "siteId" | "state" | "createdAt" | "door" | "given" | "hostname" | "logFormat"> &
  Partial<Pick<ImportRecord, "sourceSite" | "followed">>;

/** True while events of the source site are shown as those of the import, and the source is hidden. */
export const hidesSource = (record: ImportRecord): record is ImportRecord & { readonly sourceSite: SiteId } =>
  record.state === "shown" && record.sourceSite !== null;

/** Sites that were merged into another one. */
export const hiddenByMerges = (records: Iterable<ImportRecord | null>): ReadonlySet<SiteId> =>
  new Set([...records].flatMap((record) => (record !== null && hidesSource(record) ? [record.sourceSite] : [])));

/** Whether a file of the import counts, by its place among them: those of lines that may come again do not yet. */
export const showsFile = (record: ImportRecord | null | undefined, index: number): boolean =>
  record?.state === "shown" && (record.followed === null || index < record.files);

export class ImportRecords implements SiteBelongings<SiteId> {
  /** Changes of states, one after another. */
  readonly changes = new SerialQueue({ waitingMax: IMPORT_CHANGES_WAITING_MAX, retryAfterSecs: 1 });
  readonly #records: RecordStore;
  readonly #imports = new Map<number, ImportRecord>();
  /** The site that each merged site is part of. */
  #merged = new Map<SiteId, SiteId>();
  #lastTurn: Promise<unknown> = Promise.resolve();
  /** The highest number that was used, by an import that was deleted since, too. */
  #lastNumber = 0;

  private constructor(records: RecordStore) {
    this.#records = records;
  }

  /** Rejects when a record is damaged: skipping it would hide events, or show those that were hidden. */
  static async open(records: RecordStore): Promise<ImportRecords> {
    const opened = new ImportRecords(records);
    for (const number of await importNumbers(records)) {
      const record = await readImport(records, number);
      if (record) opened.#set(record);
    }
    const last = await readRecord(records, LAST_NUMBER, ({ number }) => {
      if (!isCount(number)) throw new Error("number must be a count");
      return number;
    });
    opened.#lastNumber = Math.max(opened.#lastNumber, last ?? 0);
    return opened;
  }

  #set(record: ImportRecord): void {
    this.#imports.set(record.number, record);
    this.#lastNumber = Math.max(this.#lastNumber, record.number);
    this.#deriveMerged();
  }

  #deriveMerged(): void {
    this.#merged = new Map([...this.#imports.values()].filter(hidesSource).map(({ sourceSite, siteId }) => [sourceSite, siteId]));
  }

  /** The site that a site was merged into; null for most. */
  readonly mergedInto = (siteId: SiteId): SiteId | null => this.#merged.get(siteId) ?? null;

  /** The sites that were merged into others. */
  get mergedSites(): Iterable<SiteId> {
    return this.#merged.keys();
  }

  /** The sites that were merged into a site. */
  mergedSitesOf(siteId: SiteId): SiteId[] {
    return [...this.#merged].filter(([, into]) => into === siteId).map(([merged]) => merged);
  }

  // See `SiteBelongings`.

  inTurn<Result>(task: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    return this.changes.run(task, signal);
  }

  hasSite(siteId: SiteId): boolean {
    return this.all.some((record) => record.siteId === siteId);
  }

  moveSite(from: SiteId, to: SiteId): void {
    for (const record of this.all) if (record.siteId === from) this.#set({ ...record, siteId: to });
  }

  async saveMoved(_from: SiteId, to: SiteId): Promise<void> {
    for (const record of this.all) if (record.siteId === to) await this.put(record);
  }

  /** Oldest first. */
  get all(): readonly ImportRecord[] {
    return [...this.#imports.values()].sort((a, b) => a.number - b.number);
  }

  get(number: number): ImportRecord | null {
    return this.#imports.get(number) ?? null;
  }

  /** The record; 404 without one, and 409 if its state is none of these. */
  existing(number: number, states: readonly ImportState[] | null = null): ImportRecord {
    const record = this.get(number);
    if (record === null) throw new AppError({ code: "not_found" }, `There is no import #${number}`);
    if (states && !states.includes(record.state)) throw conflict(`Import #${number} is ${record.state}, and not ${states.join(" or ")}`);
    return record;
  }

  /** See `PartitionsOptions`. */
  readonly isShown = (number: number, index: number): boolean => showsFile(this.#imports.get(number), index);

  /** Shown imports of the site with sums of days. */
  daysOf(siteId: SiteId): readonly ImportedDays[] {
    return this.all
      .filter((record) => record.siteId === siteId && record.state === "shown" && record.days.length > 0)
      .map(({ number, dayFiles, days }) => ({ import: number, files: dayFiles, days }));
  }

  /** How many rows of an import count; 0 for one that is not shown. */
  readonly rowsShownOf = (number: number): number => {
    const record = this.get(number);
    return record?.state === "shown" ? record.rows : 0;
  };

  /** True once all of an import counts, or would if it were shown. */
  isComplete(number: number): boolean {
    const state = this.get(number)?.state;
    return state === "shown" || state === "hidden";
  }

  /** Sites of which complete imports have sums of days, shown or hidden. */
  get sitesWithDays(): ReadonlySet<SiteId> {
    const isComplete = ({ state }: ImportRecord) => state === "shown" || state === "hidden";
    return new Set(this.all.filter((record) => isComplete(record) && record.days.length > 0).map(({ siteId }) => siteId));
  }

  /** The number of another import of the site with the same content, which is complete or about to be. */
  withContent(siteId: SiteId, contentHash: string, except: number): number | null {
    const isSame = (record: ImportRecord) =>
      record.number !== except && record.siteId === siteId && record.contentHash === contentHash && record.state !== "failed";
    return this.all.find(isSame)?.number ?? null;
  }

  /** `number` is given where another instance counts. */
  async add(added: NewImport, number = this.#lastNumber + 1): Promise<ImportRecord> {
    const created: ImportRecord = {
      sourceSite: null,
      followed: null,
      ...added,
      number,
      changedAt: added.createdAt,
      failure: null,
      contentHash: null,
      product: null,
      formats: [],
      endMs: null,
      rows: 0,
      files: 0,
      events: 0,
      crawls: 0,
      attempts: 0,
      firstDay: null,
      lastDay: null,
      outcome: {},
      dayFiles: [],
      days: [],
      erased: [],
    };
    // Before the first wait, so that nobody else gets the number.
    this.#lastNumber = Math.max(this.#lastNumber, number);
    await this.put(created);
    return created;
  }

  /** Runs a change of an import that runs after all earlier ones: an erasure changes the same record and files as the run does. */
  alone<Result>(change: () => Promise<Result>): Promise<Result> {
    const turn = this.#lastTurn.then(change);
    this.#lastTurn = turn.catch(() => {
      // The caller of that change gets its error.
    });
    return turn;
  }

  /** Makes a record durable and then lets it count. */
  async put(record: ImportRecord): Promise<void> {
    await replaceJsonRecord(this.#records, importRecordName(record.number), record);
    this.#set(record);
  }

  async remove(number: number): Promise<void> {
    const isHighest = ![...this.#imports.keys()].some((other) => other > number);
    if (isHighest) await replaceJsonRecord(this.#records, LAST_NUMBER, { number: this.#lastNumber });
    await this.#records.remove(importRecordName(number));
    this.#imports.delete(number);
    this.#deriveMerged();
  }
}
