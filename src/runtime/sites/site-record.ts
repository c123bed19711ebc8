/** The record of a site: its settings and the history of its calendar. */
import type { Calendar, CalendarRecord } from "../../storage/calendar.ts";
import type { EpochMs, SiteId } from "../../storage/event.ts";
import { isInstant, type JsonObject, type RecordStore } from "../../storage/record-store.ts";
import { NO_ARRIVAL_RULES } from "../arrivals/arrival-names.ts";
import type { ArrivalRules } from "../arrivals/arrivals.ts";
import { toHex, type Sha256 } from "../base/bytes.ts";
import { isObject } from "../base/body.ts";
import { isSiteId } from "../base/config/names.ts";
import { readTableRecord, type RecordKind } from "../base/record-table.ts";
import { arrivalRulesIn, parseSettings, settingsJson, type SiteSettings } from "./site-settings.ts";
import type { Change, Publish, SharedKind } from "./shared-changes.ts";
import { calendarFrom, parseCalendarRecord, readDefaultCalendar } from "./site-calendar.ts";

export interface SiteRecord {
  readonly siteId: SiteId;
  /** Time of the first settings. ISO 8601, UTC. */
  readonly createdAt: string;
  /** null after they were deleted. */
  readonly settings: SiteSettings | null;
  /** null for a site that always had the days of all sites. It outlives the settings, because events have its dates. */
  readonly calendar: CalendarRecord | null;
  /** Time of the last change: the later of two records of a site counts. Absent in one that is older than all others. */
  readonly changedMs?: EpochMs;
}

function siteIdOf(value: unknown): SiteId {
  if (typeof value !== "string" || !isSiteId(value)) throw new Error("it names no site");
  return value;
}

const siteRecordJson = ({ siteId, createdAt, settings, calendar, changedMs }: SiteRecord) => ({
  siteId,
  createdAt,
  settings: settings && settingsJson(settings),
  calendar,
  ...(changedMs !== undefined && { changedMs }),
});

/** Throws if it is not what `siteRecordJson` made. */
function parseSiteRecord({ siteId, createdAt, settings, calendar, changedMs }: JsonObject): SiteRecord {
  if (!isInstant(createdAt)) throw new Error("it has no time of creation");
  if (settings !== null && !isObject(settings)) throw new Error("it has no settings");
  const parsed = calendar === null ? null : parseCalendarRecord(calendar);
  if (changedMs !== undefined && !Number.isSafeInteger(changedMs)) throw new Error("it has no time of its change");
  return {
    ...{ siteId: siteIdOf(siteId), createdAt, settings: settings && parseSettings(settings), calendar: parsed },
    ...(changedMs !== undefined && { changedMs: changedMs as EpochMs }),
  };
}

/** Record names are hashes of ids: ids differ by case and contain characters that file systems do not tell apart or do not allow. */
export const siteRecords = (sha256: Sha256): RecordKind<SiteRecord, SiteId> => ({
  folder: "sites",
  keyOf: ({ siteId }) => siteId,
  hashOf: (siteId) => toHex(sha256(siteId)),
  json: siteRecordJson,
  parse: parseSiteRecord,
});

/** Cluster nodes share the records of sites whole. */
export const SHARED_SITES: SharedKind<SiteRecord, SiteId> = {
  prefix: "",
  json: siteRecordJson,
  parse(json, siteId, changedMs) {
    const record = parseSiteRecord(json);
    if (record.siteId !== siteId) throw new Error("its key is another site's");
    return { ...record, changedMs };
  },
  parseKey: siteIdOf,
};

export interface SiteDistribution {
  /** Maximum duration in milliseconds: no calendar changes earlier, so that all instances give an instant the same date. */
  readonly settleMs: number;
  readonly publish?: Publish<SiteRecord, SiteId>;
  /** Called when a change counts here, with what the site had before. Must not reject. */
  push?(change: Change<SiteRecord, SiteId>, before: SiteRecord | null): Promise<void>;
}

/** What the records of a data folder say about each site. */
export interface RecordedSites {
  /** null if the record of the calendar is damaged. */
  readonly calendarOf: (siteId: SiteId) => Calendar | null;
  readonly arrivalRulesOf: (siteId: SiteId) => ArrivalRules;
}

export async function readSites(records: Pick<RecordStore, "list" | "read">, sha256: Sha256): Promise<RecordedSites> {
  const kind = siteRecords(sha256);
  const ofAll = await readDefaultCalendar(records).then(calendarFrom, () => null);
  const byHash = new Map<string, { readonly calendar: Calendar | null; readonly arrivalRules: ArrivalRules }>();
  for (const name of await records.list(`${kind.folder}/`)) {
    const recorded = readTableRecord(records, name, kind).then(
      (site) => ({
        calendar: site?.calendar ? calendarFrom(site.calendar) : ofAll,
        arrivalRules: site?.settings ? arrivalRulesIn(site.settings) : NO_ARRIVAL_RULES,
      }),
      () => ({ calendar: null, arrivalRules: NO_ARRIVAL_RULES }),
    );
    byHash.set(name.slice(kind.folder.length + 1, -".json".length), await recorded);
  }
  const recordOf = (siteId: SiteId) => (byHash.size === 0 ? undefined : byHash.get(kind.hashOf(siteId)));
  return {
    calendarOf(siteId) {
      const recorded = recordOf(siteId);
      return recorded ? recorded.calendar : ofAll;
    },
    arrivalRulesOf: (siteId) => recordOf(siteId)?.arrivalRules ?? NO_ARRIVAL_RULES,
  };
}
