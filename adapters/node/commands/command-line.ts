/** Commands and their options: the parser of the command line, and the help. */
import type { Config } from "../../../src/runtime/base/config/config.ts";
import { type OptionName, variableOf } from "../../../src/runtime/base/config/options.ts";
import type { Log } from "../../../src/runtime/base/metrics/log.ts";
import type { CommandOutcome } from "../command-output.ts";
import { quote } from "../../../src/runtime/base/config/option-kinds.ts";
import { suggestion } from "../../../src/runtime/base/config/unknown-names.ts";
import { FILE_VARIABLE, PROGRAM_NAME } from "../../../src/runtime/base/config/names.ts";

export interface Command {
  readonly name: string;
  /** Completes "sandpiper cannot …" when it fails. */
  readonly verb: string;
  /** Its arguments as the help shows them, e.g. `folder`. All are required. */
  readonly arguments: readonly string[];
  /** Set if the last one may be given several times. */
  readonly takesSeveral?: true;
  /** The options it has beside those of every command. Commands that share the name of an option share its declaration. */
  readonly options: readonly CommandOption[];
  readonly help: string;
  /** Set for commands that run often: `serve` logs the warnings about the configuration. */
  readonly leavesWarningsToServe?: true;
  /** Rejects with `UsageError` if the value of an option of its own is wrong. */
  run(call: CommandCall): Promise<CommandOutcome>;
}

export interface CommandOption {
  /** Includes its dashes, e.g. `--all-rollups`. */
  readonly name: string;
  /** Name of its value, e.g. `file`. Absent if it takes none. */
  readonly value?: string;
  readonly help: string;
  readonly sets?: OptionName;
}

interface CommandCall {
  readonly config: Config;
  readonly log: Log;
  readonly arguments: readonly string[];
  /** The given options of the command by their names, with their values; an option that takes none has an empty one. */
  readonly options: ReadonlyMap<string, string>;
}

/** The command line is wrong: the exit code is 2. The message is one line. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export const ADDRESS_OPTIONS: readonly CommandOption[] = [
  { name: "--host", value: "address", help: "server address (default: 127.0.0.1)", sets: "host" },
  { name: "--port", value: "port", help: "server port (default: 8000)", sets: "port" },
];

/** The commands of a program. The first one runs if none is named. */
export type Commands = readonly [Command, ...Command[]];

export interface CommandRun {
  readonly action: "run";
  readonly command: Command;
  readonly arguments: readonly string[];
  readonly options: ReadonlyMap<string, string>;
  readonly settings: Readonly<Partial<Record<OptionName, string>>>;
  readonly fileName: string | undefined;
}

/** `command`: whose help is asked for; null for that of the program. */
export type CommandLine = { readonly action: "help"; readonly command: Command | null } | { readonly action: "version" } | CommandRun;

const CONFIG_OPTION: CommandOption = { name: "--config", value: "file", help: "read options from this TOML file" };

const GENERAL_OPTIONS: readonly CommandOption[] = [
  { name: "--data-dir", value: "folder", help: "the data folder (default: ./data)", sets: "data_dir" },
  CONFIG_OPTION,
];

const HELP_NAMES = ["-h", "--help"];
const VERSION_NAMES = ["-v", "--version"];

interface Typed {
  readonly words: readonly string[];
  readonly options: ReadonlyMap<CommandOption, string>;
  /** Set if the help is asked for: what follows is not read. */
  readonly isHelp?: true;
}

/** `argv` excludes the program's own two entries. Throws `UsageError`. */
export function parseCommandLine(argv: readonly string[], commands: Commands): CommandLine {
  const typed = readArguments(argv, [...GENERAL_OPTIONS, ...commands.flatMap(({ options }) => options)]);
  if (typed === "version") return { action: typed };
  const [name, ...words] = typed.words;
  if (name === "help") return { action: "help", command: words[0] === undefined ? null : commandNamed(words[0], commands) };
  if (typed.isHelp) return { action: "help", command: name === undefined ? null : commandNamed(name, commands) };
  const command = name === undefined ? commands[0] : commandNamed(name, commands);
  checkArguments(command, words);
  const entries = [...typed.options];
  const stray = entries.find(([option]) => !GENERAL_OPTIONS.includes(option) && !command.options.includes(option));
  if (stray) throw new UsageError(`${command.name} has no option ${stray[0].name}`);
  return {
    action: "run",
    command,
    arguments: words,
    options: new Map(entries.filter(([option]) => isOwn(option)).map(([option, value]) => [option.name, value])),
    settings: Object.fromEntries(entries.flatMap(([{ sets }, value]) => (sets === undefined ? [] : [[sets, value]]))),
    fileName: typed.options.get(CONFIG_OPTION),
  };
}

const isOwn = (option: CommandOption): boolean => option.sets === undefined && option !== CONFIG_OPTION;

