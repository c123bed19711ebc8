/** From a new site to its first visitor: adding a site, waiting for its first event, and the dashboard that it opens. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { BrowserContext, Page } from "playwright-core";
import { nowMs } from "../support/fixed-clock.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { GOOGLEBOT } from "../support/user-agents.ts";
import { violationsOf } from "./support/accessibility.ts";
import { VISITOR_USER_AGENT } from "./support/browser.ts";
import { ACTION_MS_MAX, newWindow } from "./support/dashboard-browser.ts";
import { startService } from "./support/dashboard-instance.ts";
import { DAY_MS, urlOf, utcDay, writeVisits } from "./support/dashboard.ts";

const PASSWORD = "correct horse battery";
const START_MS_MAX = 60_000;

/** An address of a German network. */
const GERMAN_ADDRESS = "5.9.0.1";

describe("the first run", () => {
  let context: BrowserContext;
  let page: Page;
  let requests: string[];
  const services: ServerProcess[] = [];
  const folders: string[] = [];

  afterAll(async () => {
    for (const service of services) await service.stop();
    for (const folder of folders) await removeFolder(folder);
  });

  beforeEach(async () => {
    context = await newWindow();
    page = await context.newPage();
    await page.clock.install({ time: nowMs() });
    requests = [];
    page.on("request", (request) => requests.push(new URL(request.url()).pathname));
  });
  afterEach(() => context.close());

  async function serve(
    environment: Readonly<Record<string, string>>,
    prepare: (dataFolder: string) => Promise<void> = () => Promise.resolve(),
  ): Promise<ServerProcess> {
    const dataFolder = await makeTempFolder();
    folders.push(dataFolder);
    await prepare(dataFolder);
    const service = await startService(dataFolder, { SVC_TRUST_PROXY: "1", ...environment });
    services.push(service);
    return service;
  }

  /** Stops it: time passes only as the test says then, however slow the machine is. */
  const pauseClock = () => page.clock.pauseAt(nowMs() + 60_000);
  /** So that a test need not wait for the next request of the page. */
  const nextPoll = () => page.clock.fastForward(2000);
  const send = (service: ServerProcess, d: string, path = "/", headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${service.origin}/api/event`, {
      method: "POST",
      headers: { "user-agent": VISITOR_USER_AGENT, "x-forwarded-for": "127.0.0.1", ...headers },
      body: JSON.stringify({ d, n: "pageview", u: `https://${d}${path}` }),
    });

  const text = (words: string | RegExp) => page.getByText(words).first();
  const domain = () => page.getByLabel("Domain");
  const addSite = async (typed: string) => {
    await domain().fill(typed);
    await page.keyboard.press("Enter");
  };
  const changeSite = () => page.getByRole("button", { name: "Change", exact: true }).click();
  const code = () => page.getByLabel("Tracking code", { exact: true });
  const visitorsAre = (count: number) =>
    page.locator('[data-metric="visitors"] .top-stat-value', { hasText: new RegExp(`^${count}$`) }).waitFor();
  const inUrl = async (name: string) => (await urlOf(page)).searchParams.get(name);
  const firstVisitor = () => page.locator(".first-visitor [role=status]");

  async function open(service: ServerProcess, query: string): Promise<void> {
    await context.request.post(`${service.origin}/api/auth/login`, { data: { password: PASSWORD } });
    await page.goto(`${service.origin}/${query}`);
  }

  describe("without any site", () => {
    let service: ServerProcess;
    beforeAll(async () => {
      service = await serve({ SVC_ADMIN_PASSWORD: PASSWORD });
    }, START_MS_MAX);

    it("after the login the domain has the focus, and what is typed becomes the name that browsers send", async () => {
      await page.goto(service.origin);
      await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
      await page.keyboard.press("Enter");
      await page.locator("input[name=site]:focus").waitFor();
      for (const [typed, siteId] of [
        ["Example.com", "example.com"],
        ["https://www.Example.com/shop?a=b", "example.com"],
        ["Bücher.example", "xn--bcher-kva.example"],
        ["http://localhost:3000/", "localhost:3000"],
      ] as const) {
        expect(await text("Waiting for the first event").count()).toBe(0);
        await addSite(typed);
        await code()
          .filter({ hasText: `data-domain="${siteId}"` })
          .waitFor();
        await text("Waiting for the first event").waitFor();
        if (siteId.startsWith("localhost")) expect(await code().textContent()).toContain(" data-include-local ");
        await changeSite();
      }
      await domain().fill("https://www.example.com/");
      await page.getByLabel("www.example.com").check();
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole("button", { name: "Continue" }).click();
      await code().filter({ hasText: `data-domain="www.example.com"` }).waitFor();
      await changeSite();
      await domain().fill("example .com");
      await text("Enter a domain like example.com").waitFor();
      expect(await violationsOf(page)).toEqual([]);
    });

    it("says after 20 seconds what to check, and not before", async () => {
      await open(service, "");
      await domain().waitFor();
      await pauseClock();
      await addSite("shop.example");
      await text("Waiting for the first event").waitFor();
      await page.clock.runFor(19_000);
      expect(await text(/^Nothing has arrived for .+ yet/).count()).toBe(0);
      await page.clock.runFor(2000);
      await text(/^Nothing has arrived for .+ yet/).waitFor();
      await text('its source has svc.js and data-domain="shop.example"').waitFor();
      await text("No ad blocker stops it").waitFor();
      await page.clock.resume();
      expect(await violationsOf(page)).toEqual([]);
    });

    it("asks only while the page is visible, at once on a return to it, and more rarely after five minutes", async () => {
      await page.addInitScript(`
        window.isHidden = false;
        Object.defineProperty(document, "visibilityState", { get: () => (window.isHidden ? "hidden" : "visible") });
      `);
      const hide = (isHidden: boolean) =>
        page.evaluate(`window.isHidden = ${isHidden}; document.dispatchEvent(new Event("visibilitychange"))`);
      const isPoll = (path: string) => path === "/api/installation";
      const polls = () => requests.filter(isPoll).length;
      let answers = 0;
      page.on("response", (response) => void (isPoll(new URL(response.url()).pathname) && answers++));
      const polledAfter = async (action: () => Promise<unknown>) => {
        const before = answers;
        // Until the page has read the response before, it has no timer.
        await expect.poll(() => action().then(() => answers), { timeout: ACTION_MS_MAX }).toBeGreaterThan(before);
        // When a later request is answered, the page has read that response and set its timer.
        await page.evaluate(`fetch("/health")`);
      };
      const forward = (ms: number) => () => page.clock.fastForward(ms);
      await open(service, "?site=shop.example");
      await text("Waiting for the first event").waitFor();
      await pauseClock();
      await polledAfter(forward(300_000));
      const often = polls();
      await page.clock.fastForward(5000);
      expect(polls()).toBe(often);
      await polledAfter(forward(10_000));

      await hide(true);
      const rarely = polls();
      await page.clock.fastForward(60_000);
      expect(polls()).toBe(rarely);
      await polledAfter(() => hide(false));
      await polledAfter(forward(2000));
    });

    it("shows at once why events are refused, and the name under which they arrive instead, which one click opens", async () => {
      await open(service, "");
      await addSite("shop.example");
      await text("Waiting for the first event").waitFor();
      await send(service, "shop.example", "/", { "user-agent": GOOGLEBOT });
      await nextPoll();
      await text("1 event was dropped as bot traffic").waitFor();
      await send(service, "www.shop.example", "/pricing", { "x-forwarded-for": GERMAN_ADDRESS });
      await nextPoll();
      await text("Events arrive for www.shop.example.").waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole("button", { name: "Open that site" }).click();
      await visitorsAre(1);
      expect(await inUrl("site")).toBe("www.shop.example");
      await firstVisitor().filter({ hasText: "Your first visitor, from Germany, just viewed /pricing" }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      const animation = () => page.evaluate(`getComputedStyle(document.querySelector(".landed .logo-bird")).animationName`);
      expect(await animation()).toBe("none");
      await page.emulateMedia({ reducedMotion: "no-preference" });
      expect(await animation()).toBe("land");
    });

    it("after the events of the only site are deleted, its dashboard and the menu stay", async () => {
      await open(service, `?site=www.shop.example&panel=erase`);
      await page.getByLabel("Type www.shop.example to confirm").fill("www.shop.example");
      await page.getByRole("button", { name: "Delete permanently" }).click();
      await text("Deleted 1 event").waitFor();
      await page.keyboard.press("Escape");
      await text("Waiting for the first event").waitFor();
      await page.getByRole("button", { name: "Menu" }).click();
      await page.getByRole("menuitem", { name: "API keys" }).waitFor();
    });
  });

  describe("of a further site", () => {
    let service: ServerProcess;
    const lastDay = utcDay(nowMs() - 800 * DAY_MS);
    beforeAll(async () => {
      service = await serve({ SVC_ADMIN_PASSWORD: PASSWORD }, (dataFolder) =>
        writeVisits(dataFolder, "old.example", [{ atMs: Date.parse(lastDay) + DAY_MS / 2, steps: ["/"] }]),
      );
    }, START_MS_MAX);

    it("a site whose last event is long ago shows its empty period, and leads to the last events", async () => {
      await open(service, "?site=old.example");
      await text("No data for this period. The last event was on").waitFor();
      expect(await text("Waiting for the first event").count()).toBe(0);
      await page.getByRole("button", { name: "Show the 30 days up to then" }).click();
      await visitorsAre(1);
      expect(await inUrl("end")).toBe(lastDay);
    });

    it("an address that names a site without events waits without a report, and becomes its dashboard with the first event", async () => {
      await open(service, "?site=new.example&filters=pages==/nowhere");
      await text("Waiting for the first event").waitFor();
      await page.waitForResponse("**/api/installation?*");
      // How far the realtime report has come is asked where it takes long.
      expect(requests.filter((path) => /^\/api\/stats\/(?!realtime|progress)/.test(path))).toEqual([]);
      await send(service, "new.example", "/hello");
      await nextPoll();
      await visitorsAre(1);
      await firstVisitor().filter({ hasText: "Your first visitor just viewed /hello" }).waitFor();
      await page.getByRole("button", { name: "Site: new.example" }).click();
      await page.getByRole("menuitemradio", { name: "new.example" }).waitFor();
      await page.keyboard.press("Escape");
      // The first event is not awaited any more.
      expect(requests.filter((path) => path === "/api/sites").length).toBe(2);

      await page.keyboard.press("w");
      await firstVisitor().waitFor({ state: "detached" });
      await page.goBack();
      await page.locator('[data-metric="visitors"]').waitFor();
      expect(await firstVisitor().count()).toBe(0);
    });

    it("a site is added in a dialog of its own, which becomes its dashboard with the first event", async () => {
      await open(service, "?site=old.example&period=7d");
      await page.getByRole("button", { name: "Site: old.example" }).click();
      await page.getByRole("menuitem", { name: "Add a site" }).click();
      const dialog = page.getByRole("dialog", { name: "Add a site" });
      await page.locator("input[name=site]:focus").waitFor();
      expect(await dialog.locator(".snippet").count()).toBe(0);
      await addSite("Old.example");
      await dialog.getByText("old.example has events already.").waitFor();
      await changeSite();
      await addSite("second.example");
      await dialog.getByText("Waiting for the first event").waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await send(service, "second.example", "/");
      await nextPoll();
      await dialog.waitFor({ state: "detached" });
      await visitorsAre(1);
      expect(await inUrl("site")).toBe("second.example");
      await page.getByRole("button", { name: "Dismiss" }).click();
      await firstVisitor().waitFor({ state: "detached" });
    });
  });

  it("a site whose dialog was closed early is offered when its first event has come", async () => {
    const service = await serve({ SVC_ADMIN_PASSWORD: PASSWORD });
    await send(service, "old.example");
    await open(service, "?site=old.example&panel=add-site");
    await addSite("third.example");
    await text("Waiting for the first event").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await send(service, "third.example");
    await nextPoll();
    await text("The first event of third.example has arrived.").waitFor();
    await page.getByRole("button", { name: "Site: old.example" }).click();
    expect(await page.getByRole("menuitemradio").allTextContents()).toEqual([
      expect.stringMatching(/^old\.example/),
      expect.stringMatching(/^third\.example/),
    ]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Open that site" }).click();
    await visitorsAre(1);
    expect(await inUrl("site")).toBe("third.example");
    expect(await text(/^The first event of/).count()).toBe(0);
  });

  it("days of a first site begin at midnight in the zone that is chosen with its name, from the first event on", async () => {
    const service = await serve({ SVC_ADMIN_PASSWORD: PASSWORD });
    await open(service, "");
    await page.getByLabel("Days begin at midnight in").selectOption("Asia/Kathmandu");
    await addSite("zoned.example");
    await code().waitFor();
    // Playwright's own requests do not send the cookie over plain HTTP.
    const settings = await page.evaluate("fetch('/api/sites/zoned.example').then((response) => response.json())");
    expect(settings).toMatchObject({ time_zone: "Asia/Kathmandu", time_zone_in_force: "Asia/Kathmandu" });
  });

  it("a site of site_ids becomes its dashboard at once, although its empty reports are cached", async () => {
    const service = await serve({ SVC_ADMIN_PASSWORD: PASSWORD, SVC_SITE_IDS: "listed.example" });
    await open(service, "?site=listed.example&period=day");
    await text("Waiting for the first event").waitFor();
    await send(service, "listed.example", "/");
    await nextPoll();
    await visitorsAre(1);
    expect(await inUrl("period")).toBe("7d");
  });
});
