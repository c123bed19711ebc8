/** The script's effects on the page around it: how it sends requests, that it stores nothing, and that its errors never reach the page. */

import { describe, test } from "vitest";
import type { TrackerBench } from "./support/tracker-bench.ts";
import { testNeeding } from "./support/tracker-browsers.ts";

export function describeGuest(bench: TrackerBench): void {
  describe.concurrent("the transport", () => {
    test("is a plain-text beacon, which needs no preflight request", async ({ expect }) => {
      const visit = await bench.visit();
      await visit.events();
      expect(visit.means()).toEqual(["ping"]);
      expect(visit.recording.requests).toEqual([
        {
          method: "POST",
          path: "/api/event",
          headers: expect.objectContaining({
            "content-type": "text/plain;charset=UTF-8",
            origin: visit.site.origin,
          }),
          body: JSON.stringify(visit.pageview("/")),
        },
      ]);
    });

    test("is a plain-text XMLHttpRequest for a call with a callback", async ({ expect }) => {
      const visit = await bench.visit();
      await visit.run(`new Promise((callback) => svc("Signup", { callback }))`);
      expect(await visit.events()).toEqual([visit.pageview("/"), visit.event("Signup", "/")]);
      expect(visit.means()).toEqual(["ping", "xhr"]);
    });

    for (const [trouble, prepare] of [
      ["is missing", "delete Navigator.prototype.sendBeacon"],
      ["refuses", "Navigator.prototype.sendBeacon = () => false"],
      ["throws", `Navigator.prototype.sendBeacon = () => { throw new Error("blocked"); }`],
    ] as const) {
      test(`is XMLHttpRequest when the beacon ${trouble}`, async ({ expect }) => {
        const visit = await bench.visit({ prepare });
        // Unlike a beacon it does not outlive its page.
        await visit.recording.received(1);
        expect(await visit.events()).toEqual([visit.pageview("/")]);
        expect(visit.means()).toEqual(["xhr"]);
      });
    }

    test("delivers more data than a browser accepts in beacons at a time", async ({ expect }) => {
      const visit = await bench.visit();
      await visit.run(`for (let n = 0; n < 40; n++) svc("E" + n, { props: { x: "y".repeat(4000) } })`);
      const names = ["pageview", ...Array.from({ length: 40 }, (_, n) => `E${n}`)];
      // Not by the visit's own account: a browser announces beacons that it then refuses.
      await visit.recording.received(names.length);
      await visit.context.close();
      expect(visit.recording.requests.map(({ body }) => (JSON.parse(body) as { n: string }).n).sort()).toEqual(names.sort());
    });

    testNeeding(bench.browser, "sendsClientHints", "sends a trusted service only the low-entropy client hints", async ({ expect }) => {
      const visit = await bench.visit({ service: "localhost" });
      expect(await visit.events()).toEqual([visit.pageview("/")]);
      const hints = Object.keys(visit.recording.requests[0]?.headers ?? {}).filter((name) => name.startsWith("sec-ch-"));
      expect(hints.sort()).toEqual(["sec-ch-ua", "sec-ch-ua-mobile", "sec-ch-ua-platform"]);
    });
  });

  describe.concurrent("errors never reach the page", () => {
    /** Every answer to one call, until a later call has been answered, too. */
    const ANSWERS = `new Promise((resolve) => {
      const answers = [];
      const later = () => svc("Later", { callback: () => resolve(answers) });
      svc("Signup", { callback: (answer) => answers.push(answer) === 1 && later() });
    })`;

    // Every visit fails on an uncaught error of its page, so these only bring the trouble about.
    test("when the browser has no way to send", async ({ expect }) => {
      const visit = await bench.visit({
        prepare: "delete Navigator.prototype.sendBeacon; delete window.fetch; delete window.XMLHttpRequest;",
      });
      const status = visit.run(`new Promise((callback) => svc("Signup", { callback }))`);
      expect(await status).toEqual({ status: 0 });
      expect(await visit.events()).toEqual([]);
    });

    test("when a Content-Security-Policy forbids the connection", async ({ expect }) => {
      const visit = await bench.visit({ headers: { "content-security-policy": "connect-src 'none'" } });
      expect(await visit.run(ANSWERS)).toEqual([{ status: 0 }]);
      expect(await visit.events()).toEqual([]);
    });

    test("when a Content-Security-Policy forbids the connection and there is no beacon", async ({ expect }) => {
      const visit = await bench.visit({
        headers: { "content-security-policy": "connect-src 'none'" },
        prepare: "delete Navigator.prototype.sendBeacon",
      });
      await visit.run("new Promise((resolve) => setTimeout(resolve))");
      expect(await visit.events()).toEqual([]);
    });

    test("when the service breaks the connection and there is no beacon", async ({ expect }) => {
      const visit = await bench.visit({ page: () => "", prepare: "delete Navigator.prototype.sendBeacon" });
      visit.recording.answer = "broken";
      visit.site.publish("/shop", visit.tag);
      const failures = [visit.context.waitForEvent("requestfailed")];
      await visit.page.goto(`${visit.site.origin}/shop`);
      await failures[0];
      failures.push(visit.context.waitForEvent("requestfailed"));
      await visit.run(`svc("Signup")`);
      await failures[1];
      await visit.events();
      expect(visit.recording.requests.length).toBeGreaterThanOrEqual(2);
    });

    test("when the service is unreachable", async ({ expect }) => {
      const visit = await bench.visit({ attributes: { "data-api": "http://nowhere.example:1/api/event" } });
      expect(await visit.run(ANSWERS)).toEqual([{ status: 0 }]);
      expect(await visit.events()).toEqual([]);
    });

    test("when storage throws", async ({ expect }) => {
      const visit = await bench.visit({
        prepare: `Object.defineProperty(window, "localStorage", { get() { throw new Error("denied"); } })`,
      });
      await visit.run(`svc("Signup")`);
      expect(await visit.events()).toEqual([visit.pageview("/"), visit.event("Signup", "/")]);
    });

    for (const prepare of [
      "Object.freeze(history)",
      `Object.defineProperty(History.prototype, "pushState", { set() { throw new Error("no"); } })`,
    ]) {
      test(`when the history cannot be observed: ${prepare}`, async ({ expect }) => {
        const visit = await bench.visit({ prepare });
        await visit.run(`svc("Signup")`);
        expect(await visit.events()).toEqual([visit.pageview("/"), visit.event("Signup", "/")]);
      });
    }

    for (const queue of ["[null, ['Early']]", "null"]) {
      test(`when the queue is ${queue}`, async ({ expect }) => {
        const visit = await bench.visit({ prepare: `window.svc = () => {}; svc.q = ${queue}` });
        await visit.run(`svc("Signup")`);
        const early = queue === "null" ? [] : [visit.event("Early", "/")];
        expect(await visit.events()).toEqual([visit.pageview("/"), ...early, visit.event("Signup", "/")]);
      });
    }
  });

  describe.concurrent("privacy: nothing is stored in the browser", () => {
    const WATCHED = `
      window.writes = [];
      const watch = (owner, name) => {
        const original = owner[name];
        owner[name] = function (...args) { writes.push(name); return original.apply(this, args); };
      };
      watch(Storage.prototype, "setItem");
      watch(IDBFactory.prototype, "open");
      const cookie = Object.getOwnPropertyDescriptor(Document.prototype, "cookie");
      Object.defineProperty(document, "cookie", {
        get() { writes.push("cookie read"); return cookie.get.call(document); },
        set(value) { writes.push("cookie"); cookie.set.call(document, value); },
      });`;
    const GLOBALS = "Object.getOwnPropertyNames(window)";
    const BUSY = `
      svc("Signup", { props: { a: 1 }, revenue: 1, currency: "EUR" });
      history.pushState(null, "", "/next");
      new Promise((callback) => svc("Last", { callback }));`;

    test("the script sets no cookie, writes no storage and adds no global except svc", async ({ expect }) => {
      const bare = await bench.visit({ prepare: WATCHED, page: () => "<h1>Shop</h1>" });
      const usual = await bare.run<string[]>(GLOBALS);

      const attributes = { "data-outbound": "", "data-downloads": "", "data-hash": "", "data-honor-dnt": "" };
      const visit = await bench.visit({ prepare: WATCHED, attributes });
      await visit.run(BUSY);
      expect(await visit.run("writes")).toEqual([]);
      expect(await visit.run("[localStorage.length, sessionStorage.length]")).toEqual([0, 0]);
      expect(await visit.run("indexedDB.databases()")).toEqual([]);
      expect(await visit.context.cookies()).toEqual([]);
      const globals = await visit.run<string[]>(GLOBALS);
      expect(globals.filter((name) => !usual.includes(name))).toEqual(["svc"]);
      expect(await visit.events()).toHaveLength(4);
    });

    test("the script adds no request header to the browser's own", async ({ expect }) => {
      const visit = await bench.visit();
      await visit.run(BUSY);
      await visit.events();
      const sent = new Set(visit.recording.requests.flatMap(({ headers }) => Object.keys(headers)));
      expect([...sent].filter((name) => /cookie|authorization|^x-/.test(name))).toEqual([]);
    });
  });
}
