/**
 * An import, from its first row to its deletion. Hits become files of events, rows of days files of sums; both count nothing until all are written; then one write of the
 * record shows them. A run that was interrupted goes on at its last checkpoint: it reads the same rows again and skips those it has.
 */
import { type EpochMs, type EventText, eventText, type LocalDate, type StoredEvent } from "../../storage/event.ts";
import type { EventStore } from "../../storage/event-store.ts";
import { daysOfSpans, isInSpans, spansOf } from "../../storage/day-sums.ts";
import { IMPORT_NUMBERS, importFileNumber } from "../../storage/partitions.ts";
import { importSecretName, type SecretStore, type StoredSecret } from "../../storage/secret-store.ts";
import { fromHex, toHex } from "../base/bytes.ts";
import { IMPORT_DAY_FILES_MAX, IMPORT_DAY_TEXT_CHARS } from "../base/config/limits.ts";
import { PAGEVIEW } from "../base/config/names.ts";
import type { HmacKey } from "../ingest/visitor-salt.ts";
import type { CrawlRow, DayCounts, DayRow, Hit, LeftOutReason, Row } from "./rows.ts";
import type { Recognition } from "./formats/format.ts";
import { UnreadableFile } from "./files/file.ts";
import { eventOfHit, type HitEventsOptions } from "./hit-events.ts";
import { Duplicates, type IdentityStore, type OtherImport } from "./identities.ts";
import { CrawlCounts, type StoredCrawls } from "./crawl-counts.ts";
import { DaySums, PropertyKeys } from "./day-sums.ts";
import type { ImportRecord, ImportRecords, MonthOutcome } from "./import-record.ts";
import { addedCounts, type Month, monthOf } from "./manifest.ts";
import type { StoredDaySums } from "./stored-day-sums.ts";

export const SALT_BYTES = 32;

const NOTHING_READ = {
  rows: 0,
  files: 0,
  events: 0,
  firstDay: null,
  lastDay: null,
  crawls: 0,
  outcome: {},
  dayFiles: [],
  days: [],
} as const;

interface HitImportsOptions {
  readonly eventStore: Pick<EventStore, "addImportFile" | "changeHidden" | "changeShown" | "deleteImport" | "deleteReplicated">;
  readonly records: ImportRecords;
  readonly secrets: SecretStore;
  readonly identities: IdentityStore;
  readonly daySums: StoredDaySums;
  readonly crawls: StoredCrawls;
  readonly randomBytes: (length: number) => Uint8Array;
  /** Events that are in memory before they are written: `IMPORT_CHECKPOINT_EVENTS`. */
  readonly checkpointEvents: number;
  /** Values of days that are: `IMPORT_DAY_GROUPS`. */
  readonly checkpointGroups: number;
  readonly now: () => EpochMs;
  /** Drops the site's cached results. */
  readonly dropSite: (siteId: ImportRecord["siteId"]) => void;
}

interface HitSource {
  /** Each with the name of its format. */
  readonly files: readonly (Recognition["files"][number] & { readonly format: string })[];
  /** The other imports of the site that are complete. */
  readonly others: readonly OtherImport[];
  readonly events: Omit<HitEventsOptions, "salt">;
}

export class HitImports {
  readonly #options: HitImportsOptions;

  constructor(options: HitImportsOptions) {
    this.#options = options;
  }

