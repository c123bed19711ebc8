/** The command `backup`: copies a data folder while a process uses it. */
import { relative, resolve } from "node:path";
import { backUp } from "../../../src/runtime/jobs/backup.ts";
import { mustBeFolder, openStores } from "../data-dir-stores.ts";
import { createFolder } from "../durable-folders.ts";
import { makePrivate } from "../file-permissions.ts";
import { nodeFileSystem, type FileSystem } from "../file-system.ts";
import { counted, type Command, type CommandOutcome } from "./command.ts";
import { verifyFolder } from "./verify.ts";

/**
 * Copies a data folder to a new or empty one, and verifies the copy. Rejects if the target is not empty. The generated secret is not
 * copied: the copy would outlive its salt period, and link the visitor ids beside it to visitors.
 */
export async function backUpFolder(dataDir: string, to: string, files: FileSystem = nodeFileSystem): Promise<CommandOutcome> {
  const [from, copy] = [resolve(dataDir), resolve(to)];
  await mustBeFolder(from, files);
  if (!relative(from, copy).startsWith("..")) throw new Error(`${copy} is inside the data folder, which would be copied into itself`);
  await createFolder(copy, files);
  if ((await files.readdir(copy)).length > 0) throw new Error(`${copy} is not empty. A backup needs a new or empty folder`);
  await makePrivate(copy, await files.stat(copy), files);
  const target = await openStores(copy, "always", files);
  const copied = await backUp(await openStores(from, "off", files), target);
  await target.segmentLog.close();
  // Without rollups: a copy has none.
  const verified = await verifyFolder(copy, files);
  return {
    ...verified,
    text: `copied ${counted(copied.files, "file")}, ${counted(copied.segments, "journal segment")}, ${counted(copied.records, "record")}\n${verified.text}`,
  };
}

export const backup: Command = {
  name: "backup",
  verb: "back up",
  arguments: ["folder"],
  options: [],
  help: "copy the data folder while it is in use",
  run: ({ config, arguments: [folder = ""] }) => backUpFolder(config.dataDir, folder),
};
