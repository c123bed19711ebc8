/** Names and offsets of time zones, against what `Intl` formats for each instant. */
import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { TimeZone } from "../../../src/storage/time-zone.ts";
import { offsetByIntl, ZONES, zoneNamed } from "../../support/time-zones.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe("time zone names", () => {
  it.each([
    ...ZONES,
    "UTC",
    "Etc/UTC",
    "Etc/GMT+5",
    "Asia/Calcutta",
    "US/Eastern",
    "GMT0",
    "America/Port-au-Prince",
    "America/Port_of_Spain",
  ])("include %s", (name) => {
    expect(TimeZone.named(name)?.name).toBe(name);
    expect(TimeZone.named(name)).toBe(TimeZone.named(name));
  });

  it("include every zone of the host", () => {
    expect(Intl.supportedValuesOf("timeZone").filter((name) => TimeZone.named(name) === null)).toEqual([]);
  });

  it.each([
    ["empty", ""],
    ["an unknown place", "Europe/Atlantis"],
    ["an offset", "+02:00"],
    ["an offset after UTC", "UTC+2"],
    ["in lower case", "europe/berlin"],
    ["an alias in lower case", "asia/kathmandu"],
    ["in capitals", "EUROPE/BERLIN"],
    ["utc in lower case", "utc"],
    ["with spaces", " Europe/Berlin"],
    ["with a line break", "Europe/Berlin\n"],
    ["a path", "../Europe/Berlin"],
    ["a property of objects", "__proto__"],
    ["a constructor", "Object"],
    ["longer than any name", `Europe/${"B".repeat(100_000)}`],
  ])("exclude %s", (_case, name) => {
    expect(TimeZone.named(name)).toBeNull();
  });
});

describe.each(ZONES)("offsets of %s", (name) => {
  const zone = zoneNamed(name);

  it("equal Intl, from the year 1 to the year 9998", () => {
    fc.assert(
      fc.property(fc.integer({ min: Date.parse("0001-01-02") / 1000, max: Date.parse("9998-12-31") / 1000 }), (secs) => {
        expect(zone.offsetAt(secs * 1000)).toBe(offsetByIntl(name, secs * 1000));
      }),
      { numRuns: 50 },
    );
  });

  it.each([1969, 1995, 2011, 2026, 2037])("equal every half hour of %i, and change at a second of the clock", (year) => {
    const [startMs, endMs] = [Date.UTC(year, 0), Date.UTC(year + 1, 0)];
    const offsets = zone.offsetsBetween(startMs, endMs);
    for (const { fromMs, offsetMs } of offsets.slice(1)) {
      expect(offsetByIntl(name, fromMs)).toBe(offsetMs);
      expect(offsetByIntl(name, fromMs - 1000)).not.toBe(offsetMs);
    }
    const wrong: number[] = [];
    for (let ms = startMs; ms < endMs; ms += HOUR_MS / 2) {
      const listed = offsets.findLast(({ fromMs }) => fromMs <= ms)?.offsetMs;
      if (listed !== zone.offsetAt(ms) || (ms % DAY_MS === 0 && listed !== offsetByIntl(name, ms))) wrong.push(ms);
    }
    expect(wrong).toEqual([]);
  });
});

it("the offsets between two instants begin at the first, and exclude a change at the second", () => {
  const berlin = zoneNamed("Europe/Berlin");
  const changeMs = Date.parse("2026-03-29T01:00:00Z");
  expect(berlin.offsetsBetween(changeMs - 1, changeMs)).toEqual([{ fromMs: changeMs - 1, offsetMs: HOUR_MS }]);
  expect(berlin.offsetsBetween(changeMs - 1, changeMs + 1)).toEqual([
    { fromMs: changeMs - 1, offsetMs: HOUR_MS },
    { fromMs: changeMs, offsetMs: 2 * HOUR_MS },
  ]);
  expect(berlin.offsetsBetween(changeMs, changeMs + 1)).toEqual([{ fromMs: changeMs, offsetMs: 2 * HOUR_MS }]);
});
