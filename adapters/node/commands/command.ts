/** What a command is: its row in the table of commands (`commands.ts`), and what it gets. */
import type { Config } from "../../../src/runtime/base/config/config.ts";
import type { OptionName } from "../../../src/runtime/base/config/options.ts";
import type { Log } from "../../../src/runtime/base/metrics/log.ts";
import type { CommandOutcome } from "../outcome.ts";

export interface Command {
  readonly name: string;
  /** Completes "sandpiper cannot …" when it fails. */
  readonly verb: string;
  /** Its arguments as the help shows them, e.g. `folder`. All are required. */
  readonly arguments: readonly string[];
  /** The options it has beside those of every command. Commands that share the name of an option share its declaration. */
  readonly options: readonly CommandOption[];
  /** A line of the help. */
  readonly help: string;
  /** Set for commands that run often: `serve` logs the warnings about the configuration. */
  readonly leavesWarningsToServe?: true;
  /** Rejects with `UsageError` if the value of an option of its own is wrong. */
  run(call: CommandCall): Promise<CommandOutcome>;
}

export interface CommandOption {
  /** Includes its dashes, e.g. `--all-rollups`. */
  readonly name: string;
  /** What its value is, e.g. `file`. Absent if it takes none. */
  readonly value?: string;
  /** A line of the help. */
  readonly help: string;
  /** The option of the configuration that it sets. */
  readonly sets?: OptionName;
}

export interface CommandCall {
  readonly config: Config;
  readonly log: Log;
  /** One for each argument that the command declares. */
  readonly arguments: readonly string[];
  /** The given options of the command by their names, with their values; an option that takes none has an empty one. */
  readonly options: ReadonlyMap<string, string>;
}

/** What was typed is wrong: the exit code is 2. The message is one line. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
