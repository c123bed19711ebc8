/** Reads the files that variables such as `SVC_SECRET_FILE` name. Container platforms and systemd pass secrets that way. */
import { STRING_LENGTH_MAX } from "../../../src/runtime/base/config/option-kinds.ts";
import { fileVariableOf, type OptionName, SECRET_OPTION_NAMES } from "../../../src/runtime/base/config/options.ts";
import type { SecretFile } from "../../../src/runtime/base/config/config.ts";
import { reasonOf } from "../../../src/runtime/base/metrics/log.ts";
import { readNamedFile } from "../files/named-file.ts";

/** Enough for the longest value in UTF-8, which has at most three bytes per UTF-16 unit, and a line break. */
const FILE_BYTES_MAX = 3 * STRING_LENGTH_MAX + 2;

/** The text without one line break at its end; null if it is not UTF-8. */
export function withoutLineBreak(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(/\r?\n$/, "");
  } catch {
    return null;
  }
}

function readSecretFile(fileName: string): SecretFile {
  let bytes: Uint8Array;
  try {
    bytes = readNamedFile(fileName, FILE_BYTES_MAX);
  } catch (error) {
    return { fault: `cannot be read: ${reasonOf(error)}` };
  }
  const text = withoutLineBreak(bytes);
  if (text === null) return { fault: "is not valid UTF-8" };
  return text === "" ? { fault: "is empty" } : { text };
}

export function readSecretFiles(environment: Readonly<Record<string, string | undefined>>): Partial<Record<OptionName, SecretFile>> {
  const named = SECRET_OPTION_NAMES.map((name) => [name, environment[fileVariableOf(name)]] as const);
  return Object.fromEntries(named.flatMap(([name, fileName]) => (fileName ? [[name, readSecretFile(fileName)]] : [])));
}
