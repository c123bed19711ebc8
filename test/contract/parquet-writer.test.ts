/** The contract of the Parquet writer port: inline, and in a thread. */
import { readdirSync } from "node:fs";
import { getPriority } from "node:os";
import { afterAll, describe, expect, it } from "vitest";
import { NUMBER_COLUMNS, SITE_COLUMN, TEXT_COLUMNS } from "../../src/storage/event.ts";
import { decodeEvents, encodeEvents, type EventFile, inlineParquetWriter } from "../../src/storage/parquet-events.ts";
import { threadScript } from "../support/built.ts";
import { skippedFor } from "../support/skipped.ts";
import { aFullEvent, anEvent, eventTexts, siteId } from "../support/stored-event.ts";
import { threadedParquetWriter } from "../../adapters/node/threads/instance-threads.ts";

const threaded = threadedParquetWriter(threadScript("parquet"));
afterAll(() => threaded.close());

const EVENTS = Array.from({ length: 30 }, (_, i) => (i % 3 === 0 ? anEvent({ pathname: `/${i}`, revenueCents: -i }) : aFullEvent(i)));

const fileOf = (first: number, last: number): EventFile => ({
  key: `${first}-${last}`,
  siteId: anEvent().siteId,
  bytes: encodeEvents(EVENTS.slice(first, last + 1)),
});

/** All values of a small file, by column. */
function valuesOf(bytes: Uint8Array): unknown {
  const [decoded, ...more] = decodeEvents(bytes);
  if (!decoded || more.length > 0) throw new Error("the file is no small one");
  const texts = [SITE_COLUMN, ...TEXT_COLUMNS].map((column) => {
    const { texts: distinct, places } = decoded.text(column);
    return Array.from(places, (place) => distinct[place] ?? null);
  });
  return { texts, times: decoded.timestampsMs, visitors: decoded.visitorIds, numbers: NUMBER_COLUMNS.map(decoded.number) };
}

describe.each([
  ["inline", inlineParquetWriter],
  ["in a thread", threaded],
])("the writer %s", (_name, writer) => {
  it("encode returns the same file as encodeEvents", async () => {
    expect(await writer.encode(eventTexts(EVENTS))).toEqual(encodeEvents(EVENTS));
  });

  it("concurrent calls each return their own file", async () => {
    const made = await Promise.all([0, 10, 20].map((first) => writer.encode(eventTexts(EVENTS.slice(first, first + 10)))));
    expect(made).toEqual([0, 10, 20].map((first) => encodeEvents(EVENTS.slice(first, first + 10))));
  });

  it("a merged file contains all rows in the order of the merged files", async () => {
    const merged = await writer.merge([fileOf(0, 0), fileOf(1, 17), fileOf(18, 29)]);
    if (!("bytes" in merged)) throw new Error(merged.reason);
    expect(merged.events).toBe(30);
    expect(valuesOf(merged.bytes)).toEqual(valuesOf(encodeEvents(EVENTS)));
  });

  it("a merge reports a file of another site than its folder", async () => {
    expect(await writer.merge([fileOf(0, 4), { ...fileOf(5, 9), siteId: siteId("renamed.test") }])).toEqual({
      unreadable: "5-9",
      reason: `its events are of ${anEvent().siteId}, not of the site of its folder; "sandpiper verify" says what to do, and "sandpiper rename" renames a site`,
    });
  });

  it("a merge reports the file that cannot be read", async () => {
    const damaged = fileOf(5, 9);
    damaged.bytes[20] = (damaged.bytes[20] ?? 0) ^ 1;
    expect(await writer.merge([fileOf(0, 4), { ...damaged, key: "damaged" }, fileOf(10, 29)])).toEqual({
      unreadable: "damaged",
      reason: expect.any(String),
    });
  });
});

describe("the writer's threads", () => {
  it(
    "run at low priority, one for flushes and one for merges, unlike the other threads",
    skippedFor(process.platform === "linux" ? null : "On Linux alone, threads have a priority of their own."),
    async () => {
      await threaded.encode(eventTexts(EVENTS));
      await threaded.merge([fileOf(0, 0), fileOf(1, 2)]);
      const priorities = readdirSync("/proc/self/task").map((thread) => getPriority(Number(thread)));
      expect(priorities.filter((priority) => priority > getPriority())).toHaveLength(2);
    },
  );
});
