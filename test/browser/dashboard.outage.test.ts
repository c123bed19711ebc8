/** The dashboard behind a proxy while the service is down, overloaded or without the behavioral extension. */
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { nowMs } from "../support/fixed-clock.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { violationsNow } from "./support/accessibility.ts";
import { VISITOR_USER_AGENT } from "./support/browser.ts";
import { cardOf, noonDaysAgo, rowsOf, writeVisits } from "./support/dashboard.ts";
import { ACTION_MS_MAX, newWindow } from "./support/dashboard-browser.ts";
import { startService } from "./support/dashboard-instance.ts";
import { startFaultyProxy, type FaultyProxy } from "./support/faulty-proxy.ts";

const SITE = "shop.example";
const START_MS_MAX = 60_000;
const MINUTE_MS = 60_000;

const yesterdayNoon = noonDaysAgo(1);

describe("the dashboard in an outage", () => {
  let context: BrowserContext;
  let page: Page;
  let service: ServerProcess;
  let proxy: FaultyProxy;
  let dataFolder: string;
  let visitors = 2;

  beforeAll(async () => {
    dataFolder = await makeTempFolder();
    await writeVisits(dataFolder, SITE, [
      { atMs: yesterdayNoon, steps: ["/", "/pricing"] },
      { atMs: yesterdayNoon, steps: ["/"] },
    ]);
    [context, service] = await Promise.all([
      newWindow({ viewport: { width: 1280, height: 1600 } }),
      startService(dataFolder, { SVC_CACHE_TTL_SECS: "0", SVC_TRUST_PROXY: "1" }),
    ]);
    proxy = await startFaultyProxy(service.origin);
    await context.request.get(`${service.origin}/health/ready`);
  }, START_MS_MAX);

  afterAll(async () => {
    await context.close();
    await proxy.close();
    await service.stop();
    await removeFolder(dataFolder);
  });

  beforeEach(async () => {
    page = await context.newPage();
    await page.clock.install({ time: nowMs() });
  });

  afterEach(async () => {
    proxy.fault = null;
    await page.close();
  });

  const banner = (text: string | RegExp) => page.locator(".offline", { hasText: text });

  async function settled(): Promise<void> {
    await page.locator('[data-metric="visitors"] .top-stat-value', { hasText: new RegExp(`^${visitors}$`) }).waitFor();
    await page.locator(".stale, .loading").first().waitFor({ state: "detached" });
  }

  async function open(query = ""): Promise<void> {
    await page.goto(`${proxy.origin}/?site=${SITE}&period=7d${query}`);
    await settled();
  }

  /** The proxy works again, and the page's next attempt is due: pauses between attempts are at most 30 seconds. */
  async function recover(): Promise<void> {
    proxy.fault = null;
    await page.clock.fastForward(30_000);
    await settled();
  }

  /** A visitor whom only a refresh can show. */
  async function newVisitor(): Promise<void> {
    visitors++;
    await fetch(`${service.origin}/api/event`, {
      method: "POST",
      headers: { "user-agent": VISITOR_USER_AGENT, "x-forwarded-for": `198.51.100.${visitors}` },
      body: JSON.stringify({ d: SITE, n: "pageview", u: `https://${SITE}/` }),
    });
  }

  it.each([
    [502, "Server unavailable (502). Showing the last numbers; retrying…"],
    ["dropped", "Can't reach the server. Showing the last numbers; retrying…"],
  ] as const)("%s: one banner, the old numbers stay dimmed below their own period, and everything is refreshed", async (status, text) => {
    await open();
    proxy.fault = { status };
    const before = String(visitors);
    await newVisitor();
    await page.keyboard.press("m");
    await banner(text).waitFor();
    expect(await page.getByRole("alert").count()).toBe(1);
    expect(await page.locator(".failure").count()).toBe(0);
    const value = page.locator('[data-metric="visitors"] .top-stat-value');
    await expect.poll(() => value.textContent(), { timeout: ACTION_MS_MAX }).toBe("–");
    expect(await page.locator(".pulse.unknown").count()).toBe(1);
    await expect.poll(() => page.title(), { timeout: ACTION_MS_MAX }).not.toMatch(/^\(/);
    await page.keyboard.press("w");
    await expect.poll(() => value.textContent(), { timeout: ACTION_MS_MAX }).toBe(before);
    expect(await page.locator(".top-stats.stale").count()).toBe(1);
    expect(await page.locator(".card .report:not(.stale)").count()).toBe(0);
    await recover();
    expect(await page.getByRole("alert").count()).toBe(0);
    expect((await rowsOf(page, "pages"))[0]).toEqual(["/", String(visitors)]);
  });

  it("a page that is opened during an outage says so, and opens once the service is back", async () => {
    proxy.fault = { status: 504 };
    await page.goto(`${proxy.origin}/?site=${SITE}&period=7d`);
    await banner("Server unavailable (504). Retrying…").waitFor();
    await recover();
  });

  it("a 503 with Retry-After is retried without a message", async () => {
    await open();
    const alerts: string[] = [];
    await page.exposeFunction("alerted", (text: string) => alerts.push(text));
    await page.evaluate(
      `new MutationObserver(() => document.querySelectorAll("[role=alert]").forEach((alert) => alerted(alert.textContent)))
        .observe(document.body, { childList: true, subtree: true })`,
    );
    proxy.fault = { status: 503, headers: { "Retry-After": "1" }, urls: /stats\/(?:main|breakdown)/, requestsMax: 3 };
    await page.keyboard.press("m");
    await page.locator(".top-stats.stale").waitFor();
    await expect.poll(() => proxy.failed).toBe(3);
    await page.clock.fastForward(1000);
    await settled();
    expect(alerts).toEqual([]);
  });

  it("a single report that fails while the service answers says so in its card, and can be tried again", async () => {
    proxy.fault = { status: 504, urls: /breakdown\/pages/ };
    await page.goto(`${proxy.origin}/?site=${SITE}&period=7d`);
    await cardOf(page, "pages").getByText("Server unavailable (504).").waitFor();
    await settled();
    expect(await page.locator(".offline").count()).toBe(0);
    expect(proxy.requested.filter((url) => url.includes("breakdown/pages")).length).toBeGreaterThan(1);
    proxy.fault = null;
    await cardOf(page, "pages").getByRole("button", { name: "Try again" }).click();
    expect((await rowsOf(page, "pages"))[0]).toEqual(["/", String(visitors)]);
  });

  it("a hidden page waits, and a visible one polls less and less often", async () => {
    await open();
    proxy.fault = { status: 502 };
    await page.keyboard.press("m");
    await banner("502").waitFor();
    await page.evaluate(`Object.defineProperty(document, "visibilityState", { get: () => self.seen ?? "hidden", configurable: true })`);
    await page.clock.runFor(5000);
    proxy.requested.length = 0;
    await page.clock.runFor(10 * MINUTE_MS);
    expect(proxy.requested).toEqual([]);
    await page.evaluate(`self.seen = "visible"; document.dispatchEvent(new Event("visibilitychange"))`);
    await expect.poll(() => proxy.requested).toEqual(["/api/auth/status"]);
    const clockMs = () => page.evaluate<number>("Date.now()");
    const startMs = await clockMs();
    await expect
      .poll(() => page.clock.runFor(1000).then(() => proxy.requested.length), { timeout: ACTION_MS_MAX, interval: 10 })
      .toBeGreaterThan(5);
    // After pauses of 2, 4, 8, 15 and 30 seconds, and as long as the answers took.
    expect((await clockMs()) - startMs).toBeGreaterThanOrEqual(58_000);
  });

  it("axe finds no violation in an outage, light and dark, and its banner stays in sight", async () => {
    await open();
    proxy.fault = { status: 502 };
    await page.keyboard.press("m");
    await banner("502").waitFor();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      // On a phone the bar has two rows.
      await page.setViewportSize({ width: colorScheme === "dark" ? 390 : 1280, height: 700 });
      await page.mouse.wheel(0, 900);
      await expect.poll(() => page.evaluate("scrollY")).toBeGreaterThan(300);
      const isInSight = `(() => {
        const shown = document.querySelector(".offline");
        return shown.contains(document.elementFromPoint(innerWidth / 2, shown.getBoundingClientRect().bottom - 4));
      })()`;
      expect(await page.evaluate(isInSight)).toBe(true);
      // Dimmed numbers are meant to recede.
      expect(await violationsNow(page, { exclude: [".stale"] })).toEqual([]);
    }
  });

  it("the missing behavioral extension is not taken for an outage, nor an outage for it", async () => {
    const otherFolder = await makeTempFolder();
    await writeVisits(otherFolder, SITE, [{ atMs: yesterdayNoon, steps: ["/"] }]);
    const other = await startService(otherFolder, { SVC_BEHAVIORAL: "false" });
    const missing = cardOf(page, "pages").getByText("This needs the behavioral extension");
    await page.goto(`${other.origin}/?site=${SITE}&period=7d&pages=entry-pages`);
    await missing.waitFor();
    expect(await cardOf(page, "pages").getByRole("button", { name: "Try again" }).count()).toBe(0);
    expect(await page.locator(".offline").count()).toBe(0);
    await open("&pages=entry-pages");
    proxy.fault = { status: 503 };
    await page.keyboard.press("m");
    await banner("503").waitFor();
    expect(await missing.count()).toBe(0);
    await other.stop();
    await removeFolder(otherFolder);
  });
});
