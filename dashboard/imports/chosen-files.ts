/** Files for an upload: chosen one by one, as a folder, or dropped. */
import { IMPORT_UPLOAD_BYTES_MAX, IMPORT_UPLOAD_FILES_MAX } from "../../src/shared/limits.ts";
import type { Import } from "../api/types.ts";
import { formatBytes } from "../format/locale.ts";
import { fill, words } from "../words/words.ts";

export interface ChosenFile {
  /** Its path from the chosen folder on, separated by `/`. */
  readonly name: string;
  readonly file: File;
}

/** What was chosen cannot be sent. The message says why. */
export class UnsuitableFiles extends Error {}

const tooMany = () => new UnsuitableFiles(fill(words.imports.tooManyFiles, { count: IMPORT_UPLOAD_FILES_MAX }));

/** @throws UnsuitableFiles unless the service would take them */
export function checkChosen(chosen: readonly ChosenFile[]): void {
  const bytes = chosen.reduce((sum, { file }) => sum + file.size, 0);
  if (bytes === 0) throw new UnsuitableFiles(words.imports.noFiles);
  if (chosen.length > IMPORT_UPLOAD_FILES_MAX) throw tooMany();
  if (bytes > IMPORT_UPLOAD_BYTES_MAX)
    throw new UnsuitableFiles(fill(words.imports.tooLarge, { size: formatBytes(bytes), limit: formatBytes(IMPORT_UPLOAD_BYTES_MAX) }));
}

export const chosenIn = (files: FileList | null): ChosenFile[] =>
  [...(files ?? [])].map((file) => ({ name: file.webkitRelativePath || file.name, file }));

const fileOf = (entry: FileSystemFileEntry): Promise<File> => new Promise((resolve, reject) => entry.file(resolve, reject));

/** A listing comes in batches; an empty one ends it. */
const batchOf = (reader: FileSystemDirectoryReader): Promise<readonly FileSystemEntry[]> =>
  new Promise((resolve, reject) => reader.readEntries(resolve, reject));

async function addFiles(entry: FileSystemEntry, chosen: ChosenFile[]): Promise<void> {
  if (entry.isFile) {
    if (chosen.length > IMPORT_UPLOAD_FILES_MAX) throw tooMany();
    chosen.push({ name: entry.fullPath.replace(/^\//, ""), file: await fileOf(entry as FileSystemFileEntry) });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (let batch = await batchOf(reader); batch.length > 0; batch = await batchOf(reader))
    for (const each of batch) await addFiles(each, chosen);
}

/** Folders are read with all that is in them. Call it in the handler of the event: its items are gone afterwards. */
export async function chosenByDrop({ items, files }: DataTransfer): Promise<ChosenFile[]> {
  const placeless = chosenIn(files);
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const chosen: ChosenFile[] = [];
  for (const entry of entries) await addFiles(entry, chosen);
  // A program that is no file manager may drop files without a place.
  return entries.length > 0 ? chosen : placeless;
}

/** The chosen files in the order of the import's, undefined for those that are there; null if one that is missing was not chosen. */
export function filesMissing({ files }: Pick<Import, "files">, chosen: readonly ChosenFile[]): readonly (File | undefined)[] | null {
  const left = [...chosen];
  const found: (File | undefined)[] = [];
  for (const { name, bytes, received } of files) {
    const at = left.findIndex((each) => each.name === name && each.file.size === bytes);
    if (at === -1 && received < bytes) return null;
    found.push(at === -1 ? undefined : left.splice(at, 1)[0]?.file);
  }
  return found;
}
