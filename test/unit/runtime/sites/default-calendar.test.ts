/** The option `time_zone` over several starts: what is recorded, and when a changed option takes effect. */
import { describe, expect, it } from "vitest";
import { CALENDAR_RECORD, openDefaultCalendar } from "../../../../src/runtime/sites/default-calendar.ts";
import { createMemoryRecordStore } from "../../../../src/storage/memory-record-store.ts";
import { createRecordingLog } from "../../../support/recording-log.ts";

const NOON = Date.parse("2026-03-04T12:00:00Z");
const DAY_MS = 86_400_000;

/** One installation over several starts. */
function installation() {
  const records = createMemoryRecordStore();
  const log = createRecordingLog();
  let listings = 0;
  return {
    records,
    log,
    listings: () => listings,
    stored: async () => {
      const bytes = await records.read(CALENDAR_RECORD);
      return bytes && (JSON.parse(new TextDecoder().decode(bytes)) as unknown);
    },
    start: (timeZone: string, { nowMs = NOON, hasEvents = true } = {}) =>
      openDefaultCalendar({
        records,
        config: { timeZone },
        now: () => nowMs,
        log,
        hasEvents: async () => (listings++, hasEvents),
      }),
  };
}

describe("the calendar of the option time_zone", () => {
  it("has no record, and asks for no events, while the option has always been UTC", async () => {
    const { start, stored, listings, log } = installation();
    for (let i = 0; i < 3; i++) expect(await start("UTC")).toEqual({ timeZone: "UTC", changes: [] });
    expect([await stored(), listings(), log.lines]).toEqual([null, 0, []]);
  });

  it("is in the zone at once without events, also after changes of the option", async () => {
    const { start, stored } = installation();
    for (const zone of ["Europe/Berlin", "Asia/Tokyo", "UTC"]) {
      const expected = { timeZone: zone, changes: [] };
      expect(await start(zone, { hasEvents: false })).toEqual(expected);
      expect(await stored()).toEqual(expected);
    }
  });

  it("changes at the coming date with events, is recorded, and stays the same in later starts", async () => {
    const { start, stored, listings, log } = installation();
    const expected = { timeZone: "UTC", changes: [{ firstDate: "2026-03-05", timeZone: "Europe/Berlin" }] };
    expect(await start("Europe/Berlin")).toEqual(expected);
    expect(await stored()).toEqual(expected);
    expect(log.lines).toMatchObject([
      { level: "info", message: "the time zone of days has changed", fields: { timeZone: "Europe/Berlin", from: "2026-03-05" } },
    ]);
    for (const nowMs of [NOON, NOON + DAY_MS, NOON - DAY_MS]) expect(await start("Europe/Berlin", { nowMs })).toEqual(expected);
    expect(listings()).toBe(1);
    expect(await start("UTC", { nowMs: NOON + DAY_MS })).toEqual({
      timeZone: "UTC",
      changes: [...expected.changes, { firstDate: "2026-03-06", timeZone: "UTC" }],
    });
  });

  it("is as it was if the option is set back before the date has come", async () => {
    const { start, stored } = installation();
    await start("Europe/Berlin");
    const utc = { timeZone: "UTC", changes: [] };
    expect(await start("UTC", { nowMs: NOON + 1 })).toEqual(utc);
    expect(await stored()).toEqual(utc);
  });

  it("that cannot be recorded stops the start", async () => {
    const { records, start } = installation();
    records.write = () => Promise.reject(new Error("ENOSPC: no space left on device"));
    await expect(start("Europe/Berlin")).rejects.toThrow("ENOSPC");
  });

  it.each(["", "[]", "{}", '{"timeZone":"europe/berlin","changes":[]}', '{"timeZone":"UTC","changes":[{}]}'])(
    "stops the start if its record is damaged: %j",
    async (text) => {
      const { records, start } = installation();
      await records.write(CALENDAR_RECORD, new TextEncoder().encode(text));
      await expect(start("UTC")).rejects.toThrow("calendar.json in the data folder is damaged");
    },
  );
});
