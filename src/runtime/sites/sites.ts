/** Sites and what is set for each: settings and calendar, kept in records. A site without settings has the defaults. */
import type { Calendar } from "../../storage/calendar.ts";
import type { EpochMs, SiteId } from "../../storage/event.ts";
import { createJsonRecord, replaceJsonRecord, updateJsonRecord } from "../../storage/json-record.ts";
import type { RecordStore } from "../../storage/record-store.ts";
import { severalAtOnce } from "../../storage/several-at-once.ts";
import { SerialQueue } from "../auth/serial-queue.ts";
import { createSha256, type Sha256 } from "../auth/sha256.ts";
import { SITE_CHANGES_WAITING_MAX, SITE_RECORDS_MAX_AT_ONCE } from "../config/limits.ts";
import { AppError, invalidInput, storageUnavailable } from "../errors.ts";
import type { Log } from "../metrics/log.ts";
import { exclusionsOf, type Exclusions } from "./exclusions.ts";
import { calendarFrom, timeZoneOf, withTimeZone, type CalendarRecord } from "./site-calendar.ts";
import type { SiteChange, SiteDistribution } from "./site-distribution.ts";
import { readSiteRecord, recordOf, SITES_FOLDER, siteRecordJson, type SiteRecord } from "./site-record.ts";
import { DEFAULT_SETTINGS, type SiteSettings } from "./site-settings.ts";

/** Which calendar gives a site's events their dates. */
export type CalendarOf = (siteId: SiteId) => Calendar;

/** Which of a site's events are not stored; null for none. */
export type ExclusionsOf = (siteId: SiteId) => Exclusions | null;

export interface SitesParts {
  readonly records: RecordStore;
  /** The calendar of sites without a time zone of their own, until it is replaced. */
  readonly calendar: CalendarRecord;
  /** Sites that may have a record. */
  readonly sitesMax: number;
  readonly now: () => EpochMs;
  readonly log: Log;
  /** Where other instances have the settings, too. */
  readonly distribution?: SiteDistribution | undefined;
}

interface KnownSite {
  readonly record: SiteRecord;
  readonly settings: SiteSettings;
  /** Null for that of all sites. */
  readonly calendar: Calendar | null;
  readonly exclusions: Exclusions | null;
}

/** When a site's settings change. */
export interface ChangeTime {
  readonly nowMs: EpochMs;
  /** Whether the site has events: its calendar then changes at the end of a day. */
  readonly hasEvents: (siteId: SiteId) => boolean;
  /** Aborts a change that has not begun. */
  readonly signal: AbortSignal;
}

export class Sites {
  readonly #parts: SitesParts;
  readonly #sha256: Sha256;
  #defaultCalendar: CalendarRecord;
  #calendar: Calendar;
  readonly #known = new Map<SiteId, KnownSite>();
  /** When records were removed that another instance may still have. */
  readonly #removedMs = new Map<SiteId, EpochMs>();
  readonly #queue = new SerialQueue({ waitingMax: SITE_CHANGES_WAITING_MAX, retryAfterSecs: 1 });

  private constructor(parts: SitesParts, sha256: Sha256) {
    this.#parts = parts;
    this.#sha256 = sha256;
    this.#defaultCalendar = parts.calendar;
    this.#calendar = calendarFrom(parts.calendar);
  }

