/**
 * Sites of one's own, from the first start of the built program: two sites in two time zones, events around the midnights of both, and
 * the figures of each local day. A share link with a filter shows them in a private window and in a frame of another origin, and ends
 * for both when it is revoked. The program's clock is set at each of its starts.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser, BrowserContext, Frame, Page } from "playwright-core";
import { launchBrowser } from "../browser/support/browser.ts";
import { ACTION_MS_MAX } from "../browser/support/dashboard-browser.ts";
import { servePages, type PageServer } from "../browser/support/page-server.ts";
import { bodyOf, createShare, deleteShare, logIn, postSetup, withShare, type CreatedShare } from "../support/auth-requests.ts";
import { asTarget } from "../support/node-target.ts";
import { newAddress, putSettings, record, wireEvent, type RequestHeaders } from "../support/requests.ts";
import { startServer, type ServerProcess } from "../support/server-process.ts";
import { visitor } from "../support/stats-requests.ts";
import type { Target } from "../support/target.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";

const KATHMANDU = "kathmandu.example";
const NEW_YORK = "new-york.example";
const SITES = [KATHMANDU, NEW_YORK] as const;
const ZONES = { [KATHMANDU]: "Asia/Kathmandu", [NEW_YORK]: "America/New_York" };

/** When events come to both sites, and from how many visitors of the blog. One more each time sees the page that is not shared. */
const MOMENTS = [
  // 23:55 and 00:05 in Kathmandu, 14:10 and 14:20 in New York.
  { at: "2026-06-10T18:10:00Z", visitors: 1 },
  { at: "2026-06-10T18:20:00Z", visitors: 2 },
  // 09:40 and 09:50 in Kathmandu, 23:55 and 00:05 in New York.
  { at: "2026-06-11T03:55:00Z", visitors: 4 },
  { at: "2026-06-11T04:05:00Z", visitors: 8 },
] as const;
const LAST = MOMENTS[3];

const DATES = ["2026-06-10", "2026-06-11"] as const;

/** Visitors of each date: of everything, and of the blog. */
const VISITORS = {
  [KATHMANDU]: { all: [2, 17], blog: [1, 14] },
  [NEW_YORK]: { all: [10, 9], blog: [7, 8] },
} as const;

const BLOG = "pages==/blog";
const SECRET = "/secret";

const DEAD = "This link no longer works";

