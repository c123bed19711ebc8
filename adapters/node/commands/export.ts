/** The command `export`: copies the events or the reports of sites to files for other programs. */
import { isSiteId } from "../../../src/runtime/base/config/names.ts";
import { isLocalDate, type LocalDate, type SiteId } from "../../../src/storage/event.ts";
import { openDatabaseThread } from "../threads/database-thread.ts";
import { createProgress } from "../command-output.ts";
import { EXPORT_FORMATS, exportFolder, type FolderExportFormat } from "../exports/export-folder.ts";
import { UsageError, type Command, type CommandOption } from "./command-line.ts";

const OUT: CommandOption = { name: "--out", value: "folder", help: "the folder to write to, which may have earlier exports" };
const FORMAT: CommandOption = { name: "--format", value: "format", help: `${EXPORT_FORMATS.join(", ")} (default: parquet)` };
const SITE: CommandOption = { name: "--site", value: "site", help: "only this site" };
const FROM: CommandOption = { name: "--from", value: "date", help: "the first day, YYYY-MM-DD" };
const TO: CommandOption = { name: "--to", value: "date", help: "the last day" };

type Options = ReadonlyMap<string, string>;

function outOf(options: Options): string {
  const folder = options.get(OUT.name);
  if (folder === undefined) throw new UsageError(`export needs ${OUT.name} <folder>`);
  return folder;
}

function formatOf(options: Options): FolderExportFormat {
  const text = options.get(FORMAT.name) ?? "parquet";
  const format = EXPORT_FORMATS.find((known) => known === text);
  if (format === undefined) throw new UsageError(`${FORMAT.name} must be one of ${EXPORT_FORMATS.join(", ")}, got ${JSON.stringify(text)}`);
  return format;
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
  options: [OUT, FORMAT, SITE, FROM, TO],
  help: "write events or reports to files for other programs",
  async run({ config, options }) {
    const [folder, format, siteId] = [outOf(options), formatOf(options), siteOf(options)];
    const [from, to] = [dateOf(FROM, options), dateOf(TO, options)];
    if (from !== null && to !== null && to < from) throw new UsageError(`${TO.name} must not be before ${FROM.name}`);
    const progress = createProgress(process.stderr);
    return exportFolder(config, folder, { format, siteId, from, to, openEngine: openDatabaseThread, progress });
  },
};
