/** Reads all rollups of a data folder, and compares a sample or all of them with the events that they were made of. Changes nothing. */
import type { SiteId, LocalDate } from "../../../storage/event.ts";
import type { ObjectStore, StoredObject } from "../../../storage/object-store.ts";
import { siteOfFolders } from "../../../storage/partition-path.ts";
import type { Partitions } from "../../../storage/partitions.ts";
import { openRollup, RollupFormatError } from "../../../storage/rollup-file.ts";
import { ROLLUPS_FOLDER, parseRollupKey } from "../../../storage/rollup-path.ts";
import type { RollupHeader } from "../../../storage/rollup.ts";
import { isSiteId } from "../../base/config/names.ts";
import { partitionVersionOf, type PartitionVersion } from "../../duckdb/cache/partition-version.ts";
import { reasonOf } from "../../base/metrics/log.ts";
import { fileOf } from "../../duckdb/rollups/rollup-origin.ts";
import { createFindMeasures, createIsUpToDate, type FindMeasures } from "./comparable-rollups.ts";
import { PeriodMeasures, type PeriodMeasuresOptions } from "./period-measures.ts";
import { RollupComparison, type ComparableRollup, type ComparisonOutcome } from "./rollup-comparison.ts";
import { sampleOf, type SampledRollup } from "./rollup-sample.ts";

export interface RollupVerificationOptions extends Pick<PeriodMeasuresOptions, "openEngine" | "budgetBytes"> {
  /** Compares all rollups instead of a sample, which differs from day to day. */
  readonly all: boolean;
  readonly today: LocalDate;
}

export interface RollupVerificationParts {
  readonly objects: Pick<ObjectStore, "get" | "list">;
  /** A new listing of the event files. */
  readonly listing: () => Partitions;
  readonly onFault: (file: string, reason: string) => void;
  readonly calendarOf: PeriodMeasuresOptions["calendarOf"];
}

export interface RollupCounts {
  /** Files that can be read. */
  readonly rollups: number;
  readonly compared: number;
  /** Made of events or by definitions that are no longer current, so that reports ignore them. */
  readonly outdated: number;
  /** Chosen, but their events could not be computed. */
  readonly uncompared: number;
  /** Why not, for the first of these. */
  readonly uncomparedReason: string | null;
}

type CheckedRollup = ComparableRollup & SampledRollup;

const IGNORED = "reports ignore it, and it can be deleted";

export async function verifyRollups(parts: RollupVerificationParts, options: RollupVerificationOptions): Promise<RollupCounts> {
  const periodMeasures = new PeriodMeasures({ ...options, ...parts });
  try {
    return await new RollupVerification(parts, options, periodMeasures, await createFindMeasures()).run();
  } finally {
    await periodMeasures.close();
  }
}

class RollupVerification {
  readonly #parts: RollupVerificationParts;
  readonly #options: RollupVerificationOptions;
  readonly #periodMeasures: PeriodMeasures;
  readonly #findMeasures: FindMeasures;
  readonly #counts = { rollups: 0, compared: 0, outdated: 0, uncompared: 0, uncomparedReason: null as string | null };

  constructor(
    parts: RollupVerificationParts,
    options: RollupVerificationOptions,
    periodMeasures: PeriodMeasures,
    findMeasures: FindMeasures,
  ) {
    this.#parts = parts;
    this.#options = options;
    this.#periodMeasures = periodMeasures;
    this.#findMeasures = findMeasures;
  }

  async run(): Promise<RollupCounts> {
    for (const [siteId, files] of await this.#filesBySite()) await this.#checkSite(siteId, files);
    return this.#counts;
  }

  async #filesBySite(): Promise<ReadonlyMap<SiteId, readonly StoredObject[]>> {
    const { objects, onFault } = this.#parts;
    const sites = new Map<SiteId, StoredObject[]>();
    for (const file of await objects.list(ROLLUPS_FOLDER)) {
      const siteId = siteOfFolders(file.key.split("/").slice(1, -1), isSiteId);
      if (siteId && parseRollupKey(siteId, file.key)) sites.set(siteId, [...(sites.get(siteId) ?? []), file]);
      else onFault(file.key, `it is not a rollup; ${IGNORED}`);
    }
    return sites;
  }

  async #checkSite(siteId: SiteId, files: readonly StoredObject[]): Promise<void> {
    const read: CheckedRollup[] = [];
    for (const file of files) {
      const rollup = await this.#read(siteId, file);
      if (rollup) read.push(rollup);
    }
    if (read.length === 0) return;
    // After the rollups, so that no listed file is older than a rollup of its events.
    const isUpToDate = createIsUpToDate(siteId, await this.#daysOf(siteId));
    const current = read.filter(({ header }) => isUpToDate(header));
    this.#counts.outdated += read.length - current.length;
    const chosen = this.#options.all ? current : sampleOf(current, this.#options.today);
    for (const measures of new Set(chosen.map(({ rolled }) => rolled))) {
      await this.#compare(
        siteId,
        chosen.filter(({ rolled }) => rolled === measures),
      );
    }
  }

  /** null if the file has vanished, is damaged, or has definitions that this version does not have. */
  async #read(siteId: SiteId, { key, sizeBytes }: StoredObject): Promise<CheckedRollup | null> {
    const header = await this.#headerOf(key);
    if (!header) return null;
    if (header !== "outdated" && (header.siteId !== siteId || fileOf(header).key !== key)) {
      this.#parts.onFault(key, `its name is not that of its site, days and events; ${IGNORED}`);
      return null;
    }
    this.#counts.rollups++;
    const rolled = header === "outdated" ? null : this.#findMeasures(header);
    if (header !== "outdated" && rolled) return { key, sizeBytes, header, rolled, lastDay: header.lastDay };
    this.#counts.outdated++;
    return null;
  }

  async #headerOf(key: string): Promise<RollupHeader | "outdated" | null> {
    try {
      const bytes = await this.#parts.objects.get(key);
      return bytes && openRollup(bytes).header;
    } catch (error) {
      if (error instanceof RollupFormatError) return "outdated";
      this.#parts.onFault(key, `${reasonOf(error)}; ${IGNORED}`);
      return null;
    }
  }

  async #daysOf(siteId: SiteId): Promise<PartitionVersion[]> {
    const listing = this.#parts.listing();
    const days = (await listing.days(siteId)).sort();
    return Promise.all(days.map(async (day) => partitionVersionOf({ day, files: await listing.files(siteId, day), journaled: [] })));
  }

  async #compare(siteId: SiteId, rollups: readonly CheckedRollup[]): Promise<void> {
    const comparison = new RollupComparison({
      ...this.#parts,
      periodMeasures: this.#periodMeasures,
      onOutcome: (key, outcome) => this.#note(key, outcome),
    });
    await comparison.compare(siteId, rollups);
  }

  #note(key: string, outcome: ComparisonOutcome): void {
    if (outcome === "vanished") return;
    if (outcome === "outdated") {
      this.#counts.outdated++;
    } else if ("notCompared" in outcome) {
      this.#counts.uncompared++;
      this.#counts.uncomparedReason ??= `${key}: ${outcome.notCompared}`;
    } else {
      this.#counts.compared++;
      for (const difference of outcome.differences) this.#parts.onFault(key, `it differs from its events: ${difference}`);
    }
  }
}
