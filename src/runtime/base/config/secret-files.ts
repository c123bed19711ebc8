/** Secrets in files of their own: a variable such as `SVC_SECRET_FILE` names the file that holds the secret. The host reads the files. */
import { quote } from "./option-kinds.ts";
import { fileVariableOf, type OptionName, variableOf } from "./options.ts";

/** The content of a file without the line break at its end, or what is wrong with it: `fault` completes "the file …". */
export type SecretFile = { readonly text: string } | { readonly fault: string };

export interface SecretFileSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Absent on hosts without files. */
  readonly secretFiles?: Readonly<Partial<Record<OptionName, SecretFile>>>;
}

/** The secret and the words that name its source in messages, or a problem; null if no file is named. */
export function secretFromFile(
  name: OptionName,
  { environment, secretFiles }: SecretFileSources,
): { readonly source: string; readonly value: string } | { readonly problem: string } | null {
  const [variable, fileVariable] = [variableOf(name), fileVariableOf(name)];
  const fileName = environment[fileVariable];
  if (!fileName) return null;
  if (environment[variable]) return { problem: `${name}: ${variable} and ${fileVariable} are both set. Remove one of them` };
  const file = secretFiles?.[name];
  if (file === undefined) return { problem: `${name} (${fileVariable}): this platform has no files. Set ${variable} instead` };
  const source = `${fileVariable}, ${quote(fileName)}`;
  return "fault" in file ? { problem: `${name} (${source}): the file ${file.fault}` } : { source, value: file.text };
}
