/** The realtime view and the map in a real browser: minutes, lists, pulses, periods and keys, zoom, small countries, touch. */
import { isDeepStrictEqual } from "node:util";
import { beforeEach, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { nowMs } from "../support/fixed-clock.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { violationsNow } from "./support/accessibility.ts";
import { VISITOR_USER_AGENT } from "./support/browser.ts";
import { ACTION_MS_MAX, newWindow } from "./support/dashboard-browser.ts";
import { cardOf, DAY_MS, urlOf, type Visit, watchRequests } from "./support/dashboard.ts";
import { useDashboard } from "./support/dashboard-instance.ts";
import { misplaced } from "./support/layout.ts";

const SITE = "shop.example";
const QUIET_SITE = "quiet.example";
const MINUTE_MS = 60_000;

interface Realtime {
  readonly current_visitors: number;
  readonly pageviews: number;
  readonly visitors: number;
  readonly per_minute: readonly number[];
}

const STARTED_MS = nowMs();

/** Before the tests began. */
const minutesAgo = (minutes: number): number => STARTED_MS - minutes * MINUTE_MS;

const visits = (count: number, minutes: number, visit: Omit<Visit, "atMs">): Visit[] =>
  Array.from({ length: count }, () => ({ atMs: minutesAgo(minutes), ...visit }));

/** Longer than five minutes: the visitors of the first minute are there until the last test, also on a slow machine. */
const WINDOW_MINUTES = 15;

const DOCS_MINUTES = 17;

/** Three visitors are there right now, nine were in the last half hour. */
const recentVisits = (): Visit[] => [
  ...visits(1, 1, { steps: ["/"], fields: { countryCode: "DE", referrerSource: "Google", referrer: "https://www.google.com/" } }),
  ...visits(2, 1, { steps: ["/pricing", "!Signup"], fields: { countryCode: "SG" } }),
  ...visits(4, DOCS_MINUTES, { steps: ["/docs"], fields: { countryCode: "MT" } }),
  ...visits(2, DOCS_MINUTES + 1, { steps: ["/"], fields: { countryCode: "FR" } }),
  ...visits(5, 90, { steps: ["/long-ago"], fields: { countryCode: "US" } }),
];

describe("the realtime view", () => {
  const dashboard = useDashboard({
    visits: { [SITE]: recentVisits(), [QUIET_SITE]: [{ atMs: nowMs() - 2 * DAY_MS, steps: ["/"] }] },
    environment: { SVC_REALTIME_WINDOW_MINUTES: String(WINDOW_MINUTES) },
    context: { viewport: { width: 1280, height: 1400 } },
  });
  let service: ServerProcess;
  let page: Page;
  beforeEach(() => {
    ({ service, page } = dashboard);
  });

  async function open(query = "&view=realtime", site = SITE): Promise<void> {
    await page.goto(`${service.origin}/?site=${site}${query}`);
    await settled();
  }

  const settled = () => page.locator(".stale, .loading").first().waitFor({ state: "detached" });
  const openRealtime = async (query = "", site = SITE) => {
    await open(`&view=realtime${query}`, site);
    await page.locator(".minute-bars").waitFor();
  };
  /** The map of the locations, which loads when it is near the viewport. */
  const openMap = async () => {
    await open("&period=7d");
    await cardOf(page, "places").scrollIntoViewIfNeeded();
    await page.locator(".map .country").first().waitFor();
  };
  const inUrl = async (name: string) => (await urlOf(page)).searchParams.get(name);
  const list = (title: string) => page.getByRole("list", { name: title, exact: true });
  const rows = (title: string) =>
    list(title)
      .locator(".row")
      .evaluateAll((found) => found.map((row) => (row as unknown as { innerText: string }).innerText.replaceAll(/\s+/g, " ").trim()));
  const api = (filters = ""): Promise<Realtime> =>
    page.evaluate<Realtime>(
      `fetch("/api/stats/realtime?site_id=${SITE}&minutes=30&filters=${filters}").then((response) => response.json())`,
    );
  /** What the page does by itself every ten seconds. */
  const poll = () => page.evaluate(`document.dispatchEvent(new Event("visibilitychange"))`);
  const sendPageview = (path: string) =>
    fetch(`${service.origin}/api/event`, {
      method: "POST",
      headers: { "user-agent": VISITOR_USER_AGENT },
      body: JSON.stringify({ d: SITE, n: "pageview", u: `https://${SITE}${path}` }),
    });
  const scaleOf = async () => Number(/scale\(([\d.]+)\)/.exec((await page.locator(".map g").first().getAttribute("transform")) ?? "")?.[1]);

  it("shows current visitors, thirty whole minutes and the current one, and their lists, from one request", async () => {
    const watched = watchRequests(page);
    // How far a report has come is asked where it takes long.
    const asked = () => watched.all.filter((url) => /\/api\/stats\/(?!progress)/.test(url) && !url.endsWith("filters="));
    const askedFirst = page.waitForResponse(/\/api\/stats\/realtime/).then(asked);
    await openRealtime();
    const request = `${service.origin}/api/stats/realtime?site_id=${SITE}&minutes=30&attribution=visit`;
    expect(await askedFirst).toEqual([request]);
    const { current_visitors, visitors, pageviews } = await api();
    expect([current_visitors, visitors]).toEqual([3, 9]);
    await page.locator("[data-current]", { hasText: /^3$/ }).waitFor();
    expect(await page.locator(".current b").textContent()).toBe("3");
    await expect.poll(() => page.title(), { timeout: ACTION_MS_MAX }).toMatch(/^\(3\) /);
    expect(await page.locator(".realtime-totals dd").allTextContents()).toEqual([String(visitors), String(pageviews)]);
    const bars = () =>
      page
        .locator(".minute-bar")
        .evaluateAll((found) => found.map((bar) => (bar as unknown as { style: { height: string } }).style.height));
    const heights = ({ per_minute: counts }: Realtime) => counts.map((count) => `${(count / Math.max(...counts)) * 100}%`);
    // A minute may end between the page's request and this one. The page asks again every ten seconds.
    await expect
      .poll(async () => [await bars(), heights(await api())])
      .toSatisfy(([shown, answered]) => isDeepStrictEqual(shown, answered));
    expect(await bars()).toHaveLength(31);
    expect(await page.locator(".minute").last().getAttribute("class")).toContain("unfinished");
    expect(await rows("Pages")).toEqual(["/docs 4", "/ 3", "/pricing 2"]);
    expect(await rows("Sources")).toEqual(["Direct / none 8", "Google 1"]);
    expect(await rows("Countries")).toEqual(["Malta 4", "France 2", "Singapore 2", "Germany 1"]);
    expect(await rows("Goals")).toEqual(["Signup 2"]);
    expect(await page.locator(".realtime .column-heads").allInnerTexts()).toEqual(
      ["Page", "Source", "Country", "Event"].map((head) => expect.stringMatching(new RegExp(`^${head}\\s+Visitors$`)) as string),
    );
    // Again every ten seconds, and nothing else.
    expect(new Set(asked())).toEqual(new Set([request]));
  });

  it("the minutes have a tooltip for pointer, finger and arrow keys, and a table for screen readers", async () => {
    await openRealtime();
    const chart = page.getByRole("slider", { name: "Pageviews per minute" });
    const tooltip = page.locator(".minute-tooltip");
    const box = (await chart.boundingBox()) ?? { width: 0, height: 0 };
    await chart.hover({ position: { x: box.width - 2, y: 20 } });
    expect(await tooltip.textContent()).toMatch(/^0 pageviews.*this minute, so far$/);
    await page.mouse.move(0, 0);
    await tooltip.waitFor({ state: "detached" });
    await chart.focus();
    await page.keyboard.press("ArrowLeft");
    expect(await tooltip.textContent()).toMatch(/1 minute ago$/);
    await page.keyboard.press("Home");
    expect(await tooltip.textContent()).toMatch(/30 minutes ago$/);
    expect(await chart.getAttribute("aria-valuetext")).toMatch(/^0 pageviews, .* UTC, 30 minutes ago$/);
    expect(await inUrl("view")).toBe("realtime");
    const table = page.getByRole("table", { name: "Pageviews per minute" });
    expect(await table.getByRole("row").count()).toBe(32);
    const viewed = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", hour: "numeric", minute: "2-digit" }).format(
      minutesAgo(DOCS_MINUTES),
    );
    expect(
      await table
        .getByRole("row", { name: `${viewed} UTC` })
        .getByRole("cell")
        .textContent(),
    ).toBe("4");
    // Nothing is announced each time that the numbers change.
    expect((await page.locator("[aria-live], [role=status], [role=alert]").allTextContents()).join("")).toBe("");
  });

  it("a chosen period, its keys and the arrows leave realtime for that period, and Escape leaves it", async () => {
    await open("");
    for (const [key, period] of [
      ["d", "day"],
      ["w", "7d"],
      ["m", null],
      ["q", "90d"],
      ["ArrowRight", "90d"],
      ["Escape", "90d"],
    ] as const) {
      await page.keyboard.press("r");
      await page.locator(".realtime").waitFor();
      expect(await page.locator(".period").getByRole("button", { name: "Period: Realtime" }).count()).toBe(1);
      await page.keyboard.press(key);
      await page.locator('[data-metric="visitors"]').waitFor();
      expect([key, await inUrl("view"), await inUrl("period")]).toEqual([key, null, period]);
    }
    await page.keyboard.press("r");
    await page.locator(".realtime").waitFor();
    await page.keyboard.press("x");
    expect(await inUrl("compare")).toBe(null);
    await page.keyboard.press("ArrowLeft");
    await page.locator('[data-metric="visitors"]').waitFor();
    expect([await inUrl("view"), (await inUrl("start")) === null]).toEqual([null, false]);
    await page.keyboard.press("r");
    await page.getByRole("button", { name: /^Period: / }).click();
    await page.getByRole("menuitemradio", { name: /^Last 7 days/ }).click();
    await page.locator('[data-metric="visitors"]').waitFor();
    expect([await inUrl("view"), await inUrl("period")]).toEqual([null, "7d"]);
  });

  it("leaving by the button moves the focus to the one that leads back", async () => {
    await openRealtime();
    await page.getByRole("button", { name: "Back to dashboard" }).click();
    await page.locator('[data-metric="visitors"]').waitFor();
    await page.locator(".current:focus").waitFor();
    await page.keyboard.press("Enter");
    await page.locator(".realtime").waitFor();
  });

  it("a click on a row filters every number of the view, and a second click removes the filter", async () => {
    await openRealtime();
    await list("Sources").getByRole("button", { name: "Direct / none" }).click();
    await page.locator("[data-current]", { hasText: /^2$/ }).waitFor();
    await settled();
    expect([await inUrl("view"), await inUrl("filters")]).toEqual(["realtime", "visit-sources==(unknown)"]);
    expect(await rows("Countries")).toEqual(["Malta 4", "France 2", "Singapore 2"]);
    const row = list("Sources").getByRole("button", { name: "Direct / none" });
    expect(await row.getAttribute("aria-pressed")).toBe("true");
    await row.click();
    await page.locator("[data-current]", { hasText: /^3$/ }).waitFor();
    await list("Goals").getByRole("button", { name: "Signup" }).click();
    await page.locator("[data-current]", { hasText: /^2$/ }).waitFor();
    expect(await inUrl("filters")).toBe("events==Signup");
  });

  it("an update takes no focus, and moves no row of a list that is in use", async () => {
    await openRealtime();
    const button = list("Pages").getByRole("button", { name: "/pricing" });
    await button.focus();
    for (const path of ["/new", "/pricing", "/pricing"]) await sendPageview(path);
    await poll();
    await list("Pages").getByRole("button", { name: "/new" }).waitFor();
    expect((await rows("Pages")).map((text) => text.split(" ")[0])).toEqual(["/docs", "/", "/pricing", "/new"]);
    expect(await button.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    await button.evaluate((element) => (element as unknown as { blur(): void }).blur());
    await poll();
    // Three visitors each: in the order of their names.
    await expect.poll(async () => (await rows("Pages")).slice(1)).toEqual(["/ 3", "/pricing 3", "/new 1"]);
  });

  it("without visitors one sentence says so, beside empty minutes", async () => {
    await openRealtime("", QUIET_SITE);
    await page.getByText("No visitors in the last 30 minutes.").waitFor();
    expect(await page.locator("[data-current]").textContent()).toBe("0");
    expect(await page.locator(".realtime .card").count()).toBe(0);
    expect(await page.locator(".minute").count()).toBe(31);
  });

  it("the map pulses where someone is right now, and a reader who prefers no motion sees still dots", async () => {
    await openRealtime();
    await page.locator("[data-pulse]").first().waitFor();
    const pulses = async () =>
      (await page.locator("[data-pulse]").evaluateAll((found) => found.map((dot) => dot.getAttribute("data-pulse")))).filter(
        (code) => code === "DE" || code === "SG" || code === "MT" || code === "FR",
      );
    expect((await pulses()).toSorted()).toEqual(["DE", "SG"]);
    const animation = () => page.evaluate(`getComputedStyle(document.querySelector("[data-pulse]"), "::after").animationName`);
    await page.emulateMedia({ reducedMotion: "no-preference" });
    expect(await animation()).toBe("pulse");
    await page.emulateMedia({ reducedMotion: "reduce" });
    expect(await animation()).toBe("none");
    expect(await page.locator('[data-pulse="DE"]').isVisible()).toBe(true);
  });

  it("a country without a shape is a dot that shows its visitors and filters by it", async () => {
    await openMap();
    const malta = page.locator('g[data-country="MT"]');
    await malta.waitFor();
    await malta.hover();
    expect(await page.locator(".map .tooltip").textContent()).toMatch(/^Malta4 visitors/);
    await malta.click();
    await page.locator(".pill", { hasText: "Malta" }).waitFor();
    expect(await inUrl("filters")).toBe("countries==MT");
    await page.locator('g[data-country="MT"].chosen').waitFor();
  });

  it("on the map, Alt-click excludes a country, Shift-click adds one to others, and again takes that back", async () => {
    await openMap();
    const country = (code: string) => page.locator(`[data-country="${code}"]`);
    const filters = () => inUrl("filters");
    await country("MT").click({ modifiers: ["Alt"] });
    expect(await filters()).toBe("countries!=MT");
    await page.locator('.country.counted[data-country="MT"]').waitFor({ state: "detached" });
    // One without visitors is no filter, unless it is the excluded one.
    await country("BR").click();
    await country("BR").click({ modifiers: ["Alt"] });
    expect(await filters()).toBe("countries!=MT");
    await country("MT").click({ modifiers: ["Alt"] });
    expect(await filters()).toBe(null);
    await page.locator('.country.counted[data-country="MT"]').waitFor();
    await country("MT").click({ modifiers: ["Shift"] });
    await page.locator('.country.chosen[data-country="MT"]').waitFor();
    await country("BR").click({ modifiers: ["Shift"] });
    expect(await filters()).toBe("countries=in=(BR,MT)");
    await country("BR").click({ modifiers: ["Shift"] });
    expect(await filters()).toBe("countries==MT");
  });

  it("a country has the menu of a row: by a right click, and by keyboard from the list of countries", async () => {
    await openMap();
    const items = () => page.locator(".map-menu").getByRole("menuitem").allTextContents();
    await page.locator('[data-country="MT"]').click({ button: "right" });
    expect(await items()).toEqual(["Filter by Malta", "Exclude Malta"]);
    await page.keyboard.press("Escape");
    expect(await page.locator(".map-menu").count()).toBe(0);
    expect(await inUrl("filters")).toBe(null);

    await page.getByRole("button", { name: "Choose a country" }).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.type("malt");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    expect(await items()).toEqual(["Filter by Malta", "Exclude Malta"]);
    expect(await violationsNow(page)).toEqual([]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    expect(await inUrl("filters")).toBe("countries!=MT");
    await page.locator('[data-country="MT"]').click({ button: "right" });
    expect(await items()).toEqual(["Remove the filter"]);
    for (const width of [360, 768]) {
      // All cards load, so that none of them moves the map later.
      await page.setViewportSize({ width, height: 4000 });
      await openMap();
      await page.locator(".skeleton, .stale, .loading").first().waitFor({ state: "detached" });
      await page.setViewportSize({ width, height: 900 });
      await page.getByRole("button", { name: "Choose a country" }).click();
      await page.getByRole("menuitemradio", { name: "Singapore" }).click();
      await page.locator(".map-menu").getByRole("menu").waitFor();
      expect({ width, problems: await page.evaluate<string[]>(misplaced(".map-menu .menu-list")) }).toEqual({ width, problems: [] });
    }
  });

  it("the map zooms by buttons, keys, Ctrl and the wheel, and can be dragged; the wheel alone scrolls the page", async () => {
    await page.setViewportSize({ width: 1280, height: 700 });
    await openMap();
    const map = page.locator(".map svg");
    await page.getByRole("button", { name: "Zoom in" }).click();
    expect(await scaleOf()).toBe(1.6);
    await page.keyboard.press("+");
    expect(await scaleOf()).toBeCloseTo(2.56);
    const period = await inUrl("period");
    await page.keyboard.press("ArrowLeft");
    expect(await inUrl("period")).toBe(period);
    await page.keyboard.press("0");
    expect(await scaleOf()).toBe(1);
    expect(await page.getByRole("button", { name: "Reset zoom" }).getAttribute("aria-disabled")).toBe("true");

    const box = (await map.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    const scrolled = () => page.evaluate<number>("scrollY");
    const before = await scrolled();
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -120);
    await page.keyboard.up("Control");
    await expect.poll(scaleOf).toBeGreaterThan(2);
    expect(await scrolled()).toBe(before);
    const placeOf = () => page.locator(".map g").first().getAttribute("transform");
    const place = await placeOf();
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 + 60, box.y + box.height / 2, { steps: 3 });
    await page.mouse.up();
    expect(await placeOf()).not.toBe(place);
    expect(await inUrl("filters")).toBe(null);
    const zoomed = await scaleOf();
    await page.mouse.wheel(0, -300);
    await expect.poll(scrolled).toBeLessThan(before);
    expect(await scaleOf()).toBe(zoomed);
  });

  it("with a finger the first tap on a country shows its visitors and the second filters; two fingers zoom", async () => {
    const phone = await newWindow({ viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true });
    page = await phone.newPage();
    await openRealtime();
    const malta = page.locator('g[data-country="MT"]');
    await malta.scrollIntoViewIfNeeded();
    await malta.tap();
    await page.getByText("Tap again to filter").waitFor();
    expect(await inUrl("filters")).toBe(null);

    const { x, y } = (await malta.boundingBox()) ?? { x: 0, y: 0 };
    const cdp = await phone.newCDPSession(page);
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...spread: readonly number[]) =>
      cdp.send("Input.dispatchTouchEvent", { type, touchPoints: spread.map((by, id) => ({ x: x + by, y, id })) });
    await touch("touchStart", -20);
    await touch("touchStart", -20, 20);
    for (const by of [30, 40, 50]) await touch("touchMove", -by, by);
    await touch("touchEnd");
    expect(await scaleOf()).toBeGreaterThan(2);
    expect(await inUrl("filters")).toBe(null);

    await malta.tap();
    await page.getByText("Tap again to filter").waitFor();
    await malta.tap();
    await page.locator(".pill", { hasText: "Malta" }).waitFor();
    await page.locator(".minute-bars").tap({ position: { x: 10, y: 20 } });
    expect(await page.locator(".minute-tooltip").textContent()).toMatch(/30 minutes ago$/);
    await phone.close();
  });

  it("axe finds no accessibility violation, with and without visitors, light, dark and on phones, and nothing is wider than the screen", async () => {
    for (const [site, colorScheme, width] of [
      [SITE, "light", 1280],
      [SITE, "dark", 390],
      [QUIET_SITE, "dark", 1280],
      [QUIET_SITE, "light", 320],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await openRealtime("", site);
      await page.locator(".minute-bars").focus();
      const problems = await violationsNow(page);
      expect({ site, colorScheme, problems }).toEqual({ site, colorScheme, problems: [] });
      expect(await page.evaluate(`document.querySelector("main").scrollWidth - document.querySelector("main").clientWidth`)).toBe(0);
    }
  });
});
