/** The log on standard output and error, a line each, for people or for machines. */
import type { Config } from "../../src/runtime/config.ts";
import type { Log, LogFields } from "../../src/runtime/log.ts";

type Level = Config["logLevel"];

const LEVELS = ["debug", "info", "warn", "error"] as const satisfies readonly Level[];

const quoted = (value: string | number | boolean): string =>
  typeof value === "string" && !/^[\w./:@-]+$/.test(value) ? JSON.stringify(value) : String(value);

function textLine(level: Level, message: string, fields: LogFields): string {
  const pairs = Object.entries(fields).map(([name, value]) => ` ${name}=${quoted(value)}`);
  return `${new Date().toISOString()} ${level.toUpperCase().padEnd(5)} ${message}${pairs.join("")}`;
}

const jsonLine = (level: Level, message: string, fields: LogFields): string =>
  JSON.stringify({ time: new Date().toISOString(), level, message, ...fields });

/** Warnings and errors go to standard error. Line breaks in values cannot forge a line: they are escaped. */
export function createConsoleLog({ logFormat, logLevel }: Pick<Config, "logFormat" | "logLevel">): Log {
  const line = logFormat === "json" ? jsonLine : textLine;
  const writeAt = (level: (typeof LEVELS)[number]) => {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(logLevel)) return () => {};
    const stream = level === "warn" || level === "error" ? process.stderr : process.stdout;
    return (message: string, fields: LogFields = {}) => {
      stream.write(`${line(level, message, fields)}\n`);
    };
  };
  return { debug: writeAt("debug"), info: writeAt("info"), warn: writeAt("warn"), error: writeAt("error") };
}
