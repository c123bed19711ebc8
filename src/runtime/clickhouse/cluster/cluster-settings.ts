/**
 * Settings of sites on several nodes (docs/scaling.md, "Settings of sites"). A node that changes some stores them in ClickHouse first; the
 * others poll. Each keeps all of them in its own records, by which it goes on while ClickHouse does not respond.
 */
import type { EpochMs, SiteId } from "../../../storage/event.ts";
import type { JsonObject } from "../../../storage/json-record.ts";
import type { RecordStore } from "../../../storage/record-store.ts";
import { SETTINGS_POLL_MS, SETTINGS_SETTLE_MS } from "../../base/config/clickhouse-limits.ts";
import type { Config } from "../../base/config/config.ts";
import { isSiteId } from "../../base/config/names.ts";
import { type Log, reasonOf } from "../../base/metrics/log.ts";
import { type Job, PeriodicJob } from "../../base/periodic-job.ts";
import { type Collection, type CollectionKind, type ItemChange, itemJson, parseItem } from "../../sites/collection.ts";
import {
  type CalendarRecord,
  logDefaultCalendar,
  parseCalendarRecord,
  storeDefaultCalendar,
  timeZoneOf,
  UTC_RECORD,
  withOption,
} from "../../sites/site-calendar.ts";
import { parseSiteRecord, type SiteChange, type SiteDistribution, siteRecordJson } from "../../sites/site-record.ts";
import type { Sites } from "../../sites/sites.ts";
import { ClickhouseUnreachableError } from "../connection.ts";
import { DEFAULT_CALENDAR_KEY, type SharedRecord, type SharedSettings } from "../shared-settings.ts";

/** No site's id has a slash. */
const keyOf = ({ name }: Pick<CollectionKind<never>, "name">, siteId: SiteId, id: string): string => `${name}/${siteId}/${id}`;

const isItemKey = (key: string): boolean => key.includes("/");

export const sharedItemOf =
  <Fields>(kind: CollectionKind<Fields>) =>
  ({ siteId, id, item, changedMs }: ItemChange<Fields>): SharedRecord => ({
    key: keyOf(kind, siteId, id),
    json: item && JSON.stringify(itemJson(kind, item)),
    changedMs,
  });

function itemChangeIn<Fields>(kind: CollectionKind<Fields>, { key, json, changedMs }: SharedRecord): ItemChange<Fields> {
  const [, siteId = "", id = ""] = key.split("/");
  if (!isSiteId(siteId)) throw new Error("it is of no site");
  const item = json === null ? null : { ...parseItem(kind, JSON.parse(json) as JsonObject), changedMs };
  if (item && item.id !== id) throw new Error("it is of another id");
  return { siteId, id, changedMs, item };
}

/** A collection as the nodes share it. */
export interface SharedItems {
  /** Stores what other nodes have, as far as it replaces what is known here. `parsed` leaves out what cannot be read. */
  receive(shared: readonly SharedRecord[], parsed: Parsed, signal: AbortSignal): Promise<void>;
  /** Records that the other nodes lack, or have in an earlier version. */
  missingIn(shared: readonly SharedRecord[]): SharedRecord[];
}

type Parsed = <T>(shared: SharedRecord, parse: (shared: SharedRecord) => T) => T[];

export const sharedItems = <Fields extends object>(collection: Collection<Fields>): SharedItems => ({
  async receive(shared, parsed, signal) {
    const { kind } = collection;
    const own = shared.filter(({ key }) => key.startsWith(`${kind.name}/`));
    const changes = own.flatMap((record) => parsed(record, (each) => itemChangeIn(kind, each)));
    const replacing = changes.filter((change) => collection.isReplacedBy(change));
    if (replacing.length > 0) await collection.receive(replacing, signal);
  },
  missingIn(shared) {
    const sharedMs = new Map(shared.map(({ key, changedMs }) => [key, changedMs]));
    return Array.from(collection.all(), sharedItemOf(collection.kind)).filter(
      ({ key, changedMs }) => (sharedMs.get(key) ?? -1) < changedMs,
    );
  },
});

interface ClusterSettingsOptions {
  readonly settings: SharedSettings;
  readonly sites: Sites;
  /** Goals, segments and annotations. */
  readonly items: readonly SharedItems[];
  readonly records: Pick<RecordStore, "write">;
  readonly config: Pick<Config, "timeZone">;
  /** True if any node may have events. */
  readonly hasEvents: () => Promise<boolean>;
  readonly now: () => EpochMs;
  readonly monotonicMs: () => number;
  readonly log: Log;
}

const sharedRecordOf = ({ siteId, record, changedMs }: SiteChange): SharedRecord => ({
  key: siteId,
  json: record && JSON.stringify(siteRecordJson(record)),
  changedMs,
});

/** Lets `Sites` share its changes. */
export const distributionBy = (settings: SharedSettings): SiteDistribution => ({
  settleMs: SETTINGS_SETTLE_MS,
  publish: (changes) => settings.add(changes.map(sharedRecordOf)),
});

function siteChangeIn({ key, json, changedMs }: SharedRecord): SiteChange {
  if (!isSiteId(key)) throw new Error("it is of no site");
  const record = json === null ? null : parseSiteRecord(JSON.parse(json) as JsonObject);
  if (record && record.siteId !== key) throw new Error("it is of another site");
  return { siteId: key, record: record && { ...record, changedMs }, changedMs };
}

export class ClusterSettings implements Job {
  readonly #options: ClusterSettingsOptions;
  readonly #job: PeriodicJob;
  readonly #stopping = new AbortController();
  #hasJoined = false;
  #defaultChangedMs: EpochMs = 0;
  /** Records that were logged as unreadable, so that each is logged once. */
  readonly #unreadable = new Set<string>();

