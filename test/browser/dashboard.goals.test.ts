/** Goals in the dashboard: made in a site's settings, first in their card, and rates of each row of the other cards. */
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { createDeferred } from "../support/deferred.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { violationsOf } from "./support/accessibility.ts";
import { ACTION_MS_MAX } from "./support/dashboard-browser.ts";
import { cardOf, noonDaysAgo, rowsOf, urlOf, type Visit } from "./support/dashboard.ts";
import { asAdmin, useDashboard } from "./support/dashboard-instance.ts";
import { openSection, problemsAtAllWidths, settingsUrl } from "./support/settings-page.ts";

const SITE = "shop.example";
const noon = noonDaysAgo(1);
const from = (referrerSource: string, ...steps: readonly string[]): Visit => ({ atMs: noon, steps, fields: { referrerSource } });

const VISITS: readonly Visit[] = [
  from("Google", "/", "/docs/start", "!Signup"),
  from("Google", "/docs/start", "/docs/api"),
  from("Google", "/"),
  from("Reddit", "/docs/api", "/"),
  from("Bing", "/blog"),
  { atMs: noon, steps: ["/", "!Order"], fields: { referrerSource: "Bing", props: '{"plan":"pro","size":"XL"}' } },
];

interface Goal {
  readonly id: string;
  readonly name: string;
}

