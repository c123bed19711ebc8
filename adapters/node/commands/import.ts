/** The command `import`: brings files of other products into a stopped data folder or to a running server, after it has shown what they have. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { createAssets, unpackAsset } from "../../../src/runtime/service/assets.ts";
import { PACKED_DASHBOARD, PACKED_TRACKER_SCRIPT, PROGRAM_VERSION, readThreads } from "../built-files.ts";
import { exitWhenLost, mustBeFolder } from "../data-dir/data-dir.ts";
import { nodeFileSystem } from "../files/file-system.ts";
import { withServices } from "../instance.ts";
import { type Command, type CommandOption, UsageError } from "./command-line.ts";
import { folderDoor, type ImportDoor, serverDoor } from "./import-doors.ts";
import { withFiles } from "./import-files.ts";
import { askOnTerminal, importInto } from "./import-flow.ts";

const YES: CommandOption = { name: "--yes", help: "import without being asked" };
const HOSTNAME: CommandOption = { name: "--hostname", value: "host", help: "the host of requests whose log has none" };
const LOG_FORMAT: CommandOption = { name: "--log-format", value: "format", help: "the nginx log_format of the logs" };
const URL_OPTION: CommandOption = { name: "--url", value: "address", help: "import into the running server there" };
const KEY: CommandOption = { name: "--key", value: "file", help: "a file with an API key of that server" };

type Options = ReadonlyMap<string, string>;

/** null for the data folder. */
async function serverIn(options: Options): Promise<ImportDoor | null> {
  const [address, keyFile] = [options.get(URL_OPTION.name), options.get(KEY.name)];
  if (address === undefined && keyFile === undefined) return null;
  if (address === undefined || keyFile === undefined) throw new UsageError(`${URL_OPTION.name} and ${KEY.name} need each other`);
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url?.protocol !== "https:" && url?.protocol !== "http:")
    throw new UsageError(`${URL_OPTION.name} must be a URL such as https://stats.example.com, got ${JSON.stringify(address)}`);
  return serverDoor(url, (await readFile(keyFile, "utf8")).trim());
}

export const importFiles: Command = {
  name: "import",
  verb: "import",
  arguments: ["site", "file"],
  takesSeveral: true,
  options: [YES, HOSTNAME, LOG_FORMAT, URL_OPTION, KEY],
  help: "import other products' files",
  async run({ config, log, arguments: [site = "", ...paths], options }) {
    const server = await serverIn(options);
    const confirms = options.has(YES.name) ? async () => true : askOnTerminal;
    const given = { hostname: options.get(HOSTNAME.name) ?? null, logFormat: options.get(LOG_FORMAT.name) ?? null };
    const print = (text: string) => void process.stdout.write(text);
    const importBy = (door: ImportDoor) =>
      withFiles(paths, process.stdin, (files) => importInto(door, { site, files, print, confirms, ...given }));
    if (server) return importBy(server);
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
