/** The files of an upload, each in parts that are objects of their own: a part is there as a whole or not at all. */
import { LruMap } from "../../storage/lru-map.ts";
import { deleteObjects, type ObjectKey, type ObjectStore } from "../../storage/object-store.ts";
import { IMPORT_PARTS_CACHED_MAX } from "../base/config/limits.ts";
import { conflict, invalidInput } from "../base/errors.ts";
import type { SourceFile } from "./files/file.ts";
import type { GivenFile, ImportRecord } from "./import-record.ts";
import { sourceFile } from "./files/source-files.ts";
import { IMPORT_PART_BYTES_MIN } from "../../shared/limits.ts";

/** Bytes of parts by where they begin in their file. */
type PartsOfFile = Map<number, number>;

const folderOf = (number: number): ObjectKey => `imports/${number}/files`;

const keyOf = (number: number, file: number, offset: number): ObjectKey => `${folderOf(number)}/${file}/${offset}`;

/** The bytes of a file up to the first gap. */
function receivedOf(parts: PartsOfFile): number {
  let received = 0;
  for (let bytes = parts.get(0); bytes !== undefined; bytes = parts.get(received)) received += bytes;
  return received;
}

export class UploadedFiles {
  readonly #objects: ObjectStore;
  /** Parts of imports that were asked for since the start. */
  readonly #parts = new Map<number, Promise<readonly PartsOfFile[]>>();
  /** A part is read in slices, one after the other. */
  readonly #read = new LruMap<ObjectKey, Promise<Uint8Array>>({ max: IMPORT_PARTS_CACHED_MAX });

  constructor(objects: ObjectStore) {
    this.#objects = objects;
  }

  /** How much of each file is there. */
  async received({ number, given }: Pick<ImportRecord, "number" | "given">): Promise<number[]> {
    return (await this.#partsOf(number, given)).map(receivedOf);
  }

  /**
   * Stores a part, which is durable once this resolves. Parts come in order; the last ones may be repeated, because their answer may have
   * been lost.
   */
  async put({ number, given }: Pick<ImportRecord, "number" | "given">, file: number, offset: number, bytes: Uint8Array): Promise<void> {
    const parts = (await this.#partsOf(number, given))[file];
    const size = given[file]?.bytes;
    if (parts === undefined || size === undefined) throw invalidInput(`The import has the files 0 to ${given.length - 1}`);
    const end = offset + bytes.length;
    if (end > size) throw invalidInput(`File ${file} has ${size} bytes, and the part ends at ${end}`);
    if (bytes.length === 0 || (end < size && bytes.length < IMPORT_PART_BYTES_MIN))
      throw invalidInput(`A part must have at least ${IMPORT_PART_BYTES_MIN} bytes, except for the last one of its file`);
    const received = receivedOf(parts);
    if (offset !== received && parts.get(offset) !== bytes.length)
      throw conflict(`${received} bytes of file ${file} have arrived: go on with the part that begins there`);
    await this.#objects.put(keyOf(number, file, offset), bytes);
    parts.set(offset, bytes.length);
  }

  sources({ number, given }: Pick<ImportRecord, "number" | "given">): SourceFile[] {
    return given.map(({ name, bytes: size }, file) =>
      sourceFile(name, { size, read: (from, to) => this.#bytesOf({ number, given }, file, from, to) }),
    );
  }

  async #bytesOf({ number, given }: Pick<ImportRecord, "number" | "given">, file: number, from: number, to: number): Promise<Uint8Array> {
    const wanted = new Uint8Array(to - from);
    for (const [offset, bytes] of (await this.#partsOf(number, given))[file] ?? []) {
      if (offset >= to) break;
      const [first, end] = [Math.max(from, offset), Math.min(to, offset + bytes)];
      if (first >= end) continue;
      const part = await this.#part(keyOf(number, file, offset));
      wanted.set(part.subarray(first - offset, end - offset), first - from);
    }
    return wanted;
  }

  #part(key: ObjectKey): Promise<Uint8Array> {
    const known = this.#read.get(key);
    if (known) return known;
    const reading = this.#objects.get(key).then((bytes) => {
      if (bytes === null) throw new Error(`the uploaded part ${key} is missing`);
      return bytes;
    });
    this.#read.set(key, reading);
    reading.catch(() => this.#read.delete(key));
    return reading;
  }

  /** Parts of each file. A listing that fails is repeated. */
  #partsOf(number: number, given: readonly GivenFile[]): Promise<readonly PartsOfFile[]> {
    const known = this.#parts.get(number);
    if (known) return known;
    const listing = this.#list(number, given);
    this.#parts.set(number, listing);
    listing.catch(() => this.#parts.delete(number));
    return listing;
  }

  async #list(number: number, given: readonly GivenFile[]): Promise<PartsOfFile[]> {
    const found = given.map((): [number, number][] => []);
    for (const { key, sizeBytes } of await this.#objects.list(folderOf(number))) {
      const [, file, offset] = /\/(\d+)\/(\d+)$/.exec(key) ?? [];
      found[Number(file)]?.push([Number(offset), sizeBytes]);
    }
    return found.map((parts) => new Map(parts.sort(([a], [b]) => a - b)));
  }

  /** Durable once resolved; may be repeated. */
  async remove(number: number): Promise<void> {
    this.#parts.delete(number);
    const keys = (await this.#objects.list(folderOf(number))).map(({ key }) => key);
    for (const key of keys) this.#read.delete(key);
    await deleteObjects(this.#objects, keys);
  }
}
