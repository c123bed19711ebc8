/** The log as the platform takes it: the console, whose lines `wrangler dev` prints and `wrangler tail` shows. */
import type { Config } from "../../src/runtime/config/config.ts";
import { createLog, type Log } from "../../src/runtime/metrics/log.ts";

export const createConsoleLog = (config: Pick<Config, "logFormat" | "logLevel">): Log =>
  createLog({ ...config, now: Date.now, write: (level, line) => console[level](line) });
