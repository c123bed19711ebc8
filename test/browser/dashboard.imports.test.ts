/** Imports and exports in a real browser: from the chosen file to the report and back, through lost connections and a reload, by keyboard and at three widths. */
import { readFile } from "node:fs/promises";
import { unzipSync } from "fflate";
import { beforeEach, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { IMPORT_PART_BYTES_MAX } from "../../src/shared/limits.ts";
import { fixture } from "../support/import-files.ts";
import { logLine } from "../support/uploads.ts";
import { violationsNow } from "./support/accessibility.ts";
import { VISITOR_USER_AGENT } from "./support/browser.ts";
import { asAdmin, useDashboard } from "./support/dashboard-instance.ts";
import { misplaced } from "./support/layout.ts";
import { openSection, problemsAtAllWidths, settingsUrl, smallTargets } from "./support/settings-page.ts";

const SITE = "shop.example";

/** One page view of each of three days, and a bot. */
const LOG = [
  logLine("2026-03-01T10:00:00", "/"),
  logLine("2026-03-02T10:00:00", "/pricing"),
  logLine("2026-04-02T10:00:00", "/pricing"),
  logLine("2026-04-02T10:00:01", "/", { userAgent: "Googlebot/2.1 (+http://www.google.com/bot.html)" }),
].join("");

interface ChosenFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

const textFile = (name: string, text: string): ChosenFile => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });

/** A log in two parts, whose lines are of one day. */
const longLog = (path: string): string => {
  const line = logLine("2026-05-01T10:00:00", path);
  return line.repeat(Math.ceil((IMPORT_PART_BYTES_MAX + 1) / line.length));
};

