/**
 * Imports of logs that grow. Whole lines come with their place in the log: files of events are written, then the record with the place
 * after them and the number of files, so lines that come again after a kill or a lost answer count once.
 */
import { FOLLOWED_FILES_MAX, FOLLOWED_LOGS_MAX, FOLLOWED_SALT_DAYS } from "../base/config/limits.ts";
import { fromHex, toHex } from "../base/bytes.ts";
import { AppError, conflict, invalidInput } from "../base/errors.ts";
import { type EventText, eventText, type LocalDate } from "../../storage/event.ts";
import type { EventStore } from "../../storage/event-store.ts";
import { IMPORT_NUMBERS, importFileNumber } from "../../storage/partitions.ts";
import { importSecretName, type SecretStore, type StoredSecret } from "../../storage/secret-store.ts";
import type { HmacKey } from "../ingest/visitor-salt.ts";
import { CrawlCounts, type StoredCrawls } from "./crawl-counts.ts";
import type { Breathe } from "./files/file.ts";
import { sourceFile } from "./files/source-files.ts";
import { LineSplitter } from "./files/text.ts";
import type { ImportContext } from "./formats/format.ts";
import { recognizeFiles } from "./formats/formats.ts";
import type { Layout } from "./formats/logs/layout.ts";
import { createRequestReader } from "./formats/logs/request.ts";
import { layoutNamed, rowOf } from "./formats/logs/server-logs.ts";
import { eventOfHit, type HitEventsOptions } from "./hit-events.ts";
import { addOutcome, countsOfHit, SALT_BYTES } from "./hit-import.ts";
import type { FollowedLog, ImportRecord, ImportRecords, MonthOutcome } from "./import-record.ts";
import type { Month } from "./manifest.ts";
import type { Row } from "./rows.ts";

const DAY_MS = 86_400_000;

/** Time without lines after which those of a day in the past are all there. */
const QUIET_MS = 600_000;

const LINE_FEED = 10;

export const NOT_YET: FollowedLog = { bytes: 0, header: null, badRows: 0, saltDays: [] };

interface GrowingImportsOptions {
  readonly eventStore: Pick<EventStore, "addImportFile" | "deleteImport" | "showMore">;
  readonly records: ImportRecords;
  readonly secrets: SecretStore;
  readonly crawls: StoredCrawls;
  readonly randomBytes: (length: number) => Uint8Array;
  readonly now: () => number;
}

/** What the lines are read with. */
interface LinesSource {
  readonly context: ImportContext;
  readonly events: Omit<HitEventsOptions, "salt">;
  readonly breathe: Breathe;
}

/** True if the log must go on in another import. Lines are taken as long as there is room for their files. */
export const isFull = ({ files }: ImportRecord): boolean => files >= FOLLOWED_FILES_MAX;

type Growing = ImportRecord & { readonly followed: FollowedLog };

export class GrowingImports {
  readonly #options: GrowingImportsOptions;
  /** Imports of which no file is left that the record does not count. */
  readonly #clean = new Set<number>();

  constructor(options: GrowingImportsOptions) {
    this.#options = options;
  }

  /** 409 if no other log may be followed into the site. */
  checkRoom(siteId: ImportRecord["siteId"]): void {
    const ofSite = this.#options.records.all.filter((record) => record.siteId === siteId && record.followed !== null && !isFull(record));
    if (ofSite.length >= FOLLOWED_LOGS_MAX) throw conflict(`${FOLLOWED_LOGS_MAX} logs are followed into the site: delete one`);
  }

  /** The record; 409 if it is not of a log. */
  existing(number: number): Growing {
    const record = this.#options.records.existing(number);
    const { followed } = record;
    if (followed === null) throw conflict(`Import #${number} follows no log`);
    this.#options.records.existing(number, ["shown", "hidden"]);
    return { ...record, followed };
  }

