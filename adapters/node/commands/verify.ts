/** The command `verify`: reads and checks everything in a data folder. It runs beside a process that uses the folder. */
import { resolve } from "node:path";
import { budgetBytesOf } from "../../../src/runtime/service/query-services.ts";
import { utcDateOf } from "../../../src/storage/event.ts";
import { kindOf, WITHOUT_DATA } from "../data-dir/folder-kind.ts";
import { mustBeFolder } from "../data-dir/stores.ts";
import { nodeFileSystem } from "../files/file-system.ts";
import { findingsIn, linesOf, type FolderVerificationOptions } from "../data-dir/folder-verification.ts";
import { createProgress } from "../progress.ts";
import { ThreadedEngine } from "../threads/threaded-engine.ts";
import { readThreads } from "../built-files.ts";
import type { CommandOutcome } from "../outcome.ts";
import type { Command, CommandOption } from "./command.ts";

/** Verifies a data folder or a backup; rollups only with options for them. Rejects if it does not exist or has no data. */
export async function verifyFolder(dataDir: string, options: FolderVerificationOptions = {}): Promise<CommandOutcome> {
  const folder = resolve(dataDir);
  const { files = nodeFileSystem } = options;
  await mustBeFolder(folder, files);
  const kind = await kindOf(folder, files);
  if (kind === "empty" || kind === "other") throw new Error(`${folder} ${WITHOUT_DATA[kind]}. Set data_dir to a data folder or a backup`);
  const findings = await findingsIn(folder, options);
  return { succeeded: findings.faultCount === 0, text: `${[folder, ...linesOf(findings)].join("\n")}\n` };
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
        openEngine() {
          const { engine: script, readEngineModule: readModule } = readThreads();
          return new ThreadedEngine({ script, readModule, log });
        },
        budgetBytes: budgetBytesOf(config),
        all: options.has(ALL_ROLLUPS.name),
        today: utcDateOf(Date.now()),
      },
      progress: createProgress(process.stderr),
    }),
};
