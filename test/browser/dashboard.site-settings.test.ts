/** The settings of a site in a real browser: sections, saving, refusals and drafts, by keyboard and at three widths. */
import { readFile } from "node:fs/promises";
import { unzipSync } from "fflate";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { BrowserContext, Page } from "playwright-core";
import { createDeferred } from "../support/deferred.ts";
import { nowMs } from "../support/fixed-clock.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { violationsOf } from "./support/accessibility.ts";
import { ACTION_MS_MAX, newWindow } from "./support/dashboard-browser.ts";
import { DAY_MS, urlOf, watchRequests, writeVisits } from "./support/dashboard.ts";
import { startService, useDashboard } from "./support/dashboard-instance.ts";
import {
  logInToApi,
  openSection,
  problemsAtAllWidths,
  settingsUrl,
  smallTargets,
  type Ask,
  type Section,
} from "./support/settings-page.ts";

const SITE = "shop.example";
const OTHER_SITE = "blog.example";
const PASSWORD = "correct horse battery";
const VISITS = [
  { atMs: nowMs() - DAY_MS, steps: ["/", "/pricing"] },
  { atMs: nowMs() - DAY_MS, steps: ["/", "/pricing"], fields: { referrerSource: "Google" } },
];

interface Settings {
  readonly name: string | null;
  readonly time_zone: string | null;
  readonly week_start: string;
  readonly excluded_paths: readonly string[];
  readonly excluded_addresses: readonly string[];
  readonly excluded_countries: readonly string[];
  readonly hidden_cards: readonly string[];
  readonly own_hosts: readonly string[];
  readonly channel_rules: readonly { readonly channel: string }[];
  readonly retention_days: number | null;
  readonly created_at: string | null;
}

/** The contrast of text and background (WCAG 2.2, "contrast ratio"). */
const contrastOf = (selector: string): string => `(() => {
  const { color, backgroundColor } = getComputedStyle(document.querySelector(${JSON.stringify(selector)}));
  const linear = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const luminance = (rgb) => {
    const [red, green, blue] = rgb.match(/[\\d.]+/g).map((value) => linear(value / 255));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [dark, light] = [luminance(color), luminance(backgroundColor)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
})()`;

