/** Settings of sites: what is kept in records and read again at the start, and what a failed write leaves. */
import { REMOVED_SITES_MAX } from "../../../../src/runtime/base/config/admin-limits.ts";
import { ZONE_CHANGES_MAX } from "../../../../src/runtime/base/config/limits.ts";
import { AppError } from "../../../../src/runtime/base/errors.ts";
import { UTC_RECORD } from "../../../../src/storage/calendar.ts";
import type { Change } from "../../../../src/runtime/sites/shared-changes.ts";
import type { SiteRecord } from "../../../../src/runtime/sites/site-record.ts";
import { DEFAULT_SETTINGS, type SiteSettings } from "../../../../src/runtime/sites/site-settings.ts";
import { Sites, type ChangeRequest } from "../../../../src/runtime/sites/sites.ts";
import { type LocalDate, type SiteId, utcDateOf } from "../../../../src/storage/event.ts";
import { createMemoryRecordStore } from "../../../support/memory-record-store.ts";
import type { RecordStore } from "../../../../src/storage/record-store.ts";
import { createRecordingLog } from "../../../support/recording-log.ts";
import { beforeEach, describe, expect, it } from "vitest";

const A = "a.example" as SiteId;
const B = "b.example" as SiteId;
const C = "c.example" as SiteId;

const NOW = Date.parse("2026-03-04T12:00:00Z");

const DAY_MS = 86_400_000;

let nowMs = NOW;
beforeEach(() => {
  nowMs = NOW;
});

const now = (): number => nowMs;

const open = (records: RecordStore, sitesMax = 10): Promise<Sites> =>
  Sites.open({ records, calendar: UTC_RECORD, sitesMax, now, log: createRecordingLog() });

const asked = (hasEvents: () => boolean): ChangeRequest => ({ hasEvents, signal: new AbortController().signal });

const WITH_EVENTS = asked(() => true);
const WITHOUT_EVENTS = asked(() => false);

const settings = (some: Partial<SiteSettings>): SiteSettings => ({ ...DEFAULT_SETTINGS, ...some });

const set = (sites: Sites, siteId: SiteId, some: Partial<SiteSettings>, request = WITH_EVENTS): Promise<void> =>
  sites.change(new Map([[siteId, settings(some)]]), request);

/** Records that somebody waits for. */
const slow = (records: RecordStore, meanwhile: () => void): RecordStore => ({
  ...records,
  async write(name, bytes) {
    meanwhile();
    await records.write(name, bytes);
  },
  async remove(name) {
    meanwhile();
    await records.remove(name);
  },
});

