/** A log that keeps its lines for assertions. */
import type { Log, LogFields } from "../../src/runtime/base/metrics/log.ts";

export interface LogLine {
  readonly level: keyof Log;
  readonly message: string;
  readonly fields: LogFields;
}

export interface RecordingLog extends Log {
  readonly lines: readonly LogLine[];
}

export function createRecordingLog(): RecordingLog {
  const lines: LogLine[] = [];
  const at =
    (level: keyof Log) =>
    (message: string, fields: LogFields = {}): void => {
      lines.push({ level, message, fields });
    };
  return { lines, debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
