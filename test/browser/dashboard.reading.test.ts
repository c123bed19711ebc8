/** Cards of reports that take their time: what they say meanwhile, and after the time limit, with an engine that the test pauses. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { CLOSED, createShare, logIn } from "../support/auth-requests.ts";
import { createControlledEngine } from "../support/controlled-engine.ts";
import { nowMs } from "../support/fixed-clock.ts";
import { createInProcessTarget } from "../support/in-process-target.ts";
import { browserHeaders, record, wireEvent } from "../support/requests.ts";
import type { ServerProcess } from "../support/server-process.ts";
import type { Environment, Target } from "../support/target.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { violationsNow } from "./support/accessibility.ts";
import { cardOf, DAY_MS, rowsOf } from "./support/dashboard.ts";
import { newWindow } from "./support/dashboard-browser.ts";
import { startService } from "./support/dashboard-instance.ts";

const SITE = "reading.example";
const START_MS_MAX = 60_000;
const LIMIT_MS = 30_000;

/** The dashboard's files from the program, and its API from a service in this process, whose requests are recorded. */
async function serve(files: ServerProcess, target: Target, requested: string[]): Promise<string> {
  const server = createServer((incoming, response) => {
    const path = incoming.url ?? "/";
    const isApi = path.startsWith("/api/");
    if (isApi) requested.push(path);
    const { host: _host, "accept-encoding": _coding, connection: _connection, ...headers } = incoming.headers as Record<string, string>;
    const left = new AbortController();
    response.on("close", () => left.abort());
    const answered = isApi ? target.fetch(path, { headers, signal: left.signal }) : fetch(files.origin + path);
    answered.then(
      async (answer) => {
        // Chromium itself sends a request once more if it gets a 408 over a connection that it has used before.
        response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "", connection: "close" });
        response.end(Buffer.from(await answer.arrayBuffer()));
      },
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("the dashboard while events are read", () => {
  let context: BrowserContext;
  let files: ServerProcess;
  let dataFolder: string;

  beforeAll(async () => {
    dataFolder = await makeTempFolder();
    [context, files] = await Promise.all([newWindow({ viewport: { width: 1280, height: 1600 } }), startService(dataFolder)]);
  }, START_MS_MAX);

  afterAll(async () => {
    await context.close();
    await files.stop();
    await removeFolder(dataFolder);
  });

  /** Events of two years, and reports that the engine does not compute before it is released. */
  async function createWorld(environment: Environment = {}) {
    const control = await createControlledEngine();
    const target = await createInProcessTarget(
      { SVC_ROLLUPS: "false", SVC_CACHE_TTL_SECS: "0", SVC_REQUEST_TIMEOUT_SECS: String(LIMIT_MS / 1000), ...environment },
      { engine: control.engine, startMs: nowMs() - 330 * DAY_MS },
    );
    onTestFinished(async () => {
      control.release();
      await target.close();
    });
    for (const days of [0, 30, 300]) {
      await target.advance(days * DAY_MS);
      await record(target, wireEvent(SITE));
    }
    await target.flush();
    control.hold();
    const requested: string[] = [];
    const origin = await serve(files, target, requested);
    const page = await context.newPage();
    onTestFinished(() => page.close());
    return { target, control, origin, page, requested };
  }

  /** The chart is requested first; others may wait in the queue of the page. */
  const note = (page: Page) => page.locator(".chart-place .reading span");
  const charts = (requested: readonly string[]) => requested.filter((path) => /timeseries\?.*period=12mo/.test(path)).length;
  const questions = (requested: readonly string[]) => requested.filter((path) => path.includes("/progress?")).length;
  const failure = (page: Page) => page.locator(".chart-place .failure");

  it("a card says which year it reads and how many days are read, also while it is asked again after a 408", async () => {
    const { target, control, origin, page, requested } = await createWorld();
    await page.goto(`${origin}/?site=${SITE}&period=12mo`);
    await note(page).filter({ hasText: "Reading 2025… 362 of 365 days" }).waitFor();
    await page.getByRole("status").filter({ hasText: "Reading 2025… 362 of 365 days" }).waitFor({ state: "attached" });
    await cardOf(page, "pages").locator(".reading span", { hasText: "Reading 2025" }).waitFor();
    expect(await violationsNow(page)).toEqual([]);
    await target.advance(LIMIT_MS);
    await expect.poll(() => charts(requested)).toBe(2);
    expect(await note(page).textContent()).toBe("Reading 2025… 362 of 365 days");
    expect(await page.locator(".failure").count()).toBe(0);
    control.release();
    expect(await rowsOf(page, "pages")).toEqual([["/", "3"]]);
    await page.locator(".reading").first().waitFor({ state: "detached" });
    expect(await page.getByRole("status").filter({ hasText: "Reading" }).count()).toBe(0);
  });

  it("a card fails if two attempts in a row come no further, and its button asks again", async () => {
    const { target, control, origin, page, requested } = await createWorld();
    await page.goto(`${origin}/?site=${SITE}&period=12mo`);
    for (let attempt = 1; attempt <= 2; attempt++) {
      await expect.poll(() => charts(requested)).toBe(attempt);
      const told = questions(requested);
      // The answer to the first of them has arrived.
      await expect.poll(() => questions(requested)).toBeGreaterThanOrEqual(told + 2);
      await target.advance(LIMIT_MS);
    }
    await failure(page).filter({ hasText: "The request exceeded the limit of 30 seconds" }).waitFor();
    expect(await note(page).count()).toBe(0);
    control.release();
    await failure(page).getByRole("button", { name: "Try again" }).click();
    expect(await rowsOf(page, "pages")).toEqual([["/", "3"]]);
  });

  it.each([
    ["", "Reading 2025… 362 of 365 days"],
    ["pages!=/hidden", "Reading 2025–2026…"],
  ])("a guest of a link with the filters %j is told: %s", async (filters, text) => {
    const { target, control, origin, page } = await createWorld(CLOSED);
    const admin = { ...(await logIn(target)), ...browserHeaders({ origin: "http://127.0.0.1:8000" }) };
    const { token } = await createShare(target, admin, { site_id: SITE, filters });
    await page.goto(`${origin}/share/${token}?period=12mo`);
    await note(page).filter({ hasText: text }).waitFor();
    expect((await note(page).textContent())?.trim()).toBe(text);
    control.release();
    expect(await rowsOf(page, "pages")).toEqual([["/", "3"]]);
  });

  it("a page that is hidden does not ask how far its reports have come", async () => {
    const { control, origin, page, requested } = await createWorld();
    await page.addInitScript("Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' })");
    await page.clock.install();
    await page.goto(`${origin}/?site=${SITE}&period=12mo`);
    await control.held(1);
    await page.clock.runFor(10_000);
    expect(questions(requested)).toBe(0);
  });
});
