/** Exports the sites of a data folder, even one in use, into a folder that may have earlier exports (docs/exporting.md). */
import { join, resolve } from "node:path";
import type { Config } from "../../../src/runtime/base/config/config.ts";
import { FAULTS_KEPT_MAX } from "../../../src/runtime/base/config/limits.ts";
import { createSha256 } from "../../../src/runtime/base/bytes.ts";
import { type Engine, EngineFullError } from "../../../src/runtime/duckdb/engine.ts";
import { budgetBytesOf } from "../../../src/runtime/engine/duckdb-queries.ts";
import { DataSnapshot } from "../../../src/runtime/exports/data-snapshot.ts";
import { DayQueries, type ExportedSite } from "../../../src/runtime/exports/day-queries.ts";
import type { DayTable } from "../../../src/runtime/exports/day-table.ts";
import { PLAUSIBLE_DAYS_MIN, PLAUSIBLE_TABLES } from "../../../src/runtime/exports/plausible-tables.ts";
import { REPORT_TABLES } from "../../../src/runtime/exports/report-tables.ts";
import { readTableRecord } from "../../../src/runtime/base/record-table.ts";
import { itemRecords } from "../../../src/runtime/sites/collection.ts";
import { GOAL_KIND, type SiteGoal } from "../../../src/runtime/sites/goal.ts";
import { readSites } from "../../../src/runtime/sites/site-record.ts";
import { daysBetween, utcCalendar } from "../../../src/storage/calendar.ts";
import type { LocalDate, SiteId } from "../../../src/storage/event.ts";
import { siteFolderIn } from "../../../src/storage/partitions.ts";
import { type CommandOutcome, counted, formatCount, listed, noProgress, type Progress } from "../command-output.ts";
import { kindOf, mustBeFolder, mustBeOutsideBackups, openStores, WITHOUT_DATA } from "../data-dir/data-dir.ts";
import { FolderLockedError, lockFolder } from "../data-dir/folder-lock.ts";
import { createFolder } from "../files/durable-files.ts";
import { entriesOf, type FileSystem, makePrivate, nodeFileSystem, realPathOf, withParents } from "../files/file-system.ts";
import { EVENT_FORMATS, type EventFormat, type ExportTarget, writeEventFiles } from "./event-files.ts";
import { EXPORT_MANIFEST_FILE, ExportManifest } from "./export-manifest.ts";
import { writeArchive } from "./table-archive.ts";

export const EXPORT_FORMATS = [...EVENT_FORMATS, "plausible", "reports"] as const;
export type FolderExportFormat = (typeof EXPORT_FORMATS)[number];

export interface ExportOptions {
  readonly formats: readonly FolderExportFormat[];
  /** null for all sites. */
  readonly siteId: SiteId | null;
  /** null for the first and the last day with events. */
  readonly from: LocalDate | null;
  readonly to: LocalDate | null;
  /** False to leave visitor ids out of JSON lines and CSV. */
  readonly hasVisitors?: boolean;
  /** Called if the format needs it. */
  readonly openEngine: () => Promise<Engine>;
  readonly progress?: Progress;
  readonly files?: FileSystem;
}

export type ExportSettings = Pick<Config, "dataDir" | "sessionWindowMinutes" | "engineMemoryMb">;

/** Archives that the server has made on request. The only part of a data folder that takes one. */
export const DOWNLOADS_FOLDER = "downloads";

interface HeldFolder {
  /** Aborted if another process has taken the folder. */
  readonly signal: AbortSignal;
  /** Writes the export into the folder. The outcome names what was written as `to`. */
  readonly write: (to: string) => Promise<CommandOutcome>;
}

interface Target {
  readonly folder: string;
  /** Removed as soon as its archive is complete, so that it may be among the downloads. */
  readonly isForArchive: boolean;
}

/**
 * Runs the work while no other export can use the folder. Rejects if the source is no data folder or backup, if the target cannot be used,
 * or if another run uses it.
 */
