/** Verification: intact data have no fault, and each kind of damage is reported with its file. */
import { describe, expect, it } from "vitest";
import { verifyData, type Fault, type VerificationReport } from "../../../../src/runtime/upkeep/verification.ts";
import { FAULTS_KEPT_MAX } from "../../../../src/runtime/base/config/limits.ts";
import type { StoredEvent } from "../../../../src/storage/event.ts";
import { encodeJournalLines } from "../../../../src/storage/journal.ts";
import { encodeEvents } from "../../../../src/storage/parquet-events.ts";
import { dayFolder, importFileNumber, partitionKey } from "../../../../src/storage/partitions.ts";
import { createKey, postSetup, tokenOf, withSession } from "../../../support/auth-requests.ts";
import { createInProcessTarget } from "../../../support/in-process-target.ts";
import { anImport } from "../../../support/hit-imports.ts";
import { memoryStores, type Stores } from "../../../support/mortal-stores.ts";
import { post, wireEvent } from "../../../support/requests.ts";
import { COLLECTIONS } from "../../../../src/runtime/sites/collection.ts";
import { openShares, plainShare } from "../../../support/shares.ts";
import { aFullEvent, anEvent, eventTexts, siteId } from "../../../support/stored-event.ts";

const SITE = siteId("Site.test");
const DAY = "2026-03-15" as const;
const day = DAY as Parameters<typeof partitionKey>[1];

const eventsOf = (count: number): StoredEvent[] =>
  Array.from({ length: count }, (_, i) => aFullEvent(i, { siteId: SITE, at: `${DAY}T12:00:00Z` }));

const keyOf = (first: number, last = first): string => partitionKey(SITE, day, first, last);

const text = (content: string): Uint8Array => new TextEncoder().encode(content);

/** Two files of a day, and a segment in whose place no file is yet. */
async function wholeStores(): Promise<Stores> {
  const stores = memoryStores();
  await stores.objects.put(keyOf(1), encodeEvents(eventsOf(3)));
  await stores.objects.put(keyOf(2), encodeEvents(eventsOf(2)));
  await stores.segmentLog.create(3);
  await stores.segmentLog.append(3, encodeJournalLines(eventTexts(eventsOf(4))));
  return stores;
}

const NUMBERS = {
  sites: 1,
  days: 1,
  files: 2,
  events: 5,
  supersededFiles: 0,
  segments: 1,
  unflushedEvents: 4,
  tornSegments: 0,
  faults: [],
  faultCount: 0,
};

/** What the check says after a change of whole data. */
async function reportAfter(change: (stores: Stores) => Promise<unknown>): Promise<VerificationReport> {
  const stores = await wholeStores();
  await change(stores);
  return verifyData(stores);
}

const faultsAfter = async (change: (stores: Stores) => Promise<unknown>): Promise<readonly Fault[]> => (await reportAfter(change)).faults;

