/** Which visits and navigations count as pageviews, and with which fields. Each test compares the complete list of events. */

import { describe, test } from "vitest";
import { EVENT_PATH } from "../../src/runtime/base/config/names.ts";
import { launchUnattended } from "./support/browser.ts";
import { servePages } from "./support/page-server.ts";
import { type VisitOptions, scriptTag, type TrackerBench } from "./support/tracker-bench.ts";
import { testNeeding } from "./support/tracker-browsers.ts";

/** Goes back within the page; resolves after all events of the browser about it. */
const BACK = `new Promise((resolve) => {
  addEventListener("popstate", () => setTimeout(resolve), { once: true });
  history.back();
})`;

export function describePageviews(bench: TrackerBench): void {
  describe.concurrent("the first pageview", () => {
    test("is sent on load, with these fields and no others", async ({ expect }) => {
      const visit = await bench.visit();
      expect(await visit.events()).toEqual([{ d: "shop.example", n: "pageview", u: `${visit.site.origin}/`, w: 1280, t: 0 }]);
    });

    test("has the width of the window, not of the screen", async ({ expect }) => {
      const visit = await bench.visit({
        context: { viewport: { width: 412, height: 700 }, screen: { width: 1000, height: 1000 } },
      });
      expect(await visit.events()).toEqual([visit.pageview("/", { w: 412 })]);
    });

    test("has the campaign of its fragment, and nothing else of it", async ({ expect }) => {
      const visit = await bench.visit({ path: "/a?q=1#access_token=secret&utm_source=letter&utm_medium=email&gclid=1" });
      expect(await visit.events()).toEqual([visit.pageview("/a?q=1&utm_source=letter&utm_medium=email&gclid=1")]);
    });

    test("keeps the query and omits the fragment", async ({ expect }) => {
      const visit = await bench.visit({ path: "/a%20b/?utm_source=x&q=%C3%BC#access_token=secret" });
      expect(await visit.events()).toEqual([visit.pageview("/a%20b/?utm_source=x&q=%C3%BC")]);
    });

    test("truncates an address longer than the service accepts", async ({ expect }) => {
      const visit = await bench.visit({ path: `/?q=${"x".repeat(3000)}` });
      const [pageview] = await visit.events();
      expect(pageview?.["u"]).toBe(`${visit.site.origin}/?q=${"x".repeat(3000)}`.slice(0, 2048));
    });

    test("is sent again when the page is loaded again", async ({ expect }) => {
      const visit = await bench.visit();
      await visit.page.reload();
      expect(await visit.events()).toEqual([visit.pageview("/"), visit.pageview("/")]);
    });
  });

  describe.concurrent("the referrer", () => {
    test("is sent when the visitor comes from another origin", async ({ expect }) => {
      const other = bench.createSite();
      const visit = await bench.visit();
      other.publish("/list", `<a href="${visit.site.origin}/">shop</a>`);
      await visit.page.goto(`${other.origin}/list`);
      await visit.page.click("a");
      await visit.page.waitForURL(`${visit.site.origin}/`);
      expect(await visit.events()).toEqual([visit.pageview("/"), visit.pageview("/", { r: `${other.origin}/` })]);
    });

    test("is not sent when the visitor comes from the same origin", async ({ expect }) => {
      const visit = await bench.visit({ body: `<a href="/next">next</a>`, otherPaths: ["/next"] });
      await visit.page.click("a");
      await visit.page.waitForURL("**/next");
      expect(await visit.events()).toEqual([visit.pageview("/"), visit.pageview("/next")]);
    });

    test("is sent when the visitor comes from another port of the same host", async ({ expect, onTestFinished }) => {
      const visit = await bench.visit();
      const { hostname } = new URL(visit.site.origin);
      const otherPort = await servePages();
      onTestFinished(() => otherPort.close());
      const other = otherPort.createSite(hostname);
      other.publish("/", `<a href="${visit.site.origin}/">shop</a>`);
      await visit.page.goto(`${other.origin}/`);
      await visit.page.click("a");
      await visit.page.waitForURL(`${visit.site.origin}/`);
      expect(await visit.events()).toEqual([visit.pageview("/"), visit.pageview("/", { r: `${other.origin}/` })]);
    });
  });

  describe.concurrent("a page that is not visible yet", () => {
    const HIDDEN = `
      window.isShown = false;
      Object.defineProperty(document, "hidden", { get: () => !window.isShown });
      Object.defineProperty(document, "visibilityState", { get: () => window.isShown ? "visible" : "hidden" });
      window.setShown = (isShown) => {
        window.isShown = isShown;
        document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
      };`;

    test("is not counted while it waits in a background tab", async ({ expect }) => {
      const visit = await bench.visit({ prepare: HIDDEN });
      await visit.run(`history.pushState(null, "", "/moved")`);
      await visit.run(`svc("Signup")`);
      expect(await visit.events()).toEqual([]);
    });

    test("is counted once with its current address when its tab is first shown, followed by earlier calls", async ({ expect }) => {
      const visit = await bench.visit({ prepare: HIDDEN });
      await visit.run(`history.pushState(null, "", "/moved")`);
      await visit.run(`svc("Signup")`);
      await visit.run("setShown(true)");
      await visit.run("setShown(false)");
      await visit.run("setShown(true)");
      expect(await visit.events()).toEqual([visit.pageview("/moved"), visit.event("Signup", "/moved")]);
    });

    testNeeding(
      bench.browser,
      "hidesBackgroundTabs",
      "is counted when a tab opened in the background is actually shown",
      async ({ expect }) => {
        const visit = await bench.visit({ body: `<a href="/next">next</a>`, otherPaths: ["/next"] });
        const opened = visit.context.waitForEvent("page");
        await visit.page.click("a", { button: "middle" });
        const tab = await opened;
        await tab.waitForLoadState();
        expect(await tab.evaluate("document.visibilityState")).toBe("hidden");
        await tab.evaluate(`svc("Signup")`);
        await expect.poll(() => visit.means()).toEqual(["ping"]);
        await tab.bringToFront();
        await visit.recording.received(3);
        expect(await visit.events()).toEqual([visit.pageview("/"), visit.pageview("/next"), visit.event("Signup", "/next")]);
      },
    );

    test("is counted when its prerendering ends, even if it reports itself visible before", async ({ expect }) => {
      const visit = await bench.visit({
        prepare: `
          let isPrerendered = true;
          Object.defineProperty(document, "prerendering", { get: () => isPrerendered });
          window.activate = () => {
            isPrerendered = false;
            document.dispatchEvent(new Event("prerenderingchange"));
            document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
          };`,
      });
      await visit.run(`document.dispatchEvent(new Event("visibilitychange"))`);
      await visit.run("svc('Before')");
      expect(visit.means()).toEqual([]);
      await visit.run("activate()");
      expect(await visit.events()).toEqual([visit.pageview("/"), visit.event("Before", "/")]);
    });

    /**
     * The first page prerenders the second and asks its server to be told when that has run; only then does it go there.
     * The browser drives itself, because it does not prerender while it is driven.
     */
    const prerenderedVisit = (isOpened: boolean): string => `
      <script type="speculationrules">
        {"prerender": [{"source": "list", "urls": ["/second"], "eagerness": "immediate"}]}
      </script>
      <script>
        const look = async () => {
          const { ok } = await fetch("/second-has-run");
          if (!ok) return setTimeout(look, 20);
          ${isOpened ? `location.href = "/second"` : `navigator.sendBeacon(endUrl, "end")`};
        };
        look();
      </script>`;

    for (const isOpened of [false, true]) {
      const behaviour = isOpened ? "is counted once when it is opened" : "is not counted when it is never opened";
      testNeeding(bench.browser, "prerenders", `that the browser actually prerenders ${behaviour}`, async ({ expect }) => {
        const recording = bench.createRecording();
        const site = bench.createSite();
        site.publish("/second-request", "");
        site.publish("/", `<script>const endUrl = "${recording.origin}/end"</script>${prerenderedVisit(isOpened)}`);
        site.publish(
          "/second",
          `${scriptTag(recording).replace("defer", "")}
          <script>
            navigator.sendBeacon("${recording.origin}/prerendering", String(document.prerendering));
            svc("Called early");
            document.addEventListener("visibilitychange", () => navigator.sendBeacon("${recording.origin}/end", "end"));
          </script>`,
        );
        const browser = await launchUnattended(`${site.origin}/`);
        try {
          await recording.received(1);
          site.publish("/second-has-run", "");
          await recording.received(isOpened ? 4 : 2);
        } finally {
          await browser.close();
        }
        const received = recording.requests.map(({ path, body }) => (path === EVENT_PATH ? JSON.parse(body) : path));
        const common = { d: "shop.example", u: `${site.origin}/second`, w: expect.any(Number), t: 0 };
        expect(recording.requests[0]).toMatchObject({ path: "/prerendering", body: "true" });
        expect(received.slice(1)).toHaveLength(isOpened ? 3 : 1);
        expect(received.slice(1)).toEqual(
          expect.arrayContaining(isOpened ? [{ ...common, n: "pageview" }, { ...common, n: "Called early" }, "/end"] : ["/end"]),
        );
      });
    }
  });

  describe.concurrent("navigation within a page", () => {
    test("by pushState and replaceState to another path is a pageview", async ({ expect }) => {
      const visit = await bench.visit();
      await visit.run(`history.pushState(null, "", "/one")`);
      await visit.run(`history.replaceState(null, "", "/two")`);
      await visit.run(`history.pushState({ some: "state" }, "", new URL("/three", location.href))`);
      expect(await visit.events()).toEqual(["/", "/one", "/two", "/three"].map((path) => visit.pageview(path)));
    });

    test("leaves the behavior of pushState and replaceState unchanged for the site", async ({ expect }) => {
      const visit = await bench.visit();
      const state = await visit.run(
        `const before = history.length; history.pushState({ a: 1 }, "", "/one"); [history.state, location.pathname, history.length - before]`,
      );
      expect(state).toEqual([{ a: 1 }, "/one", 1]);
      const fault = visit.run(`try { history.pushState(null, "", "http://elsewhere.example/") } catch (fault) { fault.name }`);
      expect(await fault).toBe("SecurityError");
      expect(await visit.events()).toEqual([visit.pageview("/"), visit.pageview("/one")]);
    });

    test("to another query is a pageview", async ({ expect }) => {
      const visit = await bench.visit({ path: "/list?page=1" });
      await visit.run(`history.pushState(null, "", "?page=2")`);
      expect(await visit.events()).toEqual([visit.pageview("/list?page=1"), visit.pageview("/list?page=2")]);
    });

    for (const [from, to] of [
      ["/?utm_source=x", "/"],
      ["/list/?utm_source=x&page=2&utm_medium=y#top", "/list?page=2"],
      ["/list?page=2&gclid=1&fbclid=2&msclkid=3&irclickid=4", "/list?page=2"],
      ["/list?x=1&amp;utm_source=a", "/list?x=1"],
      ["/#utm_source=letter&utm_medium=email", "/"],
      ["/", "/?utm_source=added"],
      ["/about", "/about/"],
      ["/about/", "/about"],
      ["/about/?tab=1", "/about?tab=1"],
    ] as const) {
      test(`from ${from} to ${to} is no navigation`, async ({ expect }) => {
        const visit = await bench.visit({ path: from });
        await visit.run(`history.replaceState(null, "", "${to}")`);
        await visit.run(`history.pushState(null, "", "/next")`);
        const [first, ...more] = await visit.events();
        expect(first).toMatchObject({ n: "pageview" });
        expect(more).toEqual([visit.pageview("/next")]);
      });
    }

    for (const [from, to] of [
      ["/list", "/list?page=1"],
      ["/list?utm_source=x&page=1", "/list?utm_source=x&page=2"],
      ["/list?id=1", "/list?id=2"],
      ["/list?braid=1", "/list?epikk=1"],
      ["/a", "/a/b"],
    ] as const) {
      test(`from ${from} to ${to} is a pageview`, async ({ expect }) => {
        const visit = await bench.visit({ path: from });
        await visit.run(`history.replaceState(null, "", "${to}")`);
        expect(await visit.events()).toEqual([visit.pageview(from), visit.pageview(to)]);
      });
    }

    test('with data-query="ignore", only another path is a pageview', async ({ expect }) => {
      const visit = await bench.visit({ attributes: { "data-query": "ignore" }, path: "/search" });
      for (const q of ["a", "an", "ana"]) await visit.run(`history.replaceState(null, "", "?q=${q}")`);
      await visit.run(`history.pushState(null, "", "/found?q=ana")`);
      expect(await visit.events()).toEqual([visit.pageview("/search"), visit.pageview("/found?q=ana")]);
    });

    testNeeding(bench.browser, "hasNavigationApi", "by the Navigation API alone is a pageview", async ({ expect }) => {
      const visit = await bench.visit({
        head: `<script>navigation.addEventListener("navigate", (event) => event.canIntercept && event.intercept())</script>`,
      });
      await visit.run(`navigation.navigate("/one").finished.then(() => 1)`);
      await visit.run(`navigation.navigate("/one#part").finished.then(() => 1)`);
      await visit.run(`navigation.navigate("/two", { history: "replace" }).finished.then(() => 1)`);
      await visit.run(`history.pushState(null, "", "/three")`);
      expect(await visit.events()).toEqual(["/", "/one", "/two", "/three"].map((path) => visit.pageview(path)));
    });

    test("to the same path and query is not counted twice", async ({ expect }) => {
      const visit = await bench.visit({ path: "/list?page=1" });
      await visit.run(`history.pushState(null, "", "/list?page=1")`);
      await visit.run(`history.replaceState({ scroll: 100 }, "")`);
      await visit.run(`history.pushState(null, "", "#reviews")`);
      expect(await visit.events()).toEqual([visit.pageview("/list?page=1")]);
    });

    test("back and forward is a pageview, also for a page seen before", async ({ expect }) => {
      const visit = await bench.visit();
      await visit.run(`history.pushState(null, "", "/one")`);
      await visit.page.goBack();
      await visit.page.goForward();
      expect(await visit.events()).toEqual(["/", "/one", "/", "/one"].map((path) => visit.pageview(path)));
    });

    test("back over an entry with the same path is not a pageview", async ({ expect }) => {
      const visit = await bench.visit();
      await visit.run(`history.pushState({ dialog: true }, "")`);
      await visit.page.goBack();
      expect(await visit.events()).toEqual([visit.pageview("/")]);
    });

    test("by a link that the site's router handles is a pageview", async ({ expect }) => {
      const visit = await bench.visit({
        attributes: { "data-outbound": "" },
        body: `<a href="/one">one</a><script>
          document.querySelector("a").addEventListener("click", (event) => {
            event.preventDefault();
            history.pushState(null, "", event.target.href);
          });
        </script>`,
      });
      await visit.page.click("a");
      expect(await visit.events()).toEqual([visit.pageview("/"), visit.pageview("/one")]);
    });

    test("before the script has loaded results in one pageview, of the current page", async ({ expect }) => {
      const visit = await bench.visit({ head: `<script>history.replaceState(null, "", "/early")</script>` });
      expect(await visit.events()).toEqual([visit.pageview("/early")]);
    });

    test("to a fragment is not a pageview", async ({ expect }) => {
      const visit = await bench.visit({ body: `<a href="#reviews">reviews</a>` });
      await visit.page.click("a");
      await visit.run(BACK);
      expect(await visit.events()).toEqual([visit.pageview("/")]);
    });
  });

  describe.concurrent("the back/forward cache", () => {
    testNeeding(
      bench.browser,
      "keepsPagesForBack",
      "counts a page that the browser actually restores as a pageview",
      async ({ expect }) => {
        // The restored page tells by itself what it still knows, for a page that is being left cannot be asked.
        const visit = await bench.visit({ page: () => "" });
        const page = `${visit.tag}<a href="/next">next</a><script>
        const loadedAt = performance.now();
        addEventListener("pageshow", ({ persisted }) => persisted && svc("Restored", { props: { loadedAt } }));
      </script>`;
        for (const path of ["/shop", "/next"]) visit.site.publish(path, page);
        // A page that waits for an answer when it is left is not kept.
        const answered = visit.context.waitForEvent("requestfinished", (request) => request.method() === "POST");
        await visit.page.goto(`${visit.site.origin}/shop`);
        await answered;
        const loadedAt = await visit.run("loadedAt");
        await visit.page.click("a");
        await visit.page.waitForURL("**/next");
        await visit.recording.received(2);
        await visit.run("setTimeout(() => history.back())");
        await visit.recording.received(4);
        expect(await visit.events()).toEqual([
          visit.pageview("/shop"),
          visit.pageview("/next"),
          visit.event("Restored", "/shop", { p: JSON.stringify({ loadedAt }) }),
          visit.pageview("/shop"),
        ]);
      },
    );

    // Where the browser has no such cache, the page is told what a browser with one tells it.
    test("counts a restored page as a pageview", async ({ expect }) => {
      const visit = await bench.visit();
      await visit.run(`dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))`);
      expect(await visit.events()).toEqual([visit.pageview("/"), visit.pageview("/")]);
    });

    test("does not count a page twice when it is shown for the first time", async ({ expect }) => {
      const visit = await bench.visit();
      await visit.run(`dispatchEvent(new PageTransitionEvent("pageshow", { persisted: false }))`);
      expect(await visit.events()).toEqual([visit.pageview("/")]);
    });
  });

  describe.concurrent("data-hash", () => {
    const HASH: VisitOptions = { attributes: { "data-hash": "" } };

    for (const [path, sent] of [
      ["/app#/about", "/app/about"],
      ["/app/#/about", "/app/about"],
      ["/#/about/us", "/about/us"],
      ["/app#!/about", "/app/about"],
      ["/app#about", "/app"],
      ["/app#12.5/48.1/11.5", "/app"],
      ["/app#/", "/app"],
      ["/app", "/app"],
      ["/app?utm_source=x#/about", "/app/about?utm_source=x"],
      ["/app#/about?tab=1", "/app/about?tab=1"],
      ["/app?utm_source=x#/about?tab=1", "/app/about?utm_source=x&tab=1"],
      ["/app?utm_source=x#/about#team", "/app/about?utm_source=x"],
      ["/#/?q=a", "/?q=a"],
      ["/callback#access_token=secret&state=1", "/callback"],
      ["/callback#/token=secret", "/callback"],
      ["/callback#state=1&access_token=secret", "/callback"],
      ["/#utm_source=a&utm_medium=b", "/?utm_source=a&utm_medium=b"],
      ["/app?x=1#utm_source=a&amp;utm_medium=b", "/app?x=1&utm_source=a&amp;utm_medium=b"],
      ["/app#/about?utm_source=a", "/app/about?utm_source=a"],
    ] as const) {
      test(`${path} is sent as ${sent}`, async ({ expect }) => {
        const visit = await bench.visit({ ...HASH, path });
        expect(await visit.events()).toEqual([visit.pageview(sent)]);
      });
    }

    for (const [path, sent] of [
      ["/app#about", "/app/about"],
      ["/app/#!about?tab=1", "/app/about?tab=1"],
      ["/app#/about", "/app/about"],
      ["/app#12.5/48.1/11.5", "/app/12.5/48.1/11.5"],
      ["/callback#access_token=secret&state=1", "/callback"],
      ["/app#utm_source=a&gclid=1", "/app?utm_source=a&gclid=1"],
      ["/app", "/app"],
    ] as const) {
      test(`with the value all, ${path} is sent as ${sent}`, async ({ expect }) => {
        const visit = await bench.visit({ attributes: { "data-hash": "all" }, path });
        expect(await visit.events()).toEqual([visit.pageview(sent)]);
      });
    }

    test("each new fragment is one pageview, also by back and forward", async ({ expect }) => {
      const visit = await bench.visit({ ...HASH, path: "/app", body: `<a href="#/about">about</a>` });
      await visit.page.click("a");
      await visit.page.click("a");
      await visit.run(BACK);
      await visit.run(`location.hash = "#/contact"`);
      await visit.run(`location.hash = "#/contact"`);
      expect(await visit.events()).toEqual(["/app", "/app/about", "/app", "/app/contact"].map((path) => visit.pageview(path)));
    });

    test("a hashchange event alone is enough in a browser that fires no other", async ({ expect }) => {
      const visit = await bench.visit({
        ...HASH,
        prepare: `addEventListener("popstate", (event) => event.stopImmediatePropagation(), true)`,
        body: `<a href="#/about">about</a>`,
      });
      const isTold = visit.run(`new Promise((resolve) => addEventListener("hashchange", () => resolve(true)))`);
      await visit.page.click("a");
      expect(await isTold).toBe(true);
      expect(await visit.events()).toEqual([visit.pageview("/"), visit.pageview("/about")]);
    });

    test("a router that goes to its first fragment does not count the page twice", async ({ expect }) => {
      const visit = await bench.visit(HASH);
      await visit.run(`history.replaceState(null, "", "#/")`);
      expect(await visit.events()).toEqual([visit.pageview("/")]);
    });

    test("a query in the fragment that changes is a pageview", async ({ expect }) => {
      const visit = await bench.visit({ ...HASH, path: "/#/search?q=a" });
      await visit.run(`history.pushState(null, "", "#/search?q=b")`);
      expect(await visit.events()).toEqual([visit.pageview("/search?q=a"), visit.pageview("/search?q=b")]);
    });

    test("a long fragment does not keep the page waiting for more than a small multiple of what the browser takes", async ({ expect }) => {
      const visit = await bench.visit(HASH);
      const [observed = 0, unobserved = 0] = await visit.run<number[]>(`(() => {
        const empty = document.body.appendChild(document.createElement("iframe")).contentWindow;
        const time = (page, n) => {
          const url = page.location.href.split("#")[0] + "#=" + n + "?".repeat(40_000);
          const from = performance.now();
          page.history.replaceState(null, "", url);
          return performance.now() - from;
        };
        return [window, empty].map((page) => Math.min(...[1, 2, 3].map((n) => time(page, n))));
      })()`);
      // Were each "?" read to the end, it would take hundreds of times as long. A browser's clock may be coarse, and may say 0.
      expect(observed).toBeLessThan(40 * Math.max(unobserved, 5));
      expect(await visit.events()).toEqual([visit.pageview("/")]);
    });

    test("the value false disables it", async ({ expect }) => {
      const visit = await bench.visit({ attributes: { "data-hash": "false" }, path: "/app#/about" });
      expect(await visit.events()).toEqual([visit.pageview("/app")]);
    });
  });
}
