/** Periods and intervals of the dashboard in a real browser: months and years, all time, long custom ranges, minutes, and a readable axis. */
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import type { ServerProcess } from "../support/server-process.ts";
import { violationsNow } from "./support/accessibility.ts";
import { cardOf, DAY_MS, midnightDaysAgo, rowsOf, urlOf, utcDay, type Visit, watchRequests } from "./support/dashboard.ts";
import { useDashboard } from "./support/dashboard-instance.ts";

const SITE = "years.example";
const NEW_SITE = "new.example";

const daysAgo = (days: number): string => utcDay(midnightDaysAgo(days));

/** The first event's day. */
const OLDEST_DAYS_AGO = 1400;

const visit = (days: number, steps = ["/"]): Visit => ({ atMs: midnightDaysAgo(days), steps });

const VISITS: readonly Visit[] = [0, 1, 20, 170, 400, 401, 800, OLDEST_DAYS_AGO].map((days) => visit(days));

/** The texts on canvases since the page was opened, and where they are. */
const RECORD_TEXTS = `
  window.texts = [];
  const { fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
    const { e, f } = this.getTransform();
    const width = this.measureText(text).width;
    window.texts.push({ text, left: e + x - width / 2, right: e + x + width / 2, y: f + y });
    return fillText.call(this, text, x, y, ...rest);
  };
`;

interface DrawnText {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly y: number;
}

