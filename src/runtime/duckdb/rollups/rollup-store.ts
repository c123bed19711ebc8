/**
 * The stored rollups: which are valid and cover a range, which to make next, and their deletion before any of their events is
 * deleted. They are derived data: if anything is wrong with one, reports read the events instead.
 */
import { deleteObjects, type ObjectKey, type ObjectStore } from "../../../storage/object-store.ts";
import type { EventStore } from "../../../storage/event-store.ts";
import type { LocalDate, SiteId } from "../../../storage/event.ts";
import { LruMap } from "../../../storage/lru-map.ts";
import { type PartitionFile, type PartitionVersion, partitionVersionOf } from "../../../storage/partitions.ts";
import {
  daysOfRollupKey,
  parseRollupKey,
  type RollupFile,
  rollupFolder,
  type RollupHeader,
  type RollupOrigin,
} from "../../../storage/rollup.ts";
import {
  ROLLUP_HEADERS_CHARS_MAX,
  ROLLUP_LISTINGS_MAX,
  ROLLUP_TOTAL_ROWS_MAX,
  ROLLUP_WEIGHT_BYTES_MIN,
  UNREADABLE_ROLLUPS_REMEMBERED_MAX,
} from "../../base/config/report-limits.ts";
import type { RollupDayCounts } from "../../base/metrics/metrics.ts";
import { type Log, reasonOf } from "../../base/metrics/log.ts";
import type { DateRange } from "../../query/date-range.ts";
import type { RollupCalculator } from "./rollup-calculator.ts";
import { areUnchanged, definitionsHashOf, fileOf, isValid, originOf, recordsFiles, type RollupDefinitions } from "./rollup-origin.ts";
import {
  coverRange,
  dueDays,
  dueSpans,
  hasMeasure,
  inOrderOfMaking,
  nextRollup,
  type RollupConditions,
  type RollupCoverage,
  type RollupSpan,
  rollupSpans,
  type RollupParts,
} from "./rollup-spans.ts";

