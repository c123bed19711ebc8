/** The page of more sites than it shows at once, and of sites with the same name, in a real browser. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { nowMs } from "../support/fixed-clock.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { violationsOf } from "./support/accessibility.ts";
import { ACTION_MS_MAX } from "./support/dashboard-browser.ts";
import { DAY_MS } from "./support/dashboard.ts";
import { asAdmin, useDashboard } from "./support/dashboard-instance.ts";

const SITES = Array.from({ length: 1003 }, (_, i) => `site-${String(i + 1).padStart(4, "0")}.test`);
const [FIRST = ""] = SITES;
const LAST = SITES.at(-1) ?? "";

describe("the page of a thousand sites and three", () => {
  const dashboard = useDashboard({
    visits: { [LAST]: [{ atMs: nowMs() - DAY_MS, steps: ["/"] }] },
    environment: { SVC_SITE_IDS: SITES.join(), SVC_ADMIN_PASSWORD: "correct horse battery" },
    context: { viewport: { width: 1280, height: 900 } },
  });
  let service: ServerProcess;
  let page: Page;
  beforeEach(() => {
    ({ service, page } = dashboard);
  });

  const names = (): Promise<string[]> => page.locator(".site-card h2 a").allTextContents();
  const namesAre = (expected: readonly string[]) => expect.poll(names, { timeout: ACTION_MS_MAX }).toEqual(expected);

  it("says how many it shows, and sorts and searches all of them", async () => {
    await page.goto(service.origin);
    await page.getByText("1,000 of 1,003 sites. Search for the others.").waitFor();
    const shown = await names();
    expect([shown.length, shown[0]]).toEqual([1000, LAST]);
    await page.getByLabel("Search sites").fill("site-1002");
    await namesAre(["site-1002.test"]);
    expect(await page.getByText("Search for the others").count()).toBe(0);
  });

  it("tells sites with the same name apart by their ids", async () => {
    for (const site of [FIRST, LAST])
      expect((await asAdmin(dashboard, "PUT", `/api/sites/${site}`, { name: "Blog", time_zone: "UTC" })).status).toBe(200);
    await page.goto(`${service.origin}/?q=blog`);
    await namesAre([`Blog ${LAST}`, `Blog ${FIRST}`]);
    await page.getByRole("link", { name: `Blog ${FIRST}` }).waitFor();
    await page.getByRole("button", { name: `Pin Blog (${FIRST})` }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });
});