  /** Rejects when a record is damaged: without it, events would get other dates, and excluded ones would be stored. */
  static async open(parts: SitesParts): Promise<Sites> {
    const { records, log, distribution } = parts;
    const sites = new Sites(parts, await createSha256());
    await severalAtOnce(await records.list(SITES_FOLDER), SITE_RECORDS_MAX_AT_ONCE, async (name) => {
      const record = await readSiteRecord(records, name, sites.#sha256);
      if (record) sites.apply(record.siteId, record);
      else log.warn("a record among the sites is not that of a site and is ignored", { name });
    });
    if (!distribution?.publish) await sites.followDefaultCalendar();
    return sites;
  }

  /** Of sites without a time zone of their own. */
  get defaultCalendar(): CalendarRecord {
    return this.#defaultCalendar;
  }

  /** The record is stored elsewhere. */
  set defaultCalendar(record: CalendarRecord) {
    this.#calendar = calendarFrom(record);
    this.#defaultCalendar = record;
  }

  settingsOf(siteId: SiteId): SiteSettings {
    return this.#known.get(siteId)?.settings ?? DEFAULT_SETTINGS;
  }

  calendarOf(siteId: SiteId): Calendar {
    return this.#known.get(siteId)?.calendar ?? this.#calendar;
  }

  /** The zones in force at an instant: the events of no site are in another. The first is that of sites without one of their own. */
  zonesAt(timestampMs: EpochMs): readonly string[] {
    const calendars = [this.#calendar, ...Array.from(this.#known.values(), ({ calendar }) => calendar ?? this.#calendar)];
    return [...new Set(calendars.map((calendar) => calendar.zoneAt(timestampMs)))];
  }

  /** The sites that have a record: settings, or a calendar of their own. */
  recorded(): Iterable<SiteId> {
    return this.#known.keys();
  }

  exclusionsOf(siteId: SiteId): Exclusions | null {
    return this.#known.get(siteId)?.exclusions ?? null;
  }

  /** Null for a site whose settings and calendar were never set. */
  recordOf(siteId: SiteId): SiteRecord | null {
    return this.#known.get(siteId)?.record ?? null;
  }

  has(siteId: SiteId): boolean {
    return this.#known.get(siteId)?.record.settings != null;
  }

  /** The sites that have settings, sorted. */
  listed(): SiteId[] {
    return [...this.#known.keys()].filter((siteId) => this.has(siteId)).sort();
  }

  /** Sites with settings, or with a calendar of their own. */
  get count(): number {
    return this.#known.size;
  }

  /**
   * Replaces the settings of these sites. Those of a site count once they are stored: 503 when some cannot be, 400 when there would be
   * too many sites.
   */
  change(changed: ReadonlyMap<SiteId, SiteSettings>, time: ChangeTime): Promise<void> {
    return this.#queue.run(async () => {
      const added = [...changed.keys()].filter((siteId) => !this.#known.has(siteId));
      if (this.#known.size + added.length > this.#parts.sitesMax)
        throw invalidInput(`There may be settings of ${this.#parts.sitesMax} sites at most. Raise max_sites to allow more`);
      await severalAtOnce(changed, SITE_RECORDS_MAX_AT_ONCE, ([siteId, settings]) => this.#change(siteId, settings, time));
    }, time.signal);
  }

  /** Deletes a site's settings: 404 when it has none. The history of its calendar stays as long as the site has events. */
  remove(siteId: SiteId, time: ChangeTime): Promise<void> {
    return this.#queue.run(async () => {
      const known = this.recordOf(siteId);
      if (!known?.settings) throw new AppError({ code: "not_found" }, `There are no settings of the site "${siteId}"`);
      const hasEvents = time.hasEvents(siteId);
      const calendar = this.#calendarAfter(known, null, time.nowMs, hasEvents);
      const changedMs = this.#nextChangeMs(siteId, time.nowMs);
      if (calendar === null || !hasEvents) return this.#forget(known, changedMs);
      const record = { ...known, settings: null, calendar, changedMs };
      await this.#write(known, record);
      await this.#applyEverywhere(siteId, record);
    }, time.signal);
  }

  /**
   * Stores what other instances have published, as far as it is later than what is known here. A change that is being made here comes
   * first. Rejects if some cannot be stored.
   */
  receive(changes: readonly SiteChange[], signal: AbortSignal): Promise<void> {
    return this.#queue.run(() => severalAtOnce(changes, SITE_RECORDS_MAX_AT_ONCE, (change) => this.#receive(change)), signal);
  }

  /** Sites without a zone of their own follow the option `time_zone`, which may have another zone since the last start. */
  async followDefaultCalendar(signal: AbortSignal = new AbortController().signal): Promise<void> {
    const timeZone = timeZoneOf(this.#defaultCalendar);
    const isBehind = ({ settings, calendar }: SiteRecord) => calendar && settings?.timeZone == null && timeZoneOf(calendar) !== timeZone;
    const behind = Array.from(this.#known.values(), ({ record }) => record).filter(isBehind);
    if (behind.length === 0) return;
    await this.#queue.run(() => severalAtOnce(behind, SITE_RECORDS_MAX_AT_ONCE, ({ siteId }) => this.#follow(siteId)), signal);
  }

  /** When the record of a site was last changed or removed; 0 if that is not known. */
  changedMsOf(siteId: SiteId): EpochMs {
    return this.recordOf(siteId)?.changedMs ?? this.#removedMs.get(siteId) ?? 0;
  }

  /** Replaces what is known of a site by its record, which is stored elsewhere; null for a site without one. Returns whether it is another. */
  apply(siteId: SiteId, record: SiteRecord | null): boolean {
    if (JSON.stringify(record) === JSON.stringify(this.recordOf(siteId))) return false;
    if (record === null) return this.#known.delete(siteId);
    const settings = record.settings ?? DEFAULT_SETTINGS;
    const calendar = record.calendar && calendarFrom(record.calendar);
    this.#known.set(siteId, { record, settings, calendar, exclusions: exclusionsOf(settings) });
    return true;
  }

  /** Later than all changes of the site that are known here, also if another instance has a clock that is ahead. */
  #nextChangeMs(siteId: SiteId, nowMs: EpochMs): EpochMs {
    return Math.max(nowMs, this.changedMsOf(siteId) + 1);
  }

  /** A site has a calendar of its own from its first time zone on, also when it has none later. */
  #calendarAfter(known: SiteRecord | null, timeZone: string | null, nowMs: EpochMs, hasEvents: boolean): CalendarRecord | null {
    const before = known?.calendar ?? this.#defaultCalendar;
    if (timeZone === null && !known?.calendar) return null;
    const settledMs = nowMs + (this.#parts.distribution?.settleMs ?? 0);
    return withTimeZone(before, timeZone ?? timeZoneOf(this.#defaultCalendar), settledMs, hasEvents);
  }

  async #change(siteId: SiteId, settings: SiteSettings, time: ChangeTime): Promise<void> {
    const known = this.recordOf(siteId);
    const createdAt = known?.settings ? known.createdAt : new Date(time.nowMs).toISOString();
    let changedMs = this.#nextChangeMs(siteId, time.nowMs);
    for (let hasEvents = time.hasEvents(siteId); ; hasEvents = true, changedMs++) {
      const calendar = this.#calendarAfter(known, settings.timeZone, time.nowMs, hasEvents);
      const record = { siteId, createdAt, settings, calendar, changedMs };
      await this.#write(known, record);
      // An event that came during the write has a date of the calendar before.
      if (hasEvents || !time.hasEvents(siteId)) return this.#applyEverywhere(siteId, record);
    }
  }

  async #follow(siteId: SiteId): Promise<void> {
    const [known, nowMs] = [this.recordOf(siteId), this.#parts.now()];
    if (!known?.calendar || known.settings?.timeZone != null) return;
    const calendar = this.#calendarAfter(known, null, nowMs, true);
    const record = { ...known, calendar, changedMs: this.#nextChangeMs(siteId, nowMs) };
    await this.#write(known, record);
    this.apply(siteId, record);
  }

  async #receive({ siteId, record, changedMs }: SiteChange): Promise<void> {
    if (changedMs <= this.changedMsOf(siteId)) return;
    const { records } = this.#parts;
    const name = recordOf(siteId, this.#sha256);
    if (record) await replaceJsonRecord(records, name, siteRecordJson(record));
    else await records.remove(name);
    this.apply(siteId, record);
    if (record === null) this.#removedMs.set(siteId, changedMs);
  }

  async #applyEverywhere(siteId: SiteId, record: SiteRecord | null): Promise<void> {
    this.apply(siteId, record);
    await this.#parts.distribution?.push?.(siteId, record);
  }

  async #publish(change: SiteChange): Promise<void> {
    await this.#parts.distribution?.publish?.(change).catch(notShared);
  }

  /** Other instances get back what they had. If that fails too, they keep the change, and this one gets it from them. */
  async #withdraw({ siteId, changedMs }: SiteChange, known: SiteRecord | null): Promise<void> {
    await this.#publish({ siteId, record: known, changedMs: changedMs + 1 }).catch(() => {
      // The caller gets the error of the write.
    });
  }

