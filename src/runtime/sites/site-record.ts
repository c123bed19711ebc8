/** The record of a site: what is set for it, and the history of its calendar. */
import type { EpochMs, SiteId } from "../../storage/event.ts";
import { damagedRecord, isInstant, readJsonRecord, type JsonObject } from "../../storage/json-record.ts";
import type { RecordStore } from "../../storage/record-store.ts";
import { toHex, type Sha256 } from "../base/sha256.ts";
import { isObject } from "../base/config/json-fields.ts";
import { isSiteId } from "../base/config/names.ts";
import { reasonOf } from "../base/metrics/log.ts";
import { parseSettings, settingsJson } from "./settings-json.ts";
import { parseCalendarRecord, type CalendarRecord } from "./site-calendar.ts";
import type { SiteSettings } from "./site-settings.ts";

export interface SiteRecord {
  readonly siteId: SiteId;
  /** When its settings were first set. ISO 8601, UTC. */
  readonly createdAt: string;
  /** Null after they were deleted. */
  readonly settings: SiteSettings | null;
  /** Null for a site that always had the days of all sites. It outlives the settings, because events have its dates. */
  readonly calendar: CalendarRecord | null;
  /** When it was last changed: of two records of a site, the later one counts. Absent in one that is older than all others. */
  readonly changedMs?: EpochMs;
}

/** The prefix of the records. */
export const SITES_FOLDER = "sites/";

const RECORD = /^sites\/[0-9a-f]{64}\.json$/;

/** By the hash of the id: ids differ by case and hold characters that file systems do not tell apart or do not allow. */
export const recordOf = (siteId: SiteId, sha256: Sha256): string => `${SITES_FOLDER}${toHex(sha256(siteId))}.json`;

/** What `parseSiteRecord` reads. */
export const siteRecordJson = ({ siteId, createdAt, settings, calendar, changedMs }: SiteRecord) => ({
  siteId,
  createdAt,
  settings: settings && settingsJson(settings),
  calendar,
  ...(changedMs !== undefined && { changedMs }),
});

/** Throws if it is not what `siteRecordJson` made. */
export function parseSiteRecord({ siteId, createdAt, settings, calendar, changedMs }: JsonObject): SiteRecord {
  if (typeof siteId !== "string" || !isSiteId(siteId)) throw new Error("it names no site");
  if (!isInstant(createdAt)) throw new Error("it has no time of creation");
  if (settings !== null && !isObject(settings)) throw new Error("it has no settings");
  const parsed = calendar === null ? null : parseCalendarRecord(calendar);
  if (calendar !== null && parsed === null) throw new Error("it has no calendar of time zones that this host knows");
  if (changedMs !== undefined && !Number.isSafeInteger(changedMs)) throw new Error("it has no time of its change");
  return {
    ...{ siteId, createdAt, settings: settings && parseSettings(settings), calendar: parsed },
    ...(changedMs !== undefined && { changedMs: changedMs as EpochMs }),
  };
}

/** Null if the name is not that of a site's record, or the record is gone. Rejects if it is damaged. */
export async function readSiteRecord(records: Pick<RecordStore, "read">, name: string, sha256: Sha256): Promise<SiteRecord | null> {
  const json = RECORD.test(name) ? await readJsonRecord(records, name) : null;
  if (json === null) return null;
  try {
    const record = parseSiteRecord(json);
    if (recordOf(record.siteId, sha256) !== name) throw new Error("it is of another site");
    return record;
  } catch (error) {
    throw damagedRecord(name, reasonOf(error));
  }
}