export async function inExportFolder(
  config: ExportSettings,
  target: Target,
  options: ExportOptions,
  work: (held: HeldFolder) => Promise<CommandOutcome>,
): Promise<CommandOutcome> {
  const { progress = noProgress, files = nodeFileSystem } = options;
  const source = resolve(config.dataDir);
  const { folder } = target;
  await mustBeSource(source, files);
  await mustBeTarget(target, source, files);
  await createFolder(folder, files);
  if ((await files.readdir(folder)).length === 0) await makePrivate(folder, await files.stat(folder), files);
  const lost = new AbortController();
  const onLost = (): void => lost.abort(new Error(`another process has taken ${folder} while this one was paused`));
  const lock = await lockFolder(folder, onLost).catch((error: unknown) => {
    throw error instanceof FolderLockedError ? new Error(`another export into ${folder} is running`, { cause: error }) : error;
  });
  const { signal } = lost;
  const write = async (to: string) => {
    const manifest = await ExportManifest.open(folder, files);
    try {
      return await new FolderExport(config, source, { folder, files, manifest, progress, signal }, options).run(to);
    } finally {
      await manifest.close();
    }
  };
  try {
    return await work({ signal, write });
  } finally {
    progress.end();
    await lock.release();
  }
}

/** Exports into a folder that may have earlier exports. */
export function exportFolder(config: ExportSettings, to: string, options: ExportOptions): Promise<CommandOutcome> {
  const folder = resolve(to);
  return inExportFolder(config, { folder, isForArchive: false }, options, ({ write }) => write(folder));
}

async function mustBeSource(source: string, files: FileSystem): Promise<void> {
  await mustBeFolder(source, files);
  const kind = await kindOf(source, files);
  if (kind === "unfinished restore") throw new Error(`${source} has an unfinished restore. Run it again to complete it`);
  if (kind === "empty" || kind === "other") throw new Error(`${source} ${WITHOUT_DATA[kind]}. Set data_dir to a data folder or a backup`);
}

async function mustBeTarget({ folder, isForArchive }: Target, source: string, files: FileSystem): Promise<void> {
  const parents = await withParents(folder, files);
  const isInside = parents.includes(await realPathOf(source, files));
  const isDownload = isForArchive && parents.includes(await realPathOf(join(source, DOWNLOADS_FOLDER), files));
  if (isInside && !isDownload) throw new Error(`${folder} is inside the data folder`);
  const isEarlier = (await entriesOf(folder, files)).some(({ name }) => name === EXPORT_MANIFEST_FILE);
  const kind = await kindOf(folder, files);
  if (!isEarlier && kind !== "empty" && kind !== "other") throw new Error(`${folder} is itself a ${kind}. Name a folder for exports`);
  await mustBeOutsideBackups(folder, files);
}

const ARCHIVES: Readonly<Record<Exclude<FolderExportFormat, EventFormat>, readonly DayTable[]>> = {
  plausible: PLAUSIBLE_TABLES,
  reports: REPORT_TABLES,
};

const isEvents = (format: FolderExportFormat): format is EventFormat => (EVENT_FORMATS as readonly string[]).includes(format);

const compact = (day: LocalDate): string => day.replaceAll("-", "");

class FolderExport {
  readonly #config: ExportSettings;
  readonly #source: string;
  readonly #target: ExportTarget;
  readonly #options: ExportOptions;
  /** The reason by file: a day may be read several times. */
  readonly #damaged = new Map<string, string>();

  constructor(config: ExportSettings, source: string, target: Omit<ExportTarget, "onDamage">, options: ExportOptions) {
    this.#config = config;
    this.#source = source;
    this.#target = { ...target, onDamage: ({ key, reason }) => void this.#damaged.set(key, reason) };
    this.#options = options;
  }

