/** The page of bots and crawlers: what is left out, by day, reason, bot, operator and page, and not for guests. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nowMs } from "../support/fixed-clock.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { violationsOf } from "./support/accessibility.ts";
import { newWindow } from "./support/dashboard-browser.ts";
import { asAdmin, startService, useDashboard } from "./support/dashboard-instance.ts";
import { CHROME_WINDOWS, FIREFOX_LINUX } from "../support/user-agents.ts";
import { noonDaysAgo, urlOf, writeVisits, type Visit } from "./support/dashboard.ts";

const SITE = "shop.example";
const START_MS_MAX = 60_000;

const WAVE_SITE = "wave.example";

const PEOPLE: readonly Visit[] = [1, 3, 5, 7].map((days) => ({
  atMs: noonDaysAgo(days),
  steps: ["/", "/docs"],
  fields: { countryCode: "DE" },
}));

/** Visits of one page from one country, and one of two pages. */
const WAVE: readonly Visit[] = [2, 2, 2, 3, 3].map((days, i) => ({
  atMs: noonDaysAgo(days) + i * 60_000,
  steps: i === 4 ? ["/", "/docs"] : ["/"],
  fields: { countryCode: "SG" },
}));

const GPTBOT = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)";
const GOOGLEBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";

describe("the dashboard's page of bots and crawlers", () => {
  let context: BrowserContext;
  let page: Page;
  let service: ServerProcess;
  let folder: string;

  beforeAll(async () => {
    folder = await makeTempFolder();
    await writeVisits(folder, SITE, [{ atMs: noonDaysAgo(1), steps: ["/"] }]);
    const crawlers = join(folder, "crawlers");
    await mkdir(crawlers);
    await writeFile(join(crawlers, "OpenAI.json"), JSON.stringify({ prefixes: [{ ipv4Prefix: "192.0.2.0/24" }] }));
    await writeFile(join(crawlers, "ClaudeBot.json"), JSON.stringify({ prefixes: [{ ipv6Prefix: "2001:db8::/32" }] }));
    service = await startService(folder, { SVC_CACHE_TTL_SECS: "0", SVC_CRAWLER_ADDRESSES: crawlers });
    const sent: readonly (readonly [userAgent: string, path: string, brands?: string])[] = [
      [GPTBOT, "/docs"],
      [GPTBOT, "/docs"],
      [GPTBOT, "/pricing"],
      [GOOGLEBOT, "/docs"],
      [CHROME_WINDOWS, "/login", '"HeadlessChrome";v="124"'],
    ];
    for (const [userAgent, u, brands] of sent) {
      const headers = { "User-Agent": userAgent, ...(brands !== undefined && { "Sec-CH-UA": brands }) };
      const body = JSON.stringify({ d: SITE, n: "pageview", u: `https://${SITE}${u}` });
      const response = await fetch(`${service.origin}/api/event`, { method: "POST", headers, body });
      expect([response.status, response.headers.get("x-svc-dropped")]).toEqual([202, brands === undefined ? "bot" : "headless_browser"]);
    }
    context = await newWindow({ viewport: { width: 1280, height: 1200 } });
    page = await context.newPage();
  }, START_MS_MAX);

  afterAll(async () => {
    await context.close();
    await service.stop();
    await removeFolder(folder);
  });

  async function record(fields: object, headers: Readonly<Record<string, string>> = {}): Promise<void> {
    const body = JSON.stringify({ d: SITE, n: "pageview", u: `https://${SITE}/`, t: 0, ...fields });
    const init = { method: "POST", headers: { "User-Agent": FIREFOX_LINUX, ...headers }, body };
    expect((await fetch(`${service.origin}/api/event`, init)).status).toBe(202);
  }

  const rowsOf = (list: string): Promise<string[]> =>
    page.getByRole("list", { name: list, exact: true }).getByRole("listitem").allInnerTexts();
  const inOneLine = (texts: readonly string[]): string[] => texts.map((text) => text.replaceAll(/\s+/g, " ").trim());

  it("opens from the menu, and shows how many events were left out, when, why, whose and where", async () => {
    await page.goto(`${service.origin}/?site=${SITE}&period=7d`);
    await page.getByRole("button", { name: "Menu", exact: true }).click();
    await page.getByRole("menuitem", { name: "Bots and crawlers" }).click();
    await page.getByText("5 events were left out").waitFor();
    expect((await urlOf(page)).searchParams.get("view")).toBe("bots");
    expect(inOneLine(await rowsOf("Why"))).toEqual(["Known bot 4 80%", "Headless browser 1 20%"]);
    expect(inOneLine(await rowsOf("Who"))).toEqual(["GPTBot 3 60%", "Without a known name 1 20%", "Googlebot 1 20%"]);
    expect(inOneLine(await rowsOf("Operators"))).toEqual(["OpenAI 3 60%", "No company 1 20%", "Google 1 20%"]);
    expect(inOneLine(await rowsOf("Where"))).toEqual(["/docs 3 60%", "/login 1 20%", "/pricing 1 20%"]);
    const table = page.getByRole("table", { name: "Left out by day" });
    expect(await table.getByRole("row").count()).toBe(1 + 7);
    expect(await table.getByRole("columnheader").allTextContents()).toEqual(["Day", "Events", "Known bot", "Headless browser"]);
    expect(await table.getByRole("row").last().getByRole("cell").allTextContents()).toEqual(["5", "4", "1"]);
    expect(await page.getByRole("button", { name: /^Filter/ }).count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
  });

  it("shows the figures of all lenses, and the chosen one is in the address and counts for all reports", async () => {
    await record({}, { "Sec-CH-UA": '"Chromium";v="124", "Google Chrome";v="124"' });
    await page.goto(`${service.origin}/?site=${SITE}&period=7d&view=bots`);
    const lenses = page.getByRole("region", { name: "Three ways to count" }).getByRole("row");
    const visitors = async () => inOneLine(await lenses.filter({ hasText: "Unique visitors" }).allInnerTexts());
    await expect.poll(visitors).toEqual(["Unique visitors 1 2 2"]);
    await page.getByRole("button", { name: "Use Strict" }).click();
    await expect.poll(async () => (await urlOf(page)).searchParams.get("lens")).toBe("strict");
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("link", { name: "Back to the dashboard" }).click();
    const figure = page.locator("[data-metric='visitors']");
    await expect.poll(() => figure.innerText()).toMatch(/\b1\b/);
    await page.getByRole("button", { name: "Count by default again" }).click();
    await expect.poll(() => figure.innerText()).toMatch(/\b2\b/);
    expect((await urlOf(page)).searchParams.get("lens")).toBeNull();
  });

  it("shows what AI crawlers read beside the visits from their operators' assistants", async () => {
    const read = (userAgent: string, path: string, status: number, ip: string) => ({
      user_agent: userAgent,
      ...{ path, status, ip },
      time: new Date(nowMs()).toISOString(),
    });
    const requests = [
      ...[read(GPTBOT, "/docs", 200, "192.0.2.1"), read(GPTBOT, "/docs", 404, "203.0.113.1")],
      read("ClaudeBot/1.0", "/pricing", 200, "2001:db8::1"),
    ];
    // Only administrators report requests. From here on the page is one's.
    await page.request.post(`${service.origin}/api/auth/setup`, { data: { password: "correct horse battery" } });
    const reported = await asAdmin({ context, page, service }, "POST", `/api/crawls?site_id=${SITE}`, { requests });
    expect(await reported.json()).toMatchObject({ counted: 3 });
    await record({ r: "https://chatgpt.com/", u: `https://${SITE}/docs` }, { "User-Agent": CHROME_WINDOWS });
    await page.goto(`${service.origin}/?site=${SITE}&period=7d&view=bots`);
    const rows = page.getByRole("region", { name: "AI crawlers" }).getByRole("row");
    const texts = async () => inOneLine(await rows.allInnerTexts());
    await expect
      .poll(texts)
      .toEqual([
        "Company Crawlers Reads Visits from its assistants",
        "OpenAI GPTBot (Training, 1 verified) × 2 2 1",
        "Anthropic ClaudeBot (Training, verified) × 1 1 0",
        "Page Crawlers Answered with Reads Visits from assistants",
        "/docs GPTBot × 2 200 × 1, 404 × 1 2 OpenAI × 1",
        "/pricing ClaudeBot × 1 200 × 1 1 –",
      ]);
    expect(await violationsOf(page)).toEqual([]);
  });

  it("says so where nothing was left out, and Escape leads back", async () => {
    await page.goto(`${service.origin}/?site=${SITE}&view=bots&start=2024-01-01&end=2024-01-31`);
    await page.getByText("Nothing was left out in this period.").waitFor();
    await page.keyboard.press("Escape");
    await page.locator("[data-metric='visitors']").waitFor();
    expect((await urlOf(page)).searchParams.get("view")).toBeNull();
  });
});

describe("the dashboard's rules of a site", () => {
  const dashboard = useDashboard({
    visits: { [WAVE_SITE]: [...PEOPLE, ...WAVE] },
    environment: { SVC_ADMIN_PASSWORD: "a password for rules" },
    context: { viewport: { width: 1280, height: 1200 } },
  });

  it("leaves out visits like those of the view, and takes that back", async () => {
    const { page, service } = dashboard;
    const visits = page.getByRole("region", { name: "Three ways to count" }).getByRole("row", { name: /^Visits/ });
    await page.goto(`${service.origin}/?site=${WAVE_SITE}&period=30d&filters=countries==SG`);
    await page.getByRole("button", { name: "Leave out visits like these…" }).click();
    const dialog = page.getByRole("dialog", { name: "Leave out visits like these" });
    await dialog.getByText(/^Would leave out 4 visits since .*, mostly Singapore; none with a conversion\. None of them/).waitFor();
    await dialog.getByRole("checkbox", { name: "Keep visits that show proof of a person" }).uncheck();
    await dialog.getByText(/^Would leave out 5 visits since .*\. 1 of them showed proof of a person\./).waitFor();
    await dialog.getByRole("checkbox", { name: "Keep visits that show proof of a person" }).check();
    await dialog.getByText(/^Would leave out 4 visits/).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole("textbox", { name: "Name" }).fill("A wave");
    await dialog.getByRole("button", { name: "Apply" }).click();
    await page.getByText("Applied: A wave").waitFor();
    await page.goto(`${service.origin}/?site=${WAVE_SITE}&period=30d&view=bots`);
    await expect.poll(() => visits.getByRole("cell").allInnerTexts()).toEqual(["5", "5", "9"]);
    const card = page.getByRole("region", { name: "Rules", exact: true });
    expect(await card.getByRole("listitem").innerText()).toMatch(/A wave\s+Applied\s+Country is Singapore · Visits of any date · keeps/);
    expect(await violationsOf(page)).toEqual([]);
    // Somebody else gives it a date, which stays.
    const status = await page.evaluate(async (path) => {
      const [rule] = (await (await fetch(path)).json()) as { id: string }[];
      const body = JSON.stringify({ ...rule, first_date: "2020-01-01" });
      return (await fetch(path.replace("?", `/${rule?.id}?`), { method: "PUT", headers: { "content-type": "application/json" }, body }))
        .status;
    }, `/api/rules?site_id=${WAVE_SITE}`);
    expect(status).toBe(200);
    await card.getByRole("button", { name: "Undo A wave" }).click();
    await card.getByText("Not applied").waitFor();
    await card.getByText(/Visits since .*2020/).waitFor();
    await expect.poll(() => visits.getByRole("cell").allInnerTexts()).toEqual(["9", "9", "9"]);
  });

  it("lists the rules of strict, and shows what one in shadow would do", async () => {
    const { page, service } = dashboard;
    await page.goto(`${service.origin}/?site=${WAVE_SITE}&period=30d&view=bots`);
    const card = page.getByRole("region", { name: "Rules of Strict" });
    await card.getByRole("button", { name: "Show what it does Data centers" }).click();
    const dialog = page.getByRole("dialog", { name: "Data centers" });
    await dialog.getByText("No visit would be left out.").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(await card.getByRole("listitem").last().innerText()).toContain("In shadow: counts from Sun, 27 Dec 2026");
  });
});
