/** `node tools/make-screenshots.mjs [folder]`: the screenshots of the dashboard in docs/, taken with the data of the demo site. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { buildBenchProgram, startProgram } from "../test/bench/bench-server.mjs";
import { writeDemo } from "./demo-events.mjs";
import { recompress } from "./recompress-png.mjs";

const OUT = process.argv[2] ?? fileURLToPath(new URL("../docs/", import.meta.url));
const FUNNEL = "view=explore&report=funnel&steps=page:/,page:/pricing,event:Signup,event:Purchase";
const PASSWORD = "correct horse battery";
const BYTES_MAX = 150_000;
const DAY_MS = 86_400_000;

/** The pills and the dialog of filters, with the pages that a typed text is in. */
const FILTERS = "countries=in=(DE,FR)";

/** @param {import("playwright-core").Page} page */
async function typeValue(page) {
  await page.getByRole("combobox", { name: "Value" }).click();
  await page.keyboard.type("blog");
  await page.getByRole("option", { name: "blog", exact: false }).nth(2).waitFor();
}

/** @param {number} ago */
const dateAgo = (ago) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10);

/** Items of the owner of the site of a year, by the path of the API. @type {readonly (readonly [path: string, body: object])[]} */
const MADE = [
  ["goals", { name: "Reads the docs", page: "/docs/*" }],
  ["annotations", { date: dateAgo(18), text: "Version 2.0" }],
  ["annotations", { date: dateAgo(6), text: "Newsletter" }],
  ["segments", { name: "Germany, on phones", filters: "countries==DE;devices==mobile" }],
  ["segments", { name: "Readers of the blog", filters: "pages=begins=/blog" }],
  ["segments", { name: "From the pricing page to a purchase", kind: "funnel", steps: "page:/pricing,event:Signup,event:Purchase" }],
];

/**
 * @typedef {object} Screenshot
 * @property {string} name
 * @property {"empty" | "day two" | "year"} site
 * @property {string} [query]
 * @property {boolean} [dark]
 * @property {number} [width]
 * @property {number} [height]
 * @property {number} [scale]
 * @property {string} [scrollTo]
 * @property {(page: import("playwright-core").Page) => Promise<void>} [act] what is done before it is taken
 */

/** @type {readonly Screenshot[]} */
const SCREENSHOTS = [
  { name: "dashboard-first-run", site: "empty", height: 800 },
  { name: "dashboard-day-two", site: "day two", query: "period=7d", height: 1100 },
  { name: "dashboard-light", site: "year", height: 1180 },
  { name: "dashboard-dark", site: "year", height: 1180, dark: true },
  { name: "dashboard-phone", site: "year", width: 390, height: 844, scale: 1.5 },
  { name: "dashboard-tablet", site: "year", width: 820, height: 1180 },
  {
    name: "dashboard-filter",
    site: "year",
    query: new URLSearchParams({ filters: FILTERS, panel: "filter" }).toString(),
    height: 860,
    act: typeValue,
  },
  { name: "dashboard-funnel", site: "year", query: FUNNEL, height: 760 },
  { name: "dashboard-realtime", site: "year", query: "view=realtime", height: 860 },
];

/** The source of each site's data. @type {Readonly<Record<Screenshot["site"], (folder: string) => Promise<string | null>>>} */
const SITES = {
  empty: async () => null,
  "day two": (folder) => writeDemo(folder, { days: 2, visitorsMax: 14 }),
  year: (folder) => writeDemo(folder, { days: 365 }),
};

/** The tracking code shows where an instance of its own would be. @type {Readonly<Record<string, Record<string, string>>>} */
const PUBLIC = { empty: { SVC_DASHBOARD_ORIGIN: "https://stats.lighthouse.example" } };

