/** Renaming a site, merging it into another and undoing that in a real browser, by keyboard and at three widths. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { browserHeaders, wireEvent } from "../support/requests.ts";
import { violationsNow } from "./support/accessibility.ts";
import { asAdmin, useDashboard } from "./support/dashboard-instance.ts";
import { misplaced } from "./support/layout.ts";
import { openSection, problemsAtAllWidths, settingsUrl, smallTargets } from "./support/settings-page.ts";

const [SITE, NEW, OTHER] = ["shop.example", "store.example", "blog.example"];

describe("the id of a site", () => {
  const dashboard = useDashboard({ visits: {}, environment: { SVC_ADMIN_PASSWORD: "correct horse battery" }, context: {} });
  let page: Page;
  beforeEach(() => {
    ({ page } = dashboard);
  });

  const dataUrl = (site: string, query = "") => settingsUrl(dashboard.service.origin, site, "data", query);
  const section = () => page.getByRole("region", { name: "Site id" });
  const dialog = () => page.getByRole("dialog");
  const open = async (site: string) => {
    await openSection(page, dataUrl(site));
    await section().waitFor();
  };
  const sites = async () => ((await (await asAdmin(dashboard, "GET", "/api/sites")).json()) as { readonly sites: string[] }).sites;
  const send = async (site: string) => {
    const body = JSON.stringify(wireEvent(site));
    const sent = await fetch(`${dashboard.service.origin}/api/event`, { method: "POST", headers: browserHeaders(), body });
    expect(sent.status).toBe(202);
  };

  it("is changed in a dialog, merged into another site, and undone", async () => {
    for (const site of [SITE, OTHER]) await send(site);
    await open(SITE);
    await section().getByRole("button", { name: "Rename this site…" }).press("Enter");
    await dialog().waitFor();
    const problems = [...(await page.evaluate<string[]>(misplaced("dialog"))), ...(await violationsNow(page))];
    expect(problems).toEqual([]);
    await page.keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });

    await section().getByRole("button", { name: "Rename this site…" }).click();
    await dialog().getByLabel("New id").fill(`https://${OTHER}/`);
    await dialog().getByLabel("New id").press("Enter");
    await dialog().getByRole("alert").waitFor();
    await dialog().getByLabel("New id").fill(NEW);
    await dialog().getByLabel("New id").press("Enter");
    await page.waitForURL((url) => url.searchParams.get("site") === NEW);
    await section().getByText(`${SITE} was the id before. Events under it count for ${NEW} until`).waitFor();
    expect(await sites()).toEqual([OTHER, NEW]);

    await section().getByRole("button", { name: "Merge into another site…" }).click();
    await dialog().waitFor();
    expect(await violationsNow(page)).toEqual([]);
    await dialog().getByLabel("Merge into").selectOption(OTHER);
    await dialog().getByRole("button", { name: "Merge" }).click();
    await page.waitForURL((url) => url.searchParams.get("site") === OTHER);
    await section().getByText(`${NEW} was merged into ${OTHER}. You can undo this until`).waitFor();
    expect(await sites()).toEqual([OTHER]);
    expect(await problemsAtAllWidths(page)).toEqual([]);
    expect(await smallTargets(page.context(), dataUrl(OTHER))).toEqual([]);

    const undo = section().getByRole("button", { name: "Undo merge" });
    await undo.press("Enter");
    await section().getByRole("button", { name: "Confirm undo" }).press("Enter");
    await section().getByText("was merged into").waitFor({ state: "detached" });
    expect(await sites()).toEqual([OTHER, NEW]);
  });
});
