/** Reads all rollups of a data folder, and compares a sample or all of them with the events they were made of. Changes nothing. */
import type { LocalDate, SiteId } from "../../storage/event.ts";
import { parseRollupKey, type RollupHeader, ROLLUPS_FOLDER } from "../../storage/rollup.ts";
import { type Partitions, type PartitionVersion, partitionVersionOf, siteOfFolders } from "../../storage/partitions.ts";
import type { RolledMeasures } from "../duckdb/rollups/rollup-execution.ts";
import { inOrderOfMaking, type RollupSpan, rollupSpans } from "../duckdb/rollups/rollup-spans.ts";
import { isValid, fileOf } from "../duckdb/rollups/rollup-origin.ts";
import type { ObjectKey, ObjectStore, StoredObject } from "../../storage/object-store.ts";
import { dayNumberOf } from "../../storage/calendar.ts";
import { openRollup, RollupFormatError } from "../../storage/rollup-file.ts";
import { reasonOf } from "../base/metrics/log.ts";
import { PeriodMeasures, type PeriodMeasuresOptions } from "./period-measures.ts";
import { RollupComparison, type ComparableRollup, type ComparisonOutcome } from "./rollup-comparison.ts";
import { ROLLUPS_COMPARED_PER_SITE } from "../base/config/report-limits.ts";
import { isSiteId } from "../base/config/names.ts";
import type { ArrivalRules } from "../arrivals/arrivals.ts";
import { createSha256, toHex } from "../base/bytes.ts";
import { rolledMeasures } from "../reports/registry.ts";

type ArrivalRulesOf = (siteId: SiteId) => ArrivalRules;

type Settings = Pick<RollupHeader, "sessionWindowMinutes" | "saltRotationDays">;

const isPositive = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0;

/** Finds the measures of a rollup; null if this version computes others with the same settings. */
type FindMeasures = (header: RollupHeader) => RolledMeasures | null;

/** A rollup may have been made with other options than those of today: its header says with which. */
async function createFindMeasures(arrivalRulesOf: ArrivalRulesOf): Promise<FindMeasures> {
  const sha256 = await createSha256();
  const hash = (text: string) => toHex(sha256(text));
  const known = new Map<string, readonly RolledMeasures[]>();
  const withSettings = ({ sessionWindowMinutes, saltRotationDays }: Settings, arrivalRules: ArrivalRules) =>
    [true, false].map((hasExtension) => rolledMeasures({ sessionWindowMinutes, saltRotationDays, hasExtension, arrivalRules, hash }));
  return (header) => {
    const { siteId, sessionWindowMinutes, saltRotationDays, definitions, arrivals } = header;
    if (!isPositive(sessionWindowMinutes) || !isPositive(saltRotationDays)) return null;
    const rules = arrivalRulesOf(siteId);
    const name = JSON.stringify([sessionWindowMinutes, saltRotationDays, rules]);
    const found = known.get(name) ?? withSettings(header, rules);
    known.set(name, found);
    return found.find((rolled) => rolled.definitions === definitions && rolled.arrivalsOf(rules) === arrivals) ?? null;
  };
}

/** Tells whether a rollup was made of the events that are in the files of the site now; `days` are all its days. */
function createIsUpToDate(siteId: SiteId, days: readonly PartitionVersion[]): (header: RollupHeader) => boolean {
  const spans = new Map<number, ReadonlyMap<string, RollupSpan>>();
  const spansOf = (saltRotationDays: number) => {
    const found = spans.get(saltRotationDays) ?? bySpan(inOrderOfMaking(rollupSpans(days, saltRotationDays)));
    spans.set(saltRotationDays, found);
    return found;
  };
  return (header) => {
    const span = spansOf(header.saltRotationDays).get(spanOf(header));
    return span !== undefined && isValid(header, siteId, span, header);
  };
}

const spanOf = ({ firstDay, lastDay }: Pick<RollupSpan, "firstDay" | "lastDay">): string => `${firstDay} ${lastDay}`;

const bySpan = (spans: readonly RollupSpan[]) => new Map(spans.map((span) => [spanOf(span), span]));

interface SampledRollup {
  readonly key: ObjectKey;
  readonly lastDay: LocalDate;
  readonly sizeBytes: number;
}

/** The newest, the largest, and some of the others: each day the next ones, so that a daily run compares all of them in time. */
export function sampleOf<Rollup extends SampledRollup>(rollups: readonly Rollup[], today: LocalDate): Rollup[] {
  const [newest] = rollups.toSorted((a, b) => (a.lastDay === b.lastDay ? a.sizeBytes - b.sizeBytes : a.lastDay < b.lastDay ? 1 : -1));
  const [largest] = rollups.toSorted((a, b) => b.sizeBytes - a.sizeBytes);
  const chosen = new Set([newest, largest].flatMap((rollup) => rollup ?? []));
  const others = rollups.filter((rollup) => !chosen.has(rollup));
  const more = Math.min(ROLLUPS_COMPARED_PER_SITE - chosen.size, others.length);
  const first = (dayNumberOf(today) * more) % Math.max(1, others.length);
  for (let i = 0; i < more; i++) {
    const next = others[(first + i) % others.length];
    if (next) chosen.add(next);
  }
  return [...chosen];
}

export interface RollupVerificationOptions extends Pick<PeriodMeasuresOptions, "openEngine" | "budgetBytes"> {
  /** Compares all rollups instead of a sample, which differs from day to day. */
  readonly all: boolean;
  readonly today: LocalDate;
}

interface RollupVerificationParts {
  readonly objects: Pick<ObjectStore, "get" | "list">;
  readonly listing: () => Partitions;
  readonly onFault: (file: string, reason: string) => void;
  readonly calendarOf: PeriodMeasuresOptions["calendarOf"];
  readonly arrivalRulesOf: ArrivalRulesOf;
}

export interface RollupCounts {
  /** Files that can be read. */
  readonly rollups: number;
  readonly compared: number;
  /** Made of events or by definitions that are no longer current, so that reports ignore them. */
  readonly outdated: number;
  /** Chosen, but their events could not be computed. */
  readonly uncompared: number;
  /** The reason for the first of these. */
  readonly uncomparedReason: string | null;
}

type CheckedRollup = ComparableRollup & SampledRollup;

const IGNORED = "reports ignore it, and it can be deleted";

export async function verifyRollups(parts: RollupVerificationParts, options: RollupVerificationOptions): Promise<RollupCounts> {
  const periodMeasures = new PeriodMeasures({ ...options, ...parts });
  try {
    return await new RollupVerification(parts, options, periodMeasures, await createFindMeasures(parts.arrivalRulesOf)).run();
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
      const onOutcome = (key: ObjectKey, outcome: ComparisonOutcome) => this.#note(key, outcome);
      const comparison = new RollupComparison({ ...this.#parts, periodMeasures: this.#periodMeasures, onOutcome });
      const alike = chosen.filter(({ rolled }) => rolled === measures);
      await comparison.compare(siteId, alike);
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
