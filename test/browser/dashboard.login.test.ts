/** First run, login and lockout in a real browser, an expired session, and a service that cannot be reached. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { BrowserContext, Page } from "playwright-core";
import { createDeferred } from "../support/deferred.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { violationsOf } from "./support/accessibility.ts";
import { VISITOR_USER_AGENT } from "./support/browser.ts";
import { newWindow } from "./support/dashboard-browser.ts";
import { startService } from "./support/dashboard-instance.ts";
import { urlOf } from "./support/dashboard.ts";

const PASSWORD = "correct horse battery";
const START_MS_MAX = 60_000;

describe("the dashboard's login", () => {
  let context: BrowserContext;
  let page: Page;
  let service: ServerProcess;
  let dataFolder: string;

  const start = () => startService(dataFolder, { SVC_CACHE_TTL_SECS: "0", SVC_MAX_LOGIN_ATTEMPTS: "3", SVC_LOGIN_LOCKOUT_SECS: "120" });
  const text = (words: string | RegExp) => page.getByText(words).first();
  const sendEvent = (d: string, u: string) =>
    fetch(`${service.origin}/api/event`, {
      method: "POST",
      headers: { "user-agent": VISITOR_USER_AGENT },
      body: JSON.stringify({ d, n: "pageview", u }),
    });
  const visitorsAre = (count: string) =>
    page.locator('[data-metric="visitors"] .top-stat-value', { hasText: new RegExp(`^${count}$`) }).waitFor();
  async function logIn(password: string) {
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.getByRole("button", { name: "Log in" }).click();
  }

  beforeAll(async () => {
    dataFolder = await makeTempFolder();
    [context, service] = await Promise.all([newWindow(), start()]);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    page = await context.newPage();
  }, START_MS_MAX);

  afterAll(async () => {
    await context.close();
    await service.stop();
    await removeFolder(dataFolder);
  });

  afterEach(async () => {
    await page.unrouteAll();
  });

  it("the first run leads from the password and the tracking code to the first event", async () => {
    await page.goto(service.origin);
    await text("Welcome").waitFor();
    const field = page.getByLabel("Password (12+ characters)", { exact: true });
    await field.fill("short");
    await page.getByRole("button", { name: "Set password" }).click();
    expect(await field.evaluate((input) => (input as unknown as { validity: { valid: boolean } }).validity.valid)).toBe(false);
    await field.fill(PASSWORD);
    await page.getByRole("button", { name: "Set password" }).click();

    await text("Add your first site").waitFor();
    await page.getByLabel("Domain").fill("https://First.example/shop");
    await page.getByRole("button", { name: "Continue" }).click();
    // The confirmation disappears again.
    const confirmed = text("Copied").waitFor();
    await page.getByRole("button", { name: "Copy tracking code" }).click();
    await confirmed;
    const copied = await page.evaluate("navigator.clipboard.readText()");
    expect(copied).toBe(`<script defer data-domain="first.example" src="${service.origin}/svc.js"></script>`);
    await text("Waiting for the first event").waitFor();

    await sendEvent("first.example", "https://first.example/hello");
    await page.locator('[data-metric="visitors"]').waitFor();
    await visitorsAre("1");
    expect((await urlOf(page)).searchParams.get("site")).toBe("first.example");
  });

  it("after a logout the login refuses a wrong password and accepts the right one", async () => {
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("menuitem", { name: "Log out", exact: true }).click();
    await page.getByRole("heading", { name: "Log in" }).waitFor();
    await logIn("a wrong password");
    await text("Wrong password").waitFor();
    await logIn(PASSWORD);
    await page.locator('[data-metric="visitors"]').waitFor();
  });

  it("a logout is not shown as an ended session, even if a report is refused before the logout is answered", async () => {
    const heard = createDeferred<void>();
    const mayAnswer = createDeferred<void>();
    await page.route("**/api/auth/logout", async (route) => {
      const response = await route.fetch();
      heard.resolve();
      await mayAnswer.promise;
      await route.fulfill({ response });
    });
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("menuitem", { name: "Log out", exact: true }).click();
    await heard.promise;
    await page.keyboard.press("w");
    await page.getByRole("heading", { name: "Log in" }).waitFor();
    const answered = page.waitForResponse("**/api/auth/logout");
    mayAnswer.resolve();
    await answered;
    await logIn(PASSWORD);
    await page.locator('[data-metric="visitors"]').waitFor();
  });

  it("a browser that asks for it stays logged in after a restart, and is listed and logged out by itself", async () => {
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("menuitem", { name: "Log out", exact: true }).click();
    await page.getByLabel("Keep me logged in").check();
    await logIn(PASSWORD);
    await page.locator('[data-metric="visitors"]').waitFor();
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("menuitem", { name: "Account", exact: true }).click();
    const sessions = page.getByRole("list", { name: "Browsers that stay logged in" });
    await sessions.getByText("this browser").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Back to dashboard" }).click();
    await page.locator('[data-metric="visitors"]').waitFor();
    const [cookie] = (await context.cookies()).filter(({ name }) => name === "svc_session");
    expect((cookie?.expires ?? 0) - Date.now() / 1000).toBeGreaterThan(29 * 86_400);
    await service.stop();
    service = await start();
    // Cookies do not tell ports apart.
    await page.goto(`${service.origin}/?site=first.example`);
    await page.locator('[data-metric="visitors"]').waitFor();
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("menuitem", { name: "Account", exact: true }).click();
    await sessions.getByRole("button", { name: "Log out" }).click();
    await sessions.getByRole("button", { name: "Confirm logout" }).click();
    await page.getByRole("heading", { name: "Log in" }).waitFor();
    await logIn(PASSWORD);
    await page.getByText("No browser stays logged in").waitFor();
    await page.getByRole("button", { name: "Back to dashboard" }).click();
    await page.locator('[data-metric="visitors"]').waitFor();
  });

  it("a login after an expired session returns to the same view", async () => {
    await page.goto(`${service.origin}/?site=first.example&period=day&pages=entry-pages`);
    await page.locator('[data-metric="visitors"]').waitFor();
    await context.clearCookies();
    // Whichever request is the next one, e.g. that for the current visitors.
    await page.evaluate(`document.dispatchEvent(new Event("visibilitychange"))`);
    await text("Your session has ended").waitFor();
    await logIn(PASSWORD);
    await page.locator('[data-metric="visitors"]').waitFor();
    expect((await urlOf(page)).search).toBe("?site=first.example&period=day&pages=entry-pages");
  });

  it("a lost connection is shown, and the view continues once the service is reachable again", async () => {
    await page.route("**/api/**", (route) => route.abort());
    await page.route("**/health", (route) => route.abort());
    await page.keyboard.press("w");
    await text("Can't reach the server").waitFor();
    await page.unrouteAll();
    await page.locator(".offline").waitFor({ state: "detached" });
    await visitorsAre("1");
    expect((await urlOf(page)).searchParams.get("period")).toBe("7d");
  });

  it("a lockout says how long it lasts", async () => {
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("menuitem", { name: "Log out", exact: true }).click();
    for (let tries = 0; tries < 4; tries++) {
      await page.getByRole("heading", { name: "Log in" }).waitFor();
      const answer = page.waitForResponse("**/api/auth/login");
      await logIn(`wrong password ${tries}`);
      await answer;
    }
    await text("Too many attempts. Try again in 2 minutes.").waitFor();
  });
});
