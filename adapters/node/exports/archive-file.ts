/** Exports into one ZIP in place of a folder. */
import { basename, dirname, join, resolve } from "node:path";
import { zipped, type ZipEntry } from "../../../src/runtime/exports/zip-stream.ts";
import { chunksIn, filesBelow, removeContent } from "../backups/copied-files.ts";
import { type CommandOutcome, formatCount } from "../command-output.ts";
import { isNoData } from "../data-dir/data-dir.ts";
import { isTemporary, syncFolder, writeTemporary } from "../files/durable-files.ts";
import { type FileSystem, isMissing, isNotEmpty, nodeFileSystem, orIf, realPathOf } from "../files/file-system.ts";
import { type ExportOptions, type ExportSettings, inExportFolder } from "./export-folder.ts";
import { EXPORT_MANIFEST_FILE } from "./export-manifest.ts";

/** Holds the files until the archive is complete. */
export const partsOf = (path: string): string => `${path}.parts`;

/** Files that deflate would not make smaller. */
const IS_COMPRESSED = /\.(?:parquet|zip)$/;

/** What a run that was killed has left. */
async function removeParts(folder: string, files: FileSystem): Promise<void> {
  const names = (await files.readdir(folder)).map(({ name }) => name).filter((name) => !isNoData(name) && !isTemporary(name));
  if (names.length > 0 && !names.includes(EXPORT_MANIFEST_FILE))
    throw new Error(`${folder}, which the export would use, has other files. Remove it`);
  await removeContent(folder, files, isNoData);
}

async function* chunksAt(path: string, files: FileSystem): AsyncGenerator<Uint8Array> {
  const file = await files.open(path, "r");
  try {
    yield* chunksIn(file);
  } finally {
    await file.close();
  }
}

/** Writes a ZIP of the files of a folder without its manifest, into the folder. A single ZIP is not packed again. */
async function pack(folder: string, files: FileSystem): Promise<string> {
  const names: string[] = [];
  for await (const { name } of filesBelow(folder, files)) if (name !== EXPORT_MANIFEST_FILE && !isNoData(name)) names.push(name);
  const [first] = names.sort();
  if (first === undefined) throw new Error("there are no events on these days");
  if (names.length === 1 && first.endsWith(".zip")) return join(folder, first);
  const entries = names.map((name): ZipEntry => ({
    name,
    isCompressed: IS_COMPRESSED.test(name),
    chunks: () => chunksAt(join(folder, name), files),
  }));
  return (await writeTemporary(folder, zipped(entries), files)).path;
}

/** Writes what `exportFolder` writes as one ZIP. */
export async function exportArchive(config: ExportSettings, to: string, options: ExportOptions): Promise<CommandOutcome> {
  const { files = nodeFileSystem } = options;
  const path = resolve(to);
  const existing = await orIf(isMissing, null, files.stat(path));
  if (existing?.isDirectory()) throw new Error(`${path} is a folder. Name a file`);
  const folder = partsOf(path);
  if ((await realPathOf(folder, files)) !== join(await realPathOf(dirname(path), files), basename(folder)))
    throw new Error(`${folder}, which the export would use, is a link. Remove it`);
  try {
    const outcome = await inExportFolder(config, { folder, isForArchive: true }, options, async ({ signal, write }) => {
      await removeParts(folder, files);
      try {
        const written = await write(path);
        const packed = await pack(folder, files);
        signal.throwIfAborted();
        await files.rename(packed, path);
        return written;
      } finally {
        if (!signal.aborted) await removeContent(folder, files, isNoData);
      }
    });
    await syncFolder(dirname(path), files);
    const { size } = await files.stat(path);
    return { ...outcome, text: `${outcome.text}  ${formatCount(size)} bytes\n` };
  } finally {
    // Another run may have begun.
    await orIf((error) => isNotEmpty(error) || isMissing(error), undefined, files.rmdir(folder));
  }
}
