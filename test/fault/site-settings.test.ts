/**
 * A change of settings that a power loss or a kill interrupts at each of its calls: the next start finds the old ones or the new ones. An
 * import that fails at any of its writes can be repeated. A damaged record stops the start.
 */
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFileRecordStore } from "../../adapters/node/files/file-stores.ts";
import type { FileSystem } from "../../adapters/node/files/file-system.ts";
import { UTC_RECORD } from "../../src/storage/calendar.ts";
import { DEFAULT_SETTINGS, type SiteSettings } from "../../src/runtime/sites/site-settings.ts";
import { Sites, type ChangeRequest } from "../../src/runtime/sites/sites.ts";
import type { SiteId } from "../../src/storage/event.ts";
import type { RecordStore } from "../../src/storage/record-store.ts";
import { bodyOf, logIn, PASSWORD, postSetup, tokenOf, withSession } from "../support/auth-requests.ts";
import { memoryStores, mortalStores, type Strike as StoreStrike } from "../support/mortal-stores.ts";
import { asTarget } from "../support/node-target.ts";
import { createRecordingLog } from "../support/recording-log.ts";
import { spawnServer, startServer } from "../support/server-process.ts";
import { siteId } from "../support/stored-event.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { DATA_FOLDER, expectWholeAtEachCall } from "./struck-change.ts";

const SITE = siteId("struck.test");

const NOW = Date.parse("2026-03-15T12:00:00Z");
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const REQUEST: ChangeRequest = { hasEvents: () => true, signal: new AbortController().signal };

const openOn = (records: RecordStore, clock = { nowMs: NOW }): Promise<Sites> =>
  Sites.open({ records, calendar: UTC_RECORD, sitesMax: 100, now: () => clock.nowMs, log: createRecordingLog() });

const open = (files: FileSystem): Promise<Sites> => openOn(createFileRecordStore(DATA_FOLDER, files));

const nameThem = (sites: Sites, name: string, timeZone: string | null = null): Promise<void> =>
  sites.change(new Map([[SITE, { ...DEFAULT_SETTINGS, name, timeZone }]]), REQUEST);

interface SettingsChange {
  readonly title: string;
  readonly before: (sites: Sites) => Promise<void>;
  readonly change: (sites: Sites) => Promise<void>;
  /** The names that may be found, and the one if the change was confirmed. */
  readonly found: readonly (string | null)[];
  readonly after: string | null;
}

const CHANGES: readonly SettingsChange[] = [
  { title: "made", before: async () => {}, change: (sites) => nameThem(sites, "New"), found: [null, "New"], after: "New" },
  {
    title: "replaced",
    before: (sites) => nameThem(sites, "Old"),
    change: (sites) => nameThem(sites, "New", "Asia/Tokyo"),
    found: ["Old", "New"],
    after: "New",
  },
  {
    title: "deleted, with a calendar that stays",
    before: (sites) => nameThem(sites, "Old", "Asia/Tokyo"),
    change: (sites) => sites.remove(SITE, REQUEST),
    found: ["Old", null],
    after: null,
  },
  {
    title: "deleted, with their record",
    before: (sites) => nameThem(sites, "Old"),
    change: (sites) => sites.remove(SITE, REQUEST),
    found: ["Old", null],
    after: null,
  },
];

describe("a process that ends while it changes settings", () => {
  it.each(CHANGES.map((each) => [each.title, each] as const))(
    "settings that are %s when the process ends are the old or the new ones, and the new ones once that was confirmed",
    async (_title, { before, change, ...ends }) => {
      await expectWholeAtEachCall({
        before: async (files) => before(await open(files)),
        change: async (files) => change(await open(files)),
        find: async (files) => (await open(files)).settingsOf(SITE).name,
        ...ends,
      });
    },
  );
});

/** More sites than are written at the same time, of which every second has settings before. */
const IMPORTED = Array.from({ length: 20 }, (_, i) => siteId(`${i}.test`));

const named = (name: string, timeZone: string): SiteSettings => ({ ...DEFAULT_SETTINGS, name, timeZone });

