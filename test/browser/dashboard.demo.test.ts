/** The demo site in a real browser: made on the first page with one click, marked, and removed with one click. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Page } from "playwright-core";
import { DEMO_SITE } from "../../src/shared/names.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { violationsOf } from "./support/accessibility.ts";
import { VISITOR_USER_AGENT } from "./support/browser.ts";
import { newWindow } from "./support/dashboard-browser.ts";
import { startService } from "./support/dashboard-instance.ts";
import { urlOf } from "./support/dashboard.ts";

const PASSWORD = "correct horse battery";
const START_MS_MAX = 60_000;

describe("the demo site in the dashboard", () => {
  let server: ServerProcess;
  let dataFolder: string;

  beforeAll(async () => {
    dataFolder = await makeTempFolder();
    server = await startService(dataFolder, { SVC_CACHE_TTL_SECS: "0", SVC_RETENTION_DAYS: "70" });
  }, START_MS_MAX);
  afterAll(async () => {
    await server.stop();
    await removeFolder(dataFolder);
  });

  async function open(width = 1280): Promise<Page> {
    const context = await newWindow({ viewport: { width, height: 800 } });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(server.origin);
    return page;
  }

  const explore = (page: Page) => page.getByRole("button", { name: "Explore a demo site" });
  const notice = (page: Page) => page.getByText("This is a demo with made-up visits.");
  const siteOf = async (page: Page) => (await urlOf(page)).searchParams.get("site");
  const sendEvent = (d: string) =>
    fetch(`${server.origin}/api/event`, {
      method: "POST",
      headers: { "user-agent": VISITOR_USER_AGENT },
      body: JSON.stringify({ d, n: "pageview", u: `https://${d}/` }),
    });

  it("the first page makes it before there is a password, shows it with a notice, and returns when it is removed", async () => {
    const page = await open();
    await page.getByRole("heading", { name: "Welcome" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Skip for now" }).press("Enter");
    await page.locator("button:focus", { hasText: "Continue without a password" }).waitFor();
    await explore(page).click();
    await notice(page).waitFor();
    expect(await siteOf(page)).toBe(DEMO_SITE);
    await page.locator('[data-metric="visitors"] .top-stat-value', { hasText: /[1-9]/ }).waitFor();
    await page.waitForLoadState("networkidle");
    expect(await violationsOf(page)).toEqual([]);

    await page.reload();
    await page.getByRole("button", { name: "Remove the demo" }).click();
    await page.getByRole("heading", { name: "Welcome" }).waitFor();
    await explore(page).waitFor();
    expect(await siteOf(page)).toBeNull();
  });

  it("is also offered beside the first site's tracking code, and another site is chosen before it", async () => {
    const page = await open(390);
    await page.getByLabel("Password (12+ characters)", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Set password" }).click();
    await page.getByRole("heading", { name: "Add your first site" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await explore(page).click();
    await notice(page).waitFor();

    await page.getByRole("button", { name: `Site: ${DEMO_SITE}` }).click();
    await page.getByRole("menuitem", { name: "Add a site…" }).click();
    await page.getByLabel("Domain").waitFor();
    expect(await page.locator('pre[aria-label="Tracking code"]').count(), "the demo site has no tracking code").toBe(0);
    await page.getByRole("button", { name: "Close" }).click();
    await page.goto(`${server.origin}/?site=${DEMO_SITE}&panel=snippet&view=realtime`);
    await page.getByText("The demo site is made up and needs no tracking code.").waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".realtime").waitFor();

    expect((await sendEvent("own.example")).status).toBe(202);
    await page.evaluate("localStorage.clear()");
    await page.goto(server.origin);
    await page.locator('[data-metric="visitors"]').waitFor();
    expect(await siteOf(page)).toBe("own.example");
    expect(await notice(page).count()).toBe(0);
  });

  it("its removal leads to another site, and what is refused is said", async () => {
    const page = await open();
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Log in" }).click();
    await page.locator('[data-metric="visitors"]').waitFor();
    await page.goto(`${server.origin}/?site=${DEMO_SITE}`);
    await notice(page).waitFor();
    await page.route("**/api/demo", (route) =>
      route.fulfill({ status: 503, headers: { "retry-after": "10" }, json: { error: "Not removed completely." } }),
    );
    await page.getByRole("button", { name: "Remove the demo" }).click();
    await page.getByText("Not removed completely.").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.unrouteAll();
    await page.getByRole("button", { name: "Remove the demo" }).click();
    await notice(page).waitFor({ state: "detached" });
    expect(await siteOf(page)).toBe("own.example");
    await page.getByRole("button", { name: "Site: own.example" }).click();
    // The list of sites is loaded once more after the removal.
    await page.getByRole("menuitemradio", { name: DEMO_SITE }).waitFor({ state: "detached" });
    expect(await page.getByRole("menuitemradio").allTextContents()).toEqual(["own.example"]);
  });
});
