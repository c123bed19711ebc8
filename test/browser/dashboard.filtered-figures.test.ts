/** The stats, chart and cards under filters, compared with counts over the visits that were written. */
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { createDeferred } from "../support/deferred.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { violationsOf } from "./support/accessibility.ts";
import { ACTION_MS_MAX } from "./support/dashboard-browser.ts";
import { cardOf, noonDaysAgo, rowsOf, urlOf, type Visit } from "./support/dashboard.ts";
import { useDashboard } from "./support/dashboard-instance.ts";

const SITE = "shop.example";

/** Between two steps of a visit. */
const STEP_SECS = 30;

const times = (count: number, visit: Visit): Visit[] => Array.from({ length: count }, () => visit);
const german = { countryCode: "DE" } as const;

const THIS_WEEK: readonly Visit[] = [
  ...times(3, { atMs: noonDaysAgo(1), steps: ["/", "/pricing", "/pricing", "!Signup"], fields: german }),
  { atMs: noonDaysAgo(1), steps: ["/", "/join", "!Signup", "!Signup"] },
  ...times(4, { atMs: noonDaysAgo(2), steps: ["/pricing"], fields: german }),
  ...times(2, { atMs: noonDaysAgo(3), steps: ["/", "/blog", "!Login"] }),
];
const WEEK_BEFORE: readonly Visit[] = [
  { atMs: noonDaysAgo(8), steps: ["/", "/pricing", "!Signup"], fields: german },
  { atMs: noonDaysAgo(8), steps: ["/pricing"], fields: german },
  ...times(3, { atMs: noonDaysAgo(9), steps: ["/pricing", "/"] }),
];

/** So that the week before is whole. */
const LONG_AGO: Visit = { atMs: noonDaysAgo(100), steps: ["/"] };

const isPageview = (step: string): boolean => !step.startsWith("!");
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
const percent = (rate: number): string => `${(rate * 100).toFixed(rate === 0 || rate === 1 ? 0 : 1)}%`;

/** What the stats on top are to show of visits with a step that matches: of each visitor there is one visit. */
function statsOf(visits: readonly Visit[], matches: (step: string) => boolean) {
  const matching = visits.filter(({ steps }) => steps.some(matches));
  const stepsOf = (wanted: (step: string) => boolean) => sum(matching.map(({ steps }) => steps.filter(wanted).length));
  const secs = Math.round(sum(matching.map(({ steps }) => (steps.length - 1) * STEP_SECS)) / matching.length);
  return {
    "Unique visitors": String(matching.length),
    Visits: String(matching.length),
    "Pageviews of matching pages": String(stepsOf((step) => isPageview(step) && matches(step))),
    "Pages per visit": (stepsOf(isPageview) / matching.length).toFixed(1),
    "Bounce rate": percent(matching.filter(({ steps }) => steps.length === 1).length / matching.length),
    "Visit duration": secs < 60 ? `${secs}s` : `${Math.floor(secs / 60)}m ${String(secs % 60).padStart(2, "0")}s`,
    "Conversion rate": percent(matching.filter(({ steps }) => !steps.every(isPageview)).length / matching.length),
  };
}

function conversionsOf(visits: readonly Visit[], name: string) {
  const counts = visits.map(({ steps }) => steps.filter((step) => step === `!${name}`).length);
  const unique = counts.filter((count) => count > 0).length;
  return { unique, total: sum(counts), rate: unique / visits.length };
}

const isGerman = ({ fields }: Visit): boolean => fields?.countryCode === "DE";

