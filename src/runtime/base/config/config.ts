/** Reads the environment, the command line and the configuration file into one checked `Config`, or one error that lists every problem. */
import { type Platform, quote } from "./option-kinds.ts";
import { argumentOf, OPTION_NAMES, type OptionName, optionNamed, type OptionValue, variableOf, fileVariableOf } from "./options.ts";
import { unknownKeys, unknownVariables } from "./unknown-names.ts";

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : Name;

/** Every option by its name in camel case, checked, with defaults and `gdpr_mode` applied. */
export type Config = { readonly [Name in OptionName as CamelCase<Name>]: OptionValue<Name> };

/** Stops the start. The message lists all problems and quotes no secret. */
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
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Absent on hosts without files. */
  readonly secretFiles?: Readonly<Partial<Record<OptionName, SecretFile>>>;
  /** The top level of the configuration file; empty when there is none. */
  file: Readonly<Record<string, unknown>>;
  fileName?: string | undefined;
  /** The options of the command line, as they were typed; absent where there is none. */
  commandLine?: Readonly<Partial<Record<OptionName, string>>>;
  platform: Platform;
}

/** A value that the operator gave to an option. */
interface Setting {
  /** The variable, or the key and its file, for messages. */
  readonly source: string;
  readonly value: unknown;
}

/**
 * The command line overrides the environment, which overrides the file. A bad value is a problem even where another overrides it.
 * `furtherProblems` finds problems between values that are each valid. Throws `ConfigError` with all problems.
 */
export function parseConfig(
  sources: ConfigSources,
  furtherProblems: (config: Config) => readonly string[] = () => [],
): { config: Config; warnings: string[] } {
  const report: Report = { problems: [], warnings: [], sourceOf: new Map() };
  const fields: Record<string, unknown> = {};
  for (const name of OPTION_NAMES) fields[camelCase(name)] = valueOf(name, sources, report);
  // The loop sets every field of the type, with its default where the value is bad.
  const config = fields as Config;
  const { problems, warnings } = report;
  problems.push(...conflictsIn(config, sources.platform), ...furtherProblems(config), ...unknownKeys(sources.file, fileNameOf(sources)));
  warnings.push(...unknownVariables(sources.environment));
  if (problems.length > 0) throw new ConfigError(problems);
  return { config: Object.freeze(withoutRollups(withGdprMode(config, report))), warnings };
}

interface Report {
  readonly problems: string[];
  readonly warnings: string[];
  /** The source of each option's value; options with their default are missing. */
  readonly sourceOf: Map<OptionName, string>;
}

function valueOf(name: OptionName, sources: ConfigSources, report: Report): unknown {
  const { problems, warnings, sourceOf } = report;
  const option = optionNamed(name);
  let value = sources.platform === "workerd" && option.defaultOnWorkerd !== undefined ? option.defaultOnWorkerd : option.default;
  for (const setting of settingsOf(name, sources, report)) {
    if (option.platform !== "both" && option.platform !== sources.platform) {
      warnings.push(`${setting.source} is ignored: ${name} has no effect on ${sources.platform}`);
      continue;
    }
    const checked = option.kind.check(setting.value);
    if ("value" in checked) {
      value = checked.value;
      sourceOf.set(name, setting.source);
    } else {
      problems.push(`${name} (${setting.source}) must be ${option.kind.expected}, got ${checked.got}`);
    }
  }
  return value;
}

function settingsOf(name: OptionName, sources: ConfigSources, { problems, warnings }: Report): Setting[] {
  const settings: Setting[] = [];
  const value = Object.hasOwn(sources.file, name) ? sources.file[name] : undefined;
  if (value !== undefined) settings.push({ source: `${name} in ${fileNameOf(sources)}`, value });
  const { valueFromText, secret } = optionNamed(name).kind;
  const variable = variableOf(name);
  const text = sources.environment[variable];
  if (name === "port" && text !== undefined && /^(tcp|udp|sctp):\/\//.test(text)) {
    // Kubernetes sets this variable in every pod when a service is called like the prefix.
    warnings.push(`${variable} is ignored: the orchestrator set it to the address of a service`);
  } else if (text !== undefined && text !== "") {
    settings.push({ source: variable, value: valueFromText(text) });
  }
  const fromFile = secret ? secretFromFile(name, sources) : null;
  if (fromFile && "problem" in fromFile) problems.push(fromFile.problem);
  else if (fromFile) settings.push(fromFile);
  const typed = sources.commandLine?.[name];
  if (typed !== undefined) settings.push({ source: argumentOf(name), value: valueFromText(typed) });
  return settings;
}

/** Applied here, so that no other code has to know `gdpr_mode` (docs/privacy.md). */
function withGdprMode(config: Config, { sourceOf, warnings }: Report): Config {
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
  for (const [name, source] of sourceOf) {
    const field = camelCase(name);
    if (strict[field] !== config[field]) {
      warnings.push(`${source} is overridden by gdpr_mode: ${name} is ${String(strict[field])}`);
    }
  }
  return strict;
}

const camelCase = (name: OptionName): keyof Config =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) as keyof Config;

const fileNameOf = (sources: ConfigSources): string => sources.fileName ?? "the configuration file";

/** The content of a file without the line break at its end, or what is wrong with it: `fault` completes "the file …". */
export type SecretFile = { readonly text: string } | { readonly fault: string };

/** The secret and the words that name its source in messages, or a problem; null if no file is named. */
function secretFromFile(
  name: OptionName,
  { environment, secretFiles }: ConfigSources,
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

function conflictsIn({ engine, clickhouseUrl, role, secret, trustProxy, geoHeaders }: Config, platform: Platform): readonly string[] {
  const problems: string[] = [];
  if (geoHeaders !== null && trustProxy === 0) problems.push("geo_headers requires trust_proxy: otherwise anyone could send these headers");
  if (engine === "clickhouse" && clickhouseUrl === null) problems.push("clickhouse_url is required with engine = clickhouse");
  if (role === "ingest" && platform === "workerd") problems.push("role = ingest is of the Node program only");
  if (role === "ingest" && engine !== "clickhouse") problems.push("role = ingest requires engine = clickhouse");
  if (role === "ingest" && secret === null) problems.push("role = ingest requires secret, the same on every node");
  return problems;
}

/** ClickHouse reads events in the time that rollups would save, and a node lacks the files of the others. */
const withoutRollups = (config: Config): Config => (config.engine === "clickhouse" ? { ...config, rollups: false } : config);

/** An address of all interfaces: it can be listened on, but not every client can connect to it. */
const ALL_INTERFACES = /^(https?:\/\/)(?:0\.0\.0\.0|\[::\])(?=:|$)/;

/**
 * The public address without a trailing slash, e.g. `https://example.com/stats`: below `dashboard_origin`, else below the origin on which
 * the service listens, e.g. `http://0.0.0.0:8000`.
 */
export function publicUrl({ dashboardOrigin, basePath }: Pick<Config, "dashboardOrigin" | "basePath">, listening: string): string {
  return (dashboardOrigin ?? listening.replace(ALL_INTERFACES, "$1localhost")) + basePath;
}
