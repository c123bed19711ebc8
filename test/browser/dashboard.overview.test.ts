/** The page of all sites, in a real browser: cards, search, order, pins, keys, and the way to a site and back. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Locator, Page } from "playwright-core";
import { nowMs } from "../support/fixed-clock.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { violationsOf } from "./support/accessibility.ts";
import { VISITOR_USER_AGENT } from "./support/browser.ts";
import { ACTION_MS_MAX } from "./support/dashboard-browser.ts";
import { noonDaysAgo, urlOf, utcDay, type Visit } from "./support/dashboard.ts";
import { useDashboard } from "./support/dashboard-instance.ts";

const visits = (count: number, days: number): Visit[] => Array.from({ length: count }, () => ({ atMs: noonDaysAgo(days), steps: ["/"] }));

describe("the page of all sites", () => {
  const dashboard = useDashboard({
    visits: {
      "blog.example": visits(1, 2),
      "docs.example": [...visits(2, 3), ...visits(4, 10)],
      // Those of 32 days ago are between the last 30 days and the window that begins on the same weekday.
      "shop.example": [...visits(5, 1), ...visits(2, 10), ...visits(3, 32), ...visits(4, 40), ...visits(1, 70)],
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

  // Choices of a test are not where the next one begins.
  afterEach(() => page.evaluate("try { localStorage.removeItem('sandpiper.view') } catch {}"));

  const cardOf = (site: string) => page.locator(".site-card", { hasText: site });
  const poll = <T>(read: () => Promise<T>) => expect.poll(read, { timeout: ACTION_MS_MAX });
  const query = async () => Object.fromEntries((await urlOf(page)).searchParams);
  const names = (): Promise<string[]> => page.locator(".site-card h2 a").allTextContents();

  it("shows a card of each site, most visitors first, with the change of the period", async () => {
    await open("?period=7d");
    expect(await names()).toEqual(["shop.example", "docs.example", "blog.example"]);
    const figures = await page.locator(".site-metrics").allTextContents();
    expect(figures[0]).toContain("5 visitors");
    expect(figures[0]).toContain("up by 150.0%");
    expect(figures[1]).toContain("down by 50.0%");
    // With five visitors, any change may be chance.
    expect(await page.locator(".site-card .change:not(.dim)").count()).toBe(0);
    expect(figures[2]).not.toContain("by");
  });

  it("search narrows the cards, and says when no site matches", async () => {
    await open();
    await page.keyboard.press("/");
    await page.keyboard.type("DOCS");
    await poll(names).toEqual(["docs.example"]);
    await page.keyboard.type("x");
    await page.getByRole("status").getByText("No matches").waitFor();
  });

  it("a card's change is that of the dashboard that it opens, and names the dates that it is against", async () => {
    await open();
    const card = cardOf("shop.example");
    const change = await card.locator(".change").textContent();
    expect(change).toContain("up by 75.0%");
    const explanation = await card.locator(".site-change").getAttribute("data-tip");
    const dates = /^vs\. \d.*(?=: 4 visitors$)/.exec(explanation ?? "")?.[0];
    expect(await card.getByRole("link").getAttribute("aria-description")).toBe(`shop.example\n${explanation}`);
    expect(await card.textContent()).toContain(`${change} ${dates}`);
    await card.locator(".change").click();
    await poll(() => page.locator('[data-metric="visitors"] .change').textContent()).toBe(change);
    await page.getByRole("button", { name: `Compare: ${dates}` }).click();
    await page.getByRole("menuitemradio", { name: `(${dates?.slice("vs. ".length)})`, checked: true }).waitFor();
  });

  it("order and search are in the URL: a reload and Back from a site keep them", async () => {
    await open("?period=7d");
    await page.getByRole("button", { name: "Sort: Most visitors" }).click();
    await page.getByRole("menuitemradio", { name: "Name" }).click();
    await poll(names).toEqual(["blog.example", "docs.example", "shop.example"]);
    await page.keyboard.press("/");
    await page.keyboard.type("o.e");
    await poll(query).toEqual({ period: "7d", sort: "name", q: "o.e" });
    await page.keyboard.press("Backspace");
    await page.keyboard.press("Backspace");
    await poll(names).toEqual(["blog.example", "docs.example", "shop.example"]);
    await page.reload();
    await poll(names).toEqual(["blog.example", "docs.example", "shop.example"]);
    expect(await page.getByLabel("Search sites").inputValue()).toBe("o");
    await cardOf("docs.example").getByRole("link").click();
    await poll(query).toEqual({ site: "docs.example", period: "7d" });
    await page.goBack();
    await poll(query).toEqual({ period: "7d", sort: "name", q: "o" });
    await poll(names).toEqual(["blog.example", "docs.example", "shop.example"]);
    await page.goBack();
    await poll(query).toEqual({ period: "7d" });
    expect((await names())[0]).toBe("shop.example");
  });

  it("begins with the period that was chosen last, and opens sites with the tabs that were", async () => {
    await open();
    await page.getByRole("button", { name: "Period: Last 30 days" }).click();
    await page.getByRole("menuitemradio", { name: "Last 7 days" }).click();
    await poll(query).toEqual({ period: "7d" });
    await page.keyboard.press("3");
    await page.getByRole("tab", { name: "Referrers" }).click();
    await poll(query).toEqual({ site: "shop.example", period: "7d", from: "visit-referrers" });
    await page.getByRole("link", { name: "All sites" }).click();
    await poll(query).toEqual({ period: "7d" });
    await open();
    await poll(query).toEqual({ period: "7d" });
    await cardOf("docs.example").getByRole("link").click();
    await poll(query).toEqual({ site: "docs.example", period: "7d", from: "visit-referrers" });
  });

  it("today's line ends at the present hour", async () => {
    await page.clock.setFixedTime(`${utcDay(nowMs())}T06:30:00Z`);
    await open("?period=day");
    expect((await page.locator(".sparkline polyline").first().getAttribute("points"))?.split(" ")).toHaveLength(7);
  });

  it("keys move between cards and open one, whose dashboard has the focus", async () => {
    await open("?period=7d");
    const focused = (): Promise<unknown> => page.evaluate("document.activeElement.id || document.activeElement.textContent");
    await page.locator(".site-card h2 a").first().focus();
    for (const [key, name] of [
      ["ArrowRight", "docs.example"],
      ["End", "blog.example"],
      ["ArrowLeft", "docs.example"],
      ["Home", "shop.example"],
    ] as const) {
      await page.keyboard.press(key);
      await poll(focused).toBe(name);
    }
    await page.keyboard.press("Tab");
    await poll(() => page.evaluate("document.activeElement.ariaLabel")).toBe("Pin shop.example");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Site: shop.example" }).waitFor();
    await poll(focused).toBe("content");
    await page.goBack();
    await page.locator(".site-card").first().waitFor();
    await poll(focused).toBe("content");
  });

  it("where storage is refused, pins last as long as the page", async () => {
    const errors: string[] = [];
    page.on("pageerror", ({ message }) => errors.push(message));
    await page.addInitScript(
      "Object.defineProperty(self, 'localStorage', { get() { throw new DOMException('refused', 'SecurityError'); } })",
    );
    await open("?period=7d");
    await page.getByRole("button", { name: "Pin blog.example" }).focus();
    await page.keyboard.press("Enter");
    await poll(async () => (await names())[0]).toBe("blog.example");
    await poll(() => page.evaluate("document.activeElement.ariaLabel")).toBe("Pin blog.example");
    expect(errors).toEqual([]);
  });

  it("a pinned site comes first, also after a reload", async () => {
    await open();
    await page.getByRole("button", { name: "Pin blog.example" }).click();
    expect((await names())[0]).toBe("blog.example");
    await open();
    expect((await names())[0]).toBe("blog.example");
    await page.getByRole("button", { name: "Pin blog.example" }).click();
  });

  it("a number key opens the same site here and in its dashboard, whatever the order: pinned ones first, then by name", async () => {
    const keysOf = (items: Locator) =>
      items.evaluateAll((found) =>
        found.map((item) => [...item.querySelectorAll("a, .menu-text, kbd")].map(({ textContent }) => textContent).join(" ")),
      );
    await open("?period=7d");
    await page.getByRole("button", { name: "Pin docs.example" }).click();
    await poll(() => keysOf(page.locator(".site-card h2"))).toEqual(["docs.example 1", "shop.example 3", "blog.example 2"]);
    await page.keyboard.press("2");
    await page.getByRole("button", { name: "Site: blog.example" }).click();
    expect(await keysOf(page.getByRole("menuitemradio"))).toEqual(["docs.example 1", "blog.example 2", "shop.example 3"]);
    await page.keyboard.press("3");
    await page.getByRole("button", { name: "Site: shop.example" }).waitFor();
    await page.evaluate("localStorage.removeItem('sandpiper.pinned')");
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
    expect(await query()).toEqual({ period: "7d" });
  });

  it("the logo of a site's dashboard leads back, with its period", async () => {
    await open("?period=7d");
    await page.keyboard.press("3");
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
      [
        "Add a site",
        "API keys",
        "Theme: System",
        "Theme: Light",
        "Theme: Dark",
        "English",
        "Deutsch",
        "Français",
        "Español",
        "Help?",
        "Set a password",
      ].map((item) => item.replace(/\W+$/, "")),
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

  // The last one: it records a visitor.
  it("after an outage, the first figures are those of then, not those of before it until the next refresh", async () => {
    const visitorsNow = () => cardOf("blog.example").locator("strong").textContent();
    await page.clock.install({ time: nowMs() });
    await open("?period=90d");
    const before = await visitorsNow();
    await Promise.all([page.waitForResponse(/\/api\/stats\/overview/), page.clock.fastForward(10_000)]);
    // Not unrouted afterwards: a request that is held at that moment may never be answered.
    let isDown = true;
    await page.route("**/api/**", (route) => (isDown ? route.abort() : route.continue()));
    await page.clock.fastForward(10_000);
    await page.locator(".offline").waitFor();
    await fetch(`${service.origin}/api/event`, {
      method: "POST",
      headers: { "user-agent": VISITOR_USER_AGENT },
      body: JSON.stringify({ d: "blog.example", n: "pageview", u: "https://blog.example/" }),
    });
    await page.clock.pauseAt(nowMs() + 60_000);
    isDown = false;
    const afterMs = async <T>(ms: number, read: () => Promise<T>): Promise<T> => {
      await page.clock.runFor(ms);
      return read();
    };
    await poll(() => afterMs(1000, () => page.locator(".offline").count())).toBe(0);
    // Far less than the pause before a refresh.
    await expect.poll(() => afterMs(50, visitorsNow), { timeout: ACTION_MS_MAX, interval: 150 }).toBe(String(Number(before) + 1));
  });
});
