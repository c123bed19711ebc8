/** Pages of earlier versions under the names of today: read from files, in rollups, and after a merge (docs/data-format.md, "Columns"). */
import { expect, it, onTestFinished } from "vitest";
import { parseSiteId } from "../../src/runtime/base/config/names.ts";
import { utcDateOf } from "../../src/storage/event.ts";
import { encodeEvents } from "../../src/storage/parquet-events.ts";
import { partitionKey } from "../../src/storage/partitions.ts";
import { makeDueRollups } from "../support/due-rollups.ts";
import { withoutSpelling } from "../support/earlier-version.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { createMemoryObjectStore } from "../support/memory-object-store.ts";
import { getBreakdown, getMain, getStats, record, wireEvent } from "../support/requests.ts";
import { visitor } from "../support/stats-requests.ts";
import { anEvent } from "../support/stored-event.ts";

const SITE = parseSiteId("earlier-pages.test", "d");
const DAYS = ["2026-03-12", "2026-03-13"] as const;
const PERIOD = { start_date: "2026-03-12", end_date: "2026-03-16" };

/** Two files a day: of each page two spellings, each viewed by a visitor of its own. */
async function earlierFiles() {
  const objects = createMemoryObjectStore();
  for (const [i, day] of DAYS.entries()) {
    for (const part of [1, 2]) {
      const timestampMs = Date.parse(`${day}T1${part}:00:00Z`);
      const view = (visitorId: number, pathname: string, hostname: string) =>
        anEvent({
          siteId: SITE,
          timestampMs,
          date: utcDateOf(timestampMs),
          visitorId: BigInt(visitorId + part * 10 + i * 100),
          pathname,
          hostname,
        });
      const events = [view(1, "/caf%c3%a9", "a.test."), view(2, "/caf%C3%A9", "a.test"), view(3, "/%7Ejo", "a.test.")];
      const number = i * 2 + part;
      await objects.put(partitionKey(SITE, utcDateOf(timestampMs), number, number), withoutSpelling(encodeEvents(events)));
    }
  }
  return objects;
}

async function expectOneName(target: InProcessTarget): Promise<void> {
  const visitorsIn = async (dimension: string) =>
    (await getBreakdown(target, SITE, dimension, PERIOD)).map(({ value, visitors }) => [value, visitors]);
  expect(await visitorsIn("pages")).toEqual([
    ["/caf%C3%A9", 9],
    ["/~jo", 4],
  ]);
  expect(await visitorsIn("entry-pages")).toEqual([
    ["/caf%C3%A9", 9],
    ["/~jo", 4],
  ]);
  expect(await visitorsIn("hostnames")).toEqual([["a.test", 13]]);
  for (const filters of ["pages==/café", "entry-page==/caf%c3%a9/", "pages=contains=é;hostnames==A.test."])
    expect([filters, (await getMain(target, SITE, { ...PERIOD, filters })).unique_visitors]).toEqual([filters, 9]);
  const rows = await getStats<{ pathname: string }[]>(target, "export", { site_id: SITE, ...PERIOD, kind: "raw", format: "json" });
  expect(new Set(rows.map(({ pathname }) => pathname))).toEqual(new Set(["/caf%C3%A9", "/~jo"]));
}

it("earlier pages have the names of today in files, beside new events, and in rollups of merged files", async () => {
  const target = await createInProcessTarget(
    { SVC_TRUST_PROXY: "1", SVC_COMPACT_AFTER_FILES: "1", SVC_CACHE_TTL_SECS: "0" },
    { objects: await earlierFiles(), startMs: Date.parse("2026-03-16T12:00:00Z"), rollupWeightBytesMin: 0 },
  );
  onTestFinished(() => target.close());
  await record(target, wireEvent(SITE, { u: "https://a.test/café/" }), visitor(1));
  await expectOneName(target);
  await makeDueRollups(target);
  await expectOneName(target);
});
