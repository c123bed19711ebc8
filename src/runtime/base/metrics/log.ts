/** The log: what the service calls, and what a line looks like for people (`text`) and for machines (`json`). */
import type { EpochMs } from "../../../storage/event.ts";
import type { Config } from "../config/config.ts";

type LogLevel = Config["logLevel"];

export type LogFields = Readonly<Record<string, string | number | boolean>>;

/** A line never holds an address, a cookie, a key or a password. The one secret it may hold is the setup code, which works once. */
export type Log = Readonly<Record<LogLevel, (message: string, fields?: LogFields) => void>>;

/** The message of a thrown value, for a log field. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const LEVELS = ["debug", "info", "warn", "error"] as const satisfies readonly LogLevel[];

const quoted = (value: string | number | boolean): string =>
  typeof value === "string" && !/^[\w./:@-]+$/.test(value) ? JSON.stringify(value) : String(value);

function textLine(time: string, level: LogLevel, message: string, fields: LogFields): string {
  const pairs = Object.entries(fields).map(([name, value]) => ` ${name}=${quoted(value)}`);
  return `${time} ${level.toUpperCase().padEnd(5)} ${message}${pairs.join("")}`;
}

const jsonLine = (time: string, level: LogLevel, message: string, fields: LogFields): string =>
  JSON.stringify({ time, level, message, ...fields });

interface LogOptions extends Pick<Config, "logFormat" | "logLevel"> {
  readonly now: () => EpochMs;
  /** Receives a line without its end. Values cannot forge a line: their line breaks are escaped. */
  readonly write: (level: LogLevel, line: string) => void;
}

export function createLog({ logFormat, logLevel, now, write }: LogOptions): Log {
  const line = logFormat === "json" ? jsonLine : textLine;
  const writeAt = (level: LogLevel) => {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(logLevel)) return () => {};
    return (message: string, fields: LogFields = {}) => write(level, line(new Date(now()).toISOString(), level, message, fields));
  };
  return { debug: writeAt("debug"), info: writeAt("info"), warn: writeAt("warn"), error: writeAt("error") };
}
