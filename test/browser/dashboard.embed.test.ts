/**
 * A share link in a frame of another site: no chrome, its own theme, no cookies, and no storage, which the browser refuses to frames of
 * other sites where third-party data is blocked.
 */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Frame, Locator, Page } from "playwright-core";
import { codeBlocksOf, readPage } from "../docs/pages.ts";
import { nowMs } from "../support/fixed-clock.ts";
import { violationsOf } from "./support/accessibility.ts";
import { ACTION_MS_MAX } from "./support/dashboard-browser.ts";
import { cardOf, DAY_MS, urlOf, utcDay, type Visit } from "./support/dashboard.ts";
import { asAdmin, useDashboard } from "./support/dashboard-instance.ts";
import { misplaced } from "./support/layout.ts";
import { servePages, type PageServer, type Site } from "./support/page-server.ts";

const SITE = "shop.example";
const PASSWORD = "correct horse battery";
const LINK_PASSWORD = "only for the board";

const VISITS: readonly Visit[] = [1, 2, 3].map((days) => ({ atMs: nowMs() - days * DAY_MS, steps: ["/", "/pricing"] }));

const dayBefore = (days: number): string => utcDay(nowMs() - days * DAY_MS);

/** Chromium's answer in a frame of another site where third-party data is blocked. */
const BLOCKED_STORAGE = `if (self !== top) for (const name of ["localStorage", "sessionStorage"])
  Object.defineProperty(self, name, { get() { throw new DOMException("Access is denied for this document.", "SecurityError"); } });`;

