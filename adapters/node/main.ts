/** The program: reads the command line and the configuration, and runs the command. */
import { type Config, ConfigError, parseConfig } from "../../src/runtime/base/config/config.ts";
import { createLog, type Log, reasonOf } from "../../src/runtime/base/metrics/log.ts";
import { problemsWithRoutes } from "../../src/handlers/app.ts";
import { PROGRAM_NAME } from "../../src/runtime/base/config/names.ts";
import { parseCommandLine, type CommandLine, type CommandRun, UsageError, renderCommandHelp, renderHelp } from "./commands/command-line.ts";
import { COMMANDS } from "./commands/commands.ts";
import { readConfigSources } from "./config-sources.ts";
import { PROGRAM_VERSION } from "./built-files.ts";

/** Warnings and errors go to standard error. To be called once: it also keeps write errors of both streams from ending the process. */
function createConsoleLog(config: Pick<Config, "logFormat" | "logLevel">): Log {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", () => {
      // The disk is full, or the reader of the pipe has exited. This line is lost; the next one may succeed.
    });
  }
  return createLog({
    ...config,
    now: Date.now,
    write(level, line) {
      const stream = level === "warn" || level === "error" ? process.stderr : process.stdout;
      stream.write(`${line}\n`);
    },
  });
}

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
if (commandLine.action === "help")
  process.stdout.write(commandLine.command ? renderCommandHelp(commandLine.command) : renderHelp(COMMANDS));
else if (commandLine.action === "version") process.stdout.write(`${PROGRAM_VERSION}\n`);
else {
  runCommand(commandLine).catch((error: unknown) => {
    if (error instanceof UsageError) failOnUsage(error);
    fail(`${PROGRAM_NAME} cannot ${commandLine.command.verb}: ${reasonOf(error)}\n`, error);
  });
}
