/** Annotations on the chart in a real browser: marks of what the API was told, by mouse and keyboard added, changed and deleted, and for whom. */
import type { Page } from "playwright-core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ServerProcess } from "../support/server-process.ts";
import { violationsNow } from "./support/accessibility.ts";
import { ACTION_MS_MAX, newWindow } from "./support/dashboard-browser.ts";
import { midnightDaysAgo, urlOf, utcDay, type Visit, watchRequests } from "./support/dashboard.ts";
import { asAdmin, useDashboard } from "./support/dashboard-instance.ts";

const SITE = "shop.example";
const PASSWORD = "correct horse battery";

const daysAgo = (days: number): string => utcDay(midnightDaysAgo(days));

const VISITS: readonly Visit[] = Array.from({ length: 31 }, (_, days) => ({ atMs: midnightDaysAgo(days), steps: ["/"] }));

describe("the annotations of the chart", () => {
  const dashboard = useDashboard({
    visits: { [SITE]: VISITS },
    environment: { SVC_ADMIN_PASSWORD: PASSWORD },
    context: { viewport: { width: 1280, height: 900 } },
  });
  let service: ServerProcess;
  let page: Page;
  beforeEach(() => {
    ({ service, page } = dashboard);
  });

  const path = `/api/annotations?site_id=${SITE}`;
  const listed = async () =>
    (await (await asAdmin(dashboard, "GET", path)).json()) as readonly { id: string; text: string; date: string; hour: number | null }[];

  async function annotate(body: object): Promise<void> {
    expect((await asAdmin(dashboard, "POST", path, body)).status).toBe(201);
  }

  afterEach(async () => {
    for (const { id } of await listed()) await asAdmin(dashboard, "DELETE", `/api/annotations/${id}?site_id=${SITE}`);
  });

  async function open(query: string, of: Page = page): Promise<void> {
    await of.goto(`${service.origin}/?site=${SITE}&compare=none${query}`);
    await settled(of);
  }

  async function settled(of: Page = page): Promise<void> {
    await of.locator('[data-metric="visitors"] .top-stat-value', { hasText: /\d/ }).waitFor();
    await of.locator(".stale, .loading").first().waitFor({ state: "detached" });
    await of.waitForLoadState("networkidle");
  }

  const mark = (text: RegExp | string, of: Page = page) => of.getByRole("button", { name: text });
  const marks = (of: Page = page) => of.locator(".chart-mark button");
  const dialog = () => page.getByRole("dialog", { name: "Annotations" });

  /** Its keys work once it is drawn. */
  async function focusChart(): Promise<void> {
    await page.locator(".line-chart canvas").waitFor();
    await page.getByRole("slider").focus();
  }

  /** The middle of a point on the canvas. */
  async function placeOf(index: number, count: number): Promise<{ x: number; y: number }> {
    const box = await page.locator(".line-chart .u-over").boundingBox();
    if (!box) throw new Error("the chart is not drawn");
    return { x: box.x + (box.width * index) / (count - 1), y: box.y + box.height / 2 };
  }

  it("what the API was told is a mark below its point at the next visit, with its text on hover and focus and in the table", async () => {
    await open("&period=30d");
    expect(await marks().count()).toBe(0);
    await annotate({ date: daysAgo(9), text: "Deployed version 1.2" });
    await annotate({ date: daysAgo(9), hour: 14, text: "Newsletter sent" });
    await page.reload();
    await settled();
    const button = mark(/^2 annotations: .*: Deployed version 1\.2; .*, 14:00 UTC: Newsletter sent$/);
    const distances = async () => {
      const [box, { x }, plot] = [
        await button.boundingBox(),
        await placeOf(20, 30),
        await page.locator(".line-chart .u-over").boundingBox(),
      ];
      return [(box?.x ?? 0) + 12 - x, (box?.y ?? 0) + 12 - (plot?.y ?? 0) - (plot?.height ?? 0)].map(Math.abs);
    };
    // The chart may be drawn again between two looks.
    await expect.poll(distances).toSatisfy((found: readonly number[]) => found.every((distance) => distance < 2));
    // On paper, the chart has another width.
    const shareOf = `(([mark, chart]) => (mark.left - chart.left) / chart.width)(
      [".chart-mark-line", ".main-chart"].map((part) => document.querySelector(part).getBoundingClientRect()))`;
    const share = await page.evaluate<number>(shareOf);
    await page.emulateMedia({ media: "print" });
    expect(await page.evaluate<number>(shareOf)).toBeCloseTo(share, 2);
    await page.emulateMedia({ media: null });
    await button.hover();
    await page.locator(".mark-tooltip", { hasText: "Newsletter sent" }).waitFor();
    await page.mouse.move(0, 0);
    await page.locator(".mark-tooltip").waitFor({ state: "detached" });
    await page.getByRole("slider").focus();
    await page.keyboard.press("Tab");
    await page.locator(".mark-tooltip", { hasText: "Deployed version 1.2" }).waitFor();
    await page.getByRole("button", { name: "Show as table" }).click();
    await page.getByRole("columnheader", { name: "Annotations" }).waitFor();
    await page.getByRole("cell", { name: /Deployed version 1\.2; .*Newsletter sent/ }).waitFor();
    await open(`&start=${daysAgo(9)}&end=${daysAgo(9)}`);
    await mark(/^Annotation: .*Newsletter sent$/).waitFor();
    await open("&period=7d");
    expect(await marks().count()).toBe(0);
  });

  it("a right click on a point adds one there, which can be changed and deleted", async () => {
    await open("&period=30d");
    const { x, y } = await placeOf(20, 30);
    await page.mouse.move(x, y);
    await page.mouse.click(x, y, { button: "right" });
    expect(await dialog().getByLabel("Date").inputValue()).toBe(daysAgo(9));
    await dialog().getByLabel("Text").fill("Campaign");
    await dialog().getByRole("button", { name: "Add annotation" }).click();
    await dialog().getByRole("listitem").filter({ hasText: "Campaign" }).waitFor();
    await dialog().getByRole("status").getByText("Annotation added").waitFor();
    expect(await dialog().getByLabel("Text").count()).toBe(0);
    await page.keyboard.press("Escape");
    await mark(/^Annotation: .*Campaign$/).click();
    expect(await dialog().getByLabel("Text").inputValue()).toBe("Campaign");
    await dialog().getByLabel("Text").fill("Spring campaign");
    await dialog().getByLabel(/^Time/).selectOption("7");
    await dialog().getByRole("button", { name: "Save" }).click();
    await dialog().getByRole("listitem").filter({ hasText: "Spring campaign" }).waitFor();
    expect(await listed()).toMatchObject([{ text: "Spring campaign", date: daysAgo(9), hour: 7 }]);
    await dialog().getByRole("button", { name: "Delete Spring campaign" }).click();
    await dialog().getByRole("button", { name: "Confirm Spring campaign" }).click();
    await dialog().getByRole("listitem").waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await marks().first().waitFor({ state: "detached" });
    expect(await listed()).toEqual([]);
  });

  it("a mark of several opens all of them and no others, each to be read, changed and deleted by keyboard", async () => {
    await annotate({ date: daysAgo(9), text: "Deployed version 1.2" });
    await annotate({ date: daysAgo(9), hour: 14, text: "Newsletter sent" });
    await annotate({ date: daysAgo(9), hour: 14, text: "Sale begins" });
    await annotate({ date: daysAgo(20), text: "Long before" });
    await open("&period=30d");
    const texts = () => dialog().getByRole("listitem").locator("strong").allTextContents();
    const textsBecome = (...wanted: readonly string[]) => expect.poll(texts, { timeout: ACTION_MS_MAX }).toEqual(wanted);
    await mark(/^3 annotations: /).focus();
    await page.keyboard.press("Enter");
    await textsBecome("Deployed version 1.2", "Newsletter sent", "Sale begins");
    expect(await violationsNow(page)).toEqual([]);
    // Each has the buttons Edit and Delete.
    for (let tabs = 0; tabs < 3; tabs++) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await dialog().getByLabel("Text").inputValue()).toBe("Newsletter sent");
    await page.keyboard.type(", twice");
    await page.keyboard.press("Enter");
    await textsBecome("Deployed version 1.2", "Newsletter sent, twice", "Sale begins");
    for (let tabs = 0; tabs < 6; tabs++) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await textsBecome("Deployed version 1.2", "Newsletter sent, twice");
    // Another one is added there.
    await dialog().getByRole("button", { name: "Add an annotation" }).click();
    await dialog().getByLabel("Text").fill("Sale ends");
    await page.keyboard.press("Enter");
    await textsBecome("Deployed version 1.2", "Sale ends", "Newsletter sent, twice");
    await page.keyboard.press("Escape");
    await mark(/^3 annotations: .*Sale ends;/).waitFor();
    // By the hour, the whole day's is a mark of its own.
    await open(`&start=${daysAgo(9)}&end=${daysAgo(9)}`);
    await annotate({ date: daysAgo(9), hour: 14, text: "Sold out" });
    await page.reload();
    await settled();
    await mark(/^2 annotations: .*Sold out$/).click();
    await textsBecome("Newsletter sent, twice", "Sold out");
    await dialog()
      .getByRole("list", { name: /^Annotations of .*14:00 UTC$/ })
      .waitFor();
  });

  it("N adds one at the point of the keyboard, by the hour too, and today without one", async () => {
    await open("&period=30d");
    await focusChart();
    await page.keyboard.press("Home");
    await page.keyboard.press("n");
    expect(await dialog().getByLabel("Date").inputValue()).toBe(daysAgo(29));
    await page.keyboard.press("Escape");
    await open(`&start=${daysAgo(2)}&end=${daysAgo(2)}`);
    await focusChart();
    await page.keyboard.press("Home");
    for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowRight");
    await page.keyboard.press("n");
    expect([await dialog().getByLabel("Date").inputValue(), await dialog().getByLabel(/^Time/).inputValue()]).toEqual([daysAgo(2), "5"]);
    await page.keyboard.press("Escape");
    await open("&period=30d&chart=table");
    await page.keyboard.press("n");
    expect((await urlOf(page)).searchParams.get("panel")).toBe(`annotations:${daysAgo(0)}`);
    expect(await dialog().getByLabel(/^Time/).inputValue()).toBe("");
  });

  it("one for oneself is shown in this browser alone, and viewers of a link have none", async () => {
    await annotate({ date: daysAgo(3), text: "For everybody" });
    await open(`&period=30d&panel=annotations:${daysAgo(9)}`);
    await dialog().getByLabel("Text").fill("A private note");
    await dialog().getByLabel("Only this browser").check();
    await dialog().getByRole("button", { name: "Add annotation" }).click();
    await dialog()
      .getByText(/, only this browser$/)
      .waitFor();
    await page.reload();
    await page.keyboard.press("Escape");
    await mark(/^Annotation: .*A private note$/).waitFor();
    const other = await newWindow();
    try {
      await other.request.post(`${service.origin}/api/auth/login`, { data: { password: PASSWORD } });
      const theirs = await other.newPage();
      await open("&period=30d", theirs);
      await mark(/For everybody$/, theirs).waitFor();
      expect(await mark(/A private note/, theirs).count()).toBe(0);
      const link = (await (await asAdmin(dashboard, "POST", "/api/shares", { site_id: SITE, name: "For the board" })).json()) as {
        token: string;
      };
      const watched = watchRequests(theirs);
      await theirs.goto(`${service.origin}/share/${link.token}?period=30d`);
      await settled(theirs);
      await theirs.keyboard.press("n");
      expect(watched.all.filter((url) => url.includes("annotations"))).toEqual([]);
      expect(await marks(theirs).count()).toBe(0);
      expect(await theirs.getByRole("dialog").count()).toBe(0);
    } finally {
      await other.close();
    }
    // Only this browser may delete its own.
    await page.keyboard.press("n");
    await dialog().getByRole("button", { name: "Delete A private note" }).click();
    await dialog().getByRole("button", { name: "Confirm A private note" }).click();
    await dialog().getByRole("listitem").filter({ hasText: "A private note" }).waitFor({ state: "detached" });
  });

  it("many on neighbouring days join where they would overlap, and fit three widths without accessibility violations", async () => {
    for (let days = 0; days < 30; days++) await annotate({ date: daysAgo(days), text: `Deployment ${days}` });
    for (const [colorScheme, width] of [
      ["light", 1280],
      ["dark", 768],
      ["light", 320],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await open("&period=30d");
      await marks().nth(3).waitFor();
      const boxes = await marks().evaluateAll((found) =>
        found.map((button) => button.getBoundingClientRect().toJSON() as { x: number; width: number; height: number }),
      );
      for (const [i, box] of boxes.entries()) {
        expect(box).toMatchObject({ width: 24, height: 24 });
        expect(box.x - (boxes[i - 1]?.x ?? -24)).toBeGreaterThanOrEqual(23.9);
      }
      await marks().last().focus();
      await page.locator(".mark-tooltip").waitFor();
      const inChart = () => violationsNow(page, { include: [".chart-place"] });
      expect(await inChart()).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")).toBe(0);
      await page.keyboard.press("Enter");
      await dialog().getByRole("listitem").first().waitFor();
      expect(await violationsNow(page)).toEqual([]);
      await page.keyboard.press("Escape");
    }
  });
});
