/** The public function svc: the events that a site's calls send, the options it refuses, and the status its callbacks receive. */

import { describe, test } from "vitest";
import type { VisitOptions, TrackerBench } from "./support/tracker-bench.ts";

export function describeEvents(bench: TrackerBench): void {
  /** Calls the function with a callback and gives what the callback was given. */
  const answerOf = (name: string, options = ""): string =>
    `new Promise((callback) => svc(${JSON.stringify(name)}, { ${options} callback }))`;

  describe.concurrent("svc(eventName, options)", () => {
    test("sends an event with that name", async ({ expect }) => {
      const visit = await bench.visit();
      expect(await visit.run(`svc("Signup")`)).toBeUndefined();
      expect(await visit.events()).toEqual([visit.pageview("/"), visit.event("Signup", "/")]);
    });

    test("says of an event that it is no interaction only for the value false", async ({ expect }) => {
      const visit = await bench.visit();
      for (const interactive of ["false", "true", "null", "undefined", "0"])
        await visit.run(`svc("Scroll", { interactive: ${interactive} })`);
      const scroll = visit.event("Scroll", "/");
      expect(await visit.events()).toEqual([visit.pageview("/"), { ...scroll, interactive: false }, ...Array(4).fill(scroll)]);
    });

    test("sends one event per call, also for identical calls", async ({ expect }) => {
      const visit = await bench.visit({ body: `<button onclick="svc('Added')">add</button>` });
      await visit.page.click("button");
      await visit.page.click("button");
      expect(await visit.events()).toEqual([visit.pageview("/"), visit.event("Added", "/"), visit.event("Added", "/")]);
    });

    test("ignores options that are not an object and a callback that is not a function", async ({ expect }) => {
      const given = ["null", "undefined", "{}", `"text"`, "{ callback: null }", `{ callback: "text" }`];
      const visit = await bench.visit();
      for (const options of given) await visit.run(`svc("Signup", ${options})`);
      expect(await visit.events()).toEqual([visit.pageview("/"), ...given.map(() => visit.event("Signup", "/"))]);
    });

    test("sends nothing without a name", async ({ expect }) => {
      const visit = await bench.visit();
      await visit.run(`svc(); svc(""); svc(null)`);
      expect(await visit.events()).toEqual([visit.pageview("/")]);
    });

    test("sends a name that is not a string as a string, which the service requires", async ({ expect }) => {
      const visit = await bench.visit();
      await visit.run("svc(404)");
      expect(await visit.events()).toEqual([visit.pageview("/"), visit.event("404", "/")]);
    });

    test("sends the page address at the time of the call", async ({ expect }) => {
      const visit = await bench.visit();
      await visit.run(`history.pushState(null, "", "/cart")`);
      await visit.run(`svc("Signup")`);
      expect(await visit.events()).toEqual([visit.pageview("/"), visit.pageview("/cart"), visit.event("Signup", "/cart")]);
    });

    test("sends a pageview that the site triggers, also for a page already counted", async ({ expect }) => {
      const visit = await bench.visit();
      await visit.run(`svc("pageview")`);
      await visit.run(`svc("pageview", { url: location.origin + "/step-2", props: { step: 2 } })`);
      expect(await visit.events()).toEqual([visit.pageview("/"), visit.pageview("/"), visit.pageview("/step-2", { p: `{"step":2}` })]);
    });
  });

  describe.concurrent("url and referrer", () => {
    test("url overrides the address", async ({ expect }) => {
      const visit = await bench.visit();
      await visit.run(`svc("Signup", { url: "https://shop.example/checkout?step=2#access_token=secret" })`);
      expect(await visit.events()).toEqual([
        visit.pageview("/"),
        visit.event("Signup", "/", { u: "https://shop.example/checkout?step=2" }),
      ]);
    });

    test("url may be a path, or an object that converts to an address", async ({ expect }) => {
      const visit = await bench.visit({ path: "/cart/" });
      await visit.run(`svc("Signup", { url: "/checkout" })`);
      await visit.run(`svc("Signup", { url: "step-2" })`);
      await visit.run(`svc("Signup", { url: location })`);
      expect(await visit.events()).toEqual([
        visit.pageview("/cart/"),
        visit.event("Signup", "/checkout"),
        visit.event("Signup", "/cart/step-2"),
        visit.event("Signup", "/cart/"),
      ]);
    });

    test("an event with an invalid url is not sent, and a warning is logged", async ({ expect }) => {
      const visit = await bench.visit();
      expect(await visit.run(answerOf("Signup", `url: "http://[",`))).toEqual({ status: 0 });
      await expect.poll(() => visit.warnings).toEqual([expect.stringContaining("svc:")]);
      expect(await visit.events()).toEqual([visit.pageview("/")]);
    });

    test("referrer overrides the page's referrer, and null omits it", async ({ expect }) => {
      const other = bench.createSite();
      const visit = await bench.visit({ page: () => "" });
      const referrer = `${other.origin}/`;
      other.publish("/", `<a href="${visit.site.origin}/landing">shop</a>`);
      visit.site.publish("/landing", visit.tag);
      await visit.page.goto(referrer);
      await visit.page.click("a");
      await visit.page.waitForURL("**/landing");
      await visit.run(`svc("Own", { referrer: "https://partner.example/list" })`);
      await visit.run(`svc("None", { referrer: null })`);
      await visit.run(`svc("Usual", { referrer: undefined })`);
      expect(await visit.events()).toEqual([
        visit.pageview("/landing", { r: referrer }),
        visit.event("Own", "/landing", { r: "https://partner.example/list" }),
        visit.event("None", "/landing"),
        visit.event("Usual", "/landing", { r: referrer }),
      ]);
    });
  });

  describe.concurrent("props", () => {
    test("are sent as JSON, with their values at the time of the call", async ({ expect }) => {
      const visit = await bench.visit({
        body: `<input value="red"><button onclick="svc('Chose', { props: { colour: document.querySelector('input').value, n: 1, ok: true, none: null } })">choose</button>`,
      });
      await visit.page.click("button");
      await visit.page.fill("input", "grün");
      await visit.page.click("button");
      const props = (colour: string) => ({ p: JSON.stringify({ colour, n: 1, ok: true, none: null }) });
      expect(await visit.events()).toEqual([
        visit.pageview("/"),
        visit.event("Chose", "/", props("red")),
        visit.event("Chose", "/", props("grün")),
      ]);
      expect(visit.warnings).toEqual([]);
    });

    test("that are not a JSON object are refused with a warning, and the event is sent without them", async ({ expect }) => {
      const refused = [
        `"text"`,
        "7",
        "true",
        `["a"]`,
        "() => 1",
        "new Date(0)",
        "(() => { const circle = {}; circle.self = circle; return circle; })()",
        "{ big: 1n }",
        `{ long: "x".repeat(4096) }`,
      ];
      const visit = await bench.visit();
      for (const [index, props] of refused.entries()) {
        await visit.run(`svc("Signup ${index}", { props: ${props} })`);
        await expect.poll(() => visit.warnings.filter((warning) => warning.startsWith("svc: props refused"))).toHaveLength(index + 1);
      }
      expect(await visit.events()).toEqual([visit.pageview("/"), ...refused.map((_, index) => visit.event(`Signup ${index}`, "/"))]);
    });

    test("may be null or undefined, which sends none", async ({ expect }) => {
      const visit = await bench.visit();
      await visit.run(`svc("Signup", { props: null, revenue: null, currency: null })`);
      await visit.run(`svc("Signup", { props: undefined, revenue: undefined, currency: undefined })`);
      expect(await visit.events()).toEqual([visit.pageview("/"), visit.event("Signup", "/"), visit.event("Signup", "/")]);
      expect(visit.warnings).toEqual([]);
    });
  });

  describe.concurrent("revenue and currency", () => {
    test("are sent, with the currency in upper case", async ({ expect }) => {
      const visit = await bench.visit();
      await visit.run(`svc("Purchase", { revenue: 19.99, currency: "eur" })`);
      await visit.run(`svc("Purchase", { revenue: -5, currency: "USD" })`);
      await visit.run(`svc("Purchase", { revenue: 0 })`);
      expect(await visit.events()).toEqual([
        visit.pageview("/"),
        visit.event("Purchase", "/", { ra: 19.99, rc: "EUR" }),
        visit.event("Purchase", "/", { ra: -5, rc: "USD" }),
        visit.event("Purchase", "/", { ra: 0 }),
      ]);
      expect(visit.warnings).toEqual([]);
    });

    test("an invalid currency code is refused with a warning, and the rest is sent", async ({ expect }) => {
      const refused = [`"EURO"`, `"E"`, `"€"`, `"12 "`, `""`, "978", "{}", `["eur"]`, `Symbol("eur")`, "Object.create(null)"];
      const visit = await bench.visit();
      for (const currency of refused) await visit.run(`svc("Purchase", { revenue: 1, currency: ${currency} })`);
      await expect.poll(() => visit.warnings).toEqual(refused.map(() => expect.stringMatching(/^svc: currency refused/)));
      expect(await visit.events()).toEqual([visit.pageview("/"), ...refused.map(() => visit.event("Purchase", "/", { ra: 1 }))]);
    });

    test("a revenue that is not a number is refused with a warning, and the rest is sent", async ({ expect }) => {
      const refused = [`"12.50"`, "NaN", "Infinity", "{}"];
      const visit = await bench.visit();
      for (const revenue of refused) await visit.run(`svc("Purchase", { revenue: ${revenue}, currency: "EUR" })`);
      await expect.poll(() => visit.warnings).toEqual(refused.map(() => expect.stringMatching(/^svc: revenue refused/)));
      expect(await visit.events()).toEqual([visit.pageview("/"), ...refused.map(() => visit.event("Purchase", "/", { rc: "EUR" }))]);
    });
  });

  describe.concurrent("a callback", () => {
    for (const status of [202, 400, 429, 500]) {
      test(`receives status ${status} after one request by XMLHttpRequest`, async ({ expect }) => {
        const visit = await bench.visit();
        visit.recording.answer = status;
        expect(await visit.run(answerOf("Signup", "props: { a: 1 },"))).toEqual({ status });
        expect(await visit.events()).toEqual([visit.pageview("/"), visit.event("Signup", "/", { p: `{"a":1}` })]);
        expect(visit.means()).toEqual(["ping", "xhr"]);
      });
    }

    test("receives status 0 when the connection breaks", async ({ expect }) => {
      const visit = await bench.visit();
      visit.recording.answer = "broken";
      expect(await visit.run(answerOf("Signup"))).toEqual({ status: 0 });
      expect(new Set((await visit.events()).map(({ n }) => n))).toEqual(new Set(["pageview", "Signup"]));
    });

    test("receives status 0 when no response arrives in time", async ({ expect }) => {
      const visit = await bench.visit();
      // Where the browser does not show what it sends, only an answer or the order of arrival tells which is which.
      await visit.recording.received(1);
      visit.recording.answer = "none";
      expect(await visit.run(answerOf("Signup"))).toEqual({ status: 0 });
      expect(await visit.events()).toEqual([visit.pageview("/"), visit.event("Signup", "/")]);
    });

    test("receives status 0 when data-api is not a valid address", async ({ expect }) => {
      const visit = await bench.visit({ attributes: { "data-api": "http://[" } });
      expect(await visit.run(answerOf("Signup"))).toEqual({ status: 0 });
      expect(await visit.events()).toEqual([]);
    });

    const IGNORED: Record<string, VisitOptions> = {
      "the visitor opted out": { head: `<script>localStorage.setItem("svc_ignore", "true")</script>` },
      "the page is excluded": { attributes: { "data-exclude": "/" } },
      "the page is local": { hostname: "localhost" },
      "no tag names a site": { attributes: { "data-domain": "" } },
    };
    for (const [reason, options] of Object.entries(IGNORED)) {
      test(`receives status 0 when nothing is sent because ${reason}`, async ({ expect }) => {
        const visit = await bench.visit(options);
        expect(await visit.run(answerOf("Signup"))).toEqual({ status: 0 });
        expect(await visit.events()).toEqual([]);
      });
    }

    test("receives status 0 for a call without a name", async ({ expect }) => {
      const visit = await bench.visit();
      expect(await visit.run(answerOf(""))).toEqual({ status: 0 });
      expect(await visit.events()).toEqual([visit.pageview("/")]);
    });

    test("is called asynchronously and exactly once", async ({ expect }) => {
      const visit = await bench.visit();
      const [first, ...others] = await visit.run<string[]>(`new Promise((resolve) => {
        const order = [];
        const called = (name) => () => { if (order.push(name) === 3) setTimeout(resolve, 0, order); };
        svc("", { callback: called("ignored") });
        svc("Signup", { callback: called("sent") });
        order.push("after the calls");
      })`);
      expect(first).toBe("after the calls");
      expect(others.sort()).toEqual(["ignored", "sent"]);
      expect(await visit.events()).toEqual([visit.pageview("/"), visit.event("Signup", "/")]);
    });

    test("that throws prevents no other event", async ({ expect }) => {
      const visit = await bench.visit({ expectedFaults: ["the site's own", "the site's own"] });
      await visit.run(`{
        const callback = () => { throw new Error("the site's own"); };
        svc("", { callback });
        svc("First", { callback });
        svc("Second");
      }`);
      await visit.run(answerOf("Third"));
      expect(await visit.events()).toEqual([
        visit.pageview("/"),
        visit.event("First", "/"),
        visit.event("Second", "/"),
        visit.event("Third", "/"),
      ]);
    });
  });

  describe.concurrent("calls before the script loads", () => {
    const SNIPPET = `<script>window.svc = window.svc || function () { (svc.q = svc.q || []).push(arguments) };</script>`;

    test("are replayed after the first pageview, in their order", async ({ expect }) => {
      const visit = await bench.visit({
        head: `${SNIPPET}<script>
          svc("First", { props: { a: 1 } });
          svc("Second");
        </script>`,
      });
      await visit.run(`svc("Third")`);
      expect(await visit.events()).toEqual([
        visit.pageview("/"),
        visit.event("First", "/", { p: `{"a":1}` }),
        visit.event("Second", "/"),
        visit.event("Third", "/"),
      ]);
    });

    test("have their callbacks called", async ({ expect }) => {
      const visit = await bench.visit({
        head: `${SNIPPET}<script>window.answered = new Promise((callback) => svc("Signup", { callback }))</script>`,
      });
      expect(await visit.run("answered")).toEqual({ status: 202 });
      // Browsers disagree on which goes first of a beacon and another request that are sent at once.
      const byName = (events: readonly Record<string, unknown>[]) =>
        [...events].sort((a, b) => String(b["n"]).localeCompare(String(a["n"])));
      expect(byName(await visit.events())).toEqual([visit.event("Signup", "/"), visit.pageview("/")]);
    });

    test("do not include the snippet itself", async ({ expect }) => {
      const visit = await bench.visit({ head: SNIPPET });
      expect(await visit.events()).toEqual([visit.pageview("/")]);
    });

    test("do not interfere with later calls if the snippet follows the script", async ({ expect }) => {
      const visit = await bench.visit({ page: ({ tag }) => tag.replace("defer", "") + SNIPPET });
      await visit.run(`svc("Signup")`);
      expect(await visit.events()).toEqual([visit.pageview("/"), visit.event("Signup", "/")]);
    });

    test("with invalid queue entries stop neither the pageview nor later events, also on a page shown later", async ({ expect }) => {
      const visit = await bench.visit({
        prepare: `Object.defineProperty(document, "hidden", { get: () => !window.isShown })`,
        head: `${SNIPPET}<script>svc.q = [["First"], 7, ["Second"]]</script>`,
      });
      await visit.run(`window.isShown = true; document.dispatchEvent(new Event("visibilitychange"))`);
      await visit.run(`svc("Third")`);
      const names = (await visit.events()).map(({ n }) => n);
      expect(names[0]).toBe("pageview");
      expect(names.at(-1)).toBe("Third");
    });
  });
}