const OLD = new Map(IMPORTED.filter((_, i) => i % 2 === 0).map((site) => [site, named("Old", "Asia/Tokyo")]));
const NEW = new Map(IMPORTED.map((site) => [site, named("New", "Europe/Berlin")]));

/** On a day after the one on which the time zones were set before. */
const IMPORT_MS = NOW + DAY_MS;

const importInto = (sites: Sites): Promise<void> => sites.change(NEW, REQUEST);

const stateOf = (sites: Sites) =>
  IMPORTED.map((site: SiteId) => {
    const { settings = null, calendar = null } = sites.recordOf(site) ?? {};
    return { site, settings, calendar };
  });

/** A process whose import fails as `strike` says, and the error; null if the import ended before. */
async function failedImport(strike: StoreStrike) {
  const stores = memoryStores();
  await (await openOn(stores.records)).change(OLD, REQUEST);
  const mortal = mortalStores(stores, strike);
  const clock = { nowMs: IMPORT_MS };
  const sites = await openOn(mortal.records, clock);
  const error = await importInto(sites).then(
    () => null,
    (reason: unknown) => reason,
  );
  clock.nowMs += HOUR_MS;
  return { records: stores.records, clock, sites, error };
}

describe("an import of settings", () => {
  it.each([
    ["fails before", "before", false],
    ["fails after", "after", false],
    ["dies with its process before", "before", true],
    ["dies with its process after", "after", true],
  ] as const)(
    "an import of settings that %s any of its writes stores some of them, and all of them once it is repeated",
    async (_how, when, deadly) => {
      const wholeClock = { nowMs: NOW };
      const whole = await openOn(memoryStores().records, wholeClock);
      await whole.change(OLD, REQUEST);
      wholeClock.nowMs = IMPORT_MS;
      await importInto(whole);
      let writes = 0;
      for (;;) {
        const { records, clock, sites, error } = await failedImport({ atChange: writes + 1, when, deadly });
        if (error === null) break;
        writes++;
        expect(error).toMatchObject({ message: expect.stringContaining("Import the file again") as unknown });
        const next = await openOn(records, clock);
        for (const site of IMPORTED) expect([OLD.get(site)?.name ?? null, "New"]).toContain(next.settingsOf(site).name);
        if (!deadly) expect(stateOf(next)).toEqual(stateOf(sites));
        const repeating = deadly ? next : sites;
        await importInto(repeating);
        for (const again of [repeating, await openOn(records)]) expect(stateOf(again)).toEqual(stateOf(whole));
      }
      expect(writes).toBe(IMPORTED.length);
    },
  );
});

describe("a damaged record of settings", () => {
  it("a damaged record of settings prevents the start with a message that names it, stays unchanged, and is read again once it is repaired", async () => {
    const dataFolder = await tempFolder();
    const first = await startServer({ dataFolder });
    const headers = withSession(await tokenOf(await postSetup(asTarget(first))));
    const body = JSON.stringify({ name: "Kept", excluded_addresses: ["192.0.2.7"] });
    const stored = await bodyOf<object>(await asTarget(first).fetch("/api/sites/A:b.test", { method: "PUT", headers, body }));
    await first.kill9();

    const [name = ""] = await readdir(join(dataFolder, "sites"));
    const path = join(dataFolder, "sites", name);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const whole = await readFile(path);
    const torn = whole.subarray(0, whole.length - 10);
    await writeFile(path, torn);
    const refused = spawnServer({ dataFolder });
    expect(await refused.exited).toMatchObject({ code: 1 });
    expect(refused.log()).toContain(`sites/${name} in the data folder is damaged`);
    expect(refused.log()).not.toContain("192.0.2.7");
    expect(await readFile(path)).toEqual(torn);
    await writeFile(path, whole);

    const repaired = asTarget(await startServer({ dataFolder, environment: { SVC_ADMIN_PASSWORD: PASSWORD } }));
    const again = await logIn(repaired);
    expect(await bodyOf(await repaired.fetch("/api/sites/A:b.test", { headers: again }))).toEqual(stored);
    await repaired.close();
  });
});
