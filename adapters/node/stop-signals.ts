/**
 * The signals that stop the program: the first one gracefully, a later one at once. None reloads the configuration. SIGHUP stops a
 * program whose terminal is closed. Without a terminal it is ignored: it is sent to services to reload them, and a service that ends
 * with 0 is not restarted.
 */
import { isatty } from "node:tty";
import { reasonOf, type Log } from "../../src/runtime/base/metrics/log.ts";
import { onNpmShellEnd } from "./npm-shell.ts";

/** What service managers and Ctrl-C send. */
const STOP_SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** `nohup` leaves none, either. */
const hasTerminal = (): boolean => [0, 1, 2].some((descriptor) => isatty(descriptor));

/**
 * A signal this soon after the first is the same request. npm passes Ctrl-C on to a program that has it from the terminal already, and a
 * terminal that ends sends SIGHUP after SIGTERM.
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
  // Asked before the terminal is gone.
  const hangsUp = hasTerminal();
  for (const signal of STOP_SIGNALS) process.on(signal, onSignal);
  process.on("SIGHUP", (signal) => {
    if (hangsUp) onSignal(signal);
    else if (stoppingSinceMs === undefined) log.warn("SIGHUP is ignored: restart the program to have it read its options again");
  });
  onNpmShellEnd(() => {
    if (stoppingSinceMs === undefined) onSignal("npm ended");
  });
}
