/** The log port on the console: `wrangler dev` prints its lines and `wrangler tail` shows them. */
import type { Config } from "../../src/runtime/base/config/config.ts";
import { createLog, type Log } from "../../src/runtime/base/metrics/log.ts";

export const createConsoleLog = (config: Pick<Config, "logFormat" | "logLevel">): Log =>
  createLog({ ...config, now: Date.now, write: (level, line) => console[level](line) });
