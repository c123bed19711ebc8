/** The command `serve`: starts an instance, logs where it listens, and stops it on a signal. */
import { isatty } from "node:tty";
import { reasonOf, type Log } from "../../../src/runtime/base/metrics/log.ts";
import { logSetupCode, type SetupCode } from "../../../src/runtime/access/setup-code.ts";
import { type Config, publicUrl } from "../../../src/runtime/base/config/config.ts";
import { createAssets, unpackAsset } from "../../../src/runtime/service/assets.ts";
import { exitWhenLost } from "../data-dir/data-dir.ts";
import { startInstance, type Instance } from "../instance.ts";
import { PACKED_DASHBOARD, PACKED_TRACKER_SCRIPT, PROGRAM_VERSION, readThreads } from "../built-files.ts";
import { ADDRESS_OPTIONS, type Command, type CommandOption } from "./command-line.ts";
import { PRODUCT_NAME } from "../../../src/shared/names.ts";
import { PROGRAM_NAME, DEMO_SITE } from "../../../src/runtime/base/config/names.ts";

const CHECK_INTERVAL_MS = 250;

/**
 * Notices the end of the shell in which npm runs the program (`npm start`, `npx`). npm passes a signal on to that shell only, and most shells
 * end without passing it on. With `exec` the program would replace the shell, but Windows has no such command.
 */
function onNpmShellEnd(callBack: () => void): void {
  if (process.env["npm_lifecycle_event"] === undefined) return;
  const shell = process.ppid;
  const checks = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(checks);
    // A signal to the whole process group also ends the shell. By then, this process has received its own.
    setImmediate(callBack);
  }, CHECK_INTERVAL_MS).unref();
}

/**
 * A signal this soon after the first is the same request. npm passes Ctrl-C on to a program that has it from the terminal already, and a
 * terminal that ends sends SIGHUP after SIGTERM.
 */
const SAME_REQUEST_MS = 500;

/**
 * Stops gracefully on the first signal, at once on a later one. SIGHUP stops a program whose terminal is closed. Without a terminal it is
 * ignored: it is sent to services to reload them, and a service that ends with 0 is not restarted. `stop` resolves when everything is written
 * and released. The process then exits with 0; with 1 if `stop` rejects or is cut short.
 */
function stopOnSignal(stop: () => Promise<void>, log: Log): void {
  let stoppingSinceMs: number | undefined;
  const onSignal = (signal: string) => {
    if (stoppingSinceMs !== undefined) {
      if (performance.now() - stoppingSinceMs >= SAME_REQUEST_MS) process.exit(1);
      return;
    }
    stoppingSinceMs = performance.now();
    log.info(`${signal}: stopping`);
    stop().then(
      () => {
        log.info("stopped");
        process.exit(0);
      },
      (error: unknown) => {
        log.error("the shutdown failed; journaled events are restored at the next start", { reason: reasonOf(error) });
        process.exit(1);
      },
    );
  };
  // Asked before the terminal is gone. Under `nohup` there is none, either.
  const hangsUp = [0, 1, 2].some((descriptor) => isatty(descriptor));
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, onSignal);
  process.on("SIGHUP", (signal) => {
    if (hangsUp) onSignal(signal);
    else if (stoppingSinceMs === undefined) log.warn("SIGHUP is ignored: restart the program to have it read its options again");
  });
  onNpmShellEnd(() => {
    if (stoppingSinceMs === undefined) onSignal("npm ended");
  });
}

function logProtection({ role, adminPassword }: Config, setupCode: SetupCode, log: Log): void {
  if (role === "ingest") log.info("accepts events only; statistics and the dashboard are on instances with role = all");
  else if (adminPassword !== null) log.info("protected by the admin password of the configuration (admin_password)");
  else if (setupCode.reveal() === null) {
    log.info(`protected by the admin password in the data folder; if it is forgotten, stop and run "${PROGRAM_NAME} reset-password"`);
  } else logSetupCode(setupCode, log);
}

function logStart({ origin, dataFolder, services }: Instance, config: Config, log: Log): void {
  const url = publicUrl(config, origin);
  log.info(`${PRODUCT_NAME} ${PROGRAM_VERSION} listens on ${origin}`, url === origin ? {} : { publicUrl: url });
  log.info("all data is in one folder", { dataFolder });
  logProtection(config, services.setupCode, log);
}

const DEMO_OPTION: CommandOption = { name: "--demo", help: "make the demo site or complete it" };

/** Runs in the background: events and reports need not wait for it. */
async function makeDemo({ services: { demoSite }, origin }: Instance, config: Config, log: Log): Promise<void> {
  try {
    const events = await demoSite.make();
    log.info("the demo site is ready", { url: `${publicUrl(config, origin)}/?site=${DEMO_SITE}`, eventsAdded: events });
  } catch (error) {
    log.warn("the demo site is not complete; the next start with --demo tries again", { reason: reasonOf(error) });
  }
}

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
  logStart(instance, config, log);
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
