/** Which sites have a new date: each by its own calendar, and looked for once in a quarter of an hour. */
import { describe, expect, it } from "vitest";
import { NewDates, QUARTER_MS } from "../../../../src/runtime/sites/new-dates.ts";
import { calendarFrom, type CalendarRecord } from "../../../../src/runtime/sites/site-calendar.ts";
import { addDays, type Calendar } from "../../../../src/storage/calendar.ts";
import type { LocalDate, SiteId } from "../../../../src/storage/event.ts";
import { siteId } from "../../../support/stored-event.ts";

const NOON_MS = Date.parse("2026-03-15T12:00:00Z");
const [UTC, KIRITIMATI, KATHMANDU] = [siteId("utc.test"), siteId("kiritimati.test"), siteId("kathmandu.test")];

/** A look whose clock the test sets. The changes are those of the site that begins in UTC. */
function createLook(changes: CalendarRecord["changes"] = []) {
  const zones = { [UTC]: "UTC", [KIRITIMATI]: "Pacific/Kiritimati", [KATHMANDU]: "Asia/Kathmandu" };
  const calendars = new Map<SiteId, Calendar>(
    Object.entries(zones).map(([site, timeZone]) => [siteId(site), calendarFrom({ timeZone, changes: timeZone === "UTC" ? changes : [] })]),
  );
  let nowMs = NOON_MS;
  const newDates = new NewDates({ now: () => nowMs, calendarOf: (site) => calendars.get(site) as Calendar });
  return {
    newDates,
    at(text: string): SiteId[] | null {
      nowMs = Date.parse(text);
      return newDates.areDue ? newDates.take(calendars.keys()) : null;
    },
  };
}

describe("new dates", () => {
  it("are those of all sites at the first look, then of each site at its own midnight", () => {
    const { at } = createLook();
    expect(at("2026-03-15T09:59:59Z")).toEqual([UTC, KIRITIMATI, KATHMANDU]);
    expect(at("2026-03-15T10:00:00Z")).toEqual([KIRITIMATI]);
    expect(at("2026-03-15T18:14:59Z")).toEqual([]);
    expect(at("2026-03-15T18:15:00Z")).toEqual([KATHMANDU]);
    expect(at("2026-03-15T23:59:59Z")).toEqual([]);
    expect(at("2026-03-16T00:00:00Z")).toEqual([UTC]);
    expect(at("2026-03-18T00:00:00Z")).toEqual([UTC, KIRITIMATI, KATHMANDU]);
  });

  it("are looked for at most once in a quarter of an hour, and when the clock is set back", () => {
    const { at } = createLook();
    at("2026-03-16T00:00:00Z");
    expect(at("2026-03-16T00:14:59Z")).toBeNull();
    expect(at("2026-03-15T23:59:59Z")).toEqual([UTC]);
  });

  it("come when a change of a site's time zone takes effect, and not at its old midnight", () => {
    const { at } = createLook([{ firstDate: "2026-03-16" as LocalDate, timeZone: "Asia/Tokyo" }]);
    at("2026-03-15T14:59:59Z");
    expect(at("2026-03-15T15:00:00Z")).toEqual([UTC]);
    expect(at("2026-03-16T00:00:00Z")).toEqual([KATHMANDU]);
  });

  it("begin at a whole quarter of an hour in every time zone of this host", () => {
    const first = "2026-01-01" as LocalDate;
    const faults = Intl.supportedValuesOf("timeZone").filter((timeZone) => {
      const calendar = calendarFrom({ timeZone, changes: [] });
      // Summer and winter of two years, on other days of the month and of the week.
      return Array.from({ length: 13 }, (_, i) => addDays(first, i * 61)).some((date) => calendar.startOf(date) % QUARTER_MS !== 0);
    });
    expect(faults).toEqual([]);
  });
});
