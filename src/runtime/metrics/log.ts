/** The port to the log. A line never carries an address, a cookie, a key or a password; of secrets only the setup code, which works once. */

export type LogFields = Readonly<Record<string, string | number | boolean>>;

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** What an error says, for a log line. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
