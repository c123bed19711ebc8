/** Encodes a site, a day and a range of journal segments in the key of a Parquet file. */
import { isLocalDate, type SiteId, type LocalDate } from "./event.ts";
import type { ObjectKey } from "./object-store.ts";
import type { PartitionFile } from "./partition.ts";

/** The folder of all partitions. */
export const EVENTS_FOLDER = "events";

/** Prefix of a site's folder. */
export const SITE_FOLDER_PREFIX = "site_id=";
const DAY_FOLDER_PREFIX = "date=";

/** Ends a folder name that continues in the folder below it. No site id and no escape contains it. */
const CONTINUED = "~";

/** Room left for the prefix and the continuation mark within the 255 bytes a file system allows a name. */
const FOLDER_NAME_CHARS_MAX = 240;

/**
 * Capital letters and `:` are percent-escaped, so names that differ only in case stay apart on file
 * systems that fold case; so is a trailing dot, which some drop. Readers of hive-style folders undo it.
 */
function escapeSiteId(siteId: SiteId): string[] {
  const last = siteId.length - 1;
  return [...siteId].map((char, i) =>
    /[A-Z:]/.test(char) || (char === "." && i === last) ? `%${char.charCodeAt(0).toString(16).toUpperCase()}` : char,
  );
}

/** The folder of a site below another, e.g. `rollups/site_id=example.com`. Ids too long for one name take nested folders. */
export function siteFolderIn(parent: ObjectKey, siteId: SiteId): ObjectKey {
  const names = [SITE_FOLDER_PREFIX];
  for (const char of escapeSiteId(siteId)) {
    const name = names[names.length - 1] ?? "";
    if (name.length + char.length > FOLDER_NAME_CHARS_MAX) {
      names[names.length - 1] = name + CONTINUED;
      names.push(char);
    } else {
      names[names.length - 1] = name + char;
    }
  }
  return [parent, ...names].join("/");
}

/** The folder of a site's partitions, e.g. `events/site_id=example.com`. */
export const siteFolder = (siteId: SiteId): ObjectKey => siteFolderIn(EVENTS_FOLDER, siteId);

/** Undoes `siteFolder` for the names below `events`; null if they are not (yet) a complete site id. */
export function siteOfFolders(names: readonly string[], isSiteId: (text: string) => text is SiteId): SiteId | null {
  const joined = names.join("").replaceAll(CONTINUED, "");
  if (!joined.startsWith(SITE_FOLDER_PREFIX)) return null;
  const text = joined
    .slice(SITE_FOLDER_PREFIX.length)
    .replace(/%([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  if (!isSiteId(text)) return null;
  return siteFolder(text) === [EVENTS_FOLDER, ...names].join("/") ? text : null;
}

/** True if a folder name below `events` continues in the folders below it. */
export const isContinued = (name: string): boolean => name.endsWith(CONTINUED);

/** The key of the file that holds a site's events of a day from segments `first` to `last`. */
export function partitionKey(siteId: SiteId, day: LocalDate, first: number, last: number): ObjectKey {
  return `${dayFolder(siteId, day)}/${first}-${last}.parquet`;
}

/** The range of segments in a key; null if it has none. */
export function segmentsOfKey(key: ObjectKey): { readonly first: number; readonly last: number } | null {
  const match = /(?:^|\/)(\d{1,15})-(\d{1,15})\.parquet$/.exec(key);
  if (!match) return null;
  const [first, last] = [Number(match[1]), Number(match[2])];
  return first <= last ? { first, last } : null;
}

/** The folder of a site's day. */
export const dayFolder = (siteId: SiteId, day: LocalDate): ObjectKey => `${siteFolder(siteId)}/${DAY_FOLDER_PREFIX}${day}`;

/** The day of a folder below a site's; null if the name is not a day folder. */
export function dayOfFolder(name: string): LocalDate | null {
  const day = name.startsWith(DAY_FOLDER_PREFIX) ? name.slice(DAY_FOLDER_PREFIX.length) : "";
  return isLocalDate(day) ? day : null;
}

/** Parses a key below a site's folder; null if it is not a partition file. */
export function parsePartitionKey(siteId: SiteId, key: ObjectKey, sizeBytes: number): PartitionFile | null {
  const day = /^date=([^/]+)\/[^/]+$/.exec(key.slice(siteFolder(siteId).length + 1))?.[1];
  const segments = segmentsOfKey(key);
  return day !== undefined && isLocalDate(day) && segments ? { day, ...segments, key, sizeBytes } : null;
}
