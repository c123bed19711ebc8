/** The command `serve`: starts an instance, and stops it when a signal arrives. */
import { createAssets, unpackAsset } from "../../../src/runtime/assets.ts";
import { logSetupCode } from "../../../src/runtime/auth/setup-code.ts";
import type { Config } from "../../../src/runtime/config/config.ts";
import { PRODUCT_NAME, SCRIPT_PATHS } from "../../../src/runtime/config/names.ts";
import { reasonOf, type Log } from "../../../src/runtime/metrics/log.ts";
import { startInstance, type Instance } from "../instance.ts";
import { PACKED_DASHBOARD, PACKED_TRACKER_SCRIPT, PROGRAM_VERSION } from "../program.ts";
import { THREADS } from "../threads.ts";
import type { Command, CommandOption } from "./command.ts";

function welcome({ origin, dataFolder, services }: Instance, log: Log): void {
  log.info(`${PRODUCT_NAME} ${PROGRAM_VERSION} listens on ${origin}`, { dataFolder });
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

/** Resolves when the instance listens. */
async function start(config: Config, log: Log): Promise<void> {
  const onFolderLost = () => {
    log.error("another process has taken the data folder while this one was paused; exiting", { dataFolder: config.dataDir });
    process.exit(1);
  };
  const instance = await startInstance({
    config,
    log,
    trackerScript: unpackAsset(PACKED_TRACKER_SCRIPT),
    assets: createAssets(PACKED_DASHBOARD),
    version: PROGRAM_VERSION,
    threads: THREADS,
    onFolderLost,
  });
  stopOnSignal(instance, log);
  welcome(instance, log);
}

/** Where the server listens. */
export const ADDRESS_OPTIONS: readonly CommandOption[] = [
  { name: "--host", value: "address", help: "its address (default: 127.0.0.1)", sets: "host" },
  { name: "--port", value: "port", help: "its port (default: 8000)", sets: "port" },
];

export const serve: Command = {
  name: "serve",
  verb: "start",
  arguments: [],
  options: ADDRESS_OPTIONS,
  help: "start the server; this is the default",
  async run({ config, log }) {
    await start(config, log);
    return { isWhole: true, text: "" };
  },
};
