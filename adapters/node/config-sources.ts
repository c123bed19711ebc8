/** Reads everything that configures the Node program: command line, environment and files. */
import type { ConfigSources } from "../../src/runtime/config/config.ts";
import { FILE_VARIABLE } from "../../src/runtime/config/names.ts";
import type { OptionName } from "../../src/runtime/config/options.ts";
import { readConfigFile } from "./config-file.ts";

export interface Given {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The options of the command line. */
  readonly settings: Readonly<Partial<Record<OptionName, string>>>;
  /** The configuration file that the command line names. The variable names one otherwise. */
  readonly fileName: string | undefined;
}

/** Throws `ConfigError` if the configuration file cannot be read. */
export function readConfigSources({ environment, settings, fileName = environment[FILE_VARIABLE] }: Given): ConfigSources {
  const shared = { environment, commandLine: settings, platform: "node" } as const;
  return fileName ? { ...shared, file: readConfigFile(fileName), fileName } : { ...shared, file: {} };
}
