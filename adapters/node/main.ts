/** The program: reads the command line and the configuration, and runs the command. */
import { problemsWithRoutes } from "../../src/handlers/app.ts";
import { ConfigError, parseConfig } from "../../src/runtime/config/config.ts";
import { PRODUCT_NAME } from "../../src/runtime/config/names.ts";
import { reasonOf } from "../../src/runtime/metrics/log.ts";
import { readCommandLine } from "./command-line.ts";
import { backUpFolder } from "./commands/backup.ts";
import { serve } from "./commands/serve.ts";
import { verify } from "./commands/verify.ts";
import { createConsoleLog } from "./console-log.ts";
import { PROGRAM_VERSION } from "./program.ts";

async function run(): Promise<void> {
  // New files are for this user only, and stay accessible under a umask such as 0777.
  process.umask(0o077);
  const environment = process.env;
  const commandLine = readCommandLine({ argv: process.argv.slice(2), environment });
  if (commandLine.action === "help") {
    process.stdout.write(commandLine.text);
    return;
  }
  if (commandLine.action === "version") {
    process.stdout.write(`${PROGRAM_VERSION}\n`);
    return;
  }
  const { file, fileName } = commandLine;
  const { config, warnings } = parseConfig({ environment, file, fileName, platform: "node" }, problemsWithRoutes);
  const log = createConsoleLog(config);
  for (const warning of warnings) log.warn(warning);
  if (commandLine.action === "start") return serve(config, log);
  const { isWhole, text } =
    commandLine.action === "verify" ? await verify(config, log, commandLine) : await backUpFolder(config.dataDir, commandLine.to);
  process.stdout.write(text);
  process.exitCode = isWhole ? 0 : 1;
}

run().catch((error: unknown) => {
  const failing = ["verify", "backup"].find((command) => command === process.argv[2]) ?? "start";
  process.stderr.write(`${PRODUCT_NAME} cannot ${failing}: ${reasonOf(error)}\n`);
  process.exit(error instanceof ConfigError ? 2 : 1);
});
