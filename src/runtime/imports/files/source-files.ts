/** The files of an import: given one by one, in folders or in archives, without those that no product wrote, each under a path of its own. */
import { IMPORT_FILES_MAX, IMPORT_NESTING_MAX, IMPORT_PATH_CHARS_MAX } from "../../base/config/limits.ts";
import { gunzipped } from "./decompression.ts";
import { type Breathe, type RandomAccess, type SourceFile, UnreadableFile } from "./file.ts";
import { slices, type ZipEntry, zipEntries } from "./zip.ts";

/** A file that is not read, with a sentence that says why. */
export interface SkippedFile {
  readonly path: string;
  readonly reason: string;
}

export interface SourceFiles {
  readonly files: readonly SourceFile[];
  readonly skipped: readonly SkippedFile[];
}

export const sourceFile = (path: string, access: RandomAccess): SourceFile => ({
  path,
  bytes: access.size,
  open: () => slices(access, 0, access.size),
  randomAccess: access,
});

/** Written by macOS and Windows beside the files of a folder. */
const SYSTEM_FILE = /(?:^|\/)(?:__MACOSX\/|\._[^/]*$|\.DS_Store$|Thumbs\.db$|desktop\.ini$)/i;

// eslint-disable-next-line no-control-regex
const CONTROL_CHARACTER = /[\0-\x1f\x7f]/;

/** Bytes that tell containers apart. */
const MAGIC_BYTES = 6;

const UNSUPPORTED: readonly (readonly [magic: string, name: string])[] = [
  ["425a68", "bzip2"],
  ["28b52ffd", "Zstandard"],
  ["fd377a585a00", "xz"],
  ["377abcaf271c", "7-Zip"],
  ["526172211a07", "RAR"],
];

type Container = { readonly kind: "plain" | "zip" | "gzip" | "empty" } | { readonly kind: "unsupported"; readonly name: string };

function containerOf(head: Uint8Array): Container {
  if (head.length === 0) return { kind: "empty" };
  const hex = Array.from(head, (byte) => byte.toString(16).padStart(2, "0")).join("");
  // An empty archive begins with its end.
  if (hex.startsWith("504b0304") || hex.startsWith("504b0506")) return { kind: "zip" };
  if (hex.startsWith("1f8b08")) return { kind: "gzip" };
  const unsupported = UNSUPPORTED.find(([magic]) => hex.startsWith(magic));
  return unsupported ? { kind: "unsupported", name: unsupported[1] } : { kind: "plain" };
}

/** The first `bytesMax` bytes of a file, or all of a shorter one. */
export async function headOf(file: Pick<SourceFile, "open">, bytesMax: number): Promise<Uint8Array> {
  const head = new Uint8Array(bytesMax);
  let size = 0;
  for await (const chunk of file.open()) {
    const taken = chunk.subarray(0, bytesMax - size);
    head.set(taken, size);
    size += taken.length;
    if (size === bytesMax) break;
  }
  return head.subarray(0, size);
}

/** `access.log.gz` contains `access.log`, and a name without that ending keeps its own. */
const gunzippedPath = (path: string): string => path.replace(/\.gz$/i, "");

/** A name in an archive, with the separator of all systems; null for one that leads out of the archive or is otherwise a trick. */
function safeName(name: string): string | null {
  const path = name.replaceAll("\\", "/").replace(/^(?:\.\/)+/, "");
  const isTrick = path.startsWith("/") || /^[a-z]:/i.test(path) || path.split("/").includes("..") || CONTROL_CHARACTER.test(path);
  return isTrick || path.length > IMPORT_PATH_CHARS_MAX ? null : path;
}

/** Names as file systems compare them that ignore case. */
const foldedPath = (path: string): string => path.normalize("NFC").toLowerCase();

/** The file with turns for other work between its pieces: of a compressed one, a small piece may be millions of blank lines. */
const inTurns = (file: SourceFile, breathe: Breathe): SourceFile => ({
  ...file,
  async *open() {
    for await (const bytes of file.open()) {
      await breathe();
      yield bytes;
    }
  },
});

