/** The details of a card in a real browser: columns, order, search and pages by the service, changes, and files of exactly what is seen. */
import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { nowMs } from "../support/fixed-clock.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { violationsOf } from "./support/accessibility.ts";
import { ACTION_MS_MAX } from "./support/dashboard-browser.ts";
import { cardOf, DAY_MS, noonDaysAgo, urlOf, utcDay, type Visit, watchRequests } from "./support/dashboard.ts";
import { useDashboard } from "./support/dashboard-instance.ts";
import { misplaced } from "./support/layout.ts";

const SITE = "shop.example";
const BIG_SITE = "big.example";
const DIRECT_SITE = "direct.example";

const times = (count: number, visit: Visit): Visit[] => Array.from({ length: count }, () => visit);

/** Of each step of a visit. */
const sale = { revenueCents: 1000, currency: "EUR" } as const;

/** Google's visits are longer, and half of them buy; those of Bing have doubled since the week before, those of Google halved. */
const VISITS: readonly Visit[] = [
  ...times(2, { atMs: noonDaysAgo(1), steps: ["/", "/pricing"], fields: { referrerSource: "Google", countryCode: "DE" } }),
  ...times(2, {
    atMs: noonDaysAgo(1),
    steps: ["/", "/pricing", "!Purchase"],
    fields: { referrerSource: "Google", countryCode: "DE", ...sale },
  }),
  ...times(6, { atMs: noonDaysAgo(2), steps: ["/"], fields: { referrerSource: "Bing", countryCode: "FR" } }),
  ...times(8, { atMs: noonDaysAgo(8), steps: ["/"], fields: { referrerSource: "Google", countryCode: "DE" } }),
  ...times(3, { atMs: noonDaysAgo(9), steps: ["/"], fields: { referrerSource: "Bing", countryCode: "FR" } }),
  // So that the week before is whole.
  { atMs: noonDaysAgo(60), steps: ["/"] },
];

/** More values than a request may ask for. */
const BIG_PAGES = 1250;

const pathOf = (i: number): string => `/page/${String(i).padStart(4, "0")}`;

const BIG_VISITS: readonly Visit[] = [
  ...Array.from({ length: BIG_PAGES }, (_, i) => ({ atMs: noonDaysAgo(1), steps: [pathOf(i)] })),
  ...times(2, { atMs: noonDaysAgo(1), steps: ["/Formulas", "=1+1"] }),
];

/** More than a page of sources by the name, beside visitors without one. */
const DIRECT_VISITS: readonly Visit[] = [
  ...times(2, { atMs: noonDaysAgo(1), steps: ["/"], fields: { screenSize: "1920", browserVersion: "147" } }),
  { atMs: noonDaysAgo(1), steps: ["/"], fields: { screenSize: "390", browserVersion: "98", referrerSource: "Unknown Pleasures" } },
  ...Array.from({ length: 120 }, (_, i) => ({
    atMs: noonDaysAgo(1),
    steps: ["/"],
    fields: { screenSize: "390", browserVersion: "98", referrerSource: `directory-${i}.example` },
  })),
];

