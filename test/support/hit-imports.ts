/** Imports of a dozen hits over stores of any kind, for tests of what counts when. */
import { createSha256 } from "../../src/runtime/base/bytes.ts";
import type { CrawlRow, Hit, Row } from "../../src/runtime/imports/rows.ts";
import { HitImports } from "../../src/runtime/imports/hit-import.ts";
import { StoredDaySums } from "../../src/runtime/imports/stored-day-sums.ts";
import { VERIFIES_NONE } from "../../src/runtime/bots/crawler-addresses.ts";
import { IdentityStore } from "../../src/runtime/imports/identities.ts";
import { type ImportRecord, ImportRecords, type NewImport } from "../../src/runtime/imports/import-record.ts";
import { createUserAgentCache } from "../../src/runtime/ingest/device.ts";
import { NOWHERE } from "../../src/runtime/ingest/geo.ts";
import { createHmacSha256 } from "../../src/runtime/ingest/visitor-salt.ts";
import { isSiteId } from "../../src/runtime/base/config/names.ts";
import { utcCalendar } from "../../src/storage/calendar.ts";
import type { LocalDate } from "../../src/storage/event.ts";
import { EventStore } from "../../src/storage/event-store.ts";
import { countEvents, inlineParquetWriter } from "../../src/storage/parquet-events.ts";
import { createRecordSecretStore, type SecretStore } from "../../src/storage/secret-store.ts";
import { crawlCountsIn, crawledPaths } from "./crawl-counts.ts";
import type { Stores } from "./mortal-stores.ts";
import { siteId } from "./stored-event.ts";

export const SITE = siteId("imported.test");
export const [FIRST, LAST] = ["2026-01-01", "2026-01-09"] as [LocalDate, LocalDate];
export const HITS = 12;
export const CRAWLS = 6;
const hmac = await createHmacSha256();

const hits: readonly Hit[] = Array.from({ length: HITS }, (_, i): Hit => ({
  kind: "hit",
  line: i + 1,
  atMs: Date.parse("2026-01-01T00:00:00Z") + i * 5 * 3_600_000,
  visitor: String(i % 3),
  identity: String(i),
  name: "pageview",
  path: `/${i}`,
}));

const crawlAfter = ({ atMs, line }: Hit): CrawlRow => ({
  kind: "crawl",
  line,
  atMs,
  name: "GPTBot",
  status: 200,
  address: null,
  path: `/${line}`,
});

/** Two hits, and a request of a crawler. */
const batchAt = (at: number): readonly Row[] => hits.slice(at, at + 2).flatMap((hit, i) => (i === 0 ? [hit] : [hit, crawlAfter(hit)]));

/** How hits become events at a site with the default settings, where no address has a place. */
export const PLAIN_SITE = {
  calendar: utcCalendar,
  pageRules: { sourceParameters: [], pageParameters: [], mergeSlashes: false, appPages: false },
  exclusions: null,
  networkOf: null,
  verifiesCrawler: VERIFIES_NONE,
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
  geo: () => NOWHERE,
  hmac,
} as const;

/** Twelve hits of three days, in batches of two, each with a request of a crawler. */
export const HIT_SOURCE = {
  others: [],
  files: [
    {
      path: "hits.csv",
      format: "csv",
      async *read() {
        for (let at = 0; at < hits.length; at += 2) yield batchAt(at);
      },
    },
  ],
  events: { ...PLAIN_SITE, siteId: SITE },
} as const;

const NOW_MS = Date.parse("2026-02-01T00:00:00Z");

const NEW: NewImport = {
  siteId: SITE,
  state: "running",
  createdAt: "2026-02-01T00:00:00.000Z",
  door: "upload",
  given: [{ name: "hits.csv", bytes: 1 }],
  hostname: null,
  logFormat: null,
};

/** A record as it is stored. */
export const anImport = (values: object): object => ({
  ...{ ...NEW, number: 1, state: "shown", changedAt: NEW.createdAt, failure: null, contentHash: "a", product: "Product", formats: [] },
  ...{ endMs: null, attempts: 0, rows: 0, files: 0, events: 0, firstDay: null, lastDay: null, outcome: {}, dayFiles: [], days: [] },
  ...values,
});

/** Events in files that reports would count. */
export const countedIn = (eventStore: EventStore): Promise<number> =>
  eventStore.withSnapshot(SITE, FIRST, LAST, async (partitions) => {
    const inFiles = partitions
      .flatMap(({ files }) => files)
      .map(async (file) => countEvents((await eventStore.read(file)) ?? new Uint8Array()) ?? 0);
    return (await Promise.all(inFiles)).reduce((sum, events) => sum + events, 0);
  });

/** Imports over stores, as a process opens them. Each checkpoint is of four events. */
export async function openHitImports(stores: Stores, secrets: SecretStore = createRecordSecretStore(stores.records)) {
  const records = await ImportRecords.open(stores.records);
  const { eventStore } = await EventStore.open({
    ...stores,
    parquet: inlineParquetWriter,
    isSiteId,
    listingsMax: 10,
    nowMs: NOW_MS,
    onStray: () => {},
    isShown: records.isShown,
  });
  const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length));
  const identities = new IdentityStore(stores.objects, await createSha256());
  const daySums = new StoredDaySums(stores.objects, records);
  eventStore.observe({ beforeErasure: (site, firstDay, lastDay) => daySums.eraseDays(site, firstDay, lastDay) });
  const crawls = crawlCountsIn(stores.objects, { rowsShownOf: records.rowsShownOf });
  const imports = new HitImports({
    eventStore,
    records,
    secrets,
    identities,
    randomBytes,
    daySums,
    crawls,
    checkpointEvents: 4,
    checkpointGroups: 4,
    now: () => NOW_MS,
    dropSite: () => {},
  });
  const add = (values: Partial<ImportRecord> = {}) => records.add({ ...NEW, ...values });
  const counted = () => countedIn(eventStore);
  const crawled = async () => Object.values(await crawledPaths(crawls, SITE)).reduce((sum, count) => sum + count, 0);
  return { records, imports, secrets, add, counted, crawled, eventStore, daySums };
}
