/** The table of all commands, and the commands that read and copy a data folder. */
import { backUpFolder } from "../backups/make-backup.ts";
import { PROGRAM_VERSION } from "../built-files.ts";
import { createProgress } from "../command-output.ts";
import { UsageError, type Command, type CommandOption } from "./command-line.ts";
import { restoreFolder } from "../backups/restore-backup.ts";
import { budgetBytesOf } from "../../../src/runtime/engine/duckdb-queries.ts";
import { utcDateOf } from "../../../src/storage/event.ts";
import { verifyFolder } from "../data-dir/folder-verification.ts";
import { openDatabaseThread } from "../threads/database-thread.ts";
import { exportData } from "./export.ts";
import { healthcheck } from "./healthcheck.ts";
import { importFiles } from "./import.ts";
import { reindex } from "./reindex.ts";
import { rename } from "./rename.ts";
import { resetPassword } from "./reset-password.ts";
import { serve } from "./serve.ts";

const KEEP: CommandOption = { name: "--keep", value: "number", help: "keep this many backups, delete older ones" };

/** Throws a `UsageError`. */
function keptOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new UsageError(`${KEEP.name} must be an integer from 1 to 9999, got ${JSON.stringify(text)}`);
  return Number(text);
}

const backup: Command = {
  name: "backup",
  verb: "back up",
  arguments: ["folder"],
  options: [KEEP],
  help: "make a backup in a new, dated folder there",
  run: async ({ config, arguments: [folder = ""], options }) =>
    backUpFolder(config.dataDir, folder, {
      version: PROGRAM_VERSION,
      keep: keptOf(options.get(KEEP.name)),
      progress: createProgress(process.stderr),
    }),
};

const restore: Command = {
  name: "restore",
  verb: "restore",
  arguments: ["backup"],
  options: [],
  help: "check a backup, and copy it to an empty data folder",
  run: ({ config, arguments: [from = ""] }) => restoreFolder(from, config.dataDir, { progress: createProgress(process.stderr) }),
};

const ALL_ROLLUPS: CommandOption = { name: "--all-rollups", help: "compare all rollups, not a sample" };

const verify: Command = {
  name: "verify",
  verb: "verify",
  arguments: [],
  options: [ALL_ROLLUPS],
  help: "check every file of the data folder, and report damage",
  run: ({ config, options }) =>
    verifyFolder(config.dataDir, {
      rollups: {
        openEngine: openDatabaseThread,
        budgetBytes: budgetBytesOf(config),
        all: options.has(ALL_ROLLUPS.name),
        today: utcDateOf(Date.now()),
      },
      progress: createProgress(process.stderr),
    }),
};

export const COMMANDS: readonly [Command, ...Command[]] = [
  serve,
  verify,
  backup,
  restore,
  importFiles,
  exportData,
  rename,
  reindex,
  resetPassword,
  healthcheck,
];