describe("settings of sites", () => {
  it("are the defaults until they are set, and the same after a restart", async () => {
    const records = createMemoryRecordStore();
    const sites = await open(records);
    expect([sites.settingsOf(A), sites.recordOf(A), sites.listed()]).toEqual([DEFAULT_SETTINGS, null, []]);
    const chosen = settings({ name: "Größe", weekStart: "sunday", isPublic: true, excludedPaths: ["/admin*"], retentionDays: 0 });
    await sites.change(new Map([[A, chosen]]), WITH_EVENTS);
    for (const opened of [sites, await open(records)]) {
      expect(opened.settingsOf(A)).toEqual(chosen);
      expect(opened.recordOf(A)?.createdAt).toBe("2026-03-04T12:00:00.000Z");
      expect(opened.exclusionsOf(A)?.hasPage?.("/admin/x", null)).toBe(true);
      expect([opened.listed(), opened.has(A), opened.has(B), opened.exclusionsOf(B)]).toEqual([[A], true, false, null]);
    }
  });

  it("keep the time of creation when they are replaced, and lose fields that are not named again", async () => {
    const sites = await open(createMemoryRecordStore());
    await set(sites, A, { name: "One", isPublic: true });
    nowMs += 1000;
    await set(sites, A, { name: "Two" });
    expect(sites.recordOf(A)?.createdAt).toBe("2026-03-04T12:00:00.000Z");
    expect(sites.settingsOf(A)).toEqual(settings({ name: "Two" }));
  });

  it("use a record of their own for ids that a file system would not distinguish or not allow", async () => {
    const records = createMemoryRecordStore();
    const ids = ["a.example", "A.example", "a:example", "..", "x".repeat(256)] as SiteId[];
    const sites = await open(records);
    for (const siteId of ids) await set(sites, siteId, { name: `Site ${siteId.length} ${siteId.slice(0, 9)}` });
    const names = await records.list("sites/");
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(ids.length);
    const reopened = await open(records);
    for (const siteId of ids) expect(reopened.settingsOf(siteId)).toEqual(sites.settingsOf(siteId));
  });

  it("keep the history of the calendar when they are deleted, as long as the site has events", async () => {
    const records = createMemoryRecordStore();
    const sites = await open(records);
    await set(sites, A, { timeZone: "Asia/Tokyo" });
    nowMs += 3 * DAY_MS;
    await sites.remove(A, WITH_EVENTS);
    for (const opened of [sites, await open(records)]) {
      expect([opened.has(A), opened.listed(), opened.settingsOf(A)]).toEqual([false, [], DEFAULT_SETTINGS]);
      expect(opened.recordOf(A)?.calendar?.changes.map(({ timeZone }) => timeZone)).toEqual(["Asia/Tokyo", "UTC"]);
      expect(opened.calendarOf(A).zoneAt(NOW + 2 * DAY_MS)).toBe("Asia/Tokyo");
    }
    const hasEventsOnlyOfA: ChangeRequest = { ...WITH_EVENTS, hasEvents: (siteId) => siteId === A };
    await set(sites, B, { timeZone: "Asia/Tokyo" }, hasEventsOnlyOfA);
    expect(sites.calendarOf(B).zoneAt(0)).toBe("Asia/Tokyo");
    await sites.remove(B, hasEventsOnlyOfA);
    expect([sites.recordOf(B), (await records.list("sites/")).length]).toEqual([null, 1]);
  });

  it("leave no calendar behind once the events are gone, and do not count among the sites", async () => {
    const records = createMemoryRecordStore();
    const sites = await open(records, 1);
    await set(sites, A, { timeZone: "Asia/Tokyo" });
    await sites.remove(A, WITH_EVENTS);
    await set(sites, B, {});
    expect([sites.listed(), sites.recordOf(A) === null]).toEqual([[B], false]);
    await set(sites, B, { name: "Again" }, WITHOUT_EVENTS);
    for (const opened of [sites, await open(records, 1)]) expect([...opened.recorded()]).toEqual([B]);
    expect(sites.calendarOf(A).zoneAt(NOW + 3 * DAY_MS)).toBe("UTC");
  });

  it("keep the calendar when the first event comes while they are deleted", async () => {
    const records = createMemoryRecordStore();
    let hasEvents = false;
    const sites = await open(slow(records, () => (hasEvents = true)));
    await set(
      sites,
      A,
      { timeZone: "Asia/Tokyo" },
      asked(() => false),
    );
    hasEvents = false;
    await sites.remove(
      A,
      asked(() => hasEvents),
    );
    for (const opened of [sites, await open(records)]) {
      expect([opened.has(A), opened.calendarOf(A).zoneAt(NOW)]).toEqual([false, "Asia/Tokyo"]);
      expect(opened.recordOf(A)?.calendar?.changes).toEqual([{ firstDate: "2026-03-05", timeZone: "UTC" }]);
    }
  });

  it("follow a changed option from the next start on if they set no time zone, and keep earlier days", async () => {
    const records = createMemoryRecordStore();
    const sites = await open(records);
    await set(sites, A, { timeZone: "Asia/Tokyo" });
    nowMs += 3 * DAY_MS;
    await set(sites, A, { name: "Without a zone" });
    await set(sites, B, { timeZone: "UTC" });
    const calendar = { timeZone: "UTC", changes: [{ firstDate: "2026-03-10" as LocalDate, timeZone: "Europe/Berlin" }] };
    for (const days of [10, 11]) {
      nowMs = NOW + days * DAY_MS;
      const opened = await Sites.open({ records, calendar, sitesMax: 10, now, log: createRecordingLog() });
      expect(opened.recordOf(A)?.calendar?.changes).toEqual([
        { firstDate: "2026-03-05", timeZone: "Asia/Tokyo" },
        { firstDate: "2026-03-08", timeZone: "UTC" },
        { firstDate: "2026-03-15", timeZone: "Europe/Berlin" },
      ]);
      expect([0, 2, 5, 12].map((later) => opened.calendarOf(A).zoneAt(NOW + later * DAY_MS))).toEqual([
        "UTC",
        "Asia/Tokyo",
        "UTC",
        "Europe/Berlin",
      ]);
      expect(opened.calendarOf(B).zoneAt(NOW + 12 * DAY_MS)).toBe("UTC");
    }
  });

  it("change the calendar at a coming date if the first event arrives while they are stored", async () => {
    const records = createMemoryRecordStore();
    let hasEvents = false;
    const sites = await open(slow(records, () => (hasEvents = true)));
    const request = asked(() => hasEvents);
    await set(sites, A, { timeZone: "Asia/Tokyo" }, request);
    for (const opened of [sites, await open(records)]) expect(opened.calendarOf(A).zoneAt(NOW)).toBe("UTC");
  });

  /** When 2026-03-05 begins in Tokyo. */
  const TOKYO_MS = Date.parse("2026-03-04T15:00:00Z");

  it.each([
    ["a minute and more before", TOKYO_MS - 60_001, 0, "2026-03-05"],
    ["within a minute of", TOKYO_MS - 60_000, 0, "2026-03-06"],
    ["so slowly that it is stored within a minute of", TOKYO_MS - 70_000, 30_000, "2026-03-06"],
    ["so slowly that it is stored after", TOKYO_MS - 70_000, 90_000, "2026-03-06"],
  ])("do not change the date of a day that has begun: a zone that is set %s its midnight", async (_, startMs, slowMs, firstDate) => {
    const records = createMemoryRecordStore();
    nowMs = startMs;
    const sites = await open(slow(records, () => (nowMs += slowMs)));
    await set(sites, A, { timeZone: "Asia/Tokyo" });
    for (const opened of [sites, await open(records)])
      expect(opened.recordOf(A)?.calendar?.changes).toEqual([{ firstDate, timeZone: "Asia/Tokyo" }]);
  });

  it("change by the clock of their turn, not of the request", async () => {
    const records = createMemoryRecordStore();
    nowMs = TOKYO_MS - 120_000;
    let isFirst = true;
    const sites = await open(
      slow(records, () => {
        if (isFirst) nowMs = TOKYO_MS;
        isFirst = false;
      }),
    );
    await Promise.all([set(sites, B, {}), set(sites, A, { timeZone: "Asia/Tokyo" })]);
    expect(sites.recordOf(A)?.calendar?.changes).toEqual([{ firstDate: "2026-03-06", timeZone: "Asia/Tokyo" }]);
  });

  it("cannot be deleted if they do not exist", async () => {
    await expect((await open(createMemoryRecordStore())).remove(A, WITH_EVENTS)).rejects.toThrow('The site "a.example" has no settings');
  });

  it("are limited in number; existing ones can still be changed", async () => {
    const sites = await open(createMemoryRecordStore(), 1);
    await set(sites, A, {});
    await expect(set(sites, B, {})).rejects.toThrow("settings of 1 sites at most");
    await set(sites, A, { name: "Again" });
    expect([sites.listed(), sites.settingsOf(A).name]).toEqual([[A], "Again"]);
  });

  it("stay unchanged if a change cannot be stored", async () => {
    const records = createMemoryRecordStore();
    await set(await open(records), A, { name: "Before" });
    let isFull = true;
    const full: RecordStore = { ...records, write: (...parts) => (isFull ? Promise.reject(new Error("full")) : records.write(...parts)) };
    const sites = await open(full);
    for (const siteId of [A, B]) await expect(set(sites, siteId, { name: "After" })).rejects.toThrow(AppError);
    expect([sites.settingsOf(A).name, sites.has(B)]).toEqual(["Before", false]);
    isFull = false;
    await set(sites, B, { name: "After" });
    expect((await open(records)).settingsOf(B).name).toBe("After");
  });

  it("for several sites are not stored if the time zone of one cannot change any more, and the error names field and site", async () => {
    const changes = Array.from({ length: ZONE_CHANGES_MAX }, (_, i) => ({
      firstDate: utcDateOf(NOW - (ZONE_CHANGES_MAX - i) * DAY_MS),
      timeZone: i % 2 === 0 ? "Europe/Berlin" : "UTC",
    }));
    const records = createMemoryRecordStore();
    const parts = { records, sitesMax: 10, now, log: createRecordingLog() };
    const sites = await Sites.open({ ...parts, calendar: { timeZone: "UTC", changes } });
    const [named, moved] = [settings({ name: "After" }), settings({ timeZone: "Asia/Tokyo" })];
    const importing = sites.change(
      new Map([
        [A, named],
        [B, moved],
        [C, named],
      ]),
      WITH_EVENTS,
    );
    await expect(importing).rejects.toMatchObject({ failure: { code: "invalid_input" } });
    await expect(importing).rejects.toThrow(
      `Field "time_zone" of the site "b.example": the time zone can be changed ${ZONE_CHANGES_MAX} times`,
    );
    expect([sites.listed(), await records.list("sites/")]).toEqual([[], []]);
  });

  it.each([
    ["no JSON", "{", /holds no JSON object/],
    [
      "another site's id",
      JSON.stringify({ siteId: B, createdAt: "2026-01-01T00:00:00.000Z", settings: {}, calendar: null }),
      /belongs under another name/,
    ],
    [
      "an unknown zone",
      JSON.stringify({ siteId: A, createdAt: "2026-01-01T00:00:00.000Z", settings: { time_zone: "Mars/X" }, calendar: null }),
      /time_zone/,
    ],
    ["no time of creation", JSON.stringify({ siteId: A, createdAt: "2026-01-01", settings: {}, calendar: null }), /no time of creation/],
    ["no settings", JSON.stringify({ siteId: A, createdAt: "2026-01-01T00:00:00.000Z", calendar: null }), /no settings/],
  ])("stop the start if their record is damaged: %s", async (_, text, message) => {
    const records = createMemoryRecordStore();
    await set(await open(records), A, {});
    const [name = ""] = await records.list("sites/");
    await records.write(name, new TextEncoder().encode(text));
    const opening = open(records);
    await expect(opening).rejects.toThrow(`${name} in the data folder is damaged`);
    await expect(opening).rejects.toThrow(message);
  });
});

