/** The manifest of an import: totals by table and month, the range, what others cover, where own events begin, and rows left out. */
import { describe, expect, it } from "vitest";
import { IMPORT_BAD_ROWS_SHOWN_MAX, IMPORT_REMARKS_MAX } from "../../../../src/runtime/base/config/limits.ts";
import type { DayRow, Hit, Row } from "../../../../src/runtime/imports/rows.ts";
import { type CoveredDays, type Manifest, ManifestTotals } from "../../../../src/runtime/imports/manifest.ts";
import { utcCalendar } from "../../../../src/storage/calendar.ts";
import type { LocalDate } from "../../../../src/storage/event.ts";

const day = (text: string) => text as LocalDate;
const NOTHING: CoveredDays = { firstOwn: null, imports: [] };

const hit = (at: string, name = "pageview"): Hit => ({ kind: "hit", line: 1, atMs: Date.parse(at), visitor: "a", name, path: "/" });

const dayRow = (date: string, table: DayRow["table"], counts: DayRow["counts"]): DayRow => ({
  kind: "day",
  line: 1,
  date: day(date),
  table,
  values: {},
  counts,
});

function manifestOf(rows: readonly Row[], covered = NOTHING): Manifest {
  const totals = new ManifestTotals(utcCalendar);
  for (const row of rows) totals.add("file.csv", row);
  return totals.manifest(covered, utcCalendar);
}

const totalsOf = ({ totals }: Manifest) => Object.fromEntries([...totals].map(([table, months]) => [table, Object.fromEntries(months)]));

describe("the manifest", () => {
  it("adds up hits by month, page views apart from events", () => {
    const manifest = manifestOf([
      hit("2026-01-31T23:59:59Z"),
      hit("2026-02-01T00:00:00Z"),
      hit("2026-02-01T00:00:01Z", "Signup"),
      hit("2026-02-03T00:00:00Z"),
    ]);
    expect(totalsOf(manifest)).toEqual({ hits: { "2026-01": { pageviews: 1 }, "2026-02": { pageviews: 2, events: 1 } } });
    expect(manifest).toMatchObject({ rows: 4, days: 3, range: { firstDay: "2026-01-31", lastDay: "2026-02-03" } });
  });

  it("adds up days within a table, never over tables", () => {
    const manifest = manifestOf([
      dayRow("2026-01-01", "totals", { visitors: 3, pageviews: 7 }),
      dayRow("2026-01-02", "totals", { visitors: 2 }),
      dayRow("2026-01-01", "pages", { visitors: 5, pageviews: 7 }),
    ]);
    expect(totalsOf(manifest)).toEqual({
      totals: { "2026-01": { visitors: 5, pageviews: 7 } },
      pages: { "2026-01": { visitors: 5, pageviews: 7 } },
    });
  });

  it("counts rows of properties beyond the limit as left out", () => {
    const ofKey = (property: string) => ({ ...dayRow("2026-01-01", "properties", { events: 1 }), values: { property, value: "a" } });
    const manifest = manifestOf(Array.from({ length: 1010 }, (_, i) => ofKey(`key ${i}`)));
    expect(totalsOf(manifest)).toEqual({ properties: { "2026-01": { events: 1000 } } });
    expect([...manifest.leftOut]).toEqual([["property_limit", 10]]);
  });

  it("counts bad rows by reason and shows the first of them, and rows left out", () => {
    const bad: Row[] = Array.from({ length: 25 }, (_, i) => ({ kind: "bad", line: i + 2, reason: "bad_date", column: "date", value: "x" }));
    const manifest = manifestOf([
      ...bad,
      { kind: "left out", line: 30, reason: "bot" },
      { kind: "bad", line: 31, reason: "not_json", value: "{" },
    ]);
    expect([...manifest.bad.counts]).toEqual([
      ["bad_date", 25],
      ["not_json", 1],
    ]);
    expect(manifest.bad.first).toHaveLength(IMPORT_BAD_ROWS_SHOWN_MAX);
    expect(manifest.bad.first[0]).toEqual({ path: "file.csv", line: 2, reason: "bad_date", column: "date", value: "x" });
    expect([...manifest.leftOut]).toEqual([["bot", 1]]);
    expect(manifest).toMatchObject({ rows: 27, range: null, days: 0 });
  });

  it("keeps each remark once, and only so many", () => {
    const remarks = Array.from({ length: 2 * IMPORT_REMARKS_MAX }, (_, i): Row => ({ kind: "remark", line: 1, text: String(i) }));
    const { remarks: kept, rows } = manifestOf([{ kind: "remark", line: 1, text: "0" }, ...remarks]);
    expect([kept.length, kept[0], kept[1], rows]).toEqual([IMPORT_REMARKS_MAX, "0", "1", 0]);
  });

  it("says which days earlier imports have, too", () => {
    const imports = [
      { number: 1, days: new Set(["2026-01-01", "2026-01-02", "2026-01-09"].map(day)) },
      { number: 2, days: new Set([day("2025-01-01")]) },
    ];
    const rows = ["2026-01-02", "2026-01-03", "2026-01-09"].map((date) => dayRow(date, "totals", { visitors: 1 }));
    expect(manifestOf(rows, { ...NOTHING, imports }).overlaps).toEqual([
      { import: 1, days: 2, firstDay: "2026-01-02", lastDay: "2026-01-09" },
    ]);
  });
});

describe("the cut-off", () => {
  const firstOwn = (pageviewsOfDay: number): CoveredDays => ({
    ...NOTHING,
    firstOwn: { timestampMs: Date.parse("2026-01-02T12:00:00Z"), day: day("2026-01-02"), pageviewsOfDay },
  });
  const hits = [hit("2026-01-01T10:00:00Z"), hit("2026-01-02T08:00:00Z"), hit("2026-01-02T09:00:00Z"), hit("2026-01-03T09:00:00Z")];

  it("is absent without own events", () => {
    expect(manifestOf(hits)).toMatchObject({ cutOff: null, ownDays: 0 });
  });

  it("is the first own event on a day of which the source has more page views", () => {
    const { cutOff, ownDays } = manifestOf(hits, firstOwn(1));
    expect([cutOff?.endMs, ownDays]).toEqual([Date.parse("2026-01-02T12:00:00Z"), 2]);
    expect(cutOff?.reason).toContain("2026-01-02, on which the source has more page views (2 to 1)");
  });

  it("is the beginning of the first own day otherwise", () => {
    const { cutOff } = manifestOf(hits, firstOwn(2));
    expect(cutOff?.endMs).toBe(Date.parse("2026-01-02T00:00:00Z"));
    expect(cutOff?.reason).toContain("at least as many page views");
  });

  it("is the beginning of the first own day for a source of whole days", () => {
    const { cutOff } = manifestOf([dayRow("2026-01-02", "totals", { pageviews: 100 })], firstOwn(1));
    expect(cutOff?.endMs).toBe(Date.parse("2026-01-02T00:00:00Z"));
    expect(cutOff?.reason).toContain("cannot complete");
  });
});
