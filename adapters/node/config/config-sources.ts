/** Reads everything that configures the Node program: command line, environment and files. */
import type { ConfigSources } from "../../../src/runtime/base/config/config.ts";
import { FILE_VARIABLE } from "../../../src/runtime/base/config/names.ts";
import type { OptionName } from "../../../src/runtime/base/config/options.ts";
import { readConfigFile } from "./config-file.ts";
import { readSecretFiles } from "./secret-files.ts";

export interface Given {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The options of the command line. */
  readonly settings: Readonly<Partial<Record<OptionName, string>>>;
  /** The configuration file that the command line names. The variable names one otherwise. */
  readonly fileName: string | undefined;
}

/** Throws `ConfigError` if the configuration file cannot be read. What is wrong with the file of a secret is a part of the result. */
export function readConfigSources({ environment, settings, fileName = environment[FILE_VARIABLE] }: Given): ConfigSources {
  const shared = { environment, secretFiles: readSecretFiles(environment), commandLine: settings, platform: "node" } as const;
  return fileName ? { ...shared, file: readConfigFile(fileName), fileName } : { ...shared, file: {} };
}
