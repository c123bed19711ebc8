/** The ways a site may install the script. */
import { describe, test } from "vitest";
import { PLATFORMS } from "../../dashboard/setup/platforms.ts";
import { EVENT_PATH } from "../../src/runtime/base/config/names.ts";
import { SCRIPT_PATHS } from "../../src/shared/names.ts";
import { buildTracker } from "../../tracker/build.mjs";
import { SITE_ID, scriptTag, type TrackerBench } from "./support/tracker-bench.ts";

/** The code that docs/tracking.md and the dashboard show for the platform. */
const trackingCode = (platform: string, { origin }: { readonly origin: string }): string =>
  PLATFORMS.find(({ id }) => id === platform)?.code({ siteId: SITE_ID, scriptUrl: origin + SCRIPT_PATHS[0] }) ?? "";

/** As Tag Manager adds a tag of type Custom HTML once the page has loaded: scripts as new elements, without unknown attributes. */
const tagManager = (customHtml: string): string => `<script>
  addEventListener("load", () => {
    const parsed = document.createElement("div");
    parsed.innerHTML = ${JSON.stringify(customHtml).replaceAll("</", "<\\/")};
    for (const { src, text } of parsed.querySelectorAll("script"))
      document.body.append(Object.assign(document.createElement("script"), src ? { src } : { text }));
  });
</script>`;

export function describeInstallation(bench: TrackerBench): void {
  describe.concurrent("the installed script", () => {
    test("works from its alternative address", async ({ expect }) => {
      const visit = await bench.visit({
        page: ({ recording }) => scriptTag(recording, { src: recording.origin + SCRIPT_PATHS[1] }),
      });
      expect(await visit.events()).toEqual([visit.pageview("/")]);
    });

    test("works as the tracking code for HTML", async ({ expect }) => {
      const visit = await bench.visit({ page: ({ recording }) => `<title>Shop</title>${trackingCode("html", recording)}` });
      expect(await visit.events()).toEqual([visit.pageview("/")]);
    });

    test("works as the tracking code for Google Tag Manager, which adds it to a page that has loaded", async ({ expect }) => {
      const visit = await bench.visit({ page: ({ recording }) => tagManager(trackingCode("tag-manager", recording)) });
      // The script that the page adds does not delay its load.
      await visit.page.waitForFunction(`typeof svc === "function"`);
      await visit.run(`history.pushState(null, "", "/next")`);
      expect(await visit.events()).toEqual([visit.pageview("/"), visit.pageview("/next")]);
    });

    test("sends nothing as the tracking code for HTML in Google Tag Manager, which drops its attributes", async ({ expect }) => {
      const visit = await bench.visit({ page: ({ recording }) => tagManager(trackingCode("html", recording)) });
      expect(await visit.events()).toEqual([]);
    });

    test("works as a blocking script in the head, before there is a body", async ({ expect }) => {
      const visit = await bench.visit({ page: ({ tag }) => tag.replace("defer", "") });
      expect(await visit.events()).toEqual([visit.pageview("/")]);
    });

    test("works with async", async ({ expect }) => {
      const visit = await bench.visit({ page: ({ tag }) => tag.replace("defer", "async") });
      expect(await visit.events()).toEqual([visit.pageview("/")]);
    });

    test("works if a tag manager adds the whole tag", async ({ expect }) => {
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

    test("uses the first tag that names a site if a tag manager adds a tag without attributes", async ({ expect }) => {
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

    test("works as inline code that runs later, without document.currentScript", async ({ expect }) => {
      const script = await buildTracker();
      const visit = await bench.visit({
        page: ({ recording }) => `
          <script type="text/plain" data-domain="${SITE_ID}" src="${recording.origin}/svc.js"></script>
          <script>addEventListener("DOMContentLoaded", () => { ${script} })</script>`,
      });
      expect(await visit.events()).toEqual([visit.pageview("/")]);
    });

    test("uses its own tag among tags of other sites", async ({ expect }) => {
      const visit = await bench.visit({ head: `<script type="text/plain" data-domain="other.example"></script>` });
      expect(await visit.events()).toEqual([visit.pageview("/")]);
    });

    test("sends events to the address in data-api", async ({ expect }) => {
      const elsewhere = bench.createRecording();
      const visit = await bench.visit({
        page: ({ recording }) => scriptTag(elsewhere, { "data-api": recording.origin + EVENT_PATH }),
      });
      expect(await visit.events()).toEqual([visit.pageview("/")]);
      expect(elsewhere.requests).toEqual([]);
    });

    test("sends events to the page's origin if it is inline, whatever the base element says", async ({ expect }) => {
      const script = await buildTracker();
      const visit = await bench.visit({
        page: () => `<base href="http://elsewhere.example/"><script data-domain="${SITE_ID}">${script}</script>`,
      });
      expect(await visit.events()).toEqual([]);
      await expect.poll(() => visit.site.visits(EVENT_PATH)).toBe(1);
    });

    test("sends each event to all sites that data-domain lists, and a callback gets the response for the first", async ({ expect }) => {
      const visit = await bench.visit({
        page: ({ recording }) => scriptTag(recording).replace(SITE_ID, "one.example, two.example"),
      });
      const answer = await visit.run(`new Promise((callback) => svc("Signup", { props: { a: 1 }, callback }))`);
      expect(answer).toEqual({ status: 202 });
      const sent = await visit.events();
      const [view, signup] = [visit.pageview("/"), visit.event("Signup", "/", { p: '{"a":1}' })];
      const expected = ["one.example", "two.example"].flatMap((d) => [view, signup].map((event) => ({ ...event, d })));
      expect(sent).toHaveLength(4);
      expect(sent).toEqual(expect.arrayContaining(expected));
    });

    test("does nothing the second time on a page with two of its tags", async ({ expect }) => {
      const visit = await bench.visit({
        page: ({ tag }) => tag + tag,
      });
      await visit.run(`history.pushState(null, "", "/next")`);
      await visit.run(`svc("Signup")`);
      expect(await visit.events()).toEqual([visit.pageview("/"), visit.pageview("/next"), visit.event("Signup", "/next")]);
    });

    test("sends one pageview for a hidden page with two of its tags, once the page is visible", async ({ expect }) => {
      const visit = await bench.visit({
        page: ({ tag }) => tag + tag,
        prepare: `Object.defineProperty(document, "hidden", { get: () => !window.isShown })`,
      });
      await visit.run(`window.isShown = true; document.dispatchEvent(new Event("visibilitychange"))`);
      expect(await visit.events()).toEqual([visit.pageview("/")]);
    });

    test("sends nothing and causes no error without data-domain", async ({ expect }) => {
      const visit = await bench.visit({
        page: ({ recording }) => `<script src="${recording.origin}/svc.js"></script><script>svc("Signup")</script>`,
      });
      expect(await visit.events()).toEqual([]);
    });

    test("works on a page with an element named like its function", async ({ expect }) => {
      const visit = await bench.visit({ page: ({ tag }) => `<form id="svc"></form>${tag}` });
      await visit.run(`svc("Signup")`);
      expect(await visit.events()).toEqual([visit.pageview("/"), visit.event("Signup", "/")]);
    });
  });
}
