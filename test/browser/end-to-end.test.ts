/** End to end: a page on one origin, the service on another, a visitor in a real browser, stats that survive restarts. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BrowserContext } from "playwright-core";
import type { ServerProcess } from "../support/server-process.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { newWindow } from "./support/dashboard-browser.ts";
import { startService } from "./support/dashboard-instance.ts";
import { servePages, type PageServer } from "./support/page-server.ts";

const SITE_ID = "shop.example";

/** Three starts of the program and one of a browser. */
const START_MS_MAX = 120_000;

describe("a visit to a page with the tracking script", () => {
  let context: BrowserContext;
  let pages: PageServer;
  let service: ServerProcess;
  let dataFolder: string;

  beforeAll(async () => {
    dataFolder = await makeTempFolder();
    [context, pages, service] = await Promise.all([newWindow(), servePages(), start()]);
  });

  afterAll(async () => {
    await context.close();
    await pages.close();
    await service.stop();
    await removeFolder(dataFolder);
  });

  /** Without the result cache. */
  const start = () => startService(dataFolder, { SVC_CACHE_TTL_SECS: "0" });

  const stats = async (): Promise<unknown> => {
    const response = await fetch(`${service.origin}/api/stats/main?site_id=${SITE_ID}&period=7d`);
    const { unique_visitors, total_pageviews, total_events } = (await response.json()) as Record<string, number>;
    return { unique_visitors, total_pageviews, total_events };
  };

  const ONE_PAGEVIEW = { unique_visitors: 1, total_pageviews: 1, total_events: 1 };

  it(
    "is counted at once, after kill -9, and after a graceful restart",
    async () => {
      const snippet = `<script defer data-domain="${SITE_ID}" src="${service.origin}/svc.js"></script>`;
      const site = pages.createSite(SITE_ID);
      site.publish("/pricing", `<!doctype html><title>Pricing</title>${snippet}`);
      const page = await context.newPage();
      // Nothing can observe the response to a beacon, so poll the stats.
      await page.goto(`${site.origin}/pricing`);
      await expect.poll(stats).toEqual(ONE_PAGEVIEW);
      expect(await (await fetch(`${service.origin}/api/stats/breakdown/pages?site_id=${SITE_ID}&period=7d`)).json()).toEqual([
        { value: "/pricing", visitors: 1, pageviews: 1, events: 1 },
      ]);

      await service.kill9();
      service = await start();
      expect(await stats()).toEqual(ONE_PAGEVIEW);

      expect(await service.stop()).toBe(0);
      service = await start();
      expect(await stats()).toEqual(ONE_PAGEVIEW);
    },
    START_MS_MAX,
  );
});
