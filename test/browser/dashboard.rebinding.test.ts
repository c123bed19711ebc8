/** DNS rebinding against an instance without a password: an attacker's page gets nothing, the owner needs the setup code. */
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ServerProcess } from "../support/server-process.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { violationsNow } from "./support/accessibility.ts";
import { VISITOR_USER_AGENT } from "./support/browser.ts";
import { newWindow } from "./support/dashboard-browser.ts";
import { startService } from "./support/dashboard-instance.ts";

const PASSWORD = "correct horse battery";
const START_MS_MAX = 60_000;

/** What a rebound page tries. For the browser the service is the page's own origin, so it may read every response. */
const ATTACK = `(async () => {
  const json = (body) => ({ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  const attempts = [
    ["/api/auth/status"],
    ["/api/sites"],
    ["/api/stats/main?site_id=home.example"],
    ["/api/stats/main?site_id=home.example", { headers: { "x-forwarded-for": "203.0.113.7", "cf-connecting-ip": "203.0.113.7" } }],
    ["/api/stats/export?site_id=home.example&kind=raw"],
    ["/api/auth/setup", json({ password: "chosen by the attacker" })],
    ["/api/auth/setup", json({ password: "chosen by the attacker", code: "0000-0000-0000-0000" })],
  ];
  const answers = [];
  for (const [path, init] of attempts) {
    const response = await fetch(path, init);
    answers.push({ path, status: response.status, keys: Object.keys(await response.json()) });
  }
  return answers;
})()`;

interface Answer {
  readonly path: string;
  readonly status: number;
  readonly keys: readonly string[];
}

describe("an instance without a password, under a host name that it does not know", () => {
  let context: BrowserContext;
  let page: Page;
  let service: ServerProcess;
  let dataFolder: string;
  let port: string;

  const isOpen = async (): Promise<boolean> => {
    const response = await fetch(`${service.origin}/api/auth/status`);
    return ((await response.json()) as { setup_required: boolean }).setup_required;
  };

  beforeAll(async () => {
    dataFolder = await makeTempFolder();
    [context, service] = await Promise.all([newWindow(), startService(dataFolder)]);
    ({ port } = new URL(service.origin));
    page = await context.newPage();
    const body = JSON.stringify({ d: "home.example", n: "pageview", u: "https://home.example/secret-page" });
    await fetch(`${service.origin}/api/event`, { method: "POST", headers: { "user-agent": VISITOR_USER_AGENT }, body });
  }, START_MS_MAX);

  afterAll(async () => {
    await context.close();
    await service.stop();
    await removeFolder(dataFolder);
  });

  it("rebinding: a rebound page reads no statistics and sets no password", async () => {
    const attacker = await context.newPage();
    // A document from the same address, so that the browser's rules for local networks do not interfere.
    await attacker.goto(`http://rebind.attacker.example:${port}/robots.txt`);
    const answers = await attacker.evaluate<Answer[]>(ATTACK);
    expect(answers.map(({ status, keys }) => [status, keys])).toEqual(answers.map(() => [403, ["error"]]));
    expect(await isOpen()).toBe(true);
    await attacker.close();
  });

  it("rebinding: under the owner's host name the page asks for the setup code, without accessibility violations", async () => {
    await page.goto(`http://nas:${port}/`);
    await page.getByRole("heading", { name: "Set up Sandpiper" }).waitFor();
    await page.getByText("prints it to its log at startup").waitFor();
    await page.locator("#setup-code:focus").waitFor();
    expect(await page.getByLabel("Setup code").getAttribute("aria-invalid")).toBe("false");
    expect(await violationsNow(page)).toEqual([]);
  });

  it("rebinding: a wrong setup code is reported at its field", async () => {
    await page.getByLabel("Setup code").fill("AAAA-BBBB-CCCC-DDDD");
    await page.getByLabel("Password (12+ characters)", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Set password" }).click();
    await page.getByText("The setup code is wrong").waitFor();
    expect(await page.getByLabel("Setup code").getAttribute("aria-invalid")).toBe("true");
    expect(await page.getByLabel("Password (12+ characters)", { exact: true }).getAttribute("aria-invalid")).toBe("false");
    expect(await isOpen()).toBe(true);
  });

  it("rebinding: the code in the log sets the password, and the dashboard opens under that host name", async () => {
    await service.logged(/setupCode=/);
    const [, code = ""] = /setupCode=(\S+)/.exec(service.log()) ?? [];
    await page.getByLabel("Setup code").fill(code.toLowerCase());
    await page.getByRole("button", { name: "Set password" }).click();
    await page.locator('[data-metric="visitors"]').waitFor();
    expect(new URL(page.url()).host).toBe(`nas:${port}`);
    expect(await isOpen()).toBe(false);
    await page.reload();
    await page.locator('[data-metric="visitors"]').waitFor();
  });
});
