/** The signals that stop the program: the first one gracefully, a later one at once. None reloads the configuration. */
import { reasonOf, type Log } from "../../src/runtime/metrics/log.ts";
import { onNpmShellEnd } from "./npm-shell.ts";

/** What service managers, Ctrl-C and a closed terminal send. */
const STOP_SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/**
 * A signal this soon after the first is the same request. npm passes Ctrl-C on to a program that has it from the terminal already; a
 * terminal that ends, and systemd with `SendSIGHUP`, send SIGHUP after SIGTERM.
 */
const SAME_REQUEST_MS = 500;

/** `stop` resolves when everything is written and released. The process then exits with 0; with 1 if `stop` rejects or is cut short. */
export function stopOnSignal(stop: () => Promise<void>, log: Log): void {
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
  for (const signal of STOP_SIGNALS) process.on(signal, onSignal);
  onNpmShellEnd(() => {
    if (stoppingSinceMs === undefined) onSignal("npm ended");
  });
}
