/** The layout of the dashboard in a real browser at all widths: nothing overflows, overlaps or is cut; and its icons, phone and print forms. */
import { beforeEach, describe, expect, it } from "vitest";
import type { BrowserContext, Page } from "playwright-core";
import { nowMs } from "../support/fixed-clock.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { violationsNow } from "./support/accessibility.ts";
import { ACTION_MS_MAX, newWindow } from "./support/dashboard-browser.ts";
import { cardOf, DAY_MS, type Visit, watchRequests } from "./support/dashboard.ts";
import { misplaced } from "./support/layout.ts";
import { useDashboard } from "./support/dashboard-instance.ts";

const PASSWORD = "correct horse battery";

/** As long as a label of a host name may be, and more. */
const LONG_SITE = `${"a-very-long-name".repeat(4)}.shop.example.com`;
const SITES = [LONG_SITE, ...Array.from({ length: 9 }, (_, i) => `site${i + 1}.example`)];
const LONG_PATH = `/${"a-long-path-without-any-space".repeat(6)}`;
const LONG_PERIOD = "31 December 2025 – 31 January 2026";

const WIDTHS = [...Array.from({ length: 33 }, (_, i) => 320 + 40 * i), 361, 390, 480, 481, 640, 641, 768, 900, 901, 1180, 1181].sort(
  (a, b) => a - b,
);
const DIALOG_WIDTHS = [320, 390, 641, 901, 1440];
const DIALOGS = ["filter", "days", "help", "keys", "erase", "export", "snippet", "installation", "pages", "browser-versions"];

const FILTER_OF_CHART = "getComputedStyle(document.querySelector('.line-chart canvas')).filter";

/** The lowest contrast of letter and background that a hue gives the icon of a site (WCAG 2.2, "contrast ratio"). */
const LOWEST_ICON_CONTRAST = `(() => {
  const icon = document.querySelector(".site-icon");
  const linear = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const luminance = (color) => {
    const [red, green, blue] = color.match(/[\\d.]+/g).map((value) => linear(value / 255));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrasts = Array.from({ length: 72 }, (_, i) => {
    icon.style.setProperty("--hue", String(5 * i));
    const { color, backgroundColor } = getComputedStyle(icon);
    const [dark, light] = [luminance(color), luminance(backgroundColor)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  });
  return Math.min(...contrasts);
})()`;

const atMs = nowMs() - DAY_MS;
const VISITS: readonly Visit[] = [
  {
    atMs,
    steps: ["/", LONG_PATH, `!${"LongEventName".repeat(6)}`],
    fields: { countryCode: "DE", referrer: `https://${LONG_SITE}/`, referrerSource: LONG_SITE },
  },
  { atMs, steps: ["/", "/pricing"] },
];