describe("settings that several instances share", () => {
  type SiteChange = Change<SiteRecord, SiteId>;

  interface Shared {
    readonly sites: Sites;
    readonly published: SiteChange[];
    /** How many changes were published at once. */
    readonly batches: number[];
    /** What `publish` waits for. */
    readonly gate: { wait: Promise<void> };
  }

  const MINUTE_MS = 60_000;

  async function openShared(records: RecordStore, calendar = UTC_RECORD): Promise<Shared> {
    const [published, batches]: [SiteChange[], number[]] = [[], []];
    const gate = { wait: Promise.resolve() };
    const publish = async (changes: readonly SiteChange[]): Promise<void> => {
      published.push(...changes);
      batches.push(changes.length);
      await gate.wait;
    };
    const distribution = { settleMs: 5 * MINUTE_MS, publish };
    const parts = { records, calendar, sitesMax: 10, now, log: createRecordingLog(), distribution };
    return { sites: await Sites.open(parts), published, batches, gate };
  }

  const never = new AbortController().signal;

  const named = (name: string, changedMs: number): SiteChange => ({
    key: A,
    value: { siteId: A, createdAt: "2026-03-04T12:00:00.000Z", settings: settings({ name }), calendar: null, changedMs },
    changedMs,
  });

  it("are published with the time of their change, and not at the start, even if the option has another zone since", async () => {
    const records = createMemoryRecordStore();
    const { sites, published } = await openShared(records);
    await set(sites, A, { timeZone: "Asia/Tokyo" });
    nowMs += 3 * DAY_MS;
    await set(sites, A, {});
    expect(published.map(({ key, changedMs }) => [key, changedMs])).toEqual([
      [A, NOW],
      [A, NOW + 3 * DAY_MS],
    ]);
    const reopened = await openShared(records, { timeZone: "Europe/Berlin", changes: [] });
    expect(reopened.published).toEqual([]);
    await reopened.sites.followDefaultCalendar(never);
    await reopened.sites.followDefaultCalendar(never);
    expect(reopened.published).toHaveLength(1);
    expect(reopened.sites.recordOf(A)?.calendar?.changes.at(-1)?.timeZone).toBe("Europe/Berlin");
  });

  it("are not replaced by an earlier change that arrives while a later one is made, or after a removal", async () => {
    const { sites, gate } = await openShared(createMemoryRecordStore());
    let goOn = (): void => {};
    gate.wait = new Promise((resolve) => {
      goOn = resolve;
    });
    const changing = set(sites, A, { name: "Later" });
    const receiving = sites.receive([named("Earlier", NOW - 1)], never);
    goOn();
    await Promise.all([changing, receiving]);
    expect(sites.settingsOf(A).name).toBe("Later");
    await sites.remove(A, WITH_EVENTS);
    await sites.receive([named("Earlier", NOW)], never);
    expect(sites.has(A)).toBe(false);
    await sites.receive([named("Latest", NOW + 2)], never);
    expect(sites.settingsOf(A).name).toBe("Latest");
  });

  it("are those published last if two instances changed them at the same time", async () => {
    const { sites } = await openShared(createMemoryRecordStore());
    await set(sites, A, { name: "Here" });
    await sites.receive([named("There", NOW)], never);
    expect(sites.settingsOf(A).name).toBe("There");
    const removal = { key: A, value: null, changedMs: NOW };
    await sites.receive([removal], never);
    expect([sites.has(A), sites.isReplacedBy(removal), sites.isReplacedBy(named("There", NOW))]).toEqual([false, false, true]);
  });

  it("are later than a change that could not be stored here, whatever the clock", async () => {
    const records = createMemoryRecordStore();
    let isFull = false;
    const write: RecordStore["write"] = (...parts) => (isFull ? Promise.reject(new Error("full")) : records.write(...parts));
    const { sites, published, gate } = await openShared({ ...records, write });
    await sites.receive([named("Before", NOW + DAY_MS)], never);
    isFull = true;
    await expect(set(sites, A, { name: "Not stored" })).rejects.toThrow("could not be stored");
    isFull = false;
    gate.wait = Promise.reject(new Error("no response"));
    await expect(set(sites, A, { name: "Perhaps shared" })).rejects.toThrow("could not be shared");
    gate.wait = Promise.resolve();
    await set(sites, A, { name: "After" });
    expect(published.map(({ value, changedMs }) => [value?.settings?.name, changedMs - NOW - DAY_MS])).toEqual([
      ["Not stored", 1],
      ["Before", 2],
      ["Perhaps shared", 3],
      ["After", 4],
    ]);
  });

  it("for several sites are published at once, and those that could not be stored are withdrawn at once", async () => {
    const records = createMemoryRecordStore();
    await set(await open(records), C, { name: "Before" });
    const [nameOfC] = await records.list("sites/");
    const write: RecordStore["write"] = (name, bytes) =>
      name === nameOfC ? Promise.reject(new Error("full")) : records.write(name, bytes);
    const { sites, published, batches } = await openShared({ ...records, write });
    nowMs += 1000;
    const importing = sites.change(new Map([A, B, C].map((siteId) => [siteId, settings({ name: "After" })])), WITH_EVENTS);
    await expect(importing).rejects.toThrow("Some of the settings may be stored and others not. Import the file again.");
    expect(batches).toEqual([3, 1]);
    expect(published.map(({ key, value, changedMs }) => [key, value?.settings?.name, changedMs - NOW])).toEqual([
      [A, "After", 1000],
      [B, "After", 1000],
      [C, "After", 1000],
      [C, "Before", 1001],
    ]);
    expect([A, B, C].map((siteId) => sites.settingsOf(siteId).name)).toEqual(["After", "After", "Before"]);
  });

  it("are later than each of many preceding removals, even by the clock of another instance", async () => {
    const { sites, published } = await openShared(createMemoryRecordStore());
    const removed = Array.from({ length: REMOVED_SITES_MAX }, (_, i) => ({
      key: `${i}.example` as SiteId,
      value: null,
      changedMs: NOW,
    }));
    await sites.receive([{ key: A, value: null, changedMs: NOW + DAY_MS }, ...removed], never);
    await set(sites, A, { name: "Latest" });
    expect(published).toMatchObject([{ key: A, changedMs: NOW + DAY_MS + 1 }]);
  });

  it("change the time zone at the first date that begins after all instances know it", async () => {
    const { sites } = await openShared(createMemoryRecordStore());
    const tokyo = Date.parse("2026-03-04T15:00:00Z");
    nowMs = tokyo - 7 * MINUTE_MS;
    await set(sites, A, { timeZone: "Asia/Tokyo" });
    nowMs = tokyo - 5 * MINUTE_MS;
    await set(sites, B, { timeZone: "Asia/Tokyo" });
    expect([A, B].map((siteId) => sites.recordOf(siteId)?.calendar?.changes[0]?.firstDate)).toEqual(["2026-03-05", "2026-03-06"]);
  });
});
