/**
 * Inserts the events of this node's files into ClickHouse, each once, whatever it already stores, while no process uses the data folder.
 * Events of the journal are left to the next start, which inserts them.
 */
import type { LocalDate, SiteId } from "../../../storage/event.ts";
import { readJsonRecord, type RecordStore, replaceJsonRecord } from "../../../storage/record-store.ts";
import type { ObjectKey } from "../../../storage/object-store.ts";
import { countEvents } from "../../../storage/parquet-events.ts";
import { checkSeal } from "../../../storage/checksum.ts";
import type { PartitionFile, Partitions } from "../../../storage/partitions.ts";
import { toHex } from "../../base/bytes.ts";
import { FAULTS_KEPT_MAX } from "../../base/config/limits.ts";
import { reasonOf } from "../../base/metrics/log.ts";
import type { ClickhouseEvents, StoredSegment, StoredSegments } from "../clickhouse-events.ts";

const RECORD = "reindex.json";

const TOKEN_BYTES = 16;

/**
 * The deduplication tokens of inserts from files. The server may still complete the last insert of a run that was killed, so the next
 * run repeats it with the same token: one of both has no effect. All other inserts have new tokens, because the server also knows
 * those whose rows were deleted since. So the token is durable before its insert begins.
 */
async function openTokens({ records, randomBytes }: Pick<ReindexOptions, "records" | "randomBytes">) {
  const last = (await readJsonRecord(records, RECORD)) ?? {};
  return {
    /** The token of the last insert of a run that was interrupted, if it was of this file. */
    interrupted: (file: ObjectKey): string | null => (last["key"] === file && typeof last["token"] === "string" ? last["token"] : null),
    async next(key: ObjectKey): Promise<string> {
      const token = toHex(randomBytes(TOKEN_BYTES));
      await replaceJsonRecord(records, RECORD, { key, token });
      return token;
    },
    forget: () => records.remove(RECORD),
  };
}

type Tokens = Awaited<ReturnType<typeof openTokens>>;

interface ReindexOptions {
  readonly partitions: Partitions;
  readonly records: RecordStore;
  readonly journaled: readonly number[];
  readonly stored: StoredSegments;
  readonly events: ClickhouseEvents;
  readonly randomBytes: (length: number) => Uint8Array;
  /** True if the day's events are about to be erased on request. */
  readonly isErased: (siteId: SiteId, day: LocalDate) => boolean;
  /** Called with each file that ClickHouse has. */
  readonly onFile: (bytes: number) => void;
}

export interface ReindexReport {
  readonly sites: number;
  readonly files: number;
  readonly events: number;
  /** Files whose events were inserted, and their events. */
  readonly insertedFiles: number;
  readonly insertedEvents: number;
  /** Rows that are in no file, or that were there more or less than once. */
  readonly deletedRows: number;
  /** The first of them, at most `FAULTS_KEPT_MAX`. */
  readonly differences: readonly string[];
  readonly differenceCount: number;
}

interface CheckedFile {
  readonly file: PartitionFile;
  /** Events in ClickHouse of a file that cannot be read. */
  readonly events: number;
  /** ClickHouse has it whole, or it cannot be read. */
  readonly isDone: boolean;
  readonly hasRows: boolean;
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

const isWithin = ({ segment }: Pick<StoredSegment, "segment">, { first, last }: PartitionFile): boolean =>
  first <= segment && segment <= last;

/** True if these rows are the events of a file, each once. */
const isComplete = (rows: readonly StoredSegment[], events: number): boolean =>
  sumOf(rows.map((row) => row.rows)) === events && sumOf(rows.map((row) => row.distinct)) === events;

/** May be repeated after a kill at any point: what is there already stays. */
export async function reindex(options: ReindexOptions): Promise<ReindexReport> {
  const tokens = await openTokens(options);
  const run = new Reindex(options, tokens);
  for (const siteId of await run.sites()) await run.site(siteId);
  await tokens.forget();
  return run.report();
}

class Reindex {
  readonly #options: ReindexOptions;
  readonly #tokens: Tokens;
  readonly #differences: string[] = [];
  #differenceCount = 0;
  readonly #counts = { sites: 0, files: 0, events: 0, insertedFiles: 0, insertedEvents: 0, deletedRows: 0 };

  constructor(options: ReindexOptions, tokens: Tokens) {
    this.#options = options;
    this.#tokens = tokens;
  }

