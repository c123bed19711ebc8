/** The signals that stop the program: the first one gracefully, the second one at once. None reloads the configuration. */
import { reasonOf, type Log } from "../../src/runtime/metrics/log.ts";
import { onNpmShellEnd } from "./npm-shell.ts";

/** What service managers, Ctrl-C and a closed terminal send. */
const STOP_SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** `stop` resolves when everything is written and released. The process then exits with 0; with 1 if `stop` rejects or is cut short. */
export function stopOnSignal(stop: () => Promise<void>, log: Log): void {
  let isStopping = false;
  const onSignal = (signal: string) => {
    if (isStopping) process.exit(1);
    isStopping = true;
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
  for (const signal of STOP_SIGNALS) process.on(signal, onSignal);
  onNpmShellEnd(() => {
    if (!isStopping) onSignal("npm ended");
  });
}