const withArticle = (noun: string): string => `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;

/** An argument that stands for standard input. */
export const STANDARD_INPUT = "-";

/** Tells words from options. Everything after `--` is a word. */
function readArguments(argv: readonly string[], known: readonly CommandOption[]): Typed | "version" {
  const words: string[] = [];
  const options = new Map<CommandOption, string>();
  const rest = [...argv];
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    if (argument === "--") words.push(...rest.splice(0));
    else if (!argument.startsWith("-") || argument === STANDARD_INPUT) words.push(argument);
    else if (HELP_NAMES.includes(argument)) return { words, options, isHelp: true };
    else if (VERSION_NAMES.includes(argument)) return "version";
    else {
      const option = optionNamed(argument.replace(/=.*$/s, ""), known);
      if (options.has(option)) throw new UsageError(`${option.name} is given twice`);
      options.set(option, valueOf(option, argument, rest));
    }
  }
  return { words, options };
}

/** Takes the value from the argument itself or from the next one. */
function valueOf({ name, value }: CommandOption, argument: string, rest: string[]): string {
  const isPair = argument === name;
  if (value === undefined) {
    if (!isPair) throw new UsageError(`${name} takes no value, got ${quote(argument.slice(name.length + 1))}`);
    return "";
  }
  const text = isPair ? rest.shift() : argument.slice(name.length + 1);
  // An option in place of the value means that the value was forgotten. "--config=--x" can still name such a file.
  if (!text || (isPair && text.startsWith("-"))) throw new UsageError(`${name} needs ${withArticle(value)}`);
  return text;
}

/** Candidates for an unknown word: options in full only, because nearly every word is close to a short one. */
const optionNames = (options: readonly CommandOption[]): string[] => ["--help", "--version", ...options.map(({ name }) => name)];

function optionNamed(name: string, known: readonly CommandOption[]): CommandOption {
  const option = known.find((candidate) => candidate.name === name);
  if (option) return option;
  throw new UsageError(`unknown option ${quote(name)}${suggestion(name, optionNames(known))}`);
}

function commandNamed(name: string, commands: Commands): Command {
  const command = commands.find((candidate) => candidate.name === name);
  if (command) return command;
  const names = [...commands.map((candidate) => candidate.name), ...optionNames(GENERAL_OPTIONS)];
  throw new UsageError(`unknown command ${quote(name)}${suggestion(name, names)}`);
}

function checkArguments(command: Command, words: readonly string[]): void {
  // An empty word comes from a variable without a value, and would name the current folder.
  const missing = command.arguments.find((_, i) => !words[i]);
  if (missing !== undefined) throw new UsageError(`${command.name} needs ${withArticle(missing)}`);
  const extra = command.takesSeveral ? undefined : words[command.arguments.length];
  if (extra === undefined) return;
  const allowed = command.arguments.length === 0 ? "no argument" : `only ${command.arguments.map((name) => `<${name}>`).join(" ")}`;
  const names = optionNames([...GENERAL_OPTIONS, ...command.options]);
  throw new UsageError(`${command.name} takes ${allowed}, got ${quote(extra)}${suggestion(extra, names)}`);
}

const HELP_COLUMN = 26;

const row = (left: string, help: string): string => `  ${left.padEnd(HELP_COLUMN - 3)} ${help}`;

const withValue = ({ name, value }: CommandOption): string => (value === undefined ? name : `${name} <${value}>`);

const HELP_ROWS = [row(HELP_NAMES.join(", "), "print this help"), row(VERSION_NAMES.join(", "), "print the version")];

const usageOf = ({ name, arguments: words, takesSeveral }: Command): string =>
  [name, ...words.map((word, i) => `<${word}>${takesSeveral && i === words.length - 1 ? "…" : ""}`)].join(" ");

/** The options of the first command are those of the program without a command. */
export function renderHelp(commands: Commands): string {
  const [first] = commands;
  const lines = [
    `Usage: ${PROGRAM_NAME} [command] [options]`,
    ...commands.map((command) => row(usageOf(command), command.help)),
    "",
    ...[...first.options, ...GENERAL_OPTIONS].map((option) => row(withValue(option), option.help)),
    ...HELP_ROWS,
    "",
    `"${PROGRAM_NAME} <command> --help" prints the options of a command. Other options are`,
    `in a file (${FILE_VARIABLE}) or variables such as ${variableOf("data_dir")}, see`,
    "docs/configuration.md. Exit codes: 0 success, 1 failure or fault, 2 wrong usage.",
  ];
  return `${lines.join("\n")}\n`;
}

export function renderCommandHelp(command: Command): string {
  const lines = [
    `Usage: ${PROGRAM_NAME} ${usageOf(command)} [options]`,
    `  ${command.help}`,
    "",
    ...[...command.options, ...GENERAL_OPTIONS].map((option) => row(withValue(option), option.help)),
    ...HELP_ROWS,
  ];
  return `${lines.join("\n")}\n`;
}
