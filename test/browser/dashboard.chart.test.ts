/** The chart of the dashboard in a real browser: intervals, unfinished buckets, touch and keys, the sentence above it, its image. */
import { readFile } from "node:fs/promises";
import { beforeEach, describe, expect, it } from "vitest";
import type { BrowserContext, Page } from "playwright-core";
import { nowMs } from "../support/fixed-clock.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { violationsNow } from "./support/accessibility.ts";
import { ACTION_MS_MAX } from "./support/dashboard-browser.ts";
import { DAY_MS, urlOf, utcDay, type Visit, watchRequests } from "./support/dashboard.ts";
import { useDashboard } from "./support/dashboard-instance.ts";

const SITE = "shop.example";

/** The day that stands out. */
const BUSY_DAYS_AGO = 9;

const daysAgo = (days: number): string => utcDay(nowMs() - days * DAY_MS);

/** A visitor on each of the last days from the first second on, so that today's have already come. */
const visitsOf = (days: number, count: number, fields: Visit["fields"], steps = ["/"]): Visit[] =>
  Array.from({ length: count }, () => ({ atMs: Date.parse(daysAgo(days)), steps, ...(fields && { fields }) }));

const fromGoogle = { referrer: "https://www.google.com/", referrerSource: "Google" } as const;
const fromHackerNews = { referrer: "https://news.ycombinator.com/", referrerSource: "Hacker News" } as const;

const VISITS: readonly Visit[] = [
  ...Array.from({ length: 40 }, (_, days) => [...visitsOf(days, 3, fromGoogle), ...visitsOf(days, 3, undefined)]).flat(),
  ...visitsOf(BUSY_DAYS_AGO, 24, fromHackerNews, ["/", "/a", "/b", "/c"]),
  ...visitsOf(300, 1, undefined),
];

/** Records what is drawn on canvases: texts, those that end beyond the right edge, and whether a stroke was dotted. */
const RECORD_DRAWING = `
  window.texts = [];
  window.cutTexts = [];
  window.dotted = 0;
  const { fillText, stroke } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, ...rest) {
    window.texts.push(text);
    const after = { center: 0.5, right: 0, end: 0 }[this.textAlign] ?? 1;
    if (this.getTransform().e + x + after * this.measureText(text).width > this.canvas.width) window.cutTexts.push(text);
    return fillText.call(this, text, x, ...rest);
  };
  CanvasRenderingContext2D.prototype.stroke = function (...path) {
    if (this.getLineDash().length > 0) window.dotted++;
    return stroke.apply(this, path);
  };
`;

/** Width, height and number of colors of a PNG. */
const MEASURE_IMAGE = `async (blob) => {
  const image = await createImageBitmap(blob);
  const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
  canvas.getContext("2d").drawImage(image, 0, 0);
  const pixels = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, image.width, image.height).data.buffer);
  return { type: blob.type, width: image.width, height: image.height, colors: new Set(pixels).size };
}`;

interface ImageFacts {
  readonly type: string;
  readonly width: number;
  readonly height: number;
  readonly colors: number;
}

