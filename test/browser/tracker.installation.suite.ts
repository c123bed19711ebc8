/** The ways a site may install the script. */

import { describe, test } from "vitest";
import { EVENT_PATH, SCRIPT_PATHS } from "../../src/runtime/config/names.ts";
import { buildTracker } from "../../tracker/build.mjs";
import { SITE_ID, scriptTag, type TrackerBench } from "./support/tracker-bench.ts";

export function describeInstallation(bench: TrackerBench): void {
  describe.concurrent("the script works when installed", () => {
    test("from its alternative address", async ({ expect }) => {
      const visit = await bench.visit({
        page: ({ recording }) => scriptTag(recording, { src: recording.origin + SCRIPT_PATHS[1] }),
      });
      expect(await visit.events()).toEqual([visit.pageview("/")]);
    });

    test("as a blocking script in the head, before there is a body", async ({ expect }) => {
      const visit = await bench.visit({ page: ({ tag }) => tag.replace("defer", "") });
      expect(await visit.events()).toEqual([visit.pageview("/")]);
    });

    test("with async", async ({ expect }) => {
      const visit = await bench.visit({ page: ({ tag }) => tag.replace("defer", "async") });
      expect(await visit.events()).toEqual([visit.pageview("/")]);
    });

    test("by a tag manager that adds the whole tag", async ({ expect }) => {
      const visit = await bench.visit({
        page: ({ recording }) => `<script>
          const tag = document.createElement("script");
          tag.src = "${recording.origin}/svc.js";
          tag.dataset.domain = "${SITE_ID}";
          document.documentElement.append(tag);
        </script>`,
      });
      expect(await visit.events()).toEqual([visit.pageview("/")]);
    });

    test("by a tag manager whose tag has no attributes, with those of the first tag that names a site", async ({ expect }) => {
      const elsewhere = bench.createRecording();
      const visit = await bench.visit({
        page: ({ recording }) => `
          <script type="text/plain" data-domain="first.example" data-api="${recording.origin}${EVENT_PATH}"></script>
          <script type="text/plain" data-domain="second.example"></script>
          <script defer src="${elsewhere.origin}/svc.js"></script>`,
      });
      expect(await visit.events()).toEqual([visit.pageview("/", { d: "first.example" })]);
      expect(elsewhere.requests).toEqual([]);
    });

    test("as inline code that runs later, without document.currentScript", async ({ expect }) => {
      const script = await buildTracker();
      const visit = await bench.visit({
        page: ({ recording }) => `
          <script type="text/plain" data-domain="${SITE_ID}" src="${recording.origin}/svc.js"></script>
          <script>addEventListener("DOMContentLoaded", () => { ${script} })</script>`,
      });
      expect(await visit.events()).toEqual([visit.pageview("/")]);
    });

    test("beside tags of other sites, with its own tag", async ({ expect }) => {
      const visit = await bench.visit({ head: `<script type="text/plain" data-domain="other.example"></script>` });
      expect(await visit.events()).toEqual([visit.pageview("/")]);
    });

    test("with data-api, which sets the destination of events", async ({ expect }) => {
      const elsewhere = bench.createRecording();
      const visit = await bench.visit({
        page: ({ recording }) => scriptTag(elsewhere, { "data-api": recording.origin + EVENT_PATH }),
      });
      expect(await visit.events()).toEqual([visit.pageview("/")]);
      expect(elsewhere.requests).toEqual([]);
    });

    test("inline, with events sent to the page's origin, whatever its base element says", async ({ expect }) => {
      const script = await buildTracker();
      const visit = await bench.visit({
        page: () => `<base href="http://elsewhere.example/"><script data-domain="${SITE_ID}">${script}</script>`,
      });
      expect(await visit.events()).toEqual([]);
      await expect.poll(() => visit.site.visits(EVENT_PATH)).toBe(1);
    });

    test("twice, where the second script does nothing", async ({ expect }) => {
      const visit = await bench.visit({
        page: ({ tag }) => tag + tag,
      });
      await visit.run(`history.pushState(null, "", "/next")`);
      await visit.run(`svc("Signup")`);
      expect(await visit.events()).toEqual([visit.pageview("/"), visit.pageview("/next"), visit.event("Signup", "/next")]);
    });

    test("twice on a hidden page, with one pageview once it is visible", async ({ expect }) => {
      const visit = await bench.visit({
        page: ({ tag }) => tag + tag,
        prepare: `Object.defineProperty(document, "hidden", { get: () => !window.isShown })`,
      });
      await visit.run(`window.isShown = true; document.dispatchEvent(new Event("visibilitychange"))`);
      expect(await visit.events()).toEqual([visit.pageview("/")]);
    });

    test("without data-domain, where it sends nothing and causes no error", async ({ expect }) => {
      const visit = await bench.visit({
        page: ({ recording }) => `<script src="${recording.origin}/svc.js"></script><script>svc("Signup")</script>`,
      });
      expect(await visit.events()).toEqual([]);
    });

    test("on a page with an element named like its function", async ({ expect }) => {
      const visit = await bench.visit({ page: ({ tag }) => `<form id="svc"></form>${tag}` });
      await visit.run(`svc("Signup")`);
      expect(await visit.events()).toEqual([visit.pageview("/"), visit.event("Signup", "/")]);
    });
  });
}
