/** The command `import`: brings files of other products into a stopped data folder or to a running server, after it has shown what they have. */
import { access, constants, readFile, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { parseSiteId } from "../../../src/runtime/base/config/names.ts";
import { printable } from "../../../src/runtime/imports/files/text.ts";
import { createAssets, unpackAsset } from "../../../src/runtime/service/assets.ts";
import { PACKED_DASHBOARD, PACKED_TRACKER_SCRIPT, PROGRAM_VERSION, readThreads } from "../built-files.ts";
import { exitWhenLost, mustBeFolder } from "../data-dir/data-dir.ts";
import { nodeFileSystem } from "../files/file-system.ts";
import { withServices } from "../instance.ts";
import type { CommandOutcome } from "../command-output.ts";
import { type Command, type CommandOption, STANDARD_INPUT, UsageError } from "./command-line.ts";
import { followUntil, LogFollower } from "./follow-log.ts";
import { type AskedImport, folderDoor, type ImportDoor, isPassing, serverDoor, serverLogDoor } from "./import-doors.ts";
import { withFiles } from "./import-files.ts";
import { askOnTerminal, importInto } from "./import-flow.ts";

const YES: CommandOption = { name: "--yes", help: "import without being asked" };
const HOSTNAME: CommandOption = { name: "--hostname", value: "host", help: "the host of requests whose log has none" };
const LOG_FORMAT: CommandOption = { name: "--log-format", value: "format", help: "the nginx log_format of the logs" };
const URL_OPTION: CommandOption = { name: "--url", value: "address", help: "import into the running server there" };
const KEY: CommandOption = { name: "--key", value: "file", help: "a file with an API key of that server" };

const FOLLOW: CommandOption = { name: "--follow", help: "go on as the log grows, until the command is ended" };
const STATE: CommandOption = { name: "--state", value: "file", help: "where --follow keeps its place (default: by the log)" };

type Options = ReadonlyMap<string, string>;

interface Server {
  readonly url: URL;
  readonly key: string;
}

/** null for the data folder. */
async function serverIn(options: Options): Promise<Server | null> {
  const [address, keyFile] = [options.get(URL_OPTION.name), options.get(KEY.name)];
  if (address === undefined && keyFile === undefined) return null;
  if (address === undefined || keyFile === undefined) throw new UsageError(`${URL_OPTION.name} and ${KEY.name} need each other`);
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url?.protocol !== "https:" && url?.protocol !== "http:")
    throw new UsageError(`${URL_OPTION.name} must be a URL such as https://stats.example.com, got ${JSON.stringify(address)}`);
  return { url, key: (await readFile(keyFile, "utf8")).trim() };
}

async function follow(server: Server | null, paths: readonly string[], asked: AskedImport, state?: string): Promise<CommandOutcome> {
  if (server === null) throw new UsageError(`${FOLLOW.name} needs a running server: ${URL_OPTION.name} and ${KEY.name}`);
  const [path = STANDARD_INPUT, ...others] = paths;
  if (path === STANDARD_INPUT || others.length > 0) throw new UsageError(`${FOLLOW.name} needs the path of one log`);
  if (!(await stat(path)).isFile()) throw new UsageError(`${FOLLOW.name} needs a log, and ${path} is no file`);
  await access(path, constants.R_OK);
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, onSignal);
  const warn = (text: string) => void process.stderr.write(`${printable(text)}\n`);
  const door = serverLogDoor(server.url, server.key, asked, basename(path));
  const statePath = state ?? `${path}.sandpiper`;
  const follower = await LogFollower.open({ site: asked.siteId, path, statePath, door, warn });
  process.stdout.write(`${path} is followed as import #${follower.import} of ${asked.siteId}\n`);
  await followUntil(follower, stop.signal, isPassing, warn);
  return { succeeded: true, text: `${path} is followed no more: run the command again to go on\n` };
}

export const importFiles: Command = {
  name: "import",
  verb: "import",
  arguments: ["site", "file"],
  takesSeveral: true,
  options: [YES, HOSTNAME, LOG_FORMAT, URL_OPTION, KEY, FOLLOW, STATE],
  help: "import other products' files",
  async run({ config, log, arguments: [site = "", ...paths], options }) {
    const server = await serverIn(options);
    if (options.has(STATE.name) && !options.has(FOLLOW.name)) throw new UsageError(`${STATE.name} needs ${FOLLOW.name}`);
    const confirms = options.has(YES.name) ? async () => true : askOnTerminal;
    const given = { hostname: options.get(HOSTNAME.name) ?? null, logFormat: options.get(LOG_FORMAT.name) ?? null };
    if (options.has(FOLLOW.name)) return follow(server, paths, { siteId: parseSiteId(site, "site"), ...given }, options.get(STATE.name));
    const print = (text: string) => void process.stdout.write(text);
    const importBy = (door: ImportDoor) =>
      withFiles(paths, process.stdin, (files) => importInto(door, { site, files, print, confirms, ...given }));
    if (server) return importBy(serverDoor(server.url, server.key));
    const folder = resolve(config.dataDir);
    await mustBeFolder(folder, nodeFileSystem);
    const instance = {
      ...{ config, log, version: PROGRAM_VERSION, threads: readThreads(), onFolderLost: exitWhenLost(folder, log) },
      trackerScript: unpackAsset(PACKED_TRACKER_SCRIPT),
      assets: createAssets(PACKED_DASHBOARD),
    };
    return withServices(instance, async ({ imports }) => {
      if (imports === null) throw new Error('there are no imports with engine = "clickhouse"');
      return importBy(folderDoor(imports));
    });
  },
};
