/** The retention report with visitor IDs that last long enough or not, and the revenue report with several currencies. */
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ServerProcess } from "../support/server-process.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { violationsOf } from "./support/accessibility.ts";
import { newWindow } from "./support/dashboard-browser.ts";
import { startService } from "./support/dashboard-instance.ts";
import { cardOf, noonDaysAgo, type Visit, writeVisits } from "./support/dashboard.ts";

const SITE = "shop.example";
const START_MS_MAX = 60_000;

/** Two visitors of two weeks ago, of whom one returns a week later. */
const RETURNING: readonly Visit[] = [
  { atMs: noonDaysAgo(14), steps: ["/"], fields: { visitorId: 7_001n } },
  { atMs: noonDaysAgo(14), steps: ["/"], fields: { visitorId: 7_002n } },
  { atMs: noonDaysAgo(7), steps: ["/"], fields: { visitorId: 7_001n } },
];

const paid = (event: string, currency: string, revenueCents: number): Visit => ({
  atMs: noonDaysAgo(1),
  steps: [`!${event}`],
  fields: { currency, revenueCents },
});

/** A yen is worth far less than a euro. */
const PURCHASES: readonly Visit[] = [
  paid("Purchase", "EUR", 10_000),
  paid("Upgrade", "EUR", 5000),
  paid("Purchase", "JPY", 2_000_000),
  paid("Upgrade", "JPY", 1_000_000),
];

describe("the dashboard's retention and revenue", () => {
  let context: BrowserContext;
  let page: Page;
  const services: ServerProcess[] = [];
  const folders: string[] = [];

  async function serve(visits: readonly Visit[], rotationDays: number): Promise<void> {
    const dataFolder = await makeTempFolder();
    folders.push(dataFolder);
    await writeVisits(dataFolder, SITE, visits);
    const environment = { SVC_CACHE_TTL_SECS: "0", SVC_VISITOR_SALT_ROTATION_DAYS: String(rotationDays) };
    services.push(await startService(dataFolder, environment));
  }

  beforeAll(async () => {
    await serve([{ atMs: noonDaysAgo(14), steps: ["/"] }, ...PURCHASES], 1);
    await serve(RETURNING, 3650);
    context = await newWindow({ viewport: { width: 1280, height: 1600 } });
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  }, START_MS_MAX);

  afterAll(async () => {
    await context.close();
    for (const service of services) await service.stop();
    for (const folder of folders) await removeFolder(folder);
  });

  beforeEach(async () => {
    await page?.close();
    page = await context.newPage();
  });

  const [DAILY_IDS, LONG_IDS] = [0, 1];

  async function open(service: number, query: string): Promise<void> {
    await page.goto(`${services[service]?.origin}/?site=${SITE}&period=30d${query}`);
    await cardOf(page, query.includes("report") ? "report" : "did")
      .locator(".report:not(.stale)")
      .first()
      .waitFor();
  }

  const explanation = () => page.getByRole("heading", { name: "Retention needs visitor IDs that last longer than 1 day" });
  const table = () => page.getByRole("region", { name: "Retention by week" });

  it("with daily visitor IDs, retention explains the option and its meaning for privacy in place of zeros", async () => {
    await open(DAILY_IDS, "&view=explore&report=retention");
    await explanation().waitFor();
    expect(await table().count()).toBe(0);
    await page.getByText("How to enable it").click();
    const card = cardOf(page, "report");
    await card.getByText("visitor_salt_rotation_days", { exact: true }).waitFor();
    await card.getByText(/weakens privacy/).waitFor();
    // The confirmation disappears again.
    await Promise.all([page.getByText("Copied").waitFor(), page.getByRole("button", { name: "Copy" }).click()]);
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe("SVC_VISITOR_SALT_ROTATION_DAYS=28");
    // Nothing to choose where there is nothing to see.
    expect(await page.getByLabel("Weeks").count()).toBe(0);
  });

  it("with long visitor IDs, retention shows who returned", async () => {
    await open(LONG_IDS, "&view=explore&report=retention");
    const cells = table().locator("tbody tr").first().locator("td");
    expect((await cells.allTextContents()).slice(0, 3)).toEqual(["2", "100%", "50%"]);
    await page.getByLabel("Weeks").selectOption("8");
    await table().getByRole("columnheader", { name: "Week 7" }).waitFor();
    expect(await explanation().count()).toBe(0);
    expect(await page.locator(".notice", { hasText: "Visitor IDs" }).count()).toBe(0);
  });

  it("the bars of each currency have a scale of their own", async () => {
    await open(DAILY_IDS, "&did=revenue");
    const groups = page.locator(".currency-group");
    expect(await groups.locator("h3").allTextContents()).toEqual(["JPY", "EUR"]);
    const widthsOf = (currency: string, title: string) =>
      page
        .getByRole("list", { name: `${title}, ${currency}` })
        .locator(".row-bar")
        .evaluateAll((bars) => bars.map((bar) => (bar as unknown as { style: { width: string } }).style.width));
    for (const currency of ["JPY", "EUR"]) expect(await widthsOf(currency, "By event")).toEqual(["100%", "50%"]);
    await page.getByRole("region", { name: "EUR", exact: true }).getByText("€150.00").first().waitFor();
    await page.getByRole("region", { name: "JPY", exact: true }).getByText("¥30,000").first().waitFor();
  });

  it("axe finds no violation in either, light and dark, and nothing is wider than a phone", async () => {
    for (const [query, width] of [
      ["&view=explore&report=retention", 390],
      ["&did=revenue", 390],
      ["&did=revenue", 1280],
    ] as const) {
      await page.setViewportSize({ width, height: 3000 });
      await open(DAILY_IDS, query);
      if (query.includes("retention")) await page.getByText("How to enable it").click();
      await page.locator(".stale, .loading").first().waitFor({ state: "detached" });
      expect(await violationsOf(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")).toBe(0);
    }
  });
});
