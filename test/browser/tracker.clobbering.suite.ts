/** DOM clobbering: elements whose names shadow properties that a script reads, as user content may add them to a page. */

import { describe, test } from "vitest";
import { EVENT_PATH } from "../../src/runtime/base/config/names.ts";
import { SITE_ID, scriptTag, type TrackerBench } from "./support/tracker-bench.ts";

/** The properties of document and window that the tracker reads, or could read. */
const NAMES = [
  "currentScript",
  "querySelector",
  "querySelectorAll",
  "scripts",
  "createElement",
  "documentElement",
  "head",
  "body",
  "referrer",
  "URL",
  "baseURI",
  "location",
  "hidden",
  "visibilityState",
  "prerendering",
  "addEventListener",
  "dispatchEvent",
  "defaultView",
  "Document",
  "HTMLScriptElement",
  "Reflect",
  "Object",
  "JSON",
  "XMLHttpRequest",
  "console",
  "history",
  "innerWidth",
  "localStorage",
  "navigator",
  "screen",
  "setTimeout",
];

export function describeClobbering(bench: TrackerBench): void {
  describe.concurrent("DOM clobbering", () => {
    const KINDS: Record<string, (name: string, data: string) => string> = {
      "an img": (name, data) => `<img name="${name}" ${data} alt="">`,
      "a form": (name, data) => `<form name="${name}" ${data}></form>`,
      "an embed": (name, data) => `<embed name="${name}" ${data}>`,
      "an object": (name, data) => `<object id="${name}" ${data}></object>`,
      "an iframe": (name, data) => `<iframe name="${name}" ${data}></iframe>`,
      "several elements of one name": (name, data) => `<img name="${name}" ${data} alt=""><form name="${name}" ${data}></form>`,
      "an id": (name, data) => `<a id="${name}" name="${name}" href="http://evil.example/" ${data}></a>`,
      "a script of SVG": (name, data) => `<svg><script id="${name}" type="text/plain" ${data}></script></svg>`,
    };
    for (const [kind, elementOf] of Object.entries(KINDS)) {
      test(`${kind} changes neither the events nor their destination`, async ({ expect }) => {
        const evil = bench.createRecording();
        const other = bench.createSite();
        const data = `data-domain="evil.example" data-api="${evil.origin}${EVENT_PATH}" data-exclude="*"`;
        const visit = await bench.visit({
          path: "/start",
          page: ({ recording, site }) => {
            site.publish(
              "/",
              `<!doctype html><body>${NAMES.map((name) => elementOf(name, data)).join("")}
              <a id="away" href="${other.origin}/" target="frame">away</a><iframe name="frame"></iframe>
              ${scriptTag(recording, { "data-outbound": "" })}`,
            );
            return "";
          },
        });
        other.publish("/from", `<a href="${visit.site.origin}/">shop</a>`);
        other.publish("/", "");
        await visit.page.goto(`${other.origin}/from`);
        await visit.page.click("a");
        await visit.page.waitForURL(`${visit.site.origin}/`);
        await visit.run(`window.history.pushState(null, "", "/next")`);
        await visit.run(`away.click()`);
        const fields = { r: `${other.origin}/` };
        expect(await visit.events()).toEqual([
          visit.pageview("/", fields),
          visit.pageview("/next", fields),
          visit.event("Outbound Link: Click", "/next", { ...fields, p: JSON.stringify({ url: `${other.origin}/` }) }),
        ]);
        expect([evil.requests, visit.warnings]).toEqual([[], []]);
      });
    }

    test("without document.currentScript, the tracker uses the first HTML script that names a site", async ({ expect }) => {
      const evil = bench.createRecording();
      const data = `data-domain="evil.example" data-api="${evil.origin}${EVENT_PATH}"`;
      const visit = await bench.visit({
        page: ({ recording }) => `
          <img name="currentScript" ${data} alt=""><img name="querySelectorAll" ${data} alt="">
          <svg><script type="text/plain" ${data}></script></svg>
          <script type="text/plain" data-domain="${SITE_ID}" src="${recording.origin}/svc.js"></script>
          <script src="${recording.origin}/svc.js"></script>`,
      });
      expect(await visit.events()).toEqual([visit.pageview("/")]);
      expect(evil.requests).toEqual([]);
    });

    const CALLED_SVC: Record<string, string> = {
      "a form with fields": `<form id="svc"><input name="q"><input name="ran"></form>`,
      "a form with a list": `<form id="svc"><select name="q"><option>pageview</option></select></form>`,
      "several forms": `<form id="svc"></form><form id="svc" name="q"></form>`,
      "a frame of another origin": `<iframe name="svc" src="http://elsewhere.example/"></iframe>`,
      "a sandboxed frame": `<iframe name="svc" sandbox srcdoc="<iframe name=q></iframe>"></iframe>`,
      "a frame with frames": `<iframe name="svc" srcdoc="<iframe name=q></iframe><iframe name=ran></iframe>"></iframe>`,
    };
    for (const [kind, elements] of Object.entries(CALLED_SVC)) {
      test(`${kind} named svc does not stop the script`, async ({ expect }) => {
        const visit = await bench.visit({ page: ({ tag }) => elements + tag });
        await visit.run(`svc("Signup")`);
        expect(await visit.events()).toEqual([visit.pageview("/"), visit.event("Signup", "/")]);
        expect(visit.warnings).toEqual([]);
      });
    }

    test("a form field named matches prevents no outbound event and causes no error", async ({ expect }) => {
      const other = bench.createSite();
      other.publish("/", "<h1>elsewhere</h1>");
      const visit = await bench.visit({
        attributes: { "data-outbound": "" },
        body: `<a href="${other.origin}/"><form><input name="matches"><b>away</b></form></a><form><input name="matches" class="own"></form>`,
      });
      await visit.page.click(".own");
      await visit.page.click("b");
      await visit.page.waitForURL(`${other.origin}/`);
      expect(await visit.events()).toEqual([
        visit.pageview("/"),
        visit.event("Outbound Link: Click", "/", { p: JSON.stringify({ url: `${other.origin}/` }) }),
      ]);
      expect(visit.warnings).toEqual([]);
    });

    test("page constants that shadow browser globals do not stop the script", async ({ expect }) => {
      const visit = await bench.visit({
        attributes: { "data-outbound": "" },
        head: `<script>const URL = "", XMLHttpRequest = "", history = [], innerWidth = 1, localStorage = {}, navigator = null, screen = null;</script>`,
      });
      await visit.run(`window.history.pushState(null, "", "/next")`);
      expect(await visit.run(`new Promise((callback) => svc("Signup", { callback }))`)).toEqual({ status: 202 });
      expect(await visit.events()).toEqual([visit.pageview("/"), visit.pageview("/next"), visit.event("Signup", "/next")]);
      expect(visit.warnings).toEqual([]);
    });
  });
}
