/** The tracking code for a platform, and the installation check, in a real browser against the built program. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import type { BrowserContext, Page } from "playwright-core";
import type { InstallationPage } from "../../dashboard/api/types.ts";
import { utcDateOf } from "../../src/storage/event.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { nowMs } from "../support/fixed-clock.ts";
import { GOOGLEBOT } from "../support/user-agents.ts";
import { violationsNow } from "./support/accessibility.ts";
import { VISITOR_USER_AGENT } from "./support/browser.ts";
import { newWindow } from "./support/dashboard-browser.ts";
import { startService } from "./support/dashboard-instance.ts";

const PASSWORD = "correct horse battery";

describe("the installation check in the dashboard", () => {
  const opened: ServerProcess[] = [];
  const folders: string[] = [];

  afterAll(async () => {
    for (const service of opened) await service.stop();
    for (const folder of folders) await removeFolder(folder);
  });

  async function serve(
    environment: Readonly<Record<string, string>> = {},
    prepare: (dataFolder: string) => Promise<unknown> = () => Promise.resolve(),
  ): Promise<ServerProcess> {
    const dataFolder = await makeTempFolder();
    folders.push(dataFolder);
    await prepare(dataFolder);
    const service = await startService(dataFolder, { SVC_CACHE_TTL_SECS: "0", ...environment });
    opened.push(service);
    return service;
  }

  const send = (service: ServerProcess, d: string, userAgent = VISITOR_USER_AGENT, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${service.origin}/api/event`, {
      method: "POST",
      headers: { "user-agent": userAgent, ...headers },
      body: JSON.stringify({ d, n: "pageview", u: `https://${d}/` }),
    });

  async function open(prepare: (context: BrowserContext) => Promise<unknown> = () => Promise.resolve()): Promise<Page> {
    const context = await newWindow();
    onTestFinished(() => context.close());
    await prepare(context);
    return context.newPage();
  }

  async function logIn(page: Page, service: ServerProcess): Promise<void> {
    await page.goto(service.origin);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByRole("heading", { name: "Add your first site" }).waitFor();
  }

  async function addSite(page: Page, domain: string): Promise<void> {
    await page.getByLabel("Domain").fill(domain);
    await page.getByRole("button", { name: "Continue" }).click();
  }

  const openCheck = (page: Page) => page.getByRole("button", { name: "Check the installation" }).click();

  /** Verdict and finding of each check of a list. */
  const checksIn = async (page: Page, label: string): Promise<string[]> => {
    const list = page.getByRole("list", { name: label });
    await list.waitFor();
    return list
      .locator("li")
      .evaluateAll((items) =>
        items.map(
          (item) => (item as unknown as { querySelector(selector: string): { textContent: string } }).querySelector("p").textContent,
        ),
      );
  };

  const problemsIn = async (page: Page): Promise<string[]> =>
    (await checksIn(page, "Site and browser")).filter((text) => text.startsWith("Problem: "));

  it("says that no request has come, and what to do, while the first event is awaited", async () => {
    const service = await serve({ SVC_ADMIN_PASSWORD: PASSWORD });
    const page = await open();
    await logIn(page, service);
    await addSite(page, "first.example");
    await openCheck(page);
    await page.getByRole("dialog", { name: "Check the installation" }).waitFor();
    expect((await problemsIn(page)).map((text) => text.replace(/ since .*/, ""))).toEqual([
      "Problem: Nothing received for first.example",
      // As is right: the service of this test is on 127.0.0.1.
      `Problem: The script's address is local: visitors can't load it from ${new URL(service.origin).host}`,
    ]);
    expect(await checksIn(page, "Site and browser")).toContain("OK: This browser can load the script and send events");

    await send(service, "first.example", GOOGLEBOT);
    await page.getByRole("button", { name: "Check again" }).click();
    await page.getByRole("dialog").getByText("dropped as bot traffic").waitFor();
    expect((await problemsIn(page))[0]).toBe("Problem: No event of first.example was accepted");

    expect(await violationsNow(page)).toEqual([]);

    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.locator("button:focus", { hasText: "Check the installation" }).waitFor();
  });

  it("asks which site the tags of other products are for, and counts them from one click on", async () => {
    const service = await serve({ SVC_ADMIN_PASSWORD: PASSWORD });
    const sendTag = async () => {
      const body = JSON.stringify({ type: "event", payload: { website: "0b1b3f5a", hostname: "moved.example", url: "/" } });
      return (await fetch(`${service.origin}/api/send`, { method: "POST", headers: { "user-agent": VISITOR_USER_AGENT }, body })).status;
    };
    expect(await sendTag()).toBe(403);
    const page = await open();
    await logIn(page, service);
    await addSite(page, "moved.example");
    await openCheck(page);
    const dialog = page.getByRole("dialog", { name: "Check the installation" });
    const tags = dialog.getByRole("list", { name: "Which of them are from moved.example?" });
    await tags.getByText("1 request, the latest at").waitFor();
    await tags.getByRole("button", { name: "Count for this site (umami:0b1b3f5a)" }).click();
    await tags.getByRole("button", { name: "Counts for this site from now on (umami:0b1b3f5a)" }).waitFor();
    expect(await violationsNow(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Check again" }).click();
    await tags.waitFor({ state: "detached" });
    expect(await sendTag()).toBe(200);
  });

  it("names the site that events arrive for, once there is a dashboard, from the menu", async () => {
    const service = await serve();
    await send(service, "www.shop.example");
    const page = await open();
    await page.goto(`${service.origin}/?site=shop.example`);
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("menuitem", { name: "Check the installation" }).click();
    await page.getByRole("dialog").getByText("1 event arrived as www.shop.example").waitFor();
    await page.getByText("Checking the page itself requires a password").waitFor();
    expect(await page.getByRole("button", { name: "Check page" }).count()).toBe(0);
  });

  it("says behind a proxy that is not trusted, above the stats and in the check, which trust_proxy fits", async () => {
    const service = await serve();
    for (const visitor of ["198.51.100.1", "198.51.100.2", "198.51.100.3"])
      await send(service, "proxied.example", VISITOR_USER_AGENT, { "x-forwarded-for": visitor });
    const page = await open();
    await page.goto(`${service.origin}/?site=proxied.example`);
    const advice = "Set trust_proxy = 1 and restart if that is the number of your proxies.";
    await page.locator(".notice", { hasText: advice }).waitFor();
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("menuitem", { name: "Check the installation" }).click();
    await page.getByRole("dialog").getByText(advice).waitFor();
    expect(await problemsIn(page)).toContain(
      "Problem: Visitors seem to share the address of a proxy: they count as one, with a wrong or unknown location",
    );
    expect(await violationsNow(page)).toEqual([]);
  });

  it("says above the stats and in the check that reports leave out a damaged file", async () => {
    const service = await serve({}, async (dataFolder) => {
      const date = join(dataFolder, "events", "site_id=damaged.example", `date=${utcDateOf(nowMs())}`);
      await mkdir(date, { recursive: true });
      await writeFile(join(date, "1-1.parquet"), "no events");
    });
    await send(service, "damaged.example");
    await fetch(`${service.origin}/api/stats/main?site_id=damaged.example`);
    const page = await open();
    await page.goto(`${service.origin}/?site=damaged.example`);
    const finding = "Reports leave out 1 file of events: damaged, missing or in the wrong folder";
    await page.locator(".notice", { hasText: finding }).waitFor();
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("menuitem", { name: "Check the installation" }).click();
    await page.getByRole("dialog").getByText(finding).waitFor();
    expect(await violationsNow(page)).toEqual([]);
  });

  it("is asked once for each site that is opened, although three parts of the page need it", async () => {
    const service = await serve();
    for (const siteId of ["first.example", "second.example"]) await send(service, siteId);
    const page = await open();
    const asked: (string | null)[] = [];
    page.on("request", (request) => {
      const url = new URL(request.url());
      if (url.pathname === "/api/installation") asked.push(url.searchParams.get("site_id"));
    });
    // Parts of the page ask before the page does: more requests than one would be under way by the time that both are there.
    const responsesOf = (siteId: string) =>
      Promise.all(
        ["/api/installation?", "/api/stats/main?"].map((path) =>
          page.waitForResponse((response) => response.url().includes(path) && response.url().includes(siteId)),
        ),
      );
    await Promise.all([responsesOf("first.example"), page.goto(`${service.origin}/?site=first.example`)]);
    await page.getByRole("button", { name: /^Site:/ }).click();
    await Promise.all([responsesOf("second.example"), page.getByRole("menuitemradio", { name: "second.example" }).click()]);
    await page.getByRole("button", { name: "Site: second.example" }).waitFor();
    expect(asked).toEqual(["first.example", "second.example"]);
  });

  it("says that site_ids lacks the site", async () => {
    const service = await serve({ SVC_SITE_IDS: "other.example", SVC_ADMIN_PASSWORD: PASSWORD });
    expect((await send(service, "shop.example")).status).toBe(403);
    const page = await open();
    await page.goto(`${service.origin}/?site=shop.example&panel=installation`);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByRole("dialog").getByText("1 event for shop.example was refused: it isn't in site_ids").waitFor();
  });

  it("notices a blocker, Do Not Track and an opt-out of this browser", async () => {
    const service = await serve();
    await send(service, "127.0.0.1");
    const page = await open(async (context) => {
      await context.addInitScript(`
        localStorage.setItem("svc_ignore", "true");
        Object.defineProperty(navigator, "doNotTrack", { get: () => "1" });
      `);
      await context.route("**/svc.js", (route) => route.abort("blockedbyclient"));
    });
    await page.goto(`${service.origin}/?site=127.0.0.1&panel=installation`);
    const checks = await checksIn(page, "Site and browser");
    await page.getByText("Only pages on public addresses can be checked").waitFor();
    expect(checks.slice(1)).toEqual([
      "Note: 127.0.0.1 is a local address",
      "Problem: Something in this browser blocks the script",
      "Note: This browser asks not to be tracked",
      "Problem: This browser has opted out",
    ]);
  });

  it("finds the script and the address of events below a path of the host", async () => {
    const service = await serve({ SVC_BASE_PATH: "/stats", SVC_SITE_IDS: "shop.example" });
    const page = await open();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await page.goto(`${service.origin}/stats/?site=shop.example&panel=installation`);
    expect(await checksIn(page, "Site and browser")).toContain("OK: This browser can load the script and send events");
    expect(asked).toEqual(expect.arrayContaining(["GET /stats/svc.js", "OPTIONS /stats/api/event", "GET /stats/api/installation"]));
  });

  it("checks the page on a click, refuses addresses that are not public, and shows the findings", async () => {
    const service = await serve({ SVC_ADMIN_PASSWORD: PASSWORD });
    const page = await open();
    await logIn(page, service);
    // An address for documentation (RFC 5737).
    await addSite(page, "203.0.113.7");
    await openCheck(page);
    await page.getByRole("button", { name: "Check page" }).click();
    expect(await checksIn(page, "Your page")).toEqual(["Problem: The page isn't on a public address"]);
    await page.getByLabel("Page", { exact: true }).fill("http://elsewhere.example/");
    await page.getByRole("button", { name: "Check page" }).click();
    await page.getByText("Enter the address of a page of 203.0.113.7.").waitFor();
    // The result of the page before is gone.
    expect(await page.getByRole("list", { name: "Your page" }).count()).toBe(0);

    // No page of a public address can be reached from a test.
    const answer: InstallationPage = {
      problem: null,
      status: 200,
      findings: {
        script: "found",
        data_domain: "www.shop.example",
        uses_tag_manager: false,
        script_blocked_by: "policy",
        events_blocked_by: null,
      },
    };
    await page.route("**/api/installation/page", (route) => route.fulfill({ json: answer }));
    await page.getByRole("button", { name: "Check page" }).click();
    await page.getByText("The script tag is for www.shop.example").waitFor();
    expect(await checksIn(page, "Your page")).toEqual([
      "OK: The page has the script tag",
      "Problem: The script tag is for www.shop.example",
      "Problem: The page's Content Security Policy blocks the script",
    ]);
  });

  it("shows and copies the tracking code for the chosen platform, with site and address filled in", async () => {
    const service = await serve({ SVC_ADMIN_PASSWORD: PASSWORD });
    const page = await open((context) => context.grantPermissions(["clipboard-read", "clipboard-write"]));
    await logIn(page, service);
    await addSite(page, "localhost:3000");
    await page.getByLabel("Platform").selectOption("Google Tag Manager");
    await page.getByText("type Custom HTML").waitFor();
    // The confirmation disappears again.
    await Promise.all([page.getByText("Copied").waitFor(), page.getByRole("button", { name: "Copy tracking code" }).click()]);
    const copied = (await page.evaluate("navigator.clipboard.readText()")) as string;
    expect(copied).toContain('setAttribute("data-domain", "localhost:3000")');
    expect(copied).toContain('setAttribute("data-include-local", "")');
    expect(copied).toContain(`script.src = "${service.origin}/svc.js"`);
  });
});