describe("the periods of the dashboard", () => {
  const dashboard = useDashboard({
    visits: { [SITE]: VISITS, [NEW_SITE]: [visit(0), visit(0)] },
    context: { viewport: { width: 1280, height: 1000 } },
    initScript: RECORD_TEXTS,
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

  const inUrl = async (...names: string[]) => {
    const { searchParams } = await urlOf(page);
    return names.map((name) => searchParams.get(name));
  };
  const visitors = () => page.locator('[data-metric="visitors"] .top-stat-value').textContent();
  const labelOf = (name: string) => page.getByRole("button", { name: `Period: ${name}`, exact: true });
  const choose = async (menu: RegExp, item: string) => {
    await page.getByRole("button", { name: menu }).click();
    await page.getByRole("menuitemradio", { name: item }).click();
    await settled();
  };
  const times = () => page.getByRole("region", { name: /as a table/ }).getByRole("rowheader");

  it("the menu offers all periods, A is all time, and each shows its own dates", async () => {
    await open("&period=7d");
    await page.getByRole("button", { name: /^Period: / }).click();
    expect((await page.getByRole("menuitemradio").allTextContents()).slice(0, 10)).toEqual([
      "TodayD",
      "Yesterday",
      "Last 7 daysW",
      "Last 30 daysM",
      "Last 90 daysQ",
      "Last 6 months",
      "Last 12 monthsY",
      "Month to date",
      "Year to date",
      "All timeA",
    ]);
    await page.keyboard.press("Escape");
    await page.keyboard.press("a");
    await labelOf("All time").waitFor();
    await settled();
    expect([await inUrl("period"), await visitors()]).toEqual([["all"], "8"]);
    expect(await rowsOf(page, "pages")).toEqual([["/", "8"]]);
    await choose(/^Period: /, "Last 6 months");
    expect([await inUrl("period"), await visitors()]).toEqual([["6mo"], "4"]);
    await choose(/^Period: /, "Year to date");
    expect(await page.locator("h1").textContent()).toContain(`1 Jan`);
    expect(await inUrl("period")).toEqual(["year"]);
  });

  it("all time begins on the first event's day, by month, and is compared with nothing", async () => {
    const watched = watchRequests(page);
    await open("&period=all&chart=table");
    const first = new Date(midnightDaysAgo(OLDEST_DAYS_AGO)).toLocaleDateString("en-GB", {
      day: "numeric",
      month: "short",
      year: "numeric",
    });
    expect(await times().first().textContent()).toContain(first.split(" ").slice(1).join(" "));
    expect(await page.getByRole("columnheader").allTextContents()).toEqual(["Time (UTC)", "Unique visitors"]);
    expect(await page.getByRole("button", { name: /^Compar/ }).count()).toBe(0);
    await page.keyboard.press("x");
    expect(await inUrl("compare")).toEqual([null]);
    expect(watched.all.filter((url) => url.includes("compare"))).toEqual([]);
    for (const arrow of ["Previous period", "Next period"]) expect(await page.getByRole("button", { name: arrow }).isDisabled()).toBe(true);
    await choose(/^Interval: By month/, "By day");
    expect(await times().count()).toBe(OLDEST_DAYS_AGO + 1);
    await open("&period=all", NEW_SITE);
    expect(await visitors()).toBe("2");
    await page.getByRole("button", { name: "Interval: By hour" }).waitFor();
  });

  it("the period before the month to date is the month before, whole", async () => {
    await open("&period=month&interval=day");
    await page.keyboard.press("ArrowLeft");
    const [start = "", end = ""] = await inUrl("start", "end");
    expect(start).toMatch(/-01$/);
    expect(Date.parse(end ?? "") + DAY_MS).toBe(Date.parse(`${daysAgo(0).slice(0, 7)}-01`));
    await page.keyboard.press("ArrowRight");
    expect(await inUrl("period", "start")).toEqual(["month", null]);
  });

  it("a custom range of several years is shown, in all cards, and survives a reload", async () => {
    await open("&period=7d&panel=days");
    await page.getByLabel("Start date").fill(daysAgo(900));
    await page.getByLabel("End date").fill(daysAgo(100));
    await page.getByRole("button", { name: "Apply" }).click();
    await settled();
    expect([await inUrl("start", "end"), await visitors()]).toEqual([[daysAgo(900), daysAgo(100)], "4"]);
    expect(await rowsOf(page, "pages")).toEqual([["/", "4"]]);
    await page.reload();
    await settled();
    expect(await visitors()).toBe("4");
    const isWithoutFailure = async () => {
      expect(await page.locator(".failure").count()).toBe(0);
      expect(await page.getByText("can't be shown").count()).toBe(0);
    };
    await isWithoutFailure();
    await page.getByRole("link", { name: "Retention" }).click();
    for (const isReloaded of [false, true]) {
      if (isReloaded) await page.reload();
      await cardOf(page, "report").locator(".report:not(.stale)").first().waitFor();
      expect(await inUrl("report", "start", "end")).toEqual(["retention", daysAgo(900), daysAgo(100)]);
      await isWithoutFailure();
    }
    await open("&period=7d&panel=days");
    await page.getByLabel("Start date").fill("1990-01-01");
    await page.getByText(/^Choose up to 10,000 days: this range has [\d,]+\.$/).waitFor();
  });

  it("a week is compared with several years, and a year with the one before", async () => {
    const asked = page.waitForRequest((request) => request.url().includes("/api/stats/main?"));
    await page.goto(
      `${service.origin}/?site=${SITE}&period=7d&compare=custom&compare_start=${daysAgo(OLDEST_DAYS_AGO)}&compare_end=${daysAgo(10)}`,
    );
    expect(new URL((await asked).url()).searchParams.get("interval")).toBe("month");
    await settled();
    expect(await page.locator('[data-metric="visitors"] .change').textContent()).toBe("↓ down by 66.7%");
    await open(`&start=${daysAgo(799)}&end=${daysAgo(0)}&compare=year_over_year`);
    expect(await page.locator(".failure").count()).toBe(0);
  });

  it("a day can be shown by the minute, a month by the hour, and neither of them longer", async () => {
    await open("&period=day&chart=table");
    await choose(/^Interval: By hour/, "By minute");
    expect(await inUrl("interval")).toEqual(["minute"]);
    expect(await times().count()).toBe(1440);
    expect(await times().first().textContent()).toMatch(/, 0:00 UTC/);
    await page.keyboard.press("m");
    await page.getByRole("button", { name: "Interval: By day" }).click();
    expect(await page.getByRole("menuitemradio").allTextContents()).toEqual(["By hour", "By day", "By week"]);
    await page.keyboard.press("Escape");
    await page.keyboard.press("y");
    await page.getByRole("button", { name: "Interval: By week" }).click();
    expect(await page.getByRole("menuitemradio").allTextContents()).toEqual(["By day", "By week", "By month"]);
  });

  it("the axis of many points has texts that do not overlap, with years over years and round times in a day", async () => {
    for (const width of [320, 768, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      for (const [query, pattern] of [
        ["&period=all&interval=day", /^\w+ \d{4}$/],
        ["&period=all&interval=week", /^\w+ \d{4}$/],
        ["&period=all", /^\w+ \d{4}$/],
        ["&period=day&interval=minute", /^\d+:[03]0$/],
      ] as const) {
        await open(query);
        await page.waitForFunction("window.texts.length > 0");
        const drawn = await page.evaluate<DrawnText[]>("window.texts");
        const lowest = Math.max(...drawn.map(({ y }) => y));
        const ticks = drawn.filter(({ y }) => y === lowest);
        const last = ticks.slice(ticks.findLastIndex(({ left }, i) => left < (ticks[i - 1]?.left ?? Infinity)));
        expect(last.length, query).toBeGreaterThan(1);
        for (const [i, { text, left }] of last.entries()) {
          expect(text).toMatch(pattern);
          expect(left, `${query} at ${width}: ${text}`).toBeGreaterThan(last[i - 1]?.right ?? -Infinity);
        }
      }
    }
  });

  it("axe finds no accessibility violation with all time and with minutes, light and dark, at three widths", async () => {
    for (const [query, colorScheme, width] of [
      ["&period=all", "light", 1280],
      ["&period=day&interval=minute", "dark", 768],
      ["&period=year", "light", 320],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await open(query);
      await page.getByRole("button", { name: /^Period: / }).click();
      expect(await violationsNow(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")).toBe(0);
    }
  });
});
