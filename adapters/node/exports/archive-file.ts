/** Exports into one ZIP in place of a folder. */
import { dirname, join, resolve } from "node:path";
import { zipped, type ZipEntry } from "../../../src/runtime/exports/zip-stream.ts";
import { chunksIn, filesBelow, removeTree } from "../backups/copied-files.ts";
import { type CommandOutcome, formatCount } from "../command-output.ts";
import { syncFolder, writeTemporary } from "../files/durable-files.ts";
import { type FileSystem, isMissing, nodeFileSystem, orIf } from "../files/file-system.ts";
import { type ExportOptions, exportFolder, type ExportSettings } from "./export-folder.ts";
import { EXPORT_MANIFEST_FILE } from "./export-manifest.ts";

/** Holds the files until the archive is complete. */
const partsOf = (path: string): string => `${path}.parts`;

/** Files that deflate would not make smaller. */
const IS_COMPRESSED = /\.(?:parquet|zip)$/;

async function removeParts(folder: string, files: FileSystem): Promise<void> {
  const found = await orIf(isMissing, null, files.readdir(folder));
  if (found === null) return;
  if (found.length > 0 && !found.some(({ name }) => name === EXPORT_MANIFEST_FILE))
    throw new Error(`${folder}, which the export would use, has other files. Remove it`);
  await removeTree(folder, files);
}

async function* chunksAt(path: string, files: FileSystem): AsyncGenerator<Uint8Array> {
  const file = await files.open(path, "r");
  try {
    yield* chunksIn(file);
  } finally {
    await file.close();
  }
}

/** Writes what `exportFolder` writes as one ZIP, without its manifest. A single ZIP is not packed again. */
export async function exportArchive(config: ExportSettings, to: string, options: ExportOptions): Promise<CommandOutcome> {
  const { files = nodeFileSystem } = options;
  const path = resolve(to);
  const folder = partsOf(path);
  await removeParts(folder, files);
  const outcome = await exportFolder(config, folder, options);
  const names: string[] = [];
  for await (const { name } of filesBelow(folder, files)) if (name !== EXPORT_MANIFEST_FILE) names.push(name);
  const [first] = names;
  if (first === undefined) {
    await removeTree(folder, files);
    throw new Error("there are no events on these days");
  }
  if (names.length === 1 && first.endsWith(".zip")) await files.rename(join(folder, first), path);
  else {
    const entries = names
      .sort()
      .map((name): ZipEntry => ({ name, isCompressed: IS_COMPRESSED.test(name), chunks: () => chunksAt(join(folder, name), files) }));
    const written = await writeTemporary(dirname(path), zipped(entries), files);
    await files.rename(written.path, path);
  }
  await removeTree(folder, files);
  await syncFolder(dirname(path), files);
  const { size } = await files.stat(path);
  return { ...outcome, text: `${outcome.text.replaceAll(folder, path)}  ${formatCount(size)} bytes\n` };
}
