/** The dashboard's comparison and custom ranges: which window is compared, what is shown of it, and dates that cannot be shown. */
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import type { ServerProcess } from "../support/server-process.ts";
import { violationsOf } from "./support/accessibility.ts";
import { ACTION_MS_MAX } from "./support/dashboard-browser.ts";
import { midnightDaysAgo, urlOf, utcDay, type Visit } from "./support/dashboard.ts";
import { useDashboard } from "./support/dashboard-instance.ts";

/** Has visits today and on the same weekday a week ago, before and after the present time of day. */
const SITE = "compared.example";
/** Has visits today only. */
const NEW_SITE = "new.example";

const daysAgo = (days: number): string => utcDay(midnightDaysAgo(days));

const times = (count: number, visit: Visit): Visit[] => Array.from({ length: count }, () => visit);

const endOfDay = (daysBack: number): number => midnightDaysAgo(daysBack - 1) - 1;

const VISITS: readonly Visit[] = [
  ...times(3, { atMs: midnightDaysAgo(0), steps: ["/"] }),
  ...times(2, { atMs: midnightDaysAgo(7), steps: ["/"] }),
  ...times(9, { atMs: endOfDay(7), steps: ["/"] }),
  ...times(20, { atMs: midnightDaysAgo(1), steps: ["/"] }),
];

