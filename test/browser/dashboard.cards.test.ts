/** Cards and details in a real browser: long values, odd property names, small sites, the UTM menu, versions, and names of downloads. */
import { isDeepStrictEqual } from "node:util";
import type { Locator, Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { createDeferred } from "../support/deferred.ts";
import { nowMs } from "../support/fixed-clock.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { violationsOf } from "./support/accessibility.ts";
import { ACTION_MS_MAX } from "./support/dashboard-browser.ts";
import { cardOf, DAY_MS, noonDaysAgo, rowsOf, urlOf, utcDay, type Visit } from "./support/dashboard.ts";
import { useDashboard } from "./support/dashboard-instance.ts";

const SITE = "shop.example:8080";
const SMALL_SITE = "small.example";

/** A row of a list, in CSS pixels. */
const ROW_HEIGHT = 34;

const isLow = (height: number): boolean => height > 4 * ROW_HEIGHT && height < 9 * ROW_HEIGHT;

const NOON_YESTERDAY = noonDaysAgo(1);

const LONG_PATH = `/docs/${"a-segment-of-a-long-path/".repeat(40)}end`;
const LONG_VALUE = `${"x".repeat(900)} end`;

const visit = (steps: readonly string[], fields: Visit["fields"] = {}): Visit => ({ atMs: NOON_YESTERDAY, steps, fields });

const VISITS: readonly Visit[] = [
  ...Array.from({ length: 10 }, (_, i) => visit([`/page/${i}`], { referrerSource: `source-${i}.example`, hostname: "www.shop.example" })),
  visit([LONG_PATH, "/pricing"], { utmCampaign: "autumn", utmMedium: "email", os: "Windows", osVersion: "11" }),
  visit(["/", "!Signup"], { props: JSON.stringify({ "plan name": LONG_VALUE, größe: 42, "": "nameless", "it's": "quoted" }) }),
  visit(["/pricing"], { browser: "Safari", browserVersion: "147" }),
  visit(["/pricing"], { browser: "Safari", browserVersion: "17" }),
  visit(["/caf%C3%A9"], { hostname: "blog.shop.example" }),
];

describe("the cards of the dashboard", () => {
  const dashboard = useDashboard({
    visits: { [SITE]: VISITS, [SMALL_SITE]: [visit(["/"])] },
    context: { viewport: { width: 1280, height: 1600 } },
  });
  let service: ServerProcess;
  let page: Page;
  beforeEach(() => {
    ({ service, page } = dashboard);
  });

  async function open(query: string, site = SITE): Promise<void> {
    await page.goto(`${service.origin}/?site=${site}&period=7d${query}`);
    await cardOf(page, "from").scrollIntoViewIfNeeded();
    await page.locator("[data-card=from] .report").waitFor();
    await page.locator(".stale, .loading").first().waitFor({ state: "detached" });
  }

  const inUrl = async (name: string) => (await urlOf(page)).searchParams.get(name);
  const heightOf = async (element: Locator): Promise<number> => (await element.boundingBox())?.height ?? 0;
  const numberOf = (element: Locator, property: "clientHeight" | "clientWidth" | "scrollHeight" | "scrollWidth"): Promise<number> =>
    element.evaluate((node, name) => Number((node as unknown as Record<string, unknown>)[name]), property);
  const details = (card: string) => cardOf(page, card).getByRole("button", { name: /^Details/ });

  it("the search of a details dialog ends with the dialog", async () => {
    await open("");
    await details("pages").click();
    const dialog = page.getByRole("dialog", { name: "Top pages" });
    await dialog.getByLabel("Search").fill("pricing");
    expect(await inUrl("search")).toBe("pricing");
    await dialog.getByRole("button", { name: "/pricing" }).click();
    expect([await inUrl("panel"), await inUrl("search")]).toEqual([null, null]);
    await details("devices").click();
    expect(await page.getByRole("dialog").getByLabel("Search").inputValue()).toBe("");
  });

  it("a page is shown readably, filters by its stored path, and its link opens the host on which it was viewed", async () => {
    await open("");
    await details("pages").click();
    await page.getByRole("dialog").getByRole("button", { name: "/café" }).click();
    expect(await inUrl("filters")).toBe("pages==/caf%C3%A9");
    const link = cardOf(page, "pages").getByRole("link", { name: "Open /café in a new tab" });
    let isLost = true;
    await page.route("**/breakdown/hostnames?*", (route) => (isLost ? route.abort() : route.continue()));
    const lost = page.waitForEvent("requestfailed", (request) => request.url().includes("/breakdown/hostnames?"));
    await link.focus();
    await lost;
    expect(await link.getAttribute("href")).toBe(`https://${SITE}/caf%C3%A9`);
    isLost = false;
    // It is asked for at each focus until it is known.
    const hrefAtFocus = async () => {
      await link.blur();
      await link.focus();
      return link.getAttribute("href");
    };
    await expect.poll(hrefAtFocus, { timeout: ACTION_MS_MAX }).toBe("https://blog.shop.example/caf%C3%A9");
  });

  it("the details of entry pages count visits, not page views", async () => {
    await open("&panel=entry-pages");
    await page.getByRole("rowheader").first().waitFor();
    const heads = (await page.getByRole("columnheader").allTextContents()).map((text) => text.replace("↓", "").trim());
    expect(heads).toEqual(["Entry page", "Visitors", "Share", "Visits", "Bounce rate", "Visit duration", "Views per visit"]);
  });

  it("a long value takes one line of a card, and can be read whole by its tooltip and in the details, by keyboard and on a phone", async () => {
    await page.setViewportSize({ width: 320, height: 700 });
    await open("");
    await cardOf(page, "pages").scrollIntoViewIfNeeded();
    const row = cardOf(page, "pages").locator(".row", { hasText: "/docs/" });
    expect(await heightOf(row)).toBe(ROW_HEIGHT);
    expect(await row.locator(".row-button").getAttribute("data-tip")).toContain(LONG_PATH);
    await details("pages").click();
    const cell = page.getByRole("dialog").getByRole("rowheader", { name: /docs/ });
    const value = cell.locator(".value");
    const [shown, needed] = [await numberOf(value, "clientHeight"), await numberOf(value, "scrollHeight")];
    expect(needed).toBeGreaterThan(5 * shown);
    expect(await violationsOf(page)).toEqual([]);
    await cell.getByRole("button", { name: "Show all" }).focus();
    await page.keyboard.press("Enter");
    await cell.getByRole("button", { name: "Show less", expanded: true }).waitFor();
    // Lines of a cut text are a fraction of a pixel higher.
    expect(await heightOf(value)).toBeGreaterThan(0.99 * needed);
    expect(await numberOf(cell, "scrollWidth")).toBe(await numberOf(cell, "clientWidth"));
    expect(await numberOf(page.locator("html"), "scrollWidth")).toBe(320);
  });

  it("every property that is listed shows its values, whatever its name, and a long value whole on request", async () => {
    await page.goto(`${dashboard.service.origin}/?site=${SITE}&view=explore&report=properties`);
    const card = cardOf(page, "report");
    const property = card.getByLabel("Property");
    await property.locator("option").first().waitFor({ state: "attached" });
    expect(await property.locator("option").allTextContents()).toEqual(["(empty)", "größe", "it's", "plan name"].sort());
    for (const [name, value] of [
      ["größe", "42"],
      ["it's", "quoted"],
      ["", "nameless"],
    ] as const) {
      await property.selectOption(name);
      await card.locator(".report:not(.stale) .row", { hasText: value }).waitFor();
    }
    await property.selectOption("plan name");
    const row = card.locator(".row", { hasText: "xxx" });
    expect(await heightOf(row)).toBe(ROW_HEIGHT);
    await row.getByRole("button").press("Enter");
    expect(await heightOf(row)).toBeGreaterThan(3 * ROW_HEIGHT);
    expect(await numberOf(row.locator(".row-label"), "scrollWidth")).toBe(await numberOf(row.locator(".row-label"), "clientWidth"));
    expect(await violationsOf(page)).toEqual([]);
  });

  it("cards of a small site are low, those of a row equally so, and a sentence with code is one sentence", async () => {
    await open("", SMALL_SITE);
    await cardOf(page, "did").scrollIntoViewIfNeeded();
    const sentence = cardOf(page, "did").locator(".empty");
    await sentence.waitFor();
    const heights = () => Promise.all(["changes", "pages", "places", "from", "did", "devices"].map((card) => heightOf(cardOf(page, card))));
    // Until all have loaded, they are as high as their placeholders.
    await expect
      .poll(heights, { timeout: ACTION_MS_MAX })
      .toSatisfy((found: readonly number[]) => isDeepStrictEqual(found.slice(3), found.slice(0, 3)) && found.slice(0, 2).every(isLow));
    expect(await sentence.innerText()).toBe('No goals yet. Track one with svc("Signup").');
  });

  it("the tooltip of a number says what it counts: of one visitor, in the singular", async () => {
    await open("", SMALL_SITE);
    expect(await cardOf(page, "pages").locator(".row-button").first().getAttribute("data-tip")).toMatch(/^1 visitor\n/);
  });

  it("a card below the screen shows where its rows will be, and keeps its height while another tab loads", async () => {
    await page.setViewportSize({ width: 1280, height: 600 });
    await open("&devices=os");
    await cardOf(page, "devices").locator(".skeleton").waitFor();
    expect(await cardOf(page, "devices").locator(".loading").count()).toBe(0);
    const card = cardOf(page, "pages");
    await card.scrollIntoViewIfNeeded();
    await card.locator(".row").first().waitFor();
    const before = await heightOf(card);
    const asked = createDeferred<void>();
    const answered = createDeferred<void>();
    await page.route("**/breakdown/hostnames?*", async (route) => {
      asked.resolve();
      await answered.promise;
      await route.continue();
    });
    await card.getByRole("tab", { name: "Hostnames" }).click();
    await asked.promise;
    await card.getByRole("status", { name: "Loading" }).waitFor();
    expect(await heightOf(card)).toBe(before);
    answered.resolve();
    await card.locator(".row", { hasText: "www.shop.example" }).waitFor();
  });

  it("visits without a campaign are a note below the campaigns, whose bars compare them with each other; a click filters by it", async () => {
    await open("&from=visit-utm-campaigns");
    const card = cardOf(page, "from");
    expect(await rowsOf(page, "from")).toEqual([["autumn", "1"]]);
    expect(await card.locator(".row-bar").first().getAttribute("style")).toContain("100%");
    // The share needs the sum of another report.
    await expect.poll(() => card.locator(".row .row-share").allTextContents(), { timeout: ACTION_MS_MAX }).toEqual(["6.7%"]);
    await card.getByRole("button", { name: "14 visitors without a campaign" }).click();
    expect(await inUrl("filters")).toBe("visit-utm-campaigns==(unknown)");
    await card.getByRole("button", { name: "14 visitors without a campaign", pressed: true }).waitFor();
    await card.getByText("Nothing recorded").waitFor();
    await open("&panel=visit-utm-campaigns");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("1 campaign", { exact: true }).waitFor();
    expect(await dialog.locator("tbody th").allTextContents()).toEqual(["autumn"]);
    expect(await dialog.locator("tfoot th").allTextContents()).toEqual(["(none)"]);
    expect(await violationsOf(page)).toEqual([]);
  });

  it("a details dialog keeps its height while a search finds fewer values", async () => {
    await open("&panel=pages");
    const dialog = page.getByRole("dialog", { name: "Top pages" });
    await dialog.getByText("14 pages").waitFor();
    const before = await heightOf(dialog);
    await dialog.getByLabel("Search").fill("pricing");
    await dialog.getByText("1 page", { exact: true }).waitFor();
    expect(await heightOf(dialog)).toBe(before);
  });

  it("one menu has the campaigns of visits and shows the chosen one, by keyboard and on a phone", async () => {
    await page.setViewportSize({ width: 320, height: 700 });
    await open("");
    const card = cardOf(page, "from");
    await card.getByRole("button", { name: "Campaigns" }).press("Enter");
    const items = card.getByRole("menuitemradio");
    expect(await items.allTextContents()).toEqual(["Campaign", "UTM source", "UTM medium", "UTM content", "UTM term"]);
    const menu = (await card.getByRole("menu").boundingBox()) ?? { x: -1, width: 0 };
    expect(menu.x).toBeGreaterThanOrEqual(0);
    expect(menu.x + menu.width).toBeLessThanOrEqual(320);
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    expect(await inUrl("from")).toBe("visit-utm-mediums");
    await card.getByRole("button", { name: "UTM medium", exact: true }).waitFor();
    await card.locator(".row", { hasText: "email" }).waitFor();
    expect(await card.getByRole("tab", { selected: true }).count()).toBe(0);
    await card.getByRole("tab", { name: "Channels" }).focus();
    await page.keyboard.press("ArrowRight");
    expect(await inUrl("from")).toBe("visit-sources");
  });

  it("tabs are whole at every width from 320 to 1600 pixels, on one line but on a phone", async () => {
    await open("&from=utm-contents");
    for (const width of [320, 360, 390, 480, 640, 641, 768, 900, 901, 1024, 1280, 1600]) {
      await page.setViewportSize({ width, height: 900 });
      const cut = await page.evaluate<string[]>(`[...document.querySelectorAll(".card")].flatMap((card) => {
        const box = card.getBoundingClientRect();
        return [...card.querySelectorAll(".tab-list button, .tab-menu")]
          .filter((tab) => {
            const { left, right } = tab.getBoundingClientRect();
            return left < box.left || right > box.right || tab.scrollWidth > tab.clientWidth;
          })
          .map((tab) => tab.textContent);
      })`);
      const lines = await page.evaluate<number[]>(`[...document.querySelectorAll(".cards .tabs")].map((tabs) =>
        new Set([...tabs.querySelectorAll(".tab-list button, .tab-menu")].map((tab) => tab.getBoundingClientRect().bottom)).size)`);
      expect({ width, cut }).toEqual({ width, cut: [] });
      expect(Math.max(...lines), `at ${width} pixels`).toBeLessThanOrEqual(width > 640 ? 1 : 2);
    }
  });

  it("a version is named with its browser, and offered as a filter only beside one", async () => {
    await open("&filters=browsers==Safari");
    expect(await rowsOf(page, "devices")).toEqual([
      ["Safari 147", "1"],
      ["Safari 17", "1"],
    ]);
    await details("devices").click();
    const dialog = page.getByRole("dialog", { name: "Browser versions" });
    await dialog.getByRole("button", { name: "Safari 17" }).click();
    await page.getByRole("button", { name: "Remove filter: Browser version is Safari 17" }).waitFor();
    await open("&filters=os==Windows&devices=os");
    expect(await rowsOf(page, "devices")).toEqual([["Windows 11", "1"]]);
    const offered = async (query: string) => {
      await open(`${query}&panel=filter`);
      const dimensions = page.getByLabel("Filter by");
      await dimensions.waitFor();
      return dimensions.locator("option", { hasText: "version" }).allTextContents();
    };
    expect(await offered("")).toEqual([]);
    expect(await offered("&filters=browsers==Safari")).toEqual(["Browser version"]);
    await page.getByLabel("Filter by").selectOption("browser-versions");
    await page.getByRole("combobox", { name: "Value" }).click();
    await page
      .getByRole("listbox")
      .getByRole("option", { name: /Safari 17/ })
      .waitFor();
    expect(await page.getByRole("listbox").getByRole("option").count()).toBe(2);
    await open("&panel=browser-versions");
    await page.getByText("Equal versions of different browsers are counted together.").waitFor();
  });

  it("downloads are named by site, report and days", async () => {
    const [start, end] = [utcDay(nowMs() - 6 * DAY_MS), utcDay(nowMs())];
    const nameOf = async (button: string): Promise<string> => {
      const download = page.waitForEvent("download");
      await page.getByRole("dialog").getByRole("button", { name: button }).click();
      return (await download).suggestedFilename();
    };
    await open("&panel=pages");
    expect(await nameOf("Download: CSV")).toBe(`shop.example_8080-pages-${start}-to-${end}.csv`);
    await open(`&panel=export&filters=pages==/pricing&start=${end}&end=${end}`);
    expect(await nameOf("Download")).toBe(`shop.example_8080-daily-${end}-filtered.csv`);
  });
});
