/** The rollup files of each site: the listing of its folder, cached once read. */
import type { SiteId, LocalDate } from "../../../storage/event.ts";
import { deleteObjects } from "../../../storage/delete-objects.ts";
import { LruMap } from "../../../storage/lru-map.ts";
import type { ObjectKey, ObjectStore } from "../../../storage/object-store.ts";
import { daysOfRollupKey, parseRollupKey, rollupFolder, type RollupFile } from "../../../storage/rollup-path.ts";
import { ROLLUP_LISTINGS_MAX } from "../../base/config/report-limits.ts";

export interface RollupListingsOptions {
  readonly objects: ObjectStore;
  /** Called with unexpected entries of the rollups folder, which are ignored. */
  readonly onStray: (key: ObjectKey, fault: string) => void;
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

export class RollupListings {
  readonly #options: RollupListingsOptions;
  /** Changes wait for a listing that is being read, so that none is missing from it. */
  readonly #listings = new LruMap<SiteId, Promise<RollupListing>>({ max: ROLLUP_LISTINGS_MAX });

  constructor(options: RollupListingsOptions) {
    this.#options = options;
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
      await this.#options.objects.put(file.key, bytes);
      (await this.#cached(siteId))?.add(file);
    } catch (error) {
      this.forget(siteId);
      throw error;
    }
  }

  /** Some files may be deleted after a rejection; may be retried. */
  async delete(siteId: SiteId, keys: readonly ObjectKey[]): Promise<void> {
    try {
      await deleteObjects(this.#options.objects, keys);
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
    const { objects } = this.#options;
    const folder = rollupFolder(siteId);
    this.forget(siteId);
    const overlapping = (await objects.list(folder)).filter(({ key }) => {
      const days = daysOfRollupKey(siteId, key);
      return days && days.firstDay <= lastDay && firstDay <= days.lastDay;
    });
    await this.delete(
      siteId,
      overlapping.map(({ key }) => key),
    );
    await objects.sync?.(folder);
  }

  /** Undefined also if it cannot be read: the caller that requested it gets the error. */
  async #cached(siteId: SiteId): Promise<RollupListing | undefined> {
    return this.#listings.peek(siteId)?.catch(() => undefined);
  }

  async #list(siteId: SiteId): Promise<RollupListing> {
    const listing = new RollupListing();
    for (const { key } of await this.#options.objects.list(rollupFolder(siteId))) {
      const file = parseRollupKey(siteId, key);
      if (file) listing.add(file);
      else this.#options.onStray(key, "is not a rollup; it is ignored");
    }
    return listing;
  }
}
