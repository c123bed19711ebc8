/** Parses the command line: the command, and the configuration file that it or the environment names. */
import { ConfigError } from "../../src/runtime/config/config.ts";
import { FILE_VARIABLE } from "../../src/runtime/config/names.ts";
import { readConfigFile } from "./config-file.ts";

/** Serve the data folder, verify it, or copy it to another folder. */
export type Command =
  | { readonly action: "start" }
  | { readonly action: "verify"; readonly allRollups: boolean }
  | { readonly action: "backup"; readonly to: string };

/** The caller prints help and version. `fileName` is absent if no file was named. */
export type CommandLine =
  | { readonly action: "help"; readonly text: string }
  | { readonly action: "version" }
  | (Command & { readonly file: Record<string, unknown>; readonly fileName?: string });

const USAGE = "Usage: sandpiper [verify [--all-rollups] | backup <folder>] [--config <file.toml>] | --help | --version";

const HELP = `${USAGE}

Without a command, starts the server. The commands run beside a running server, and change nothing in the data folder.

  verify           read every file of the data folder, compare a sample of the rollups with their events, and report damage;
                   the exit code is 0 or 1
    --all-rollups  compare all rollups
  backup <folder>  copy the data folder to a new or empty folder, and verify the copy
  --config <file>  read options from this TOML file (or set ${FILE_VARIABLE})
  --help           print this help and exit
  --version        print the version and exit

Every option can be set in the file or in the environment. docs/configuration.md lists them all.
`;

/** `argv` excludes the program's own two entries. Throws `ConfigError`. */
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
    // An option in place of the file means that the file was forgotten. "--config=--x" can still name such a file.
    if (!value || (isPair && value.startsWith("--"))) throw new ConfigError([`--config needs a file. ${USAGE}`]);
    fileName = value;
  }
  fileName ??= input.environment[FILE_VARIABLE] || undefined;
  return fileName === undefined ? { ...command, file: {} } : { ...command, file: readConfigFile(fileName), fileName };
}

/** Removes the command from the beginning of the arguments, if there is one, and its own options. */
function takeCommand(argv: string[]): Command {
  if (argv[0] === "verify") {
    argv.shift();
    const at = argv.indexOf("--all-rollups");
    if (at !== -1) argv.splice(at, 1);
    return { action: "verify", allRollups: at !== -1 };
  }
  if (argv[0] !== "backup") return { action: "start" };
  const [, to] = argv.splice(0, 2);
  if (!to || to.startsWith("--")) throw new ConfigError([`backup needs a folder. ${USAGE}`]);
  return { action: "backup", to };
}
