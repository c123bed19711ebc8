/** Archives of sites in the data folder, which are made by what the command `export` runs. */
import { spawn } from "node:child_process";
import { setPriority } from "node:os";
import { join } from "node:path";
import type { Config } from "../../../src/runtime/base/config/config.ts";
import { variableOf } from "../../../src/runtime/base/config/options.ts";
import { type ArchiveMaker, type AskedExport, formatsIn } from "../../../src/runtime/exports/site-exports.ts";
import { chunksIn, removeContent, removeTree } from "../backups/copied-files.ts";
import { createFolder } from "../files/durable-files.ts";
import { isMissing, nodeFileSystem, orIf } from "../files/file-system.ts";
import { partsOf } from "./archive-file.ts";
import { DOWNLOADS_FOLDER } from "./export-folder.ts";

/** nice(2): no request waits for it. A third of the weight of other processes, so that it comes to an end on a busy machine, too. */
const NICE = 5;

const ERROR_CHARS_MAX = 2000;

/** The command prints which files are. */
const DAMAGED = "Files of events are damaged: `sandpiper verify` names them";

type Settings = Pick<Config, "sessionWindowMinutes" | "engineMemoryMb">;

/** Makes the ZIP at a path. Rejects with the reason, in words for people. */
type MakeArchiveFile = (asked: AskedExport, path: string, signal: AbortSignal) => Promise<void>;

const argumentsOf = ({ siteId, format, firstDay, lastDay }: AskedExport): string[] => [
  // The id of a site may begin like an option.
  ...[`--site=${siteId}`, "--format", formatsIn(format).join(","), "--without-visitors"],
  ...(firstDay === null ? [] : ["--from", firstDay]),
  ...(lastDay === null ? [] : ["--to", lastDay]),
];

/** Resolves when the program has ended with 0; else rejects, once it has ended, with the last line that it has printed. */
function run(script: string, args: readonly string[], environment: Readonly<Record<string, string>>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...args], { env: environment, signal, stdio: ["ignore", "ignore", "pipe", "ipc"] });
    if (child.pid !== undefined) lowerPriorityOf(child.pid);
    let printed = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (printed = (printed + text).slice(-ERROR_CHARS_MAX)));
    child.on("error", (error) => {
      if (child.pid === undefined) reject(error);
    });
    child.on("close", (code, killedBy) => {
      if (code === 0) resolve();
      else if (killedBy !== null) reject(new Error(`The process was ended by ${killedBy}: it may have had too little memory`));
      else reject(new Error(printed.trim().split("\n").at(-1) || DAMAGED));
    });
  });
}

function lowerPriorityOf(pid: number): void {
  try {
    setPriority(pid, NICE);
  } catch {
    // It has ended already, or the system has no priorities.
  }
}

/** Runs the command in a process of its own, which takes no memory and no time of this one. `script`: the program. */
export function exportsBy(script: string, dataFolder: string, config: Settings): MakeArchiveFile {
  const environment = {
    [variableOf("data_dir")]: dataFolder,
    [variableOf("session_window_minutes")]: String(config.sessionWindowMinutes),
    [variableOf("engine_memory_mb")]: String(config.engineMemoryMb),
  };
  return (asked, path, signal) => run(script, ["export", "--zip", path, ...argumentsOf(asked)], environment, signal);
}

/** The name of an archive, or of the folder of its parts. */
const IS_ARCHIVE = /^[0-9a-f]{32}\.zip(?:\.parts)?$/;

/** Removes what earlier processes have left. */
export async function createArchiveMaker(dataFolder: string, makeFile: MakeArchiveFile): Promise<ArchiveMaker> {
  const folder = join(dataFolder, DOWNLOADS_FOLDER);
  const pathOf = (id: string): string => join(folder, `${id}.zip`);
  await orIf(
    isMissing,
    undefined,
    removeContent(folder, nodeFileSystem, (name) => !IS_ARCHIVE.test(name)),
  );
  const remove = async (id: string): Promise<void> => {
    await nodeFileSystem.rm(pathOf(id));
    await orIf(isMissing, undefined, removeTree(partsOf(pathOf(id)), nodeFileSystem));
  };
  return {
    async make(id, asked, signal) {
      await createFolder(folder);
      try {
        await makeFile(asked, pathOf(id), signal);
      } catch (error) {
        await remove(id);
        throw error;
      }
      const { size } = await nodeFileSystem.stat(pathOf(id));
      return { bytes: size, chunks: () => chunksOf(pathOf(id)) };
    },
    remove,
  };
}

async function* chunksOf(path: string): AsyncGenerator<Uint8Array, undefined> {
  const file = await nodeFileSystem.open(path, "r");
  try {
    // The buffer is used again while the client's part of it is on its way.
    for await (const chunk of chunksIn(file)) yield chunk.slice();
  } finally {
    await file.close();
  }
  return undefined;
}
