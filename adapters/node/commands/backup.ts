/** The command `backup`. */
import { backUpFolder } from "../backups/make-backup.ts";
import { PROGRAM_VERSION } from "../build-constants.ts";
import { createProgress } from "../progress.ts";
import { UsageError, type Command, type CommandOption } from "./command.ts";

const KEEP: CommandOption = { name: "--keep", value: "number", help: "keep this many backups, delete older ones" };

/** Throws a `UsageError`. */
function keptOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new UsageError(`${KEEP.name} must be an integer from 1 to 9999, got ${JSON.stringify(text)}`);
  return Number(text);
}

export const backup: Command = {
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
