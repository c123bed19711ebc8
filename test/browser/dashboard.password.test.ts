/** Change of the password, and logout of all browsers, in a real browser against the built program. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Page } from "playwright-core";
import { nowMs } from "../support/fixed-clock.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { violationsOf } from "./support/accessibility.ts";
import { newWindow } from "./support/dashboard-browser.ts";
import { startService } from "./support/dashboard-instance.ts";
import { DAY_MS, urlOf, writeVisits } from "./support/dashboard.ts";

const FIRST = "correct horse battery";
const SECOND = "another horse battery";
const SITE = "password.example";
const START_MS_MAX = 60_000;

describe("the password in the dashboard's menu", () => {
  let service: ServerProcess;
  let dataFolder: string;

  beforeAll(async () => {
    dataFolder = await makeTempFolder();
    await writeVisits(dataFolder, SITE, [{ atMs: nowMs() - DAY_MS, steps: ["/"] }]);
    service = await startService(dataFolder);
    await fetch(`${service.origin}/api/auth/setup`, { method: "POST", body: JSON.stringify({ password: FIRST }) });
  }, START_MS_MAX);
  afterAll(async () => {
    await service.stop();
    await removeFolder(dataFolder);
  });

  async function logIn(page: Page, password: string): Promise<void> {
    await page.getByRole("heading", { name: /Log in|session has ended/ }).waitFor();
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.getByRole("button", { name: "Log in" }).click();
    await page.locator('[data-metric="visitors"]').waitFor();
  }

  /** A browser of its own that is logged in. */
  async function open(password: string, width = 1280): Promise<Page> {
    const context = await newWindow({ viewport: { width, height: 800 } });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(service.origin);
    await logIn(page, password);
    return page;
  }

  async function choose(page: Page, item: string): Promise<void> {
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("menuitem", { name: item, exact: true }).click();
  }

  async function fillForm(page: Page, current: string, next: string): Promise<void> {
    await page.getByLabel("Current password", { exact: true }).fill(current);
    await page.getByLabel("New password (12+ characters)", { exact: true }).fill(next);
    await page.getByRole("button", { name: "Change password" }).click();
  }

  it("a change of the password says what is wrong at its field, keeps this session and ends the others", async () => {
    const [page, other] = [await open(FIRST), await open(FIRST)];
    await choose(page, "Change password…");
    await fillForm(page, "a wrong password", SECOND);
    await page.getByText("Wrong password").waitFor();
    const field = page.getByLabel("Current password", { exact: true });
    expect(await field.getAttribute("aria-invalid")).toBe("true");
    await page.locator("#current-password:focus").waitFor();
    expect(await violationsOf(page)).toEqual([]);

    await fillForm(page, FIRST, SECOND);
    await page.getByText("Password changed. All other sessions have ended.").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Close" }).click();
    await page.keyboard.press("w");
    await page.locator(".top-stats, [data-metric]").first().waitFor();

    await other.keyboard.press("w");
    await other.getByRole("heading", { name: "Your session has ended" }).waitFor();
    await logIn(other, SECOND);
  });

  it("log out everywhere ends the session of every browser with one confirmation", async () => {
    const [page, other] = [await open(SECOND, 390), await open(SECOND)];
    await choose(page, "Log out everywhere…");
    await page.getByText("You'll be logged out on all devices, including this one.").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Log out everywhere" }).click();
    await page.getByRole("heading", { name: "Log in" }).waitFor();
    expect((await urlOf(page)).searchParams.get("panel")).toBeNull();
    await other.keyboard.press("w");
    await other.getByRole("heading", { name: "Your session has ended" }).waitFor();
    await logIn(page, SECOND);
  });
});
