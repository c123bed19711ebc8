/**
 * Keeps the stored rollups right: which to make next, how one is put in place, and their deletion before any of their events is
 * deleted.
 */
import type { EventStore } from "../../../storage/event-store.ts";
import type { LocalDate, SiteId } from "../../../storage/event.ts";
import { type PartitionFile, type PartitionVersion, partitionVersionOf } from "../../../storage/partitions.ts";
import type { RollupFile, RollupHeader, RollupOrigin } from "../../../storage/rollup.ts";
import { ROLLUP_WEIGHT_BYTES_MIN } from "../../base/config/report-limits.ts";
import type { RollupDayCounts } from "../../base/metrics/metrics.ts";
import { reasonOf } from "../../base/metrics/log.ts";
import { RollupCatalog, type RollupCatalogOptions } from "./rollup-catalog.ts";
import { areUnchanged, fileOf, originOf, recordsFiles } from "./rollup-origin.ts";
import {
  dueDays,
  dueSpans,
  inOrderOfMaking,
  nextRollup,
  type RollupConditions,
  type RollupParts,
  type RollupSpan,
  rollupSpans,
} from "./rollup-spans.ts";

interface RollupStoreOptions extends RollupCatalogOptions {
  readonly eventStore: EventStore;
  readonly weightBytesMin?: number;
  /** What a rollup of the site would record of its rules now (`RollupOrigin`). */
  readonly arrivalsOf: (siteId: SiteId) => string;
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

export class RollupStore extends RollupCatalog {
  readonly #options: RollupStoreOptions;
  #onForget: ((siteId: SiteId) => void) | null = null;
  #onChange: ((siteId: SiteId) => Promise<void>) | null = null;

  constructor(options: RollupStoreOptions) {
    super(options);
    this.#options = options;
    options.eventStore.observe({
      beforeMerge: (siteId, day, files) => this.#deleteOutdatedOf(siteId, day, files),
      beforeDelete: (siteId, firstDay, lastDay) => this.listings.deleteDays(siteId, firstDay, lastDay),
    });
  }

  /** One that should exist was not found: it may have to be made again. */
  override async forget(siteId: SiteId): Promise<void> {
    await super.forget(siteId);
    this.#onForget?.(siteId);
  }

  /** Calls the listener, the only one, with each site that `forget` was called for. */
  onForget(listener: (siteId: SiteId) => void): void {
    this.#onForget = listener;
  }

  /** Calls the listener, the only one, with each site for which a rollup was stored. */
  onChange(listener: (siteId: SiteId) => Promise<void>): void {
    this.#onChange = listener;
  }

  /**
   * The rollup to make next, of all days of the site; null if none is due. The newest come first, and a sum after its parts.
   * Rejects if rollups cannot be listed.
   */
  async nextToMake(siteId: SiteId, today: LocalDate, days: readonly PartitionVersion[]): Promise<RollupToMake | null> {
    const conditions = this.#conditions(today);
    const arrivals = this.#options.arrivalsOf(siteId);
    // One by one: mostly the newest needs a rollup, and no rollup is part of two of the largest spans.
    for (const largest of rollupSpans(days, this.#options.saltRotationDays).toReversed()) {
      const due = dueSpans([largest], conditions);
      const next = nextRollup(due, await this.validOf(siteId, due, arrivals), conditions);
      if (next) return { origin: originOf(siteId, next.span, { ...this.#options, arrivals }), rollups: next.rollups, events: next.events };
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
      await this.listings.write(siteId, file, bytes);
      this.headers.forget([file.key]);
      await this.#onChange?.(siteId);
      await this.#deleteReplaced(siteId, file);
      return true;
    });
  }

  /** A failure is harmless: what is outdated is ignored, and `deleteOutdated` tries again. */
  async #deleteReplaced(siteId: SiteId, file: RollupFile): Promise<void> {
    try {
      const replaced = (await this.listings.of(siteId)).of(file).filter(({ key }) => key !== file.key);
      await this.#delete(siteId, replaced);
    } catch (error) {
      this.#options.log.warn("an outdated rollup could not be deleted; it is ignored", { site: siteId, reason: reasonOf(error) });
    }
  }

  /** Deletes the rollups that are not valid; `days` are all days of the site. Returns how many. May be retried after a rejection. */
  async deleteOutdated(siteId: SiteId, days: readonly PartitionVersion[]): Promise<number> {
    // Listed before validity is checked, so that a rollup that is stored meanwhile stays.
    const { files } = await this.listings.of(siteId);
    const spans = inOrderOfMaking(rollupSpans(days, this.#options.saltRotationDays));
    const valid = new Set((await this.validOf(siteId, spans, this.#options.arrivalsOf(siteId))).values());
    const outdated = files.filter(({ key }) => !valid.has(key));
    await this.#delete(siteId, outdated);
    return outdated.length;
  }

  /** Deletes the rollups of a day that do not record its files. After a merge of these, some might seem valid (see `areSameEvents`). */
  async #deleteOutdatedOf(siteId: SiteId, day: LocalDate, files: readonly PartitionFile[]): Promise<void> {
    const rollups = (await this.listings.of(siteId)).files.filter(({ firstDay, lastDay }) => firstDay <= day && day <= lastDay);
    const headers = await this.headers.read(rollups.map(({ key }) => key));
    const isCurrent = (header: RollupHeader | undefined) => header && recordsFiles(header, day, files);
    const outdated = rollups.filter(({ key }) => !isCurrent(headers.get(key)));
    await this.#delete(siteId, outdated);
  }

  async #delete(siteId: SiteId, files: readonly RollupFile[]): Promise<void> {
    const keys = files.map(({ key }) => key);
    await this.listings.delete(siteId, keys);
    this.headers.forget(keys);
  }

  /** Counts the site's days by the state of their rollups; `days` are all days of the site. Rejects if rollups cannot be listed. */
  async dayCounts(siteId: SiteId, today: LocalDate, days: readonly PartitionVersion[]): Promise<RollupDayCounts> {
    const roots = rollupSpans(days, this.#options.saltRotationDays);
    const stored = await this.#storedDays(siteId, roots);
    const due = new Set(dueDays(roots, this.#conditions(today)));
    const inFiles = daysWithin(days, (await this.listings.of(siteId)).files);
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
      const valid = await this.validOf(siteId, open, this.#options.arrivalsOf(siteId));
      for (const span of valid.keys()) for (const { day } of span.days) stored.add(day);
      open = open.filter((span) => !valid.has(span)).flatMap(({ halves }) => halves);
    }
    return stored;
  }

  #conditions(today: LocalDate): RollupConditions {
    const { eventStore, weightBytesMin = ROLLUP_WEIGHT_BYTES_MIN } = this.#options;
    return { today, isSettled: (file) => eventStore.isSettled(file), weightBytesMin };
  }
}