describe("two sites in two time zones", () => {
  let browser: Browser;
  let pages: PageServer;
  let dataFolder: string;
  let service: ServerProcess;
  let target: Target;
  let session: RequestHeaders;
  const contexts: BrowserContext[] = [];

  async function start(at: string): Promise<void> {
    service = await startServer({
      dataFolder,
      environment: { SVC_TRUST_PROXY: "1" },
      clockAheadMs: Date.parse(at) - Date.now(),
    });
    target = asTarget(service);
  }

  let visitors = 0;
  async function recordMoment(count: number): Promise<void> {
    for (const site of SITES) {
      for (let i = 0; i <= count; i++)
        await record(target, wireEvent(site, { u: `https://${site}${i < count ? "/blog" : SECRET}` }), visitor(++visitors));
    }
  }

  /** A fresh start, then another one at each moment. */
  beforeAll(async () => {
    dataFolder = await makeTempFolder();
    [browser, pages] = await Promise.all([launchBrowser(), servePages()]);
    for (const { at, visitors: count } of MOMENTS) {
      await start(at);
      if (at === MOMENTS[0].at) {
        await bodyOf(await postSetup(target));
        session = await logIn(target);
        for (const site of SITES) await bodyOf(await putSettings(target, site, { time_zone: ZONES[site] }, session));
      }
      await recordMoment(count);
      if (at !== LAST.at) expect(await service.stop()).toBe(0);
    }
    session = await logIn(target);
  });

  afterAll(async () => {
    await browser.close();
    await pages.close();
    await service.stop();
    await removeFolder(dataFolder);
  });

  const report = async <T>(path: string): Promise<T> => bodyOf<T>(await target.fetch(`/api/stats/${path}`, { headers: session }));

  it.each(SITES)("the events of %s count on its local days and in its local hours", async (site) => {
    const { all, blog } = VISITORS[site];
    const range = `site_id=${site}&start_date=${DATES[0]}&end_date=${DATES[1]}`;
    const daysOf = async (query = "") =>
      (await report<{ visitors: number }[]>(`timeseries?${range}&interval=day${query}`)).map(({ visitors: count }) => count);
    expect(await daysOf()).toEqual(all);
    expect(await daysOf(`&filters=${BLOG}`)).toEqual(blog);
    for (const [i, date] of DATES.entries())
      expect(await report(`main?site_id=${site}&start_date=${date}&end_date=${date}`)).toMatchObject({ unique_visitors: all[i] });
    const hours = await report<{ visitors: number }[]>(`timeseries?${range}&interval=hour`);
    const counted = hours.flatMap(({ visitors: count }, hour) => (count > 0 ? [[hour, count]] : []));
    expect(counted).toEqual(
      site === KATHMANDU
        ? [
            [23, 2],
            [24, 3],
            [24 + 9, 14],
          ]
        : [
            [14, 5],
            [23, 5],
            [24, 9],
          ],
    );
  });

  it("the overview uses each site's own current date", async () => {
    const { sites } = await report<{ sites: unknown[] }>("overview?period=day");
    expect(sites).toMatchObject(
      SITES.map((site) => ({ site_id: site, time_zone: ZONES[site], start_date: DATES[1], visitors: VISITORS[site].all[1] })),
    );
  });

  describe("a share link with a filter", () => {
    let link: CreatedShare;
    let inWindow: Page;
    let inFrame: Frame;

    /** In a private window from an address of its own, whose clock is the service's. */
    async function newPage(): Promise<Page> {
      const context = await browser.newContext({
        locale: "en-GB",
        viewport: { width: 1280, height: 1400 },
        extraHTTPHeaders: newAddress(),
      });
      contexts.push(context);
      context.setDefaultTimeout(ACTION_MS_MAX);
      const page = await context.newPage();
      await page.clock.setFixedTime(LAST.at);
      return page;
    }

    const path = (date: string, query = "") => `/share/${link.token}?start=${date}&end=${date}${query}`;

    const visitorsAre = (view: Page | Frame, count: number) =>
      view.locator('[data-metric="visitors"] .top-stat-value', { hasText: new RegExp(`^${count}$`) }).waitFor();

    async function showsBlog(view: Page | Frame, count: number): Promise<void> {
      await visitorsAre(view, count);
      await view.locator('[data-card="pages"] .row', { hasText: "/blog" }).waitFor();
      expect(await view.locator("body").innerText()).not.toContain(SECRET);
    }

    beforeAll(async () => {
      const blog = pages.createSite("blog.example");
      link = await createShare(target, session, { site_id: KATHMANDU, filters: BLOG, frame_ancestors: [blog.origin] });
      // The service has another name than the page around the frame, so that they are two sites for the browser.
      const address = `http://stats.example:${new URL(service.origin).port}${path(DATES[1], "&embed=1")}`;
      blog.publish("/post", `<!doctype html><title>Blog</title><iframe src="${address}" width="1000" height="1600"></iframe>`);
      inWindow = await newPage();
      await inWindow.goto(service.origin + path(DATES[0]));
      const page = await newPage();
      await page.goto(`${blog.origin}/post`);
      const frame = page.frames()[1];
      if (!frame) throw new Error("the page has no frame");
      inFrame = frame;
    });
    afterAll(() => Promise.all(contexts.map((context) => context.close())));

    it("shows a guest the visitors of its filter on a local day, and no other page, in a private window and in a frame", async () => {
      await showsBlog(inFrame, VISITORS[KATHMANDU].blog[1]);
      await showsBlog(inWindow, VISITORS[KATHMANDU].blog[0]);
      await inWindow.keyboard.press("ArrowRight");
      await showsBlog(inWindow, VISITORS[KATHMANDU].blog[1]);
      const forAll = await target.fetch(`/api/stats/breakdown/pages?site_id=${KATHMANDU}`, { headers: withShare(link.token) });
      expect(await bodyOf(forAll)).toMatchObject([{ value: "/blog", visitors: 15 }]);
    });

    it("stops working at once in both when it is revoked, and does not open anew", async () => {
      await bodyOf(await deleteShare(target, session, link.share_hash));
      expect((await target.fetch(`/api/stats/main?site_id=${KATHMANDU}`, { headers: withShare(link.token) })).status).toBe(401);
      await inWindow.keyboard.press("w");
      await inFrame.locator('[data-card="devices"]').getByRole("tab", { name: "OS" }).click();
      const anew = await newPage();
      await anew.goto(service.origin + path(DATES[1]));
      for (const view of [inWindow, inFrame, anew]) {
        await view.getByRole("heading", { name: DEAD }).waitFor();
        await expect.poll(() => view.locator("[data-metric], .card").count(), { timeout: ACTION_MS_MAX }).toBe(0);
      }
      const around = inFrame.page();
      const refused = around.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
      await around.reload();
      await refused;
    });
  });
});
