/** Sites and what is set for each: settings and calendar, kept in records. A site without settings has the defaults. */
import { type Calendar, type CalendarRecord } from "../../storage/calendar.ts";
import type { EpochMs, SiteId } from "../../storage/event.ts";
import type { RecordStore } from "../../storage/record-store.ts";
import { severalAtOnce } from "../../storage/object-store.ts";
import { SITE_CHANGES_WAITING_MAX, SITE_RECORDS_MAX_AT_ONCE } from "../base/config/admin-limits.ts";
import { ZONE_SETTLE_MS } from "../base/config/limits.ts";
import { RecordTable, type RecordKind, type SiteBelongings } from "../base/record-table.ts";
import { createSha256 } from "../base/bytes.ts";
import { AppError, invalidInput, storageUnavailable } from "../base/errors.ts";
import type { Log } from "../base/metrics/log.ts";
import { sitesByAlias } from "./aliases.ts";
import { exclusionsOf, type Exclusions } from "./exclusions.ts";
import { SharedChanges, type Change, type SharedTable } from "./shared-changes.ts";
import { calendarFrom, timeZoneOf, withTimeZone } from "./site-calendar.ts";
import { SHARED_SITES, siteRecords, type SiteDistribution, type SiteRecord } from "./site-record.ts";
import { arrivalRulesIn, at, DEFAULT_SETTINGS, type SiteSettings, withOwnHost } from "./site-settings.ts";
import type { ArrivalRules } from "../arrivals/arrivals.ts";

export type CalendarOf = (siteId: SiteId) => Calendar;

/** A site's events that are not stored; null for none. */
export type ExclusionsOf = (siteId: SiteId) => Exclusions | null;

interface SitesParts {
  readonly records: RecordStore;
  /** The calendar of sites without a time zone of their own, until it is replaced. */
  readonly calendar: CalendarRecord;
  readonly sitesMax: number;
  readonly now: () => EpochMs;
  readonly log: Log;
  /** Set if other instances share the settings. */
  readonly distribution?: SiteDistribution | undefined;
}

interface KnownSite {
  readonly record: SiteRecord;
  readonly settings: SiteSettings;
  /** null for the calendar of all sites. */
  readonly calendar: Calendar | null;
  readonly exclusions: Exclusions | null;
}

/** Decides when a change counts. */
export interface ChangeRequest {
  /** True if the site has events now: its calendar then changes at the end of a day. */
  readonly hasEvents: (siteId: SiteId) => boolean;
  /** Aborts a change that has not begun. */
  readonly signal: AbortSignal;
}

/** Changes a site's settings; null deletes them. */
interface SettingsChange extends Change<SiteRecord, SiteId> {
  readonly settings: SiteSettings | null;
}

function knownSite(record: SiteRecord): KnownSite {
  const settings = record.settings ?? DEFAULT_SETTINGS;
  return { record, settings, calendar: record.calendar && calendarFrom(record.calendar), exclusions: exclusionsOf(settings) };
}

export class Sites implements SharedTable<SiteRecord, SiteId>, SiteBelongings<SiteId> {
  readonly sharedKind = SHARED_SITES;
  readonly #parts: SitesParts;
  readonly #table: RecordTable<KnownSite, SiteId>;
  readonly #shared: SharedChanges<SiteRecord, SiteId>;
  #onChange: (siteId: SiteId) => void = () => {};
  #defaultCalendar: CalendarRecord;
  #calendar: Calendar;
  /** Made when it is first asked for after a change. */
  #byAlias: ReadonlyMap<string, SiteId> | null = null;