  /**
   * Reads all rows, or the rest of them, and shows the import. `onRows` is called for each batch, and rejects to end the run. If `isLate`
   * after a checkpoint, the run ends there, and returns false. After that, a rejection or a kill it may be called again with the same files.
   */
  async run(
    number: number,
    source: HitSource,
    onRows: (rows: number) => Promise<void> = async () => {},
    isLate: () => boolean = () => false,
  ): Promise<boolean> {
    const secret = this.#secretOf(number);
    const { salt, record } = await this.#begun(number, secret, source.events.hmac);
    const events = { ...source.events, salt };
    const duplicates = await Duplicates.open(this.#options.identities, number, record.files, source.others);
    const crawledDays = await this.#crawledDays(record);
    const parts = new Parts(record, duplicates, { ...this.#options, events, crawledDays });
    const firstOwnDay = record.endMs === null ? null : events.calendar.dateOf(record.endMs);
    const properties = new PropertyKeys();
    let row = 0;
    for (const file of source.files) {
      for await (const rows of file.read()) {
        await duplicates.load(daysOf(rows, events.calendar));
        for (const each of rows) {
          // Also of rows that are skipped, so that a run that goes on has the same properties.
          const isAdmitted = each.kind !== "day" || properties.admits(each);
          if (++row <= record.rows || !isAdmitted) continue;
          if (each.kind === "day") parts.noteDay(each, reasonToLeaveOut(each, firstOwnDay, source.others));
          if (each.kind === "crawl") parts.noteCrawl(each);
          if (each.kind !== "hit") continue;
          const day = events.calendar.dateOf(each.atMs);
          const event = each.atMs >= (record.endMs ?? Infinity) ? "own_day" : eventOfHit(each, row, events);
          parts.note(each, day, typeof event === "string" ? event : (duplicates.leftOut(each, day, file.format) ?? event));
        }
        if (parts.isFull) {
          await parts.write(row);
          if (isLate()) return false;
        }
        await onRows(rows.length);
      }
    }
    await parts.write(Math.max(row, record.rows));
    await this.#setState(number, "shown");
    await secret.erase();
    return true;
  }

  /** Days whose requests of crawlers are counted already, as a server reported them or another import has them. */
  async #crawledDays({ number, siteId }: ImportRecord): Promise<ReadonlySet<LocalDate>> {
    const { crawls, records } = this.#options;
    return (await crawls?.daysWithout(siteId, (other) => other === number || !records.isComplete(other))) ?? new Set();
  }

  /** Says why there will be no more events, and deletes those that a run has written. */
  async fail(number: number, failure: string): Promise<void> {
    const { records } = this.#options;
    await records.alone(() => records.put({ ...records.existing(number), ...NOTHING_READ, ...this.#in("failed"), failure }));
    await this.clear(number);
  }

  /** Deletes all files of an import that is not shown, and its salt. */
  async clear(number: number): Promise<void> {
    const { crawls, daySums, eventStore, identities, records } = this.#options;
    const { siteId } = records.existing(number);
    await eventStore.deleteReplicated(siteId, number);
    await eventStore.deleteImport(siteId, number);
    await identities.remove(number);
    await daySums.removeBut(number, []);
    await crawls?.removeImported(siteId, number);
    await this.#secretOf(number).erase();
    for (const day of records.existing(number).followed?.saltDays ?? [])
      await this.#options.secrets.secret(importSecretName(number, day)).erase();
  }

  /** The record and salt to go on with. Files after the last checkpoint are deleted: they would count twice with another grouping of rows. */
  async #begun(number: number, secret: StoredSecret, { keyFrom }: HitEventsOptions["hmac"]) {
    const { crawls, daySums, eventStore, records, randomBytes } = this.#options;
    const stored = await secret.read();
    const from = await records.alone(async () => {
      const record = records.existing(number, ["running"]);
      // Without the salt, visitors would count once more on days that are partly read.
      if (stored === null) await records.put({ ...record, ...NOTHING_READ });
      await daySums.restore(number);
      return records.existing(number);
    });
    await eventStore.deleteImport(from.siteId, number, from.files);
    await crawls?.removeImported(from.siteId, number, from.rows);
    const salt = stored === null ? randomBytes(SALT_BYTES) : fromHex(stored);
    if (stored === null) await secret.write(toHex(salt));
    return { record: from, salt: keyFrom(salt) as HmacKey };
  }

  hide(number: number): Promise<void> {
    this.#options.records.existing(number, ["shown"]);
    return this.#setState(number, "hidden");
  }

  show(number: number): Promise<void> {
    this.#options.records.existing(number, ["hidden"]);
    return this.#setState(number, "shown");
  }

  /** Ends what a kill has interrupted of an import that has ended: it has no salt, and the replica has nothing of one that is hidden. */
  async repair(number: number): Promise<void> {
    const { eventStore, records } = this.#options;
    const { siteId, state } = records.existing(number);
    if (state === "hidden") await eventStore.deleteReplicated(siteId, number);
    await this.#secretOf(number).erase();
  }

  /** Ends to count, whatever state it is in, so that the rest of it may be deleted. */
  async end(number: number): Promise<void> {
    if (this.#options.records.existing(number).state !== "deleting") await this.#setState(number, "deleting");
    await this.clear(number);
  }

  async #setState(number: number, state: ImportRecord["state"]): Promise<void> {
    const { eventStore, records, dropSite } = this.#options;
    const { siteId, sourceSite } = records.existing(number);
    // The record as it is then: an erasure may have changed it before.
    const change = () => records.put({ ...records.existing(number), ...this.#in(state) });
    try {
      if (sourceSite === null) await eventStore.changeShown(siteId, number, state === "shown", change);
      else await eventStore.changeHidden([sourceSite, siteId], change);
    } finally {
      dropSite(siteId);
      if (sourceSite !== null) dropSite(sourceSite);
    }
  }

  #in(state: ImportRecord["state"]): Pick<ImportRecord, "state" | "changedAt"> {
    return { state, changedAt: new Date(this.#options.now()).toISOString() };
  }

  #secretOf(number: number): StoredSecret {
    return this.#options.secrets.secret(importSecretName(number));
  }
}

interface PartsOptions extends Pick<
  HitImportsOptions,
  "eventStore" | "records" | "checkpointEvents" | "checkpointGroups" | "crawls" | "daySums"
> {
  readonly events: HitEventsOptions;
  readonly crawledDays: ReadonlySet<LocalDate>;
}

const daysOf = (rows: readonly Row[], calendar: HitEventsOptions["calendar"]): ReadonlySet<LocalDate> =>
  new Set(rows.flatMap((row) => (row.kind === "hit" ? [calendar.dateOf(row.atMs)] : [])));

/** Days have no times, so the first own day is left out as a whole. */
function reasonToLeaveOut({ date }: DayRow, firstOwnDay: LocalDate | null, others: readonly OtherImport[]): LeftOutReason | null {
  if (firstOwnDay !== null && date >= firstOwnDay) return "own_day";
  return others.some(({ days }) => days.has(date)) ? "imported_day" : null;
}

/** Adds what was imported of a day, or was left out for a reason. */
export function addOutcome(all: Map<Month, MonthOutcome>, day: LocalDate, counts: DayCounts, reason: LeftOutReason | null): void {
  const month = monthOf(day);
  const { imported, leftOut } = all.get(month) ?? { imported: { pageviews: 0, events: 0 }, leftOut: {} };
  const outcome =
    reason === null
      ? { imported: addedCounts(imported, counts), leftOut }
      : { imported, leftOut: { ...leftOut, [reason]: addedCounts(leftOut[reason], counts) } };
  all.set(month, outcome);
}

const NOTHING: DayCounts = {};

export const countsOfHit = ({ name }: Hit): DayCounts => (name === PAGEVIEW ? { pageviews: 1, events: 0 } : { pageviews: 0, events: 1 });

/** What of a row of days is reconciled: other tables count the same visits again. */
const reconciled = ({ table, counts: { events = 0, ...ofVisits } }: DayRow): DayCounts =>
  table === "totals" ? ofVisits : table === "events" ? { events } : NOTHING;

const TEXTS_BYTES_FIRST = 4096;
const BYTES_PER_UNIT_MAX = 3;
const LINE_FEED = 10;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Events of a day as bytes: strings that outlive many batches would let the heap grow to several times their size before they are collected. */
class DayTexts {
  #bytes = new Uint8Array(TEXTS_BYTES_FIRST);
  #length = 0;

  add(text: EventText): void {
    const lengthMax = this.#length + text.length * BYTES_PER_UNIT_MAX + 1;
    if (lengthMax > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(lengthMax, 2 * this.#bytes.length));
      grown.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = grown;
    }
    this.#length += encoder.encodeInto(text, this.#bytes.subarray(this.#length)).written;
    // JSON has none inside.
    this.#bytes[this.#length++] = LINE_FEED;
  }

  get texts(): EventText[] {
    return decoder.decode(this.#bytes.subarray(0, this.#length - 1)).split("\n") as EventText[];
  }
}

/** Events and sums of days that are not written yet, and the checkpoints of those that are. */
class Parts {
  readonly #options: PartsOptions;
  readonly #days = new Map<LocalDate, DayTexts>();
  readonly #outcome: Map<Month, MonthOutcome>;
  readonly #duplicates: Duplicates;
  readonly #number: number;
  readonly #crawls: CrawlCounts;
  #events = 0;
  #sums: DaySums;

  constructor(record: ImportRecord, duplicates: Duplicates, options: PartsOptions) {
    this.#number = record.number;
    this.#sums = new DaySums(options.events);
    this.#crawls = new CrawlCounts(options.events);
    this.#duplicates = duplicates;
    this.#options = options;
    this.#outcome = new Map(Object.entries(record.outcome));
  }

  get isFull(): boolean {
    const { checkpointEvents, checkpointGroups } = this.#options;
    const isFullOfHits = this.#events >= checkpointEvents || this.#crawls.rows >= checkpointEvents;
    return isFullOfHits || this.#sums.groups >= checkpointGroups || this.#sums.chars >= IMPORT_DAY_TEXT_CHARS;
  }

  /** Takes the event of a hit, or notes why it has none. */
  note(hit: Hit, day: LocalDate, event: StoredEvent | LeftOutReason): void {
    this.#count(day, countsOfHit(hit), typeof event === "string" ? event : null);
    if (typeof event === "string") return;
    const ofDay = this.#days.get(event.date) ?? new DayTexts();
    this.#days.set(event.date, ofDay);
    ofDay.add(eventText(event));
    this.#events++;
  }

  /** Takes a row of days, unless there is a reason to leave it out. */
  noteDay(row: DayRow, reason: LeftOutReason | null): void {
    const left = reason ?? (isInSpans(this.#options.records.existing(this.#number).erased, row.date) ? "erased_day" : null);
    this.#count(row.date, reconciled(row), left);
    if (left === null) this.#sums.add(row);
  }

  /** Takes a request of a crawler, unless those of its day are counted already. */
  noteCrawl(row: CrawlRow): void {
    this.#crawls.add(row, (day) => this.#options.crawledDays.has(day));
  }

  #count(day: LocalDate, counts: DayCounts, reason: LeftOutReason | null): void {
    if (counts !== NOTHING) addOutcome(this.#outcome, day, counts, reason);
  }

  /** Writes a file for each day with events and one of sums, and then the checkpoint at this row. */
  async write(row: number): Promise<void> {
    const { records } = this.#options;
    const { number, siteId, files } = records.existing(this.#number);
    const days = [...this.#days.keys()].sort();
    if (files + days.length > IMPORT_NUMBERS) throw new UnreadableFile(`It has more than ${IMPORT_NUMBERS} files: sort its rows by time.`);
    for (const [i, day] of days.entries()) {
      const index = files + i;
      await this.#options.eventStore.addImportFile(
        siteId,
        { day, number: importFileNumber(number, index) },
        this.#days.get(day)?.texts ?? [],
      );
      await this.#duplicates.write(day, index);
    }
    await records.alone(async () => {
      const record = records.existing(number);
      const all = [record.firstDay, record.lastDay, ...days, ...this.#sums.days].filter((day) => day !== null).sort();
      await records.put({
        ...record,
        rows: row,
        files: files + days.length,
        events: record.events + this.#events,
        crawls: record.crawls + (await this.#writeCrawls(record, row)),
        attempts: 0,
        firstDay: all[0] ?? null,
        lastDay: all.at(-1) ?? null,
        outcome: Object.fromEntries(this.#outcome),
        ...(await this.#writeSums(record)),
      });
    });
    this.#days.clear();
    this.#events = 0;
    this.#sums = new DaySums(this.#options.events);
  }

  /** Resolves with how many requests of crawlers there are since the last checkpoint. */
  async #writeCrawls({ number, siteId, rows, erased }: ImportRecord, row: number): Promise<number> {
    const { requests, days } = this.#crawls.take((day) => isInSpans(erased, day));
    const { crawls } = this.#options;
    if (crawls === null || requests === 0) return 0;
    await crawls.addImported(siteId, { importNumber: number, from: rows, to: row }, days);
    return requests;
  }

  async #writeSums({ number, siteId, dayFiles, days, erased }: ImportRecord): Promise<Pick<ImportRecord, "dayFiles" | "days">> {
    // Some may have been erased since their rows were read.
    const left = [...this.#sums.days].filter((day) => !isInSpans(erased, day)).sort();
    if (this.#sums.groups === 0 || left.length === 0) return { dayFiles, days };
    const index = (dayFiles.at(-1) ?? -1) + 1;
    if (index >= IMPORT_DAY_FILES_MAX)
      throw new UnreadableFile(`Its sums of days have too many different values: they take more than ${IMPORT_DAY_FILES_MAX} files.`);
    await this.#options.daySums.write(number, index, this.#sums.toRollup(siteId, number, left));
    return { dayFiles: [...dayFiles, index], days: spansOf([...daysOfSpans(days), ...left]) };
  }
}
