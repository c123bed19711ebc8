/**
 * Imports of hits under failures: an import runs, is hidden, shown and deleted, once for each change to storage. In each run another change
 * fails, or the process dies there. The next process finds all events of the import or none, goes on, and ends with each event once.
 */
import { describe, expect, it } from "vitest";
import type { Hit, Row } from "../../src/runtime/imports/format.ts";
import { HitImports } from "../../src/runtime/imports/hit-import.ts";
import { ImportRecords } from "../../src/runtime/imports/import-record.ts";
import { createUserAgentCache } from "../../src/runtime/ingest/device.ts";
import { createHmacSha256 } from "../../src/runtime/ingest/visitor-salt.ts";
import { isSiteId } from "../../src/runtime/base/config/names.ts";
import { utcCalendar } from "../../src/storage/calendar.ts";
import type { LocalDate } from "../../src/storage/event.ts";
import { EventStore } from "../../src/storage/event-store.ts";
import { countEvents, inlineParquetWriter } from "../../src/storage/parquet-events.ts";
import { createRecordSecretStore } from "../../src/storage/secret-store.ts";
import { memoryStores, mortalStores, type Stores, type Strike } from "../support/mortal-stores.ts";
import { siteId } from "../support/stored-event.ts";

const SITE = siteId("imported.test");
const [FIRST, LAST] = ["2026-01-01", "2026-01-09"] as [LocalDate, LocalDate];
const HITS = 12;
const hmac = await createHmacSha256();

const hits: readonly Row[] = Array.from({ length: HITS }, (_, i): Hit => ({
  kind: "hit",
  line: i + 1,
  atMs: Date.parse("2026-01-01T00:00:00Z") + i * 5 * 3_600_000,
  visitor: String(i % 3),
  name: "pageview",
  path: `/${i}`,
}));

const source = {
  cutOff: null,
  files: [
    {
      path: "hits.csv",
      async *read() {
        for (let at = 0; at < hits.length; at += 2) yield hits.slice(at, at + 2);
      },
    },
  ],
  events: {
    siteId: SITE,
    calendar: utcCalendar,
    pageRules: { sourceParameters: [], pageParameters: [], mergeSlashes: false, appPages: false },
    exclusions: null,
    minimisation: {
      stripReferrerQuery: false,
      roundTimestamps: false,
      suppressBrowserVersion: false,
      suppressOsVersion: false,
      suppressScreenSize: false,
      geoipPrecision: "city",
    },
    filterBots: true,
    userAgents: createUserAgentCache(),
    hmac,
  },
} as const;

async function open(stores: Stores) {
  const records = await ImportRecords.open(stores.records);
  const { eventStore } = await EventStore.open({
    ...stores,
    parquet: inlineParquetWriter,
    isSiteId,
    listingsMax: 10,
    nowMs: Date.parse("2026-02-01T00:00:00Z"),
    onStray: () => {},
    isShown: records.isShown,
  });
  const secrets = createRecordSecretStore(stores.records);
  const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length));
  const imports = new HitImports({ eventStore, records, secrets, randomBytes, checkpointEvents: 4, dropSite: () => {} });
  const add = () => records.add({ siteId: SITE, createdAt: "2026-02-01T00:00:00.000Z", contentHash: "a", product: "Product" });
  const counted = () =>
    eventStore.withSnapshot(SITE, FIRST, LAST, async (partitions) => {
      const inFiles = partitions
        .flatMap(({ files }) => files)
        .map(async (file) => countEvents((await eventStore.read(file)) ?? new Uint8Array()) ?? 0);
      return (await Promise.all(inFiles)).reduce((sum, events) => sum + events, 0);
    });
  return { records, imports, secrets, add, counted };
}

type Opened = Awaited<ReturnType<typeof open>>;

async function play({ imports, add }: Opened): Promise<void> {
  const { number } = await add();
  await imports.run(number, source);
  await imports.hide(number);
  await imports.show(number);
  await imports.delete(number);
}

/** Brings what was left to an end: shown again, or deleted. */
async function goOn({ imports, records, add, counted }: Opened, end: "shown" | "deleted"): Promise<void> {
  await imports.recover();
  const [left] = records.all;
  const { number, state } = left ?? (await add());
  expect(await counted()).toBe(state === "shown" ? HITS : 0);
  if (end === "deleted") return imports.delete(number);
  if (state === "running") await imports.run(number, source);
  if (state === "hidden") await imports.show(number);
}

async function playAndRestart(
  strike: Strike | null,
  end: "shown" | "deleted",
): Promise<{ readonly changes: number; readonly struck: boolean }> {
  const backing = memoryStores();
  const mortal = mortalStores(backing, strike);
  await open(mortal)
    .then(play)
    .catch((error: unknown) => {
      if (strike === null) throw error;
    });
  const next = await open(backing);
  await goOn(next, end);
  expect(await next.counted(), "at the end").toBe(end === "shown" ? HITS : 0);
  expect(await next.secrets.names(), "salts").toEqual([]);
  if (end === "deleted") expect(await backing.objects.list("events"), "files").toEqual([]);
  return { changes: mortal.changes(), struck: mortal.hasStruck() };
}

describe("an import of hits", () => {
  it("counts from its end on until it is hidden, and leaves nothing when it is deleted", async () => {
    const { imports, records, add, counted, secrets } = await open(memoryStores());
    const { number } = await add();
    await imports.run(number, source);
    expect(records.get(number)).toMatchObject({ state: "shown", rows: HITS, events: HITS, firstDay: FIRST, lastDay: "2026-01-03" });
    expect([await counted(), await secrets.names()]).toEqual([HITS, []]);
    await imports.hide(number);
    expect(await counted()).toBe(0);
    await imports.show(number);
    expect(await counted()).toBe(HITS);
    await imports.delete(number);
    expect([await counted(), records.all]).toEqual([0, []]);
  });

  it("is refused while the same content is there, and its number is not used again", async () => {
    const stores = memoryStores();
    const { imports, add } = await open(stores);
    const { number } = await add();
    await expect(add()).rejects.toThrow("The same files are already imported as #1.");
    await imports.delete(number);
    expect((await (await open(stores)).add()).number).toBe(2);
  });

  it("ends where own events begin", async () => {
    const { imports, add, counted } = await open(memoryStores());
    const { number } = await add();
    const cutOff = { firstOwnDay: LAST, endMs: Date.parse("2026-01-01T10:00:00Z"), reason: "" };
    const leftOut = await imports.run(number, { ...source, cutOff });
    expect([await counted(), [...leftOut]]).toEqual([2, [["own_day", HITS - 2]]]);
  });

  for (const end of ["shown", "deleted"] as const) {
    for (const deadly of [true, false]) {
      for (const when of ["before", "after"] as const) {
        it(`ends ${end} after ${deadly ? "a kill" : "a failure"} ${when} any change`, async () => {
          const { changes } = await playAndRestart(null, end);
          expect(changes).toBeGreaterThan(10);
          for (let atChange = 1; atChange <= changes; atChange++) {
            const { struck } = await playAndRestart({ atChange, when, deadly }, end);
            expect(struck, `change ${atChange}`).toBe(true);
          }
        });
      }
    }
  }
});
