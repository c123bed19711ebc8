/** The log on standard output and error, a line each. */
import type { Config } from "../../src/runtime/config/config.ts";
import { createLog, type Log } from "../../src/runtime/metrics/log.ts";

/** Warnings and errors go to standard error. To be called once: from then on nothing that becomes of the two ends the process. */
export function createConsoleLog(config: Pick<Config, "logFormat" | "logLevel">): Log {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", () => {
      // Their disk is full, or whoever reads them has gone. That line is lost; the next one may get through.
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
