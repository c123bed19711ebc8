/** Pages that carry the clients of other products, unchanged, in a real browser against the built program. */
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BrowserContext, Page } from "playwright-core";
import type { ServerProcess } from "../support/server-process.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { newWindow } from "./support/dashboard-browser.ts";
import { startService } from "./support/dashboard-instance.ts";
import { servePages, type PageServer } from "./support/page-server.ts";
import { logInToApi, type Ask } from "./support/settings-page.ts";

const PASSWORD = "correct horse battery";

/** Starts of the program and of a browser. */
const START_MS_MAX = 120_000;

interface Kept {
  readonly events: readonly string[];
  readonly pages: readonly string[];
}

describe("tags of other products in a browser", () => {
  let context: BrowserContext;
  let pages: PageServer;
  let service: ServerProcess;
  let dataFolder: string;
  let ask: Ask;

  beforeAll(async () => {
    dataFolder = await makeTempFolder();
    const environment = { SVC_CACHE_TTL_SECS: "0", SVC_ADMIN_PASSWORD: PASSWORD };
    [context, pages, service] = await Promise.all([newWindow(), servePages(), startService(dataFolder, environment)]);
    ask = await logInToApi(service.origin, PASSWORD);
  }, START_MS_MAX);

  afterAll(async () => {
    await context.close();
    await pages.close();
    await service.stop();
    await removeFolder(dataFolder);
  });

  const statsOf = (site: string, report: string) => ask("GET", `/api/stats/${report}${report.includes("?") ? "&" : "?"}site_id=${site}`);

  const namesIn = async (site: string, dimension: string): Promise<string[]> =>
    ((await statsOf(site, `breakdown/${dimension}`)) as { readonly value: string; readonly events: number }[])
      .map(({ value, events }) => `${value}: ${events}`)
      .sort();

  const kept = async (site: string): Promise<Kept> => ({ events: await namesIn(site, "events"), pages: await namesIn(site, "pages") });

  /** Opens a page of the site whose script is this. Nothing can observe the response to a beacon, so poll what is kept. */
  async function visit(site: string, script: string): Promise<Page> {
    const published = pages.createSite(site);
    published.publish("/pricing", `<!doctype html><title>Pricing</title><body><script>${script}</script>`);
    const page = await context.newPage();
    await page.goto(`${published.origin}/pricing`);
    return page;
  }

  /** An application's script as its bundler would make it. */
  async function bundled(contents: string): Promise<string> {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: import.meta.dirname },
      bundle: true,
      write: false,
      minify: true,
      format: "iife",
      logLevel: "silent",
    });
    return outputFiles[0]?.text ?? "";
  }

  it("@plausible-analytics/tracker counts page views, properties and revenue, and no event for the time on a page", async () => {
    const site = "plausible.example";
    const page = await visit(
      site,
      await bundled(`import { init, track } from "@plausible-analytics/tracker";
        // It does not count pages that a program drives.
        window.__plausible = true;
        init({ domain: "${site}", endpoint: "${service.origin}/api/event" });
        track("Purchase", { props: { plan: "pro" }, revenue: { amount: "19.90", currency: "EUR" }, interactive: false });`),
    );
    const ping = page.waitForResponse((response) => response.request().postData()?.includes('"engagement"') === true);
    await page.evaluate('history.pushState(null, "", "/next")');
    expect((await ping).status()).toBe(202);
    await expect.poll(() => kept(site)).toEqual({ events: ["Purchase: 1", "pageview: 2"], pages: ["/next: 1", "/pricing: 2"] });
    expect(await statsOf(site, "property-values?key=plan")).toEqual([expect.objectContaining({ value: "pro" })]);
    const { by_currency: totals } = (await statsOf(site, "revenue")) as { readonly by_currency: unknown };
    expect(totals).toEqual([expect.objectContaining({ currency: "EUR", total: 19.9 })]);
  });

  it("plausible-tracker counts page views and events with properties", async () => {
    const site = "plausible-tracker.example";
    await visit(
      site,
      await bundled(`import Plausible from "plausible-tracker";
        const plausible = Plausible({ domain: "${site}", apiHost: "${service.origin}" });
        plausible.trackPageview();
        plausible.trackEvent("Signup", { props: { plan: "pro" } });`),
    );
    await expect.poll(() => kept(site)).toEqual({ events: ["Signup: 1", "pageview: 1"], pages: ["/pricing: 2"] });
    expect(await statsOf(site, "property-values?key=plan")).toEqual([expect.objectContaining({ value: "pro" })]);
  });

  /** A site whose alias is this. */
  async function siteWith(alias: string): Promise<string> {
    const site = `${alias.split(":", 1)[0]}.example`;
    await ask("PUT", `/api/sites/${site}`, { aliases: [alias] });
    return site;
  }

  it("requests as Umami's script makes them count, with a preflight", async () => {
    const site = await siteWith("umami:0b1b3f5a-6c1d-4e5e-9d5f-111111111111");
    const page = await visit(
      site,
      `let cache;
      const send = async (fields) => {
        const payload = { website: "0b1b3f5a-6c1d-4e5e-9d5f-111111111111", screen: screen.width + "x" + screen.height, language: navigator.language,
          title: document.title, hostname: location.hostname, url: location.href, referrer: document.referrer, ...fields };
        const headers = { "Content-Type": "application/json", ...(cache !== undefined && { "x-umami-cache": cache }) };
        const init = { keepalive: true, method: "POST", body: JSON.stringify({ type: "event", payload }), headers, credentials: "omit" };
        const answer = await fetch("${service.origin}/api/send", init);
        // Earlier scripts send the text back.
        cache = await answer.text();
        return answer.status;
      };`,
    );
    expect(await page.evaluate("send({})")).toBe(200);
    expect(await page.evaluate('send({ name: "Signup", data: { plan: "pro" } })')).toBe(200);
    expect(await kept(site)).toEqual({ events: ["Signup: 1", "pageview: 1"], pages: ["/pricing: 2"] });
  });

  it("requests as GoatCounter's script makes them count: beacons, and an image", async () => {
    const site = await siteWith("goatcounter:goatcounter.example");
    const page = await visit(
      site,
      `const urlOf = (fields) => "${service.origin}/count?" + new URLSearchParams({ p: location.pathname, t: document.title, b: 0,
         s: [screen.width, screen.height, devicePixelRatio].join(","), rnd: Math.random().toString(36), ...fields });
       navigator.sendBeacon(urlOf({}));
       const load = (fields) => new Promise((resolve, reject) => {
         const image = document.createElement("img");
         image.onload = () => resolve(image.naturalWidth);
         image.onerror = reject;
         image.src = urlOf(fields);
         document.body.append(image);
       });`,
    );
    expect(await page.evaluate('load({ p: "signup", e: "true" })')).toBe(1);
    await expect.poll(() => namesIn(site, "events")).toEqual(["pageview: 1", "signup: 1"]);
    expect(await namesIn(site, "hostnames")).toEqual([`${site}: 2`]);
  });

  it("requests as Matomo's script makes them count: beacons with and without a body, and an image", async () => {
    const site = await siteWith("matomo:7");
    const page = await visit(
      site,
      `const query = (fields) => new URLSearchParams({ action_name: document.title, idsite: 7, rec: 1, r: 1, h: 1, m: 2, s: 3, url: location.href,
         _id: "0123456789abcdef", send_image: 0, cookie: 1, res: "1280x800", pv_id: "abcdef", ...fields }).toString();
       const beacon = (text, address = "${service.origin}/matomo.php") =>
         navigator.sendBeacon(address, new Blob(text === "" ? [] : [text], { type: "application/x-www-form-urlencoded; charset=UTF-8" }));
       beacon(query({}));
       beacon("", "${service.origin}/matomo.php?" + query({ e_c: "Video", e_a: "Play" }));
       beacon(query({ ping: 1 }));
       const load = () => new Promise((resolve, reject) => {
         const image = new Image(1, 1);
         image.onload = () => resolve(true);
         image.onerror = reject;
         image.src = "${service.origin}/matomo.php?" + query({ link: "https://example.org/" });
       });`,
    );
    expect(await page.evaluate("load()")).toBe(true);
    await expect.poll(() => namesIn(site, "events")).toEqual(["Outbound Link: Click: 1", "Video/Play: 1", "pageview: 1"]);
  });
});
