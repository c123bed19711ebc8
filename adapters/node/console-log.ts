/** The log port on standard output and standard error. */
import type { Config } from "../../src/runtime/base/config/config.ts";
import { createLog, type Log } from "../../src/runtime/base/metrics/log.ts";

/** Warnings and errors go to standard error. To be called once: it also keeps write errors of both streams from ending the process. */
export function createConsoleLog(config: Pick<Config, "logFormat" | "logLevel">): Log {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", () => {
      // The disk is full, or the reader of the pipe has exited. This line is lost; the next one may succeed.
    });
  }
  return createLog({
    ...config,
    now: Date.now,
    write(level, line) {
      const stream = level === "warn" || level === "error" ? process.stderr : process.stdout;
      stream.write(`${line}\n`);
    },
  });
}
