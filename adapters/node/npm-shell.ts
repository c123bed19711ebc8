/**
 * Notices the end of the shell in which npm runs the program (`npm start`, `npx`). npm passes a signal on to that shell only, and most
 * shells end without passing it on. With `exec` the program would replace the shell, but Windows has no such command.
 */

const CHECK_INTERVAL_MS = 250;

/** Does nothing if npm has not started the program. */
export function onNpmShellEnd(callBack: () => void): void {
  if (process.env["npm_lifecycle_event"] === undefined) return;
  const shell = process.ppid;
  const checks = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(checks);
    // A signal to the whole process group ends the shell, too. By then, this process has received its own.
    setImmediate(callBack);
  }, CHECK_INTERVAL_MS).unref();
}
