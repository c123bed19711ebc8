/** The program: reads the command line and the configuration, then serves until a signal stops it, or runs a command. */
import { problemsWithRoutes } from "../../src/handlers/app.ts";
import { createAssets, unpackAsset, type PackedAsset, type PackedAssets } from "../../src/runtime/assets.ts";
import { logSetupCode } from "../../src/runtime/auth/setup-code.ts";
import { ConfigError, parseConfig, type Config } from "../../src/runtime/config/config.ts";
import { budgetBytesOf } from "../../src/runtime/execution/query-services.ts";
import type { RollupVerificationOptions } from "../../src/runtime/jobs/rollup-verification/rollup-verification.ts";
import { reasonOf, type Log } from "../../src/runtime/metrics/log.ts";
import { PRODUCT_NAME, SCRIPT_PATHS } from "../../src/runtime/config/names.ts";
import { utcCalendar } from "../../src/storage/calendar.ts";
import { readCommandLine } from "./command-line.ts";
import { createConsoleLog } from "./console-log.ts";
import { backUpFolder, verifyFolder } from "./data-dir-commands.ts";
import { nodeFileSystem } from "./file-system.ts";
import { startInstance, type Instance } from "./instance.ts";
import { ThreadedEngine } from "./threaded-engine.ts";

/** Defined by the build. */
declare const TRACKER_SCRIPT: PackedAsset;
declare const DASHBOARD_ASSETS: PackedAssets;
declare const VERSION: string;

const THREADS = {
  engine: new URL("./engine-worker.js", import.meta.url),
  engineModule: new URL("./engine.wasm", import.meta.url),
  parquet: new URL("./parquet-worker.js", import.meta.url),
  passwords: new URL("./password-worker.js", import.meta.url),
  rollups: new URL("./rollup-worker.js", import.meta.url),
};

function welcome({ origin, dataFolder, services }: Instance, log: Log): void {
  log.info(`${PRODUCT_NAME} ${VERSION} listens on ${origin}`, { dataFolder });
  logSetupCode(services.setupCode, log);
  log.info(`to add a site, put this into its pages: <script defer data-domain="example.com" src="${origin}${SCRIPT_PATHS[0]}"></script>`);
}

/** The first signal stops gracefully, the second at once. */
function stopOnSignal(instance: Instance, log: Log): void {
  let stopping = false;
  const stop = (signal: string) => {
    if (stopping) process.exit(1);
    stopping = true;
    log.info(`${signal}: stopping`);
    instance.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error("the shutdown failed; journaled events are restored at the next start", { reason: reasonOf(error) });
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
}

/** How `verify` compares rollups. */
const comparisonOf = ({ allRollups }: { readonly allRollups: boolean }, config: Config, log: Log): RollupVerificationOptions => ({
  openEngine: () => new ThreadedEngine({ workerUrl: THREADS.engine, moduleUrl: THREADS.engineModule, log }),
  budgetBytes: budgetBytesOf(config),
  all: allRollups,
  today: utcCalendar.dateOf(Date.now()),
});

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
    process.stdout.write(`${VERSION}\n`);
    return;
  }
  const { file, fileName } = commandLine;
  const { config, warnings } = parseConfig({ environment, file, fileName, platform: "node" }, problemsWithRoutes);
  const log = createConsoleLog(config);
  for (const warning of warnings) log.warn(warning);
  if (commandLine.action !== "start") {
    const { isWhole, text } =
      commandLine.action === "verify"
        ? await verifyFolder(config.dataDir, nodeFileSystem, comparisonOf(commandLine, config, log))
        : await backUpFolder(config.dataDir, commandLine.to);
    process.stdout.write(text);
    process.exitCode = isWhole ? 0 : 1;
    return;
  }
  const assets = createAssets(DASHBOARD_ASSETS);
  const onFolderLost = () => {
    log.error("another process has taken the data folder while this one was paused; exiting", { dataFolder: config.dataDir });
    process.exit(1);
  };
  const trackerScript = unpackAsset(TRACKER_SCRIPT);
  const instance = await startInstance({ config, log, trackerScript, assets, version: VERSION, threads: THREADS, onFolderLost });
  stopOnSignal(instance, log);
  welcome(instance, log);
}

run().catch((error: unknown) => {
  const failing = ["verify", "backup"].find((command) => command === process.argv[2]) ?? "start";
  process.stderr.write(`${PRODUCT_NAME} cannot ${failing}: ${reasonOf(error)}\n`);
  process.exit(error instanceof ConfigError ? 2 : 1);
});