  /** Takes lines that begin at this place in the log. Resolves once they are durable, and count if the import is shown. */
  async take(number: number, offset: number, lines: Uint8Array, source: LinesSource): Promise<void> {
    const record = this.existing(number);
    const { bytes } = record.followed;
    if (lines.at(-1) !== LINE_FEED) throw invalidInput("The body must be whole lines: it must end with a line feed");
    // The answer was lost.
    if (offset + lines.length <= bytes) return;
    if (offset !== bytes) throw conflict(`The next lines of import #${number} begin at ${bytes}, and not at ${offset}`);
    const { layout, product } = await this.#layoutOf(record, lines, source.context);
    try {
      await this.#deleteUncounted(record);
      await this.#add({ ...record, formats: [layout.name], product }, layout, lines, source);
    } catch (error) {
      this.#clean.delete(number);
      throw error;
    }
  }

  /** The layout of the lines that came first. */
  async #layoutOf({ formats: [format], product }: Growing, lines: Uint8Array, context: ImportContext) {
    if (format === undefined) return firstLayout(lines, context);
    const layout = layoutNamed(format, context.logFormat);
    if (layout === null) throw new Error(`there is no log format ${format}`);
    return { layout, product };
  }

  /** Files that were written before a kill. */
  async #deleteUncounted({ siteId, number, files, rows }: Growing): Promise<void> {
    if (this.#clean.has(number)) return;
    const { crawls, eventStore } = this.#options;
    await eventStore.deleteImport(siteId, number, files);
    await crawls?.removeImported(siteId, number, rows);
    this.#clean.add(number);
  }

  async #add(record: Growing, layout: Layout, lines: Uint8Array, source: LinesSource): Promise<void> {
    const { crawls, eventStore, records } = this.#options;
    const { siteId, number, files } = record;
    const reader = layout.open(record.followed.header);
    const readRequest = createRequestReader(source.context);
    const rows: Row[] = [];
    for (const line of new LineSplitter().push(lines)) {
      const row = rowOf(line, reader, readRequest);
      if (row !== null) rows.push(row);
      await source.breathe();
    }
    const { calendar } = source.events;
    const ownDays = new Set(rows.flatMap((row) => (row.kind === "hit" ? [calendar.dateOf(row.atMs)] : [])));
    const saltDays = await this.#noteSaltDays(number, ownDays);
    const options = new Map<LocalDate, HitEventsOptions>();
    const texts = new Map<LocalDate, EventText[]>();
    const outcome = new Map<Month, MonthOutcome>(Object.entries(record.outcome));
    const crawlCounts = new CrawlCounts(source.events);
    for (const [i, row] of rows.entries()) {
      if (row.kind === "crawl") crawlCounts.add(row);
      if (row.kind !== "hit") continue;
      const day = calendar.dateOf(row.atMs);
      const salted = options.get(day) ?? (await this.#saltedOptions(number, day, source.events));
      options.set(day, salted);
      const event = eventOfHit(row, record.rows + i + 1, salted);
      addOutcome(outcome, day, countsOfHit(row), typeof event === "string" ? event : null);
      if (typeof event !== "string") {
        const ofDay = texts.get(event.date) ?? [];
        texts.set(event.date, ofDay);
        ofDay.push(eventText(event));
      }
      await source.breathe();
    }
    const days = [...texts.keys()].sort();
    if (files + days.length > IMPORT_NUMBERS) throw conflict(`Import #${number} has ${IMPORT_NUMBERS} files: begin another one`);
    for (const [i, day] of days.entries())
      await eventStore.addImportFile(siteId, { day, number: importFileNumber(number, files + i) }, texts.get(day) ?? []);
    const { requests, days: crawledDays } = crawlCounts.take();
    const ofCrawls = { importNumber: number, from: record.rows, to: record.rows + rows.length };
    if (requests > 0) await crawls?.addImported(siteId, ofCrawls, crawledDays);
    const all = [record.firstDay, record.lastDay, ...days].filter((day) => day !== null).sort();
    const grown: ImportRecord = {
      ...record,
      changedAt: new Date(this.#options.now()).toISOString(),
      rows: record.rows + rows.length,
      files: files + days.length,
      events: record.events + days.reduce((sum, day) => sum + (texts.get(day)?.length ?? 0), 0),
      crawls: record.crawls + (crawls === null ? 0 : requests),
      firstDay: all[0] ?? null,
      lastDay: all.at(-1) ?? null,
      outcome: Object.fromEntries(outcome),
      followed: {
        bytes: record.followed.bytes + lines.length,
        header: reader.state,
        badRows: record.followed.badRows + rows.filter(({ kind }) => kind === "bad").length,
        saltDays,
      },
    };
    await eventStore.showMore(siteId, days, () => records.put(grown));
  }

  /** The record has the day of a salt before there is one, so that none is left behind. Resolves with all: days of the last lines come last. */
  async #noteSaltDays(number: number, own: ReadonlySet<LocalDate>): Promise<readonly LocalDate[]> {
    const record = this.existing(number);
    const { saltDays } = record.followed;
    const days = [...saltDays.filter((day) => !own.has(day)), ...[...own].sort()];
    if (days.length > saltDays.length) await this.#options.records.put({ ...record, followed: { ...record.followed, saltDays: days } });
    return days;
  }

  async #saltedOptions(number: number, day: LocalDate, events: Omit<HitEventsOptions, "salt">): Promise<HitEventsOptions> {
    const secret = this.#secretOf(number, day);
    const stored = await secret.read();
    const salt = stored === null ? this.#options.randomBytes(SALT_BYTES) : fromHex(stored);
    if (stored === null) await secret.write(toHex(salt));
    return { ...events, salt: events.hmac.keyFrom(salt) as HmacKey };
  }

  /** True if a salt is older than it may be. */
  hasOldSalts(dayOf: (siteId: ImportRecord["siteId"], atMs: number) => LocalDate): boolean {
    return this.#options.records.all.some((record) => this.#oldSalts(record, dayOf).length > 0);
  }

  /** Erases salts of days that are over. Lines of such a day that come later have another one: their visitors count once more. */
  async eraseOldSalts(dayOf: (siteId: ImportRecord["siteId"], atMs: number) => LocalDate): Promise<void> {
    const { records } = this.#options;
    for (const { number } of records.all) {
      const record = records.get(number);
      const old = record ? this.#oldSalts(record, dayOf) : [];
      if (!record?.followed || old.length === 0) continue;
      for (const day of old) await this.#secretOf(number, day).erase();
      const saltDays = record.followed.saltDays.filter((day) => !old.includes(day));
      await records.put({ ...record, followed: { ...record.followed, saltDays } });
    }
  }

  /** A log that was not followed from its beginning has lines of the past: more may come of the day that the last ones were of. */
  #oldSalts(record: ImportRecord, dayOf: (siteId: ImportRecord["siteId"], atMs: number) => LocalDate): readonly LocalDate[] {
    const { siteId, followed, changedAt } = record;
    if (followed === null || followed.saltDays.length === 0) return [];
    const nowMs = this.#options.now();
    const firstKept = dayOf(siteId, nowMs - FOLLOWED_SALT_DAYS * DAY_MS);
    const isQuiet = nowMs - Date.parse(changedAt) >= QUIET_MS;
    const beingRead = isQuiet ? null : followed.saltDays.at(-1);
    return followed.saltDays.filter((day) => day < firstKept && day !== beingRead);
  }

  #secretOf(number: number, day: LocalDate): StoredSecret {
    return this.#options.secrets.secret(importSecretName(number, day));
  }
}

async function firstLayout(lines: Uint8Array, context: ImportContext): Promise<{ layout: Layout; product: string }> {
  const access = { size: lines.length, read: async (from: number, to: number) => lines.subarray(from, to) };
  const { recognitions, refusals } = await recognizeFiles([sourceFile("log", access)], context);
  const [refusal] = refusals;
  if (refusal) throw invalidInput(refusal.advice);
  const [found] = recognitions;
  const layout = found ? layoutNamed(found.format, context.logFormat) : null;
  if (!found || layout === null)
    throw new AppError({ code: "invalid_input" }, "The lines are in no log format that Sandpiper knows and can follow");
  return { layout, product: found.product };
}
