/**
 * Settings of sites on several nodes (docs/scaling.md, "Settings of sites"). A node that changes some stores them in ClickHouse first; the
 * others poll. Each keeps all of them in its own records, by which it goes on while ClickHouse does not respond.
 */
import type { EpochMs } from "../../../storage/event.ts";
import type { JsonObject, RecordStore } from "../../../storage/record-store.ts";
import { SETTINGS_POLL_MS, SETTINGS_SETTLE_MS } from "../../base/config/clickhouse-limits.ts";
import type { Config } from "../../base/config/config.ts";
import { ClickhouseUnreachableError } from "../connection.ts";
import { DEFAULT_CALENDAR_KEY, type SharedRecord, type SharedSettings } from "../shared-settings.ts";
import { reasonOf, type Log } from "../../base/metrics/log.ts";
import { logDefaultCalendar, parseCalendarRecord, storeDefaultCalendar, timeZoneOf, withOption } from "../../sites/site-calendar.ts";
import { UTC_RECORD, type CalendarRecord } from "../../../storage/calendar.ts";
import type { Change, Publish, SharedKind, SharedTable } from "../../sites/shared-changes.ts";
import { SHARED_SITES, type SiteDistribution } from "../../sites/site-record.ts";
import type { Sites } from "../../sites/sites.ts";
import { PeriodicJob } from "../../base/periodic-job.ts";

interface ClusterSettingsOptions {
  readonly settings: SharedSettings;
  readonly sites: Sites;
  /** Goals, saved filters and annotations. */
  readonly items: readonly Exchanged[];
  readonly records: Pick<RecordStore, "write">;
  readonly config: Pick<Config, "timeZone">;
  /** True if any node may have events. */
  readonly hasEvents: () => Promise<boolean>;
  readonly now: () => EpochMs;
  readonly monotonicMs: () => number;
  readonly log: Log;
}

export const publishTo =
  <T, Key extends string>(settings: SharedSettings, { prefix, json }: SharedKind<T, Key>): Publish<T, Key> =>
  (changes) =>
    settings.add(
      changes.map(({ key, value, changedMs }) => ({ key: prefix + key, json: value && JSON.stringify(json(value)), changedMs })),
    );

export const distributionBy = (settings: SharedSettings): SiteDistribution => ({
  settleMs: SETTINGS_SETTLE_MS,
  publish: publishTo(settings, SHARED_SITES),
});

type Parsed = <T>(shared: SharedRecord, parse: (shared: SharedRecord) => T) => T[];

export interface Exchanged {
  /** Stores what other nodes have, as far as it replaces what is known here. `parsed` leaves out what cannot be read. */
  receive(shared: readonly SharedRecord[], parsed: Parsed, signal: AbortSignal): Promise<void>;
  /** Publishes what the others lack, or have as it was earlier. */
  addMissing(shared: readonly SharedRecord[], settings: SharedSettings): Promise<void>;
}

export function exchanged<T, Key extends string>(table: SharedTable<T, Key>): Exchanged {
  const { prefix, parse, parseKey } = table.sharedKind;
  const isOwn = ({ key }: SharedRecord) => (prefix === "" ? key !== DEFAULT_CALENDAR_KEY && !key.includes("/") : key.startsWith(prefix));
  const changeIn = ({ key: text, json, changedMs }: SharedRecord): Change<T, Key> => {
    const key = parseKey(text.slice(prefix.length));
    return { key, value: json === null ? null : parse(JSON.parse(json) as JsonObject, key, changedMs), changedMs };
  };
  return {
    async receive(shared, parsed, signal) {
      const changes = shared.filter(isOwn).flatMap((record) => parsed(record, changeIn));
      const replacing = changes.filter((change) => table.isReplacedBy(change));
      if (replacing.length > 0) await table.receive(replacing, signal);
    },
    async addMissing(shared, settings) {
      const sharedMs = new Map(shared.map(({ key, changedMs }) => [key, changedMs]));
      const missing = [...table.all()].filter(({ key, changedMs }) => (sharedMs.get(prefix + key) ?? -1) < changedMs);
      await publishTo(settings, table.sharedKind)(missing);
    },
  };
}

export class ClusterSettings {
  readonly #options: ClusterSettingsOptions;
  readonly #tables: readonly Exchanged[];
  readonly job: PeriodicJob;
  #hasJoined = false;
  #defaultChangedMs: EpochMs = 0;
  /** Records that were logged as unreadable, so that each is logged once. */
  readonly #unreadable = new Set<string>();

  constructor(options: ClusterSettingsOptions) {
    this.#options = options;
    this.#tables = [...options.items, exchanged(options.sites)];
    this.job = new PeriodicJob({
      monotonicMs: options.monotonicMs,
      isDue: () => true,
      run: ({ signal }) => this.#attempt(signal),
      pauseMs: SETTINGS_POLL_MS,
      retryMs: SETTINGS_POLL_MS,
    });
  }

  /** Takes over what other nodes have changed until now. Resolves to false if that cannot be. */
  async takeOver(): Promise<boolean> {
    // A run that began before may not know of it.
    await this.job.settled();
    return this.job.run();
  }

  /** Brings this node and the others to the same settings. Rejects while ClickHouse does not respond. */
  async exchange(signal = new AbortController().signal): Promise<void> {
    const { settings, sites } = this.#options;
    await settings.read(async (shared) => {
      await this.#receive(shared, signal);
      if (!this.#hasJoined) await this.#join(shared);
    });
    await sites.followDefaultCalendar(signal);
  }

  async #receive(shared: readonly SharedRecord[], signal: AbortSignal): Promise<void> {
    for (const table of this.#tables) await table.receive(shared, this.#parsed, signal);
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
    for (const table of this.#tables) await table.addMissing(shared, this.#options.settings);
    await this.#shareDefault();
    this.#hasJoined = true;
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

  async #attempt(signal: AbortSignal): Promise<boolean> {
    try {
      await this.exchange(signal);
      return true;
    } catch (error) {
      const isExpected = error instanceof ClickhouseUnreachableError || signal.aborted;
      if (!isExpected)
        this.#options.log.error("settings of other nodes could not be taken over; it is tried again", { reason: reasonOf(error) });
      return false;
    }
  }
}

const calendarIn = ({ json }: SharedRecord): CalendarRecord => parseCalendarRecord(json === null ? null : JSON.parse(json));
