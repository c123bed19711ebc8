/** Reads the files that variables such as `SVC_SECRET_FILE` name. Container platforms and systemd pass secrets that way. */
import { readSync } from "node:fs";
import { STRING_LENGTH_MAX } from "../../../src/runtime/config/option-kinds.ts";
import { fileVariableOf, type OptionName, SECRET_OPTION_NAMES } from "../../../src/runtime/config/options.ts";
import type { SecretFile } from "../../../src/runtime/config/secret-files.ts";
import { reasonOf } from "../../../src/runtime/metrics/log.ts";
import { readOpened } from "../files/named-file.ts";

/** Enough for the longest value in UTF-8, which has at most three bytes per UTF-16 unit, and a line break. */
const FILE_BYTES_MAX = 3 * STRING_LENGTH_MAX + 2;

/** At most one byte more than a file may have, because a device has no end. */
function readBytes(descriptor: number): Uint8Array {
  const bytes = new Uint8Array(FILE_BYTES_MAX + 1);
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read) read = readSync(descriptor, bytes, { offset: length });
  return bytes.subarray(0, length);
}

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
    bytes = readOpened(fileName, readBytes);
  } catch (error) {
    return { fault: `cannot be read: ${reasonOf(error)}` };
  }
  if (bytes.length > FILE_BYTES_MAX) return { fault: `has more than ${FILE_BYTES_MAX} bytes` };
  const text = withoutLineBreak(bytes);
  if (text === null) return { fault: "is not valid UTF-8" };
  return text === "" ? { fault: "is empty" } : { text };
}

export function readSecretFiles(environment: Readonly<Record<string, string | undefined>>): Partial<Record<OptionName, SecretFile>> {
  const named = SECRET_OPTION_NAMES.map((name) => [name, environment[fileVariableOf(name)]] as const);
  return Object.fromEntries(named.flatMap(([name, fileName]) => (fileName ? [[name, readSecretFile(fileName)]] : [])));
}
