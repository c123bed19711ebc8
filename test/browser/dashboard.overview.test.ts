/** The page of all sites, in a real browser: cards, search, order, pins, keys, and the way to a site and back. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import type { ServerProcess } from "../support/server-process.ts";
import { violationsOf } from "./support/accessibility.ts";
import { DAY_MS, urlOf, type Visit } from "./support/dashboard.ts";
import { useDashboard } from "./support/dashboard-instance.ts";

const daysAgo = (days: number): number => Math.floor(Date.now() / DAY_MS) * DAY_MS - days * DAY_MS + DAY_MS / 2;
const visits = (count: number, days: number): Visit[] => Array.from({ length: count }, () => ({ atMs: daysAgo(days), steps: ["/"] }));

describe("the page of all sites", () => {
  const dashboard = useDashboard({
    visits: {
      "blog.example": visits(1, 2),
      "docs.example": [...visits(2, 3), ...visits(4, 10)],
      "shop.example": [...visits(5, 1), ...visits(2, 10)],
    },
    context: { viewport: { width: 1280, height: 900 } },
  });
  let service: ServerProcess;
  let page: Page;
  beforeEach(() => {
    ({ service, page } = dashboard);
  });

  async function open(query = ""): Promise<void> {
    await page.goto(`${service.origin}/${query}`);
    await page.locator(".site-card").first().waitFor();
  }

  const names = (): Promise<string[]> => page.locator(".site-card h2 a").allTextContents();

  it("shows a card of each site, most visitors first, with the change of the period", async () => {
    await open("?period=7d");
    expect(await names()).toEqual(["shop.example", "docs.example", "blog.example"]);
    const figures = await page.locator(".site-figures").allTextContents();
    expect(figures[0]).toContain("5 visitors");
    expect(figures[0]).toContain("up by 150%");
    expect(figures[1]).toContain("down by 50%");
    expect(figures[2]).not.toContain("by");
  });

  it("search narrows the cards, and says when no site matches", async () => {
    await open();
    await page.keyboard.press("/");
    await page.keyboard.type("DOCS");
    expect(await names()).toEqual(["docs.example"]);
    await page.keyboard.type("x");
    await page.getByText("No matches").waitFor();
  });

  it("a pinned site comes first, also after a reload", async () => {
    await open();
    await page.getByRole("button", { name: "Pin blog.example" }).click();
    expect((await names())[0]).toBe("blog.example");
    await open();
    expect((await names())[0]).toBe("blog.example");
    await page.getByRole("button", { name: "Pin blog.example" }).click();
  });

  it("keys open a site with the period of the page, and Back and the switcher lead to all sites again", async () => {
    await open("?period=7d");
    await page.keyboard.press("2");
    await page.getByRole("button", { name: "Site: docs.example" }).waitFor();
    expect(Object.fromEntries((await urlOf(page)).searchParams)).toEqual({ site: "docs.example", period: "7d" });
    await page.goBack();
    await page.locator(".site-card").first().waitFor();
    await page.locator(".site-card h2 a").first().click();
    await page.getByRole("button", { name: "Site: shop.example" }).click();
    await page.getByRole("menuitem", { name: "All sites" }).click();
    await page.locator(".site-card").first().waitFor();
  });

  it("the logo of a site's dashboard leads back, with its period", async () => {
    await open("?period=7d");
    await page.keyboard.press("1");
    await page.getByRole("button", { name: "Site: shop.example" }).waitFor();
    await page.getByRole("link", { name: "All sites" }).click();
    await page.locator(".site-card").first().waitFor();
    expect(Object.fromEntries((await urlOf(page)).searchParams)).toEqual({ period: "7d" });
  });

  it("says that no password is set, and has the menu of account and theme without what belongs to a site", async () => {
    await open();
    await page.getByText("No password is set").waitFor();
    await page.getByRole("button", { name: "Menu" }).click();
    const items = await page.getByRole("menu").locator("[role^=menuitem]").allTextContents();
    expect(items.map((item) => item.replace(/\W+$/, ""))).toEqual(
      ["Add a site", "API keys", "Theme: System", "Theme: Light", "Theme: Dark", "Help?", "Set a password"].map((item) =>
        item.replace(/\W+$/, ""),
      ),
    );
    await page.keyboard.press("Escape");
  });

  it("help lists its keys, and an open dialog turns them off; dialogs of a site do not open", async () => {
    await open();
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Help" });
    await help.getByText("Search sites").waitFor();
    expect(await help.getByText("Realtime").count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press("1");
    expect((await urlOf(page)).searchParams.get("site")).toBeNull();
    await page.keyboard.press("Escape");
    await open("?panel=erase");
    await page.waitForFunction("!location.search.includes('panel')");
  });

  it("is dark where the system is", async () => {
    await page.emulateMedia({ colorScheme: "dark" });
    await open();
    expect(await violationsOf(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: "light" });
  });

  it("says on paper what it shows, without what only works on a screen", async () => {
    await open("?period=7d");
    await page.emulateMedia({ media: "print" });
    await page.getByRole("heading", { name: "All sites, Last 7 days" }).waitFor();
    expect((await page.getByRole("heading", { level: 1 }).boundingBox())?.height).toBeGreaterThan(10);
    for (const hidden of [".bar", ".sites-search", ".pin", ".notice"]) expect(await page.locator(hidden).first().isVisible()).toBe(false);
    await page.emulateMedia({ media: "screen" });
  });

  it("fits narrow and wide windows, and has no accessibility violations", async () => {
    for (const width of [320, 768, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await open();
      const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
      expect(overflow, `${width} px`).toBeLessThanOrEqual(0);
    }
    expect(await violationsOf(page)).toEqual([]);
  });
});
