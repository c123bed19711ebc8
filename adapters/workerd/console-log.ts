/** The log as the platform takes it: the console, whose lines `wrangler dev` prints and `wrangler tail` shows. */
import type { Config } from "../../src/runtime/config/config.ts";
import type { Log } from "../../src/runtime/metrics/log.ts";
import { createLogLines } from "../../src/runtime/metrics/log-lines.ts";

export const createConsoleLog = (config: Pick<Config, "logFormat" | "logLevel">): Log =>
  createLogLines({ ...config, now: Date.now, write: (level, line) => console[level](line) });
