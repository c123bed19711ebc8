/**
 * The page of a share link in a browser that was never logged in, below a path of its host: what it shows and what it does not, the
 * password, revocation while it is open, and public sites.
 */
import { readFile } from "node:fs/promises";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import type { BrowserContext, Page } from "playwright-core";
import { nowMs } from "../support/fixed-clock.ts";
import { violationsOf } from "./support/accessibility.ts";
import { ACTION_MS_MAX, newWindow } from "./support/dashboard-browser.ts";
import { cardOf, DAY_MS, noonDaysAgo, rowsOf, urlOf, utcDay, type Visit } from "./support/dashboard.ts";
import { asAdmin, useDashboard } from "./support/dashboard-instance.ts";
import { misplaced } from "./support/layout.ts";

const SITE = "shop.example";
const PUBLIC_SITE = "open.example";
const ADMIN_PASSWORD = "correct horse battery";
const LINK_PASSWORD = "only for the board";

const times = (count: number, visit: Visit): Visit[] => Array.from({ length: count }, () => visit);

const german = { countryCode: "DE", referrer: "https://www.google.com/", referrerSource: "Google" } as const;

const VISITS: readonly Visit[] = [
  ...times(4, { atMs: noonDaysAgo(1), steps: ["/", "/pricing", "!Signup"], fields: german }),
  ...times(2, { atMs: noonDaysAgo(2), steps: ["/docs"], fields: { countryCode: "DE" } }),
  ...times(3, { atMs: noonDaysAgo(2), steps: ["/secret"], fields: { countryCode: "FR" } }),
  ...times(5, { atMs: noonDaysAgo(9), steps: ["/"], fields: german }),
  { atMs: noonDaysAgo(100), steps: ["/"], fields: german },
];

interface CreatedShare {
  readonly token: string;
  readonly share_hash: string;
}

