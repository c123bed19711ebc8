/**
 * Which events of a source are imported already: hashes of their identities, by day and file of each import. So of exports that overlap,
 * each event counts once. Days of imports whose events have no identities are left out as a whole.
 */
import type { LocalDate } from "../../storage/event.ts";
import { deleteObjects, type ObjectKey, type ObjectStore } from "../../storage/object-store.ts";
import { LruMap } from "../../storage/lru-map.ts";
import type { Sha256 } from "../base/bytes.ts";
import { IMPORT_IDENTITIES_MAX } from "../base/config/limits.ts";
import type { Hit, LeftOutReason } from "./rows.ts";
import type { EarlierImport } from "./manifest.ts";

const HASH_BYTES = 8;

/** The folder of all objects of imports. */
export const IMPORTS_FOLDER = "imports";

const folderOf = (number: number): ObjectKey => `${IMPORTS_FOLDER}/${number}/identities`;

/** True for the objects of this file, which a backup contains. */
export const isIdentities = (key: ObjectKey): boolean => /^imports\/\d{1,6}\/identities\//.test(key);

interface IdentityFile {
  readonly key: ObjectKey;
  readonly day: LocalDate;
  /** The file of events that has the same rows, by its place in the import. */
  readonly index: number;
}

/** The stored hashes of all imports. */
export class IdentityStore {
  readonly #objects: ObjectStore;
  readonly #sha256: Sha256;

  constructor(objects: ObjectStore, sha256: Sha256) {
    this.#objects = objects;
    this.#sha256 = sha256;
  }

  /** The hash of an event in its format. */
  hashOf(format: string, identity: string): bigint {
    const hash = this.#sha256(`${format}\0${identity}`);
    return new DataView(hash.buffer, hash.byteOffset).getBigUint64(0);
  }

  async files(number: number): Promise<IdentityFile[]> {
    return (await this.#objects.list(folderOf(number))).flatMap(({ key }) => {
      const [, day, index] = /\/([0-9-]{10})\/(\d+)$/.exec(key) ?? [];
      return day === undefined ? [] : [{ key, day: day as LocalDate, index: Number(index) }];
    });
  }

  /** Sorted. null if the file is missing or damaged. */
  async read({ key }: Pick<IdentityFile, "key">): Promise<BigUint64Array | null> {
    const bytes = await this.#objects.get(key);
    return bytes && bytes.length % HASH_BYTES === 0 ? new BigUint64Array(bytes.slice().buffer) : null;
  }

  async write(number: number, day: LocalDate, index: number, hashes: Iterable<bigint>): Promise<IdentityFile> {
    const key = `${folderOf(number)}/${day}/${index}`;
    await this.#objects.put(key, new Uint8Array(BigUint64Array.from(hashes).sort().buffer));
    return { key, day, index };
  }

  /** Deletes those of all files, or of these. */
  async remove(number: number, isGone: (file: IdentityFile) => boolean = () => true): Promise<void> {
    const files = (await this.files(number)).filter(isGone);
    await deleteObjects(
      this.#objects,
      files.map(({ key }) => key),
    );
  }
}

function includes(sorted: BigUint64Array, hash: bigint): boolean {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle] ?? 0n) < hash) from = middle + 1;
    else to = middle;
  }
  return sorted[from] === hash;
}

/** Another import of the site. */
export interface OtherImport extends EarlierImport {
  readonly formats: readonly string[];
}

interface OtherWithFiles extends OtherImport {
  readonly files: ReadonlyMap<LocalDate, readonly IdentityFile[]>;
}

/** Whether events of this format can be told from those of the import. */
export const isComparable = ({ formats }: Pick<OtherImport, "formats">, format: string): boolean =>
  formats.length === 1 && formats[0] === format;

/** The hashes of a day. */
interface DayHashes {
  /** Hashes of this import. */
  readonly own: readonly BigUint64Array[];
  /** Hashes of each other import that has the day; null for one whose events cannot be told apart. */
  readonly others: readonly { readonly formats: readonly string[]; readonly hashes: readonly BigUint64Array[] | null }[];
}

const sizeOf = ({ own, others }: DayHashes): number =>
  1 + [...own, ...others.flatMap(({ hashes }) => hashes ?? [])].reduce((sum, { length }) => sum + length, 0);

