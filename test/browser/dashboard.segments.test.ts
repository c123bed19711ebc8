/** Segments, saved funnels and sequences in the dashboard: saved, shared by their address, renamed, updated and deleted. */
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import type { ServerProcess } from "../support/server-process.ts";
import { violationsOf } from "./support/accessibility.ts";
import { ACTION_MS_MAX, newWindow } from "./support/dashboard-browser.ts";
import { cardOf, noonDaysAgo, urlOf, type Visit } from "./support/dashboard.ts";
import { asAdmin, useDashboard } from "./support/dashboard-instance.ts";
import { misplaced } from "./support/layout.ts";

const SITE = "shop.example";
const PASSWORD = "a password for the segments";
const noon = noonDaysAgo(1);
const from = (countryCode: string, ...steps: readonly string[]): Visit => ({ atMs: noon, steps, fields: { countryCode } });

const VISITS: readonly Visit[] = [
  from("DE", "/", "/docs/start", "!Signup"),
  from("DE", "/docs/start"),
  from("FR", "/docs/api", "/"),
  from("FR", "/blog"),
  from("IT", "/"),
];

interface Segment {
  readonly id: string;
  readonly name: string;
}

describe("segments of the dashboard", () => {
  const dashboard = useDashboard({
    visits: { [SITE]: VISITS },
    environment: { SVC_ADMIN_PASSWORD: PASSWORD },
    context: { viewport: { width: 1280, height: 1600 } },
  });
  let service: ServerProcess;
  let page: Page;
  beforeEach(async () => {
    ({ service, page } = dashboard);
    for (const { id } of await segments()) await asAdmin(dashboard, "DELETE", `/api/segments/${id}?site_id=${SITE}`);
  });

  const segments = async (): Promise<readonly Segment[]> =>
    (await (await asAdmin(dashboard, "GET", `/api/segments?site_id=${SITE}`)).json()) as readonly Segment[];
  const add = async (segment: object): Promise<Segment> =>
    (await (await asAdmin(dashboard, "POST", `/api/segments?site_id=${SITE}`, segment)).json()) as Segment;

  async function openIn(shown: Page, query = ""): Promise<void> {
    await shown.goto(`${service.origin}/?site=${SITE}&period=7d${query}`);
    await shown.locator(".top-stat-value", { hasText: /\d/ }).first().waitFor();
    await shown.locator(".stale, .loading").first().waitFor({ state: "detached" });
  }
  const open = (query = "") => openIn(page, query);

  const visitors = (shown: Page) => shown.locator('[data-metric="visitors"] .top-stat-value').textContent();
  const hasVisitors = (count: number, shown = page) => expect.poll(() => visitors(shown), { timeout: ACTION_MS_MAX }).toBe(String(count));
  const pills = (shown = page) => shown.locator(".pill .pill-text").allTextContents();
  const pillsBecome = (...wanted: readonly string[]) => expect.poll(() => pills(), { timeout: ACTION_MS_MAX }).toEqual(wanted);
  const dialog = () => page.getByRole("dialog");
  const saved = () => dialog().getByRole("list", { name: "Saved segments" });

  it("two operators are saved under a name, and the address opens them for another browser", async () => {
    await open(`&filters=${encodeURIComponent("pages=contains=docs;countries=!in=(IT,US)")}&panel=filter`);
    await dialog().getByRole("textbox", { name: "Save as a segment" }).fill("Docs readers");
    await dialog().getByRole("button", { name: "Save" }).click();
    await dialog().waitFor({ state: "detached" });
    await pillsBecome("Segment Docs readers");
    await hasVisitors(3);
    const url = await urlOf(page);
    const [segment] = await segments();
    expect([url.searchParams.get("segment"), url.searchParams.get("filters")]).toEqual([segment?.id, null]);
    await cardOf(page, "places").getByRole("tab", { name: "Countries" }).click();
    await cardOf(page, "places").locator(".row-button", { hasText: "France" }).click();
    await hasVisitors(1);
    expect(await pills()).toEqual(["Segment Docs readers", "Country is France"]);

    const context = await newWindow({ viewport: { width: 1280, height: 1600 } });
    await context.request.post(`${service.origin}/api/auth/login`, { data: { password: PASSWORD } });
    const other = await context.newPage();
    await other.goto(url.href);
    await hasVisitors(3, other);
    await expect.poll(() => pills(other), { timeout: ACTION_MS_MAX }).toEqual(["Segment Docs readers"]);
    await context.close();
  });

  it("is chosen in the filter dialog, renamed, updated with the current filters and deleted", async () => {
    const { id } = await add({ name: "Germany", filters: "countries==DE" });
    await add({ name: "Home", filters: "pages==/" });
    await open("&filters=pages==/blog&panel=filter");
    await saved().getByRole("button", { name: "Germany", exact: true }).click();
    await pillsBecome("Segment Germany");
    await hasVisitors(2);
    await open(`&segment=${id}&filters=${encodeURIComponent("pages=begins=/docs")}&panel=filter`);
    const item = saved().getByRole("listitem").filter({ hasText: "Germany" });
    await item.getByRole("button", { name: "Update Germany" }).click();
    await item.getByRole("button", { name: /Confirm update/ }).click();
    await saved().getByText("Country is Germany, Page begins with /docs").waitFor();
    await item.getByRole("button", { name: "Rename Germany" }).click();
    await saved().getByRole("textbox", { name: "Name" }).press("Escape");
    // The field has the focus at once, with the whole name selected; then the button has it again.
    const focused = await item.getByRole("button", { name: "Rename Germany" }).evaluate<string, HTMLElement>(async (button) => {
      button.click();
      await new Promise((resolve) => setTimeout(resolve));
      return document.activeElement?.tagName ?? "";
    });
    expect(focused).toBe("INPUT");
    await page.keyboard.type("German docs");
    await page.keyboard.press("Enter");
    await saved().getByRole("button", { name: "German docs", exact: true }).waitFor();
    await page.locator("button:focus", { hasText: "Rename German docs" }).waitFor();
    expect(await segments()).toMatchObject([
      { name: "German docs", filters: "countries==DE;pages=begins=/docs" },
      { name: "Home", filters: "pages==/" },
    ]);
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate<string[]>(misplaced("dialog"))).toEqual([]);
      expect(await violationsOf(page)).toEqual([]);
    }
    await page.setViewportSize({ width: 1280, height: 1600 });
    const home = saved().getByRole("listitem").filter({ hasText: "Home" });
    await home.getByRole("button", { name: /Delete/ }).click();
    await home.getByRole("button", { name: /Confirm delete/ }).click();
    await home.waitFor({ state: "detached" });
    expect((await segments()).map(({ name }) => name)).toEqual(["German docs"]);
    // The segment that is shown has the filters now.
    expect((await urlOf(page)).searchParams.get("filters")).toBeNull();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Remove segment: German docs" }).click();
    await hasVisitors(5);
    expect((await urlOf(page)).searchParams.get("segment")).toBeNull();
  });

  it("is saved from the row of pills, and its pill opens all segments", async () => {
    await open("&filters=countries==DE");
    await page.getByRole("button", { name: "Save as segment" }).click();
    // The dialog focuses its first field.
    await dialog().getByRole("textbox", { name: "Save as a segment" }).and(page.locator(":focus")).waitFor();
    await page.keyboard.type("Germany");
    await page.keyboard.press("Enter");
    await pillsBecome("Segment Germany");
    expect(await page.getByRole("button", { name: "Save as segment" }).count()).toBe(0);
    await page.locator(".pill .pill-text").click();
    await saved().getByRole("button", { name: "Germany", exact: true, pressed: true }).waitFor();
    expect(await dialog().getByLabel("Filter by").count()).toBe(0);
  });

  it("many of them scroll within the filter dialog on a phone, whose end stays reachable", async () => {
    for (let i = 1; i <= 12; i++) await add({ name: `Segment ${i}`, filters: "countries==DE" });
    await page.setViewportSize({ width: 360, height: 640 });
    await open("&filters=pages==/blog&panel=filter");
    const last = saved().getByRole("listitem").last();
    await last.getByRole("button", { name: /Delete/ }).click();
    await last.getByRole("button", { name: /Confirm delete/ }).click();
    await expect.poll(async () => (await segments()).length, { timeout: ACTION_MS_MAX }).toBe(11);
    expect(await page.evaluate<string[]>(misplaced("dialog"))).toEqual([]);
  });

  it("one that is deleted while it is shown leaves the address", async () => {
    const { id } = await add({ name: "Germany", filters: "countries==DE" });
    await open(`&segment=${id}&panel=filter`);
    const item = saved().getByRole("listitem").filter({ hasText: "Germany" });
    await item.getByRole("button", { name: /Delete/ }).click();
    await item.getByRole("button", { name: /Confirm delete/ }).click();
    await saved().waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await hasVisitors(5);
    expect((await urlOf(page)).searchParams.get("segment")).toBeNull();
  });

  it("one for oneself is listed in this browser alone", async () => {
    await open("&filters=countries==FR&panel=filter");
    await dialog().getByRole("textbox", { name: "Save as a segment" }).fill("Mine");
    await dialog().getByLabel("For").selectOption("Only this browser");
    await dialog().getByRole("button", { name: "Save" }).click();
    await pillsBecome("Segment Mine");
    expect(await segments()).toEqual([]);
    await open("&panel=filter");
    await saved().getByText("Only you").waitFor();
  });

  it("the address of somebody else's own segment works without its name, and filters beside it cannot be saved as if it were none", async () => {
    const owner = { "X-Owner": "somebody-else-0123456789-abcdef" };
    const theirs = { name: "Their Germany", filters: "countries==DE", scope: "oneself" };
    const created = await asAdmin(dashboard, "POST", `/api/segments?site_id=${SITE}`, theirs, owner);
    const { id } = (await created.json()) as Segment;
    await open(`&segment=${id}&filters=pages==/docs/start`);
    await pillsBecome("Someone else's segment", "Page is /docs/start");
    await hasVisitors(2);
    expect(await page.locator(".pill-text").first().getAttribute("data-tip")).toBe("Only its owner sees its name and its conditions");
    await page.locator(".pill-text").first().click();
    await dialog().getByText("To save your filters, first remove someone else's segment: its conditions are not known.").waitFor();
    expect(await dialog().getByRole("textbox", { name: "Save as a segment" }).count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press("Escape");
    // Going back, which closing does, ends later: a page that is reloaded before shows the dialog again.
    await expect.poll(async () => (await urlOf(page)).searchParams.has("panel"), { timeout: ACTION_MS_MAX }).toBe(false);
    const remove = page.getByRole("button", { name: "Remove segment: Someone else's segment" });
    await asAdmin(dashboard, "DELETE", `/api/segments/${id}?site_id=${SITE}`, undefined, owner);
    await page.reload();
    await pillsBecome("Deleted segment", "Page is /docs/start");
    await page.getByRole("button", { name: "Remove segment: Deleted segment" }).click();
    expect(await remove.count()).toBe(0);
    await hasVisitors(2);
  });

  it("a goal in a segment has the metrics of conversions, and their rate among all", async () => {
    const { id } = await add({ name: "Customers", filters: "goal==Signup" });
    await open(`&segment=${id}`);
    await expect
      .poll(() => page.locator('[data-metric="conversion_rate"] .top-stat-value').textContent(), { timeout: ACTION_MS_MAX })
      .toBe("20.0%");
  });

  it("a funnel and a sequence are saved with their steps and shown again", async () => {
    const openExplore = (query: string) => page.goto(`${dashboard.service.origin}/?site=${SITE}&period=7d&view=explore&${query}`);
    await openExplore(`report=funnel&window=7+days&steps=${encodeURIComponent("page:/docs/start,event:Signup")}`);
    const card = cardOf(page, "report");
    await card.getByText("Saved funnels").click();
    await card.getByRole("textbox", { name: "Save as a funnel" }).fill("Docs to signup");
    await card.getByRole("button", { name: "Save" }).click();
    await card.getByRole("button", { name: "Docs to signup", exact: true }).waitFor();
    expect(await segments()).toMatchObject([
      { name: "Docs to signup", kind: "funnel", steps: "page:/docs/start,event:Signup", window: "7 days" },
    ]);
    await openExplore("report=sequences");
    // Saved reports come first, and one click opens them.
    await page
      .getByRole("region", { name: "Saved reports" })
      .getByRole("button", { name: /^Docs to signup/, pressed: false })
      .click();
    await card.getByRole("list", { name: "Funnel", exact: true }).waitFor();
    await page
      .getByRole("region", { name: "Saved reports" })
      .getByRole("button", { name: /^Docs to signup/, pressed: true })
      .waitFor();
    expect((await urlOf(page)).searchParams.get("window")).toBe("7 days");
    expect((await urlOf(page)).searchParams.get("report")).toBe("funnel");
    await openExplore("report=sequences");
    await card.getByText("Saved paths").click();
    expect(await card.getByRole("button", { name: "Docs to signup" }).count()).toBe(0);
  });
});
