/**
 * The dashboard of sites in other time zones than the browser's, which is in Los Angeles: today, hours, days of 23 and 25 hours, the
 * calendar of the range panel, weeks, names and hidden cards.
 */
import { beforeEach, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { nowMs } from "../support/fixed-clock.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { violationsOf } from "./support/accessibility.ts";
import { ACTION_MS_MAX } from "./support/dashboard-browser.ts";
import { cardOf, DAY_MS, dayIn, urlOf, type Visit, watchRequests } from "./support/dashboard.ts";
import { asAdmin, useDashboard } from "./support/dashboard-instance.ts";
import { misplaced } from "./support/layout.ts";

const BERLIN = "berlin.example";
const ISLAND = "island.example";
const ZONE = "Europe/Berlin";
const PASSWORD = "correct horse battery";

/** What the service says of a site beside its settings. */
const TOLD: ReadonlySet<string> = new Set([
  "site_id",
  "created_at",
  "time_zone_in_force",
  "time_zone_changes",
  "default_time_zone",
  "default_retention_days",
  "asn_db_loaded",
]);

const at = (iso: string, steps: readonly string[] = ["/"]): Visit => ({ atMs: Date.parse(iso), steps });

const VISITS: readonly Visit[] = [
  at("2026-03-29T00:30:00Z"),
  // Two hours later by the clock, which skipped one.
  at("2026-03-29T01:30:00Z"),
  // Before and after midnight in Berlin; one date in UTC.
  at("2026-06-10T21:30:00Z", ["/late"]),
  at("2026-06-10T22:30:00Z", ["/early"]),
  // The hour that comes twice.
  at("2026-10-25T00:30:00Z"),
  at("2026-10-25T01:30:00Z"),
  { atMs: nowMs() - 5 * DAY_MS, steps: ["/", "!Signup"] },
  { atMs: nowMs() - 60_000, steps: ["/now"] },
];

describe("the dashboard in another time zone", () => {
  const dashboard = useDashboard({
    visits: { [BERLIN]: VISITS },
    environment: { SVC_ADMIN_PASSWORD: PASSWORD, SVC_TIME_ZONE: ZONE },
    context: { viewport: { width: 1280, height: 1400 }, timezoneId: "America/Los_Angeles" },
  });
  let service: ServerProcess;
  let page: Page;
  beforeEach(() => {
    ({ service, page } = dashboard);
  });

  async function open(query: string, site = BERLIN): Promise<void> {
    await page.goto(`${service.origin}/?site=${site}${query}`);
    await page.locator('[data-metric="visitors"] .top-stat-value', { hasText: /\d/ }).waitFor();
    await settled();
  }

  const settled = () => page.locator(".stale, .loading").first().waitFor({ state: "detached" });
  const inUrl = async (name: string) => (await urlOf(page)).searchParams.get(name);
  const startDate = () => page.getByLabel(/^Start date/);
  const visitors = () => page.locator('[data-metric="visitors"] .top-stat-value').textContent();
  /** Changes some settings, and leaves the others as they are. */
  const set = async (site: string, settings: object): Promise<void> => {
    const path = `/api/sites/${site}`;
    const response = await asAdmin(dashboard, "GET", path);
    const before = response.ok ? Object.entries((await response.json()) as object).filter(([name]) => !TOLD.has(name)) : [];
    const put = await asAdmin(dashboard, "PUT", path, { ...Object.fromEntries(before), ...settings });
    expect(put.status, await put.text()).toBe(200);
  };
  /** The times and numbers of the chart as a table. */
  const chartRows = async (query: string): Promise<string[][]> => {
    await open(`&chart=table${query}`);
    await page.getByRole("region", { name: /as a table/ }).waitFor();
    return page
      .locator(".main-chart-table tbody tr, .table-scroll tbody tr")
      .evaluateAll((rows) =>
        rows.map((row) => [...(row as unknown as { cells: { textContent: string }[] }).cells].map(({ textContent }) => textContent)),
      );
  };

  it("days and hours are the site's: a day of 23 hours has no hour that its clock skipped", async () => {
    const rows = await chartRows("&start=2026-03-29&end=2026-03-29&compare=none");
    expect(rows.length).toBe(23);
    expect(rows.slice(0, 4)).toEqual([
      ["29 Mar, 0:00", "0"],
      ["29 Mar, 1:00", "1"],
      ["29 Mar, 3:00", "1"],
      ["29 Mar, 4:00", "0"],
    ]);
    await page.getByRole("columnheader", { name: `Time (${ZONE})` }).waitFor();
    await page.getByText(`Times in ${ZONE}`).waitFor();
    await page.getByText(`All times are in ${ZONE}.`).waitFor();
  });

  it("a day of 25 hours has the repeated hour once, with the events of both", async () => {
    const rows = await chartRows("&start=2026-10-25&end=2026-10-25&compare=none");
    expect(rows.length).toBe(24);
    expect(rows.slice(1, 4)).toEqual([
      ["25 Oct, 1:00", "0"],
      ["25 Oct, 2:00", "2"],
      ["25 Oct, 3:00", "0"],
    ]);
  });

  it("a visit before midnight belongs to the day before, whatever the date in UTC", async () => {
    await open("&start=2026-06-10&end=2026-06-10");
    await cardOf(page, "pages").getByText("/late").waitFor();
    expect(await visitors()).toBe("1");
    await page.keyboard.press("ArrowRight");
    await cardOf(page, "pages").getByText("/early").waitFor();
    expect(await inUrl("start")).toBe("2026-06-11");
  });

  it("today and the running hour are the site's", async () => {
    const clock = new Intl.DateTimeFormat("en-GB", { timeZone: ZONE, hour: "numeric", hourCycle: "h23" });
    const hourNow = () => `${Number(clock.format(nowMs()))}:00`;
    const before = hourNow();
    const rows = await chartRows("&period=day&compare=none");
    const [running = "", ...others] = rows.flatMap(([time = ""]) => (time.includes("so far") ? [time] : []));
    expect(others).toEqual([]);
    // An hour may end meanwhile.
    expect([before, hourNow()]).toContain(/\d+:00/.exec(running)?.[0]);
    await page.keyboard.press("ArrowLeft");
    await expect.poll(() => inUrl("start"), { timeout: ACTION_MS_MAX }).toBe(dayIn(ZONE, nowMs() - DAY_MS));
  });

  it("minutes of the realtime view are written by the site's clock", async () => {
    await page.goto(`${service.origin}/?site=${BERLIN}&view=realtime`);
    const bars = page.getByRole("slider", { name: /Pageviews per minute/ });
    await bars.waitFor();
    const clock = new Intl.DateTimeFormat("en-GB", { timeZone: ZONE, hour: "2-digit", minute: "2-digit" });
    const text = (await bars.getAttribute("aria-valuetext")) ?? "";
    const now = nowMs();
    expect([now, now - 60_000].map((ms) => clock.format(ms))).toContain(/(\d+:\d\d), this minute/.exec(text)?.[1]?.padStart(5, "0"));
  });

  it("today in Kiritimati is Kiritimati's", async () => {
    await set(ISLAND, { time_zone: "Pacific/Kiritimati" });
    const body = JSON.stringify({ d: ISLAND, n: "pageview", u: `https://${ISLAND}/` });
    const headers = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" };
    expect((await fetch(`${service.origin}/api/event`, { method: "POST", body, headers })).status).toBe(202);
    await open("&period=day&panel=days", ISLAND);
    expect(await visitors()).toBe("1");
    await page.getByText("Days are those of the site's time zone, Pacific/Kiritimati.").waitFor();
    expect(await startDate().inputValue()).toBe(dayIn("Pacific/Kiritimati", nowMs()));
    expect(await startDate().getAttribute("max")).toBe(dayIn("Pacific/Kiritimati", nowMs()));
  });

  it("the calendar has the site's first day of the week, and the keyboard chooses a range in it", async () => {
    await set(BERLIN, { week_start: "sunday" });
    await open("&start=2026-06-10&end=2026-06-10&panel=days");
    const heads = page.locator(".calendar th");
    await expect.poll(() => heads.allTextContents(), { timeout: ACTION_MS_MAX }).toEqual(["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]);
    await page.locator('[data-day="2026-06-10"]').focus();
    const dates = async () => [await startDate().inputValue(), await page.getByLabel("End date").inputValue()];
    for (const key of ["Home", "Enter"]) await page.keyboard.press(key);
    await expect.poll(dates, { timeout: ACTION_MS_MAX }).toEqual(["2026-06-07", "2026-06-07"]);
    for (const key of ["PageDown", "ArrowLeft", "Enter"]) await page.keyboard.press(key);
    await expect.poll(dates, { timeout: ACTION_MS_MAX }).toEqual(["2026-06-07", "2026-07-06"]);
    await page.getByRole("button", { name: "Apply" }).click();
    await expect.poll(() => inUrl("end"), { timeout: ACTION_MS_MAX }).toBe("2026-07-06");
    await set(BERLIN, { week_start: "saturday" });
    await open("&panel=days");
    expect(await heads.first().textContent()).toBe("Sat");
  });

  it("weeks of the chart begin on the site's first day of the week, and open as such", async () => {
    await set(BERLIN, { week_start: "sunday" });
    const rows = await chartRows("&start=2026-06-01&end=2026-06-30&interval=week&compare=none");
    expect(rows).toEqual([
      ["1–6 Jun 2026 part of the week", "0"],
      ["7–13 Jun 2026", "2"],
      ["14–20 Jun 2026", "0"],
      ["21–27 Jun 2026", "0"],
      ["28–30 Jun 2026 part of the week", "0"],
    ]);
    await page.getByRole("button", { name: "7–13 Jun 2026" }).click();
    await expect
      .poll(async () => [await inUrl("start"), await inUrl("end")], { timeout: ACTION_MS_MAX })
      .toEqual(["2026-06-07", "2026-06-13"]);
    await set(BERLIN, { week_start: "monday" });
  });

  it("a site has its name in the bar and in the title", async () => {
    await set(BERLIN, { name: "Berlin Bakery" });
    await open("&period=7d");
    await page.getByRole("button", { name: "Site: Berlin Bakery" }).click();
    await page.getByRole("menuitemradio", { name: `Berlin Bakery (${BERLIN})` }).waitFor();
    // The visitor of a minute ago is a current one, but on a slow machine.
    await expect.poll(() => page.title()).toMatch(/^(?:\(1\) )?Berlin Bakery · Sandpiper$/);
  });

  it("hidden cards are not shown, and their reports are not asked for", async () => {
    await set(BERLIN, { hidden_cards: ["sources", "devices", "goals", "funnel"] });
    const watched = watchRequests(page);
    await open("&period=7d");
    await cardOf(page, "did").scrollIntoViewIfNeeded();
    await cardOf(page, "did").getByRole("tab", { name: "Revenue" }).waitFor();
    await settled();
    expect(await page.locator("[data-card]").evaluateAll((cards) => cards.map((card) => card.getAttribute("data-card")))).toEqual([
      "changes",
      "pages",
      "did",
      "places",
    ]);
    expect(await cardOf(page, "did").getByRole("tab").allTextContents()).toEqual(["Revenue"]);
    const links = page.getByRole("navigation", { name: "Explore" }).getByRole("link");
    await expect.poll(() => links.allTextContents()).toEqual(["Flow", "Paths", "Retention", "Properties"]);
    expect(await page.locator('[data-metric="conversion_rate"]').count()).toBe(0);
    expect(watched.all.filter((url) => /breakdown\/(?:visit-channels|browsers)|\/goals/.test(url))).toEqual([]);
    await set(BERLIN, { hidden_cards: [] });
  });

  it("no width cuts the range panel, and axe finds nothing in it, light and dark", async () => {
    for (const width of [1280, 768, 320]) {
      await page.setViewportSize({ width, height: 900 });
      await open("&start=2026-06-10&end=2026-06-12&panel=days");
      await page.locator(".calendar").first().waitFor();
      expect({ width, problems: await page.evaluate<string[]>(misplaced("dialog[open]")) }).toEqual({ width, problems: [] });
    }
    expect(await violationsOf(page)).toEqual([]);
  });
});
