/** What the command line asks for, and where the configuration file is and what is in it. */

import { readFileSync } from "node:fs";
import { parse, TomlError } from "smol-toml";
import { ConfigError } from "../../src/runtime/config/config.ts";
import { FILE_VARIABLE } from "../../src/runtime/config/names.ts";

/** What is done with the data folder: served, checked, or copied to another one. */
export type Command = { readonly action: "start" } | { readonly action: "verify" } | { readonly action: "backup"; readonly to: string };

/** The caller prints help and version. `fileName` is missing when no file was named. */
export type CommandLine =
  | { readonly action: "help"; readonly text: string }
  | { readonly action: "version" }
  | (Command & { readonly file: Record<string, unknown>; readonly fileName?: string });

const USAGE = "Usage: sandpiper [verify | backup <folder>] [--config <file.toml>] | --help | --version";

const HELP = `${USAGE}

Without a command it serves. The others work beside a program that serves, and change nothing in the data folder.

  verify           read every file of the data folder and say what is damaged; the exit code is 0 or 1
  backup <folder>  copy the data folder to a new or empty one, and verify the copy
  --config <file>  read options from this TOML file (or name it in ${FILE_VARIABLE})
  --help           print this and stop
  --version        print the version and stop

Every option can be set in the file or in the environment; docs/configuration.md lists them all.
`;

/** `argv` is without the program's own two entries. Throws `ConfigError`. */
export function readCommandLine(input: {
  argv: readonly string[];
  environment: Readonly<Record<string, string | undefined>>;
}): CommandLine {
  let fileName: string | undefined;
  const rest = [...input.argv];
  const command = takeCommand(rest);
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    if (argument === "--help") return { action: "help", text: HELP };
    if (argument === "--version") return { action: "version" };
    const isPair = argument === "--config";
    if (!isPair && !argument.startsWith("--config=")) {
      throw new ConfigError([`unknown argument ${JSON.stringify(argument)}. ${USAGE}`]);
    }
    if (fileName !== undefined) throw new ConfigError([`--config is given twice. ${USAGE}`]);
    const value = isPair ? rest.shift() : argument.slice("--config=".length);
    // An option in the file's place means that the file was forgotten; "--config=--x" can still name such a file.
    if (!value || (isPair && value.startsWith("--"))) throw new ConfigError([`--config needs a file. ${USAGE}`]);
    fileName = value;
  }
  fileName ??= input.environment[FILE_VARIABLE] || undefined;
  return fileName === undefined ? { ...command, file: {} } : { ...command, file: readConfigFile(fileName), fileName };
}

/** Takes the command off the arguments' beginning, if one is there. */
function takeCommand(argv: string[]): Command {
  if (argv[0] === "verify") {
    argv.shift();
    return { action: "verify" };
  }
  if (argv[0] !== "backup") return { action: "start" };
  const [, to] = argv.splice(0, 2);
  if (!to || to.startsWith("--")) throw new ConfigError([`backup needs a folder. ${USAGE}`]);
  return { action: "backup", to };
}

function readConfigFile(fileName: string): Record<string, unknown> {
  const text = readText(fileName);
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // Only the first line: the rest quotes the file, and with it any secret that stands there.
    const reason = (error.message.split("\n")[0] ?? "").replace("Invalid TOML document: ", "");
    throw new ConfigError([`${fileName}, line ${error.line}, column ${error.column}: not valid TOML: ${reason}`]);
  }
}

function readText(fileName: string): string {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(fileName);
  } catch (error) {
    throw new ConfigError([`${fileName} cannot be read: ${(error as Error).message}`]);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ConfigError([`${fileName} is not a text in UTF-8`]);
  }
}