  report(): ReindexReport {
    return { ...this.#counts, differences: this.#differences, differenceCount: this.#differenceCount };
  }

  async sites(): Promise<SiteId[]> {
    const { partitions, stored } = this.#options;
    return [...new Set([...(await partitions.sites()), ...(await stored.sites())])].sort();
  }

  /** Each day, and then a comparison of all days with what ClickHouse has. */
  async site(siteId: SiteId): Promise<void> {
    const { partitions, stored, journaled } = this.#options;
    const before = await stored.days(siteId, journaled);
    const expected = new Map<LocalDate, number>();
    for (const day of [...new Set([...(await partitions.days(siteId)), ...before.keys()])].sort()) {
      expected.set(day, await this.#day(siteId, day));
    }
    const after = await stored.days(siteId, journaled);
    for (const [day, events] of expected) {
      const { rows, distinct } = after.get(day) ?? { rows: 0, distinct: 0 };
      if (rows !== events || distinct !== events)
        this.#differ(`${siteId} ${day}: the files have ${events} events, and ClickHouse has ${distinct} in ${rows} rows`);
    }
    this.#counts.sites++;
  }

  /** Makes the rows of the day those of its files; returns how many events these have. */
  async #day(siteId: SiteId, day: LocalDate): Promise<number> {
    const { settled, unsettled } = await this.#filesOf(siteId, day);
    const rows = await this.#options.stored.segments(siteId, day);
    const checked: CheckedFile[] = [];
    for (const file of settled) checked.push(await this.#check(file, rows));
    // All of them before the first insert: a deletion names what it keeps.
    const kept = [...unsettled, ...checked.filter(({ isDone }) => isDone).map(({ file }) => file)];
    await this.#deleteRows(siteId, day, rows, (row) => !this.#isJournaled(row) && !kept.some((file) => isWithin(row, file)));
    for (const checkedFile of checked) if (!checkedFile.isDone) await this.#insert(siteId, checkedFile);
    return sumOf(checked.map(({ events }) => events));
  }

  /** Segments of `unsettled` files are still in the journal. */
  async #filesOf(siteId: SiteId, day: LocalDate): Promise<Record<"settled" | "unsettled", readonly PartitionFile[]>> {
    const { partitions, journaled, isErased } = this.#options;
    if (isErased(siteId, day)) return { settled: [], unsettled: [] };
    const files = await partitions.files(siteId, day);
    const isUnsettled = ({ first, last }: PartitionFile) => journaled.some((number) => first <= number && number <= last);
    return { settled: files.filter((file) => !isUnsettled(file)), unsettled: files.filter(isUnsettled) };
  }

  #isJournaled({ segment }: StoredSegment): boolean {
    return this.#options.journaled.includes(segment);
  }

  async #deleteRows(
    siteId: SiteId,
    day: LocalDate,
    rows: readonly StoredSegment[],
    isWrong: (row: StoredSegment) => boolean,
  ): Promise<void> {
    const wrong = rows.filter(isWrong);
    if (wrong.length === 0) return;
    const kept = rows.filter((row) => !isWrong(row)).map(({ segment }) => segment);
    await this.#options.events.delete(siteId, day, day, kept);
    this.#counts.deletedRows += sumOf(wrong.map((row) => row.rows));
  }

  /** A file that cannot be read is a difference, and its rows stay. */
  async #check(file: PartitionFile, rows: readonly StoredSegment[]): Promise<CheckedFile> {
    const found = rows.filter((row) => isWithin(row, file));
    const hasRows = found.length > 0;
    const bytes = await this.#options.partitions.read(file);
    const events = bytes === null ? null : this.#eventsIn(file, bytes);
    if (bytes === null || events === null) return { file, events: sumOf(found.map((row) => row.rows)), isDone: true, hasRows };
    this.#counts.files++;
    this.#counts.events += events;
    const isDone = isComplete(found, events);
    if (isDone) this.#options.onFile(bytes.length);
    return { file, events, isDone, hasRows };
  }

  #eventsIn(file: PartitionFile, bytes: Uint8Array): number | null {
    try {
      checkSeal(bytes);
      return countEvents(bytes);
    } catch (error) {
      this.#differ(`${file.key} cannot be read: ${reasonOf(error)}`);
      return null;
    }
  }

  /** If the file had rows, which were deleted, the interrupted insert of an earlier run has ended. */
  async #insert(siteId: SiteId, { file, events, hasRows }: CheckedFile): Promise<void> {
    const { partitions, onFile } = this.#options;
    const parquet = await partitions.read(file);
    if (parquet === null) return;
    const interrupted = hasRows ? null : this.#tokens.interrupted(file.key);
    const isRepeated = interrupted !== null && (await this.#repeat(siteId, file, { parquet, events }, interrupted));
    if (!isRepeated) await this.#insertAs(siteId, file, parquet, await this.#tokens.next(file.key));
    this.#counts.insertedFiles++;
    this.#counts.insertedEvents += events;
    onFile(parquet.length);
  }

  /** True if ClickHouse has the file now. It has not if it ignored the insert, because its rows were deleted since. */
  async #repeat(
    siteId: SiteId,
    file: PartitionFile,
    { parquet, events }: { parquet: Uint8Array; events: number },
    token: string,
  ): Promise<boolean> {
    await this.#insertAs(siteId, file, parquet, token);
    const rows = await this.#options.stored.segments(siteId, file.day);
    const found = rows.filter((row) => isWithin(row, file));
    if (isComplete(found, events)) return true;
    await this.#deleteRows(siteId, file.day, rows, (row) => isWithin(row, file));
    return false;
  }

  /** The rows of a file have the number of its first segment, which orders them as those of the segments. */
  #insertAs(siteId: SiteId, { day, first }: PartitionFile, parquet: Uint8Array, token: string): Promise<void> {
    return this.#options.events.insert({ sites: [siteId], day, segment: first, isFile: true, parquet, isRepeated: false, token });
  }

  #differ(difference: string): void {
    this.#differenceCount++;
    if (this.#differences.length < FAULTS_KEPT_MAX) this.#differences.push(difference);
  }
}
