/** Reads everything that configures the program: command line, environment, the TOML file and files of secrets. Owner of smol-toml. */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { parse, TomlError } from "smol-toml";
import { ConfigError, type ConfigSources, type SecretFile } from "../../src/runtime/base/config/config.ts";
import { STRING_LENGTH_MAX } from "../../src/runtime/base/config/option-kinds.ts";
import { fileVariableOf, type OptionName, SECRET_OPTION_NAMES } from "../../src/runtime/base/config/options.ts";
import { reasonOf } from "../../src/runtime/base/metrics/log.ts";
import { FILE_VARIABLE } from "../../src/runtime/base/config/names.ts";

/** Absent on Windows, where opening a file never blocks. */
const NON_BLOCKING: number = constants.O_NONBLOCK ?? 0;

const CHUNK_BYTES = 1024 * 1024;

/**
 * Reads a file that the configuration names, in bounded memory: a device may have no end. Throws if it has more than `bytesMax` bytes,
 * or is a pipe: until somebody writes to it, reading would block even signals.
 */
export function readNamedFile(fileName: string, bytesMax: number): Buffer {
  const descriptor = openSync(fileName, constants.O_RDONLY | NON_BLOCKING);
  try {
    if (fstatSync(descriptor).isFIFO()) throw new Error("it is a pipe. Name a regular file");
    return readAll(descriptor, bytesMax);
  } finally {
    closeSync(descriptor);
  }
}

function readAll(descriptor: number, bytesMax: number): Buffer {
  const chunks: Uint8Array[] = [];
  for (let bytes = 0; ;) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, bytesMax + 1 - bytes));
    const read = readSync(descriptor, chunk);
    if (read === 0) return Buffer.concat(chunks);
    chunks.push(chunk.subarray(0, read));
    bytes += read;
    if (bytes > bytesMax) throw new Error(`it has more than ${bytesMax} bytes`);
  }
}

/** Far more than every option at its limit. */
const CONFIG_BYTES_MAX = 16 * 1024 * 1024;

/** Throws `ConfigError`, which names the file and the position of a syntax error. */
export function readConfigFile(fileName: string): Record<string, unknown> {
  const text = readConfigText(fileName);
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // Only the first line of the message: the rest quotes the file, which may contain secrets.
    const reason = (error.message.split("\n")[0] ?? "").replace("Invalid TOML document: ", "");
    throw new ConfigError([`${fileName}, line ${error.line}, column ${error.column}: not valid TOML: ${reason}`]);
  }
}

function readConfigText(fileName: string): string {
  let bytes: Uint8Array;
  try {
    bytes = readNamedFile(fileName, CONFIG_BYTES_MAX);
  } catch (error) {
    throw new ConfigError([`${fileName} cannot be read: ${(error as Error).message}`]);
  }
  const text = utf8In(bytes);
  if (text === null) throw new ConfigError([`${fileName} is not valid UTF-8`]);
  return text;
}

/** The longest value in UTF-8, which has at most three bytes per UTF-16 unit, and a line break. */
const SECRET_BYTES_MAX = 3 * STRING_LENGTH_MAX + 2;

function utf8In(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** The text without one line break at its end; null if it is not UTF-8. */
export const withoutLineBreak = (bytes: Uint8Array): string | null => utf8In(bytes)?.replace(/\r?\n$/, "") ?? null;

function readSecretFile(fileName: string): SecretFile {
  let bytes: Uint8Array;
  try {
    bytes = readNamedFile(fileName, SECRET_BYTES_MAX);
  } catch (error) {
    return { fault: `cannot be read: ${reasonOf(error)}` };
  }
  const text = withoutLineBreak(bytes);
  if (text === null) return { fault: "is not valid UTF-8" };
  return text === "" ? { fault: "is empty" } : { text };
}

/** The files that variables such as `SVC_SECRET_FILE` name. Container platforms and systemd pass secrets that way. */
export function readSecretFiles(environment: Readonly<Record<string, string | undefined>>): Partial<Record<OptionName, SecretFile>> {
  const named = SECRET_OPTION_NAMES.map((name) => [name, environment[fileVariableOf(name)]] as const);
  return Object.fromEntries(named.flatMap(([name, fileName]) => (fileName ? [[name, readSecretFile(fileName)]] : [])));
}

interface Given {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly settings: Readonly<Partial<Record<OptionName, string>>>;
  /** The configuration file that the command line names. The variable names one otherwise. */
  readonly fileName: string | undefined;
}

/** Throws `ConfigError` if the configuration file cannot be read. What is wrong with the file of a secret is a part of the result. */
export function readConfigSources({ environment, settings, fileName = environment[FILE_VARIABLE] }: Given): ConfigSources {
  const shared = { environment, secretFiles: readSecretFiles(environment), commandLine: settings, platform: "node" } as const;
  return fileName ? { ...shared, file: readConfigFile(fileName), fileName } : { ...shared, file: {} };
}
