/** The help: all commands and options on one screen of 24 lines and 80 columns. */
import { FILE_VARIABLE, PROGRAM_NAME } from "../../../src/runtime/base/config/names.ts";
import { variableOf } from "../../../src/runtime/base/config/options.ts";
import { PRODUCT_NAME } from "../../../src/shared/names.ts";
import { GENERAL_OPTIONS, HELP_NAMES, VERSION_NAMES, type Commands } from "./command-line.ts";
import type { CommandOption } from "./command.ts";

/** The column of the descriptions. */
const HELP_COLUMN = 23;

const row = (left: string, help: string): string => `  ${left.padEnd(HELP_COLUMN - 3)} ${help}`;

const withValue = ({ name, value }: CommandOption): string => (value === undefined ? name : `${name} <${value}>`);

/** The options of some commands only, each with these commands. */
function ownOptions(commands: Commands): string[] {
  const options = new Set(commands.flatMap((command) => command.options));
  return [...options].map((option) => {
    const users = commands.filter((command) => command.options.includes(option)).map(({ name }) => name);
    return row(withValue(option), `${users.join(", ")}: ${option.help}`);
  });
}

export function renderHelp(commands: Commands): string {
  const lines = [
    `Usage: ${PROGRAM_NAME} [command] [options]`,
    "",
    ...commands.map((command) => row([command.name, ...command.arguments.map((name) => `<${name}>`)].join(" "), command.help)),
    "",
    ...GENERAL_OPTIONS.map((option) => row(withValue(option), option.help)),
    ...ownOptions(commands),
    row(HELP_NAMES.join(", "), "print this help"),
    row(VERSION_NAMES.join(", "), "print the version"),
    "",
    `${PRODUCT_NAME} reads all other options from the file (${FILE_VARIABLE}) or from variables`,
    `such as ${variableOf("data_dir")}; docs/configuration.md lists them. Exit codes: 0 success,`,
    "1 failure or fault found, 2 wrong usage or configuration.",
  ];
  return `${lines.join("\n")}\n`;
}
