/** Moving through the dashboard in a real browser: menus and dialogs by key, the focus, Back, and what the next visit remembers. */
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Page } from "playwright-core";
import { nowMs } from "../support/fixed-clock.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { ACTION_MS_MAX } from "./support/dashboard-browser.ts";
import { cardOf, DAY_MS, urlOf, type Visit } from "./support/dashboard.ts";
import { useDashboard } from "./support/dashboard-instance.ts";

const PASSWORD = "correct horse battery";

/** Enough for a search in the menu of sites. */
const SITES = [
  "shop.example",
  "apple.example",
  "banana.example",
  "cherry.example",
  "damson.example",
  "elder.example",
  "fig.example",
  "grape.example",
  "hazel.example",
  "ivy.example",
] as const;
const [SITE] = SITES;

const atMs = nowMs() - DAY_MS;
const VISITS: Readonly<Record<string, readonly Visit[]>> = {
  ...Object.fromEntries(SITES.map((site) => [site, [{ atMs, steps: ["/"] }]])),
  [SITE]: [
    { atMs, steps: ["/", "/pricing", "!Signup"] },
    { atMs, steps: ["/", "/blog"] },
  ],
};

describe("navigation in the dashboard", () => {
  const dashboard = useDashboard({
    visits: VISITS,
    environment: { SVC_ADMIN_PASSWORD: PASSWORD },
    context: { viewport: { width: 1280, height: 1600 } },
  });
  let service: ServerProcess;
  let page: Page;
  beforeEach(() => {
    ({ service, page } = dashboard);
  });

  async function open(query = ""): Promise<void> {
    await page.goto(`${service.origin}/?site=${SITE}${query}`);
    await page.locator('[data-metric="visitors"] .top-stat-value', { hasText: /\d/ }).waitFor();
  }

  const openExplore = (report: string, query = "") => page.goto(`${service.origin}/?site=${SITE}&view=explore&report=${report}${query}`);

  const button = (name: string | RegExp) => page.getByRole("button", { name });
  /** The label of what has the focus. */
  const focused = (): Promise<unknown> =>
    page.evaluate(`(({ ariaLabel, labels, textContent }) => ariaLabel ?? labels?.[0]?.textContent ?? textContent)(document.activeElement)`);
  const press = (key: string) => page.keyboard.press(key);
  const focusIs = (text: string | RegExp) => expect.poll(focused, { timeout: ACTION_MS_MAX }).toMatch(text);
  const query = async () => (await urlOf(page)).search;

  it("a menu opened by key focuses the chosen item, and arrows, Home, End and letters move through its items", async () => {
    await open("&period=7d");
    await button(/^Period:/).focus();
    await press("Enter");
    await focusIs("Last 7 days");
    await press("ArrowDown");
    await focusIs("Last 30 days");
    await press("End");
    await focusIs("Realtime");
    await press("ArrowDown");
    await focusIs("Today");
    await press("c");
    await focusIs("Custom range…");
    await press("Escape");
    await focusIs(/^Period:/);
    await press("ArrowUp");
    await focusIs("Last 7 days");
    await press("Home");
    await press("l");
    await press("Enter");
    expect(await query()).toContain("period=7d");
    await focusIs(/^Period:/);
  });

  it("a menu of actions focuses its first item even if a further group has a chosen one, and its shown shortcuts work", async () => {
    await open();
    await button("Menu").focus();
    await press("ArrowDown");
    await focusIs("Explore");
    expect(await page.getByRole("menuitemradio", { name: "Theme: System" }).getAttribute("aria-checked")).toBe("true");
    await press("?");
    await page.getByRole("dialog", { name: "Help" }).waitFor();
  });

  it("a dialog opened by key focuses its first field, and closing it returns the focus to what opened it", async () => {
    await open();
    await button("Filter").focus();
    await press("f");
    await focusIs("Filter by");
    await press("Escape");
    await focusIs("Filter");
    for (const [item, control] of [
      ["API keys…", "Name"],
      ["Export…", "Daily totals"],
      ["Delete events…", "Start date"],
      ["Check the installation…", "Check again"],
      ["Help", "Help"],
    ] as const) {
      await button("Menu").click();
      await page.getByRole("menuitem", { name: item }).click();
      await page.getByRole("dialog").waitFor();
      await focusIs(control);
      await press("Escape");
      await focusIs("Menu");
    }
  });

  it("a dialog focuses a field that appears once its report has loaded", async () => {
    await open();
    await button("Details of Top pages").focus();
    await press("Enter");
    await focusIs("Search");
    await press("Escape");
    await focusIs("Details of Top pages");
  });

  it("removing a filter moves the focus to the next one, and after the last to the Filter button", async () => {
    await open("&filters=pages==/;browsers==Chrome;os!=Windows");
    await button(/Remove filter: Page/).focus();
    await press("Enter");
    await focusIs(/Remove filter: Browser/);
    await press("End");
    await button(/Remove filter: OS/).focus();
    await press("Enter");
    await focusIs(/Remove filter: Browser/);
    await press("Enter");
    await focusIs("Filter");
    await page.goBack();
    await button(/Remove filter: Browser/).focus();
    await press("Escape");
    await focusIs("Filter");
    expect(await query()).not.toContain("filters");
  });

  it("Escape closes the topmost thing alone: a second one just after it clears no filters, and those that it clears come back", async () => {
    await page.clock.install({ time: nowMs() });
    await open("&filters=pages==/");
    const filters = async () => new URLSearchParams(await query()).get("filters");
    await button(/^Period:/).click();
    await press("Escape");
    await press("Escape");
    await page.locator(".menu-list").waitFor({ state: "detached" });
    expect(await filters()).toBe("pages==/");
    // From then on no time passes, in which the message with the button would end.
    await page.clock.pauseAt(nowMs() + 60_000);
    // The clock is that of all pages of the window.
    onTestFinished(() => page.clock.resume());
    await press("Escape");
    await expect.poll(filters, { timeout: ACTION_MS_MAX }).toBeNull();
    await page.getByRole("status").getByText("Filters cleared").waitFor();
    await button("Undo").click();
    await expect.poll(filters, { timeout: ACTION_MS_MAX }).toBe("pages==/");
  });

  it("what a metric counts and its exact values are explained to the keyboard and to a finger, and Escape hides them", async () => {
    await open("&filters=pages==/");
    const explanation = page.getByRole("tooltip");
    const metric = page.locator('[data-metric="bounce_rate"]');
    await button("Menu").focus();
    while (!(await metric.evaluate((element) => element === element.ownerDocument.activeElement))) await press("Tab");
    await explanation.getByText("Share of").waitFor();
    await press("Escape");
    await explanation.waitFor({ state: "detached" });
    expect(await query()).toContain("filters");
    await metric.dispatchEvent("pointerdown", { pointerType: "touch" });
    await metric.dispatchEvent("click");
    await explanation.getByText("Share of").waitFor();
    await page.locator("main").dispatchEvent("click");
    await explanation.waitFor({ state: "detached" });
    // A row has its own in its menu.
    await cardOf(page, "pages").locator(".row-button").first().focus();
    await press("Shift+F10");
    await page.locator(".menu-note", { hasText: /^2 visitors/ }).waitFor();
  });

  it("a filter changed from its pill leaves the focus on the page", async () => {
    await open("&filters=pages==/");
    await page.getByTitle("Change this filter").click();
    await page.getByLabel("Operator").selectOption("is not");
    await page.getByRole("dialog").getByRole("button", { name: "Filter" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.locator("#content:focus").waitFor();
  });

  it("where the focused element goes, the card around it has the focus", async () => {
    const isFocused = (selector: string) =>
      expect.poll(() => page.locator(selector).evaluate((card) => card.matches(":focus")), { timeout: ACTION_MS_MAX }).toBe(true);
    await open("&filters=pages==/nowhere");
    await page.locator("[data-card=from]").getByRole("button", { name: "Clear filters" }).focus();
    await press("Enter");
    await isFocused("[data-card=from]");
    // The row gives way to the versions of the browser.
    await page.locator("[data-card=devices]").getByRole("button", { name: "Chrome" }).focus();
    await press("Enter");
    await isFocused("[data-card=devices]");
    await openExplore("flow", "&page=/");
    await page.locator("[data-card=report]").getByRole("button", { name: "/pricing" }).focus();
    await press("Enter");
    await isFocused('section[aria-label="Next pages"]');
  });

  it("picking a step moves the focus to the next one, and removing a step keeps it in the builder", async () => {
    await openExplore("funnel");
    const step = (number: number) => page.getByRole("combobox", { name: `Step ${number}` });
    await step(1).focus();
    for (const [number, typed] of [
      [2, "pric"],
      [3, "sign"],
      [4, "/b*"],
    ] as const) {
      await page.keyboard.type(typed);
      await page.getByRole("option", { name: new RegExp(typed.replace("*", "."), "i") }).waitFor();
      await press("Enter");
      await focusIs(`Step ${number}`);
    }
    expect(new URLSearchParams(await query()).get("steps")).toBe("page:/pricing,event:Signup,page:/b*");
    await button("Remove step 1").focus();
    await press("Enter");
    await focusIs("Remove step 1");
    await button("Remove step 2").focus();
    await press("Enter");
    await focusIs("Step 2");
    expect(new URLSearchParams(await query()).get("steps")).toBe("event:Signup");
  });

  it("a field with choices opens on the picked one, moves with the arrows, and closes without a change on Escape", async () => {
    await openExplore("flow", "&page=/pricing");
    const field = page.getByRole("combobox", { name: "Page" });
    const highlighted = () => page.getByRole("option", { selected: true }).locator("span").textContent();
    await page.getByRole("region", { name: "Next pages" }).waitFor();
    await field.focus();
    await press("ArrowDown");
    await expect.poll(highlighted).toBe("/pricing");
    expect(await field.inputValue()).toBe("/pricing");
    await press("ArrowUp");
    await expect.poll(highlighted).toBe("/blog");
    await press("Escape");
    expect(await field.getAttribute("aria-expanded")).toBe("false");
    expect(await query()).toContain("page=/pricing");
    await page.keyboard.type("bl");
    await press("Tab");
    await expect.poll(async () => new URLSearchParams(await query()).get("page")).toBe("/blog");
  });

  it("Back after a closed dialog leaves the view, and never opens the dialog again", async () => {
    await open();
    await press("w");
    for (const close of [() => press("Escape"), () => button("Close").click()]) {
      await press("f");
      await page.getByRole("dialog", { name: "Add filter" }).waitFor();
      await close();
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
    await expect.poll(query).toBe(`?site=${SITE}&period=7d`);
    await page.goBack();
    await expect.poll(query).toBe(`?site=${SITE}`);
    await page.goForward();
    await expect.poll(query).toBe(`?site=${SITE}&period=7d`);
  });

  it("Back closes a dialog, and Forward opens it again, after a reload too", async () => {
    await open();
    await press("?");
    await page.getByRole("dialog").waitFor();
    await page.goBack();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.goForward();
    await page.getByRole("dialog", { name: "Help" }).waitFor();
    await page.reload();
    await page.getByRole("dialog", { name: "Help" }).waitFor();
    await press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await expect.poll(query).toBe(`?site=${SITE}`);
    expect(await page.evaluate("history.length")).toBe(3);
  });

  it("a dialog opened by its link closes onto its view, and Back leaves the dashboard", async () => {
    await page.goto("about:blank");
    await open("&filters=pages==/&panel=help");
    await press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(new URLSearchParams(await query()).get("filters")).toBe("pages==/");
    await page.goBack();
    expect(page.url()).toBe("about:blank");
  });

  it("a link to no dialog shows its view, and the keys work", async () => {
    await open("&panel=nothing");
    await expect.poll(query, { timeout: ACTION_MS_MAX }).not.toContain("panel");
    await press("w");
    expect(await query()).toContain("period=7d");
  });

  it("Back after a filter was added in its dialog shows the view without the filter", async () => {
    await open();
    await press("f");
    await page.getByRole("combobox", { name: "Value" }).fill("/pricing");
    await page.getByRole("option", { name: /pricing/ }).waitFor();
    await press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Filter" }).click();
    await button(/Remove filter/).waitFor();
    await page.goBack();
    await button(/Remove filter/).waitFor({ state: "detached" });
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  it("a key pressed while a dialog closes changes the view, and Back undoes just that", async () => {
    await open();
    await press("?");
    await page.getByRole("dialog").waitFor();
    await page.evaluate(`
      document.querySelector("dialog .icon-button").click();
      document.dispatchEvent(new KeyboardEvent("keydown", { key: "q", bubbles: true }));
    `);
    await button("Period: Last 90 days").waitFor();
    await expect.poll(query).toBe(`?site=${SITE}&period=90d`);
    await page.goBack();
    await expect.poll(query).toBe(`?site=${SITE}`);
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  it("the menu of many sites has a search field, and Enter chooses the first match", async () => {
    await open("&filters=pages==/&period=7d");
    await button(/^Site:/).focus();
    await press("Enter");
    await focusIs("Search sites");
    await page.keyboard.type("AN");
    expect(await page.getByRole("menuitemradio").allTextContents()).toEqual(["banana.example2"]);
    await press("Enter");
    await focusIs("Site: banana.example");
    await expect.poll(query).toBe("?site=banana.example&period=7d");
    await press("Enter");
    await press("ArrowDown");
    await focusIs("banana.example");
    await press("ArrowUp");
    await press("ArrowUp");
    await focusIs("Add a site…");
    await press("g");
    await press("q");
    await focusIs("Search sites");
    await page.getByRole("status").getByText("No matches").waitFor();
  });

  it("the keys 1 to 9 choose a site by its number, which the menu and the help show", async () => {
    await open("&filters=pages==/");
    await press("2");
    await button("Site: banana.example").waitFor();
    expect(await query()).toBe("?site=banana.example");
    await press("2");
    expect(await query()).toBe("?site=banana.example");
    await button(/^Site:/).click();
    expect(await page.getByRole("menuitemradio").locator("kbd").allTextContents()).toEqual([..."123456789"]);
    await press("Escape");
    await press("?");
    await page.getByRole("dialog", { name: "Help" }).getByText("1 to 9").waitFor();
  });
});

describe("the next visit of an instance with one site", () => {
  const dashboard = useDashboard({
    visits: { [SITE]: VISITS[SITE] ?? [] },
    environment: { SVC_ADMIN_PASSWORD: PASSWORD },
    context: { viewport: { width: 1280, height: 1600 } },
  });

  it("it begins with the site, and the last period and tabs, while a link shows what it says", async () => {
    const { service, page } = dashboard;
    const button = (name: string | RegExp) => page.getByRole("button", { name });
    const press = (key: string) => page.keyboard.press(key);
    const query = async () => (await urlOf(page)).search;
    const open = async (parameters = ""): Promise<void> => {
      await page.goto(`${service.origin}/?site=${SITE}${parameters}`);
      await page.locator('[data-metric="visitors"] .top-stat-value', { hasText: /\d/ }).waitFor();
    };
    await open("&period=12mo");
    await page.evaluate("localStorage.removeItem('sandpiper.view')");
    await page.getByRole("tab", { name: "Entry" }).click();
    await page.getByRole("tab", { name: "Revenue" }).click();
    await press("w");
    await button(/^Previous period$/).click();
    await page.goto(service.origin);
    await button("Period: Last 7 days").waitFor();
    await expect.poll(query).toBe(`?pages=entry-pages&did=revenue&period=7d&site=${SITE}`);
    await open();
    await button("Period: Last 30 days").waitFor();
    expect(await page.getByRole("tab", { name: "Top pages" }).getAttribute("aria-selected")).toBe("true");
    await page.goto(service.origin);
    await button("Period: Last 7 days").waitFor();
    await press("m");
    await page.goto(service.origin);
    await button("Period: Last 30 days").waitFor();
  });
});
