/** Background work of sites in several time zones: days begin and end, are past and expire by each site's own calendar. */
import { randomBytes } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { replaceJsonRecord } from "../../../../src/storage/record-store.ts";
import { CLOCK_RECORD } from "../../../../src/runtime/upkeep/trusted-clock.ts";
import { verifyData } from "../../../../src/runtime/upkeep/verification.ts";
import { DEMO_SITE } from "../../../../src/runtime/base/config/names.ts";
import { type CalendarRecord } from "../../../../src/storage/calendar.ts";
import { DEFAULT_SETTINGS, type SiteSettings } from "../../../../src/runtime/sites/site-settings.ts";
import type { LocalDate, SiteId } from "../../../../src/storage/event.ts";
import { encodeEvents } from "../../../../src/storage/parquet-events.ts";
import { partitionKey } from "../../../../src/storage/partitions.ts";
import { ROLLUPS_FOLDER } from "../../../../src/storage/rollup.ts";
import { createInProcessTarget, type InProcessTarget } from "../../../support/in-process-target.ts";
import { memoryStores, type Stores } from "../../../support/mortal-stores.ts";
import { record, wireEvent } from "../../../support/requests.ts";
import { createEngineShare } from "../../../support/shared-engine.ts";
import { anEvent, siteId } from "../../../support/stored-event.ts";
import type { Environment } from "../../../support/target.ts";

const HOUR_MS = 3_600_000;

const [UTC, KIRITIMATI] = [siteId("utc.test"), siteId("kiritimati.test")];

/** Half an hour before the midnight of Kiritimati (UTC+14), after which it is 2026-03-16 there. */
const START_MS = Date.parse("2026-03-15T09:30:00Z");

const NEVER = new AbortController().signal;

const days = (...dates: string[]): LocalDate[] => dates as LocalDate[];

interface OwnSettings extends Partial<SiteSettings> {
  readonly calendar?: CalendarRecord | null;
}

const IN_KIRITIMATI: OwnSettings = { timeZone: "Pacific/Kiritimati", calendar: { timeZone: "Pacific/Kiritimati", changes: [] } };

function set({ services }: InProcessTarget, site: SiteId, { calendar = null, ...settings }: OwnSettings): void {
  services.sites.apply(site, {
    siteId: site,
    createdAt: "2026-01-01T00:00:00.000Z",
    settings: { ...DEFAULT_SETTINGS, ...settings },
    calendar,
  });
}

/** Stores on which a service has run before, with a file of each of the days for each site. */
async function storesWith(sites: readonly SiteId[], dates: readonly LocalDate[], files = 1): Promise<Stores> {
  const stores = memoryStores();
  await replaceJsonRecord(stores.records, CLOCK_RECORD, { seenAt: new Date(START_MS).toISOString(), distrustedSince: null });
  for (const site of sites) {
    for (const date of dates) {
      for (let file = 1; file <= files; file++) {
        const event = anEvent({ siteId: site, date, at: `${date}T12:00:00Z` });
        await stores.objects.put(partitionKey(site, date, file, file), encodeEvents([event]));
      }
    }
  }
  return stores;
}

async function start(stores: Stores, environment: Environment = {}): Promise<InProcessTarget> {
  const engine = await createEngineShare();
  onTestFinished(() => engine.close());
  return createInProcessTarget(environment, { ...stores, engine, startMs: START_MS, rollupWeightBytesMin: 1 });
}

async function pass(target: InProcessTarget, ms: number): Promise<void> {
  await target.advance(ms);
  await target.services.settled();
}

const datesIn = async ({ objects }: Stores, site: SiteId): Promise<string[]> => {
  const keys = (await objects.list("events")).map(({ key }) => key).filter((key) => key.includes(site));
  return [...new Set(keys.map((key) => /date=([^/]+)/.exec(key)?.[1] ?? ""))].sort();
};

const DATES = days("2026-03-12", "2026-03-13", "2026-03-14", "2026-03-15");