  async run(to: string): Promise<CommandOutcome> {
    const { formats, siteId } = this.#options;
    const { files, progress } = this.#target;
    const stores = await openStores(this.#source, "off", files);
    const lines: string[] = [];
    const queries = new DayQueries({
      ...{ openEngine: this.#options.openEngine, budgetBytes: budgetBytesOf(this.#config) },
      ...{ sessionWindowMinutes: this.#config.sessionWindowMinutes, onDamage: this.#target.onDamage },
    });
    try {
      const snapshot = await DataSnapshot.of(stores);
      const sites = await snapshot.sites();
      if (siteId !== null && !sites.includes(siteId)) throw new Error(`${this.#source} has no events of ${siteId}`);
      const siteOf = await readExportedSites(stores.records);
      for (const site of siteId === null ? sites : [siteId]) {
        const days = (await snapshot.days(site)).filter((day) => this.#isAsked(day));
        progress.begin(`exporting ${site}`);
        if (days.length === 0) lines.push(`  ${site}: no events on these days`);
        for (const format of days.length === 0 ? [] : formats) {
          if (isEvents(format)) lines.push(await this.#exportEvents(snapshot, site, days, format));
          else lines.push(...(await this.#exportTables(snapshot, siteOf(site), days, { format, queries })));
        }
      }
    } finally {
      await queries.close();
      await stores.segmentLog.close();
    }
    const damaged = Array.from(this.#damaged, ([key, reason]) => `${key}: ${reason}`);
    const faults = damaged.length === 0 ? [] : [`  ${counted(damaged.length, "damaged file")}, whose events are left out:`];
    const text = [`exported ${this.#source} to ${to}`, ...lines, ...faults, ...listed(damaged.slice(0, FAULTS_KEPT_MAX), damaged.length)];
    return { succeeded: damaged.length === 0, text: `${text.join("\n")}\n` };
  }

  #isAsked(day: LocalDate): boolean {
    const { from, to } = this.#options;
    return (from === null || from <= day) && (to === null || day <= to);
  }

  async #exportEvents(snapshot: DataSnapshot, siteId: SiteId, days: readonly LocalDate[], format: EventFormat): Promise<string> {
    const asked = { siteId, days, format, hasVisitors: this.#options.hasVisitors ?? true };
    const { written, unchanged, rows } = await writeEventFiles(snapshot, asked, this.#target);
    return `  ${siteId}: ${counted(rows, "event")}, ${counted(written, "day")} written, ${formatCount(unchanged)} unchanged`;
  }

  async #exportTables(
    snapshot: DataSnapshot,
    site: ExportedSite,
    days: readonly LocalDate[],
    { format, queries }: { readonly format: Exclude<FolderExportFormat, EventFormat>; readonly queries: DayQueries },
  ): Promise<string[]> {
    const [first, last] = [days[0], days.at(-1)];
    if (first === undefined || last === undefined) return [];
    const isPlausible = format === "plausible";
    const name = `${siteFolderIn(format, site.siteId)}/${first}_${last}.zip`;
    const entryOf = (table: DayTable): string => `${table.name}${isPlausible ? `_${compact(first)}_${compact(last)}` : ""}.csv`;
    const archive = { name, site, days, tables: ARCHIVES[format], entryOf, guarded: !isPlausible, queries };
    const bytes = await writeArchive(snapshot, archive, this.#target).catch((error: unknown): never => {
      if (!(error instanceof EngineFullError)) throw error;
      throw new Error(`${error.message}. Set a larger engine_memory_mb`, { cause: error });
    });
    const isShort = isPlausible && daysBetween(first, last) + 1 < PLAUSIBLE_DAYS_MIN;
    return [
      `  ${site.siteId}: ${counted(days.length, "day")}, ${name}, ${formatCount(bytes)} bytes`,
      ...(isShort ? [`    Plausible does not import fewer than ${PLAUSIBLE_DAYS_MIN} days`] : []),
    ];
  }
}

type Records = Awaited<ReturnType<typeof openStores>>["records"];

async function readExportedSites(records: Records): Promise<(siteId: SiteId) => ExportedSite> {
  const sha256 = await createSha256();
  const { calendarOf, arrivalRulesOf } = await readSites(records, sha256);
  const kind = itemRecords(GOAL_KIND, sha256);
  const goals = new Map<SiteId, readonly SiteGoal[]>();
  for (const name of await records.list(`${kind.folder}/`)) {
    const found = await readTableRecord(records, name, kind);
    if (found)
      goals.set(
        found.siteId,
        [...found.items.values()].sort((a, b) => a.fields.position - b.fields.position),
      );
  }
  return (siteId) => ({
    siteId,
    calendar: calendarOf(siteId) ?? utcCalendar,
    arrivalRules: arrivalRulesOf(siteId),
    goals: goals.get(siteId) ?? [],
  });
}
