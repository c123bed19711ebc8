/** Engaged time that is sent apart from its page view: to which one it belongs, and how its file is rewritten. */
import { describe, expect, it } from "vitest";
import { engagedSecondsOf, pageViewsFor, type Ping, planRewrites } from "../../../src/storage/engagement.ts";
import type { LocalDate } from "../../../src/storage/event.ts";
import { encodeEvents, mergeFiles } from "../../../src/storage/parquet-events.ts";
import type { PartitionFile } from "../../../src/storage/partitions.ts";
import { aFullEvent, anEvent, siteId } from "../../support/stored-event.ts";

const SITE = siteId("site.test");
const DAY = "2026-03-15" as LocalDate;
const MAX = 86_400;

const viewAt = (timestampMs: number, fields: Partial<Ping & { engagedSeconds: number }> = {}) => ({
  visitorId: 1n,
  pathname: "/",
  engagedSeconds: null,
  timestampMs,
  ...fields,
});

const pingAt = (timestampMs: number, engagedMs: number, fields: Partial<Ping> = {}): Ping => ({
  siteId: SITE,
  date: DAY,
  visitorId: 1n,
  pathname: "/",
  timestampMs,
  engagedMs,
  ...fields,
});

describe("the engaged time of page views", () => {
  it("is the sum of the pings of the visitor and path since the page view, up to the next one", () => {
    const views = [viewAt(100), viewAt(500), viewAt(100, { visitorId: 2n }), viewAt(100, { pathname: "/b" })];
    const pings = [pingAt(100, 1_400), pingAt(499, 1_200), pingAt(500, 7_000), pingAt(900, 2_000, { pathname: "/b" })];
    expect([...engagedSecondsOf(views, pings, MAX)]).toEqual([
      [0, 3],
      [1, 7],
      [3, 2],
    ]);
  });

  it("takes the last of page views at the same time, in whatever order they are stored", () => {
    expect([...engagedSecondsOf([viewAt(200), viewAt(100), viewAt(100)], [pingAt(150, 1_000)], MAX)]).toEqual([[2, 1]]);
  });

  it("leaves out pings without a page view, and page views that have a time", () => {
    const pings = [pingAt(50, 1_000), pingAt(150, 1_000), pingAt(150, 1_000, { pathname: "/other" })];
    expect([...engagedSecondsOf([viewAt(100, { engagedSeconds: 0 })], pings, MAX)]).toEqual([]);
  });

  it("is at most that of a day", () => {
    const pings = Array.from({ length: 3 }, (_, i) => pingAt(100 + i, 40_000_000));
    expect([...engagedSecondsOf([viewAt(100)], pings, MAX)]).toEqual([[0, MAX]]);
  });
});

describe("files with engaged time", () => {
  it("have nothing else changed, and no page view gets a second time", () => {
    const events = [
      aFullEvent(1, { siteId: SITE }),
      anEvent({ timestampMs: 100 }),
      anEvent({ timestampMs: 100, eventName: "Signup" }),
      anEvent({ timestampMs: 100, visitorId: 2n }),
    ];
    const pings = [pingAt(150, 3_000), pingAt(160, 4_000)];
    const file = { key: "file", siteId: SITE, bytes: encodeEvents(events) };
    const views = pageViewsFor(pings, file);
    expect(views.map(({ row }) => row)).toEqual([1]);
    const merged = mergeFiles([{ ...file, engagedSeconds: new Map([[1, 7]]) }]);
    if ("unreadable" in merged) throw new Error(merged.reason);
    const expected = events.map((event, i) => (i === 1 ? { ...event, engagedSeconds: 7 } : event));
    expect(Buffer.from(merged.bytes).equals(encodeEvents(expected))).toBe(true);
    expect([...engagedSecondsOf(pageViewsFor(pings, { ...file, bytes: merged.bytes }), pings, MAX)]).toEqual([]);
  });

  it("are rewritten alone, or with a neighbour if no number is free before their range", () => {
    const files = ([10, 20, 21, 22, 30, 31] as const).map((number): PartitionFile => ({
      day: DAY,
      first: number,
      last: number,
      key: `${number}`,
      sizeBytes: 1,
    }));
    const planned = (...changed: number[]) =>
      planRewrites(files, ({ first }) => changed.includes(first)).map((group) => group.map(({ first }) => first));
    expect(planned(10, 20)).toEqual([[10], [20]]);
    expect(planned(21)).toEqual([[20, 21]]);
    expect(planned(10, 20, 21, 22)).toEqual([[10], [20], [21, 22]]);
    expect(planned(21, 22)).toEqual([
      [20, 21],
      [22, 30],
    ]);
    expect(planned(30, 31)).toEqual([[30, 31]]);
  });
});
