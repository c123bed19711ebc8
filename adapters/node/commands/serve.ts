/** The command `serve`: starts an instance, and stops it when a signal arrives. */
import { createAssets, unpackAsset } from "../../../src/runtime/assets.ts";
import type { Config } from "../../../src/runtime/config/config.ts";
import type { Log } from "../../../src/runtime/metrics/log.ts";
import { exitWhenLost } from "../data-dir/data-dir.ts";
import { startInstance } from "../instance.ts";
import { PACKED_DASHBOARD, PACKED_TRACKER_SCRIPT, PROGRAM_VERSION } from "../build-constants.ts";
import { logStart } from "../start-log.ts";
import { stopOnSignal } from "../stop-signals.ts";
import { THREADS } from "../built-files.ts";
import { ADDRESS_OPTIONS } from "./address-options.ts";
import type { Command } from "./command.ts";

/** Resolves when the instance listens. */
async function start(config: Config, log: Log): Promise<void> {
  const starting = startInstance({
    config,
    log,
    trackerScript: unpackAsset(PACKED_TRACKER_SCRIPT),
    assets: createAssets(PACKED_DASHBOARD),
    version: PROGRAM_VERSION,
    threads: THREADS,
    onFolderLost: exitWhenLost(config.dataDir, log),
  });
  // Before the start ends: the first process of a container ignores signals that it does not handle.
  stopOnSignal(async () => (await starting).stop(), log);
  const instance = await starting;
  logStart({ ...instance, setupCode: instance.services.setupCode, version: PROGRAM_VERSION, config }, log);
}

export const serve: Command = {
  name: "serve",
  verb: "start",
  arguments: [],
  options: ADDRESS_OPTIONS,
  help: "start the server; this is the default",
  async run({ config, log }) {
    await start(config, log);
    return { succeeded: true, text: "" };
  },
};