  private constructor(parts: SitesParts, table: RecordTable<KnownSite, SiteId>) {
    this.#parts = parts;
    this.#table = table;
    this.#shared = new SharedChanges({
      publish: parts.distribution?.publish,
      valueOf: (siteId) => this.recordOf(siteId),
      changedMsOf: ({ changedMs = 0 }) => changedMs,
      textOf: (record) => JSON.stringify(record),
    });
    this.#defaultCalendar = parts.calendar;
    this.#calendar = calendarFrom(parts.calendar);
  }

  /** Rejects when a record is damaged: without it, events would get other dates, and excluded ones would be stored. */
  static async open(parts: SitesParts): Promise<Sites> {
    const kind = siteRecords(await createSha256());
    const known: RecordKind<KnownSite, SiteId> = {
      ...kind,
      keyOf: ({ record }) => record.siteId,
      json: ({ record }) => kind.json(record),
      parse: (json) => knownSite(kind.parse(json)),
    };
    const sites = new Sites(parts, await RecordTable.open(known, { ...parts, changesWaitingMax: SITE_CHANGES_WAITING_MAX }));
    if (!parts.distribution?.publish) await sites.followDefaultCalendar();
    return sites;
  }

  get defaultCalendar(): CalendarRecord {
    return this.#defaultCalendar;
  }

  /** The record is stored elsewhere. */
  set defaultCalendar(record: CalendarRecord) {
    this.#calendar = calendarFrom(record);
    this.#defaultCalendar = record;
  }

  settingsOf(siteId: SiteId): SiteSettings {
    return this.#table.get(siteId)?.settings ?? DEFAULT_SETTINGS;
  }

  /** The site whose settings have the alias. */
  siteOfAlias(alias: string): SiteId | null {
    this.#byAlias ??= sitesByAlias(Array.from(this.#table.values(), ({ record, settings }) => [record.siteId, settings.aliases] as const));
    return this.#byAlias.get(alias) ?? null;
  }

  /** What the site says about arrivals. */
  arrivalRulesOf(siteId: SiteId): ArrivalRules {
    return arrivalRulesIn(this.settingsOf(siteId));
  }

  /** Calls the listener, the only one, with each site whose settings may have changed. */
  onChange(listener: (siteId: SiteId) => void): void {
    this.#onChange = listener;
  }

  calendarOf(siteId: SiteId): Calendar {
    return this.#table.get(siteId)?.calendar ?? this.#calendar;
  }

  /** The zones in force at an instant: the events of no site are in another. The first is that of sites without one of their own. */
  zonesAt(timestampMs: EpochMs): readonly string[] {
    const calendars = [this.#calendar, ...Array.from(this.#table.values(), ({ calendar }) => calendar ?? this.#calendar)];
    return [...new Set(calendars.map((calendar) => calendar.zoneAt(timestampMs)))];
  }

  /** The sites that have a record: settings, or a calendar of their own. */
  recorded(): Iterable<SiteId> {
    return this.#table.keys();
  }

  exclusionsOf(siteId: SiteId): Exclusions | null {
    return this.#table.get(siteId)?.exclusions ?? null;
  }

  /** null for a site whose settings and calendar were never set. */
  recordOf(siteId: SiteId): SiteRecord | null {
    return this.#table.get(siteId)?.record ?? null;
  }

  has(siteId: SiteId): boolean {
    return this.#table.get(siteId)?.record.settings != null;
  }

  /** 404 for a site without settings. */
  checkSettings(siteId: SiteId): void {
    if (!this.has(siteId)) throw new AppError({ code: "not_found" }, `The site "${siteId}" has no settings`);
  }

  listed(): SiteId[] {
    return [...this.#table.keys()].filter((siteId) => this.has(siteId)).sort();
  }

  /** Sites with settings, or with a calendar of their own. */
  get count(): number {
    return this.#table.size;
  }

  /**
   * Replaces the settings of these sites. Those of a site count once they are stored: 503 when some cannot be. 400, and no change, when
   * there would be too many sites, or too many changes of a site's time zone.
   */
  change(changed: ReadonlyMap<SiteId, SiteSettings>, request: ChangeRequest): Promise<void> {
    const changing = this.#table.inTurn(() => this.#change(changed, request), request.signal);
    return changed.size > 1 ? changing.catch(partlyStored) : changing;
  }

  async #change(changed: ReadonlyMap<SiteId, SiteSettings>, request: ChangeRequest): Promise<void> {
    await this.#forgetUnused(request);
    this.#checkAliases(changed);
    const added = [...changed.keys()].filter((siteId) => !this.has(siteId));
    if (this.listed().length + added.length > this.#parts.sitesMax)
      throw invalidInput(`There may be settings of ${this.#parts.sitesMax} sites at most. Raise max_sites to allow more`);
    await this.#store(
      Array.from(changed, ([siteId, settings]) => this.#changeNow(siteId, settings, request)),
      request,
    );
  }

  /** 400 for an alias that two sites would have. */
  #checkAliases(changed: ReadonlyMap<SiteId, SiteSettings>): void {
    const owners = new Map<string, SiteId>();
    for (const [siteId, { aliases }] of changed) {
      for (const alias of aliases) {
        const known = this.siteOfAlias(alias);
        const other = owners.get(alias) ?? (known !== null && changed.has(known) ? null : known);
        if (other !== null && other !== siteId) throw invalidInput(`Field "aliases": the site "${other}" has "${alias}" already`);
        owners.set(alias, siteId);
      }
    }
  }

  /** Calendars of sites whose settings were deleted, and later their events. */
  async #forgetUnused(request: ChangeRequest): Promise<void> {
    const unused = [...this.#table.keys()].filter((siteId) => !this.has(siteId) && !request.hasEvents(siteId));
    const removals = unused.map((siteId) => this.#changeNow(siteId, null, request));
    if (removals.length > 0) await this.#store(removals, request);
  }

  /**
   * Stores and applies changes. While one is stored, an event may have come with a date of the calendar before, or the first date of the
   * new zone may have come too near: it is then another one, and is stored again.
   */
  async #store(changes: readonly SettingsChange[], request: ChangeRequest): Promise<void> {
    await this.#storeEach(changes, async (change) => {
      const now = this.#changeNow(change.key, change.settings, request, change.changedMs);
      if (calendarTextOf(now) === calendarTextOf(change)) await this.#applyEverywhere(change);
      else await this.#store([now], request);
    });
  }

  /** Calls `onStored` with each change that is durable. After a failure no further one is begun. */
  #storeEach(changes: readonly SettingsChange[], onStored: (change: SettingsChange) => Promise<void>): Promise<void> {
    return this.#shared.spread(changes, (open) =>
      severalAtOnce(changes, SITE_RECORDS_MAX_AT_ONCE, async (change) => {
        await this.#table.store(change.key, change.value && knownSite(change.value));
        open.delete(change);
        await onStored(change);
      }),
    );
  }

  /** `afterMs`: of a change that it replaces. */
  #changeNow(
    siteId: SiteId,
    settings: SiteSettings | null,
    { hasEvents }: Pick<ChangeRequest, "hasEvents">,
    afterMs: EpochMs = 0,
  ): SettingsChange {
    const before = this.recordOf(siteId);
    const nowMs = this.#parts.now();
    const changedMs = Math.max(this.#shared.nextMs(siteId, nowMs), afterMs + 1);
    const createdAt = before?.settings ? before.createdAt : new Date(nowMs).toISOString();
    const calendar = this.#calendarAfter(siteId, settings?.timeZone ?? null, nowMs, hasEvents(siteId));
    // A calendar without settings is that of dates which events have.
    const isKept = settings !== null || (calendar !== null && hasEvents(siteId));
    return { key: siteId, settings, changedMs, value: isKept ? { siteId, createdAt, settings, calendar, changedMs } : null };
  }

  /** Deletes a site's settings: 404 when it has none. The history of its calendar stays as long as the site has events. */
  remove(siteId: SiteId, request: ChangeRequest): Promise<void> {
    return this.#table.inTurn(async () => {
      this.checkSettings(siteId);
      await this.#store([this.#changeNow(siteId, null, request)], request);
    }, request.signal);
  }

  // See `SiteBelongings`.

  hasSite(siteId: SiteId): boolean {
    return this.has(siteId);
  }

  inTurn<Result>(task: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    return this.#table.inTurn(task, signal);
  }

  /** The earlier name stays one of the site's hosts, so that referrers are its own as before. */
  moveSite(from: SiteId, to: SiteId): void {
    const [record, known] = [this.recordOf(from), this.recordOf(to)];
    if (known === null || (record?.changedMs ?? 0) > (known.changedMs ?? 0)) {
      const settings = withOwnHost(record?.settings ?? null, from, to);
      const createdAt = record?.settings ? record.createdAt : new Date(this.#parts.now()).toISOString();
      const moved = record || settings ? { createdAt, calendar: null, ...record, siteId: to, settings } : null;
      if (moved) this.#table.set(to, knownSite(moved));
    }
    this.#table.set(from, null);
    this.#byAlias = null;
    for (const siteId of [from, to]) this.#onChange(siteId);
  }

  async saveMoved(from: SiteId, to: SiteId): Promise<void> {
    await this.#table.save(to);
    await this.#table.store(from, null);
  }

  /** A change that is being made here comes first. */
  receive(changes: readonly Change<SiteRecord, SiteId>[], signal: AbortSignal): Promise<void> {
    return this.#table.inTurn(
      () =>
        severalAtOnce(changes, SITE_RECORDS_MAX_AT_ONCE, async (change) => {
          if (!this.isReplacedBy(change)) return;
          await this.#table.store(change.key, change.value && knownSite(change.value));
          this.#applyChange(change);
        }),
      signal,
    );
  }

  /** Sites without a zone of their own follow the option `time_zone`, which may have another zone since the last start. */
  async followDefaultCalendar(signal: AbortSignal = new AbortController().signal): Promise<void> {
    const timeZone = timeZoneOf(this.#defaultCalendar);
    const isBehind = ({ settings, calendar }: SiteRecord) => calendar && settings?.timeZone == null && timeZoneOf(calendar) !== timeZone;
    const behind = () => Array.from(this.#table.values(), ({ record }) => record).filter(isBehind);
    if (behind().length === 0) return;
    await this.#table.inTurn(() => {
      const changes = behind().map(({ siteId, settings }) => this.#changeNow(siteId, settings, { hasEvents: () => true }));
      return this.#storeEach(changes, async ({ key, value }) => void this.apply(key, value));
    }, signal);
  }

  isReplacedBy(change: Change<SiteRecord, SiteId>): boolean {
    return this.#shared.isReplacedBy(change);
  }

  *all(): Generator<Change<SiteRecord, SiteId>> {
    for (const { record } of this.#table.values()) yield { key: record.siteId, value: record, changedMs: record.changedMs ?? 0 };
  }

  /**
   * Replaces what is known of a site by its record, which is stored elsewhere; null for a site without one. Returns whether it is another.
   */
  apply(siteId: SiteId, record: SiteRecord | null): boolean {
    if (JSON.stringify(record) === JSON.stringify(this.recordOf(siteId))) return false;
    this.#table.set(siteId, record && knownSite(record));
    this.#byAlias = null;
    this.#onChange(siteId);
    return true;
  }

  /** A site has a calendar of its own from its first time zone on, also when it has none later. */
  #calendarAfter(siteId: SiteId, timeZone: string | null, nowMs: EpochMs, hasEvents: boolean): CalendarRecord | null {
    const before = this.recordOf(siteId)?.calendar;
    if (timeZone === null && !before) return null;
    const settledMs = nowMs + ZONE_SETTLE_MS + (this.#parts.distribution?.settleMs ?? 0);
    const zone = timeZone ?? timeZoneOf(this.#defaultCalendar);
    // An import has many sites.
    return at(`Field "time_zone" of the site "${siteId}"`, () => withTimeZone(before ?? this.#defaultCalendar, zone, settledMs, hasEvents));
  }

  #applyChange(change: Change<SiteRecord, SiteId>): void {
    this.apply(change.key, change.value);
    this.#shared.noteApplied(change);
  }

  async #applyEverywhere(change: Change<SiteRecord, SiteId>): Promise<void> {
    const before = this.recordOf(change.key);
    this.#applyChange(change);
    await this.#parts.distribution?.push?.(change, before);
  }
}

const calendarTextOf = ({ value }: SettingsChange): string | null => value && JSON.stringify(value.calendar);

/** Each site is written by itself. */
function partlyStored(error: unknown): never {
  if (!(error instanceof AppError && error.failure.code === "unavailable")) throw error;
  throw storageUnavailable("Some of the settings may be stored and others not. Import the file again.", error.cause);
}