describe("a share link in a frame of another site", () => {
  const dashboard = useDashboard({
    visits: { [SITE]: VISITS },
    environment: { SVC_ADMIN_PASSWORD: PASSWORD },
    context: { viewport: { width: 1280, height: 1000 } },
    initScript: BLOCKED_STORAGE,
  });
  let pages: PageServer;
  let blog: Site;
  let stranger: Site;
  let page: Page;
  let problems: string[];

  beforeAll(async () => {
    pages = await servePages();
    [blog, stranger] = [pages.createSite("blog.example"), pages.createSite("stranger.example")];
  });
  afterAll(() => pages.close());
  beforeEach(() => {
    ({ page } = dashboard);
    problems = [];
    page.on("pageerror", ({ message }) => problems.push(message));
    page.on("request", (request) => {
      if (request.url().includes("/api/") && request.headers()["cookie"] !== undefined) problems.push(`cookie to ${request.url()}`);
    });
  });

  /** The service under a name of its own: another site for the browser than the one around the frame. */
  const service = () => `http://stats.example:${new URL(dashboard.service.origin).port}`;

  async function share(fields: object = {}): Promise<string> {
    const response = await asAdmin(dashboard, "POST", "/api/shares", {
      site_id: SITE,
      name: "Blog",
      frame_ancestors: [blog.origin],
      ...fields,
    });
    expect(response.status).toBe(201);
    return ((await response.json()) as { token: string }).token;
  }

  async function revoke(token: string): Promise<void> {
    const hash = createHash("sha256").update(token).digest("hex");
    expect((await asAdmin(dashboard, "DELETE", `/api/shares/${hash}`)).status).toBe(200);
  }

  /** The documented code, with the address of the link. */
  const codeFor = (token: string, query = "") =>
    codeBlocksOf(readPage("docs/sharing.md"))
      .filter(({ language, code }) => language === "html" && code.includes("<iframe"))
      .map(({ code }) => code.replaceAll("https://stats.example.com", service()).replace("TOKEN", token).replace("&amp;theme=light", query))
      .join("");

  const pageWith = (content: string) => `<!doctype html><html lang="en"><title>Blog</title><main>${content}</main></html>`;

  async function embed(token: string, query = "", site = blog): Promise<Frame> {
    site.publish("/post", pageWith(codeFor(token, query)));
    await page.goto(`${site.origin}/post`);
    const frame = page.frames()[1];
    if (!frame) throw new Error("the page has no frame");
    return frame;
  }

  const shown = (frame: Frame) => frame.locator('[data-metric="visitors"] .top-stat-value', { hasText: /^3$/ }).waitFor();

  /** Says that the link does not work, and has nothing of what it showed. */
  async function dead(frame: Frame): Promise<void> {
    await frame.getByRole("heading", { name: "This link no longer works" }).waitFor();
    const left = () => frame.locator("[data-metric], .card, .page-foot, input").count();
    await expect.poll(left, { timeout: ACTION_MS_MAX }).toBe(0);
    expect(await frame.locator("body").innerText()).not.toContain(SITE);
  }

  it("shows the numbers without a bar, with a footer that opens the whole page in another tab", async () => {
    const token = await share();
    const frame = await embed(token, "&period=7d");
    await shown(frame);
    expect(await frame.locator("header.bar").count()).toBe(0);
    await frame.locator(".page-foot").getByText(`${SITE} ·`).waitFor();
    await frame.locator(".page-foot").getByText("Times in UTC").waitFor();
    const link = frame.getByRole("link", { name: "Open full dashboard" });
    expect(await link.getAttribute("rel")).toBe("noopener");
    const opened = page.context().waitForEvent("page");
    await link.click();
    const whole = await opened;
    await whole.locator("header.bar").waitFor();
    expect((await urlOf(whole)).href).toBe(`${service()}/share/${token}?period=7d`);
    await whole.close();
    expect(problems).toEqual([]);
  });

  it("works without storage and cookies: filters, tabs and dialogs", async () => {
    const frame = await embed(await share());
    await shown(frame);
    expect(await frame.evaluate("try { localStorage.length } catch ({ name }) { name }")).toBe("SecurityError");
    await cardOf(frame as unknown as Page, "pages")
      .getByRole("button", { name: "/pricing" })
      .click();
    await frame.getByRole("button", { name: /Remove filter: Page is/ }).click();
    await shown(frame);
    await frame.locator("[data-card=devices]").getByRole("tab", { name: "OS" }).click();
    await frame
      .locator("[data-card=pages]")
      .getByRole("button", { name: /Details/ })
      .click();
    await frame.getByRole("dialog").getByText("2 pages").waitFor();
    await page.keyboard.press("Escape");
    await frame.getByRole("dialog").waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });

  it("leads back from a day to the dates of its address, on all widths", async () => {
    for (const [fields, query] of [
      [{}, "&period=7d"],
      [{ start_date: dayBefore(7), end_date: dayBefore(1) }, ""],
    ] as const) {
      const frame = await embed(await share(fields), `${query}&chart=table`);
      await shown(frame);
      const back = frame.getByRole("button", { name: "Back to all dates" });
      expect(await back.count()).toBe(0);
      await frame
        .getByRole("region", { name: /as a table/ })
        .getByRole("button")
        .last()
        .click();
      await frame.locator('[data-metric="visitors"] .top-stat-value', { hasText: /^[01]$/ }).waitFor();
      for (const width of [900, 320]) {
        await page.evaluate(`document.querySelector("iframe").style.width = "${width}px"`);
        await expect.poll(() => frame.evaluate<number>("innerWidth"), { timeout: ACTION_MS_MAX }).toBe(width);
        expect({ width, problems: await frame.evaluate<string[]>(misplaced("main")) }).toEqual({ width, problems: [] });
      }
      await back.press("Enter");
      await shown(frame);
      await back.waitFor({ state: "detached" });
      await frame.locator("main:focus").waitFor();
    }
    expect(problems).toEqual([]);
  });

  it("shows the realtime view, which follows without a bar", async () => {
    const frame = await embed(await share(), "&view=realtime");
    await frame.locator(".realtime-count", { hasText: /^0$/ }).waitFor();
    expect(problems).toEqual([]);
  });

  it("keeps its password in memory where storage is blocked", async () => {
    const frame = await embed(await share({ password: LINK_PASSWORD }));
    await frame.getByLabel("Password", { exact: true }).fill(LINK_PASSWORD);
    await frame.getByRole("button", { name: "Open" }).click();
    await shown(frame);
    await frame.locator("[data-metric=pageviews]").click();
    expect(problems).toEqual([]);
  });

  it("has the theme of its address, and without one the system's", async () => {
    const token = await share();
    const themeIn = async (query: string) => {
      const frame = await embed(token, query);
      await shown(frame);
      return frame.evaluate("document.documentElement.dataset.theme");
    };
    await page.emulateMedia({ colorScheme: "light" });
    expect(await themeIn("&theme=dark")).toBe("dark");
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await themeIn("&theme=light")).toBe("light");
    expect(await themeIn("&theme=system")).toBe("dark");
    expect(await themeIn("")).toBe("dark");
  });

  it("tells the page around it how high it is, and does not scroll in that height", async () => {
    const frame = await embed(await share());
    await shown(frame);
    for (const width of [900, 320]) {
      await page.evaluate(`document.querySelector("iframe").style.width = "${width}px"`);
      const fit = () =>
        frame.evaluate<number[]>(
          "(({ scrollWidth, scrollHeight }) => [innerWidth, scrollWidth - innerWidth, scrollHeight - innerHeight])(document.documentElement)",
        );
      await expect.poll(fit, { timeout: ACTION_MS_MAX }).toEqual([width, 0, 0]);
      expect(Number(await page.locator("iframe").getAttribute("height"))).not.toBe(1600);
    }
  });

  it("gets its own height beside another, which neither other frames nor other messages change", async () => {
    stranger.publish("/frame", "<script>parent.postMessage({ type: 'sandpiper:height', height: 7 }, '*')</script>");
    const other = `<iframe id="other" height="50" src="${stranger.origin}/frame"></iframe>`;
    const heard = "addEventListener('message', ({ data }) => data?.height === 7 && document.body.setAttribute('data-heard', ''))";
    const ownScript = `<script>${heard}; postMessage(null, "*")</script>`;
    const narrow = `<div style="width: 320px">${codeFor(await share({ name: "Narrow" }))}</div>`;
    blog.publish("/two", pageWith(codeFor(await share()) + narrow + ownScript + other));
    await page.goto(`${blog.origin}/two`);
    const [wide, narrower] = [page.locator("iframe").nth(0), page.locator("iframe").nth(1)];
    const heightOf = async (frame: Locator) => Number(await frame.getAttribute("height"));
    // One after the other: the browser lays out no frame that is out of sight.
    for (const frame of [wide, narrower]) {
      await frame.scrollIntoViewIfNeeded();
      await expect.poll(() => heightOf(frame), { timeout: ACTION_MS_MAX }).not.toBe(1600);
    }
    await expect.poll(async () => (await heightOf(wide)) < (await heightOf(narrower)), { timeout: ACTION_MS_MAX }).toBe(true);
    await page.locator("[data-heard]").waitFor();
    expect(await page.locator("#other").getAttribute("height")).toBe("50");
    expect(problems).toEqual([]);
  });

  it("is refused in frames of sites that the link does not name", async () => {
    const refused = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
    await embed(await share(), "", stranger);
    await refused;
    expect(await page.frames()[1]?.locator("main").count()).toBe(0);
  });

  it("that is revoked says so at the next click, shows nothing of before, and is refused once its page is loaded again", async () => {
    // Without realtime, whose next request would say it before the click.
    const token = await share({ realtime: false });
    const frame = await embed(token);
    await shown(frame);
    const row = cardOf(frame as unknown as Page, "pages").getByRole("button", { name: "/pricing" });
    await row.waitFor();
    await revoke(token);
    await row.click();
    await dead(frame);
    const refused = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
    await page.reload();
    await refused;
    expect(await page.frames()[1]?.locator("main").count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it("axe finds nothing in the frame's page, light and dark", async () => {
    const token = await share();
    for (const theme of ["light", "dark"]) {
      await page.goto(`${service()}/share/${token}?embed=1&theme=${theme}`);
      await page.locator('[data-metric="visitors"] .top-stat-value', { hasText: /^3$/ }).waitFor();
      await page.locator(".stale, .loading").first().waitFor({ state: "detached" });
      expect({ theme, violations: await violationsOf(page) }).toEqual({ theme, violations: [] });
    }
  });

  // Last, because the clock stays installed.
  it("that is revoked says so within a minute where nobody touches it, also where its password is kept in memory", async () => {
    const token = await share({ password: LINK_PASSWORD, realtime: false });
    await page.clock.install({ time: nowMs() });
    const frame = await embed(token);
    await frame.getByLabel("Password", { exact: true }).fill(LINK_PASSWORD);
    await frame.getByRole("button", { name: "Open" }).click();
    await shown(frame);
    await revoke(token);
    await page.clock.fastForward(60_000);
    await dead(frame);
    expect(problems).toEqual([]);
  });
});