  constructor(options: ClusterSettingsOptions) {
    this.#options = options;
    this.#job = new PeriodicJob({
      monotonicMs: options.monotonicMs,
      isDue: () => true,
      run: () => this.#attempt(),
      pauseMs: SETTINGS_POLL_MS,
      retryMs: SETTINGS_POLL_MS,
    });
  }

  /** Takes over what other nodes have changed until now. Resolves to false if that cannot be. */
  async takeOver(): Promise<boolean> {
    // A run that began before may not know of it.
    await this.#job.settled();
    return this.#job.run();
  }

  /** Brings this node and the others to the same settings. Rejects while ClickHouse does not respond. */
  async exchange(): Promise<void> {
    const { settings, sites } = this.#options;
    await settings.read(async (shared) => {
      await this.#receive(shared);
      if (!this.#hasJoined) await this.#join(shared);
    });
    await sites.followDefaultCalendar(this.#stopping.signal);
  }

  async #receive(shared: readonly SharedRecord[]): Promise<void> {
    const ofSites = shared.filter(({ key }) => key !== DEFAULT_CALENDAR_KEY && !isItemKey(key));
    const changes = ofSites.flatMap((record) => this.#parsed(record, siteChangeIn));
    const { sites, items } = this.#options;
    for (const each of items) await each.receive(shared, this.#parsed, this.#stopping.signal);
    const replacing = changes.filter((change) => sites.isReplacedBy(change));
    if (replacing.length > 0) await sites.receive(replacing, this.#stopping.signal);
    const calendar = shared.find(({ key }) => key === DEFAULT_CALENDAR_KEY);
    if (calendar) for (const record of this.#parsed(calendar, calendarIn)) await this.#receiveDefault(record, calendar.changedMs);
  }

  /** Empty for a record that another version of the program or a host with other time zones has written: what is known here stays. */
  readonly #parsed: Parsed = (shared, parse) => {
    try {
      return [parse(shared)];
    } catch (error) {
      const name = `${shared.key} ${shared.changedMs}`;
      if (!this.#unreadable.has(name))
        this.#options.log.error("settings of another node cannot be read", { siteId: shared.key, reason: reasonOf(error) });
      this.#unreadable.add(name);
      return [];
    }
  };

  async #receiveDefault(calendar: CalendarRecord, changedMs: EpochMs): Promise<void> {
    const { sites, config, log } = this.#options;
    if (changedMs < this.#defaultChangedMs) return;
    const isKnown = JSON.stringify(calendar) === JSON.stringify(sites.defaultCalendar);
    if (changedMs === this.#defaultChangedMs && isKnown) return;
    await this.#storeDefault(calendar, changedMs);
    if (this.#hasJoined && timeZoneOf(sites.defaultCalendar) !== config.timeZone)
      log.warn("another node has another time_zone, which counts for all: set the same on each", { timeZone: timeZoneOf(calendar) });
  }

  async #storeDefault(calendar: CalendarRecord, changedMs: EpochMs): Promise<void> {
    const { sites, records } = this.#options;
    await storeDefaultCalendar(records, calendar);
    sites.defaultCalendar = calendar;
    this.#defaultChangedMs = changedMs;
  }

  /** Adds what the others lack, and then sets the option: once, so that nodes with different options do not change it by turns. */
  async #join(shared: readonly SharedRecord[]): Promise<void> {
    const { settings, items } = this.#options;
    await settings.add([...this.#missingIn(shared).map(sharedRecordOf), ...items.flatMap((each) => each.missingIn(shared))]);
    await this.#shareDefault();
    this.#hasJoined = true;
  }

  #missingIn(shared: readonly SharedRecord[]): SiteChange[] {
    const { sites } = this.#options;
    const sharedMs = new Map(shared.map(({ key, changedMs }) => [key, changedMs]));
    const isMissing = (siteId: SiteId) => (sharedMs.get(siteId) ?? -1) < sites.changedMsOf(siteId) || !sharedMs.has(siteId);
    return [...sites.recorded()]
      .filter(isMissing)
      .map((siteId) => ({ siteId, record: sites.recordOf(siteId), changedMs: sites.changedMsOf(siteId) }));
  }

  async #shareDefault(): Promise<void> {
    const { settings, sites, now } = this.#options;
    const before = sites.defaultCalendar;
    const after = await withOption(before, this.#options, SETTINGS_SETTLE_MS);
    const isShared = this.#defaultChangedMs > 0 || before === UTC_RECORD;
    if (after === before && isShared) return;
    const changedMs = Math.max(now(), this.#defaultChangedMs + 1);
    await settings.add([{ key: DEFAULT_CALENDAR_KEY, json: JSON.stringify(after), changedMs }]);
    await this.#storeDefault(after, changedMs);
    if (after !== before) logDefaultCalendar(after, this.#options);
  }

  async #attempt(): Promise<boolean> {
    try {
      await this.exchange();
      return true;
    } catch (error) {
      const isExpected = error instanceof ClickhouseUnreachableError || this.#stopping.signal.aborted;
      if (!isExpected)
        this.#options.log.error("settings of other nodes could not be taken over; it is tried again", { reason: reasonOf(error) });
      return false;
    }
  }

  tick(): void {
    this.#job.tick();
  }

  settled(): Promise<void> {
    return this.#job.settled();
  }

  stop(): Promise<void> {
    this.#stopping.abort();
    return this.#job.stop();
  }
}

function calendarIn({ json }: SharedRecord): CalendarRecord {
  const calendar = parseCalendarRecord(json === null ? null : JSON.parse(json));
  if (calendar === null) throw new Error("it is no calendar of time zones that this host knows");
  return calendar;
}