  /** Resolves once the record is durable. */
  async #write(known: SiteRecord | null, record: SiteRecord & { readonly changedMs: EpochMs }): Promise<void> {
    const { records } = this.#parts;
    const { siteId, changedMs } = record;
    const change = { siteId, record, changedMs };
    await this.#publish(change);
    const name = recordOf(siteId, this.#sha256);
    const to = siteRecordJson(record);
    const stored = known ? updateJsonRecord(records, name, { from: siteRecordJson(known), to }) : createJsonRecord(records, name, to);
    await stored.catch(async (error: unknown) => {
      await this.#withdraw(change, known);
      notStored(error);
    });
  }

  async #forget(known: SiteRecord, changedMs: EpochMs): Promise<void> {
    const { siteId } = known;
    const change = { siteId, record: null, changedMs };
    await this.#publish(change);
    await this.#parts.records.remove(recordOf(siteId, this.#sha256)).catch(async (error: unknown) => {
      await this.#withdraw(change, known);
      notStored(error);
    });
    this.#removedMs.set(siteId, changedMs);
    await this.#applyEverywhere(siteId, null);
  }
}

function notStored(cause: unknown): never {
  throw storageUnavailable("The settings could not be stored and are unchanged. Try again later.", cause);
}

/** It is not known whether the others have the change. */
function notShared(cause: unknown): never {
  throw storageUnavailable("The settings could not be shared with the other nodes and may be unchanged. Try again later.", cause);
}