describe("the chart", () => {
  const dashboard = useDashboard({
    visits: { [SITE]: VISITS },
    context: { viewport: { width: 1280, height: 900 }, hasTouch: true },
    initScript: RECORD_DRAWING,
  });
  let service: ServerProcess;
  let context: BrowserContext;
  let page: Page;
  beforeEach(() => {
    ({ service, context, page } = dashboard);
  });

  async function open(query: string): Promise<void> {
    await page.goto(`${service.origin}/?site=${SITE}&compare=none${query}`);
    await settled();
  }

  async function settled(): Promise<void> {
    await page.locator('[data-metric="visitors"] .top-stat-value', { hasText: /\d/ }).waitFor();
    await page.locator(".stale, .loading").first().waitFor({ state: "detached" });
  }

  const inUrl = async (...names: string[]) => {
    const { searchParams } = await urlOf(page);
    return names.map((name) => searchParams.get(name));
  };
  const chart = () => page.getByRole("slider");
  const sentence = () => page.locator(".change-sentence");
  const tooltip = () => page.locator(".chart-tooltip");
  const choose = async (menu: RegExp | string, item: string) => {
    await page.getByRole("button", { name: menu }).click();
    await page.getByRole("menuitemradio", { name: item }).click();
    await settled();
  };

  /** The middle of a point on the canvas. */
  async function placeOf(index: number, count: number): Promise<{ x: number; y: number }> {
    const box = await page.locator(".line-chart .u-over").boundingBox();
    if (!box) throw new Error("the chart is not drawn");
    return { x: box.x + (box.width * index) / (count - 1), y: box.y + box.height / 2 };
  }

  it("a year is by week, and another interval is in the URL until the default is chosen again", async () => {
    const watched = watchRequests(page);
    await open("&period=12mo&chart=table");
    const seriesOf = () =>
      watched.all.filter((url) => url.includes("/timeseries?")).map((url) => new URL(url).searchParams.get("interval"));
    expect(seriesOf()).toEqual(["week"]);
    const rows = () => page.getByRole("region", { name: /as a table/ }).getByRole("rowheader");
    expect(await rows().count()).toBeGreaterThanOrEqual(53);
    await choose("Interval: By week", "By month");
    expect(await inUrl("interval")).toEqual(["month"]);
    expect(await rows().count()).toBe(13);
    await page.getByRole("button", { name: "Show as chart" }).click();
    const lastMonth = new Date(nowMs()).toLocaleDateString("en-GB", { month: "short", year: "numeric", timeZone: "UTC" });
    await expect.poll(() => page.evaluate<string[]>("window.texts")).toContain(lastMonth);
    expect(await page.evaluate("window.cutTexts")).toEqual([]);
    await choose("Interval: By month", "By week");
    expect(await inUrl("interval")).toEqual([null]);
    await open("&period=30d");
    expect(seriesOf().at(-1)).toBeNull();
    await open("&period=day");
    await page.getByRole("button", { name: "Interval: By hour" }).waitFor();
    await open("&period=12mo&interval=month");
    await page.keyboard.press("w");
    await page.getByRole("button", { name: "Interval: By day" }).waitFor();
    await expect.poll(() => inUrl("interval"), { timeout: ACTION_MS_MAX }).toEqual([null]);
  });

  it("a week of the table opens its days", async () => {
    await open("&period=12mo&chart=table");
    const weeks = page.getByRole("region", { name: /as a table/ }).getByRole("button");
    await weeks.nth((await weeks.count()) - 2).click();
    const [start = "", end = "", interval] = await inUrl("start", "end", "interval");
    expect([new Date(start ?? "").getUTCDay(), Date.parse(end ?? "") - Date.parse(start ?? ""), interval]).toEqual([1, 6 * DAY_MS, null]);
  });

  it("the axis has whole visitors, and durations in steps of a clock", async () => {
    const marks = () => page.evaluate<string[]>("window.texts");
    await open(`&start=${daysAgo(300)}&end=${daysAgo(300)}`);
    await expect.poll(marks).toEqual(expect.arrayContaining(["0", "1"]));
    expect((await marks()).filter((text) => /^\d+\.\d/.test(text))).toEqual([]);
    await open("&period=30d&metric=visit_duration");
    await expect.poll(marks).toEqual(expect.arrayContaining(["0s", "10s", "1m 00s"]));
  });

  it.each(["visitors", "visits", "views_per_visit", "bounce_rate"])(
    "the running bucket of %s is dotted and says so, in hours, days and weeks",
    async (metric) => {
      for (const query of ["&period=day", "&period=30d", "&period=30d&interval=week"]) {
        await open(`${query}&metric=${metric}`);
        await expect.poll(() => page.evaluate<number>("window.dotted")).toBeGreaterThan(0);
        await chart().focus();
        await page.keyboard.press("ArrowLeft");
        await tooltip().getByText("so far").waitFor();
      }
    },
  );

  /** The last 30 days, drawn with what is usual, which comes later. */
  async function openDrawn(): Promise<void> {
    await open("&period=30d");
    await page.locator(".chart-callout", { hasText: "Hacker News" }).waitFor();
  }

  it("a touch shows a point, and a second one opens it; a click opens at once", async () => {
    await openDrawn();
    const { x, y } = await placeOf(BUSY_DAYS_AGO, 30);
    await page.touchscreen.tap(x, y);
    await tooltip().getByText("Tap again to view this day").waitFor();
    expect(await inUrl("start")).toEqual([null]);
    await page.touchscreen.tap(x, y);
    await expect.poll(() => inUrl("start", "end")).toEqual([daysAgo(20), daysAgo(20)]);
    await openDrawn();
    await page.mouse.click(x, y);
    await expect.poll(() => inUrl("start", "end")).toEqual([daysAgo(20), daysAgo(20)]);
  });

  it("a drag by mouse or finger, and Shift with the arrow keys, view a part of the chart, from which Back returns", async () => {
    await openDrawn();
    const [from, to] = [await placeOf(10, 30), await placeOf(15, 30)];
    const viewed = async () => {
      await expect.poll(() => inUrl("period", "start", "end"), { timeout: ACTION_MS_MAX }).toEqual([null, daysAgo(19), daysAgo(14)]);
      await page.goBack();
      await settled();
      expect(await inUrl("period", "start")).toEqual(["30d", null]);
    };
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 4 });
    await tooltip().getByText("Release, or press Enter, to view these dates").waitFor();
    await page.mouse.up();
    await viewed();
    await openDrawn();
    const touches = await context.newCDPSession(page);
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", touchPoints: { x: number; y: number }[]) =>
      touches.send("Input.dispatchTouchEvent", { type, touchPoints });
    const moves = [1, 2, 3, 4, 5].map((step) => ({ x: to.x + ((from.x - to.x) * step) / 5, y: to.y }));
    // Sent at once: a finger that rests for half a second opens a menu instead.
    await Promise.all([touch("touchStart", [to]), ...moves.map((place) => touch("touchMove", [place])), touch("touchEnd", [])]);
    await viewed();
    await openDrawn();
    await chart().focus();
    await page.keyboard.press("Home");
    for (let i = 0; i < 10; i++) await page.keyboard.press("ArrowRight");
    for (let i = 0; i < 5; i++) await page.keyboard.press("Shift+ArrowRight");
    await page.keyboard.press("Enter");
    await viewed();
  });

  it("arrow keys lead through the points without moving the period, Enter opens one, Escape leaves", async () => {
    await openDrawn();
    await chart().focus();
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowLeft");
    await tooltip().getByText("6", { exact: true }).waitFor();
    expect(await chart().getAttribute("aria-valuetext")).toMatch(/: 6$/);
    await page.keyboard.press("Escape");
    await tooltip().waitFor({ state: "detached" });
    expect(await inUrl("period", "start")).toEqual(["30d", null]);
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Enter");
    await expect.poll(() => inUrl("start", "end")).toEqual([daysAgo(1), daysAgo(1)]);
  });

  it("the sentence names the day that stands out and its source, as the chart does; a click opens the one and filters by the other", async () => {
    const busy = new Date(daysAgo(BUSY_DAYS_AGO)).toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
    await open("&period=30d");
    await sentence().getByText("Hacker News").waitFor();
    expect((await sentence().textContent())?.trim()).toMatch(
      new RegExp(String.raw`^204 visits \(.+\)\. Hacker News on ${busy}: 24, typical 0; without it, an ordinary day\.$`),
    );
    await page.locator(".chart-callout", { hasText: "Hacker News" }).click();
    expect(await inUrl("filters")).toEqual(["visit-sources==Hacker News"]);
    await page.goBack();
    await sentence().getByRole("button", { name: "Hacker News" }).click();
    expect(await inUrl("filters")).toEqual(["visit-sources==Hacker News"]);
    await page.goBack();
    await sentence().getByRole("button", { name: busy }).click();
    expect(await inUrl("start", "end")).toEqual([daysAgo(BUSY_DAYS_AGO), daysAgo(BUSY_DAYS_AGO)]);
  });

  it("a print has the whole sentence, its links as words", async () => {
    await open("&period=30d");
    await sentence().getByText("Hacker News").waitFor();
    await page.emulateMedia({ media: "print" });
    expect(await sentence().innerText()).toMatch(/^\d+ visits \(.+\)\. Hacker News on .+: 24, typical 0; without it, an ordinary day\.$/);
  });

  it("the sentence says that an ordinary period is one, and compares it if asked", async () => {
    await open("&period=7d");
    await sentence()
      .getByText(/^\d+ visits \(.+\), (?:within|close to) the usual \d+ to \d+\.$/)
      .waitFor();
    await page.goto(`${service.origin}/?site=${SITE}&period=30d`);
    // The 30 days before on the same weekdays are 35 to 64 days ago; only the last five of them have visits.
    await sentence()
      .getByText(/^204 visits \(.+\), up 580% from /)
      .waitFor();
    await page
      .locator(".card", { hasText: "Changes" })
      .getByRole("button", { name: /Hacker News/ })
      .waitFor();
  });

  it("the image of the chart is copied as a PNG of 1200 by 630 pixels", async () => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: service.origin });
    await open("&period=30d");
    await page.getByRole("button", { name: "Chart actions" }).click();
    // The message disappears again.
    await Promise.all([page.getByText("Image copied").waitFor(), page.getByRole("menuitem", { name: "Copy as image" }).click()]);
    const facts = await page.evaluate<ImageFacts>(
      `navigator.clipboard.read().then(([item]) => item.getType("image/png")).then(${MEASURE_IMAGE})`,
    );
    expect(facts).toMatchObject({ type: "image/png", width: 1200, height: 630 });
    expect(facts.colors).toBeGreaterThan(50);
    expect(await page.evaluate<string[]>("window.texts")).toEqual(expect.arrayContaining([SITE, "Sandpiper"]));
  });

  it("the image is saved as a file where the browser does not copy it", async () => {
    await page.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await open("&period=30d&metric=bounce_rate");
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Chart actions" }).click();
    await page.getByRole("menuitem", { name: "Copy as image" }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe(`${SITE}-bounce_rate-${daysAgo(29)}-to-${daysAgo(0)}.png`);
    const png = await readFile(await file.path());
    expect([png.toString("latin1", 1, 4), png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual(["PNG", 1200, 630]);
  });

  it("axe finds no accessibility violation in the chart with its sentence, menus and tooltip, light and dark, wide and narrow", async () => {
    for (const [colorScheme, width] of [
      ["light", 1280],
      ["dark", 320],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await open("&period=30d");
      await sentence().getByText("Hacker News").waitFor();
      await chart().focus();
      await page.keyboard.press("End");
      await tooltip().waitFor();
      const inChart = () => violationsNow(page, { include: [".chart-place"] });
      expect(await inChart()).toEqual([]);
      await page.getByRole("button", { name: /^Interval/ }).click();
      expect(await inChart()).toEqual([]);
      const outside =
        "[...document.querySelectorAll('.chart-place *')].map((part) => part.getBoundingClientRect()).filter(({ left, right }) => left < 0 || right > innerWidth).length";
      expect(await page.evaluate(outside)).toBe(0);
      await page.keyboard.press("Escape");
    }
  });
});
