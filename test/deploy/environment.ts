/** The environment variables of the deployment files, read as the program reads them, and the memory that they ask for. */
import { parseConfig, type Config } from "../../src/runtime/config/config.ts";
import { OPTION_NAMES, variableOf } from "../../src/runtime/config/options.ts";
import { readPage } from "../docs/pages.ts";
import type { Environment } from "../support/target.ts";

/** Names the file that holds a secret. */
const FILE_SUFFIX = /_FILE$/;

/** Stands for the content of every secret file. */
const SECRET = "correct-horse-battery-staple";

const VARIABLES: readonly string[] = OPTION_NAMES.map(variableOf);

/** Throws if a variable belongs to no option, or if the program refuses or ignores a value. */
export function configOfEnvironment(environment: Environment): Config {
  const values = Object.entries(environment).map(([name, value]) =>
    FILE_SUFFIX.test(name) ? [name.replace(FILE_SUFFIX, ""), SECRET] : [name, value],
  );
  const unknown = values.map(([name = ""]) => name).filter((name) => !VARIABLES.includes(name));
  if (unknown.length > 0) throw new Error(`no option has the variable ${unknown.join()}`);
  const { config, warnings } = parseConfig({ environment: Object.fromEntries(values) as Environment, file: {}, platform: "node" });
  if (warnings.length > 0) throw new Error(warnings.join("\n"));
  return config;
}

/** The paths of the secret files. */
export const secretPaths = (environment: Environment): string[] =>
  Object.entries(environment).flatMap(([name, path]) => (FILE_SUFFIX.test(name) && path !== undefined ? [path] : []));

/** The memory that the process may take under load, in MB, by docs/operations.md, "Process memory". */
export function memoryMb({ engineMemoryMb }: Config): number {
  const [, text] = /up to (\d+) MB plus `engine_memory_mb` under load/.exec(readPage("docs/operations.md").text.replace(/\s+/g, " ")) ?? [];
  return Number(text) + engineMemoryMb;
}

const MB_OF_UNIT: Readonly<Record<string, number>> = { M: 1, m: 1, Mi: 1, G: 1024, g: 1024, Gi: 1024 };

/** A limit such as `1536M`, `1536m` or `1536Mi`, in MB. */
export function limitMb(text: string): number {
  const [, amount, unit = ""] = /^(\d+)([A-Za-z]+)$/.exec(text) ?? [];
  return Number(amount) * (MB_OF_UNIT[unit] ?? Number.NaN);
}