describe("verification of intact data", () => {
  it("counts the events of files that equal verified ones without decoding them", async () => {
    const stores = await wholeStores();
    const elsewhere = anEvent({ siteId: siteId("other.test"), at: `${DAY}T12:00:00Z` });
    await stores.objects.put(keyOf(1), encodeEvents([elsewhere, elsewhere, elsewhere]));
    expect((await verifyData(stores)).faults).toEqual([
      { file: keyOf(1), reason: expect.stringContaining("its events are of other.test, not of the site of its folder") as unknown },
    ]);
    expect(await verifyData(stores, { isVerified: (key) => key === keyOf(1) })).toMatchObject({ ...NUMBERS, faults: [] });
    expect((await verifyData(stores, { isVerified: (key) => key === keyOf(2) })).faultCount).toBe(1);
  });

  it("counts files, segments and events and reports no fault, even if there is no data", async () => {
    const report = await verifyData(await wholeStores());
    expect(report).toMatchObject(NUMBERS);
    expect(report.bytes).toBeGreaterThan(1000);
    expect(await verifyData(memoryStores())).toMatchObject({
      sites: 0,
      days: 0,
      files: 0,
      events: 0,
      segments: 0,
      unflushedEvents: 0,
      faultCount: 0,
    });
  });

  it("reports no fault for a running service with a password, API keys, files and a journal", async () => {
    const stores = memoryStores();
    const target = await createInProcessTarget({}, stores);
    const session = withSession(await tokenOf(await postSetup(target)));
    await createKey(target, session, "ReadOnly");
    for (const site of ["a.test", "B:2."]) await post(target, wireEvent(site));
    await target.flush();
    await post(target, wireEvent("a.test"));
    expect(await verifyData(stores)).toMatchObject({ sites: 2, days: 2, files: 2, events: 2, segments: 1, unflushedEvents: 1, faults: [] });
    await target.close();
  });

  it("accepts a segment whose files are already written, and a partial line at the end of a segment", async () => {
    expect(
      await reportAfter(({ segmentLog }) =>
        segmentLog.create(2).then(() => segmentLog.append(2, encodeJournalLines(eventTexts(eventsOf(2))))),
      ),
    ).toMatchObject({
      ...NUMBERS,
      segments: 2,
    });
    expect(
      await reportAfter(({ segmentLog }) => segmentLog.append(3, encodeJournalLines(eventTexts(eventsOf(1))).slice(0, -5))),
    ).toMatchObject({
      ...NUMBERS,
      tornSegments: 1,
    });
  });

  it("accepts the files of an interrupted merge", async () => {
    expect(await reportAfter(({ objects }) => objects.put(keyOf(1, 2), encodeEvents(eventsOf(5))))).toMatchObject({
      ...NUMBERS,
      files: 1,
      supersededFiles: 2,
    });
  });

  it("accepts merges, erasures and flushes while it reads", async () => {
    const { objects, segmentLog, records } = await wholeStores();
    let reads = 0;
    const changing: Stores = {
      records,
      objects: {
        ...objects,
        async get(key) {
          if (++reads === 1) {
            await objects.put(keyOf(1, 2), encodeEvents(eventsOf(5)));
            for (const part of [1, 2]) await objects.delete(keyOf(part));
          }
          return objects.get(key);
        },
      },
      segmentLog: {
        ...segmentLog,
        async read(segment) {
          await segmentLog.remove(segment);
          throw new Error(`ENOENT: segment ${segment}`);
        },
      },
    };
    expect(await verifyData(changing)).toMatchObject({ ...NUMBERS, files: 1, segments: 0, unflushedEvents: 0 });
  });
});

