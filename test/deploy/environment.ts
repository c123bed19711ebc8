/** The environment variables of the deployment files, read as the program reads them, and the memory that they ask for. */
import { parseConfig, type Config } from "../../src/runtime/base/config/config.ts";
import { fileVariableOf, SECRET_OPTION_NAMES } from "../../src/runtime/base/config/options.ts";
import { readPage } from "../docs/pages.ts";
import type { Environment } from "../support/target.ts";

/** Stands for the content of every secret file. */
const SECRET = "correct-horse-battery-staple";

const secretFiles = Object.fromEntries(SECRET_OPTION_NAMES.map((name) => [name, { text: SECRET }]));

/** Throws if a variable belongs to no option, or if the program refuses or ignores a value. */
export function configOfEnvironment(environment: Environment): Config {
  const { config, warnings } = parseConfig({ environment, secretFiles, file: {}, platform: "node" });
  if (warnings.length > 0) throw new Error(warnings.join("\n"));
  return config;
}

/** The paths of the secret files. */
export const secretPaths = (environment: Environment): string[] =>
  SECRET_OPTION_NAMES.flatMap((name) => environment[fileVariableOf(name)] ?? []);

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