describe("retention by each site's own dates", () => {
  it("erases a day of one site at its midnight, and that of another site at its own", async () => {
    const stores = await storesWith([UTC, KIRITIMATI], DATES);
    const target = await start(stores, { SVC_RETENTION_DAYS: "2" });
    set(target, KIRITIMATI, IN_KIRITIMATI);
    await pass(target, 0);
    expect([await datesIn(stores, UTC), await datesIn(stores, KIRITIMATI)]).toEqual([DATES.slice(1), DATES.slice(1)]);
    await pass(target, HOUR_MS / 2 - 1);
    expect(await datesIn(stores, KIRITIMATI)).toEqual(DATES.slice(1));
    await pass(target, 1);
    expect([await datesIn(stores, UTC), await datesIn(stores, KIRITIMATI)]).toEqual([DATES.slice(1), DATES.slice(2)]);
    await pass(target, 14 * HOUR_MS);
    expect([await datesIn(stores, UTC), await datesIn(stores, KIRITIMATI)]).toEqual([DATES.slice(2), DATES.slice(2)]);
  });

  it("keeps events as long as a site's own retention says: for ever, for longer, or only its days", async () => {
    const [kept, longer, shorter] = [siteId("kept.test"), siteId("longer.test"), siteId("shorter.test")];
    const stores = await storesWith([kept, longer, shorter, UTC], DATES);
    const target = await start(stores, { SVC_RETENTION_DAYS: "1" });
    set(target, kept, { retentionDays: 0 });
    set(target, longer, { retentionDays: 2 });
    set(target, shorter, { retentionDays: null });
    await pass(target, 0);
    const left = await Promise.all([kept, longer, shorter, UTC].map((site) => datesIn(stores, site)));
    expect(left).toEqual([DATES, DATES.slice(1), DATES.slice(2), DATES.slice(2)]);
  });

  it("erases the days of one site while the option keeps those of all others for ever", async () => {
    const stores = await storesWith([UTC, KIRITIMATI], DATES);
    const target = await start(stores);
    set(target, KIRITIMATI, { ...IN_KIRITIMATI, retentionDays: 1 });
    await pass(target, 0);
    expect([await datesIn(stores, UTC), await datesIn(stores, KIRITIMATI)]).toEqual([DATES, DATES.slice(2)]);
  });

  it("erases within a quarter of an hour what a shorter retention of a site no longer keeps, and reads no site in between", async () => {
    const stores = await storesWith([UTC], DATES);
    const target = await start(stores, { SVC_RETENTION_DAYS: "30" });
    await pass(target, 0);
    set(target, UTC, { retentionDays: 1 });
    await pass(target, HOUR_MS / 4 - 1);
    expect(await datesIn(stores, UTC)).toEqual(DATES);
    await pass(target, 1);
    expect(await datesIn(stores, UTC)).toEqual(DATES.slice(2));
  });
});

/** Runs all jobs until none has anything to do. */
async function work(target: InProcessTarget): Promise<void> {
  const { rollups, compaction } = target.services;
  await compaction.run();
  do {
    rollups.tick();
    await rollups.settled();
  } while (rollups.isBusy);
}