/** What the run of one import asks. */
export class Duplicates {
  readonly #store: IdentityStore;
  readonly #number: number;
  readonly #others: readonly OtherWithFiles[];
  readonly #ownFiles: Map<LocalDate, IdentityFile[]>;
  /** Hashes of days that rows were of. Rows of a source are mostly in order. */
  readonly #days = new LruMap<LocalDate, DayHashes>({ max: IMPORT_IDENTITIES_MAX, weightOf: sizeOf });
  /** The days of the rows that are being judged. */
  #loaded = new Map<LocalDate, DayHashes>();
  /** Hashes that are in no file yet. */
  readonly #pending = new Map<LocalDate, Set<bigint>>();

  private constructor(store: IdentityStore, number: number, own: readonly IdentityFile[], others: readonly OtherWithFiles[]) {
    this.#store = store;
    this.#number = number;
    this.#ownFiles = byDay(own);
    this.#others = others;
  }

  /** Forgets what was written of files after the checkpoint. */
  static async open(store: IdentityStore, number: number, filesWritten: number, others: readonly OtherImport[]): Promise<Duplicates> {
    await store.remove(number, ({ index }) => index >= filesWritten);
    const withFiles = others.map(async (other) => ({ ...other, files: byDay(await store.files(other.number)) }));
    return new Duplicates(store, number, await store.files(number), await Promise.all(withFiles));
  }

  /** Reads what `leftOut` needs for hits of these days. */
  async load(days: ReadonlySet<LocalDate>): Promise<void> {
    const loaded = new Map<LocalDate, DayHashes>();
    for (const day of days) {
      const known = this.#loaded.get(day) ?? this.#days.get(day) ?? (await this.#read(day));
      loaded.set(day, known);
      this.#days.set(day, known);
    }
    this.#loaded = loaded;
  }

  async #read(day: LocalDate): Promise<DayHashes> {
    const hashesOf = async (files: readonly IdentityFile[]) => Promise.all(files.map((file) => this.#store.read(file)));
    const isWhole = (hashes: readonly (BigUint64Array | null)[]): hashes is BigUint64Array[] => !hashes.includes(null);
    const own = (await hashesOf(this.#ownFiles.get(day) ?? [])).filter((hashes) => hashes !== null);
    const others = this.#others
      .filter(({ days }) => days.has(day))
      .map(async ({ formats, files }) => {
        const hashes = await hashesOf(files.get(day) ?? []);
        return { formats, hashes: hashes.length > 0 && isWhole(hashes) ? hashes : null };
      });
    return { own, others: await Promise.all(others) };
  }

  /** Why a hit is left out; null if it is new, which is noted. The day was loaded. */
  leftOut({ identity }: Pick<Hit, "identity">, day: LocalDate, format: string): LeftOutReason | null {
    const { own, others } = this.#loaded.get(day) ?? { own: [], others: [] };
    if (!identity) return others.length > 0 ? "imported_day" : null;
    const hash = this.#store.hashOf(format, identity);
    for (const other of others) {
      if (other.hashes === null || !isComparable(other, format)) return "imported_day";
      if (other.hashes.some((hashes) => includes(hashes, hash))) return "already_imported";
    }
    const pending = this.#pending.get(day) ?? new Set();
    if (pending.has(hash) || own.some((hashes) => includes(hashes, hash))) return "already_imported";
    this.#pending.set(day, pending.add(hash));
    return null;
  }

  /** Writes the hashes of a day's new events beside the file that has them. */
  async write(day: LocalDate, index: number): Promise<void> {
    const pending = this.#pending.get(day);
    if (pending === undefined) return;
    const file = await this.#store.write(this.#number, day, index, pending);
    this.#ownFiles.set(day, [...(this.#ownFiles.get(day) ?? []), file]);
    this.#pending.delete(day);
    this.#days.delete(day);
    this.#loaded.delete(day);
  }
}

function byDay(files: readonly IdentityFile[]): Map<LocalDate, IdentityFile[]> {
  const days = new Map<LocalDate, IdentityFile[]>();
  for (const file of files) days.set(file.day, [...(days.get(file.day) ?? []), file]);
  return days;
}
