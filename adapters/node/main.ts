/** The program: reads the command line and the configuration, and runs the command. */
import { problemsWithRoutes } from "../../src/handlers/app.ts";
import { ConfigError, parseConfig } from "../../src/runtime/base/config/config.ts";
import { PROGRAM_NAME } from "../../src/runtime/base/config/names.ts";
import { reasonOf } from "../../src/runtime/base/metrics/log.ts";
import { parseCommandLine, type CommandLine, type CommandRun } from "./commands/command-line.ts";
import { UsageError } from "./commands/command.ts";
import { COMMANDS } from "./commands/commands.ts";
import { readConfigSources } from "./config/config-sources.ts";
import { createConsoleLog } from "./console-log.ts";
import { renderHelp } from "./commands/help.ts";
import { PROGRAM_VERSION } from "./build-constants.ts";

async function runCommand({ command, ...typed }: CommandRun): Promise<void> {
  const { config, warnings } = parseConfig(readConfigSources({ environment: process.env, ...typed }), problemsWithRoutes);
  const log = createConsoleLog(config);
  if (!command.leavesWarningsToServe) for (const warning of warnings) log.warn(warning);
  const { succeeded, text } = await command.run({ config, log, ...typed });
  process.stdout.write(text);
  process.exitCode = succeeded ? 0 : 1;
}

/** Ends the process. Failures that a user can cause have a message that explains them, so no stack is printed. */
function fail(message: string, error: unknown): never {
  process.stderr.write(message);
  process.exit(error instanceof ConfigError || error instanceof UsageError ? 2 : 1);
}

function failOnUsage(error: unknown): never {
  fail(`${PROGRAM_NAME}: ${reasonOf(error)}\nTry "${PROGRAM_NAME} --help".\n`, error);
}

function readCommandLine(): CommandLine {
  try {
    return parseCommandLine(process.argv.slice(2), COMMANDS);
  } catch (error) {
    return failOnUsage(error);
  }
}

// New files are for this user only, and stay accessible under a umask such as 0777.
process.umask(0o077);
const commandLine = readCommandLine();
if (commandLine.action === "help") process.stdout.write(renderHelp(COMMANDS));
else if (commandLine.action === "version") process.stdout.write(`${PROGRAM_VERSION}\n`);
else {
  runCommand(commandLine).catch((error: unknown) => {
    if (error instanceof UsageError) failOnUsage(error);
    fail(`${PROGRAM_NAME} cannot ${commandLine.command.verb}: ${reasonOf(error)}\n`, error);
  });
}