describe("imports", () => {
  const dashboard = useDashboard({ visits: {}, environment: { SVC_ADMIN_PASSWORD: "correct horse battery" }, context: {} });
  let page: Page;
  beforeEach(() => {
    ({ page } = dashboard);
  });

  const dataUrl = (query = "") => settingsUrl(dashboard.service.origin, SITE, "data", query);
  const open = async () => {
    await openSection(page, dataUrl());
    await page.getByRole("region", { name: "Imports" }).waitFor();
  };
  const choose = (files: readonly ChosenFile[]) =>
    page
      .locator(".drop-zone input[type=file]")
      .first()
      .setInputFiles([...files]);
  const dialog = () => page.getByRole("dialog");
  const button = (name: string) => dialog().getByRole("button", { name });
  const shown = () => dialog().getByText("The import is in all reports.").waitFor();
  const pageviews = async () => {
    const answer = await asAdmin(dashboard, "GET", `/api/stats/main?site_id=${SITE}&start_date=2026-03-01&end_date=2026-05-01`);
    return ((await answer.json()) as { readonly total_pageviews: number }).total_pageviews;
  };

  it("a chosen file is shown before it counts, imported, compared with the source, hidden, shown and deleted", async () => {
    await open();
    await choose([textFile("access.log", LOG), textFile("notes.txt", "nothing to see here\n")]);
    await button(`Import into ${SITE}`).waitFor();
    for (const text of ["1 Mar – 2 Apr 2026", "1 row: sent by a bot", "Not read: 1 file"]) await dialog().getByText(text).waitFor();
    expect(await pageviews()).toBe(0);
    const problems = [...(await page.evaluate<string[]>(misplaced("dialog"))), ...(await violationsNow(page))];
    expect(problems).toEqual([]);

    await button(`Import into ${SITE}`).click();
    await shown();
    await expect
      .poll(() => dialog().getByRole("table").innerText())
      .toMatch(/March 2026\s+Pageviews\s+2\s+2\s+0\s+April 2026\s+Pageviews\s+1\s+1\s+0/);
    expect(await pageviews()).toBe(3);
    await button("Hide").click();
    await dialog().getByText("The import is hidden.").waitFor();
    expect(await pageviews()).toBe(0);
    expect(await violationsNow(page)).toEqual([]);

    await page.keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });
    const row = page.getByRole("listitem").filter({ hasText: "3 events, 1 Mar – 2 Apr 2026" });
    expect(await problemsAtAllWidths(page)).toEqual([]);
    await row.getByRole("button", { name: "Show" }).click();
    await row.getByText("In reports").waitFor();
    expect(await pageviews()).toBe(3);
    await row.getByRole("button", { name: "Details" }).press("Enter");
    await button("Delete (undo)").click();
    await button("Delete its events for good").click();
    await dialog().waitFor({ state: "detached" });
    await row.waitFor({ state: "detached" });
    expect(await pageviews()).toBe(0);
  });

  it("an upload goes on by itself after a lost connection, and with the same file after a reload", async () => {
    await open();
    const file = textFile("long.log", longLog("/long"));
    const sent: string[] = [];
    let isLost = true;
    await page.route(/\/files\/0\?offset=/, async (route) => {
      const [, offset = ""] = /offset=(\d+)/.exec(route.request().url()) ?? [];
      if (offset !== "0" && isLost) return route.abort("connectionreset");
      sent.push(offset);
      return route.continue();
    });
    await choose([file]);
    await dialog().getByText("The upload continues by itself.").waitFor();
    await page.reload();
    await dialog().getByText("Choose the same files again").waitFor();
    await dialog()
      .locator("input[type=file]")
      .first()
      .setInputFiles([textFile("other.log", LOG)]);
    await dialog().getByText("These are other files.").waitFor();
    await dialog().locator("input[type=file]").first().setInputFiles([file]);
    await dialog().getByText("The upload continues by itself.").waitFor();
    isLost = false;
    await button(`Import into ${SITE}`).waitFor();
    expect(sent).toEqual(["0", String(IMPORT_PART_BYTES_MAX)]);
    await button("Discard").click();
    await button("Discard this import").click();
    await dialog().waitFor({ state: "detached" });
  });

  it("dropped files of an import that waits go on with it, in smaller parts behind a proxy that allows no larger ones", async () => {
    const text = longLog("/dropped");
    const bytes = Buffer.byteLength(text);
    const begun = await asAdmin(dashboard, "POST", "/api/imports", { site_id: SITE, files: [{ name: "dropped.log", bytes }] });
    const { import_id: id } = (await begun.json()) as { readonly import_id: number };
    await open();
    await page.getByRole("listitem").filter({ hasText: "Waiting for files" }).waitFor();
    await page.route(/\/files\/0\?offset=/, (route) =>
      (route.request().postDataBuffer()?.length ?? 0) > 1024 ** 2
        ? route.fulfill({ status: 413, contentType: "text/html", body: "<h1>413 Request Entity Too Large</h1>" })
        : route.continue(),
    );
    await page.evaluate(
      `(() => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([${JSON.stringify(logLine("2026-05-01T10:00:00", "/dropped"))}.repeat(${text.length / logLine("2026-05-01T10:00:00", "/dropped").length})], "dropped.log"));
        document.querySelector(".drop-zone").dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
      })()`,
    );
    await page.getByRole("heading", { name: `Import #${id}` }).waitFor();
    await button(`Import into ${SITE}`).waitFor();
    await button("Discard").click();
    await button("Discard this import").click();
    await dialog().waitFor({ state: "detached" });
  });

  it("files without anything to import are refused with the reason, and an import that is gone says so", async () => {
    await open();
    await choose([textFile("empty.csv", "")]);
    await page.getByRole("alert").filter({ hasText: "There is nothing in it." }).waitFor();
    await choose([textFile("notes.txt", "nothing to see here\n")]);
    await dialog().locator(".problem", { hasText: /\w+/ }).waitFor();
    expect(await violationsNow(page)).toEqual([]);
    await page.goto(dataUrl("&panel=import:999"));
    await dialog().getByText("There is no such import.").waitFor();
  });

  it("daily totals count where they can, and each card that leaves them out says so", async () => {
    await open();
    await choose(
      ["visitors", "sources", "pages"].map((table) => {
        const name = `imported_${table}_20260501_20260503.csv`;
        return textFile(name, new TextDecoder().decode(fixture(`plausible-export/${name}`)));
      }),
    );
    await button(`Import into ${SITE}`).click();
    await shown();
    await page.goto(`${dashboard.service.origin}/?site=${SITE}&start=2026-05-01&end=2026-05-03&from=visit-channels`);
    const card = (name: string) => page.getByRole("region", { name, exact: true });
    const note = "1–3 May 2026 not included: imported as daily totals only";
    await card("Sources").getByText(note).waitFor();
    await card("Overview").getByText("1–3 May 2026: imported daily totals").waitFor();
    await card("Pages").getByRole("link", { name: "/pricing" }).or(card("Pages").getByText("/pricing")).first().waitFor();
    expect(await card("Pages").getByText("not included").count()).toBe(0);
    expect(await page.locator(".change-sentence").count()).toBe(0);
    expect([...(await page.evaluate<string[]>(misplaced("main"))), ...(await violationsNow(page))]).toEqual([]);
  });

  // The process that makes archives has a low priority.
  const MAKING_MS_MAX = 150_000;

  it(
    "an archive of the site is made, downloaded and deleted, and one of days without events says so",
    { timeout: 2 * MAKING_MS_MAX },
    async () => {
      const events = JSON.stringify({ d: SITE, n: "pageview", u: `https://${SITE}/exported` });
      await fetch(`${dashboard.service.origin}/api/event`, { method: "POST", headers: { "user-agent": VISITOR_USER_AGENT }, body: events });
      await open();
      const section = page.getByRole("region", { name: "Exports" });
      await section.getByLabel("Content").selectOption("Events as JSON lines");
      await section.getByRole("button", { name: "Make an archive" }).click();
      const row = section.getByRole("listitem").filter({ hasText: "Events as JSON lines" });
      await row.getByRole("link", { name: "Download" }).waitFor({ timeout: MAKING_MS_MAX });
      expect(await problemsAtAllWidths(page)).toEqual([]);
      const download = page.waitForEvent("download");
      await row.getByRole("link", { name: "Download" }).click();
      const saved = await download;
      expect(saved.suggestedFilename()).toBe(`sandpiper-${SITE}-jsonl.zip`);
      const files = Object.values(unzipSync(await readFile(await saved.path())));
      expect(files.map((file) => new TextDecoder().decode(file)).join("")).toContain('"pathname":"/exported"');
      await row.getByRole("button", { name: "Delete" }).click();
      await row.waitFor({ state: "detached" });

      await section.getByLabel("From").fill("2020-01-01");
      await section.getByLabel("To").fill("2020-01-02");
      await section.getByRole("button", { name: "Make an archive" }).click();
      await section.getByText("1–2 Jan 2020: Failed").waitFor({ timeout: MAKING_MS_MAX });
      await section.getByText("there are no events on these days").waitFor();
      expect(await violationsNow(page)).toEqual([]);
    },
  );

  it("every control is large enough for a finger", async () => {
    expect(await smallTargets(dashboard.context, dataUrl())).toEqual([]);
  });
});
