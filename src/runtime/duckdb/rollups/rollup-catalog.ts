/**
 * The stored rollups of each site: their listings and headers, which are valid, and which cover a range. They are derived data: if anything
 * is wrong with one, reports read the events instead.
 */
import { deleteObjects, type ObjectKey, type ObjectStore } from "../../../storage/object-store.ts";
import type { LocalDate, SiteId } from "../../../storage/event.ts";
import { LruMap } from "../../../storage/lru-map.ts";
import type { PartitionVersion } from "../../../storage/partitions.ts";
import { daysOfRollupKey, parseRollupKey, type RollupFile, rollupFolder, type RollupHeader } from "../../../storage/rollup.ts";
import {
  ROLLUP_HEADERS_CHARS_MAX,
  ROLLUP_LISTINGS_MAX,
  ROLLUP_TOTAL_ROWS_MAX,
  UNREADABLE_ROLLUPS_REMEMBERED_MAX,
} from "../../base/config/report-limits.ts";
import { type Log, reasonOf } from "../../base/metrics/log.ts";
import type { DateRange } from "../../query/date-range.ts";
import type { RollupCalculator } from "./rollup-calculator.ts";
import { definitionsHashOf, isValid, type RollupDefinitions, type WantedDefinitions } from "./rollup-origin.ts";
import { coverRange, hasMeasure, type RollupCoverage, type RollupSpan } from "./rollup-spans.ts";

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

/** How rollups are computed, whatever a site says. */
type CommonDefinitions = Omit<RollupDefinitions, "arrivals">;

/** What a query needs of rollups. */
interface WantedOfRollups extends Pick<WantedDefinitions, "arrivals"> {
  readonly measures: readonly string[];
}

export interface RollupCatalogOptions extends CommonDefinitions {
  readonly objects: ObjectStore;
  readonly calculator: Pick<RollupCalculator, "headers">;
  readonly log: Log;
}

export class RollupCatalog {
  protected readonly listings: RollupListings;
  protected readonly headers: RollupHeaders;
  readonly #options: RollupCatalogOptions;
  #isFailing = false;

  constructor(options: RollupCatalogOptions) {
    const { objects, calculator, log } = options;
    this.#options = options;
    this.listings = new RollupListings(objects, log);
    this.headers = new RollupHeaders(calculator, log);
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
    { measures, arrivals }: WantedOfRollups,
  ): Promise<RollupCoverage> {
    const { saltRotationDays, log } = this.#options;
    const isUsable = (header: RollupHeader) => measures.every((measure) => hasMeasure(header, measure));
    const ofEvents = () => coverRange(range, days, saltRotationDays, async () => new Map());
    try {
      const coverage = await coverRange(range, days, saltRotationDays, (spans) => this.validOf(siteId, spans, arrivals, isUsable));
      this.#isFailing = false;
      return (await this.#hasTooManyRows(coverage, measures)) ? ofEvents() : coverage;
    } catch (error) {
      if (!this.#isFailing) log.warn("rollups cannot be read; reports read the events instead", { reason: reasonOf(error) });
      this.#isFailing = true;
      return ofEvents();
    }
  }

  async #hasTooManyRows({ rollups }: RollupCoverage, measures: readonly string[]): Promise<boolean> {
    const headers = [...(await this.headers.read(rollups)).values()];
    const rowsOf = (measure: string) => headers.reduce((sum, header) => sum + (header.measures[measure] ?? 0), 0);
    return measures.some((measure) => rowsOf(measure) > ROLLUP_TOTAL_ROWS_MAX);
  }

  /** Lists the site's files again at their next use: some were made or deleted. */
  relist(siteId: SiteId): void {
    this.listings.forget(siteId);
  }

  /** Lists the site's files and reads their headers again at their next use. */
  async forget(siteId: SiteId): Promise<void> {
    const listing = await this.listings.of(siteId).catch(() => null);
    this.headers.forget(listing?.files.map(({ key }) => key) ?? []);
    this.listings.forget(siteId);
  }

  /** One valid rollup per span. If several exist, any will do: their rows are equal. */
  protected async validOf(
    siteId: SiteId,
    spans: readonly RollupSpan[],
    arrivals: string | null,
    isUsable: (header: RollupHeader) => boolean = () => true,
  ): Promise<ReadonlyMap<RollupSpan, ObjectKey>> {
    const definitions = { ...this.#options, arrivals };
    const possible = await this.#possibleOf(siteId, spans, arrivals === null ? null : definitionsHashOf({ ...this.#options, arrivals }));
    const headers = await this.headers.read([...possible.values()].flat());
    const valid = new Map<RollupSpan, ObjectKey>();
    for (const [span, keys] of possible) {
      const rollup = keys.find((key) => {
        const header = headers.get(key);
        return header && isValid(header, siteId, span, definitions) && isUsable(header);
      });
      if (rollup !== undefined) valid.set(span, rollup);
    }
    return valid;
  }

  /** The rollups that their names do not show to be outdated. */
  async #possibleOf(
    siteId: SiteId,
    spans: readonly RollupSpan[],
    definitionsHash: string | null,
  ): Promise<ReadonlyMap<RollupSpan, readonly ObjectKey[]>> {
    const inFiles = spans.filter(({ days }) => days.every(({ hasUnflushed }) => !hasUnflushed));
    if (inFiles.length === 0) return new Map();
    const listing = await this.listings.of(siteId);
    const possibleOf = (span: RollupSpan) =>
      listing.of(span).filter((file) => definitionsHash === null || file.definitionsHash === definitionsHash);
    return new Map(inFiles.map((span) => [span, possibleOf(span).map(({ key }) => key)]));
  }
}
