/** Where the server listens, for the commands that start it or call it. */
import type { CommandOption } from "./command.ts";

export const ADDRESS_OPTIONS: readonly CommandOption[] = [
  { name: "--host", value: "address", help: "server address (default: 127.0.0.1)", sets: "host" },
  { name: "--port", value: "port", help: "server port (default: 8000)", sets: "port" },
];
