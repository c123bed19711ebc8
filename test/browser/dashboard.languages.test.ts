/** The dashboard in other languages: chosen by the browser and in the menu, and all of them on a phone. */
import { beforeEach, describe, expect, it } from "vitest";
import { LANGUAGES } from "../../dashboard/words/language.ts";
import { nowMs } from "../support/fixed-clock.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { newWindow } from "./support/dashboard-browser.ts";
import { useDashboard } from "./support/dashboard-instance.ts";
import { DAY_MS, watchRequests, type Visit } from "./support/dashboard.ts";
import { misplaced } from "./support/layout.ts";

const SITE = "shop.example";
const VISITS: readonly Visit[] = Array.from({ length: 3 }, (_, i) => ({
  atMs: nowMs() - (i + 1) * DAY_MS,
  steps: ["/", "/preise", "!Anmeldung"],
  fields: { countryCode: "DE", referrer: "https://www.google.com/", referrerSource: "Google" },
}));

/** The last seven days, as a page in Austrian German writes them. */
const dates = new Intl.DateTimeFormat("de-AT", { timeZone: "UTC", day: "numeric", month: "short", year: "numeric" }).formatRange(
  nowMs() - 6 * DAY_MS,
  nowMs(),
);

const SHOWN = '[data-metric="visitors"] .top-stat-value';

const VIEWS = [
  "",
  ...["filter", "days", "help", "export", "installation"].map((name) => `&panel=${name}`),
  ...["general", "goals", "sources", "privacy", "data", "sharing"].map((name) => `&view=settings&section=${name}`),
];

describe("the languages of the dashboard", () => {
  const dashboard = useDashboard({ visits: { [SITE]: VISITS }, environment: { SVC_ADMIN_PASSWORD: "correct horse battery" }, context: {} });
  let service: ServerProcess;
  beforeEach(() => {
    ({ service } = dashboard);
  });

  it("a German browser sees the page in German, with German dates, plurals and names of countries, and loads no other language", async () => {
    const state = await dashboard.context.storageState();
    const window = await newWindow({ locale: "de-AT", storageState: state });
    const page = await window.newPage();
    const watched = watchRequests(page);
    await page.goto(`${service.origin}/?site=${SITE}&period=7d&places=countries`);
    await page.locator(SHOWN, { hasText: /\d/ }).waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("de");
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toContain(`Statistik von ${SITE}, ${dates}`);
    const places = page.getByRole("region", { name: "Orte" });
    await places.scrollIntoViewIfNeeded();
    await places.getByText("Deutschland").waitFor();
    expect(watched.all.filter((url) => /\/(?:en|fr|es)(?:-later)?-[^/]+\.js$/.test(url))).toEqual([]);
    await page.getByRole("button", { name: "Menü" }).click();
    expect(await page.getByRole("menuitemradio", { name: "Deutsch" }).getAttribute("aria-checked")).toBe("true");
    await window.close();
  });

  it("a language of the menu is kept, whatever the browser asks for", async () => {
    const page = await dashboard.context.newPage();
    await page.goto(`${service.origin}/?site=${SITE}`);
    await page.getByRole("button", { name: "Menu", exact: true }).click();
    await page.getByRole("menuitemradio", { name: "Français" }).click();
    await page.locator("html[lang=fr]").waitFor();
    await page.locator(SHOWN, { hasText: /\d/ }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Filtrer" }).waitFor();
    await page.getByRole("button", { name: "Menu", exact: true }).click();
    await page.getByRole("menuitemradio", { name: "English" }).click();
    await page.getByRole("button", { name: "Filter", exact: true }).waitFor();
    await page.close();
  });

  it.each(LANGUAGES)("%s overflows no phone, on the dashboard, in its dialogs and in the settings", async (language) => {
    const window = await newWindow({
      locale: language,
      storageState: await dashboard.context.storageState(),
      viewport: { width: 390, height: 844 },
    });
    const page = await window.newPage();
    const problems: string[] = [];
    for (const view of VIEWS) {
      await page.goto(`${service.origin}/?site=${SITE}${view}`);
      const place = view.includes("panel") ? "dialog" : "main";
      await page
        .locator(view === "" ? SHOWN : view.includes("settings") ? ".settings-content form" : place)
        .first()
        .waitFor();
      problems.push(...(await page.evaluate<string[]>(misplaced(place))).map((problem) => `${view}: ${problem}`));
    }
    expect(problems).toEqual([]);
    await window.close();
  });
});
