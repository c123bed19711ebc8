/** How the environment and the configuration file become one checked `Config`, or one message with every fault. */

import { closestName } from "./closest-name.ts";
import { ENVIRONMENT_PREFIX } from "./names.ts";
import { quote } from "./option-kinds.ts";
import { isOptionName, OPTION_NAMES, type OptionName, optionNamed, type OptionValue, type Platform, variableOf } from "./options.ts";

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : Name;

/** Every option under its name in camel case, checked, with defaults and `gdpr_mode` already applied. */
export type Config = { readonly [Name in OptionName as CamelCase<Name>]: OptionValue<Name> };

/** Stops the start. Its message lists all problems and quotes no secret. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
    super(`The configuration has ${count}:\n${problems.map((problem) => `- ${problem}`).join("\n")}`);
    this.name = "ConfigError";
    this.problems = problems;
  }
}

export interface ConfigSources {
  environment: Readonly<Record<string, string | undefined>>;
  /** The top level of the configuration file, empty without one. */
  file: Readonly<Record<string, unknown>>;
  fileName?: string | undefined;
  platform: Platform;
}

/** The variable that names the configuration file. It is no option: a file cannot name itself. */
export const FILE_VARIABLE = `${ENVIRONMENT_PREFIX}CONFIG`;

/** One value that somebody gave to an option. */
interface Setting {
  /** The variable, or the key and its file, for messages. */
  readonly place: string;
  readonly value: unknown;
}

/**
 * The environment goes before the file. A bad value in the file is a problem even where the environment overrides it.
 * `furtherProblems` are those that other parts find in what is valid for itself. Throws `ConfigError` with all of them.
 */
export function parseConfig(
  sources: ConfigSources,
  furtherProblems: (config: Config) => readonly string[] = () => [],
): { config: Config; warnings: string[] } {
  const problems: string[] = [];
  const warnings: string[] = [];
  const fields: Record<string, unknown> = {};
  const places = new Map<OptionName, string>();
  for (const name of OPTION_NAMES) {
    const option = optionNamed(name);
    fields[camelCase(name)] =
      sources.platform === "workerd" && option.defaultOnWorkerd !== undefined ? option.defaultOnWorkerd : option.default;
    for (const setting of settingsOf(name, sources, warnings)) {
      if (option.platform !== "both" && option.platform !== sources.platform) {
        warnings.push(`${setting.place} is ignored: ${name} has no meaning on ${sources.platform}`);
        continue;
      }
      const checked = option.kind.check(setting.value);
      if ("value" in checked) {
        fields[camelCase(name)] = checked.value;
        places.set(name, setting.place);
      } else {
        problems.push(`${name} (${setting.place}): found ${checked.found}; allowed: ${option.kind.allowed}`);
      }
    }
  }
  // The loop has filled in every field of the table that `Config` is made from, with its default where the value is bad.
  const config = fields as Config;
  problems.push(...furtherProblems(config), ...unknownKeys(sources));
  warnings.push(...unknownVariables(sources));
  if (problems.length > 0) throw new ConfigError(problems);
  return { config: Object.freeze(withGdprMode(config, places, warnings)), warnings };
}

/** What was given to an option, the strongest source last. */
function settingsOf(name: OptionName, sources: ConfigSources, warnings: string[]): Setting[] {
  const settings: Setting[] = [];
  const value = Object.hasOwn(sources.file, name) ? sources.file[name] : undefined;
  if (value !== undefined) settings.push({ place: `${name} in ${fileNameOf(sources)}`, value });
  const variable = variableOf(name);
  const text = sources.environment[variable];
  if (text === undefined || text === "") return settings;
  if (name === "port" && /^(tcp|udp|sctp):\/\//.test(text)) {
    // Kubernetes sets this very variable for a service that is called like the prefix. It is nobody's wish for a port.
    warnings.push(`${variable} is ignored: it holds the address of a service, which the orchestrator put there`);
    return settings;
  }
  settings.push({ place: variable, value: optionNamed(name).kind.valueFromText(text) });
  return settings;
}

function unknownKeys(sources: ConfigSources): string[] {
  return Object.entries(sources.file)
    .filter(([key]) => !isOptionName(key))
    .map(([key, value]) => {
      const isTable = typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
      const near = closestName(wireNameOf(key), OPTION_NAMES);
      const hint = near === undefined ? "" : `; did you mean ${near}?`;
      const rule = isTable ? "; options stand at the top of the file, outside any table" : "";
      return `${quote(key)} in ${fileNameOf(sources)}: unknown option${hint}${rule}`;
    });
}

function unknownVariables(sources: ConfigSources): string[] {
  const known = [FILE_VARIABLE, ...OPTION_NAMES.map(variableOf)];
  return Object.entries(sources.environment)
    .filter(([variable, text]) => variable.startsWith(ENVIRONMENT_PREFIX) && !known.includes(variable) && text)
    .map(([variable]) => {
      const near = closestName(ENVIRONMENT_PREFIX + wireNameOf(variable).toUpperCase(), known);
      const hint = near === undefined ? "" : `; did you mean ${near}?`;
      return `${quote(variable)} is ignored: no option has this variable${hint}`;
    });
}

/** One switch for all data minimisation, applied here so that nobody else has to look at it. */
function withGdprMode(config: Config, places: ReadonlyMap<OptionName, string>, warnings: string[]): Config {
  if (!config.gdprMode) return config;
  const strict: Config = {
    ...config,
    stripReferrerQuery: true,
    roundTimestamps: true,
    suppressBrowserVersion: true,
    suppressOsVersion: true,
    suppressScreenSize: true,
    geoipPrecision: config.geoipPrecision === "none" ? "none" : "country",
  };
  for (const [name, place] of places) {
    const field = camelCase(name);
    if (strict[field] !== config[field]) {
      warnings.push(`${place} is overruled by gdpr_mode: ${name} is ${String(strict[field])}`);
    }
  }
  return strict;
}

const camelCase = (name: OptionName): keyof Config =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) as keyof Config;

/** `flushEventCount`, `flush-event-count` and the variable's name, all as an option would be spelled. */
function wireNameOf(typed: string): string {
  const bare = typed.toUpperCase().startsWith(ENVIRONMENT_PREFIX) ? typed.slice(ENVIRONMENT_PREFIX.length) : typed;
  return bare
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase();
}

const fileNameOf = (sources: ConfigSources): string => sources.fileName ?? "the configuration file";
