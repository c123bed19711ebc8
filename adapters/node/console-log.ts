/** The log on standard output and error, a line each. */
import type { Config } from "../../src/runtime/config.ts";
import type { Log } from "../../src/runtime/log.ts";
import { createLogLines } from "../../src/runtime/log-lines.ts";

/** Warnings and errors go to standard error. */
export function createConsoleLog(config: Pick<Config, "logFormat" | "logLevel">): Log {
  return createLogLines({
    ...config,
    now: Date.now,
    write(level, line) {
      const stream = level === "warn" || level === "error" ? process.stderr : process.stdout;
      stream.write(`${line}\n`);
    },
  });
}
