/** Filters of the dashboard: made in their dialog, chosen from rows, shown as pills, compared with counts over the visits that were written. */
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import type { ServerProcess } from "../support/server-process.ts";
import { violationsOf } from "./support/accessibility.ts";
import { ACTION_MS_MAX } from "./support/dashboard-browser.ts";
import { cardOf, noonDaysAgo, rowsOf, urlOf, type Visit } from "./support/dashboard.ts";
import { asAdmin, useDashboard } from "./support/dashboard-instance.ts";
import { misplaced } from "./support/layout.ts";

const SITE = "shop.example";
const noon = noonDaysAgo(1);
const from = (countryCode: string, ...steps: readonly string[]): Visit => ({ atMs: noon, steps, fields: { countryCode } });

const VISITS: readonly Visit[] = [
  from("DE", "/", "/docs/start", "!Signup"),
  from("DE", "/docs/start"),
  from("FR", "/docs/api", "/"),
  from("FR", "/blog"),
  from("IT", "/"),
  { atMs: noon, steps: ["/", "!Order"], fields: { countryCode: "IT", props: '{"plan":"pro"}' } },
];

describe("filters of the dashboard", () => {
  const dashboard = useDashboard({
    visits: { [SITE]: VISITS },
    environment: { SVC_ADMIN_PASSWORD: "a password for the filters" },
    context: { viewport: { width: 1280, height: 1600 } },
  });
  let service: ServerProcess;
  let page: Page;
  beforeEach(() => {
    ({ service, page } = dashboard);
  });

  async function open(query = ""): Promise<void> {
    await page.goto(`${service.origin}/?site=${SITE}&period=7d${query}`);
    await page.locator(".top-stat-value", { hasText: /\d/ }).first().waitFor();
    await page.locator(".stale, .loading").first().waitFor({ state: "detached" });
  }

  const filtersInUrl = async (): Promise<string | null> => (await urlOf(page)).searchParams.get("filters");
  const visitors = () => page.locator('[data-metric$="visitors"] .top-stat-value, [data-metric="unique_conversions"] .top-stat-value');
  const hasVisitors = (count: number) => expect.poll(() => visitors().textContent(), { timeout: ACTION_MS_MAX }).toBe(String(count));
  const pills = () => page.locator(".pill .pill-text").allTextContents();
  const dialog = () => page.getByRole("dialog");
  const options = () => dialog().getByRole("listbox").getByRole("option");
  const apply = () => dialog().getByRole("button", { name: "Apply filter" }).click();
  const dialogIsClosed = () => dialog().waitFor({ state: "detached" });
  const row = (card: string, name: string) =>
    cardOf(page, card).getByRole("button", { name, exact: false }).and(page.locator(".row-button"));

  async function pick(typed: string, option: string): Promise<void> {
    await dialog().getByRole("combobox", { name: "Value" }).click();
    if (typed !== "") await page.keyboard.type(typed);
    await options().filter({ hasText: option }).click();
  }

  it("what was not recorded is suggested by what readers see", async () => {
    await open("&panel=filter");
    await dialog().getByLabel("Filter by").selectOption("visit-sources");
    await pick("direct", "Direct / none");
    await apply();
    await dialogIsClosed();
    expect(await pills()).toEqual(["Source is Direct / none"]);
    expect(await filtersInUrl()).toBe("visit-sources==(unknown)");
  });

  it("a text that pages contain, typed by keyboard alone", async () => {
    await open();
    await page.keyboard.press("/");
    await dialog().getByLabel("Operator").selectOption("contains");
    await dialog().getByRole("textbox", { name: "Value" }).fill("docs");
    await page.keyboard.press("Enter");
    await dialogIsClosed();
    expect([await filtersInUrl(), await pills()]).toEqual(["pages=contains=docs", ["Page contains docs"]]);
    await hasVisitors(3);
  });

  it("another text is typed at once, and one that is removed leaves the focus in the one before", async () => {
    await open("&panel=filter");
    await dialog().getByLabel("Operator").selectOption("contains");
    await dialog().getByRole("textbox", { name: "Value" }).fill("blog");
    for (const text of ["docs", "pricing"]) {
      await dialog().getByRole("button", { name: "Or another value" }).press("Enter");
      await page.keyboard.type(text);
    }
    await dialog().getByRole("button", { name: "Remove value 3" }).press("Enter");
    await page.keyboard.type("/api");
    await page.keyboard.press("Enter");
    await dialogIsClosed();
    expect([await filtersInUrl(), await pills()]).toEqual(["pages=contains=(blog,docs/api)", ["Page contains blog or docs/api"]]);
    await hasVisitors(2);
  });

  it("several countries by their names, with their visitors, are excluded; the pill opens them for a change", async () => {
    await open();
    await page.keyboard.press("f");
    await dialog().getByLabel("Filter by").selectOption("countries");
    await dialog().getByLabel("Operator").selectOption("is not");
    await pick("germ", "Germany2");
    await pick("", "France2");
    expect(await dialog().getByRole("list", { name: "Chosen values" }).getByRole("listitem").allTextContents()).toEqual([
      "Germany×",
      "France×",
    ]);
    await apply();
    await dialogIsClosed();
    expect([await filtersInUrl(), await pills()]).toEqual(["countries=!in=(DE,FR)", ["Country is not Germany or France"]]);
    await hasVisitors(2);
    await page.getByTitle("Change this filter").click();
    await dialog().getByRole("button", { name: "Remove France" }).click();
    await dialog().getByLabel("Operator").selectOption("is");
    await apply();
    await dialogIsClosed();
    expect(await filtersInUrl()).toBe("countries==DE");
    await hasVisitors(2);
    await page.getByRole("button", { name: "Clear all" }).click();
    await hasVisitors(6);
  });

  it("a pill has three values at most, and words for what is not set; its dialog and its title have all", async () => {
    const written = "pages=in=(/,/blog,/docs/api,/docs/start,/none);utm-campaigns==(unknown);sources!=(unknown)";
    await open(`&filters=${encodeURIComponent(written)}`);
    expect(await pills()).toEqual(["Page is /, /blog or 3 others", "Event campaign is not set", "Event source is not Direct / none"]);
    await page.getByTitle("Change this filter: Page is /, /blog, /docs/api, /docs/start or /none").click();
    await dialog().getByRole("button", { name: "Remove /none" }).waitFor();
    expect(await dialog().getByRole("list", { name: "Chosen values" }).getByRole("listitem").count()).toBe(5);
  });

  it("links of earlier versions open the tab of visits, and their filters on single events say so", async () => {
    await open("&from=referrers&filters=sources==(unknown)&panel=sources");
    await page.getByRole("dialog", { name: "Event sources" }).waitFor();
    await page.keyboard.press("Escape");
    expect(await pills()).toEqual(["Event source is Direct / none"]);
    expect(await page.locator("[data-card=from]").getByRole("tab", { selected: true }).textContent()).toBe("Referrers");
  });

  it("values that are still to come are said to load, and their list is not cut by a dialog that is lower", async () => {
    await page.setViewportSize({ width: 360, height: 560 });
    const held: (() => void)[] = [];
    await open("&panel=filter");
    await page.route("**/api/stats/breakdown/countries*", async (route) => {
      await new Promise<void>((resolve) => held.push(resolve));
      await route.continue();
    });
    await dialog().getByLabel("Filter by").selectOption("countries");
    await dialog().getByRole("combobox", { name: "Value" }).click();
    await options().filter({ hasText: "Loading…" }).waitFor();
    for (const release of held) release();
    await options().filter({ hasText: "Italy" }).waitFor();
    const isWhole = await page.evaluate<boolean>(`(() => {
      const list = document.querySelector("dialog [role=listbox]");
      const { left, top, right, bottom } = list.getBoundingClientRect();
      const isSeen = (y) => list.contains(document.elementFromPoint((left + right) / 2, y));
      return isSeen(top + 2) && isSeen(bottom - 2);
    })()`);
    expect(isWhole).toBe(true);
  });

  it("values are those that the other filters leave", async () => {
    await open("&filters=countries==FR&panel=filter");
    await dialog().getByRole("combobox", { name: "Value" }).click();
    // Until they are there, one says so.
    await expect
      .poll(async () => (await options().allTextContents()).toSorted(), { timeout: ACTION_MS_MAX })
      .toEqual(["/1", "/blog1", "/docs/api1"]);
  });

  it("an expression that the service cannot read is refused before anything else changes", async () => {
    await open("&panel=filter");
    await dialog().getByLabel("Operator").selectOption("matches regex");
    await dialog().getByRole("textbox", { name: "Value" }).fill("(");
    await apply();
    await dialog().getByText("Invalid regular expression: missing closing )").waitFor();
    expect(await filtersInUrl()).toBeNull();
    await dialog().getByRole("textbox", { name: "Value" }).fill("^/(docs/api|blog)$");
    await apply();
    await dialogIsClosed();
    await hasVisitors(2);
    expect(await pills()).toEqual(["Page matches regex ^/(docs/api|blog)$"]);
  });

  it("an error goes with the dimension that it was about, and each dimension has an example of its own", async () => {
    await open("&panel=filter");
    const value = dialog().getByRole("textbox", { name: "Value" });
    await dialog().getByLabel("Operator").selectOption("matches regex");
    expect(await value.getAttribute("placeholder")).toContain("^/blog/");
    await value.fill("(");
    await apply();
    await dialog().getByRole("alert").waitFor();
    await dialog().getByLabel("Filter by").selectOption("goal");
    expect(await dialog().getByRole("alert").count()).toBe(0);
    expect(await value.getAttribute("aria-invalid")).toBe("false");
    expect(await value.getAttribute("placeholder")).toContain("Signup");
  });

  it("a property is chosen by its key, and whether it is set; its values are rows that filter", async () => {
    await open("&panel=filter");
    await dialog().getByLabel("Filter by").selectOption("props");
    await dialog().getByRole("combobox", { name: "Property" }).click();
    await dialog().getByRole("option", { name: "plan" }).click();
    await dialog().getByLabel("Operator").selectOption("is set");
    await apply();
    await dialogIsClosed();
    expect([await filtersInUrl(), await pills()]).toEqual(["props:plan!=(unknown)", ["Property plan is set"]]);
    await hasVisitors(1);
    await page.goto(`${dashboard.service.origin}/?site=${SITE}&period=7d&view=explore&report=properties`);
    await row("report", "pro").click();
    await expect.poll(filtersInUrl, { timeout: ACTION_MS_MAX }).toBe("props:plan==pro");
    expect(await pills()).toEqual(["Property plan is pro"]);
  });

  it("entry pages filter by what visits begin with, which is shown of the whole visits", async () => {
    await open("&pages=entry-pages");
    await row("pages", "/docs/api").click();
    await hasVisitors(1);
    expect([await filtersInUrl(), await pills()]).toEqual(["entry-page==/docs/api", ["Entry page is /docs/api"]]);
    expect(await page.locator('[data-metric="pageviews"] .top-stat-title').textContent()).toBe("Pageviews");
    await page.locator('[data-metric="pageviews"] .top-stat-value', { hasText: /^2$/ }).waitFor();
  });

  it("a goal shows the visitors of the visits that reach it, and their rate among all", async () => {
    await open("&filters=goal==Signup");
    await hasVisitors(1);
    expect(await pills()).toEqual(["Goal is Signup"]);
    await expect
      .poll(() => page.locator('[data-metric="conversion_rate"] .top-stat-value').textContent(), { timeout: ACTION_MS_MAX })
      .toBe("16.7%");
    const rated = async () => {
      const rates = await cardOf(page, "pages").locator(".row .row-share").allTextContents();
      return (await rowsOf(page, "pages")).map((cells, i) => [...cells, rates[i]]).toSorted();
    };
    await expect.poll(rated, { timeout: ACTION_MS_MAX }).toEqual([
      ["/", "1", "25.0%"],
      ["/docs/start", "1", "50.0%"],
    ]);
  });

  it("rows exclude with Alt and add with Shift, by the mouse and from the menu of the focused row", async () => {
    await open("&places=countries");
    await row("places", "Germany").click({ modifiers: ["Alt"] });
    await hasVisitors(4);
    expect(await pills()).toEqual(["Country is not Germany"]);
    await page.getByRole("button", { name: /Remove filter/ }).click();
    await row("places", "Italy").click();
    await hasVisitors(2);
    await page.goBack();
    await hasVisitors(6);
    await open("&places=countries&filters=sources!=nobody");
    await row("places", "France").click({ modifiers: ["Shift"] });
    await hasVisitors(2);
    expect(await pills()).toEqual(["Event source is not nobody", "Country is France"]);

    await open("&pages=pages");
    await row("pages", "/blog").focus();
    await page.keyboard.press("Shift+F10");
    expect(await page.getByRole("menuitem").allTextContents()).toEqual(["Filter by /blog", "Exclude /blog", "Open /blog in a new tab"]);
    await page.getByRole("menuitem", { name: "Exclude /blog" }).focus();
    await page.keyboard.press("Enter");
    await hasVisitors(5);
    expect(await filtersInUrl()).toBe("pages!=/blog");
    await cardOf(page, "pages").locator(".row").first().hover();
    await cardOf(page, "pages").getByRole("button", { name: "More options" }).first().click();
    await page.getByRole("menuitem", { name: "Filter by /" }).waitFor();
  });

  it("a link with fixed filters of any kind shows them, and what its viewer adds", async () => {
    await open();
    const filters = "countries=in=(DE,FR);pages=begins=/docs";
    const response = await asAdmin(dashboard, "POST", "/api/shares", { site_id: SITE, name: "Docs", filters });
    const { token } = (await response.json()) as { readonly token: string };
    await page.goto(`${service.origin}/share/${token}?period=7d&places=countries`);
    await hasVisitors(3);
    expect(await pills()).toEqual(["Fixed filter: Country is Germany or France", "Fixed filter: Page begins with /docs"]);
    await row("places", "France").click();
    await hasVisitors(1);
    expect(await filtersInUrl()).toBe("countries==FR");
  });

  it("the dialog and the rows' menus fit a phone, a tablet and a desktop, and axe finds nothing", async () => {
    const filters = "&filters=countries=!in=(DE,FR);pages=contains=docs;props:plan!=(unknown)";
    for (const width of [360, 768, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await open(`${filters}&panel=${encodeURIComponent("filter:countries=!in=(DE,FR)")}`);
      await dialog().getByRole("button", { name: "Remove Germany" }).waitFor();
      expect(await page.evaluate<string[]>(misplaced("dialog"))).toEqual([]);
      if (width !== 768) expect(await violationsOf(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await dialogIsClosed();
      await open("&pages=pages");
      await cardOf(page, "pages").scrollIntoViewIfNeeded();
      await row("pages", "/blog").focus();
      await page.keyboard.press("Shift+F10");
      await page.getByRole("menuitem", { name: "Exclude /blog" }).waitFor();
      expect(await page.evaluate<string[]>(misplaced('[data-card="pages"] .menu-list'))).toEqual([]);
      if (width !== 768) expect(await violationsOf(page)).toEqual([]);
    }
  });
});
