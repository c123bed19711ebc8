/** What a log line looks like, for people or for machines, and which lines are written at all. */
import type { EpochMs } from "../../storage/event.ts";
import type { Config } from "../config/config.ts";
import type { Log, LogFields } from "./log.ts";

export type LogLevel = Config["logLevel"];

const LEVELS = ["debug", "info", "warn", "error"] as const satisfies readonly LogLevel[];

const quoted = (value: string | number | boolean): string =>
  typeof value === "string" && !/^[\w./:@-]+$/.test(value) ? JSON.stringify(value) : String(value);

function textLine(time: string, level: LogLevel, message: string, fields: LogFields): string {
  const pairs = Object.entries(fields).map(([name, value]) => ` ${name}=${quoted(value)}`);
  return `${time} ${level.toUpperCase().padEnd(5)} ${message}${pairs.join("")}`;
}

const jsonLine = (time: string, level: LogLevel, message: string, fields: LogFields): string =>
  JSON.stringify({ time, level, message, ...fields });

export interface LogLinesOptions extends Pick<Config, "logFormat" | "logLevel"> {
  readonly now: () => EpochMs;
  /** Takes a line without its end. Line breaks in values cannot forge one: they are escaped. */
  readonly write: (level: LogLevel, line: string) => void;
}

export function createLogLines({ logFormat, logLevel, now, write }: LogLinesOptions): Log {
  const line = logFormat === "json" ? jsonLine : textLine;
  const writeAt = (level: LogLevel) => {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(logLevel)) return () => {};
    return (message: string, fields: LogFields = {}) => write(level, line(new Date(now()).toISOString(), level, message, fields));
  };
  return { debug: writeAt("debug"), info: writeAt("info"), warn: writeAt("warn"), error: writeAt("error") };
}