describe("the comparison of the dashboard", () => {
  const dashboard = useDashboard({
    visits: { [SITE]: VISITS, [NEW_SITE]: times(2, { atMs: midnightDaysAgo(0), steps: ["/"] }) },
    context: { viewport: { width: 1280, height: 1000 } },
  });
  let service: ServerProcess;
  let page: Page;
  beforeEach(() => {
    ({ service, page } = dashboard);
  });

  async function open(query: string, site = SITE): Promise<void> {
    await page.goto(`${service.origin}/?site=${site}${query}`);
    await settled();
  }

  async function settled(): Promise<void> {
    await page.locator('[data-metric="visitors"] .top-stat-value', { hasText: /\d/ }).waitFor();
    await page.locator(".stale, .loading").first().waitFor({ state: "detached" });
  }

  const inUrl = async (name: string) => (await urlOf(page)).searchParams.get(name);
  const change = (metric: string) => page.locator(`[data-metric="${metric}"] .change`);
  const comparisonMenu = () => page.getByRole("button", { name: /^Compar/ });
  const menuItem = (name: RegExp) => page.getByRole("menu").getByRole("menuitemradio", { name });

  /** The parameters of the first request for the totals after the action. */
  async function comparedBy(action: () => Promise<unknown>): Promise<Readonly<Record<string, string>>> {
    const asked = page.waitForRequest((request) => request.url().includes("/api/stats/main?") && request.url().includes("compare="));
    await action();
    const parameters = new URL((await asked).url()).searchParams;
    return Object.fromEntries([...parameters].filter(([name]) => name.startsWith("compare")));
  }

  async function expectAccessible(state: string): Promise<void> {
    expect({ state, violations: await violationsOf(page) }).toEqual({ state, violations: [] });
  }

  it("today is compared with the same hours of the same weekday a week ago", async () => {
    await open("&period=day");
    expect(await change("visitors").textContent()).toBe("↑ up by 50.0%");
    expect(await page.locator('[data-metric="visitors"]').getAttribute("data-tip")).toMatch(/^2 on \w{3},? \d+ \w{3}, by \d{1,2}:\d\d\n/);
    expect(await comparisonMenu().textContent()).toMatch(/vs\. \w{3},? \d+ \w{3}, same time/);
    expect(await page.locator(".legend").textContent()).toMatch(/^\s*\w{3},? \d+ \w{3}\s*\w{3},? \d+ \w{3}$/);
    // The chart draws the rest of that day, too.
    await page.getByRole("button", { name: "Show as table" }).click();
    const rows = page.getByRole("region", { name: /as a table/ }).locator("tbody tr");
    await expect
      .poll(() => rows.first().locator("td").allTextContents(), { timeout: ACTION_MS_MAX })
      .toEqual(["3", expect.stringMatching(/ 0:00 UTC$/), "2"]);
    expect((await rows.last().locator("td").allTextContents()).at(-1)).toBe("9");
    expect(await page.getByRole("columnheader").allTextContents()).toEqual([
      "Time (UTC)",
      "Unique visitors",
      "Compared with",
      expect.stringMatching(/^\w{3},? \d+ \w{3}$/),
    ]);
    await expectAccessible("table with a comparison");
  });

  it("the menu names the dates of each comparison, and its switch matches weekdays or not", async () => {
    expect(await comparedBy(() => open("&period=30d"))).toEqual({
      compare: "custom",
      compare_start_date: daysAgo(64),
      compare_end_date: daysAgo(35),
      compare_same_time: "true",
    });
    await comparisonMenu().click();
    await menuItem(/^Previous period, same weekdays \(\d.* – \d+ \w+\)$/).waitFor();
    await menuItem(/^Same period last year \(.*\d{4}\)$/).waitFor();
    await menuItem(/^No comparison$/).waitFor();
    const weekdays = page.getByRole("menuitemcheckbox", { name: "Match weekdays" });
    expect(await weekdays.getAttribute("aria-checked")).toBe("true");
    await expectAccessible("menu of comparisons");
    expect(await comparedBy(() => weekdays.click())).toMatchObject({ compare_start_date: daysAgo(59), compare_end_date: daysAgo(30) });
    expect(await inUrl("weekdays")).toBe("off");
    await comparisonMenu().click();
    await weekdays.focus();
    await page.keyboard.press("Enter");
    expect(await inUrl("weekdays")).toBeNull();
    await settled();
    await comparisonMenu().click();
    expect(await comparedBy(() => menuItem(/^Same period last year/).click())).toMatchObject({
      compare_start_date: daysAgo(393),
      compare_end_date: daysAgo(364),
    });
    expect(await inUrl("compare")).toBe("year_over_year");
  });

  it("a past period is compared whole, and X switches the comparison off and on", async () => {
    const yesterday = daysAgo(1);
    expect(await comparedBy(() => open(`&start=${yesterday}&end=${yesterday}&compare=previous_period`))).toEqual({
      compare: "custom",
      compare_start_date: daysAgo(8),
      compare_end_date: daysAgo(8),
    });
    await page.keyboard.press("x");
    await page.getByRole("button", { name: "Compare", exact: true }).waitFor();
    expect(await inUrl("compare")).toBe("none");
    await page.keyboard.press("x");
    expect(await inUrl("compare")).toBeNull();
  });

  it("where there is nothing to compare with, no change and no other series is shown", async () => {
    await open("&period=7d&chart=table", NEW_SITE);
    // The date of the first event, too, is there.
    await page.waitForLoadState("networkidle");
    expect(await page.locator(".change").count()).toBe(0);
    expect(await page.locator(".legend").count()).toBe(0);
    await expect
      .poll(() => page.getByRole("columnheader").allTextContents(), { timeout: ACTION_MS_MAX })
      .toEqual(["Time (UTC)", "Unique visitors"]);
  });

  it("a window that begins before the site's first event is drawn, and no change is shown against it", async () => {
    const loaded = page.waitForResponse((response) => response.url().includes("/api/installation?"));
    await open("&period=7d");
    await loaded;
    await page.locator(".legend").waitFor();
    // The date of the first event, too, is there.
    await page.waitForLoadState("networkidle");
    await page.locator(".change").first().waitFor({ state: "detached" });
    await page.keyboard.press("d");
    await change("visitors").waitFor();
  });

  it("a change of nothing is written with a decimal, like all others", async () => {
    await open(`&start=${daysAgo(0)}&end=${daysAgo(0)}&compare=custom&compare_start=${daysAgo(0)}&compare_end=${daysAgo(0)}`);
    expect(await change("visitors").textContent()).toBe("→ unchanged 0.0%");
  });

  it("any dates can be compared with", async () => {
    await open("&period=7d");
    await comparisonMenu().click();
    await menuItem(/^Custom period…$/).click();
    await page.getByLabel("Start date").fill(daysAgo(1));
    await page.getByLabel("End date").fill(daysAgo(1));
    expect(await comparedBy(() => page.getByRole("button", { name: "Apply" }).click())).toMatchObject({
      compare_start_date: daysAgo(1),
      compare_end_date: daysAgo(1),
    });
    await comparisonMenu().click();
    expect(await menuItem(/^Custom period \(.+\)…$/).getAttribute("aria-checked")).toBe("true");
    await page.keyboard.press("Escape");
    await page.keyboard.press("x");
    expect([await inUrl("compare"), await inUrl("compare_start")]).toEqual(["none", null]);
    await page.keyboard.press("x");
    expect([await inUrl("compare"), await inUrl("compare_start"), await inUrl("compare_end")]).toEqual(["custom", daysAgo(1), daysAgo(1)]);
  });

  it("the dialog of a custom range refuses more than 10,000 days at its field", async () => {
    await open("&period=7d&panel=days");
    const start = page.getByLabel("Start date");
    await start.fill(daysAgo(10_000));
    const apply = page.getByRole("button", { name: "Apply" });
    expect(await apply.isDisabled()).toBe(true);
    expect(await start.getAttribute("aria-invalid")).toBe("true");
    expect(await page.locator(`#${await start.getAttribute("aria-describedby")}`).textContent()).toBe(
      "Choose up to 10,000 days: this range has 10,001.",
    );
    await expectAccessible("custom range with a problem");
    await page.getByLabel("End date").fill(daysAgo(10_001));
    expect(await page.getByRole("alert").textContent()).toBe("The end date must not be before the start date.");
    await page.getByLabel("End date").fill("");
    expect(await page.getByRole("alert").textContent()).toBe("Enter a date from 1 January 1970 on.");
    await page.getByLabel("End date").fill(daysAgo(1));
    expect(await page.getByRole("alert").count()).toBe(0);
    await apply.click();
    await settled();
    expect(await inUrl("start")).toBe(daysAgo(10_000));
    expect(await page.getByRole("status").filter({ hasText: "can't be shown" }).count()).toBe(0);
  });

  it.each([
    ["1990-01-01", "2024-12-31", /Choose up to 10,000 days: this range has 12,784\. Showing 16 Aug 1997\s–\s31 Dec 2024\./],
    ["2024-12-31", "2024-01-01", /The end date must not be before the start date\. Showing /],
    ["1969-12-31", "1970-01-31", /Enter a date from 1 January 1970 on\. Showing /],
    ["2024-02-31", "2024-03-01", /Enter a date from 1 January 1970 on\. Showing /],
    ["12024-01-01", "12024-03-01", /Enter a date from 1 January 1970 on\. Showing /],
    ["yesterday", "today", /Enter a date from 1 January 1970 on\. Showing /],
  ])("a link from %s to %s shows one notice and a range that can be shown", async (start, end, says) => {
    await open(`&start=${start}&end=${end}`);
    const notice = page.getByRole("status").filter({ hasText: "can't be shown" });
    expect(await notice.textContent()).toMatch(says);
    expect(await page.locator(".failure").count()).toBe(0);
    if (start === "yesterday") {
      await expectAccessible("notice of a range");
      await notice.getByRole("button", { name: "Choose other dates" }).click();
      await page.getByRole("dialog", { name: "Custom range" }).waitFor();
    }
  });
});