describe("verification of damaged data", () => {
  it("reports a damaged file by name, and counts all others", async () => {
    const whole = encodeEvents(eventsOf(3));
    const damages = [whole.slice(0, -1), whole.map((byte, i) => (i === 40 ? byte ^ 1 : byte)), text("no Parquet"), new Uint8Array()];
    for (const damaged of damages) {
      const report = await reportAfter(({ objects }) => objects.put(keyOf(1), damaged));
      expect(report).toMatchObject({
        events: 2,
        faultCount: 1,
        faults: [{ file: keyOf(1), reason: expect.stringMatching(/checksum/) as unknown }],
      });
    }
  });

  it("reports rows of another site or day than the file's folder", async () => {
    const strangers = [
      ...eventsOf(1),
      anEvent({ siteId: SITE, at: "2026-03-16T16:00:00Z" }),
      anEvent({ siteId: siteId("site.test"), at: `${DAY}T00:00:00Z` }),
    ];
    expect(await faultsAfter(({ objects }) => objects.put(keyOf(1), encodeEvents(strangers)))).toEqual([
      { file: keyOf(1), reason: "1 of its 3 events are of another site than its folder" },
      { file: keyOf(1), reason: "1 of its 3 events are of another day than its folder" },
    ]);
  });

  it("verification names the command that moves a renamed folder back", async () => {
    const renamed = siteId("renamed.test");
    const renamedKey = (part: number) => partitionKey(renamed, day, part, part);
    const moved = await faultsAfter(async ({ objects }) => {
      for (const part of [1, 2]) {
        await objects.put(renamedKey(part), (await objects.get(keyOf(part))) ?? new Uint8Array());
        await objects.delete(keyOf(part));
      }
    });
    expect(moved).toEqual([
      {
        file: "events/site_id=renamed.test",
        reason: expect.stringMatching(
          /^it was renamed: all its events are of Site\.test\..* stop the server and run in the data folder: mv events\/site_id=renamed\.test events\/site_id=%53ite\.test \(and then, to rename the site: sandpiper rename Site\.test renamed\.test\)$/,
        ) as unknown,
      },
    ]);
  });

  it("verification names the command that moves a file back into the folder of its site, which contains others", async () => {
    const strange = partitionKey(siteId("renamed.test"), day, 9, 9);
    const target = dayFolder(SITE, day);
    expect(await faultsAfter(({ objects }) => objects.put(strange, encodeEvents(eventsOf(2))))).toEqual([
      {
        file: strange,
        reason: expect.stringContaining(`its events are of ${SITE}, not of the site of its folder.`) as unknown,
      },
    ]);
    const [{ reason = "" } = {}] = await faultsAfter(({ objects }) => objects.put(strange, encodeEvents(eventsOf(2))));
    expect(reason).toMatch(new RegExp(`: mkdir -p ${target} && mv -n ${strange} ${target}/$`));
  });

  it("accepts every instant that some time zone has on the day, and no other", async () => {
    const faultsOf = (at: string) => faultsAfter(({ objects }) => objects.put(keyOf(1), encodeEvents([anEvent({ siteId: SITE, at })])));
    for (const at of ["2026-03-14T08:00:00Z", "2026-03-16T15:59:59.999Z"]) expect(await faultsOf(at)).toEqual([]);
    for (const at of ["2026-03-14T07:59:59.999Z", "2026-03-16T16:00:00Z"])
      expect(await faultsOf(at)).toEqual([{ file: keyOf(1), reason: "1 of its 1 events are of another day than its folder" }]);
  });

  it("reports files with overlapping ranges that are not superseded", async () => {
    const faults = await faultsAfter(async ({ objects }) => {
      await objects.put(keyOf(4, 6), encodeEvents(eventsOf(1)));
      await objects.put(keyOf(6, 7), encodeEvents(eventsOf(1)));
    });
    expect(faults).toEqual([
      { file: keyOf(6, 7), reason: `its range of segments overlaps that of ${keyOf(4, 6)}: events may be counted twice` },
    ]);
  });

  it("reports a merged file with fewer events than the files that it supersedes", async () => {
    expect(await faultsAfter(({ objects }) => objects.put(keyOf(1, 2), encodeEvents(eventsOf(4))))).toEqual([
      { file: keyOf(1, 2), reason: "it holds 4 events, but the files that it stands for hold 5" },
    ]);
  });

  it("reports an unexpected file once", async () => {
    const strays = ["events/lost+found/x", "events/site_id=site.test/notes.txt", `events/site_id=site.test/date=${DAY}/9-8.parquet`];
    const faults = await faultsAfter(async ({ objects }) => {
      for (const key of strays) await objects.put(key, text("x"));
    });
    expect(faults).toEqual([
      { file: "events/lost+found", reason: "is not the folder of a site; it is ignored" },
      ...strays
        .slice(1)
        .sort()
        .map((file) => ({ file, reason: "is not a partition file; it is ignored" })),
    ]);
  });

  it("reports damaged lines in the middle of a journal segment", async () => {
    const report = await reportAfter(async ({ segmentLog }) => {
      await segmentLog.append(3, text("nonsense\n"));
      await segmentLog.append(3, encodeJournalLines(eventTexts(eventsOf(1))));
    });
    expect(report).toMatchObject({
      unflushedEvents: 5,
      faults: [{ file: "journal segment 3", reason: "1 of its lines are damaged; the rest can be read" }],
    });
  });

  it("reports an unreadable password or API key, and unexpected records among the keys", async () => {
    const hash = "a".repeat(64);
    const faults = await faultsAfter(async ({ records }) => {
      await records.write("admin.json", text("{}"));
      await records.write(`keys/${hash}.json`, text("["));
      await records.write("keys/notes.json", text("{}"));
    });
    expect(faults.map(({ file }) => file)).toEqual(["admin.json", `keys/${hash}.json`, "keys/notes.json"]);
    expect(faults.map(({ reason }) => reason)).toEqual([
      expect.stringContaining("no password hash"),
      expect.stringContaining("no JSON object"),
      expect.stringContaining("not an API key, and is ignored"),
    ]);
  });

  it("reports damaged and unexpected records among those of sites", async () => {
    const [named, other] = ["a".repeat(64), "b".repeat(64)];
    const faults = await faultsAfter(async ({ records }) => {
      await records.write(`sites/${named}.json`, text("["));
      const record = { siteId: "a.test", createdAt: "2026-01-01T00:00:00.000Z", settings: {}, calendar: null };
      await records.write(`sites/${other}.json`, text(JSON.stringify(record)));
      await records.write("sites/notes.json", text("{}"));
    });
    expect(faults.map(({ file }) => file)).toEqual([`sites/${named}.json`, `sites/${other}.json`, "sites/notes.json"]);
    expect(faults.map(({ reason }) => reason)).toEqual([
      expect.stringContaining("no JSON object"),
      expect.stringContaining("belongs under another name"),
      expect.stringContaining("not the record of a site"),
    ]);
  });

  it("reports damaged and unexpected records among those of share links", async () => {
    const [torn, other, incomplete] = ["a".repeat(64), "b".repeat(64), "c".repeat(64)];
    const faults = await faultsAfter(async ({ records }) => {
      const share = await (await openShares(records)).create(plainShare("a.test", "whole"), null, new AbortController().signal);
      const { token: _shownOnce, ...record } = share;
      await records.write(`shares/${torn}.json`, text(JSON.stringify({ ...record, shareHash: torn }).slice(0, -1)));
      await records.write(`shares/${other}.json`, text(JSON.stringify(record)));
      await records.write(`shares/${incomplete}.json`, text(JSON.stringify({ ...record, shareHash: incomplete, revoked: undefined })));
      await records.write("shares/notes.json", text("{}"));
    });
    expect(faults.map(({ file }) => file)).toEqual([
      ...[torn, other, incomplete].map((hash) => `shares/${hash}.json`),
      "shares/notes.json",
    ]);
    expect(faults.map(({ reason }) => reason)).toEqual([
      expect.stringContaining("no JSON object"),
      expect.stringContaining("belongs under another name"),
      expect.stringContaining('its field "revoked" is missing or invalid'),
      expect.stringContaining("not a share link, and is ignored"),
    ]);
  });

  it.each(COLLECTIONS)("reports damaged and unexpected records among those of %s", async (folder) => {
    const [torn, other] = ["a".repeat(64), "b".repeat(64)];
    const faults = await faultsAfter(async ({ records }) => {
      await records.write(`${folder}/${torn}.json`, text("["));
      await records.write(`${folder}/${other}.json`, text(JSON.stringify({ siteId: "a.test", items: [] })));
      await records.write(`${folder}/notes.json`, text("{}"));
    });
    expect(faults.map(({ file }) => file)).toEqual([`${folder}/${torn}.json`, `${folder}/${other}.json`, `${folder}/notes.json`]);
    expect(faults.map(({ reason }) => reason)).toEqual([
      expect.stringContaining("no JSON object"),
      expect.stringContaining("belongs under another name"),
      expect.stringContaining(`not a record of ${folder}`),
    ]);
  });

  it("reports files of an import without a record, or of another site, and records of imports that are damaged", async () => {
    const number = importFileNumber(7, 0);
    const file = ({ objects }: Stores) => objects.put(keyOf(number), encodeEvents(eventsOf(1)));
    const fault = (reason: string) => [{ file: keyOf(number), reason: expect.stringContaining(reason) as unknown }];
    expect(await faultsAfter(file)).toEqual(fault("it is of import #7, which has no record"));
    const record = (site: string) => JSON.stringify(anImport({ number: 7, siteId: site }));
    const withRecord = (content: string) => async (stores: Stores) => {
      await file(stores);
      await stores.records.write("imports/7.json", text(content));
    };
    expect(await faultsAfter(withRecord(record(SITE)))).toEqual([]);
    expect(await faultsAfter(withRecord(record("other.test")))).toEqual(fault("it is of import #7, which is one of other.test"));
    expect(await faultsAfter(withRecord("{}"))).toEqual([
      { file: "imports/7.json", reason: expect.stringContaining("number must be that of an import") as unknown },
    ]);
  });

  it("reports each file, segment and record that cannot be read", async () => {
    const { objects, segmentLog, records } = await wholeStores();
    const fails = async (): Promise<never> => {
      throw new Error("EIO: i/o error, read");
    };
    const { faults } = await verifyData({
      objects: { ...objects, get: fails },
      segmentLog: { ...segmentLog, read: fails },
      records: { ...records, read: fails },
    });
    expect(faults.map(({ file }) => file)).toEqual([
      keyOf(1),
      keyOf(2),
      "journal segment 3",
      "admin.json",
      "sessions.json",
      "calendar.json",
    ]);
    expect(new Set(faults.map(({ reason }) => reason))).toEqual(new Set(["EIO: i/o error, read"]));
  });

  it("counts faults beyond the limit of listed faults", async () => {
    const { faults, faultCount } = await reportAfter(async ({ objects }) => {
      for (let i = 0; i < FAULTS_KEPT_MAX + 5; i++) await objects.put(keyOf(10 + i), text("x"));
    });
    expect(faults).toHaveLength(FAULTS_KEPT_MAX);
    expect(faultCount).toBe(FAULTS_KEPT_MAX + 5);
  });
});