describe("goals in the dashboard", () => {
  const dashboard = useDashboard({
    visits: { [SITE]: VISITS },
    environment: { SVC_ADMIN_PASSWORD: "a password for the goals" },
    context: { viewport: { width: 1280, height: 1600 } },
  });
  let service: ServerProcess;
  let page: Page;
  beforeEach(async () => {
    ({ service, page } = dashboard);
    for (const { id } of await goals()) await asAdmin(dashboard, "DELETE", `/api/goals/${id}?site_id=${SITE}`);
  });

  const goals = async (): Promise<readonly Goal[]> =>
    (await (await asAdmin(dashboard, "GET", `/api/goals?site_id=${SITE}`)).json()) as readonly Goal[];
  const add = async (goal: object) => expect((await asAdmin(dashboard, "POST", `/api/goals?site_id=${SITE}`, goal)).status).toBe(201);
  const items = () => page.getByRole("list", { name: "Goals" }).getByRole("listitem");
  const names = () => items().locator("h3").allTextContents();
  const namesBecome = (...wanted: readonly string[]) => expect.poll(names, { timeout: ACTION_MS_MAX }).toEqual(wanted);

  async function open(query = ""): Promise<void> {
    await page.goto(`${service.origin}/?site=${SITE}&period=7d${query}`);
    await page.locator(".top-stat-value", { hasText: /\d/ }).first().waitFor();
    await page.locator(".stale, .loading").first().waitFor({ state: "detached" });
  }

  it("are added as a page with a wildcard and as an event with a property, renamed, moved and deleted", async () => {
    await openSection(page, settingsUrl(service.origin, SITE, "goals", "&period=7d"));
    await page.getByText("No goals yet").waitFor();
    const form = page.getByRole("form", { name: "New goal" });
    await form.getByRole("combobox", { name: "Page" }).fill("/docs/*");
    await page.keyboard.press("Enter");
    await form.getByRole("button", { name: "Add goal" }).click();
    await namesBecome("Visit /docs/*");

    await form.getByLabel("A custom event is sent").check();
    await form.getByRole("combobox", { name: "Event" }).click();
    await form.getByRole("option", { name: "Order" }).click();
    await form.getByRole("combobox", { name: "Property" }).first().fill("plan");
    await page.keyboard.press("Enter");
    await form.getByRole("combobox", { name: "Value of the property" }).click();
    await form.getByRole("option", { name: "pro" }).click();
    await form.getByLabel("Show the revenue of its events").check();
    await form.getByRole("button", { name: "Add goal" }).click();
    await namesBecome("Visit /docs/*", "Order with plan pro");
    expect(await problemsAtAllWidths(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 1600 });

    await page.getByRole("button", { name: "Move Order with plan pro up" }).click();
    await namesBecome("Order with plan pro", "Visit /docs/*");
    await page.getByRole("button", { name: "Edit Visit /docs/*" }).click();
    await page.getByLabel("A page is viewed").and(page.locator(":focus")).waitFor();
    await page.getByRole("textbox", { name: "Name" }).fill("Read the docs");
    await page.getByRole("button", { name: "Save" }).click();
    await namesBecome("Order with plan pro", "Read the docs");
    expect(await goals()).toMatchObject([
      { name: "Order with plan pro", page: null, event: "Order", property: { key: "plan", value: "pro" }, revenue: true, position: 1 },
      { name: "Read the docs", page: "/docs/*", event: null, property: null, revenue: false, position: 2 },
    ]);

    const remove = page.getByRole("button", { name: /Order with plan pro/ }).filter({ hasText: "elete" });
    await remove.click();
    await remove.click();
    await namesBecome("Read the docs");
  });

  it("suggestions that are still to come are said to load, for a goal and for a step of a funnel", async () => {
    let arrival = createDeferred<void>();
    await page.route("**/api/stats/breakdown/pages*", async (route) => {
      await arrival.promise;
      await route.continue();
    });
    const options = page.getByRole("listbox").getByRole("option");
    await openSection(page, settingsUrl(service.origin, SITE, "goals", "&period=7d"));
    await page.getByRole("form", { name: "New goal" }).getByRole("combobox", { name: "Page" }).click();
    await options.filter({ hasText: "Loading…" }).waitFor();
    arrival.resolve();
    await options.filter({ hasText: "/docs/api" }).waitFor();

    arrival = createDeferred<void>();
    await page.goto(`${service.origin}/?site=${SITE}&period=7d&view=explore&report=funnel`);
    const step = page.getByRole("combobox", { name: "Step 1" });
    await step.click();
    await step.fill("/docs/a");
    await options.filter({ hasText: "Loading…" }).waitFor();
    arrival.resolve();
    await options.filter({ hasText: "/docs/api" }).waitFor();
  });

  it("the values of another property are its own, also while they load", async () => {
    const arrival = createDeferred<void>();
    await page.route("**/api/stats/property-values*name=size*", async (route) => {
      await arrival.promise;
      await route.continue();
    });
    await openSection(page, settingsUrl(service.origin, SITE, "goals", "&period=7d"));
    const form = page.getByRole("form", { name: "New goal" });
    await form.getByLabel("A custom event is sent").check();
    await form.getByRole("combobox", { name: "Event" }).fill("Order");
    await page.keyboard.press("Enter");
    const options = form.getByRole("listbox").getByRole("option");
    const choose = async (property: string): Promise<void> => {
      await form.getByRole("combobox", { name: "Property" }).first().fill(property);
      await page.keyboard.press("Enter");
      await form.getByRole("combobox", { name: "Value of the property" }).click();
    };
    await choose("plan");
    await options.filter({ hasText: "pro" }).waitFor();
    await choose("size");
    await options.filter({ hasText: "Loading…" }).waitFor();
    expect(await options.allTextContents()).toEqual(["Loading…"]);
    arrival.resolve();
    await options.filter({ hasText: "XL" }).waitFor();
    expect(await options.allTextContents()).toEqual(["XL"]);
  });

  it("a name that another goal has is refused beside the field", async () => {
    await add({ name: "Docs", page: "/docs/*" });
    await openSection(page, settingsUrl(service.origin, SITE, "goals"));
    const form = page.getByRole("form", { name: "New goal" });
    await form.getByRole("combobox", { name: "Page" }).fill("/x");
    await page.keyboard.press("Enter");
    await form.getByRole("textbox", { name: "Name" }).fill("Docs");
    await form.getByRole("button", { name: "Add goal" }).click();
    await form.getByText(/another goal/).waitFor();
    expect(await names()).toEqual(["Docs"]);
  });

  it("are first in their card; one that is clicked gives each row of the other cards its conversion rate", async () => {
    await add({ name: "Read the docs", page: "/docs/*" });
    await open("&from=visit-sources");
    expect(await rowsOf(page, "did")).toEqual([
      ["Read the docs", "3"],
      ["Order", "1"],
      ["Signup", "1"],
    ]);
    const rates = () => cardOf(page, "did").locator(".row .row-share").allTextContents();
    await expect.poll(rates, { timeout: ACTION_MS_MAX }).toEqual(["50.0%", "16.7%", "16.7%"]);
    await cardOf(page, "did").locator(".row-button", { hasText: "Read the docs" }).click();
    await cardOf(page, "from").getByText("Conversions").waitFor();
    await expect
      .poll(() => rowsOf(page, "from"), { timeout: ACTION_MS_MAX })
      .toEqual([
        ["Google", "2"],
        ["Reddit", "1"],
      ]);
    await expect
      .poll(() => cardOf(page, "from").locator(".row .row-share").allTextContents(), { timeout: ACTION_MS_MAX })
      .toEqual(["66.7%", "100%"]);
    expect((await urlOf(page)).searchParams.get("filters")).toBe("goal==Read the docs");
    const rate = page.locator('[data-metric="conversion_rate"] .top-stat-value');
    await expect.poll(() => rate.textContent(), { timeout: ACTION_MS_MAX }).toBe("50.0%");
    await expect
      .poll(async () => [await rowsOf(page, "did"), await rates()], { timeout: ACTION_MS_MAX })
      .toEqual([[["Read the docs", "3"]], ["50.0%"]]);
    expect(await violationsOf(page)).toEqual([]);
  });

  it("the filter dialog offers goals of the site and events", async () => {
    await add({ name: "Read the docs", page: "/docs/*" });
    await open("&panel=filter");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Filter by").selectOption("goal");
    await dialog.getByRole("combobox", { name: "Value" }).click();
    const options = dialog.getByRole("listbox").getByRole("option");
    await expect.poll(() => options.allTextContents(), { timeout: ACTION_MS_MAX }).toEqual(["Read the docs3", "Order1", "Signup1"]);
  });
});