describe("a viewer's page", () => {
  const dashboard = useDashboard({
    visits: { [SITE]: VISITS, [PUBLIC_SITE]: VISITS },
    environment: { SVC_ADMIN_PASSWORD: ADMIN_PASSWORD, SVC_BASE_PATH: "/stats", SVC_TRUST_PROXY: "1" },
    context: {},
  });
  const contexts: BrowserContext[] = [];
  let machines = 0;
  /** What the page requested, as `status path`, and those requests that say who asks in another way than by the link. */
  let requested: string[] = [];
  let unshared: string[] = [];

  const root = () => `${dashboard.service.origin}/stats`;

  async function share(fields: object = {}): Promise<CreatedShare> {
    const response = await asAdmin(dashboard, "POST", "/api/shares", { site_id: SITE, name: "For the board", ...fields });
    expect(response.status).toBe(201);
    return (await response.json()) as CreatedShare;
  }

  const revoke = async ({ share_hash }: CreatedShare): Promise<void> => {
    expect((await asAdmin(dashboard, "DELETE", `/api/shares/${share_hash}`)).status).toBe(200);
  };

  async function watch(page: Page): Promise<void> {
    [requested, unshared] = [[], []];
    page.on("response", (response) => requested.push(`${response.status()} ${response.url().slice(root().length)}`));
    page.on("request", (request) => {
      const { "x-share": link, cookie } = request.headers();
      if (request.url().includes("/api/") && (link === undefined || cookie !== undefined)) unshared.push(request.url());
    });
  }

  /** A private window, on a machine of its own: requests of one address are limited. */
  async function visit(key: string, query = ""): Promise<Page> {
    const viewport = { width: 1280, height: 1400 };
    const extraHTTPHeaders = { "x-forwarded-for": `192.0.2.${++machines}` };
    const context = await newWindow({ viewport, extraHTTPHeaders });
    contexts.push(context);
    const page = await context.newPage();
    await watch(page);
    await page.goto(`${root()}/share/${key}${query}`);
    return page;
  }

  /** `metric` is the first of those that are shown. */
  async function open(key: string, query = "", metric = "visitors"): Promise<Page> {
    const page = await visit(key, query);
    await shown(page, metric);
    return page;
  }

  async function shown(page: Page, metric = "visitors"): Promise<void> {
    await page.locator(`[data-metric="${metric}"] .top-stat-value`, { hasText: /\d/ }).waitFor();
    await page.locator(".stale, .loading").first().waitFor({ state: "detached" });
  }

  /** Says that the link does not work, and has nothing of what it showed. */
  async function dead(page: Page): Promise<void> {
    await page.getByRole("heading", { name: "This link no longer works" }).waitFor();
    const left = () => page.locator("[data-metric], .card, .bar, dialog, .realtime-count, input").count();
    await expect.poll(left, { timeout: ACTION_MS_MAX }).toBe(0);
    for (const site of [SITE, PUBLIC_SITE]) expect(await page.locator("body").innerText()).not.toContain(site);
  }

  const visitorsAre = (page: Page, count: number) =>
    page.locator('[data-metric="visitors"] .top-stat-value', { hasText: new RegExp(`^${count}$`) }).waitFor();
  const menuItems = async (page: Page, name: RegExp): Promise<string[]> => {
    await page.getByRole("button", { name }).click();
    const texts = await page.locator('[role="menu"] [role^="menuitem"]').allInnerTexts();
    await page.keyboard.press("Escape");
    return texts.map((text) => text.split("\n")[0]?.trim() ?? "");
  };
  const failures = () => requested.filter((line) => !/^(?:200|304) /.test(line));

  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
  });

  describe("of a link with a filter and a period", () => {
    let link: CreatedShare;
    beforeAll(async () => {
      link = await share({ filters: "countries==DE", period: "7d" });
    }, ACTION_MS_MAX);

    it("shows whose site it is and only what is shared, and every request is the link's", async () => {
      const page = await open(link.token);
      await visitorsAre(page, 6);
      expect(await rowsOf(page, "pages")).toEqual([
        ["/", "4"],
        ["/pricing", "4"],
        ["/docs", "2"],
      ]);
      await page.locator(".bar").getByText("For the board").waitFor();
      await page.getByText(`Shared by the owner of ${SITE}`).waitFor();
      await page.getByText("Powered by Sandpiper").waitFor();
      await page.getByRole("list", { name: "Filters" }).getByText("Country is").waitFor();
      expect(await page.getByRole("button", { name: /filter: Country/ }).count()).toBe(0);
      expect(await page.locator(".site-button").count()).toBe(0);
      expect(await menuItems(page, /^Menu$/)).toEqual([
        "Explore",
        "Export…",
        "Print…",
        ...["System", "Light", "Dark"].map((theme) => `Theme: ${theme}`),
        ...["English", "Deutsch", "Français", "Español"],
        "Help",
      ]);
      expect(failures()).toEqual([]);
      expect(unshared).toEqual([]);
      expect(requested.filter((line) => line.includes("/api/") && !/\/api\/(?:stats\/|share)/.test(line))).toEqual([]);
    });

    it("offers only periods within the shared one, and compares with none outside", async () => {
      const page = await open(link.token);
      expect(await menuItems(page, /^Period/)).toEqual(["Today", "Yesterday", "Last 7 days", "Custom range…", "Realtime"]);
      expect(await page.getByRole("button", { name: /Compare/ }).count()).toBe(0);
      for (const key of ["m", "q", "y", "ArrowLeft", "ArrowRight", "x", "1"]) await page.keyboard.press(key);
      await shown(page);
      await visitorsAre(page, 6);
      await page.keyboard.press("d");
      await page.keyboard.press("ArrowLeft");
      await visitorsAre(page, 4);
      await shown(page);
      // Of the same weekday a week earlier, which is not shared.
      expect(await page.getByRole("button", { name: /Compare/ }).count()).toBe(0);
      expect((await urlOf(page)).pathname).toBe(`/stats/share/${link.token}`);
      expect(failures()).toEqual([]);
    });

    it("narrows by a click, which Back undoes, and the address keeps its path", async () => {
      const page = await open(link.token);
      await cardOf(page, "pages").getByRole("button", { name: "/docs" }).click();
      await visitorsAre(page, 2);
      const url = await urlOf(page);
      expect([url.pathname, url.searchParams.get("filters")]).toEqual([`/stats/share/${link.token}`, "pages==/docs"]);
      await page.goBack();
      await visitorsAre(page, 6);
      await page.goForward();
      await visitorsAre(page, 2);
      await page.reload();
      await visitorsAre(page, 2);
      await page.keyboard.press("Escape");
      await visitorsAre(page, 6);
      expect(await page.locator(".pill.locked").count()).toBe(1);
    });

    it("shows the shared dates for an address that asks for others", async () => {
      const page = await open(link.token, "?period=12mo");
      await visitorsAre(page, 6);
      await page.goto(`${root()}/share/${link.token}?start=${utcDay(noonDaysAgo(30))}&end=${utcDay(noonDaysAgo(2))}`);
      await visitorsAre(page, 2);
      await page.getByText("The dates in this link can't be shown.").waitFor();
      await page.getByRole("button", { name: "Choose other dates" }).click();
      expect(await page.getByLabel(/^Start date/).getAttribute("min")).toBe(utcDay(noonDaysAgo(6)));
      expect(failures()).toEqual([]);
    });

    it("has the details of a card and downloads within its limits", async () => {
      const page = await open(link.token, "?panel=pages");
      await page.getByRole("dialog").getByText("3 pages").waitFor();
      const saved = page.waitForEvent("download");
      await page.getByRole("button", { name: "Download: CSV" }).click();
      expect(await readFile(await (await saved).path(), "utf8")).not.toContain("secret");
      expect((await saved).suggestedFilename()).toMatch(/-filtered\.csv$/);
      await page.goto(`${root()}/share/${link.token}?panel=export`);
      await page
        .getByRole("dialog")
        .getByText(/\(UTC\), filters applied$/)
        .waitFor();
      const exported = page.waitForEvent("download");
      await page.getByRole("button", { name: "Download", exact: true }).click();
      const lines = (await readFile(await (await exported).path(), "utf8")).trim().split("\n");
      expect(lines.find((line) => line.includes(utcDay(noonDaysAgo(2))))).toMatch(/^\S*?,"?2"?,/);
      expect(lines.join()).not.toContain("secret");
      expect((await exported).suggestedFilename()).toMatch(/-filtered\.csv$/);
      expect(failures()).toEqual([]);
    });

    it("offers to clear only the viewer's own filters where there is nothing to show", async () => {
      const page = await open(link.token, "?did=goals&filters=pages==/docs");
      const goals = cardOf(page, "did");
      await goals.getByRole("button", { name: "Clear filters" }).waitFor();
      await page.goto(`${root()}/share/${link.token}?did=goals&start=${utcDay(noonDaysAgo(2))}&end=${utcDay(noonDaysAgo(2))}`);
      await goals.getByText("No data for this period").waitFor();
      expect(await page.getByRole("button", { name: "Clear filters" }).count()).toBe(0);
    });

    it("has every report of Explore, and nothing saved", async () => {
      const page = await open(link.token);
      for (const tab of ["Revenue", "Goals"]) {
        await cardOf(page, "did").getByRole("tab", { name: tab }).click();
        await page.locator(".stale, .loading").first().waitFor({ state: "detached" });
      }
      await page.getByRole("navigation", { name: "Explore" }).getByRole("link", { name: "Flow" }).click();
      for (const tab of ["Properties", "Funnel", "Retention", "Paths", "Flow"]) {
        await cardOf(page, "report").getByRole("tab", { name: tab }).click();
        await page.locator(".stale, .loading").first().waitFor({ state: "detached" });
      }
      expect(await page.getByText("Saved").count()).toBe(0);
      await page.getByRole("link", { name: "Back to the dashboard" }).click();
      await page.getByRole("button", { name: "Menu" }).click();
      await page.getByRole("menuitem", { name: "Explore" }).click();
      await page.getByRole("heading", { name: "Explore" }).waitFor();
      await page.keyboard.press("e");
      await page.locator('[data-metric="visitors"] .top-stat-value', { hasText: /\d/ }).waitFor();
      expect(failures()).toEqual([]);
    });

    it("opens no dialog about the installation", async () => {
      const page = await open(link.token, "?panel=keys");
      for (const panel of ["erase", "installation", "password"]) {
        await page.goto(`${root()}/share/${link.token}?panel=${panel}`);
        await expect.poll(async () => (await urlOf(page)).searchParams.get("panel"), { timeout: ACTION_MS_MAX }).toBeNull();
        expect(await page.getByRole("dialog").count()).toBe(0);
      }
      expect(unshared).toEqual([]);
    });

    it("fits every width, and axe finds nothing, light and dark", async () => {
      const page = await open(link.token);
      for (const width of [1280, 768, 320]) {
        await page.setViewportSize({ width, height: 1400 });
        expect({ width, problems: await page.evaluate<string[]>(misplaced("header.bar")) }).toEqual({ width, problems: [] });
        expect({ width, problems: await page.evaluate<string[]>(misplaced("main")) }).toEqual({ width, problems: [] });
      }
      expect(await violationsOf(page)).toEqual([]);
    });
  });

  it("of a link with a filter on an event has no conversion rates, which would be shares of other visitors", async () => {
    const link = await share({ filters: "events==Signup", period: "7d" });
    const page = await open(link.token, "?did=goals&metric=conversion_rate&filters=countries==DE", "unique_conversions");
    const titles = await page.locator(".top-stat-title").allTextContents();
    expect(titles).toEqual(["Converted visitors", "Total conversions"]);
    expect(await rowsOf(page, "did")).toEqual([["Signup", "4"]]);
    expect(await cardOf(page, "did").locator(".column-heads").innerText()).not.toContain("Rate");
    expect(requested.filter((line) => line.includes("/api/stats/main"))).toHaveLength(1);
    expect(failures()).toEqual([]);
  });

  it("asks for the password of a link, and keeps it for the tab alone", async () => {
    const link = await share({ password: LINK_PASSWORD });
    const page = await visit(link.token);
    await page.getByRole("heading", { name: "Enter the password" }).waitFor();
    expect(requested.filter((line) => line.includes("/api/stats"))).toEqual([]);
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.type("not the password");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").filter({ hasText: /\w/ }).waitFor();
    await page.getByLabel("Password", { exact: true }).fill(LINK_PASSWORD);
    await page.keyboard.press("Enter");
    await shown(page);
    await page.reload();
    await shown(page);
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole("heading", { name: "Enter the password" }).waitFor();
  });

  it("of a link that is revoked while it is open says so at the next refresh, and shows nothing of before", async () => {
    const link = await share({ name: "Soon gone" });
    const page = await open(link.token);
    await revoke(link);
    await page.keyboard.press("d");
    await page.getByRole("heading", { name: "This link no longer works" }).waitFor();
    expect(await page.locator("[data-metric], .card, .bar").count()).toBe(0);
    expect(await page.locator("body").innerText()).not.toContain(SITE);
    expect(await violationsOf(page)).toEqual([]);
    await page.reload();
    await page.getByRole("heading", { name: "This link no longer works" }).waitFor();
  });

  it.each([
    { what: "the realtime view", query: "?view=realtime", fields: {}, has: ".realtime-count", withinMs: 10_000 },
    {
      what: "a dialog of a link without realtime",
      query: "?panel=pages",
      fields: { realtime: false },
      has: "dialog >> text=/\\d pages/",
      withinMs: 60_000,
    },
  ])("shows nothing more in a tab that nobody touches, soon after its link is revoked: $what", async ({ query, fields, has, withinMs }) => {
    const link = await share(fields);
    const page = await visit(link.token, query);
    await page.clock.install({ time: nowMs() });
    await page.reload();
    await page.locator(has).first().waitFor();
    await revoke(link);
    await page.clock.fastForward(withinMs);
    await dead(page);
  });

  it("of a link whose password was entered ends with the link, and does not ask for the password again", async () => {
    const link = await share({ password: LINK_PASSWORD });
    const page = await visit(link.token);
    await page.getByLabel("Password", { exact: true }).fill(LINK_PASSWORD);
    await page.keyboard.press("Enter");
    await shown(page);
    await revoke(link);
    await page.keyboard.press("d");
    await dead(page);
    await page.reload();
    await dead(page);
  });

  it("of an unknown link says the same", async () => {
    const page = await visit(`~${"x".repeat(43)}`);
    await page.getByRole("heading", { name: "This link no longer works" }).waitFor();
    expect(requested.filter((line) => line.includes("/api/stats"))).toEqual([]);
  });

  it("has no realtime view where the link has none", async () => {
    const link = await share({ realtime: false });
    const page = await open(link.token, "?view=realtime");
    await page.keyboard.press("r");
    await shown(page);
    expect(await page.getByRole("button", { name: /current visitor/ }).count()).toBe(0);
    expect(await menuItems(page, /^Period/)).not.toContain("Realtime");
    expect(requested.filter((line) => line.includes("/api/stats/realtime"))).toEqual([]);
    expect(failures()).toEqual([]);
  });

  it("of the current date shows it, under either of its names", async () => {
    for (const period of ["day", "today"]) {
      const page = await open((await share({ period })).token);
      await visitorsAre(page, 0);
      expect(await menuItems(page, /^Period/)).toEqual(["Today", "Custom range…", "Realtime"]);
      expect(failures()).toEqual([]);
    }
  });

  it("says when a link ends soon, and shows fixed dates", async () => {
    const expiresAt = new Date(nowMs() + 2 * DAY_MS).toISOString();
    const dates = { start_date: utcDay(noonDaysAgo(12)), end_date: utcDay(noonDaysAgo(8)) };
    const page = await open((await share({ expires_at: expiresAt, ...dates })).token);
    await page.getByText(/This link works until .* UTC\./).waitFor();
    await visitorsAre(page, 5);
    expect(await menuItems(page, /^Period/)).toEqual(["All shared dates", "Custom range…"]);
    expect(failures()).toEqual([]);
  });

  it("leads back from a day of fixed dates to all of them", async () => {
    const dates = { start_date: utcDay(noonDaysAgo(12)), end_date: utcDay(noonDaysAgo(8)) };
    const page = await open((await share(dates)).token, "?chart=table");
    await visitorsAre(page, 5);
    await page
      .getByRole("region", { name: /as a table/ })
      .getByRole("button")
      .first()
      .click();
    await visitorsAre(page, 0);
    expect((await urlOf(page)).searchParams.get("end")).toBe(utcDay(noonDaysAgo(12)));
    await page.getByRole("button", { name: /^Period/ }).click();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("menuitemradio", { name: "All shared dates", checked: false }).click();
    await visitorsAre(page, 5);
    expect((await urlOf(page)).search).toBe("?chart=table");
    await page.getByRole("button", { name: /^Period/ }).click();
    await page.getByRole("menuitemradio", { name: "All shared dates", checked: true }).waitFor();
    expect(failures()).toEqual([]);
  });

  it("of a public site has its id in the address, and no name of a link", async () => {
    const settings = await asAdmin(dashboard, "PUT", `/api/sites/${PUBLIC_SITE}`, { public: true, name: "Open Shop" });
    expect(settings.status, await settings.text()).toBe(200);
    const page = await open(PUBLIC_SITE, "?period=7d");
    await visitorsAre(page, 9);
    await page.getByText("Shared by the owner of Open Shop").waitFor();
    await page.getByRole("button", { name: /^Compare/ }).waitFor();
    expect(failures()).toEqual([]);
    expect(unshared).toEqual([]);
  });

  it("of a site that is public no more ends, as that of a link does", async () => {
    const publish = async (isPublic: boolean) =>
      expect((await asAdmin(dashboard, "PUT", `/api/sites/${PUBLIC_SITE}`, { public: isPublic })).status).toBe(200);
    await publish(true);
    const page = await open(PUBLIC_SITE);
    await publish(false);
    await page.keyboard.press("d");
    await dead(page);
    await page.reload();
    await dead(page);
  });

  it("of the administrator's own browser shows what viewers see, and leaves its theme and views alone", async () => {
    const link = await share({ filters: "countries==FR" });
    const page = await dashboard.context.newPage();
    await watch(page);
    await page.goto(`${root()}/share/${link.token}`);
    await visitorsAre(page, 3);
    await page.keyboard.press("w");
    await shown(page);
    expect(await page.evaluate("localStorage.getItem('sandpiper.view')")).toBeNull();
    expect(unshared).toEqual([]);
    await page.close();
  });
});
