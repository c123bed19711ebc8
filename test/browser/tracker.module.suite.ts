/** The tracker as a module that a single-page application bundles with its own scripts. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, test } from "vitest";
import { EVENT_PATH } from "../../src/runtime/base/config/names.ts";
import { buildTrackerModule } from "../../tracker/build.mjs";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { SITE_ID, type TrackerBench } from "./support/tracker-bench.ts";

export function describeModule(bench: TrackerBench): void {
  describe.concurrent("the module", () => {
    let folder: string;
    beforeAll(async () => {
      folder = await makeTempFolder();
      await buildTrackerModule(join(folder, "module.js"));
    });
    afterAll(() => removeFolder(folder));

    let scriptsCount = 0;
    /** An application's script as its bundler would make it. */
    const bundled = async (source: string): Promise<string> => {
      const file = join(folder, `app-${++scriptsCount}.js`);
      await writeFile(file, source);
      const { outputFiles } = await build({
        entryPoints: [file],
        bundle: true,
        write: false,
        minify: true,
        format: "iife",
        logLevel: "silent",
      });
      return outputFiles[0]?.text ?? "";
    };

    const visitOf = async (initOptions: string, rest: string, body = "") => {
      const script = (origin: string) =>
        bundled(`import { init, track } from "./module.js";
          track("Early", { props: { n: 1 } });
          init({ site: "${SITE_ID}", api: "${origin}${EVENT_PATH}", ${initOptions} });
          init({ site: "other.example", api: "${origin}${EVENT_PATH}" });
          ${rest}`);
      const recording = bench.createRecording();
      const text = await script(recording.origin);
      return { recording, visit: await bench.visit({ page: () => `<!doctype html><body>${body}<script>${text}</script>`, recording }) };
    };

    test("counts the first page, later navigation, and events tracked before and after its start", async ({ expect }) => {
      const { visit } = await visitOf(
        "",
        `window.move = (to) => history.pushState(null, "", to); track("Late", { revenue: 2, currency: "eur" });`,
      );
      await visit.run(`move("/next")`);
      expect(await visit.events()).toEqual([
        visit.pageview("/"),
        visit.event("Early", "/", { p: '{"n":1}' }),
        visit.event("Late", "/", { ra: 2, rc: "EUR" }),
        visit.pageview("/next"),
      ]);
    });

    test("adds no global name", async ({ expect }) => {
      const { visit } = await visitOf("", "");
      expect(await visit.run("typeof svc")).toBe("undefined");
      expect(await visit.events()).toHaveLength(2);
    });

    test("uses each excluded path literally, and an empty list of extensions as none", async ({ expect }) => {
      const { visit } = await visitOf(
        `exclude: ["/map/@48.1,11.5", "/a b"], downloads: []`,
        `window.move = (to) => history.pushState(null, "", to);`,
        `<a id="file" href="/files/x.pdf" download>file</a>`,
      );
      for (const path of ["/map/@48.1,11.5", "/map/@48.1", "/a%20b"]) await visit.run(`move("${path}")`);
      await visit.page.click("#file");
      expect((await visit.events()).map(({ n, u }) => [n, new URL(String(u)).pathname])).toEqual([
        ["pageview", "/"],
        ["Early", "/"],
        ["pageview", "/map/@48.1"],
      ]);
    });

    test("sends events where the history cannot be observed", async ({ expect }) => {
      const { visit } = await visitOf("", `track("Late");`, `<script>Object.freeze(history)</script>`);
      expect((await visit.events()).map(({ n }) => n)).toEqual(["pageview", "Early", "Late"]);
    });

    test("has the same options as the script tag", async ({ expect }) => {
      const { visit } = await visitOf(
        `exclude: ["/hidden/*", "/gone"], hash: "all", query: "ignore", frames: true, outbound: true, ownHosts: ["*.own.example"], downloads: ["dat"]`,
        `window.move = (to) => history.pushState(null, "", to);`,
        `<a id="out" href="http://elsewhere.example/" target="_blank">out</a>
        <a id="own" href="http://www.own.example/" target="_blank">own</a><a id="file" href="/files/x.dat" download>file</a>`,
      );
      for (const path of ["/hidden/page", "/gone", "/#inner", "/?q=1#inner"]) await visit.run(`move("${path}")`);
      await visit.page.click("#out");
      await visit.page.click("#own");
      await visit.page.click("#file");
      const events = await visit.events();
      expect(events.map(({ n, u }) => [n, new URL(String(u)).pathname])).toEqual([
        ["pageview", "/"],
        ["Early", "/"],
        ["pageview", "/inner"],
        ["Outbound Link: Click", "/inner"],
        ["File Download", "/inner"],
      ]);
    });
  });
}
