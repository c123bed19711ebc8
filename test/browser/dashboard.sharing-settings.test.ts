/** Sharing a site in a real browser: the public address, share links and their embed code, and API keys of some sites. */
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { BrowserContext, Page } from "playwright-core";
import { embedCode } from "../../dashboard/settings/embed.ts";
import { nowMs } from "../support/fixed-clock.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { DAY_MS } from "./support/dashboard.ts";
import { useDashboard } from "./support/dashboard-instance.ts";
import { logInToApi, openSection, problemsAtAllWidths, settingsUrl, smallTargets, type Ask } from "./support/settings-page.ts";

const SITE = "shop.example";
const OTHER_SITE = "blog.example";
const PASSWORD = "correct horse battery";
const VISITS = [{ atMs: nowMs() - DAY_MS, steps: ["/", "/pricing"], fields: { countryCode: "DE" } }];

interface Share {
  readonly share_hash: string;
  readonly name: string;
  readonly has_password: boolean;
  readonly filters: string;
  readonly period: string | null;
  readonly start_date: string | null;
  readonly end_date: string | null;
  readonly realtime: boolean;
  readonly expires_at: string | null;
  readonly frame_ancestors: readonly string[];
  readonly revoked: boolean;
}

describe("sharing a site", () => {
  const dashboard = useDashboard({
    visits: { [SITE]: VISITS, [OTHER_SITE]: VISITS },
    environment: { SVC_ADMIN_PASSWORD: PASSWORD },
    context: { viewport: { width: 1440, height: 900 }, timezoneId: "Europe/Paris", permissions: ["clipboard-read", "clipboard-write"] },
  });
  let service: ServerProcess;
  let context: BrowserContext;
  let page: Page;
  let ask: Ask;
  beforeAll(async () => {
    ask = await logInToApi(dashboard.service.origin, PASSWORD);
  });
  beforeEach(() => {
    ({ service, context, page } = dashboard);
  });

  const open = (query = "") => openSection(page, settingsUrl(service.origin, SITE, "sharing", query));
  const shareNamed = async (name: string) =>
    ((await ask("GET", `/api/shares?site_id=${SITE}`)) as readonly Share[]).find((share) => share.name === name);
  const create = async (share: Readonly<Record<string, unknown>>) =>
    (await ask("POST", "/api/shares", { site_id: SITE, ...share })) as { readonly token: string };
  const clipboard = () => page.evaluate<string>("navigator.clipboard.readText()");
  /** The confirmation disappears again. */
  const copy = (button: string) => Promise.all([page.getByText("Copied").waitFor(), page.getByRole("button", { name: button }).click()]);
  const createdLink = () => page.getByRole("region", { name: "Link created" });
  const item = (name: string) => page.getByRole("list", { name: "Share links" }).getByRole("listitem").filter({ hasText: name });
  const statusFor = async (url: string) => {
    const token = new URL(url).pathname.split("/").at(-1) ?? "";
    return (await fetch(`${service.origin}/api/share`, { headers: { "X-Share": token } })).status;
  };
  async function createdUrl(): Promise<string> {
    await createdLink().waitFor();
    return (await createdLink().getByLabel("Share link").textContent()) ?? "";
  }

  it("a site is public once that is saved, at an address that is shown and copied", async () => {
    await open();
    await page.getByLabel(`Anyone can see the stats of ${SITE}`).check();
    await page.getByText("Hidden cards are not secret.").waitFor();
    expect(await page.getByLabel("Public address").count()).toBe(0);
    await page.getByRole("form", { name: "Public site" }).getByRole("button", { name: "Save" }).click();
    await page.getByRole("status").filter({ hasText: "Saved." }).waitFor();
    await copy("Copy address");
    expect(await clipboard()).toBe(`${service.origin}/share/${SITE}`);
    expect(await statusFor(await clipboard())).toBe(200);
    const rawExport = async () =>
      (await fetch(`${service.origin}/api/stats/export?site_id=${SITE}&kind=raw`, { headers: { "X-Share": SITE } })).status;
    expect(await rawExport()).toBe(403);
    await page.getByLabel("Viewers can download the raw events").first().check();
    await page.getByText("Anyone can also download all raw events").waitFor();
    await page.getByRole("form", { name: "Public site" }).getByRole("button", { name: "Save" }).click();
    await page.getByRole("status").filter({ hasText: "Saved." }).waitFor();
    expect(await rawExport()).toBe(200);

    await page.getByLabel(`Anyone can see the stats of ${SITE}`).uncheck();
    await page.getByRole("form", { name: "Public site" }).getByRole("button", { name: "Save" }).click();
    await page.getByLabel("Public address").waitFor({ state: "detached" });
    expect(await statusFor(`${service.origin}/share/${SITE}`)).toBe(404);
  });

  it("a link with a name alone shows everything; its address works, is shown until Done, and never again", async () => {
    await open();
    await page.getByLabel("Name", { exact: true }).fill("  Everyone ");
    await page.getByRole("button", { name: "Create link" }).press("Enter");
    const url = await createdUrl();
    await page.getByRole("heading", { name: "Link created: Everyone" }).and(page.locator(":focus")).waitFor();
    expect(await shareNamed("Everyone")).toMatchObject({
      has_password: false,
      filters: "",
      period: null,
      realtime: true,
      raw_export: false,
      expires_at: null,
    });
    expect(await statusFor(url)).toBe(200);
    await copy("Copy link");
    expect(await clipboard()).toBe(url);
    expect(await page.getByRole("link", { name: "Preview in a new tab" }).getAttribute("href")).toBe(url);
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("");

    await page.getByRole("link", { name: "General" }).click();
    await page.getByLabel("Display name").waitFor();
    await page.getByRole("link", { name: "Sharing" }).click();
    expect(await createdUrl()).toBe(url);
    await page.getByRole("button", { name: "Done" }).click();
    await createdLink().waitFor({ state: "detached" });
    await page.reload();
    await item("Everyone").waitFor();
    expect(await page.content()).not.toContain(url);
  });

  it("a link has the dashboard's filters, fixed dates, a password, an expiry date and sites that embed it", async () => {
    await open("&filters=countries==DE&start=2026-01-01&end=2026-01-31");
    await page.getByText("Only visitors who match the dashboard's filters: Country is Germany").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Agency");
    await page.getByLabel("Fixed dates").check();
    expect(await page.getByLabel("Start date").inputValue()).toBe("2026-01-01");
    await page.getByLabel("End date").fill("2026-01-15");
    await page.getByLabel("Show current visitors").uncheck();
    await page.getByLabel("Password").fill("open sesame");
    await page.getByLabel("Expiry date").fill("2099-06-30");
    await page.getByLabel("Sites allowed to embed it").fill("https://www.Agency.example/stats/\n");
    await page.getByRole("button", { name: "Create link" }).click();
    const url = await createdUrl();
    expect(await shareNamed("Agency")).toMatchObject({
      has_password: true,
      filters: "countries==DE",
      start_date: "2026-01-01",
      end_date: "2026-01-15",
      realtime: false,
      // The end of the day at the site, whose zone is UTC; the browser is in Paris.
      expires_at: "2099-06-30T23:59:59.000Z",
      frame_ancestors: ["https://www.agency.example"],
    });
    await createdLink().getByText("Country is Germany").waitFor();
    await createdLink().getByText("1–15 Jan 2026").waitFor();

    await page.getByLabel("Theme").selectOption("Dark");
    await copy("Copy embed code");
    expect(await clipboard()).toBe(embedCode(url, `Stats for ${SITE}`, "dark"));
    expect(await problemsAtAllWidths(page)).toEqual([]);
  });

  it("a link of a period has it whatever the dashboard shows, and may be about all visitors", async () => {
    await open("&filters=countries==DE");
    await page.getByLabel("Name", { exact: true }).fill("Week");
    await page.getByLabel("All visitors").check();
    await page.getByLabel("A period ending today").check();
    await page.getByRole("combobox", { name: /^Period/ }).selectOption("Last 7 days");
    await page.getByRole("button", { name: "Create link" }).click();
    await createdUrl();
    expect(await shareNamed("Week")).toMatchObject({ filters: "", period: "7d", start_date: null });
    await item("Week").getByText("All visitors · Last 7 days").waitFor();
  });

  it("a refusal stands at its field, and what was typed stays", async () => {
    await open();
    await page.getByLabel("Name", { exact: true }).fill("Refused");
    await page.getByLabel("Password").fill("short");
    await page.getByRole("button", { name: "Create link" }).click();
    await page.locator("#share-password:focus").waitFor();
    await page.locator("#share-password-problem", { hasText: /^Password must be at least/ }).waitFor();
    await page.getByLabel("Password").fill("");
    await page.getByLabel("Sites allowed to embed it").fill("nowhere");
    await page.getByRole("button", { name: "Create link" }).click();
    await page.locator("#share-frame_ancestors-problem", { hasText: '"nowhere" isn\'t one.' }).waitFor();
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Refused");
    expect(await shareNamed("Refused")).toBe(undefined);
    await page.getByRole("button", { name: "Clear" }).click();
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("");
  });

  it("a link is revoked after a confirmation, which leaving the button takes back, and is dead at once", async () => {
    const { token } = await create({ name: "Short-lived" });
    const url = `${service.origin}/share/${token}`;
    await open();
    const button = item("Short-lived").getByRole("button");
    await button.press("Enter");
    await item("Short-lived").getByRole("button", { name: "Confirm revoke" }).waitFor();
    await page.keyboard.press("Tab");
    await item("Short-lived").getByRole("button", { name: "Revoke Short-lived" }).waitFor();
    expect(await statusFor(url)).toBe(200);
    await button.press("Enter");
    await button.press("Enter");
    await item("Short-lived").getByText("Revoked").waitFor();
    expect(await statusFor(url)).toBe(404);
  });

  it("a second link takes the place of the first and gets the focus, and is gone with its revocation", async () => {
    await open();
    for (const name of ["First of two", "Second of two"]) {
      await page.getByLabel("Name", { exact: true }).fill(name);
      await page.getByRole("button", { name: "Create link" }).press("Enter");
      await page.locator("h3:focus", { hasText: `Link created: ${name}` }).waitFor();
    }
    const revoke = async (name: string) => {
      for (const label of ["Revoke", "Confirm revoke"]) await item(name).getByRole("button", { name: label }).press("Enter");
      await item(name).getByText("Revoked").waitFor();
    };
    await revoke("First of two");
    expect(await statusFor(await createdUrl())).toBe(200);
    await revoke("Second of two");
    await createdLink().waitFor({ state: "detached" });
  });

  it("sharing has no accessibility violation and nothing misplaced at three widths, and targets for fingers", async () => {
    await create({
      name: "A long name of a link".repeat(4),
      filters: "pages==/a-long-path-without-any-space-that-has-to-break-somewhere",
      period: "30d",
    });
    await open("&filters=countries==DE");
    await item("A long name").waitFor();
    expect(await problemsAtAllWidths(page)).toEqual([]);
    expect(await smallTargets(context, settingsUrl(service.origin, SITE, "sharing"))).toEqual([]);
  });

  it("an API key is limited to the sites that are chosen", async () => {
    await page.goto(`${service.origin}/?site=${SITE}&panel=keys`);
    await page.getByLabel("Name", { exact: true }).fill("Blog only");
    await page.getByRole("combobox", { name: /^Sites/ }).selectOption("Only some sites");
    expect(await page.getByRole("button", { name: "Create key" }).isDisabled()).toBe(true);
    await page.getByLabel(OTHER_SITE).check();
    expect(await problemsAtAllWidths(page)).toEqual([]);
    await page.getByRole("button", { name: "Create key" }).click();
    const key = (await page.getByLabel("New key").textContent()) ?? "";
    await page.getByRole("row", { name: /Blog only.*blog\.example/ }).waitFor();
    const visitorsOf = (site: string) =>
      fetch(`${service.origin}/api/stats/main?site_id=${site}&period=7d`, { headers: { "X-API-Key": key } });
    expect((await visitorsOf(OTHER_SITE)).status).toBe(200);
    expect((await visitorsOf(SITE)).status).toBe(403);
  });
});