class Unpacking {
  readonly #breathe: Breathe;
  readonly #files: SourceFile[] = [];
  readonly #skipped: SkippedFile[] = [];
  #seen = 0;

  constructor(breathe: Breathe) {
    this.#breathe = breathe;
  }

  result(): SourceFiles {
    const counts = new Map<string, number>();
    for (const { path } of this.#files) counts.set(foldedPath(path), 1 + (counts.get(foldedPath(path)) ?? 0));
    const twins = new Set(this.#files.filter(({ path }) => (counts.get(foldedPath(path)) ?? 0) > 1));
    for (const { path } of twins) this.#skip(path, "Another file has the same name, perhaps in other case: give one of them.");
    return { files: this.#files.filter((file) => !twins.has(file)), skipped: this.#skipped };
  }

  #skip(path: string, reason: string): void {
    this.#skipped.push({ path, reason });
  }

  #count(): void {
    if (++this.#seen > IMPORT_FILES_MAX) throw new UnreadableFile(`An import has at most ${IMPORT_FILES_MAX} files.`);
  }

  async add(file: SourceFile, depth = 0): Promise<void> {
    this.#count();
    if (SYSTEM_FILE.test(file.path)) return this.#skip(file.path, "Written by the operating system.");
    try {
      await this.#unpack(inTurns(file, this.#breathe), depth);
    } catch (error) {
      if (!(error instanceof UnreadableFile) || this.#seen > IMPORT_FILES_MAX) throw error;
      this.#skip(file.path, error.message);
    }
  }

  async #unpack(file: SourceFile, depth: number): Promise<void> {
    const { path } = file;
    const container = containerOf(await headOf(file, MAGIC_BYTES));
    if (container.kind === "plain") return void this.#files.push(file);
    if (container.kind === "empty") return this.#skip(path, "Empty.");
    if (container.kind === "unsupported") return this.#skip(path, `Compressed by ${container.name}: decompress it, or use gzip or ZIP.`);
    if (depth === IMPORT_NESTING_MAX) return this.#skip(path, `Archives may be in each other ${IMPORT_NESTING_MAX} deep: unpack it.`);
    if (container.kind === "gzip") {
      const open = () => gunzipped(path, file.open());
      return this.add({ path: gunzippedPath(path), bytes: null, open, randomAccess: null }, depth + 1);
    }
    if (file.randomAccess === null)
      return this.#skip(path, "A ZIP in a compressed archive, or one that is piped, cannot be read: unpack it.");
    for (const entry of await zipEntries(path, file.randomAccess)) await this.#addEntry(path, entry, depth);
  }

  async #addEntry(archive: string, entry: ZipEntry, depth: number): Promise<void> {
    const name = safeName(entry.name);
    if (name !== null && (name.endsWith("/") || name === "")) return;
    const obstacle = name === null ? "Its name leads out of the archive, or is no name of a file." : entry.obstacle;
    if (obstacle !== null) {
      this.#count();
      return this.#skip(`${archive}/${name ?? printable(entry.name)}`, obstacle);
    }
    const path = `${archive}/${name}`;
    const { bytes } = entry;
    await this.add({ path, bytes, open: () => entry.open(), randomAccess: await entry.randomAccess() }, depth + 1);
  }
}

const printable = (name: string): string => name.slice(0, IMPORT_PATH_CHARS_MAX).replaceAll(new RegExp(CONTROL_CHARACTER, "g"), "?");

/** Opens the archives among the files, and skips what cannot be opened. Fails with `UnreadableFile` if there are too many files. */
export async function unpackedFiles(given: Iterable<SourceFile>, breathe: Breathe = async () => {}): Promise<SourceFiles> {
  const unpacking = new Unpacking(breathe);
  for (const file of given) await unpacking.add(file);
  return unpacking.result();
}