/** Launches the Chromium of @sparticuz/chromium, unpacked into the folder with its fonts. @param {string} folder */
async function browserFor(folder) {
  const code = `import("@sparticuz/chromium").then(async ({ default: chromium }) => { process.stdout.write(await chromium.executablePath()); })`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--eval", code], {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    env: { ...process.env, TMPDIR: folder, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs20.x" },
  });
  const fonts = (await readdir(folder)).filter((name) => /font/.test(name)).map((name) => join(folder, name));
  await writeFile(
    join(folder, "fonts.conf"),
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>${[...fonts, "/usr/share/fonts"].map((dir) => `<dir>${dir}</dir>`).join("")}<cachedir>${folder}/fontcache</cachedir></fontconfig>`,
  );
  return chromium.launch({
    executablePath: stdout.trim(),
    args: ["--no-sandbox", "--disable-gpu"],
    env: { ...process.env, FONTCONFIG_FILE: join(folder, "fonts.conf") },
  });
}

/** The first page with the tracking code of a domain. @param {import("playwright-core").Page} page */
async function addFirstSite(page) {
  await page.getByLabel("Domain").fill("lighthouse.example");
  await page.keyboard.press("Enter");
  await page.getByLabel("Tracking code", { exact: true }).waitFor();
}

/** @param {string} origin @param {string} siteId */
async function make(origin, siteId) {
  const login = await fetch(`${origin}/api/auth/login`, { method: "POST", body: JSON.stringify({ password: PASSWORD }) });
  const cookie = login.headers.get("set-cookie")?.split(";")[0] ?? "";
  for (const [path, body] of MADE) {
    const url = `${origin}/api/${path}?site_id=${siteId}`;
    const response = await fetch(url, { method: "POST", headers: { cookie, origin }, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  }
  await untilRolledUp(`${origin}/api/installation?site_id=${siteId}`, { cookie });
}

const ROLLED_UP_MS_MAX = 180_000;

/** Waits for the sums of past days: a notice stands above the dashboard until they are made. @param {string} url @param {Record<string, string>} headers */
async function untilRolledUp(url, headers) {
  for (const until = Date.now() + ROLLED_UP_MS_MAX; Date.now() < until; await new Promise((resolve) => setTimeout(resolve, 500))) {
    const { rollups } = await (await fetch(url, { headers })).json();
    if (rollups.days_made > 0 && rollups.days_made >= rollups.days_due) return;
  }
  throw new Error("the rollups of the demo site take too long");
}

/**
 * @param {import("playwright-core").Browser} browser
 * @param {string} origin
 * @param {string | null} siteId
 * @param {Screenshot} screenshot
 */
async function take(browser, origin, siteId, { name, query = "", dark, width = 1280, height = 900, scale = 1, scrollTo, act }) {
  const context = await browser.newContext({
    viewport: { width, height },
    deviceScaleFactor: scale,
    colorScheme: dark ? "dark" : "light",
    reducedMotion: "reduce",
    locale: "en-GB",
  });
  const page = await context.newPage();
  await page.request.post(`${origin}/api/auth/login`, { data: { password: PASSWORD } });
  await page.goto(siteId === null ? origin : `${origin}/?site=${siteId}&${query}`);
  if (siteId === null) await addFirstSite(page);
  else await page.waitForLoadState("networkidle");
  if (scrollTo)
    await page
      .locator(scrollTo)
      .evaluate((element) => window.scrollTo({ top: element.getBoundingClientRect().top + scrollY - 78, behavior: "instant" }));
  await page.waitForLoadState(siteId === null ? "load" : "networkidle");
  await act?.(page);
  await page.waitForTimeout(600);
  await page.locator(".loading, .stale").first().waitFor({ state: "detached" });
  const png = recompress(await page.screenshot());
  await writeFile(join(OUT, `${name}.png`), png);
  process.stdout.write(`${name}.png: ${png.length} bytes${png.length > BYTES_MAX ? ", more than it should have" : ""}\n`);
  await context.close();
}

const folder = await mkdtemp(join(tmpdir(), "sandpiper-screenshots-"));
await mkdir(OUT, { recursive: true });
await buildBenchProgram();
const browser = await browserFor(folder);
try {
  for (const [site, write] of Object.entries(SITES)) {
    const dataFolder = join(folder, site.replace(" ", "-"));
    const siteId = await write(dataFolder);
    const server = await startProgram(dataFolder, { SVC_CACHE_TTL_SECS: "60", SVC_ADMIN_PASSWORD: PASSWORD, ...PUBLIC[site] });
    try {
      if (siteId !== null && site === "year") await make(server.origin, siteId);
      for (const screenshot of SCREENSHOTS) if (screenshot.site === site) await take(browser, server.origin, siteId, screenshot);
    } finally {
      await server.stop();
    }
  }
} finally {
  await browser.close();
  await rm(folder, { recursive: true, force: true });
}
