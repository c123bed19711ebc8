/** Encodes a rollup's site, days, definitions and events in the key of its file. */
import { crc32 } from "./checksum.ts";
import { isLocalDate, type SiteId, type LocalDate } from "./event.ts";
import type { ObjectKey } from "./object-store.ts";
import { siteFolderIn } from "./partition-path.ts";

/** The folder of all rollups. */
export const ROLLUPS_FOLDER = "rollups";

export interface RollupFile {
  readonly key: ObjectKey;
  readonly firstDay: LocalDate;
  readonly lastDay: LocalDate;
  /** Hash of definitions and settings. A listing alone shows that a rollup has others; only the header shows that it has the same. */
  readonly definitionsHash: string;
  /** Hash of the events' files, so that rollups of different events have different keys. */
  readonly eventsHash: string;
}

/** The folder of a site's rollups, e.g. `rollups/site_id=example.com`. */
export const rollupFolder = (siteId: SiteId): ObjectKey => siteFolderIn(ROLLUPS_FOLDER, siteId);

const encoder = new TextEncoder();

/** Eight hexadecimal digits that differ for different values, with rare exceptions. */
export function hashOf(value: unknown): string {
  const bytes = encoder.encode(JSON.stringify(value));
  return crc32(bytes, 0, bytes.length).toString(16).padStart(8, "0");
}

/** A file is never changed: a rollup of other events or definitions has another key. */
export function rollupFileOf(siteId: SiteId, file: Omit<RollupFile, "key">): RollupFile {
  const { firstDay, lastDay, definitionsHash, eventsHash } = file;
  return { ...file, key: `${rollupFolder(siteId)}/${firstDay}_${lastDay}_${definitionsHash}_${eventsHash}.parquet` };
}

const nameIn = (siteId: SiteId, key: ObjectKey): string => key.slice(rollupFolder(siteId).length + 1);

/** The days that a key below a site's folder begins with, also one of an unknown format; null if it does not. */
export function daysOfRollupKey(siteId: SiteId, key: ObjectKey): Pick<RollupFile, "firstDay" | "lastDay"> | null {
  const [, firstDay = "", lastDay = ""] = /^(\d{4}-\d{2}-\d{2})_(\d{4}-\d{2}-\d{2})/.exec(nameIn(siteId, key)) ?? [];
  return isLocalDate(firstDay) && isLocalDate(lastDay) && firstDay <= lastDay ? { firstDay, lastDay } : null;
}

/** Parses a key below a site's folder; null if it is not that of a rollup. */
export function parseRollupKey(siteId: SiteId, key: ObjectKey): RollupFile | null {
  const days = daysOfRollupKey(siteId, key);
  const [, definitionsHash, eventsHash] = /^[\d-]{10}_[\d-]{10}_([0-9a-f]{8})_([0-9a-f]{8})\.parquet$/.exec(nameIn(siteId, key)) ?? [];
  if (!days || definitionsHash === undefined || eventsHash === undefined) return null;
  return { key, ...days, definitionsHash, eventsHash };
}
