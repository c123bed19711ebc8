/** The command `restore`. */
import { restoreFolder } from "../backups/restore-backup.ts";
import { createProgress } from "../progress.ts";
import type { Command } from "./command.ts";

export const restore: Command = {
  name: "restore",
  verb: "restore",
  arguments: ["backup"],
  options: [],
  help: "check a backup, and copy it to an empty data folder",
  run: ({ config, arguments: [backup = ""] }) => restoreFolder(backup, config.dataDir, { progress: createProgress(process.stderr) }),
};
