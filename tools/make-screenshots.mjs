/** `node tools/make-screenshots.mjs [folder]`: the README's screenshots of the dashboard, taken with a demo site's data. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { buildBenchProgram, startProgram } from "../test/bench/bench-server.mjs";
import { DEMO_SITE, writeDemo } from "./demo-events.mjs";

const OUT = process.argv[2] ?? fileURLToPath(new URL("../docs/", import.meta.url));
const FUNNEL = "did=funnel&steps=page:/,page:/pricing,event:Signup,event:Purchase";

/** @type {readonly { name: string, query: string, dark?: boolean, phone?: boolean, scrollTo?: string, height?: number }[]} */
const SCREENSHOTS = [
  { name: "dashboard-light", query: "" },
  { name: "dashboard-dark", query: "", dark: true },
  { name: "dashboard-phone", query: "", phone: true },
  { name: "dashboard-funnel", query: FUNNEL, scrollTo: "[data-card=did]", height: 640 },
  { name: "dashboard-realtime", query: "view=realtime", height: 860 },
];

/** Launches the Chromium of @sparticuz/chromium, unpacked into the folder with its fonts. */
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

const folder = await mkdtemp(join(tmpdir(), "sandpiper-screenshots-"));
await mkdir(OUT, { recursive: true });
await buildBenchProgram();
await writeDemo(join(folder, "data"));
const server = await startProgram(join(folder, "data"), { SVC_CACHE_TTL_SECS: "60", SVC_ADMIN_PASSWORD: "correct horse battery" });
const browser = await browserFor(folder);
try {
  for (const { name, query, dark, phone, scrollTo, height = 1500 } of SCREENSHOTS) {
    const context = await browser.newContext({
      viewport: phone ? { width: 390, height: 844 } : { width: 1280, height },
      deviceScaleFactor: phone ? 1.5 : 1,
      colorScheme: dark ? "dark" : "light",
      locale: "en-GB",
    });
    const page = await context.newPage();
    await page.request.post(`${server.origin}/api/auth/login`, { data: { password: "correct horse battery" } });
    await page.goto(`${server.origin}/?site=${DEMO_SITE}&${query}`);
    await page.waitForLoadState("networkidle");
    if (scrollTo)
      await page
        .locator(scrollTo)
        .evaluate((element) => window.scrollTo({ top: element.getBoundingClientRect().top + scrollY - 78, behavior: "instant" }));
    await page.waitForLoadState("networkidle");
    await page.waitForTimeout(600);
    await page.screenshot({ path: join(OUT, `${name}.png`) });
    await context.close();
  }
} finally {
  await browser.close();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
