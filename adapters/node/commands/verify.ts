/** The command `verify`: reads and checks everything in a data folder. It runs beside a process that uses the folder. */
import { resolve } from "node:path";
import { budgetBytesOf } from "../../../src/runtime/execution/query-services.ts";
import { utcCalendar } from "../../../src/storage/calendar.ts";
import { mustBeFolder } from "../data-dir/stores.ts";
import { nodeFileSystem } from "../files/file-system.ts";
import { findingsIn, linesOf, type FolderVerificationOptions } from "../data-dir/folder-verification.ts";
import { createProgress } from "./progress.ts";
import { ThreadedEngine } from "../threads/threaded-engine.ts";
import { THREADS } from "../built-files.ts";
import type { Command, CommandOption, CommandOutcome } from "./command.ts";

/** Verifies a data folder or a backup; rollups only with options for them. Rejects if it does not exist. */
export async function verifyFolder(dataDir: string, options: FolderVerificationOptions = {}): Promise<CommandOutcome> {
  const folder = resolve(dataDir);
  await mustBeFolder(folder, options.files ?? nodeFileSystem);
  const findings = await findingsIn(folder, options);
  return { isWhole: findings.faultCount === 0, text: `${[folder, ...linesOf(findings)].join("\n")}\n` };
}

const ALL_ROLLUPS: CommandOption = { name: "--all-rollups", help: "compare all rollups, not a sample" };

export const verify: Command = {
  name: "verify",
  verb: "verify",
  arguments: [],
  options: [ALL_ROLLUPS],
  help: "check every file of the data folder, and report damage",
  run: ({ config, log, options }) =>
    verifyFolder(config.dataDir, {
      rollups: {
        openEngine: () => new ThreadedEngine({ workerUrl: THREADS.engine, moduleUrl: THREADS.engineModule, log }),
        budgetBytes: budgetBytesOf(config),
        all: options.has(ALL_ROLLUPS.name),
        today: utcCalendar.dateOf(Date.now()),
      },
      progress: createProgress(process.stderr),
    }),
};
