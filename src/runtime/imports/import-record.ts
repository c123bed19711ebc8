/** The records of imports: whose files an import has, how far it is, and whether it counts. A change of state is one atomic write. */
import { IMPORT_NUMBER_MAX } from "../../storage/partitions.ts";
import { isLocalDate, type LocalDate, type SiteId } from "../../storage/event.ts";
import { isInstant, type JsonObject, readRecord, type RecordStore, replaceJsonRecord } from "../../storage/record-store.ts";
import { isSiteId } from "../base/config/names.ts";
import { AppError } from "../base/errors.ts";

/** `running` until all rows are read; only a `shown` import counts; one that is `deleting` goes on being deleted at the next start. */
const STATES = ["running", "shown", "hidden", "deleting"] as const;

export type ImportState = (typeof STATES)[number];

export interface ImportRecord {
  /** Counted from 1; one sequence for the instance. A number is not used again, because files are named after it. */
  readonly number: number;
  readonly siteId: SiteId;
  readonly state: ImportState;
  readonly createdAt: string;
  /** SHA-256 of the files' contents, by which the same import is known again. */
  readonly contentHash: string;
  readonly product: string;
  /** Rows read and files written so far: what a run that goes on skips, and keeps. */
  readonly rows: number;
  readonly files: number;
  readonly events: number;
  readonly firstDay: LocalDate | null;
  readonly lastDay: LocalDate | null;
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

const isDayOrNull = (value: unknown): value is LocalDate | null => value === null || (typeof value === "string" && isLocalDate(value));

const isState = (value: unknown): value is ImportState => STATES.some((state) => state === value);

function parseImport(json: JsonObject): ImportRecord {
  const { number, siteId, state, createdAt, contentHash, product, rows, files, events, firstDay, lastDay } = json;
  if (!isCount(number) || number < 1 || number > IMPORT_NUMBER_MAX) throw new Error("number must be that of an import");
  if (typeof siteId !== "string" || !isSiteId(siteId)) throw new Error("siteId must be the id of a site");
  if (!isState(state)) throw new Error(`state must be one of ${STATES.join(", ")}`);
  if (!isInstant(createdAt)) throw new Error("createdAt must be an instant");
  if (typeof contentHash !== "string" || typeof product !== "string") throw new Error("contentHash and product must be texts");
  if (!isCount(rows) || !isCount(files) || !isCount(events)) throw new Error("rows, files and events must be counts");
  if (!isDayOrNull(firstDay) || !isDayOrNull(lastDay)) throw new Error("firstDay and lastDay must be dates or null");
  return { number, siteId, state, createdAt, contentHash, product, rows, files, events, firstDay, lastDay };
}

type ReadableRecords = Pick<RecordStore, "list" | "read">;

/** null if there is none. Rejects if it is damaged. */
export const readImport = (records: ReadableRecords, number: number): Promise<ImportRecord | null> =>
  readRecord(records, importRecordName(number), parseImport);

const importNumbers = async (records: ReadableRecords): Promise<number[]> =>
  (await records.list(`${FOLDER}/`)).map(importNumberOf).filter((number) => number !== null);

/** By number; null for a record that is damaged. */
export type ReadableImports = ReadonlyMap<number, ImportRecord | null>;

export async function readableImports(records: ReadableRecords): Promise<ReadableImports> {
  const imports = new Map<number, ImportRecord | null>();
  for (const number of await importNumbers(records)) {
    imports.set(number, await readImport(records, number).catch(() => null));
  }
  return imports;
}

const alreadyImported = (number: number): AppError =>
  new AppError({ code: "already_configured" }, `The same files are already imported as #${number}.`);

type NewImport = Pick<ImportRecord, "siteId" | "createdAt" | "contentHash" | "product">;

export class ImportRecords {
  readonly #records: RecordStore;
  readonly #imports = new Map<number, ImportRecord>();
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
  }

  /** Oldest first. */
  get all(): readonly ImportRecord[] {
    return [...this.#imports.values()].sort((a, b) => a.number - b.number);
  }

  get(number: number): ImportRecord | null {
    return this.#imports.get(number) ?? null;
  }

  /** See `PartitionsOptions`. */
  readonly isShown = (number: number): boolean => this.#imports.get(number)?.state === "shown";

  /** 409 if the site has an import of the same content. */
  async add(added: NewImport): Promise<ImportRecord> {
    const same = this.all.find(({ siteId, contentHash }) => siteId === added.siteId && contentHash === added.contentHash);
    if (same) throw alreadyImported(same.number);
    const record = { ...added, number: this.#lastNumber + 1, state: "running", rows: 0, files: 0, events: 0 } as const;
    const created: ImportRecord = { ...record, firstDay: null, lastDay: null };
    await this.put(created);
    return created;
  }

  /** Makes a record durable and then lets it count. */
  async put(record: ImportRecord): Promise<void> {
    await replaceJsonRecord(this.#records, importRecordName(record.number), record);
    this.#set(record);
  }

  async remove(number: number): Promise<void> {
    if (number === this.#lastNumber) await replaceJsonRecord(this.#records, LAST_NUMBER, { number });
    await this.#records.remove(importRecordName(number));
    this.#imports.delete(number);
  }
}