/** The headers of rollups, cached up to a number of characters: files never change. */
export class RollupHeaders {
  readonly #calculator: Pick<RollupCalculator, "headers">;
  readonly #log: Log;
  readonly #entries = new LruMap<ObjectKey, { readonly header: RollupHeader | null; readonly chars: number }>({
    max: ROLLUP_HEADERS_CHARS_MAX,
    weightOf: ({ chars }) => chars,
  });
  readonly #reading = new Map<ObjectKey, Promise<RollupHeader | null>>();
  readonly #reported = new Set<ObjectKey>();

  constructor(calculator: Pick<RollupCalculator, "headers">, log: Log) {
    this.#calculator = calculator;
    this.#log = log;
  }

  /** Leaves out rollups that are missing or cannot be read. Concurrent calls share the reading of a header. */
  async read(keys: readonly ObjectKey[]): Promise<ReadonlyMap<ObjectKey, RollupHeader>> {
    const missing = keys.filter((key) => !this.#entries.has(key) && !this.#reading.has(key));
    if (missing.length > 0) this.#start(missing);
    const headers = await Promise.all(
      keys.map(async (key) => [key, this.#entries.get(key)?.header ?? (await this.#reading.get(key))] as const),
    );
    return new Map(headers.flatMap(([key, header]) => (header ? [[key, header] as const] : [])));
  }

  #start(keys: readonly ObjectKey[]): void {
    const all = this.#calculator.headers(keys);
    for (const [i, key] of keys.entries()) {
      const reading = all
        .then((headers) => {
          const header = headers[i] ?? null;
          // Unless it was forgotten meanwhile.
          if (this.#reading.get(key) === reading) this.#remember(key, header);
          return header;
        })
        .finally(() => {
          if (this.#reading.get(key) === reading) this.#reading.delete(key);
        });
      this.#reading.set(key, reading);
    }
  }

  /** Reads these again at their next use. */
  forget(keys: Iterable<ObjectKey>): void {
    for (const key of keys) {
      this.#reading.delete(key);
      this.#entries.delete(key);
    }
  }

  #remember(key: ObjectKey, header: RollupHeader | null): void {
    this.#entries.set(key, { header, chars: key.length + JSON.stringify(header).length });
    if (header || this.#reported.has(key)) return;
    if (this.#reported.size >= UNREADABLE_ROLLUPS_REMEMBERED_MAX) this.#reported.clear();
    this.#reported.add(key);
    this.#log.warn("a rollup is missing or cannot be read; reports read the events instead, and it is made again", { file: key });
  }
}

/** The files of a site by their days, of which a few may have the same. */
class RollupListing {
  readonly #byDays = new Map<string, RollupFile[]>();

  get files(): readonly RollupFile[] {
    return [...this.#byDays.values()].flat();
  }

  of({ firstDay, lastDay }: Pick<RollupFile, "firstDay" | "lastDay">): readonly RollupFile[] {
    return this.#byDays.get(`${firstDay} ${lastDay}`) ?? [];
  }

  add(file: RollupFile): void {
    const others = this.of(file).filter(({ key }) => key !== file.key);
    this.#byDays.set(`${file.firstDay} ${file.lastDay}`, [...others, file]);
  }

  delete(keys: ReadonlySet<ObjectKey>): void {
    for (const [days, files] of this.#byDays) {
      const left = files.filter(({ key }) => !keys.has(key));
      if (left.length > 0) this.#byDays.set(days, left);
      else this.#byDays.delete(days);
    }
  }
}

/** The rollup files of each site: the listing of its folder, cached once read. */
class RollupListings {
  readonly #objects: ObjectStore;
  readonly #log: Log;
  /** Changes wait for a listing that is being read, so that none is missing from it. */
  readonly #listings = new LruMap<SiteId, Promise<RollupListing>>({ max: ROLLUP_LISTINGS_MAX });

  constructor(objects: ObjectStore, log: Log) {
    this.#objects = objects;
    this.#log = log;
  }

  async of(siteId: SiteId): Promise<RollupListing> {
    const listing = this.#listings.get(siteId) ?? this.#list(siteId);
    this.#listings.set(siteId, listing);
    try {
      return await listing;
    } catch (error) {
      if (this.#listings.peek(siteId) === listing) this.#listings.delete(siteId);
      throw error;
    }
  }

  /** Lists the site again at its next use. */
  forget(siteId: SiteId): void {
    this.#listings.delete(siteId);
  }

  /** The file may exist after a rejection, so the site is listed again. */
  async write(siteId: SiteId, file: RollupFile, bytes: Uint8Array): Promise<void> {
    try {
      await this.#objects.put(file.key, bytes);
      (await this.#cached(siteId))?.add(file);
    } catch (error) {
      this.forget(siteId);
      throw error;
    }
  }

  /** Some files may be deleted after a rejection; may be retried. */
  async delete(siteId: SiteId, keys: readonly ObjectKey[]): Promise<void> {
    try {
      await deleteObjects(this.#objects, keys);
      (await this.#cached(siteId))?.delete(new Set(keys));
    } catch (error) {
      this.forget(siteId);
      throw error;
    }
  }

  /**
   * Deletes every file with days from `firstDay` to `lastDay`, also those of an unknown format. Durable once resolved, also for files
   * that an earlier process deleted: a power loss could bring them back. The folder is listed anew, so none can be overlooked.
   */
  async deleteDays(siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate): Promise<void> {
    const folder = rollupFolder(siteId);
    this.forget(siteId);
    const keys = (await this.#objects.list(folder)).map(({ key }) => key);
    const overlapping = keys.filter((key) => {
      const days = daysOfRollupKey(siteId, key);
      return days && days.firstDay <= lastDay && firstDay <= days.lastDay;
    });
    await this.delete(siteId, overlapping);
    await this.#objects.sync?.(folder);
  }

  /** Undefined also if it cannot be read: the caller that requested it gets the error. */
  async #cached(siteId: SiteId): Promise<RollupListing | undefined> {
    return this.#listings.peek(siteId)?.catch(() => undefined);
  }

  async #list(siteId: SiteId): Promise<RollupListing> {
    const listing = new RollupListing();
    for (const { key } of await this.#objects.list(rollupFolder(siteId))) {
      const file = parseRollupKey(siteId, key);
      if (file) listing.add(file);
      else this.#log.warn(`${key} is not a rollup; it is ignored`);
    }
    return listing;
  }
}

interface RollupStoreOptions extends RollupDefinitions {
  readonly eventStore: EventStore;
  readonly objects: ObjectStore;
  readonly calculator: Pick<RollupCalculator, "headers">;
  readonly log: Log;
  readonly weightBytesMin?: number;
}

export interface RollupToMake extends RollupParts {
  readonly origin: RollupOrigin;
}

function daysWithin(days: readonly PartitionVersion[], files: readonly RollupFile[]): ReadonlySet<LocalDate> {
  const left = files.toSorted((a, b) => (a.firstDay < b.firstDay ? -1 : 1)).values();
  const within = new Set<LocalDate>();
  let [next, lastDay] = [left.next().value, ""];
  for (const { day } of days) {
    for (; next && next.firstDay <= day; next = left.next().value) if (next.lastDay > lastDay) lastDay = next.lastDay;
    if (day <= lastDay) within.add(day);
  }
  return within;
}

export class RollupStore {
  readonly #options: RollupStoreOptions;
  readonly #definitionsHash: string;
  readonly #listings: RollupListings;
  readonly #headers: RollupHeaders;
  #isFailing = false;
  #onForget: ((siteId: SiteId) => void) | null = null;

  constructor(options: RollupStoreOptions) {
    const { eventStore, objects, calculator, log } = options;
    this.#options = options;
    this.#definitionsHash = definitionsHashOf(options);
    this.#listings = new RollupListings(objects, log);
    this.#headers = new RollupHeaders(calculator, log);
    eventStore.observe({
      beforeMerge: (siteId, day, files) => this.#deleteOutdatedOf(siteId, day, files),
      beforeDelete: (siteId, firstDay, lastDay) => this.#listings.deleteDays(siteId, firstDay, lastDay),
    });
  }

  /**
   * The rollups with all these measures that answer the range; `days` are the versions of its days. Never rejects: unreadable rollups cover
   * nothing, and neither do rollups with too many rows together. The largest rollups are preferred, and only headers of possible ones are
   * read.
   */
  async coverage(
    siteId: SiteId,
    range: DateRange,
    days: readonly PartitionVersion[],
    measures: readonly string[],
  ): Promise<RollupCoverage> {
    const { saltRotationDays, log } = this.#options;
    const isUsable = (header: RollupHeader) => measures.every((measure) => hasMeasure(header, measure));
    const ofEvents = () => coverRange(range, days, saltRotationDays, async () => new Map());
    try {
      const coverage = await coverRange(range, days, saltRotationDays, (spans) => this.#validOf(siteId, spans, isUsable));
      this.#isFailing = false;
      return (await this.#hasTooManyRows(coverage, measures)) ? ofEvents() : coverage;
    } catch (error) {
      if (!this.#isFailing) log.warn("rollups cannot be read; reports read the events instead", { reason: reasonOf(error) });
      this.#isFailing = true;
      return ofEvents();
    }
  }

  async #hasTooManyRows({ rollups }: RollupCoverage, measures: readonly string[]): Promise<boolean> {
    const headers = [...(await this.#headers.read(rollups)).values()];
    const rowsOf = (measure: string) => headers.reduce((sum, header) => sum + (header.measures[measure] ?? 0), 0);
    return measures.some((measure) => rowsOf(measure) > ROLLUP_TOTAL_ROWS_MAX);
  }

  /** Lists the site's files and reads their headers again at their next use: one that should exist was not found. */
  async forget(siteId: SiteId): Promise<void> {
    const listing = await this.#listings.of(siteId).catch(() => null);
    this.#headers.forget(listing?.files.map(({ key }) => key) ?? []);
    this.#listings.forget(siteId);
    this.#onForget?.(siteId);
  }

  /** Calls the listener, the only one, with each site that `forget` was called for: its rollups may have to be made again. */
  onForget(listener: (siteId: SiteId) => void): void {
    this.#onForget = listener;
  }

  /**
   * The rollup to make next, of all days of the site; null if none is due. The newest come first, and a sum after its parts.
   * Rejects if rollups cannot be listed.
   */
  async nextToMake(siteId: SiteId, today: LocalDate, days: readonly PartitionVersion[]): Promise<RollupToMake | null> {
    const conditions = this.#conditions(today);
    // One by one: mostly the newest needs a rollup, and no rollup is part of two of the largest spans.
    for (const largest of rollupSpans(days, this.#options.saltRotationDays).toReversed()) {
      const due = dueSpans([largest], conditions);
      const next = nextRollup(due, await this.#validOf(siteId, due), conditions);
      if (next) return { origin: originOf(siteId, next.span, this.#options), rollups: next.rollups, events: next.events };
    }
    return null;
  }

  /**
   * Stores a rollup, which replaces earlier ones of the same days. Returns false, without a change, if events were added or deleted or
   * files merged since `origin` was determined. Holds the site's lock, so that an erasure comes either before or after.
   */
  put(origin: RollupOrigin, bytes: Uint8Array): Promise<boolean> {
    const { siteId, firstDay, lastDay } = origin;
    return this.#options.eventStore.withSnapshot(siteId, firstDay, lastDay, async (partitions) => {
      if (!areUnchanged(origin, partitions.map(partitionVersionOf))) return false;
      const file = fileOf(origin);
      await this.#listings.write(siteId, file, bytes);
      this.#headers.forget([file.key]);
      await this.#deleteReplaced(siteId, file);
      return true;
    });
  }

  /** A failure is harmless: what is outdated is ignored, and `deleteOutdated` tries again. */
  async #deleteReplaced(siteId: SiteId, file: RollupFile): Promise<void> {
    try {
      const replaced = (await this.#listings.of(siteId)).of(file).filter(({ key }) => key !== file.key);
      await this.#delete(siteId, replaced);
    } catch (error) {
      this.#options.log.warn("an outdated rollup could not be deleted; it is ignored", { site: siteId, reason: reasonOf(error) });
    }
  }

  /** Deletes the rollups that are not valid; `days` are all days of the site. Returns how many. May be retried after a rejection. */
  async deleteOutdated(siteId: SiteId, days: readonly PartitionVersion[]): Promise<number> {
    // Listed before validity is checked, so that a rollup that is stored meanwhile stays.
    const { files } = await this.#listings.of(siteId);
    const spans = inOrderOfMaking(rollupSpans(days, this.#options.saltRotationDays));
    const valid = new Set((await this.#validOf(siteId, spans)).values());
    const outdated = files.filter(({ key }) => !valid.has(key));
    await this.#delete(siteId, outdated);
    return outdated.length;
  }

  /** Deletes the rollups of a day that do not record its files. After a merge of these, some might seem valid (see `areSameEvents`). */
  async #deleteOutdatedOf(siteId: SiteId, day: LocalDate, files: readonly PartitionFile[]): Promise<void> {
    const rollups = (await this.#listings.of(siteId)).files.filter(({ firstDay, lastDay }) => firstDay <= day && day <= lastDay);
    const headers = await this.#headers.read(rollups.map(({ key }) => key));
    const isCurrent = (header: RollupHeader | undefined) => header && recordsFiles(header, day, files);
    const outdated = rollups.filter(({ key }) => !isCurrent(headers.get(key)));
    await this.#delete(siteId, outdated);
  }

  async #delete(siteId: SiteId, files: readonly RollupFile[]): Promise<void> {
    const keys = files.map(({ key }) => key);
    await this.#listings.delete(siteId, keys);
    this.#headers.forget(keys);
  }

  /** Counts the site's days by the state of their rollups; `days` are all days of the site. Rejects if rollups cannot be listed. */
  async dayCounts(siteId: SiteId, today: LocalDate, days: readonly PartitionVersion[]): Promise<RollupDayCounts> {
    const roots = rollupSpans(days, this.#options.saltRotationDays);
    const stored = await this.#storedDays(siteId, roots);
    const due = new Set(dueDays(roots, this.#conditions(today)));
    const inFiles = daysWithin(days, (await this.#listings.of(siteId)).files);
    const counts = { stored: 0, stale: 0, missing: 0 };
    for (const { day } of days) {
      if (day >= today) continue;
      if (stored.has(day)) counts.stored++;
      else if (inFiles.has(day)) counts.stale++;
      else if (due.has(day)) counts.missing++;
    }
    return counts;
  }

  /** The days of valid rollups. The parts of a valid one are not looked at: there may be thousands. */
  async #storedDays(siteId: SiteId, roots: readonly RollupSpan[]): Promise<ReadonlySet<LocalDate>> {
    const stored = new Set<LocalDate>();
    for (let open = roots; open.length > 0;) {
      const valid = await this.#validOf(siteId, open);
      for (const span of valid.keys()) for (const { day } of span.days) stored.add(day);
      open = open.filter((span) => !valid.has(span)).flatMap(({ halves }) => halves);
    }
    return stored;
  }

  #conditions(today: LocalDate): RollupConditions {
    const { eventStore, weightBytesMin = ROLLUP_WEIGHT_BYTES_MIN } = this.#options;
    return { today, isSettled: (file) => eventStore.isSettled(file), weightBytesMin };
  }

  /** One valid rollup per span. If several exist, any will do: their rows are equal. */
  async #validOf(
    siteId: SiteId,
    spans: readonly RollupSpan[],
    isUsable: (header: RollupHeader) => boolean = () => true,
  ): Promise<ReadonlyMap<RollupSpan, ObjectKey>> {
    const possible = await this.#possibleOf(siteId, spans);
    const headers = await this.#headers.read([...possible.values()].flat());
    const valid = new Map<RollupSpan, ObjectKey>();
    for (const [span, keys] of possible) {
      const rollup = keys.find((key) => {
        const header = headers.get(key);
        return header && isValid(header, siteId, span, this.#options) && isUsable(header);
      });
      if (rollup !== undefined) valid.set(span, rollup);
    }
    return valid;
  }

  /** The rollups that their names do not show to be outdated. */
  async #possibleOf(siteId: SiteId, spans: readonly RollupSpan[]): Promise<ReadonlyMap<RollupSpan, readonly ObjectKey[]>> {
    const inFiles = spans.filter(({ days }) => days.every(({ hasUnflushed }) => !hasUnflushed));
    if (inFiles.length === 0) return new Map();
    const listing = await this.#listings.of(siteId);
    const possibleOf = (span: RollupSpan) => listing.of(span).filter((file) => file.definitionsHash === this.#definitionsHash);
    return new Map(inFiles.map((span) => [span, possibleOf(span).map(({ key }) => key)]));
  }
}