describe("the layout of the dashboard", () => {
  const dashboard = useDashboard({
    visits: Object.fromEntries(SITES.map((site) => [site, VISITS])),
    environment: { SVC_ADMIN_PASSWORD: PASSWORD },
    context: { viewport: { width: 1440, height: 900 } },
  });
  let service: ServerProcess;
  let context: BrowserContext;
  let page: Page;
  beforeEach(() => {
    ({ service, context, page } = dashboard);
  });

  async function open(query = ""): Promise<void> {
    await page.goto(`${service.origin}/?site=${LONG_SITE}${query}`);
    await page.locator('[data-metric="visitors"] .top-stat-value', { hasText: /\d/ }).waitFor();
  }

  /** Another view of the open page, as after Back or Forward. */
  const show = (query: string) =>
    page.evaluate(
      `history.pushState(null, "", ${JSON.stringify(`?site=${LONG_SITE}${query}`)}); dispatchEvent(new PopStateEvent("popstate"));`,
    );

  const pagesOfPdf = async () =>
    (await page.pdf({ format: "A4", preferCSSPageSize: true })).toString("latin1").match(/\/Type \/Page\b/g)?.length;
  const resize = (width: number) => page.setViewportSize({ width, height: 900 });
  /** What is misplaced at any of the widths. */
  async function misplacedAt(widths: readonly number[], within: string): Promise<readonly string[]> {
    const found: string[] = [];
    for (const width of widths) {
      await resize(width);
      found.push(...(await page.evaluate<string[]>(misplaced(within))).map((problem) => `${width} px: ${problem}`));
    }
    return found;
  }

  it("nothing in the bar or on the page overflows or overlaps from 320 to 1600 px, however long its labels are", async () => {
    await page.route("**/api/stats/realtime*", async (route) => {
      const response = await route.fetch();
      const report = (await response.json()) as object;
      await route.fulfill({ response, json: { ...report, current_visitors: 1234 } });
    });
    await open("&start=2025-12-31&end=2026-01-31&filters=pages!=/none&places=countries");
    await page.getByText("1,234").waitFor();
    expect(await misplacedAt(DIALOG_WIDTHS, ".bar")).toEqual([]);
    await page.evaluate(`document.querySelector(".period .menu span").textContent = ${JSON.stringify(LONG_PERIOD)}`);
    expect(await misplacedAt(WIDTHS, ".bar")).toEqual([]);
    expect(await misplacedAt(DIALOG_WIDTHS, "main")).toEqual([]);
  });

  it("no report and no form of a card overflows from 320 px on", async () => {
    await resize(1440);
    await open();
    await show("&did=revenue");
    await cardOf(page, "did").locator(".report").first().waitFor();
    expect(await misplacedAt([320, 641, 901], "main"), "revenue").toEqual([]);
    const card = cardOf(page, "report");
    const tabs = { properties: "Properties", funnel: "Funnel", retention: "Retention", sequences: "Paths", flow: "Flow" };
    for (const [report, tab] of Object.entries(tabs)) {
      const steps = `page:${LONG_PATH},page:/pricing`;
      await show(`&view=explore&report=${report}&weeks=26&steps=${steps}&sequence=${steps}&page=${LONG_PATH}`);
      await card.getByRole("tab", { name: tab, selected: true }).waitFor();
      await card.locator(".report").first().waitFor();
      expect(await misplacedAt([320, 641, 901], "main"), tab).toEqual([]);
    }
    await show("&view=realtime");
    await page.getByRole("region", { name: "Realtime" }).waitFor();
    expect(await misplacedAt([320, 641, 901], "main"), "realtime").toEqual([]);
  });

  it("an open menu is within the window at every width", async () => {
    await open();
    for (const width of DIALOG_WIDTHS) {
      await resize(width);
      for (const name of [/^Site:/, /^Period:/, /^Compare:/, "Menu"]) {
        await page.getByRole("button", { name }).click();
        expect(await page.evaluate(misplaced(".menu-list")), `${String(name)} at ${width} px`).toEqual([]);
        await page.keyboard.press("Escape");
      }
    }
  });

  it("the menu of a row or a country that is low in the window opens above it, and is whole", async () => {
    const problemsOf = async (menu: string) => [
      ...(await page.evaluate<string[]>(misplaced(menu))),
      ...(await page.locator(`${menu} .menu-items`).evaluate((items) => (items.scrollHeight > items.clientHeight ? ["items scroll"] : []))),
    ];
    const toEnd = (selector: string) => page.locator(selector).evaluate((element) => element.scrollIntoView({ block: "end" }));
    // All cards load, so that none of them moves the others later.
    await page.setViewportSize({ width: 360, height: 4000 });
    await open();
    await page.locator(".map .country").first().waitFor();
    await page.locator(".skeleton, .stale, .loading").first().waitFor({ state: "detached" });
    await resize(360);
    await toEnd("[data-card=pages] .row:last-child");
    await cardOf(page, "pages").locator(".row-button").last().focus();
    await page.keyboard.press("Shift+F10");
    await page.locator(".row .menu-list[data-side=up]").waitFor();
    expect(await problemsOf(".row .menu-list")).toEqual([]);
    await page.keyboard.press("Escape");
    await toEnd(".map");
    await page.getByRole("button", { name: "Choose a country" }).click();
    await page.getByRole("menuitemradio", { name: "Germany" }).click();
    await page.locator(".map-menu .menu-list").waitFor();
    expect(await problemsOf(".map-menu .menu-list")).toEqual([]);
  });

  const createKey = () =>
    page.evaluate(`fetch("/api/keys", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "k".repeat(128), scope: "Admin" }),
    }).then(({ status }) => status)`);

  it("styles that come with a dialog change nothing of the page behind it", async () => {
    const boxes = () =>
      page.evaluate<string>(
        `JSON.stringify([...document.querySelectorAll(":is(.bar, .top-stats, .tabs) *")].map((element) => {
          const { x, y, width, height } = element.getBoundingClientRect();
          return [element.tagName, element.getAttribute("class"), x, y, width, height].join(" ");
        }), null, 1)`,
      );
    await open();
    await page.locator(".card .row").first().waitFor();
    await page.locator(".loading").first().waitFor({ state: "detached" });
    const before = await boxes();
    await show("&panel=help");
    await page.getByRole("dialog").waitFor();
    await show("");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await boxes()).toBe(before);
  });

  it("no dialog overflows the window or cuts its content", async () => {
    await open();
    expect(await createKey()).toBe(201);
    for (const dialog of DIALOGS) {
      await show("");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await show(`&panel=${dialog}`);
      await page.getByRole("dialog").waitFor();
      await page.locator(".dialog .loading").first().waitFor({ state: "detached" });
      expect(await misplacedAt(DIALOG_WIDTHS, ".dialog"), dialog).toEqual([]);
    }
  });

  it("on a phone, the button that revokes an API key is in sight, and the table stays one for screen readers", async () => {
    await resize(320);
    await open();
    expect(await createKey()).toBe(201);
    await open("&panel=keys");
    const revoke = page
      .getByRole("row")
      .getByRole("button", { name: /Revoke/ })
      .first();
    await revoke.waitFor();
    const box = await revoke.boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(320);
    const row = page.getByRole("table").getByRole("row").nth(1);
    expect(await row.getByRole("rowheader").count()).toBe(1);
    expect(await row.getByRole("cell").count()).toBe(4);
  });

  it("the icons of sites are letters that can be read in both themes, and nothing is requested from the sites", async () => {
    const watched = watchRequests(page);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await open();
      await page.getByRole("button", { name: /^Site:/ }).click();
      const icons = page.getByRole("menu").locator(".site-icon");
      const letters = await icons.evaluateAll((found) => found.map((icon) => icon.getAttribute("data-letter")));
      expect(letters).toEqual(SITES.map((site) => site.slice(0, 1).toUpperCase()));
      expect(await page.evaluate<number>(LOWEST_ICON_CONTRAST)).toBeGreaterThanOrEqual(4.5);
    }
    expect(
      new Set(await page.locator(".menu-list .site-icon").evaluateAll((icons) => icons.map((icon) => String(icon.getAttribute("style")))))
        .size,
    ).toBeGreaterThan(6);
    expect(watched.all.filter((url) => !url.startsWith(service.origin) || url.includes("favicon"))).toEqual([]);
  });

  it("a print of the dark dashboard is light, and has the numbers, the chart and the cards, but no controls", async () => {
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 1280, height: 3000 });
    await open("&filters=pages!=/none");
    for (const card of ["from", "pages", "places", "devices", "did"]) await page.locator(`[data-card="${card}"] .report`).waitFor();
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    expect(await page.evaluate("getComputedStyle(document.querySelector('.card')).backgroundColor")).toBe("rgb(255, 255, 255)");
    for (const shown of ["h1", ".top-stats", ".line-chart canvas", ".pill-text", '[data-card="pages"] .row', '[data-card="did"] .row'])
      expect(await page.locator(shown).first().isVisible(), shown).toBe(true);
    for (const hidden of [
      ".bar",
      ".pill-remove",
      ".card-foot .link",
      ".tabs [aria-selected=false]",
      ".card .link",
      ".chart-tools",
      ".map-zoom",
      ".tab-menu",
      ".explore-links",
    ])
      expect(await page.locator(hidden).first().isVisible(), hidden).toBe(false);
    // The chart is in light colors: drawn so in its new width, or inverted if the print comes first.
    await expect.poll(() => page.locator(".line-chart").getAttribute("data-palette"), { timeout: ACTION_MS_MAX }).toBe("light");
    expect(await page.evaluate(FILTER_OF_CHART)).toBe("none");
    await page.evaluate("document.querySelector('.line-chart').dataset.palette = 'dark'");
    expect(await page.evaluate(FILTER_OF_CHART)).toContain("invert(1)");
    await page.evaluate("document.querySelector('.line-chart').dataset.palette = 'light'");
    // Of A4 at 96 px to the inch, without the margins.
    await page.setViewportSize({ width: 688, height: 1000 });
    expect(await page.evaluate(misplaced("main"))).toEqual([]);
    const rightEdges = await page
      .locator('[data-card="did"] .row-share')
      .evaluateAll((shares) => shares.map((share) => share.getBoundingClientRect().right));
    expect(rightEdges).toEqual([rightEdges[0], rightEdges[0]]);
    expect(await pagesOfPdf()).toBe(2);
  });

  it("a print has all cards, also those below the screen, and says which are missing", async () => {
    await page.setViewportSize({ width: 1280, height: 500 });
    await open("");
    await page.locator('[data-card="devices"] .skeleton').waitFor();
    await page.emulateMedia({ media: "print" });
    expect(await page.locator('[data-card="devices"] .on-paper').first().isVisible()).toBe(true);
    await page.emulateMedia({ media: null });
    await page.evaluate("self.print = () => { self.printed = document.querySelectorAll('main .skeleton').length; }");
    await page.keyboard.press("Control+p");
    await expect.poll(() => page.evaluate("self.printed"), { timeout: ACTION_MS_MAX }).toBe(0);
    expect(await page.locator('[data-card="devices"] .report').count()).toBe(1);
  });

  it("a print of an open dialog has all of its rows, and nothing of the page behind it", async () => {
    await open("&panel=pages");
    await page.getByRole("rowheader", { name: "/pricing" }).waitFor();
    await page.emulateMedia({ media: "print" });
    expect(await page.locator("main").isVisible()).toBe(false);
    expect(await page.getByRole("dialog").getByRole("rowheader").count()).toBe(3);
    expect(await page.getByRole("button", { name: "Close" }).isVisible()).toBe(false);
    expect(await pagesOfPdf()).toBe(1);
  });

  it("axe finds no accessibility violation in open menus and stacked keys, light, dark and on a phone", async () => {
    const states = [
      [/^Site:/, "", "light", 1280],
      [/^Site:/, "", "dark", 390],
      [/^Period:/, "", "dark", 1280],
      [null, "&panel=keys", "light", 390],
    ] as const;
    for (const [menu, query, colorScheme, width] of states) {
      await page.emulateMedia({ colorScheme });
      await resize(width);
      await open(query);
      await page.locator(".stale, .loading").first().waitFor({ state: "detached" });
      if (menu) await page.getByRole("button", { name: menu }).click();
      const problems = await violationsNow(page);
      expect({ menu, width, problems }).toEqual({ menu, width, problems: [] });
    }
  });

  it("on a touch screen, a menu with a search field and a dialog with fields open without the screen's keyboard", async () => {
    const phone = await newWindow({
      storageState: await context.storageState(),
      viewport: { width: 390, height: 800 },
      isMobile: true,
      hasTouch: true,
    });
    page = await phone.newPage();
    await open();
    await page.getByRole("button", { name: /^Site:/ }).tap();
    const focused = () => page.evaluate("document.activeElement.getAttribute('role') ?? document.activeElement.localName");
    await expect.poll(focused, { timeout: ACTION_MS_MAX }).toBe("menuitemradio");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Filter" }).tap();
    await page.getByRole("dialog").waitFor();
    await expect.poll(focused, { timeout: ACTION_MS_MAX }).toBe("h2");
    await phone.close();
  });
});
