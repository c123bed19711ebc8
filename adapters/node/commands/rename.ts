/** The command `rename`: gives a site of a stopped server another id. */
import { resolve } from "node:path";
import { parseSiteId } from "../../../src/runtime/base/config/names.ts";
import { createAssets, unpackAsset } from "../../../src/runtime/service/assets.ts";
import { PACKED_DASHBOARD, PACKED_TRACKER_SCRIPT, PROGRAM_VERSION, readThreads } from "../built-files.ts";
import { exitWhenLost, mustBeFolder } from "../data-dir/data-dir.ts";
import { nodeFileSystem } from "../files/file-system.ts";
import { withServices } from "../instance.ts";
import type { Command } from "./command-line.ts";
import { renameSite } from "./rename-flow.ts";

export const rename: Command = {
  name: "rename",
  verb: "rename",
  arguments: ["site", "name"],
  options: [],
  help: "give a site of a stopped server another id",
  async run({ config, log, arguments: [site = "", name = ""] }) {
    const [from, to] = [parseSiteId(site, "site"), parseSiteId(name, "name")];
    const folder = resolve(config.dataDir);
    await mustBeFolder(folder, nodeFileSystem);
    const instance = {
      ...{ config, log, version: PROGRAM_VERSION, threads: readThreads(), onFolderLost: exitWhenLost(folder, log) },
      trackerScript: unpackAsset(PACKED_TRACKER_SCRIPT),
      assets: createAssets(PACKED_DASHBOARD),
    };
    return withServices(instance, (services) => renameSite(services, from, to));
  },
};
