/** The order in which a running service's data is copied, so that the copy has every event accepted before it exactly once. */
import { COUNT_KINDS, type CountFile, type ImportedRows, parseCountKey } from "../../storage/day-counts.ts";
import { parseDaySumsKey } from "../../storage/day-sums.ts";
import type { ObjectKey } from "../../storage/object-store.ts";
import { EVENTS_FOLDER, segmentsOfKey } from "../../storage/partitions.ts";
import { type RecordStore, replaceJsonRecord } from "../../storage/record-store.ts";
import type { SegmentLog } from "../../storage/segment.ts";
import { SESSIONS_RECORD } from "../access/persistent-sessions.ts";
import { type ImportRecord, importRecordName, type ReadableImports, readableImports } from "../imports/import-record.ts";
import { IMPORTS_FOLDER, isIdentities } from "../imports/identities.ts";
import { readableRenames } from "../sites/site-names.ts";
import { LISTING_ATTEMPTS_MAX } from "../base/config/limits.ts";
import type { VerifiedData } from "./verification.ts";

/** The target of the copy, which is empty. */
export interface BackupTarget {
  /** Copies an object of the source, or uses an equal one that the target has. Returns false if the source has no such object. */
  copyObject(key: ObjectKey): Promise<boolean>;
  readonly segmentLog: Pick<SegmentLog, "create" | "append">;
  readonly records: Pick<RecordStore, "write">;
}

export interface BackupReport {
  readonly segments: number;
  readonly files: number;
  readonly records: number;
}

const TOO_FAST = "files vanish faster than they can be copied; try again when the program has less to do";

/** Minimum number of listings: a merge during a single one may show neither the files it took away nor the one it made. */
const PASSES_MIN = 2;

/**
 * The journal goes first: a segment is dropped only when its events are in files, and files come after. Files vanish only when
 * they were merged, or erased; so they are listed again until all that was listed could be read. An event that lies in the
 * copy several times, in the journal and in merged files, lies there under the same segment number, by which it is counted once.
 * Records go last: a calendar must know each change of time zone that gave an event of the copy its date. It may know later ones: those
 * before them keep their dates. What is accepted or erased meanwhile may be in the copy or not. Records of imports say which files count,
 * so those from before the files are copied; an import that ended, began or was deleted meanwhile is not whole in the copy. Counts of an
 * import's rows are copied with them: those of later rows may be joined with those of earlier ones.
 */
export async function backUp(from: VerifiedData, to: BackupTarget): Promise<BackupReport> {
  const copied = new Set<ObjectKey>();
  const imports = await copyImportedCounts(from, to, copied);
  const renames = await readableRenames(from.records);
  const segments = await copyJournal(from, to);
  for (let pass = 1; ; pass++) {
    const isWhole = await copyFiles(from, to, new Set(segments), copied);
    if (isWhole && pass >= PASSES_MIN) break;
    if (pass === LISTING_ATTEMPTS_MAX) throw new Error(TOO_FAST);
  }
  // Records of renames say which of two folders counts, and the copy may have neither whole if that has changed.
  if (JSON.stringify(renames) !== JSON.stringify(await readableRenames(from.records)))
    throw new Error("a site was renamed meanwhile; try again");
  // Numbers that files bear must not be given out again, also not on a machine whose clock is behind.
  const newest = [...copied].reduce((number, key) => Math.max(number, segmentsOfKey(key)?.last ?? 0), 0);
  if (newest > (segments.at(-1) ?? 0)) await to.segmentLog.create(newest);
  return { segments: segments.length, files: copied.size, records: await copyRecords(from, to, imports) };
}

const countFiles = async ({ objects }: Pick<VerifiedData, "objects">): Promise<CountFile[]> => {
  const found = await Promise.all(COUNT_KINDS.map(({ folder }) => objects.list(folder)));
  return found.flat().flatMap(({ key }) => parseCountKey(key) ?? []);
};

const isOfImport = (file: CountFile): file is CountFile & { readonly part: ImportedRows } => typeof file.part !== "number";