describe("the settings of a site", () => {
  const dashboard = useDashboard({
    visits: { [SITE]: VISITS, [OTHER_SITE]: VISITS },
    environment: { SVC_ADMIN_PASSWORD: PASSWORD },
    context: { viewport: { width: 1440, height: 900 }, timezoneId: "Europe/Paris" },
  });
  let service: ServerProcess;
  let context: BrowserContext;
  let page: Page;
  let ask: Ask;
  beforeAll(async () => {
    ask = await logInToApi(dashboard.service.origin, PASSWORD);
  });
  beforeEach(() => {
    ({ service, context, page } = dashboard);
  });

  const open = (section: Section, site = SITE) => openSection(page, settingsUrl(service.origin, site, section));
  const settingsOf = async (site = SITE) => (await ask("GET", `/api/sites/${site}`)) as Settings;
  const put = (settings: Partial<Settings>, site = SITE) => ask("PUT", `/api/sites/${site}`, settings);
  const heading = (name: string) => page.getByRole("heading", { name, exact: true });
  const section = (name: string) => page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name });
  const status = (text: string) => page.getByRole("status").filter({ hasText: text }).waitFor();
  const save = async () => {
    await page.getByRole("button", { name: "Save" }).click();
    await status("Saved.");
  };
  const back = () => page.evaluate("history.back()");
  /** Presses Tab until the element has the focus. */
  async function tabTo(label: string): Promise<void> {
    for (let tabs = 0; tabs < 60; tabs++) {
      await page.keyboard.press("Tab");
      const focused = await page.evaluate<string>(`(({ activeElement: element }) =>
        element.getAttribute("aria-label") ?? element.labels?.[0]?.textContent ?? element.textContent)(document)`);
      if (focused.trim() === label) return;
    }
    throw new Error(`Tab does not lead to ${label}`);
  }

  it("have a page beside them where visitors opt out, which is accessible and works by keyboard", async () => {
    await page.goto(`${service.origin}/opt-out?lang=en`);
    const button = (name: string) => page.getByRole("button", { name });
    await button("Don’t count this browser").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("status").getByText("are not counted").waitFor();
    await button("Count this browser again").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press("Space");
    await page.getByRole("status").getByText("are counted").waitFor();
  });

  it("open from the menu; the URL has the section, and Back leads through the sections to the dashboard", async () => {
    await page.goto(`${service.origin}/?site=${SITE}&period=7d`);
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("menuitem", { name: "Site settings" }).click();
    await heading(`Settings for ${SITE}`).waitFor();
    await expect.poll(() => page.title()).toContain("Settings");
    await section("Privacy").click();
    await heading("Privacy and exclusions").waitFor();
    const optOut = page.getByRole("link", { name: "Exclude this browser on the site" });
    expect(await optOut.getAttribute("href")).toBe(`https://${SITE}/#svc-opt-out`);
    await section("Data").click();
    await heading("Events").waitFor();
    expect((await urlOf(page)).search).toBe(`?site=${SITE}&period=7d&view=settings&section=data`);
    await page.reload();
    await heading("Events").waitFor();
    await back();
    await heading("Privacy and exclusions").waitFor();
    await back();
    await heading("General").waitFor();
    await back();
    await page.locator('[data-metric="visitors"]').waitFor();
    expect((await urlOf(page)).search).toBe(`?site=${SITE}&period=7d`);
  });

  it("all events of the period are exported as a ZIP with a file for each day that has some, without visitor ids", async () => {
    await page.goto(`${service.origin}/?site=${SITE}&period=7d&panel=export`);
    await page.getByRole("radio", { name: "All events, a file for each day (ZIP)" }).check();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download" }).click();
    const saved = await download;
    expect(saved.suggestedFilename()).toMatch(/^shop\.example-events-.*\.zip$/);
    const files = unzipSync(await readFile(await saved.path()));
    const day = new Date(nowMs() - DAY_MS).toISOString().slice(0, 10);
    expect(Object.keys(files)).toEqual([`${day}.csv`]);
    const [header, ...rows] = new TextDecoder().decode(files[`${day}.csv`]).trimEnd().split("\n");
    expect(header).toMatch(/^event_name,pathname,/);
    expect(header).not.toContain("visitor_id");
    expect(rows).toHaveLength(4);
    await status("Saved to your downloads.");
  });

  it("the button that has saved can be read while the pointer rests on it, light and dark", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await open("general");
      const name = page.getByLabel("Display name");
      await name.fill(colorScheme);
      await save();
      const contrast = () => page.evaluate<number>(contrastOf('.save-bar .primary[aria-disabled="true"]:hover'));
      await expect.poll(contrast, { timeout: ACTION_MS_MAX }).toBeGreaterThanOrEqual(4.5);
      await name.fill("");
      await save();
    }
  });

  it("general settings are changed by keyboard alone, and the dashboard follows them", async () => {
    await open("general");
    await tabTo("Display name");
    await page.keyboard.type("The Shop");
    await tabTo("Time zone");
    await page.keyboard.type("new york");
    await page.getByRole("option", { name: /America\/New York.*UTC-/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("takes effect when the next day begins").waitFor();
    await tabTo("Monday");
    await page.keyboard.press("ArrowDown");
    await tabTo("Devices");
    await page.keyboard.press("Space");
    await tabTo("Save");
    await page.keyboard.press("Enter");
    await status("Saved.");
    expect(await settingsOf()).toMatchObject({
      name: "The Shop",
      time_zone: "America/New_York",
      week_start: "sunday",
      hidden_cards: ["devices"],
    });
    await page.getByText(/Changes to America\/New York on .+\./).waitFor();
    await heading("Settings for The Shop").waitFor();

    await page.keyboard.press("Escape");
    await page.locator('[data-card="pages"]').waitFor();
    expect(await page.locator('[data-card="devices"]').count()).toBe(0);
    await put({});
  });

  it("hosts, ignored referrers and channel rules are typed, ordered, refused by their rule, and saved", async () => {
    await open("sources");
    await page.getByLabel("Hosts of this site").fill("*.shop.example\n\nBrand.example");
    await page.getByLabel("Ignored referrers").fill("pay.example");
    await page.getByLabel("?ref= counts as utm_source").check();
    const rule = (number: number) => page.getByRole("listitem", { name: `Rule ${number}` });
    await page.getByRole("button", { name: "Add a rule" }).click();
    await rule(1).getByLabel("Channel").selectOption("Affiliates");
    await rule(1).getByLabel("Referrer host").fill("*.partner.example, go.example");
    await page.getByRole("button", { name: "Add a rule" }).click();
    await rule(2).getByLabel("Channel").selectOption("Email");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Channel rules, rule 2 must have at least one condition").waitFor();
    await rule(2).getByLabel("UTM source").fill("crm-*");
    await page.getByRole("button", { name: "Move rule 2 up" }).click();
    await page.getByRole("button", { name: "Preview the effect" }).click();
    await page.getByText("No visit of the last 90 days would change its channel.").waitFor();
    await rule(2).getByLabel("Referrer host").fill("*.partner.example, go.example, www.google.com");
    expect(await page.getByText("No visit of the last 90 days").count()).toBe(0);
    await page.getByRole("button", { name: "Preview the effect" }).click();
    await page.getByText("Would move 1 visit of the last 90 days, of 2:").waitFor();
    await page.getByText("1 visit from Organic Search to Affiliates").waitFor();
    await rule(2).getByLabel("Referrer host").fill("*.partner.example, go.example");
    expect(await problemsAtAllWidths(page)).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
    await save();
    const none = { source: [], referrer: [], utm_source: [], utm_medium: [], click_id: [] };
    expect(await settingsOf()).toMatchObject({
      own_hosts: ["*.shop.example", "brand.example"],
      ignored_referrers: ["pay.example"],
      source_parameters: ["ref"],
      channel_rules: [
        { ...none, channel: "Email", utm_source: ["crm-*"] },
        { ...none, channel: "Affiliates", referrer: ["*.partner.example", "go.example"] },
      ],
    });
    expect(await smallTargets(context, settingsUrl(service.origin, SITE, "sources"))).toEqual([]);
    await section("General").click();
    await page.getByLabel("Display name").fill("Renamed");
    await save();
    expect((await settingsOf()).channel_rules).toHaveLength(2);
    await put({});
  });

  it("an address shows what is kept of it, and a parameter that is not becomes part of pages", async () => {
    await open("pages");
    const address = page.getByLabel("Address of a page");
    await address.fill("https://shop.example/caf%c3%a9.php?t=1&sort=new&utm_source=letter&gclid=x");
    await address.press("Enter");
    const result = page.locator("[role=status]", { hasText: "Not kept" });
    await result.waitFor();
    const facts = () => page.locator(".facts dd").allTextContents();
    expect(await facts()).toEqual(["/café.php", "shop.example", "letter", "gclid"]);
    expect(await result.getByRole("listitem").locator("code").allTextContents()).toEqual(["t", "sort"]);
    await page.getByRole("button", { name: "Add t" }).click();
    expect(await page.getByLabel("Parameters that are pages").inputValue()).toBe("t");
    expect(await problemsAtAllWidths(page)).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByLabel("Count several slashes as one").check();
    await save();
    expect(await settingsOf()).toMatchObject({ page_parameters: ["t"], merge_slashes: true });
    await page.getByRole("button", { name: "Check address" }).click();
    await expect.poll(facts, { timeout: ACTION_MS_MAX }).toEqual(["/café.php?t=1", "shop.example", "letter", "gclid"]);
    await address.fill("mailto:a@b.example");
    await address.press("Enter");
    await page.getByRole("alert").filter({ hasText: "absolute http or https URL" }).waitFor();
    expect(await smallTargets(context, settingsUrl(service.origin, SITE, "pages"))).toEqual([]);
    await put({});
  });

  it("finds a zone by the name that browsers do not list, and goes back to the default", async () => {
    await open("general");
    const zone = page.getByRole("combobox", { name: "Time zone" });
    await zone.click();
    for (const [typed, label] of [
      ["kolkata", "Asia/Kolkata"],
      ["US/Pacific", "US/Pacific"],
      ["default", "Server default (UTC)"],
    ] as const) {
      await zone.fill(typed);
      await zone.press("Enter");
      await expect.poll(() => zone.inputValue()).toBe(label);
    }
    expect(await page.getByText("Unsaved changes").count()).toBe(0);
  });

  it("find a zone in any spelling, list it once, and save it as the service spells it", async () => {
    await open("general");
    const zone = page.getByRole("combobox", { name: "Time zone" });
    const options = page.getByRole("option").locator("span");
    await zone.click();
    for (const [typed, label, ...others] of [
      ["utc", "UTC", "Server default (UTC)"],
      ["america/new_york", "America/New York"],
      ["Europe/Berlin", "Europe/Berlin"],
      ["europe/berlin", "Europe/Berlin"],
    ] as const) {
      await zone.fill(typed);
      await expect.poll(() => options.allTextContents(), { timeout: ACTION_MS_MAX }).toEqual([label, ...others]);
      await zone.press("Enter");
      await expect.poll(() => zone.inputValue(), { timeout: ACTION_MS_MAX }).toBe(label);
    }
    // A name that browsers do not list: its spelling is not known.
    await zone.fill("us/pacific");
    await page.getByRole("option", { name: "No matches" }).waitFor();
    await zone.press("Escape");
    await save();
    expect((await settingsOf()).time_zone).toBe("Europe/Berlin");
    await put({});
  });

  it("keep what is typed in other sections, on the dashboard and after Back, until it is cancelled", async () => {
    await open("general");
    const name = page.getByLabel("Display name");
    await name.fill("Half a na");
    await status("Unsaved changes");
    await section("Privacy").click();
    await page.getByLabel("Paths").fill("/draft\n");
    await page.getByRole("button", { name: "Back to dashboard" }).click();
    await page.locator('[data-metric="visitors"]').waitFor();
    await back();
    expect(await page.getByLabel("Paths").inputValue()).toBe("/draft\n");
    await back();
    expect(await name.inputValue()).toBe("Half a na");

    const asked = new Promise<string>((resolve) =>
      page.once("dialog", (dialog) => {
        resolve(dialog.type());
        void dialog.dismiss();
      }),
    );
    await page.close({ runBeforeUnload: true });
    expect(await asked).toBe("beforeunload");

    await page.getByRole("button", { name: "Cancel" }).click();
    expect(await name.inputValue()).toBe("");
    expect(await page.getByText("Unsaved changes").count()).toBe(0);
    expect((await settingsOf()).name).toBe(null);
  });

  it("keep what is typed when the session has ended, until after the login", async () => {
    await open("general");
    await page.getByLabel("Display name").fill("Typed before");
    await context.clearCookies();
    await page.getByRole("button", { name: "Save" }).click();
    await heading("Your session has ended").waitFor();
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Log in" }).click();
    await status("Unsaved changes");
    expect(await page.getByLabel("Display name").inputValue()).toBe("Typed before");
  });

  it("save only what was changed here, so that another administrator's changes stay", async () => {
    await open("general");
    await page.getByLabel("Display name").fill("Mine");
    await put({ name: "Theirs", week_start: "saturday", retention_days: 90 });
    await save();
    expect(await settingsOf()).toMatchObject({ name: "Mine", week_start: "saturday", retention_days: 90 });
    expect(await page.getByLabel("Saturday").isChecked()).toBe(true);
    await put({});
  });

  it("keep what is typed while they are being saved", async () => {
    await open("general");
    const [held, arrived] = [createDeferred<void>(), createDeferred<void>()];
    await page.route(`**/api/sites/${SITE}`, async (route) => {
      if (route.request().method() === "PUT") {
        arrived.resolve();
        await held.promise;
      }
      await route.continue();
    });
    const name = page.getByLabel("Display name");
    await name.fill("Half a na");
    await page.getByLabel("Saturday").check();
    await page.getByRole("button", { name: "Save" }).click();
    await arrived.promise;
    await name.fill("Half a name");
    held.resolve();
    await expect.poll(async () => (await settingsOf()).name, { timeout: ACTION_MS_MAX }).toBe("Half a na");
    await page.getByRole("button", { name: "Save" }).and(page.locator('[aria-disabled="false"]')).waitFor();
    await status("Unsaved changes");
    expect(await name.inputValue()).toBe("Half a name");
    await save();
    expect(await settingsOf()).toMatchObject({ name: "Half a name", week_start: "saturday" });
    await put({});
  });

  it("show a refusal at its field, which gets the focus, and keep what was typed", async () => {
    await open("privacy");
    const addresses = page.getByLabel("IP addresses and networks");
    await addresses.fill("192.0.2.7\nnot an address");
    await page.getByRole("button", { name: "Save" }).click();
    const problem = page.locator("#setting-excluded_addresses-problem", { hasText: "not an address" });
    await problem.waitFor();
    expect(await problem.textContent()).toMatch(/^IP addresses and networks must be/);
    await page.locator("#setting-excluded_addresses:focus").waitFor();
    expect(await addresses.getAttribute("aria-invalid")).toBe("true");
    expect(await addresses.inputValue()).toBe("192.0.2.7\nnot an address");
    expect(await problemsAtAllWidths(page)).toEqual([]);
    await page.getByRole("button", { name: "Cancel" }).click();
    expect(await addresses.getAttribute("aria-invalid")).toBe("false");
  });

  it("exclude paths, addresses and countries, by keyboard alone", async () => {
    await open("privacy");
    await tabTo("Paths");
    await page.keyboard.type("/admin/*\n\n  /drafts");
    await tabTo("IP addresses and networks");
    await page.keyboard.type("198.51.100.0/24");
    await tabTo("Countries");
    // Algeria has it, too, and does not begin with it.
    for (const country of ["ger", "fran"]) {
      await page.keyboard.type(country);
      await page.keyboard.press("Enter");
    }
    await page.getByRole("list", { name: "Selected countries" }).getByText("France").waitFor();
    await page.getByRole("button", { name: "Remove France" }).press("Enter");
    await page.locator("#setting-excluded_countries:focus").waitFor();
    await tabTo("Save");
    await page.keyboard.press("Enter");
    await status("Saved.");
    expect(await settingsOf()).toMatchObject({
      excluded_paths: ["/admin/*", "/drafts"],
      excluded_addresses: ["198.51.100.0/24"],
      excluded_countries: ["DE"],
    });
    await put({});
  });

  it("keep events for a number of days, forever, or as the installation does", async () => {
    await open("data");
    await page.getByLabel("For a number of days").check();
    const days = page.getByLabel("Days", { exact: true });
    await days.fill("");
    await page.getByRole("button", { name: "Save" }).click();
    expect(await days.evaluate((input) => (input as unknown as { validity: { valid: boolean } }).validity.valid)).toBe(false);
    await days.fill("400");
    await save();
    expect((await settingsOf()).retention_days).toBe(400);
    await page.getByLabel("Forever", { exact: true }).check();
    await save();
    expect((await settingsOf()).retention_days).toBe(0);
    await page.getByLabel("Server default").check();
    await save();
    expect((await settingsOf()).retention_days).toBe(null);
  });

  it("are downloaded as a file, imported from it after a question, and reset after a confirmation", async () => {
    await put({ name: "The Blog" }, OTHER_SITE);
    await open("data", OTHER_SITE);
    const downloaded = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download settings" }).click();
    const path = await (await downloaded).path();
    expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ version: 1 });

    await page.getByRole("button", { name: "Reset settings" }).click();
    expect((await settingsOf(OTHER_SITE)).name).toBe("The Blog");
    await page.getByRole("button", { name: "Confirm reset" }).click();
    await status("Settings reset.");
    expect(await settingsOf(OTHER_SITE)).toMatchObject({ name: null, created_at: null });

    const file = page.getByLabel("Settings file");
    await file.setInputFiles({ name: "settings.json", mimeType: "application/json", buffer: Buffer.from("[1]") });
    await page.getByText("This isn't a settings file.").waitFor();
    await file.setInputFiles({ name: "settings.json", mimeType: "application/json", buffer: await readFile(path) });
    await page.getByText(/Replace the settings of .*blog\.example/).waitFor();
    await page.getByRole("button", { name: "Import", exact: true }).click();
    await status("Settings imported.");
    expect((await settingsOf(OTHER_SITE)).name).toBe("The Blog");
    await heading("Settings for The Blog").waitFor();
  });

  it("open the dialogs that export and delete events, and keep the section behind them", async () => {
    await open("data");
    for (const [button, title] of [
      ["Export events…", "Export"],
      ["Delete events…", "Delete events"],
    ] as const) {
      await page.getByRole("button", { name: button }).click();
      await page.getByRole("dialog", { name: title }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await page.locator("button:focus", { hasText: button }).waitFor();
    }
  });

  it("turn off the keys of periods and filters, and follow the switch to another site", async () => {
    await open("privacy");
    for (const key of ["d", "f", "x", "ArrowLeft"]) await page.keyboard.press(key);
    expect((await urlOf(page)).search).toBe(`?site=${SITE}&view=settings&section=privacy`);
    await page.getByRole("button", { name: /^Site:/ }).click();
    await page.getByRole("menuitemradio", { name: /blog/i }).click();
    await expect.poll(async () => (await urlOf(page)).search).toBe(`?site=${OTHER_SITE}&view=settings&section=privacy`);
  });

  it("have no accessibility violation and nothing misplaced at three widths, and targets for fingers", async () => {
    await put({ name: "The Shop", excluded_countries: ["DE", "FR", "US"], retention_days: 30 });
    for (const name of ["general", "privacy", "data"] as const) {
      await page.setViewportSize({ width: 1440, height: 900 });
      await open(name);
      expect({ name, problems: await problemsAtAllWidths(page) }).toEqual({ name, problems: [] });
      const small = await smallTargets(context, settingsUrl(service.origin, SITE, name));
      expect({ name, small }).toEqual({ name, small: [] });
    }
    await put({});
  });

  it("need a password: without one, the page leads to setting it", async () => {
    const dataFolder = await makeTempFolder();
    await writeVisits(dataFolder, SITE, VISITS);
    const openService = await startService(dataFolder);
    // Its cookies are its own: those of one host are the same for all ports.
    const stranger = await newWindow();
    onTestFinished(async () => {
      await stranger.close();
      await openService.stop();
      await removeFolder(dataFolder);
    });
    page = await stranger.newPage();
    await page.goto(settingsUrl(openService.origin, SITE, "general"));
    await page.getByText("Set a password to change settings.").waitFor();
    expect(await problemsAtAllWidths(page)).toEqual([]);
    await page.getByRole("button", { name: "Set a password" }).click();
    await page.getByRole("dialog").getByLabel("Password (12+ characters)", { exact: true }).fill(PASSWORD);
    await page.getByRole("dialog").getByRole("button", { name: "Set password" }).click();
    await page.getByLabel("Display name").waitFor();
  });

  it("load with their first use: a first view of the dashboard has neither their code nor their style", async () => {
    const watched = watchRequests(page);
    // Their style is that of all pages and dialogs that no first view has.
    const kindsOf = () =>
      new Set(watched.all.filter((url) => /\/assets\/(?:settings|later)-/.test(url)).map((url) => url.split(".").at(-1)));
    await page.goto(`${service.origin}/?site=${SITE}`);
    await page.locator('[data-metric="visitors"]').waitFor();
    expect(kindsOf()).toEqual(new Set());
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("menuitem", { name: "Site settings" }).click();
    await page.getByLabel("Display name").waitFor({ timeout: ACTION_MS_MAX });
    expect(kindsOf()).toEqual(new Set(["css", "js"]));
  });
});
