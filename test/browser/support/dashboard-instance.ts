/** A service with visits, and a private window: opened before the tests of a file, with a page of its own for each of them. */
import { afterAll, beforeAll, beforeEach } from "vitest";
import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { CLOCK_AHEAD_MS } from "../../support/fixed-clock.ts";
import { startServer, type ServerProcess } from "../../support/server-process.ts";
import { makeTempFolder, removeFolder } from "../../support/temp-folder.ts";
import { newWindow } from "./dashboard-browser.ts";
import { writeVisits, type Visit } from "./dashboard.ts";

export interface DashboardOptions {
  /** By site. */
  readonly visits: Readonly<Record<string, readonly Visit[]>>;
  /** With `SVC_ADMIN_PASSWORD`, the browser is logged in. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly context: BrowserContextOptions;
  /** Runs in each page before its own scripts. */
  readonly initScript?: string;
}

export interface DashboardInstance {
  readonly service: ServerProcess;
  readonly context: BrowserContext;
  /** Of the test that runs. */
  readonly page: Page;
}

/** A request with the browser's session, as a page of the dashboard sends it. `path` begins with a slash, `further` are headers. */
export async function asAdmin(
  { context, service }: DashboardInstance,
  method: string,
  path: string,
  body?: object,
  further: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const cookies = (await context.cookies()).map(({ name, value }) => `${name}=${value}`);
  return fetch(service.origin + path, {
    method,
    headers: { cookie: cookies.join("; "), origin: service.origin, "content-type": "application/json", ...further },
    ...(body && { body: JSON.stringify(body) }),
  });
}

const START_MS_MAX = 60_000;

/** A program with the clock of the browser's windows. */
export const startService = (dataFolder: string, environment: Readonly<Record<string, string>> = {}): Promise<ServerProcess> =>
  startServer({ dataFolder, clockAheadMs: CLOCK_AHEAD_MS, environment });

/** Call it in a `describe`. The fields of the result are there from the first test on, and `page` is another one for each. */
export function useDashboard({ visits, environment = {}, context: contextOptions, initScript = "" }: DashboardOptions): DashboardInstance {
  const instance = {} as { service: ServerProcess; context: BrowserContext; page: Page; dataFolder: string };
  const password = environment["SVC_ADMIN_PASSWORD"];

  beforeAll(async () => {
    instance.dataFolder = await makeTempFolder();
    // A zone that is set later than the first event holds from the next day on.
    if (environment["SVC_TIME_ZONE"] !== undefined) await (await startService(instance.dataFolder, environment)).stop();
    for (const [site, ofSite] of Object.entries(visits)) await writeVisits(instance.dataFolder, site, ofSite, environment["SVC_TIME_ZONE"]);
    [instance.context, instance.service] = await Promise.all([
      newWindow(contextOptions),
      startService(instance.dataFolder, { SVC_CACHE_TTL_SECS: "0", ...environment }),
    ]);
    const { origin } = instance.service;
    await instance.context.addInitScript(initScript);
    if (password !== undefined) await instance.context.request.post(`${origin}/api/auth/login`, { data: { password } });
    // The engine is ready by the first view, whose waits are short.
    await instance.context.request.get(`${origin}/health/ready`);
  }, START_MS_MAX);

  afterAll(async () => {
    await instance.context.close();
    await instance.service.stop();
    await removeFolder(instance.dataFolder);
  });

  beforeEach(async () => {
    await instance.page?.close();
    instance.page = await instance.context.newPage();
  });

  return instance;
}