/** The files with rows that the records of imports have; null if one has later rows as well. */
function countsOf(files: readonly CountFile[], imports: ReadableImports): readonly ObjectKey[] | null {
  const rowsOf = ({ importNumber }: ImportedRows): number => imports.get(importNumber)?.rows ?? 0;
  const counted = files.filter(isOfImport).filter(({ part }) => part.from < rowsOf(part));
  return counted.some(({ part }) => part.to > rowsOf(part)) ? null : counted.map(({ key }) => key).sort();
}

/** The records of imports of whose rows the copy has all counts: two listings, one after the other, have the same files of them. */
async function copyImportedCounts(from: VerifiedData, to: BackupTarget, copied: Set<ObjectKey>): Promise<ReadableImports> {
  let before: { readonly imports: ReadableImports; readonly files: readonly CountFile[] } | null = null;
  for (let pass = 1; pass <= LISTING_ATTEMPTS_MAX; pass++) {
    const imports: ReadableImports = await readableImports(from.records);
    const files: readonly CountFile[] = await countFiles(from);
    let isWhole = true;
    for (const key of countsOf(files, imports) ?? []) {
      if (copied.has(key)) continue;
      if (await to.copyObject(key)) copied.add(key);
      else isWhole = false;
    }
    if (before && isWhole) {
      const [earlier, now] = [before.files, files].map((listed) => countsOf(listed, before?.imports ?? imports));
      if (earlier && now && earlier.join() === now.join()) return before.imports;
    }
    before = { imports, files };
  }
  throw new Error(TOO_FAST);
}

async function copyJournal({ segmentLog }: VerifiedData, to: BackupTarget): Promise<number[]> {
  const copied: number[] = [];
  for (const segment of await segmentLog.list()) {
    let bytes: Uint8Array;
    try {
      bytes = await segmentLog.read(segment);
    } catch (error) {
      if ((await segmentLog.list()).includes(segment)) throw error;
      continue;
    }
    await to.segmentLog.create(segment);
    if (bytes.length > 0) await to.segmentLog.append(segment, bytes);
    copied.push(segment);
  }
  return copied;
}

async function copyRecords({ records }: VerifiedData, to: BackupTarget, importsBefore: ReadableImports): Promise<number> {
  const imports = importsInCopy(importsBefore, await readableImports(records));
  for (const record of imports) await replaceJsonRecord(to.records, importRecordName(record.number), record);
  const written = new Set(imports.map(({ number }) => importRecordName(number)));
  let copied = written.size;
  for (const name of await records.list("")) {
    // A session that ended since must not come back with a restored backup, and a copy of the data lets nobody in.
    if (name === SESSIONS_RECORD || written.has(name)) continue;
    const bytes = await records.read(name);
    if (bytes === null) continue;
    await to.records.write(name, bytes);
    copied++;
  }
  return copied;
}

/**
 * Imports that end or begin between the two are to be deleted by the first start with the copy, which has some of their files only.
 * Damaged records are left to be copied as they are.
 */
function importsInCopy(before: ReadableImports, after: ReadableImports): ImportRecord[] {
  return [...new Map([...after, ...before]).values()].flatMap((record) => {
    if (record === null) return [];
    const { number } = record;
    const isWhole = before.has(number) && after.has(number) && after.get(number)?.state !== "deleting";
    return isWhole ? record : { ...record, state: "deleting" as const };
  });
}

/** True if everything that was listed is copied now, except for files of segments that are copied themselves, and write them again. */
async function copyFiles(
  { objects }: VerifiedData,
  to: BackupTarget,
  segments: ReadonlySet<number>,
  copied: Set<ObjectKey>,
): Promise<boolean> {
  const isInJournal = (key: ObjectKey) => {
    const range = segmentsOfKey(key);
    return range !== null && range.first === range.last && segments.has(range.first);
  };
  let isWhole = true;
  const ofImports = (await objects.list(IMPORTS_FOLDER)).filter(({ key }) => isIdentities(key) || parseDaySumsKey(key) !== null);
  const ofCounts = (await Promise.all(COUNT_KINDS.map(({ folder }) => objects.list(folder)))).flat();
  for (const { key } of [...(await objects.list(EVENTS_FOLDER)), ...ofImports, ...ofCounts]) {
    if (copied.has(key) || isInJournal(key)) continue;
    if (await to.copyObject(key)) copied.add(key);
    else isWhole = false;
  }
  return isWhole;
}