describe("the details of a card", () => {
  const dashboard = useDashboard({
    visits: { [SITE]: VISITS, [BIG_SITE]: BIG_VISITS, [DIRECT_SITE]: DIRECT_VISITS },
    context: { viewport: { width: 1280, height: 1000 } },
  });
  let service: ServerProcess;
  let page: Page;
  beforeEach(() => {
    ({ service, page } = dashboard);
  });

  async function open(query: string, site = SITE): Promise<Locator> {
    await page.goto(`${service.origin}/?site=${site}&period=7d${query}`);
    await settled();
    return page.getByRole("dialog");
  }

  /** All columns are there. */
  async function settled(): Promise<void> {
    await page.getByRole("dialog").getByRole("rowheader").first().waitFor();
    await expect.poll(() => page.getByRole("cell", { name: "…" }).count(), { timeout: ACTION_MS_MAX }).toBe(0);
    await page.locator("dialog .stale, dialog .loading").first().waitFor({ state: "detached" });
  }

  const heads = async (): Promise<string[]> =>
    (await page.getByRole("columnheader").allTextContents()).map((text) => text.replaceAll(/[↓↑]/g, "").trim());
  const rows = (): Promise<string[][]> =>
    page
      .locator("dialog tbody tr")
      .evaluateAll((found) =>
        found.map((row) =>
          [...(row as unknown as { cells: Iterable<{ innerText: string }> }).cells].map(({ innerText }) =>
            innerText.replaceAll(/\s+/g, " ").trim(),
          ),
        ),
      );
  const column = async (name: string): Promise<string[]> => {
    const at = (await heads()).indexOf(name);
    return (await rows()).map((cells) => cells[at] ?? "");
  };
  const head = (name: string) => page.getByRole("columnheader", { name: new RegExp(`^${name}( [↓↑])?$`) });

  async function orderBy(name: string): Promise<string | null> {
    await head(name).getByRole("button").click();
    await settled();
    return head(name).getAttribute("aria-sort");
  }

  async function saved(format: "CSV" | "JSON"): Promise<{ readonly name: string; readonly text: string }> {
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: `Download: ${format}` }).click();
    return { name: (await download).suggestedFilename(), text: await readFile(await (await download).path(), "utf8") };
  }

  it("have the numbers of sessions, revenue, the share and the change for each row", async () => {
    await open("&panel=visit-sources");
    expect(await heads()).toEqual([
      "Source",
      "Visitors",
      "Share",
      "Pageviews",
      "Events",
      "Visits",
      "Bounce rate",
      "Visit duration",
      "Views per visit",
      "Revenue (EUR)",
      expect.stringMatching(/^Visitors, \d+/),
      "Change",
    ]);
    // The share needs the sum of another report.
    await expect.poll(rows).toEqual([
      ["Bing", "6", "60%", "6", "6", "6", "100%", "0s", "1.0", "€0.00", "3", "↑ up by 100.0%"],
      ["Google", "4", "40%", "8", "10", "4", "0%", "45s", "2.0", "€60.00", "8", "↓ down by 50.0%"],
    ]);
    expect(await violationsOf(page)).toEqual([]);
  });

  it("are ordered by the service, by a click or a key on a head, and the change is that of the ordering column", async () => {
    const watched = watchRequests(page);
    await open("&panel=visit-sources");
    expect(await head("Visitors").getAttribute("aria-sort")).toBe("descending");
    expect(await orderBy("Views per visit")).toBe("descending");
    expect(await column("Source")).toEqual(["Google", "Bing"]);
    expect(await column("Change")).toEqual(["↑ up by 100.0%", "→ unchanged 0.0%"]);
    expect(await orderBy("Views per visit")).toBe("ascending");
    expect(await column("Source")).toEqual(["Bing", "Google"]);
    await head("Source").getByRole("button").focus();
    await page.keyboard.press("Enter");
    await settled();
    expect(await head("Source").getAttribute("aria-sort")).toBe("ascending");
    expect(await column("Source")).toEqual(["Bing", "Google"]);
    const sorts = watched.all.flatMap((url) => new URL(url).searchParams.get("sort") ?? []);
    expect([...new Set(sorts)]).toEqual(["visitors:desc", "views_per_visit:desc", "views_per_visit:asc", "value:asc"]);
  });

  it("with a goal have its conversions and rate among all visitors of each row", async () => {
    await open("&panel=visit-sources&filters=events==Purchase");
    expect((await heads()).slice(0, 4)).toEqual(["Source", "Visitors", "Conversions", "Conversion rate"]);
    expect((await rows()).map((cells) => cells.slice(0, 4))).toEqual([
      ["Google", "4", "2", "50.0%"],
      ["Bing", "6", "0", "0%"],
    ]);
    expect(await orderBy("Visitors")).toBe("descending");
    expect(await column("Source")).toEqual(["Bing", "Google"]);
    expect(await column("Conversions")).toEqual(["0", "2"]);
  });

  it("have pages of 100 rows, past 1,000, and a search of the service in all of them", async () => {
    const dialog = await open("&panel=pages", BIG_SITE);
    await dialog.getByText(`1,252 pages · Page 1 of 13`).waitFor();
    expect(await orderBy("Page")).toBe("ascending");
    expect((await column("Page")).length).toBe(100);
    for (let number = 2; number <= 13; number++) {
      await dialog.getByRole("button", { name: "Next" }).click();
      await dialog.getByText(`Page ${number} of 13`).waitFor();
      await settled();
    }
    expect((await column("Page")).at(-1)).toBe("=1+1");
    expect(await dialog.getByRole("button", { name: "Next" }).isDisabled()).toBe(true);
    await dialog.getByLabel("Search").fill("AGE/12");
    await dialog.getByText("50 pages").waitFor();
    expect(await dialog.getByRole("button", { name: "Next" }).count()).toBe(0);
    await settled();
    expect(await column("Page")).toEqual(Array.from({ length: 50 }, (_, i) => pathOf(1200 + i)));
    await dialog.getByLabel("Search").fill("nothing like it");
    await dialog.getByText("No matches").waitFor();
  });

  it("are downloaded as they are seen: all pages, in their order, with their columns and the search", async () => {
    await open("&panel=pages&search=PAGE", BIG_SITE);
    expect(await orderBy("Page")).toBe("ascending");
    expect(await orderBy("Page")).toBe("descending");
    const csv = await saved("CSV");
    const [first = "", ...lines] = csv.text.trimEnd().split("\r\n");
    expect(first).toBe(
      '\ufeff"value","label","visitors","pageviews","events","sessions","bounce_rate","avg_visit_duration_secs","views_per_visit"',
    );
    expect(lines.length).toBe(BIG_PAGES);
    expect(lines[0]).toBe(`"${pathOf(1249)}","${pathOf(1249)}","1","1","1","1","1","0","1"`);
    expect(lines.at(-1)).toMatch(/^"\/page\/0000",/);
    const days = [utcDay(nowMs() - 6 * DAY_MS), utcDay(nowMs())];
    expect(csv.name).toBe(`${BIG_SITE}-pages-${days.join("-to-")}.csv`);
    const json = await saved("JSON");
    const parsed = JSON.parse(json.text) as Record<string, string | number>[];
    expect(parsed.map(({ value }) => value)).toEqual(Array.from({ length: BIG_PAGES }, (_, i) => pathOf(BIG_PAGES - 1 - i)));
    expect(json.name).toBe(`${BIG_SITE}-pages-${days.join("-to-")}.json`);
    await open("&panel=visit-sources");
    expect((JSON.parse((await saved("JSON")).text) as Record<string, number>[])[0]).toMatchObject({
      value: "Bing",
      visitors: 6,
      bounce_rate: 1,
      revenue: 0,
      previous_visitors: 3,
    });
    await open("&panel=pages&search=%3D1", BIG_SITE);
    expect((await saved("CSV")).text).toContain(`"'=1+1"`);
  });

  it("are searched by what readers see, whatever the service calls it, with pages, totals and files of the same rows", async () => {
    const dialog = await open("&panel=visit-sources&search=direct", DIRECT_SITE);
    await dialog.getByText("121 sources · Page 1 of 2").waitFor();
    expect((await column("Source"))[0]).toBe("Direct / none");
    const csv = await saved("CSV");
    expect(csv.text.trimEnd().split("\r\n").length).toBe(1 + 121);
    expect(csv.text).toContain('"(unknown)","Direct / none","2"');
    await dialog.getByLabel("Search").fill("unknown");
    await dialog.getByText("1 source", { exact: true }).waitFor();
    await settled();
    expect(await column("Source")).toEqual(["unknown pleasures"]);
    await open("&panel=screen-sizes&search=1920+px", DIRECT_SITE);
    expect(await column("Screen width")).toEqual(["1920 px"]);
    await open("&panel=browser-versions&filters=browsers==Chrome&search=chrome+14", DIRECT_SITE);
    expect(await column("Browser version")).toEqual(["Chrome 147"]);
  });

  it("of countries are searched and ordered by their names", async () => {
    const dialog = await open("&panel=countries");
    expect(await orderBy("Country")).toBe("ascending");
    expect((await column("Country")).map((text) => text.replace(/^[A-Z]{2} ?/, ""))).toEqual(["France", "Germany"]);
    await dialog.getByLabel("Search").fill("german");
    await dialog.getByText("1 country").waitFor();
    expect(JSON.parse((await saved("JSON")).text)).toMatchObject([{ value: "DE", label: "Germany" }]);
  });

  it("a value that the week before did not have is new, and so is a count that it had none of", async () => {
    await open("&panel=pages");
    expect(await column("Change")).toEqual(["↓ down by 9.1%", "new"]);
    await open("&panel=visit-sources&filters=events==Purchase");
    expect([await column("Conversions"), await column("Change")]).toEqual([
      ["2", "0"],
      ["new", "–"],
    ]);
  });

  const rowIn = (card: string, row: string) => cardOf(page, card).locator(".row", { hasText: row });
  const inRow = (card: string, row: string) => rowIn(card, row).locator(".row-change").textContent();

  it("each row of a card tells its change, in a column of its own and in the tooltip, unless nothing is compared", async () => {
    await page.goto(`${service.origin}/?site=${SITE}&period=7d&from=visit-sources`);
    const title = (card: string, row: string) => rowIn(card, row).locator(".row-button").getAttribute("data-tip");
    await expect
      .poll(() => title("from", "Bing"), { timeout: ACTION_MS_MAX })
      .toMatch(/^6 visitors, up by 100\.0% from 3 in \d+.*\nFilter by Bing$/);
    expect(await title("from", "Google")).toMatch(/^4 visitors, down by 50\.0% from 8 in /);
    expect(await title("pages", "/pricing")).toMatch(/^4 visitors, 0 in /);
    expect(await Promise.all([inRow("from", "Bing"), inRow("from", "Google")])).toEqual(["↑ up by 100%", "↓ down by 50%"]);
    expect(await inRow("pages", "/pricing")).toBe("new");
    await rowIn("from", "Bing")
      .getByRole("button", { name: /^Bing .*6.* up by 100%$/ })
      .waitFor();
    expect(await cardOf(page, "from").locator(".column-heads").innerText()).toMatch(/^Source\s+Visitors\s+Share\s+Change$/);
    const rightOf = (locator: Locator) =>
      locator.evaluateAll((found) => found.map((element) => Math.round(element.getBoundingClientRect().right)));
    for (const part of [".row-count", ".row-change"]) expect(new Set(await rightOf(cardOf(page, "from").locator(part))).size).toBe(1);
    await page.keyboard.press("x");
    await expect.poll(() => title("from", "Bing"), { timeout: ACTION_MS_MAX }).toBe("6 visitors\nFilter by Bing");
    expect(await page.locator(".row-change").count()).toBe(0);
  });

  it("a row that is as before is unchanged, and against a week without events no row is new", async () => {
    const from = utcDay(noonDaysAgo(6));
    const until = utcDay(noonDaysAgo(0));
    await page.goto(
      `${service.origin}/?site=${SITE}&period=7d&from=visit-sources&compare=custom&compare_start=${from}&compare_end=${until}`,
    );
    await expect.poll(() => inRow("from", "Bing"), { timeout: ACTION_MS_MAX }).toBe("→ unchanged 0%");
    const [dayBefore, dayAfter] = [utcDay(noonDaysAgo(30)), utcDay(noonDaysAgo(24))];
    await page.goto(
      `${service.origin}/?site=${SITE}&period=7d&from=visit-sources&compare=custom&compare_start=${dayBefore}&compare_end=${dayAfter}`,
    );
    await rowIn("from", "Bing").waitFor();
    await page.waitForLoadState("networkidle");
    expect(await page.locator(".row-change, .change").count()).toBe(0);
  });

  it("changes fit beside the rows from 360 pixels on, with a goal's rates too, without accessibility violations", async () => {
    for (const query of ["", "&filters=goal==Purchase"]) {
      await page.setViewportSize({ width: 360, height: 2400 });
      await page.goto(`${service.origin}/?site=${SITE}&period=7d${query}`);
      await cardOf(page, "from").locator(".row-change .change").first().waitFor();
      for (const width of [360, 768, 1280]) {
        await page.setViewportSize({ width, height: 2400 });
        expect({ width, query, problems: await page.evaluate<string[]>(misplaced("main")) }).toEqual({ width, query, problems: [] });
        const widths = await cardOf(page, "from")
          .locator(".row-label")
          .evaluateAll((found) => found.map((label) => [label.scrollWidth, label.clientWidth]));
        for (const [needed, shown] of widths) expect(shown).toBeGreaterThanOrEqual(needed ?? Infinity);
        expect(await violationsOf(page)).toEqual([]);
      }
    }
  });

  it("on a phone, one number and its change fit beside each value, and a menu filters and opens pages", async () => {
    await page.addInitScript("window.opened = []; window.open = (url) => void window.opened.push(url)");
    await page.setViewportSize({ width: 390, height: 844 });
    const dialog = await open("&panel=pages");
    const shownHeads = async () =>
      (await page.getByRole("columnheader").filter({ visible: true }).allTextContents()).map((text) => text.replaceAll(/[↓↑]/g, "").trim());
    const values = page.getByRole("region", { name: "All values" });
    expect(await shownHeads()).toEqual(["Page", "Visitors", "Change"]);
    await dialog.getByLabel("Order by").selectOption("Views per visit");
    await settled();
    expect(await shownHeads()).toEqual(["Page", "Views per visit", "Change"]);
    expect(await values.evaluate((region) => region.scrollWidth - region.clientWidth)).toBe(0);
    const menuOf = (name: string) => dialog.getByRole("row", { name }).getByRole("button", { name: "More options" });
    await menuOf("/pricing").click();
    expect(await dialog.getByRole("menuitem").allTextContents()).toEqual([
      "Filter by /pricing",
      "Exclude /pricing",
      "Open /pricing in a new tab",
    ]);
    expect(await page.evaluate<string[]>(misplaced(".menu-list"))).toEqual([]);
    await page.keyboard.press("Escape");
    await dialog.getByRole("menu").waitFor({ state: "detached" });
    await menuOf("/pricing").click();
    await dialog.getByRole("menuitem", { name: "Open /pricing" }).click();
    await expect.poll(() => page.evaluate("window.opened"), { timeout: ACTION_MS_MAX }).toEqual([`https://${SITE}/pricing`]);
    await dialog.getByRole("button", { name: "/pricing", exact: true }).focus();
    await page.keyboard.press("Shift+F10");
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole("menuitem", { name: "Exclude /pricing" }).click();
    await dialog.waitFor({ state: "detached" });
    expect((await urlOf(page)).searchParams.get("filters")).toBe("pages!=/pricing");
  });

  it("fit three widths, the first column in sight, without accessibility violations, light and dark", async () => {
    for (const [colorScheme, width] of [
      ["light", 1280],
      ["dark", 768],
      ["light", 320],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      await open("&panel=visit-sources");
      expect(await violationsOf(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")).toBe(0);
      const cell = page.getByRole("rowheader").first();
      const left = async () => (await cell.boundingBox())?.x;
      const before = await left();
      await page.getByRole("region", { name: "All values" }).evaluate((region) => region.scrollBy({ left: 400 }));
      expect(await left()).toBe(before);
    }
  });
});