describe("work on past days by each site's own dates", () => {
  it("makes the rollup of a day before UTC's day ends if the site's day has ended", async () => {
    const stores = await storesWith([UTC, KIRITIMATI], days("2026-03-15"));
    const target = await start(stores);
    set(target, KIRITIMATI, IN_KIRITIMATI);
    const rolledUp = async () => (await stores.objects.list(ROLLUPS_FOLDER)).map(({ key }) => key.split("/")[1]);
    await pass(target, HOUR_MS / 2 - 1);
    await work(target);
    expect(await rolledUp()).toEqual([]);
    await pass(target, 1);
    await work(target);
    expect(await rolledUp()).toEqual([`site_id=${KIRITIMATI}`]);
    await pass(target, 14 * HOUR_MS);
    await work(target);
    expect(await rolledUp()).toEqual([`site_id=${KIRITIMATI}`, `site_id=${UTC}`]);
  });

  it("merges the files of a day completely once it has ended by the site's dates, and not before", async () => {
    const stores = await storesWith([UTC, KIRITIMATI], days("2026-03-15"));
    // Of another size, so that it is merged only on a day that gets no more files.
    const props = JSON.stringify({ text: randomBytes(20_000).toString("hex") });
    for (const site of [UTC, KIRITIMATI]) {
      const large = anEvent({ siteId: site, at: "2026-03-15T09:00:00Z", props });
      await stores.objects.put(partitionKey(site, large.date, 0, 0), encodeEvents([large]));
    }
    const target = await start(stores, { SVC_COMPACT_AFTER_FILES: "1" });
    set(target, KIRITIMATI, IN_KIRITIMATI);
    const { compaction } = target.services;
    const filesOf = async (site: SiteId) => (await stores.objects.list("events")).filter(({ key }) => key.includes(site)).length;
    const seen = [];
    for (const ms of [0, HOUR_MS / 2 - 1, 1, 14 * HOUR_MS - 1, 1]) {
      await pass(target, ms);
      await work(target);
      expect([compaction.hasWork(UTC), compaction.hasWork(KIRITIMATI)]).toEqual([false, false]);
      seen.push([await filesOf(UTC), await filesOf(KIRITIMATI)]);
    }
    expect(seen).toEqual([
      [2, 2],
      [2, 2],
      [2, 1],
      [2, 1],
      [1, 1],
    ]);
  });

  it("makes the demo site in its own time zone, a day of it for each of its dates", async () => {
    const stores = await storesWith([], []);
    const target = await start(stores);
    const settings = { ...DEFAULT_SETTINGS, timeZone: "Pacific/Kiritimati", retentionDays: 3 };
    await target.services.sites.change(new Map([[DEMO_SITE, settings]]), { hasEvents: () => false, signal: NEVER });
    await target.services.demoSite.make();
    expect(await datesIn(stores, DEMO_SITE)).toEqual(DATES);
    expect((await verifyData(stores)).faults).toEqual([]);
  });
});

describe("verification of sites in several time zones", () => {
  /** Sets the zone as the owner of a site does, which stores it. */
  const move = ({ services }: InProcessTarget, site: SiteId, timeZone: string): Promise<void> =>
    services.sites.change(new Map([[site, { ...DEFAULT_SETTINGS, timeZone }]]), { hasEvents: () => true, signal: NEVER });

  /** An event of each site every three hours of four days, with a move to the other side of the date line in between. */
  async function recorded(): Promise<Stores> {
    const stores = await storesWith([], []);
    const target = await start(stores, { SVC_SECRET: "a secret of at least thirty-two characters" });
    await move(target, KIRITIMATI, "Pacific/Kiritimati");
    for (let hour = 0; hour < 96; hour += 3) {
      if (hour === 48) await move(target, KIRITIMATI, "Pacific/Pago_Pago");
      for (const site of [UTC, KIRITIMATI]) await record(target, wireEvent(site));
      await pass(target, 3 * HOUR_MS);
    }
    await target.flush();
    return stores;
  }

  it("finds every event on its date, even after the site has changed its zone, and whatever its record says", async () => {
    const stores = await recorded();
    expect(await verifyData(stores)).toMatchObject({ events: 64, faults: [] });
    const [name = ""] = await stores.records.list("sites/");
    const bytes = (await stores.records.read(name)) ?? new Uint8Array();
    await stores.records.remove(name);
    expect(await verifyData(stores)).toMatchObject({ events: 64, faults: [] });
    await stores.records.write(name, bytes.subarray(1));
    expect((await verifyData(stores)).faults).toEqual([{ file: name, reason: expect.stringContaining("damaged") as unknown }]);
  });

  it("replays a journal with the dates that its events were given, whatever the calendar is now", async () => {
    const stores = await storesWith([], []);
    const target = await start(stores);
    set(target, KIRITIMATI, IN_KIRITIMATI);
    await target.advance(HOUR_MS / 2);
    await record(target, wireEvent(KIRITIMATI));
    await target.crash();
    await target.flush();
    expect(await datesIn(stores, KIRITIMATI)).toEqual(["2026-03-16"]);
  });
});
