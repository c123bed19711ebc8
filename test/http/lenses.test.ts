/** What a lens does not change: the gaps of a site's tracking (docs/reports.md, "Lenses"). */
import { expect, it } from "vitest";
import type { StoredEvent } from "../../src/storage/event.ts";
import { createInProcessTarget } from "../support/in-process-target.ts";
import { anEvent } from "../support/stored-event.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const HISTORY_DAYS = 30;
const FIRST_MS = Date.parse("2026-01-01T00:00:00.000Z");
const OPEN_HOURS = [10, 11, 12, 13, 14];
const VISITS_PER_HOUR = 10;

/** The last two days have no visits of people at these hours; the last one has those of programs. */
const QUIET_HOURS = [11, 12, 13];

let visitors = 0n;
const visitAt = (timestampMs: number, evidence: string | null): StoredEvent =>
  anEvent({ timestampMs, visitorId: (visitors += 1n) * 0x9e37_79b9n, evidence });

function visitsOf(day: number): StoredEvent[] {
  const isQuiet = day >= HISTORY_DAYS - 2;
  return OPEN_HOURS.flatMap((hour) => {
    const startMs = FIRST_MS + day * DAY_MS + hour * HOUR_MS;
    const ofPrograms = day === HISTORY_DAYS - 1 ? [visitAt(startMs, "webdriver")] : [];
    const count = isQuiet && QUIET_HOURS.includes(hour) ? 0 : VISITS_PER_HOUR;
    return [...ofPrograms, ...Array.from({ length: count }, (_, i) => visitAt(startMs + i * 60_000, null))];
  });
}

it("changes finds the same gaps of tracking with strict as by default: a program that is counted shows that it worked", async () => {
  const target = await createInProcessTarget({}, { startMs: FIRST_MS + HISTORY_DAYS * DAY_MS });
  const events = Array.from({ length: HISTORY_DAYS }, (_, day) => visitsOf(day)).flat();
  await Promise.all(events.map((event) => target.services.eventStore.append(event)));
  const gapsOn = async (day: string, lens: string) => {
    const query = new URLSearchParams({ site_id: "site.test", start_date: day, end_date: day, lens, dimensions: "none" });
    const response = await target.fetch(`/api/stats/changes?${query.toString()}`);
    const { total, caveats } = (await response.json()) as {
      total: { after: number };
      caveats: readonly { code: string; from?: string; to?: string }[];
    };
    return { visits: total.after, gaps: caveats.filter(({ code }) => code === "tracking_gap") };
  };
  const gap = { code: "tracking_gap", from: "2026-01-29 11:00", to: "2026-01-29 14:00", sentence: expect.any(String) as string };
  expect(await gapsOn("2026-01-29", "default")).toEqual({ visits: 20, gaps: [gap] });
  expect(await gapsOn("2026-01-29", "strict")).toEqual({ visits: 20, gaps: [gap] });
  expect(await gapsOn("2026-01-30", "default")).toEqual({ visits: 25, gaps: [] });
  expect(await gapsOn("2026-01-30", "strict")).toEqual({ visits: 20, gaps: [] });
  await target.close();
});
