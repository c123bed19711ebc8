/** Reads the TOML configuration file. Owner of smol-toml. */
import { parse, TomlError } from "smol-toml";
import { ConfigError } from "../../../src/runtime/base/config/config.ts";
import { readNamedFile } from "../files/named-file.ts";

/** Far more than every option at its limit. */
const FILE_BYTES_MAX = 16 * 1024 * 1024;

/** Throws `ConfigError`, which names the file and the position of a syntax error. */
export function readConfigFile(fileName: string): Record<string, unknown> {
  const text = readText(fileName);
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // Only the first line of the message: the rest quotes the file, which may contain secrets.
    const reason = (error.message.split("\n")[0] ?? "").replace("Invalid TOML document: ", "");
    throw new ConfigError([`${fileName}, line ${error.line}, column ${error.column}: not valid TOML: ${reason}`]);
  }
}

function readText(fileName: string): string {
  let bytes: Uint8Array;
  try {
    bytes = readNamedFile(fileName, FILE_BYTES_MAX);
  } catch (error) {
    throw new ConfigError([`${fileName} cannot be read: ${(error as Error).message}`]);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ConfigError([`${fileName} is not valid UTF-8`]);
  }
}
