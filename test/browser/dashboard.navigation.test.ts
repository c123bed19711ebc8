/** Moving through the dashboard in a real browser: menus and dialogs by key, the focus, Back, and what the next visit remembers. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { startServer, type ServerProcess } from "../support/server-process.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { launchBrowser } from "./support/browser.ts";
import { DAY_MS, writeVisits } from "./support/dashboard.ts";

const PASSWORD = "correct horse battery";
const START_MS_MAX = 60_000;
const ACTION_MS_MAX = 15_000;

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

describe("navigation in the dashboard", () => {
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let service: ServerProcess;
  let dataFolder: string;

  beforeAll(async () => {
    dataFolder = await makeTempFolder();
    const atMs = Date.now() - DAY_MS;
    await writeVisits(dataFolder, SITE, [
      { atMs, steps: ["/", "/pricing", "!Signup"] },
      { atMs, steps: ["/", "/blog"] },
    ]);
    for (const site of SITES.slice(1)) await writeVisits(dataFolder, site, [{ atMs, steps: ["/"] }]);
    [browser, service] = await Promise.all([
      launchBrowser(),
      startServer({ dataFolder, environment: { SVC_CACHE_TTL_SECS: "0", SVC_ADMIN_PASSWORD: PASSWORD } }),
    ]);
    context = await browser.newContext({ locale: "en-GB", viewport: { width: 1280, height: 900 } });
    context.setDefaultTimeout(ACTION_MS_MAX);
    await context.request.post(`${service.origin}/api/auth/login`, { data: { password: PASSWORD } });
    await context.request.get(`${service.origin}/health/ready`);
  }, START_MS_MAX);

  afterAll(async () => {
    await browser.close();
    await service.stop();
    await removeFolder(dataFolder);
  });

  beforeEach(async () => {
    await page?.close();
    page = await context.newPage();
  });

  async function open(query = ""): Promise<void> {
    await page.goto(`${service.origin}/?site=${SITE}${query}`);
    await page.locator('[data-metric="visitors"] .top-stat-value', { hasText: /\d/ }).waitFor();
  }

  const button = (name: string | RegExp) => page.getByRole("button", { name });
  /** The accessible text of what has the focus. */
  const focused = (): Promise<unknown> =>
    page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent.trim()");
  const press = (key: string) => page.keyboard.press(key);
  const focusIs = (text: string | RegExp) => expect.poll(focused, { timeout: ACTION_MS_MAX }).toMatch(text);
  const query = () => new URL(page.url()).search;

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
    expect(query()).toContain("period=7d");
    await focusIs(/^Period:/);
  });

  it("a menu of actions focuses its first item even if a further group has a chosen one, and its shown shortcuts work", async () => {
    await open();
    await button("Menu").focus();
    await press("ArrowDown");
    await focusIs("Export…");
    expect(await page.getByRole("menuitemradio", { name: "Theme: System" }).getAttribute("aria-checked")).toBe("true");
    await press("?");
    await page.getByRole("dialog", { name: "Help" }).waitFor();
  });
});
