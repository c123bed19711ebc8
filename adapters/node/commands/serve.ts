/** The command `serve`: starts an instance, and stops it when a signal arrives. */
import { createAssets, unpackAsset } from "../../../src/runtime/service/assets.ts";
import { type Config, publicUrl } from "../../../src/runtime/base/config/config.ts";
import { DEMO_SITE } from "../../../src/runtime/base/config/names.ts";
import { reasonOf, type Log } from "../../../src/runtime/base/metrics/log.ts";
import { exitWhenLost } from "../data-dir/data-dir.ts";
import { startInstance, type Instance } from "../instance.ts";
import { PACKED_DASHBOARD, PACKED_TRACKER_SCRIPT, PROGRAM_VERSION } from "../build-constants.ts";
import { logStart } from "../start-log.ts";
import { stopOnSignal } from "../stop-signals.ts";
import { readThreads } from "../built-files.ts";
import { ADDRESS_OPTIONS } from "./address-options.ts";
import type { Command, CommandOption } from "./command.ts";

const DEMO_OPTION: CommandOption = { name: "--demo", help: "make the demo site or update it" };

/** Runs in the background: events and reports need not wait for it. */
async function makeDemo({ services: { demoSite }, origin }: Instance, config: Config, log: Log): Promise<void> {
  try {
    const events = await demoSite.make();
    log.info("the demo site is ready", { url: `${publicUrl(config, origin)}/?site=${DEMO_SITE}`, eventsAdded: events });
  } catch (error) {
    log.warn("the demo site is not complete; the next start with --demo tries again", { reason: reasonOf(error) });
  }
}

/** Resolves when the instance listens. */
async function start(config: Config, log: Log): Promise<Instance> {
  const starting = startInstance({
    config,
    log,
    trackerScript: unpackAsset(PACKED_TRACKER_SCRIPT),
    assets: createAssets(PACKED_DASHBOARD),
    version: PROGRAM_VERSION,
    threads: readThreads(),
    onFolderLost: exitWhenLost(config.dataDir, log),
  });
  // Before the start ends: the first process of a container ignores signals that it does not handle.
  stopOnSignal(async () => (await starting).stop(), log);
  const instance = await starting;
  logStart({ ...instance, setupCode: instance.services.setupCode, version: PROGRAM_VERSION, config }, log);
  return instance;
}

export const serve: Command = {
  name: "serve",
  verb: "start",
  arguments: [],
  options: [...ADDRESS_OPTIONS, DEMO_OPTION],
  help: "start the server; this is the default",
  async run({ config, log, options }) {
    const instance = await start(config, log);
    if (options.has(DEMO_OPTION.name)) void makeDemo(instance, config, log);
    return { succeeded: true, text: "" };
  },
};
