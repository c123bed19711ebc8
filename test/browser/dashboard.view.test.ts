/** The dashboard in a real browser, its numbers compared with the API: filters, shortcuts, history, builders, API keys, deletion. */
import { readFile } from "node:fs/promises";
import { beforeEach, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { readPage } from "../docs/pages.ts";
import { nowMs } from "../support/fixed-clock.ts";
import { itInAll } from "../support/tier-cases.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { violationsNow } from "./support/accessibility.ts";
import { ACTION_MS_MAX } from "./support/dashboard-browser.ts";
import { cardOf, DAY_MS, noonDaysAgo, rowsOf, urlOf, utcDay, type Visit, watchRequests } from "./support/dashboard.ts";
import { useDashboard } from "./support/dashboard-instance.ts";

const SITE = "shop.example";
const PASSWORD = "correct horse battery";

/** All files that the first view loads, gzipped. */
const FIRST_VIEW_BYTES_MAX = 120 * 1024;

const german = { countryCode: "DE", referrer: "https://www.google.com/", referrerSource: "Google" } as const;
const times = (count: number, visit: Visit): Visit[] => Array.from({ length: count }, () => visit);

/** This week has more visitors and fewer bounces than the week before. */
const VISITS: readonly Visit[] = [
  ...times(4, { atMs: noonDaysAgo(1), steps: ["/", "/pricing", "!Signup"], fields: german }),
  ...times(3, { atMs: noonDaysAgo(2), steps: ["/", "/pricing"], fields: { countryCode: "FR", browser: "Firefox", browserVersion: "150" } }),
  { atMs: noonDaysAgo(3), steps: ["/blog/a"] },
  {
    atMs: noonDaysAgo(3),
    steps: ["/", "/pricing", "!Purchase"],
    fields: { ...german, props: '{"plan":"pro"}', revenueCents: 2990, currency: "EUR" },
  },
  ...times(5, { atMs: noonDaysAgo(9), steps: ["/"] }),
  // So that the week before is whole.
  { atMs: noonDaysAgo(100), steps: ["/"] },
];

/** Those of the table in docs/reports.md, "Dashboard". */
function documentedKeys(): string[] {
  const table = /^\| Key \|.*\n.*\n((?:\|.*\n)+)/m.exec(readPage("docs/reports.md").text)?.[1] ?? "";
  const cells = table.split("\n").map((row) => row.split("|").map((cell) => cell.trim()));
  return cells.flatMap(([, first = "", , second = ""]) => [first, second]).filter((key) => key !== "");
}

describe("the dashboard", () => {
  const dashboard = useDashboard({
    visits: { [SITE]: VISITS },
    environment: { SVC_ADMIN_PASSWORD: PASSWORD },
    context: { viewport: { width: 1280, height: 1600 } },
  });
  let service: ServerProcess;
  let page: Page;
  beforeEach(() => {
    ({ service, page } = dashboard);
  });

  async function open(query: string): Promise<void> {
    await page.goto(`${service.origin}/?site=${SITE}&period=7d${query}`);
    await settled();
  }

  const openExplore = (query: string) => page.goto(`${service.origin}/?site=${SITE}&period=7d&view=explore${query}`);

  /** Nothing loads any more, and nothing is dimmed. */
  async function settled(): Promise<void> {
    await page.locator('[data-metric="visitors"] .top-stat-value', { hasText: /\d/ }).waitFor();
    await page.locator(".stale, .loading").first().waitFor({ state: "detached" });
  }

  const inUrl = async (name: string) => (await urlOf(page)).searchParams.get(name);
  const api = <T>(path: string): Promise<T> =>
    page.evaluate<T>(`fetch("/api/stats/${path}?site_id=${SITE}&period=7d").then((response) => response.json())`);
  const stat = (metric: string) => page.locator(`[data-metric="${metric}"] .top-stat-value`);
  const valueIs = (metric: string, text: string) =>
    page.locator(`[data-metric="${metric}"] .top-stat-value`, { hasText: new RegExp(`^${text}$`) }).waitFor();

  it("every card shows the numbers of the API", async () => {
    await open("&places=countries&from=visit-sources");
    const main = await api<{ unique_visitors: number; total_sessions: number; total_pageviews: number }>("main");
    expect(await stat("visitors").textContent()).toBe(String(main.unique_visitors));
    expect(await stat("visits").textContent()).toBe(String(main.total_sessions));
    expect(await stat("pageviews").textContent()).toBe(String(main.total_pageviews));
    const rows = async (dimension: string) =>
      (await api<{ value: string; visitors: number }[]>(`breakdown/${dimension}`)).map(({ value, visitors }) => [value, String(visitors)]);
    expect(await rowsOf(page, "pages")).toEqual(await rows("pages"));
    expect(await rowsOf(page, "devices")).toEqual(await rows("browsers"));
    expect(await rowsOf(page, "from")).toEqual(
      (await rows("visit-sources")).map(([value, count]) => [value === "(unknown)" ? "Direct / none" : value, count]),
    );
    expect(await rowsOf(page, "places")).toEqual([
      ["Germany", "5"],
      ["France", "3"],
    ]);
    expect(await cardOf(page, "places").locator(".footnote").textContent()).toBe("1 visitor with an unknown country");
    const goals = await api<{ name: string; visitors: number; conversion_rate: number }[]>("goals");
    expect((await rowsOf(page, "did")).map(([name]) => name)).toEqual(goals.map(({ name }) => name));
    expect((await rowsOf(page, "did"))[0]?.[1]).toBe("4");
    expect(await cardOf(page, "did").locator(".row .row-share").first().textContent()).toBe("44.4%");
  });

  it("a change has an arrow for its direction and a color for its meaning", async () => {
    await open("");
    const change = (metric: string) => page.locator(`[data-metric="${metric}"] .change`);
    expect(await change("visitors").getAttribute("data-direction")).toBe("up");
    expect(await change("visitors").getAttribute("class")).toContain("better");
    expect(await change("bounce_rate").getAttribute("data-direction")).toBe("down");
    expect(await change("bounce_rate").getAttribute("class")).toContain("better");
    await page.keyboard.press("x");
    await change("visitors").waitFor({ state: "detached" });
    expect(await inUrl("compare")).toBe("none");
  });

  it("a click on a row adds a filter, which Back and its pill remove and Forward restores", async () => {
    await open("&from=visit-sources");
    await cardOf(page, "from")
      .getByRole("button", { name: /Google/ })
      .click();
    await valueIs("visitors", "5");
    expect(await inUrl("filters")).toBe("visit-sources==Google");
    await page.goBack();
    await valueIs("visitors", "9");
    expect(await page.locator(".pill").count()).toBe(0);
    await page.goForward();
    await valueIs("visitors", "5");
    await page.getByRole("button", { name: /Remove filter: Source is Google/ }).click();
    await valueIs("visitors", "9");
    await cardOf(page, "devices")
      .getByRole("button", { name: /Chrome/ })
      .click();
    await valueIs("visitors", "6");
    await cardOf(page, "devices").getByText("147").waitFor();
    await page.keyboard.press("Escape");
    await valueIs("visitors", "9");
  });

  it("a card without results for the filters offers to clear the filters", async () => {
    await open("&filters=sources==Nowhere");
    await cardOf(page, "pages").getByText("No results.").waitFor();
    await cardOf(page, "pages").getByRole("button", { name: "Clear filters" }).click();
    await valueIs("visitors", "9");
    expect(await inUrl("filters")).toBeNull();
  });

  it("the filter dialog offers the values of the period", async () => {
    await open("");
    await page.keyboard.press("f");
    await page.getByLabel("Filter by").selectOption("countries");
    await page.getByLabel("Operator").selectOption("is not");
    await page.getByRole("combobox", { name: "Value" }).click();
    await page.getByRole("combobox", { name: "Value" }).fill("ger");
    await page.getByRole("option", { name: /Germany/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Apply filter" }).click();
    await valueIs("visitors", "4");
    expect(await inUrl("filters")).toBe("countries!=DE");
  });

  it("keyboard shortcuts choose a period, move to the previous or next one, and open the help, which lists the documented keys", async () => {
    await open("");
    for (const [key, period] of [
      ["d", "day"],
      ["q", "90d"],
      ["y", "12mo"],
      ["w", "7d"],
    ] as const) {
      await page.keyboard.press(key);
      expect(await inUrl("period")).toBe(period);
    }
    await page.keyboard.press("ArrowLeft");
    expect(await inUrl("end")).toBe(utcDay(nowMs() - 7 * DAY_MS));
    await valueIs("visitors", "5");
    await page.keyboard.press("ArrowRight");
    expect(await inUrl("period")).toBe("7d");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Help" }).waitFor();
    expect((await page.locator(".keys kbd").allTextContents()).toSorted()).toEqual(documentedKeys().toSorted());
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  it("the chart shows the chosen metric, and its table leads to a single day", async () => {
    await open("&chart=table");
    await page.locator('[data-metric="bounce_rate"]').click();
    const series = await api<{ bounce_rate: number }[]>("session-timeseries");
    const cells = page.getByRole("region", { name: /Bounce rate as a table/ }).locator("tbody tr td:nth-child(2)");
    await expect
      .poll(() => cells.allTextContents(), { timeout: ACTION_MS_MAX })
      .toEqual(series.map(({ bounce_rate }) => `${(bounce_rate * 100).toFixed(bounce_rate === 0 || bounce_rate === 1 ? 0 : 1)}%`));
    await page
      .getByRole("region", { name: /as a table/ })
      .getByRole("button")
      .nth(3)
      .click();
    expect(await inUrl("start")).toBe(utcDay(nowMs() - 3 * DAY_MS));
    await valueIs("visitors", "2");
    await page.getByRole("button", { name: "Show as chart" }).click();
    await page.locator(".line-chart canvas").waitFor();
  });

  it("the details dialog searches all values and downloads them as CSV", async () => {
    await open("");
    await cardOf(page, "pages")
      .getByRole("button", { name: /Details/ })
      .click();
    const dialog = page.getByRole("dialog", { name: "Top pages" });
    await dialog.getByRole("rowheader").first().waitFor();
    await dialog.getByLabel("Search").fill("blog");
    await dialog.getByText("1 page", { exact: true }).waitFor();
    expect(await dialog.getByRole("rowheader").allTextContents()).toEqual(["/blog/a"]);
    await dialog.getByRole("columnheader", { name: "Revenue (EUR)" }).waitFor();
    const download = page.waitForEvent("download");
    await dialog.getByRole("button", { name: "Download: CSV" }).click();
    expect(await readFile(await (await download).path(), "utf8")).toBe(
      '\ufeff"value","label","visitors","pageviews","events","sessions","bounce_rate","avg_visit_duration_secs","views_per_visit","revenue",' +
        '"previous_visitors"\r\n"/blog/a","/blog/a","1","1","1","1","1","0","1","0","0"\r\n',
    );
  });

  it("a step that the site does not have is called by its path", async () => {
    await openExplore("&report=funnel&steps=page:/nowhere,page:/");
    await expect.poll(() => page.getByRole("combobox", { name: "Step 2" }).inputValue()).toBe("/");
    expect(await page.getByRole("combobox", { name: "Step 1" }).inputValue()).toBe("/nowhere");
  });

  it("the funnel builder offers real pages and events, and says the share of all and of the step before", async () => {
    await openExplore("&report=funnel");
    for (const [step, name] of [
      ["Step 1", "/"],
      ["Step 2", "/pricing"],
      ["Step 3", "Signup"],
    ] as const) {
      await page.getByRole("combobox", { name: step }).click();
      await page.getByRole("combobox", { name: step }).fill(name);
      await page.getByRole("option").filter({ hasText: name }).first().waitFor();
      await page.keyboard.press("Enter");
    }
    expect(await inUrl("steps")).toBe("page:/,page:/pricing,event:Signup");
    const funnel = page.getByRole("list", { name: "Funnel" });
    await expect.poll(() => funnel.locator("strong").allTextContents(), { timeout: ACTION_MS_MAX }).toEqual(["100%", "100%", "50.0%"]);
    expect(await funnel.locator('[data-rate="step"]').allTextContents()).toEqual(["100% of the step before", "50.0% of the step before"]);
    const noRepeats = page.getByLabel("Ignore attempts with repeated steps");
    expect(await noRepeats.isVisible()).toBe(false);
    await page.getByText("Advanced").click();
    await noRepeats.check();
    await page.getByLabel("Strict order").check();
    expect(await inUrl("modes")).toBe("strict_deduplication,strict_order");
    await page.getByRole("tab", { name: "Paths" }).click();
    await page.getByText("Add two steps to see your path").waitFor();
    expect(await inUrl("steps")).toBe("page:/,page:/pricing,event:Signup");
    await page.getByRole("tab", { name: "Retention" }).click();
    await page.getByRole("heading", { name: "Retention needs visitor IDs that last longer than 1 day" }).waitFor();
  });

  it("links to the tabs of the former Behavior card lead to Explore, and its Back to the view before", async () => {
    await page.goto(`${service.origin}/?site=${SITE}&period=7d&did=sequences&steps=page:/,event:Signup`);
    await page.locator('[data-stat="converting"]', { hasText: "4" }).waitFor();
    expect(await page.getByRole("tab", { name: "Paths" }).getAttribute("aria-selected")).toBe("true");
    await page.getByRole("tab", { name: "Funnel" }).click();
    expect([await inUrl("view"), await inUrl("report"), await inUrl("sequence")]).toEqual(["explore", null, "page:/,event:Signup"]);
    await page.getByText("Add two steps to see your funnel").waitFor();
    await page.goBack();
    await page.locator('[data-stat="converting"]', { hasText: "4" }).waitFor();
    await page.keyboard.press("Escape");
    await settled();
    await page.goBack();
    await page.locator('[data-stat="converting"]').waitFor();
  });

  it("Explore keeps period and filters, and has keys of its own", async () => {
    await open("&filters=countries==DE");
    await page.keyboard.press("e");
    await page.getByRole("heading", { name: "Explore" }).waitFor();
    await page.getByRole("tab", { name: "Flow" }).click();
    await page.getByText("5 visitors viewed /. Each counts once, with the first view.").waitFor();
    expect(await page.getByRole("button", { name: /^Compar/ }).count()).toBe(0);
    await page.keyboard.press("m");
    await page.getByRole("button", { name: "Period: Last 30 days" }).waitFor();
    expect([await inUrl("view"), await inUrl("filters")]).toEqual(["explore", "countries==DE"]);
    await page.keyboard.press("e");
    await settled();
    expect([await inUrl("view"), await inUrl("filters")]).toEqual([null, "countries==DE"]);
  });

  it("flow says how many entered or left the site at a page, and shows repeated views only on request", async () => {
    await openExplore("&report=flow&page=/");
    const rowsIn = (name: string) => page.getByRole("list", { name }).locator(".row").allTextContents();
    await expect.poll(() => rowsIn("Next pages"), { timeout: ACTION_MS_MAX }).toEqual(["/pricing8100%"]);
    await expect.poll(() => rowsIn("Previous pages"), { timeout: ACTION_MS_MAX }).toEqual(["Entered here8100%"]);
    await page.getByRole("button", { name: "/pricing" }).click();
    await expect.poll(() => rowsIn("Next pages"), { timeout: ACTION_MS_MAX }).toEqual(["Left the site8100%"]);
    await page.getByLabel("Show repeated views").check();
    expect(await inUrl("repeats")).toBe("keep");
  });

  it("goals and revenue have metrics above the chart, with their change, and their lines", async () => {
    await open("");
    const rate = page.locator('[data-metric="conversion_rate"]');
    await expect.poll(() => rate.locator(".top-stat-value").textContent(), { timeout: ACTION_MS_MAX }).toBe("55.6%");
    expect(await rate.locator(".change").textContent()).toBe("+up by 55.6 pts");
    await page.locator('[data-metric="revenue"] .top-stat-value', { hasText: "€89.70" }).waitFor();
    await page.locator('[data-metric="revenue"]').click();
    await page.getByRole("button", { name: "Show as table" }).click();
    const cells = page.getByRole("region", { name: /Revenue as a table/ }).locator("tbody tr td:nth-child(2)");
    await expect
      .poll(async () => (await cells.allTextContents()).filter((text) => !text.startsWith("€0")), { timeout: ACTION_MS_MAX })
      .toEqual(["€89.70"]);
    await rate.click();
    const rates = page.getByRole("region", { name: /Conversion rate as a table/ }).locator("tbody tr td:nth-child(2)");
    await expect
      .poll(async () => (await rates.allTextContents()).filter((text) => text !== "0%"), { timeout: ACTION_MS_MAX })
      .toEqual(["50.0%", "100%"]);
    // The card compares with reports of its own.
    await expect
      .poll(() => cardOf(page, "did").locator(".row .row-change").allTextContents(), { timeout: ACTION_MS_MAX })
      .toEqual(["+up by 44.4 pts", "+up by 11.1 pts"]);
    expect(await cardOf(page, "did").locator(".column-heads").textContent()).toBe("GoalVisitorsRateChange");
  });

  it("a first view runs at most four statistics requests at once, contacts no other host, and stays within 120 KB", async () => {
    const watched = watchRequests(page);
    await open("");
    for (const key of ["y", "q", "m", "d", "w"]) await page.keyboard.press(key);
    await settled();
    expect(watched.most).toBeLessThanOrEqual(4);
    expect(watched.most).toBeGreaterThan(1);
    expect(watched.all.filter((url) => !url.startsWith(service.origin))).toEqual([]);
    const files = [...new Set(watched.all.filter((url) => !url.includes("/api/")).map((url) => new URL(url).pathname))];
    let bytes = 0;
    for (const file of files) {
      const response = await fetch(service.origin + file, { headers: { "accept-encoding": "gzip" } });
      bytes += Number(response.headers.get("content-length"));
      await response.arrayBuffer();
    }
    expect(files.length).toBeGreaterThan(4);
    expect(files.filter((file) => file.endsWith(".woff2"))).toHaveLength(1);
    expect(bytes, `${files.length} files of ${(bytes / 1024).toFixed(1)} KB`).toBeLessThanOrEqual(FIRST_VIEW_BYTES_MAX);
  });

  itInAll("axe finds no accessibility violation, light, dark, on a phone and in dialogs", async () => {
    const views = [
      ["", "light", 1280],
      ["&places=countries&filters=sources==Google", "dark", 1280],
      ["&view=explore&report=funnel&steps=page:/,event:Signup", "light", 390],
      ["&view=explore&report=flow", "dark", 768],
      ["&view=realtime", "dark", 1280],
      ["&panel=pages", "light", 1280],
      ["&panel=keys", "dark", 390],
      ["&panel=filter", "light", 390],
    ] as const;
    for (const [query, colorScheme, width] of views) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await page.goto(`${service.origin}/?site=${SITE}&period=7d${query}`);
      await page.getByRole("button", { name: "Menu" }).waitFor();
      await page.locator(".stale, .loading").first().waitFor({ state: "detached" });
      const problems = await violationsNow(page);
      expect({ query, problems }).toEqual({ query, problems: [] });
      expect(
        await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"),
        `${query} is as wide as the screen`,
      ).toBe(0);
    }
  });

  it("a created API key works, is shown once, and can be revoked", async () => {
    await open("&panel=keys");
    await page.getByLabel("Name").fill("report");
    await page.getByRole("button", { name: "Create key" }).click();
    const key = (await page.getByLabel("New key").textContent()) ?? "";
    const ask = async () => (await fetch(`${service.origin}/api/sites`, { headers: { authorization: `Bearer ${key}` } })).status;
    expect(await ask()).toBe(200);
    await page.reload();
    await page.getByRole("rowheader", { name: "report" }).waitFor();
    expect(await page.getByText(key).count()).toBe(0);
    await page.getByRole("button", { name: "Revoke report" }).click();
    await page.getByRole("button", { name: "Confirm revoke report" }).click();
    await page.getByRole("cell", { name: "Revoked" }).waitFor();
    expect(await ask()).toBe(401);
  });

  it("stats are shown in a browser whose language is not a valid language tag", async () => {
    await page.addInitScript(`
      Object.defineProperty(navigator, "language", { get: () => "en-US@posix" });
      Object.defineProperty(navigator, "languages", { get: () => ["en-US@posix"] });
    `);
    await open("");
    expect(await stat("visitors").textContent()).toBe("9");
  });

  it("a dialog whose code cannot be fetched says so and offers to reload the page", async () => {
    await page.route("**/assets/panels-*.js", (route) => route.abort());
    await open("");
    await page.keyboard.press("?");
    const dialog = page.getByRole("dialog", { name: "Something went wrong" });
    await dialog.getByRole("button", { name: "Reload the page" }).waitFor();
    await page.unroute("**/assets/panels-*.js");
    await dialog.getByRole("button", { name: "Reload the page" }).click();
    await page.getByRole("dialog", { name: "Help" }).waitFor();
  });

  it("numbers are written in the language of the page, whatever the browser's", async () => {
    await page.addInitScript('Object.defineProperty(navigator, "languages", { get: () => ["de-DE", "en-GB"] });');
    await open("");
    expect(await page.locator("html").getAttribute("lang")).toBe("de");
    expect(await stat("views_per_visit").textContent()).toMatch(/^\d,\d$/);
    expect(await stat("bounce_rate").textContent()).toMatch(/^\d+(,\d)?\u00a0%$/);
    await page.evaluate('localStorage.setItem("sandpiper.language", "en")');
    await page.reload();
    await settled();
    expect(await page.locator("html").getAttribute("lang")).toBe("en");
    expect(await stat("views_per_visit").textContent()).toMatch(/^\d\.\d$/);
    expect(await stat("bounce_rate").textContent()).toMatch(/^\d+(\.\d)?%$/);
    await page.evaluate('localStorage.removeItem("sandpiper.language")');
  });

  it("a chosen theme is kept, and without one the system's applies", async () => {
    await open("");
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("menuitemradio", { name: "Theme: Dark" }).click();
    await page.reload();
    const background = (): Promise<unknown> => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const dark = await background();
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("menuitemradio", { name: "Theme: Light" }).click();
    const light = await background();
    expect(light).not.toBe(dark);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await background()).toBe(light);
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("menuitemradio", { name: "Theme: System" }).click();
    expect(await background()).toBe(dark);
    await page.emulateMedia({ colorScheme: "light" });
    await expect.poll(background).toBe(light);
    await page.emulateMedia({ colorScheme: null });
    expect(await page.evaluate("localStorage.getItem('sandpiper.theme')")).toBeNull();
  });

  it("data deletion requires the typed site id and deletes only the chosen days", async () => {
    await open("&panel=erase");
    const erase = page.getByRole("button", { name: "Delete permanently" });
    expect(await erase.isDisabled()).toBe(true);
    const day = utcDay(nowMs() - 3 * DAY_MS);
    await page.getByLabel("Start date").fill(day);
    await page.getByLabel("End date").fill(day);
    await page.getByLabel(`Type ${SITE} to confirm`).fill(SITE);
    await erase.click();
    await page.getByText("Deleted 4 events and the files of 1 day.").waitFor();
    await page.keyboard.press("Escape");
    await valueIs("visitors", "7");
  });
});
