/** The service at /stats/ of another site in a real browser, behind the documented nginx and Caddy: dashboard, session and script. */
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { before, REVERSE_PROXY, snippetOf, startProxy, whyMissing, type Proxy, type ProxyName } from "../support/proxy.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { skippedFor } from "../support/skipped.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { newWindow } from "./support/dashboard-browser.ts";
import { startService } from "./support/dashboard-instance.ts";
import { rowsOf } from "./support/dashboard.ts";

const PASSWORD = "correct horse battery";
const START_MS_MAX = 60_000;

/** Proxies, and the sections that have their snippets. */
const SETUPS: readonly (readonly [name: ProxyName, heading: string])[] = [
  ["nginx", "Sub-path"],
  ["caddy", "Sub-path"],
  ["nginx", "Proxies that remove the path"],
];

describe("below a path of another site", () => {
  for (const [name, heading] of SETUPS) {
    describe(`behind ${name} with the snippet of "${heading}"`, skippedFor(whyMissing(name)), () => {
      const site = `${name}.example`;
      const tagAt = (port: number) => `<script defer data-domain="${site}" src="http://${site}:${port}/stats/svc.js"></script>`;
      let dataFolder: string;
      let service: ServerProcess;
      let proxy: Proxy;
      let context: BrowserContext;
      let page: Page;
      let origin: string;
      /** What the dashboard requested: each address, and its status where that is an error. */
      const requested: string[] = [];

      beforeAll(async () => {
        dataFolder = await makeTempFolder();
        const environment = { SVC_BASE_PATH: "/stats", SVC_TRUST_PROXY: "1", SVC_CACHE_TTL_SECS: "0" };
        service = await startService(dataFolder, environment);
        const snippet = before(service.origin, snippetOf(REVERSE_PROXY, heading, name));
        proxy = await startProxy(name, { snippet, pages: { "/pricing": (port) => `<!doctype html><title>Pricing</title>${tagAt(port)}` } });
        origin = `http://${site}:${proxy.port}`;
        context = await newWindow({ viewport: { width: 1280, height: 1600 } });
        page = await context.newPage();
        page.on("response", (response) => {
          requested.push(response.url().slice(origin.length) + (response.status() >= 400 ? ` ${response.status()}` : ""));
        });
      }, START_MS_MAX);

      afterAll(async () => {
        await context.close();
        await proxy.stop();
        await service.stop();
        await removeFolder(dataFolder);
      });

      it("the dashboard sets the password and shows the tracking code with its public address", async () => {
        await page.goto(`${origin}/stats`);
        expect(page.url()).toBe(`${origin}/stats/`);
        await page.getByLabel("Password (12+ characters)", { exact: true }).fill(PASSWORD);
        await page.getByRole("button", { name: "Set password" }).click();
        await page.getByLabel("Domain").fill(site);
        await page.getByRole("button", { name: "Continue" }).click();
        await page.locator(".snippet pre", { hasText: tagAt(proxy.port) }).waitFor();
        const cookies = (await context.cookies(`${origin}/stats/`)).map(({ name: cookie, path, httpOnly }) => ({ cookie, path, httpOnly }));
        expect(cookies).toEqual([{ cookie: "svc_session", path: "/stats/", httpOnly: true }]);
        expect(await context.cookies(`${origin}/pricing`)).toEqual([]);
      });

      it("the script counts a page of the site, and the dashboard shows it", async () => {
        const visitor = await newWindow();
        const visited = await visitor.newPage();
        const sent: string[] = [];
        visited.on("request", (request) => void sent.push(request.url()));
        await visited.goto(`${origin}/pricing`);
        expect(await visited.evaluate(`new Promise((callback) => svc("Signup", { callback }))`)).toEqual({ status: 202 });
        await page.locator('[data-metric="visitors"] .top-stat-value', { hasText: /^1$/ }).waitFor();
        expect(await rowsOf(page, "pages")).toEqual([["/pricing", "1"]]);
        // The browser announces a beacon in its own time.
        await expect
          .poll(() => sent.filter((url) => !url.endsWith("/favicon.ico")))
          .toEqual(["/pricing", "/stats/svc.js", "/stats/api/event", "/stats/api/event"].map((path) => origin + path));
        await visitor.close();
      });

      it("a link to a view opens it, and a logout ends the session", async () => {
        await page.goto(`${origin}/stats/?site=${site}&period=7d&panel=snippet`);
        await page
          .locator(".snippet code", { hasText: `${origin}/stats/svc.js` })
          .first()
          .waitFor();
        await page.goto(`${origin}/stats/?site=${site}&period=7d`, { waitUntil: "networkidle" });
        await page.getByRole("button", { name: "Menu" }).click();
        await page.getByRole("menuitem", { name: "Log out", exact: true }).click();
        await page.getByRole("heading", { name: "Log in" }).waitFor();
        expect(await context.cookies(`${origin}/stats/`)).toEqual([]);
        await page.reload();
        await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
        await page.getByRole("button", { name: "Log in" }).click();
        await page.locator('[data-metric="visitors"]').waitFor();
      });

      it("every request of the dashboard is below the path and is answered", () => {
        expect(requested.length).toBeGreaterThan(20);
        // A report may be refused while the session ends.
        expect(requested.filter((path) => !path.startsWith("/stats/") || / (?!401)\d+$/.test(path))).toEqual(["/stats"]);
      });
    });
  }
});