describe("the dashboard under filters", () => {
  const dashboard = useDashboard({
    visits: { [SITE]: [...THIS_WEEK, ...WEEK_BEFORE, LONG_AGO] },
    context: { viewport: { width: 1280, height: 1600 } },
  });
  let service: ServerProcess;
  let page: Page;
  beforeEach(() => {
    ({ service, page } = dashboard);
  });

  async function open(filters: string, query = ""): Promise<void> {
    await page.goto(`${service.origin}/?site=${SITE}&period=7d&filters=${encodeURIComponent(filters)}${query}`);
    await page.locator(".top-stat-value", { hasText: /\d/ }).first().waitFor();
    await page.locator(".stale, .loading").first().waitFor({ state: "detached" });
  }

  const textsOf = (part: string) => page.locator(`.top-stat ${part}`).allTextContents();

  /** Title and value of each stat, once all have loaded. */
  async function stats(): Promise<Record<string, string>> {
    await expect.poll(() => textsOf(".top-stat-value"), { timeout: ACTION_MS_MAX }).not.toContain("–");
    const [titles, values] = [await textsOf(".top-stat-title"), await textsOf(".top-stat-value")];
    return Object.fromEntries(titles.map((title, i) => [title, values[i] ?? ""]));
  }

  const definitionOf = (metric: string) => page.locator(`[data-metric="${metric}"]`).getAttribute("data-tip");
  const changeOf = (metric: string) => page.locator(`[data-metric="${metric}"] .change`);

  it("a filter on a page tells matching pageviews from the pages of whole visits, each with its change", async () => {
    await open("pages==/pricing");
    expect(await stats()).toEqual(statsOf(THIS_WEEK, (step) => step === "/pricing"));
    await expect.poll(() => page.locator(".top-stat .change").count()).toBe(7);
    const before = statsOf(WEEK_BEFORE, (step) => step === "/pricing")["Pages per visit"];
    expect(await definitionOf("views_per_visit")).toContain(`${before} in `);
    expect(await definitionOf("pageviews")).toContain("match the filters");
    expect(await definitionOf("views_per_visit")).toContain("whether they match the filters or not");
  });

  it("a filter on a country leaves all stats as they are, each with its change", async () => {
    await open("countries==DE");
    const {
      "Pageviews of matching pages": pageviews,
      "Pages per visit": viewsPerVisit,
      ...others
    } = statsOf(THIS_WEEK.filter(isGerman), () => true);
    expect(await stats()).toEqual({ ...others, Pageviews: String(13), "Views per visit": viewsPerVisit });
    expect([pageviews, viewsPerVisit]).toEqual(["13", "1.9"]);
    await expect.poll(() => page.locator(".top-stat .change").count()).toBe(7);
    expect(await definitionOf("views_per_visit")).toMatch(/^1\.5 in /);
  });

  it("a filter on a goal shows its conversions and their rate among all visitors, compared with the period before", async () => {
    await open("events==Signup");
    const [now, before] = [conversionsOf(THIS_WEEK, "Signup"), conversionsOf(WEEK_BEFORE, "Signup")];
    expect(await stats()).toEqual({
      "Converted visitors": String(now.unique),
      "Total conversions": String(now.total),
      "Conversion rate": percent(now.rate),
    });
    expect(await changeOf("conversion_rate").getAttribute("data-direction")).toBe("up");
    expect(await changeOf("conversion_rate").textContent()).toMatch(/^\+up by \d+\.\d pts$/);
    expect(await definitionOf("conversion_rate")).toMatch(new RegExp(`^${percent(before.rate)} in `));
    await expect.poll(() => page.locator(".top-stat .change").count()).toBe(3);
  });

  it("on the way to a goal, no rate is shown before both of its reports are there, and then the old one stays until both others are", async () => {
    const [now, before] = [conversionsOf(THIS_WEEK, "Signup"), conversionsOf(WEEK_BEFORE, "Signup")];
    const rate = page.locator('[data-metric="conversion_rate"] .top-stat-value');
    let held = createDeferred<void>();
    await page.route(/\/api\/stats\/(main|timeseries)\?.*Signup/, async (route) => {
      await held.promise;
      await route.continue();
    });
    await open("countries!=XX", "&metric=conversion_rate&chart=table");
    await cardOf(page, "did").locator(".row-button", { hasText: "Signup" }).click();
    await expect.poll(() => cardOf(page, "did").locator(".row.chosen").count(), { timeout: ACTION_MS_MAX }).toBe(1);
    await page.locator(".top-stats[aria-busy=true]").waitFor();
    expect(new Set(await textsOf(".top-stat-value"))).toEqual(new Set(["–"]));
    await page.getByRole("region", { name: "Conversion rate as a table" }).waitFor({ state: "detached" });
    held.resolve();
    await expect.poll(() => rate.textContent(), { timeout: ACTION_MS_MAX }).toBe(percent(now.rate));

    await open("events==Signup");
    await expect.poll(() => rate.textContent(), { timeout: ACTION_MS_MAX }).toBe(percent(now.rate));
    held = createDeferred<void>();
    const everybodyOfBefore = page.waitForResponse((response) => /\/main\?(?!.*Signup)/.test(response.url()));
    await page.keyboard.press("ArrowLeft");
    await everybodyOfBefore;
    await page.locator(".top-stats[aria-busy=true]").waitFor();
    expect(await rate.textContent()).toBe(percent(now.rate));
    held.resolve();
    await expect.poll(() => rate.textContent(), { timeout: ACTION_MS_MAX }).toBe(percent(before.rate));
  });

  it("other filters narrow the conversions and the visitors of their rate alike", async () => {
    await open("countries==DE;events==Signup");
    const { unique, total, rate } = conversionsOf(THIS_WEEK.filter(isGerman), "Signup");
    expect(Object.values(await stats())).toEqual([unique, total, percent(rate)].map(String));
  });

  it("the chart of a goal shows its conversions and rates by day, beside those of the period before", async () => {
    await open("events==Signup", "&chart=table");
    const table = page.getByRole("region", { name: /as a table/ });
    const columns = async (title: string) => {
      await page
        .getByRole("region", { name: `${title} as a table` })
        .locator("tbody tr td:nth-child(4)")
        .nth(6)
        .waitFor();
      await page.locator(".stale, .loading").first().waitFor({ state: "detached" });
      const cells = (column: number) => table.locator(`tbody tr td:nth-child(${column})`).allTextContents();
      return [(await cells(2)).slice(-4), (await cells(4)).slice(-4)];
    };
    // Oldest first: three days ago to today, and the same a week before.
    const total = [
      ["0", "0", "5", "0"],
      ["0", "0", "1", "0"],
    ];
    expect(await columns("Converted visitors")).toEqual([["0", "0", "4", "0"], total[1]]);
    await page.locator('[data-metric="total_conversions"]').click();
    expect(await columns("Total conversions")).toEqual(total);
    await page.locator('[data-metric="conversion_rate"]').click();
    expect(await columns("Conversion rate")).toEqual([
      ["0%", "0%", "100%", "0%"],
      ["0%", "0%", "50.0%", "0%"],
    ]);
    expect((await urlOf(page)).searchParams.get("metric")).toBe("conversion_rate");
    await page.getByRole("button", { name: "Remove filter: Event is Signup" }).click();
    // The rate of all goals: four of the week's ten visitors signed up and two logged in.
    await page.locator('[data-metric="conversion_rate"].chosen', { hasText: percent(6 / 10) }).waitFor();
    await page.goBack();
    await page.locator('[data-metric="total_conversions"]').click();
    await page.getByRole("button", { name: "Remove filter: Event is Signup" }).click();
    await page.locator('[data-metric="visitors"].chosen').waitFor();
  });

  it("cards count conversions under a filter on a goal, and goals keep their rates among all visitors", async () => {
    const { unique, rate } = conversionsOf(THIS_WEEK, "Signup");
    await open("events==Signup", "&places=countries");
    // Changes come with reports of their own.
    await expect
      .poll(() => cardOf(page, "places").locator(".column-heads").textContent(), { timeout: ACTION_MS_MAX })
      .toBe("CountryConversionsShareChange");
    expect(await rowsOf(page, "places")).toEqual([["Germany", "3"]]);
    expect(await cardOf(page, "places").locator(".footnote").textContent()).toBe("1 conversion with an unknown country");
    expect(await rowsOf(page, "did")).toEqual([["Signup", String(unique)]]);
    await expect
      .poll(() => cardOf(page, "did").locator(".row .row-share").allTextContents(), { timeout: ACTION_MS_MAX })
      .toEqual([percent(rate)]);
    await cardOf(page, "places")
      .getByRole("button", { name: /Details/ })
      .click();
    const heads = page.getByRole("dialog").getByRole("columnheader");
    await expect
      .poll(async () => (await heads.allTextContents()).map((text) => text.replace("↓", "").trim()), { timeout: ACTION_MS_MAX })
      .toEqual([
        "Country",
        "Visitors",
        "Conversions",
        "Conversion rate",
        "Visits",
        "Bounce rate",
        "Visit duration",
        "Views per visit",
        expect.stringMatching(/^Conversions, \d+/),
        "Change",
      ]);
  });

  it("goals that the filters leave out are no invitation to track the first one", async () => {
    await open("events==Nothing");
    await cardOf(page, "did").getByText("No results.").waitFor();
  });

  it("the help defines the stats that are shown", async () => {
    await open("events==Signup", "&panel=help");
    const terms = page.getByRole("dialog", { name: "Help" }).locator(".definitions dt");
    await expect
      .poll(() => terms.allTextContents(), { timeout: ACTION_MS_MAX })
      .toEqual(["Converted visitors", "Total conversions", "Conversion rate"]);
  });

  it("axe finds no violation under filters, light and dark, and nothing is wider than the screen", async () => {
    for (const [filters, width] of [
      ["pages==/pricing", 320],
      ["events==Signup", 1280],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await open(filters);
      expect(await violationsOf(page)).toEqual([]);
      expect(
        await page.evaluate(`document.querySelector(".top-stats").scrollWidth <= document.querySelector(".top-stats").clientWidth`),
      ).toBe(true);
    }
  });
});
