/**
 * The record of a site: its settings and the history of its calendar. A change becomes durable where other instances have it first, then
 * here. If it cannot be stored here, the others get the earlier record back.
 */
import type { EpochMs, SiteId } from "../../storage/event.ts";
import {
  damagedRecord,
  isInstant,
  readJsonRecord,
  createJsonRecord,
  replaceJsonRecord,
  updateJsonRecord,
  type JsonObject,
} from "../../storage/json-record.ts";
import type { RecordStore } from "../../storage/record-store.ts";
import { toHex, type Sha256 } from "../base/bytes.ts";
import { isObject } from "../base/body.ts";
import { isSiteId } from "../base/config/names.ts";
import { reasonOf } from "../base/metrics/log.ts";
import { parseSettings, settingsJson } from "./site-settings.ts";
import { parseCalendarRecord, readDefaultCalendar, calendarFrom, type CalendarRecord } from "./site-calendar.ts";
import type { SiteSettings } from "./site-settings.ts";
import { severalAtOnce } from "../../storage/several-at-once.ts";
import { SITE_RECORDS_MAX_AT_ONCE } from "../base/config/admin-limits.ts";
import { storageUnavailable } from "../base/errors.ts";
import { utcCalendar, type Calendar } from "../../storage/calendar.ts";

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

/** The prefix of the records. */
export const SITES_FOLDER = "sites/";

const RECORD = /^sites\/[0-9a-f]{64}\.json$/;

/** Named by the hash of the id: ids differ by case and contain characters that file systems do not distinguish or do not allow. */
export const recordOf = (siteId: SiteId, sha256: Sha256): string => `${SITES_FOLDER}${toHex(sha256(siteId))}.json`;

/** The input of `parseSiteRecord`. */
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

/** null if the name is not that of a site's record, or the record is gone. Rejects if it is damaged. */
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

/** A record after a change; null after its removal. */
export interface SiteChange {
  readonly siteId: SiteId;
  readonly record: SiteRecord | null;
  /** The later of two changes of a site counts, on whichever instance it was made; of two at the same time, the one published last. */
  readonly changedMs: EpochMs;
}

export interface RecordChange extends SiteChange {
  /** The site's previous record. null without one. */
  readonly before: SiteRecord | null;
}

/** Distributes changes to the other instances. */
export interface SiteDistribution {
  /** Maximum duration in milliseconds: no calendar changes earlier, so that all instances give an instant the same date. */
  readonly settleMs: number;
  /** Called before changes are stored here. A rejection refuses them, but some may have reached others, and come back from there. */
  publish?(changes: readonly SiteChange[]): Promise<void>;
  /** Called when a change counts here. Must not reject. */
  push?(change: RecordChange): Promise<void>;
}

interface SiteRecordWriterParts {
  readonly records: RecordStore;
  readonly distribution: SiteDistribution | undefined;
  readonly sha256: Sha256;
}

export class SiteRecordWriter {
  readonly #parts: SiteRecordWriterParts;
  #withdrawnMs: EpochMs = 0;

  constructor(parts: SiteRecordWriterParts) {
    this.#parts = parts;
  }

  /** The latest change that other instances may have though it does not count here. */
  get withdrawnMs(): EpochMs {
    return this.#withdrawnMs;
  }

  /** Calls `onStored` with each change that is durable. 503 if some cannot be stored or shared; no further one is begun then. */
  async write<Change extends RecordChange>(changes: readonly Change[], onStored: (change: Change) => Promise<void>): Promise<void> {
    await this.#publish(changes).catch((cause: unknown) => {
      this.#noteWithdrawn(changes);
      notShared(cause);
    });
    const open = new Set(changes);
    try {
      await severalAtOnce(changes, SITE_RECORDS_MAX_AT_ONCE, async (change) => {
        await this.#store(change).catch(notStored);
        open.delete(change);
        await onStored(change);
      });
    } catch (error) {
      await this.#withdraw([...open]);
      throw error;
    }
  }

  /** Stores what another instance has published. */
  async replace({ siteId, record }: SiteChange): Promise<void> {
    const { records, sha256 } = this.#parts;
    const name = recordOf(siteId, sha256);
    if (record) await replaceJsonRecord(records, name, siteRecordJson(record));
    else await records.remove(name);
  }

  async #publish(changes: readonly SiteChange[]): Promise<void> {
    await this.#parts.distribution?.publish?.(changes);
  }

  /** Other instances get back what they had. If that fails too, they keep the changes, and this one gets them from there. */
  async #withdraw(changes: readonly RecordChange[]): Promise<void> {
    const withdrawn = changes.map(({ siteId, before, changedMs }) => ({ siteId, record: before, changedMs: changedMs + 1 }));
    this.#noteWithdrawn(withdrawn);
    await this.#publish(withdrawn).catch(() => {
      // The caller gets the error of the write.
    });
  }

  #noteWithdrawn(changes: readonly SiteChange[]): void {
    this.#withdrawnMs = changes.reduce((latestMs, { changedMs }) => Math.max(latestMs, changedMs), this.#withdrawnMs);
  }

  /** A failure leaves the site's previous record, which also counts at the next start. */
  #store({ siteId, before, record }: RecordChange): Promise<void> {
    const { records, sha256 } = this.#parts;
    const name = recordOf(siteId, sha256);
    if (record === null) return records.remove(name);
    const to = siteRecordJson(record);
    return before ? updateJsonRecord(records, name, { from: siteRecordJson(before), to }) : createJsonRecord(records, name, to);
  }
}

function notStored(cause: unknown): never {
  throw storageUnavailable("The settings could not be stored and are unchanged. Try again later.", cause);
}

/** It is not known whether the others have the change. */
function notShared(cause: unknown): never {
  throw storageUnavailable("The settings could not be shared with the other nodes and may be unchanged. Try again later.", cause);
}

/** null if the record of the calendar is damaged. */
export type RecordedCalendars = (siteId: SiteId) => Calendar | null;

export async function readCalendars(records: Pick<RecordStore, "list" | "read">, sha256: Sha256): Promise<RecordedCalendars> {
  const ofAll = await readDefaultCalendar(records).then(calendarFrom, () => null);
  const bySite = new Map<string, Calendar | null>();
  for (const name of await records.list(SITES_FOLDER)) {
    const record = readSiteRecord(records, name, sha256);
    const calendar = record.then(
      (site) => (site?.calendar ? calendarFrom(site.calendar) : ofAll),
      () => null,
    );
    bySite.set(name, await calendar);
  }
  if (bySite.size === 0 && ofAll === utcCalendar) return () => utcCalendar;
  return (siteId) => {
    const ofSite = bySite.get(recordOf(siteId, sha256));
    return ofSite === undefined ? ofAll : ofSite;
  };
}
