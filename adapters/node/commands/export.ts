/** The command `export`: copies the events or the reports of sites to files for other programs. */
import { writeFileSync } from "node:fs";
import { isSiteId } from "../../../src/runtime/base/config/names.ts";
import { isLocalDate, type LocalDate, type SiteId } from "../../../src/storage/event.ts";
import { openDatabaseThread } from "../threads/database-thread.ts";
import { type CommandOutcome, createProgress } from "../command-output.ts";
import { exportArchive } from "../exports/archive-file.ts";
import {
  EXPORT_FORMATS,
  exportFolder,
  type ExportOptions,
  type ExportSettings,
  type FolderExportFormat,
} from "../exports/export-folder.ts";
import { UsageError, type Command, type CommandOption } from "./command-line.ts";

const OUT: CommandOption = { name: "--out", value: "folder", help: "the folder to write to, which may have earlier exports" };
const ZIP: CommandOption = { name: "--zip", value: "file", help: "write one ZIP in place of a folder" };
const FORMAT: CommandOption = {
  name: "--format",
  value: "format",
  help: `${EXPORT_FORMATS.join(", ")}, or several of them (default: parquet)`,
};
const SITE: CommandOption = { name: "--site", value: "site", help: "only this site" };
const FROM: CommandOption = { name: "--from", value: "date", help: "the first day, YYYY-MM-DD" };
const TO: CommandOption = { name: "--to", value: "date", help: "the last day" };
const WITHOUT_VISITORS: CommandOption = { name: "--without-visitors", help: "leave visitor ids out of jsonl and csv" };

type Options = ReadonlyMap<string, string>;

/** Killed before others if memory runs out, among 1,000. See proc_pid_oom_score_adj(5). */
const OOM_SCORE = "500";

/** Ends with the server that has begun the export, which would not know of the file after a restart, and before it if memory runs out. */
function followServer(): void {
  if (process.channel === undefined) return;
  process.once("disconnect", () => process.exit(1));
  process.channel.unref();
  try {
    writeFileSync("/proc/self/oom_score_adj", OOM_SCORE);
  } catch {
    // Another system than Linux.
  }
}

/** Exports into what the options name: a folder or a file. */
function exporterOf(options: Options): (config: ExportSettings, asked: ExportOptions) => Promise<CommandOutcome> {
  const [folder, file] = [options.get(OUT.name), options.get(ZIP.name)];
  if (folder !== undefined && file === undefined) return (config, asked) => exportFolder(config, folder, asked);
  if (file !== undefined && folder === undefined) return (config, asked) => exportArchive(config, file, asked);
  throw new UsageError(`export needs either ${OUT.name} <folder> or ${ZIP.name} <file>`);
}

/** Separated by commas. */
function formatsOf(options: Options): readonly FolderExportFormat[] {
  const names = (options.get(FORMAT.name) ?? "parquet").split(",");
  const unknown = names.find((name) => !(EXPORT_FORMATS as readonly string[]).includes(name));
  if (unknown === undefined) return EXPORT_FORMATS.filter((format) => names.includes(format));
  throw new UsageError(`${FORMAT.name} must be one or more of ${EXPORT_FORMATS.join(", ")}, got ${JSON.stringify(unknown)}`);
}

function siteOf(options: Options): SiteId | null {
  const text = options.get(SITE.name);
  if (text === undefined) return null;
  if (!isSiteId(text)) throw new UsageError(`${SITE.name} must be the id of a site, got ${JSON.stringify(text)}`);
  return text;
}

function dateOf({ name }: CommandOption, options: Options): LocalDate | null {
  const text = options.get(name);
  if (text === undefined) return null;
  if (!isLocalDate(text)) throw new UsageError(`${name} must be a date in the form YYYY-MM-DD, got ${JSON.stringify(text)}`);
  return text;
}

export const exportData: Command = {
  name: "export",
  verb: "export",
  arguments: [],
  options: [OUT, ZIP, FORMAT, SITE, FROM, TO, WITHOUT_VISITORS],
  help: "write events or reports to files for other programs",
  async run({ config, options }) {
    const [exportTo, formats, siteId] = [exporterOf(options), formatsOf(options), siteOf(options)];
    const [from, to] = [dateOf(FROM, options), dateOf(TO, options)];
    if (from !== null && to !== null && to < from) throw new UsageError(`${TO.name} must not be before ${FROM.name}`);
    const hasVisitors = !options.has(WITHOUT_VISITORS.name);
    if (!hasVisitors && formats.includes("parquet")) throw new UsageError(`${WITHOUT_VISITORS.name} is for other formats than parquet`);
    const progress = createProgress(process.stderr);
    followServer();
    return exportTo(config, { formats, siteId, from, to, hasVisitors, openEngine: openDatabaseThread, progress });
  },
};
