/** Parses the command line by the table of commands. */
import type { OptionName } from "../../../src/runtime/base/config/options.ts";
import { quote } from "../../../src/runtime/base/config/option-kinds.ts";
import { suggestion } from "../../../src/runtime/base/config/unknown-names.ts";
import { UsageError, type Command, type CommandOption } from "./command.ts";

/** The commands of a program. The first one runs if none is named. */
export type Commands = readonly [Command, ...Command[]];

/** A command to run. */
export interface CommandRun {
  readonly action: "run";
  readonly command: Command;
  readonly arguments: readonly string[];
  /** The command's own options. */
  readonly options: ReadonlyMap<string, string>;
  /** Options of the configuration. */
  readonly settings: Readonly<Partial<Record<OptionName, string>>>;
  /** The configuration file. */
  readonly fileName: string | undefined;
}

/** The caller prints help and version. */
export type CommandLine = { readonly action: "help" } | { readonly action: "version" } | CommandRun;

const CONFIG_OPTION: CommandOption = { name: "--config", value: "file", help: "read options from this TOML file" };

/** Options of every command. */
export const GENERAL_OPTIONS: readonly CommandOption[] = [
  { name: "--data-dir", value: "folder", help: "the data folder (default: ./data)", sets: "data_dir" },
  CONFIG_OPTION,
];

export const HELP_NAMES = ["-h", "--help"];
export const VERSION_NAMES = ["-v", "--version"];

interface Typed {
  readonly words: readonly string[];
  readonly options: ReadonlyMap<CommandOption, string>;
}

/** `argv` excludes the program's own two entries. Throws `UsageError`. */
export function parseCommandLine(argv: readonly string[], commands: Commands): CommandLine {
  const typed = readArguments(argv, [...GENERAL_OPTIONS, ...commands.flatMap(({ options }) => options)]);
  if (typed === "help" || typed === "version") return { action: typed };
  const [name, ...words] = typed.words;
  if (name === "help") return { action: "help" };
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

/** Tells words from options. Everything after `--` is a word. */
function readArguments(argv: readonly string[], known: readonly CommandOption[]): Typed | "help" | "version" {
  const words: string[] = [];
  const options = new Map<CommandOption, string>();
  const rest = [...argv];
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    if (argument === "--") words.push(...rest.splice(0));
    else if (!argument.startsWith("-")) words.push(argument);
    else if (HELP_NAMES.includes(argument)) return "help";
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

/** What an unknown word may have meant: options in full, because of short ones nearly every word is close to one. */
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
  const extra = words[command.arguments.length];
  if (extra === undefined) return;
  const allowed = command.arguments.length === 0 ? "no argument" : `only ${command.arguments.map((name) => `<${name}>`).join(" ")}`;
  const names = optionNames([...GENERAL_OPTIONS, ...command.options]);
  throw new UsageError(`${command.name} takes ${allowed}, got ${quote(extra)}${suggestion(extra, names)}`);
}
