/** The visitor's choice: the link that opens it, the script that a page includes, and what the tracker makes of it. */
import type { Locator } from "playwright-core";
import { describe, test } from "vitest";
import { OPT_OUT_SCRIPT } from "../../src/runtime/base/config/names.ts";
import type { TrackerBench, Visit } from "./support/tracker-bench.ts";

const LINK = "#svc-opt-out";

const included = ({ origin }: { readonly origin: string }, attributes = ""): string =>
  `<script src="${origin}/${OPT_OUT_SCRIPT}" ${attributes}></script>`;

const stored = (visit: Visit): Promise<string | null> => visit.run(`localStorage.getItem("svc_ignore")`);

export function describeOptOut(bench: TrackerBench): void {
  describe.concurrent("the visitor's choice", () => {
    test("a link opens it: nothing changes without a click, then this browser is not counted until another", async ({ expect }) => {
      const visit = await bench.visit({ path: `/${LINK}` });
      const dialog: Locator = visit.page.getByRole("dialog", { name: "Visitor statistics" });
      const host = new URL(visit.site.origin).host;
      await dialog.getByText(`Visits to ${host} with this browser are counted.`).waitFor();
      expect(await stored(visit)).toBeNull();

      await dialog.getByRole("button", { name: "Don’t count this browser" }).click();
      await dialog.getByRole("status").getByText("are not counted").waitFor();
      expect(await stored(visit)).toBe("true");
      await visit.run(`svc("Ignored")`);

      await dialog.getByRole("button", { name: "Count this browser again" }).click();
      expect(await stored(visit)).toBeNull();
      await visit.run(`svc("Counted")`);
      expect(await visit.events()).toEqual([visit.pageview("/"), visit.event("Counted", "/")]);
    });

    test("a link on the same page opens it, again after it was closed, and is no page view", async ({ expect }) => {
      const visit = await bench.visit({ body: `<a href="${LINK}">Opt out</a>` });
      const dialog = visit.page.getByRole("dialog");
      for (const close of [() => dialog.getByRole("button", { name: "Close" }).click(), () => visit.page.keyboard.press("Escape")]) {
        await visit.page.getByRole("link").click();
        await dialog.waitFor();
        await close();
        await dialog.waitFor({ state: "detached" });
        await expect.poll(() => visit.run("location.href")).toBe(`${visit.site.origin}/`);
      }
      expect(await visit.events()).toEqual([visit.pageview("/")]);
    });

    test("a page that includes the script shows it in place, in the language of the tag or else of the page", async ({ expect }) => {
      const page = (language: string, attributes = "") =>
        bench.visit({
          page: ({ recording, tag }) =>
            `<!doctype html><html lang="${language}"><meta charset="utf-8"><title>Shop</title>${tag}<h1>Shop</h1>${included(recording, attributes)}<p>After</p>`,
        });
      const [french, spanish] = [await page("fr-CA"), await page("fr", 'data-lang="es"')];
      const section = french.page.getByRole("region", { name: "Statistiques de visite" });
      expect(await section.evaluate((element) => element.nextElementSibling?.textContent)).toBe("After");
      await french.page.getByRole("button", { name: "Ne plus compter ce navigateur" }).click();
      expect(await stored(french)).toBe("true");
      await french.page.reload();
      await french.page.getByRole("button", { name: "Compter de nouveau ce navigateur" }).waitFor();
      await spanish.page.getByRole("button", { name: "No contar este navegador" }).waitFor();
      expect(await french.events()).toEqual([french.pageview("/")]);
      await spanish.events();
    });

    test("in a frame of another site there is no button, but the reason", async ({ expect }) => {
      const visit = await bench.visit({ page: () => "" });
      const other = bench.createSite();
      visit.site.publish("/privacy", `<html lang="en"><meta charset="utf-8"><body>${included(visit.recording)}`);
      other.publish("/", `<iframe src="${visit.site.origin}/privacy"></iframe>`);
      await visit.page.goto(`${other.origin}/`);
      const frame = visit.page.frameLocator("iframe");
      await frame.getByText("You can’t choose in this frame").waitFor();
      expect(await frame.getByRole("button").count()).toBe(0);
      await visit.events();
    });

    test("where the browser stores nothing, it says so", async ({ expect }) => {
      const visit = await bench.visit({
        headers: { "content-security-policy": "sandbox allow-scripts" },
        page: ({ recording }) => `<!doctype html><html lang="de"><meta charset="utf-8"><body>${included(recording)}`,
      });
      await visit.page.getByText("eine Wahl zu speichern").waitFor();
      expect(await visit.page.getByRole("button").count()).toBe(0);
      await visit.events();
    });
  });
}
