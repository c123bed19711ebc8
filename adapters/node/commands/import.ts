/** The command `import`: brings files of other products into the data folder of a stopped server, after it has shown what they have. */
import { resolve } from "node:path";
import { createAssets, unpackAsset } from "../../../src/runtime/service/assets.ts";
import { PACKED_DASHBOARD, PACKED_TRACKER_SCRIPT, PROGRAM_VERSION, readThreads } from "../built-files.ts";
import { exitWhenLost, mustBeFolder } from "../data-dir/data-dir.ts";
import { nodeFileSystem } from "../files/file-system.ts";
import { withServices } from "../instance.ts";
import type { Command, CommandOption } from "./command-line.ts";
import { askOnTerminal, importInto } from "./import-flow.ts";

const YES: CommandOption = { name: "--yes", help: "import without being asked" };

export const importFiles: Command = {
  name: "import",
  verb: "import",
  arguments: ["site", "file"],
  takesSeveral: true,
  options: [YES],
  help: "import other products' files into a stopped server",
  async run({ config, log, arguments: [site = "", ...paths], options }) {
    const folder = resolve(config.dataDir);
    await mustBeFolder(folder, nodeFileSystem);
    const instance = {
      ...{ config, log, version: PROGRAM_VERSION, threads: readThreads(), onFolderLost: exitWhenLost(folder, log) },
      trackerScript: unpackAsset(PACKED_TRACKER_SCRIPT),
      assets: createAssets(PACKED_DASHBOARD),
    };
    return withServices(instance, async ({ imports }) => {
      if (imports === null) throw new Error('there are no imports with engine = "clickhouse"');
      const confirms = options.has(YES.name) ? async () => true : askOnTerminal;
      return importInto(imports, { site, paths, print: (text) => void process.stdout.write(text), confirms });
    });
  },
};
