/** Visits that are not counted: local addresses, automated browsers, visitors who opted out, and pages that the site excluded. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, test } from "vitest";
import { scriptTag, type TrackerBench } from "./support/tracker-bench.ts";

export function describeUncounted(bench: TrackerBench): void {
  describe.concurrent("data-include-local", () => {
    for (const hostname of [
      "localhost",
      "shop.localhost",
      "127.0.0.1",
      "127.8.8.8",
      "10.1.2.3",
      "172.16.0.1",
      "172.31.255.255",
      "192.168.1.10",
      "169.254.1.1",
      "[::1]",
      "[fd00::1]",
      "[fe80::1]",
    ]) {
      test(`${hostname} is local and not counted without the attribute`, async ({ expect }) => {
        const visit = await bench.visit({ hostname });
        await visit.run(`svc("Signup")`);
        expect(await visit.events()).toEqual([]);
      });
    }

    for (const hostname of [
      "172.15.0.1",
      "172.32.0.1",
      "192.169.1.1",
      "11.0.0.1",
      "[2001:db8::1]",
      "localhost.example",
      "mylocalhost",
      "10.example",
      "fd00.example",
    ]) {
      test(`${hostname} is not local and counted`, async ({ expect }) => {
        const visit = await bench.visit({ hostname });
        expect(await visit.events()).toEqual([visit.pageview("/")]);
      });
    }

    for (const hostname of ["localhost", "192.168.1.10", "[::1]"]) {
      test(`${hostname} is counted if the attribute is set`, async ({ expect }) => {
        const visit = await bench.visit({ hostname, attributes: { "data-include-local": "" } });
        expect(await visit.events()).toEqual([visit.pageview("/")]);
      });
    }

    test("a page opened as a file is local and not counted", async ({ expect, onTestFinished }) => {
      const visit = await bench.visit({ page: () => "" });
      const directory = await mkdtemp(join(tmpdir(), "sandpiper-page-"));
      onTestFinished(() => rm(directory, { recursive: true }));
      const file = (name: string): string => join(directory, name);
      await writeFile(file("without.html"), scriptTag(visit.recording));
      await writeFile(file("with.html"), scriptTag(visit.recording, { "data-include-local": "true" }));
      await visit.page.goto(pathToFileURL(file("without.html")).href);
      await visit.page.goto(pathToFileURL(file("with.html")).href);
      // The service takes no address of a file for a page.
      expect(await visit.events()).toEqual([visit.pageview("/", { u: pathToFileURL(file("with.html")).pathname })]);
    });

    test("the value false disables it", async ({ expect }) => {
      const visit = await bench.visit({ hostname: "off.localhost", attributes: { "data-include-local": "false" } });
      expect(await visit.events()).toEqual([]);
    });
  });

  describe.concurrent("automated browsers", () => {
    test("are not counted", async ({ expect }) => {
      const visit = await bench.visit({ automated: true });
      await visit.run(`svc("Signup")`);
      expect(await visit.run("navigator.webdriver")).toBe(true);
      expect(await visit.events()).toEqual([]);
    });

    test("are counted with data-include-local", async ({ expect }) => {
      const visit = await bench.visit({ automated: true, attributes: { "data-include-local": "" } });
      expect(await visit.events()).toEqual([visit.pageview("/", { t: 2 })]);
    });
  });

  describe.concurrent("data-honor-dnt", () => {
    const DO_NOT_TRACK = `Object.defineProperty(navigator, "doNotTrack", { get: () => "1" })`;
    const PRIVACY_CONTROL = `Object.defineProperty(navigator, "globalPrivacyControl", { get: () => true })`;

    for (const [name, prepare] of [
      ["Do Not Track", DO_NOT_TRACK],
      ["Global Privacy Control", PRIVACY_CONTROL],
    ] as const) {
      test(`skips visitors with ${name}`, async ({ expect }) => {
        const visit = await bench.visit({ prepare, attributes: { "data-honor-dnt": "" } });
        await visit.run(`svc("Signup")`);
        expect(await visit.events()).toEqual([]);
      });

      test(`is off by default: a visitor with ${name} is counted`, async ({ expect }) => {
        const visit = await bench.visit({ prepare });
        expect(await visit.events()).toEqual([visit.pageview("/")]);
      });
    }

    test("counts visitors without a preference, or who allow tracking", async ({ expect }) => {
      const attributes = { "data-honor-dnt": "" };
      const silent = await bench.visit({ attributes });
      expect(await silent.events()).toEqual([silent.pageview("/")]);
      const willing = await bench.visit({ attributes, prepare: DO_NOT_TRACK.replace(`"1"`, `"0"`) });
      expect(await willing.events()).toEqual([willing.pageview("/")]);
    });
  });

  describe.concurrent("opting out", () => {
    test("takes effect in that browser at once, and can be undone", async ({ expect }) => {
      const visit = await bench.visit();
      await visit.run(`localStorage.setItem("svc_ignore", "true")`);
      await visit.run(`svc("Ignored")`);
      await visit.page.reload();
      await visit.run(`localStorage.removeItem("svc_ignore")`);
      await visit.run(`svc("Counted")`);
      expect(await visit.events()).toEqual([visit.pageview("/"), visit.event("Counted", "/")]);
    });

    test("requires the value true", async ({ expect }) => {
      const visit = await bench.visit();
      await visit.run(`localStorage.setItem("svc_ignore", "false")`);
      await visit.page.reload();
      expect(await visit.events()).toEqual([visit.pageview("/"), visit.pageview("/")]);
    });

    test("is not assumed where storage cannot be read", async ({ expect }) => {
      const visit = await bench.visit({ headers: { "content-security-policy": "sandbox allow-scripts" } });
      const fault = await visit.run(`try { localStorage } catch (fault) { fault.name }`);
      expect(fault).toBe("SecurityError");
      expect(await visit.events()).toEqual([visit.pageview("/")]);
    });
  });

  describe.concurrent("data-frames", () => {
    const framed = async (attributes: Record<string, string>) => {
      const visit = await bench.visit({ page: () => "" });
      visit.site.publish("/inner", scriptTag(visit.recording, attributes));
      visit.site.publish("/outer", `${visit.tag}<iframe src="/inner"></iframe>`);
      await visit.page.goto(`${visit.site.origin}/outer`);
      await visit.page.frameLocator("iframe").locator("body").waitFor({ state: "attached" });
      return visit;
    };

    test("a frame in another page of its origin is not counted without the attribute", async ({ expect }) => {
      const visit = await framed({});
      expect(await visit.events()).toEqual([visit.pageview("/outer")]);
    });

    test("such a frame is counted if the attribute is set", async ({ expect }) => {
      const visit = await framed({ "data-frames": "" });
      const events = await visit.events();
      expect(events).toHaveLength(2);
      expect(events).toEqual(
        expect.arrayContaining([visit.pageview("/outer"), visit.pageview("/inner", { w: expect.any(Number) as unknown })]),
      );
    });

    test("a frame in a page of another site is counted", async ({ expect }) => {
      const other = bench.createSite();
      const visit = await bench.visit({ page: () => "" });
      visit.site.publish("/inner", visit.tag);
      other.publish("/", `<iframe src="${visit.site.origin}/inner"></iframe>`);
      await visit.page.goto(`${other.origin}/`);
      expect(await visit.events()).toEqual([visit.pageview("/inner", { r: `${other.origin}/`, w: expect.any(Number) as unknown })]);
    });
  });

  describe.concurrent("data-exclude", () => {
    for (const [patterns, skipped, counted] of [
      ["/admin", ["/admin", "/admin/", "/admin?tab=1"], ["/admin/users", "/administration", "/shop/admin"]],
      ["/admin/*", ["/admin/", "/admin/users/7"], ["/admin", "/shop/admin/users"]],
      ["/admin*", ["/admin", "/administration"], ["/"]],
      ["/posts/*/edit", ["/posts/7/edit", "/posts/7/8/edit"], ["/posts/7", "/posts/edit"]],
      ["*/edit", ["/posts/7/edit"], ["/posts/7/editor"]],
      ["/a.b,/a(b)+[c]", ["/a.b", "/a(b)+[c]"], ["/axb", "/abbc"]],
      ["/one, /two ,/three", ["/one", "/two", "/three"], ["/four"]],
      ["/one,", ["/one"], ["/"]],
      ["/über/*,/gr%C3%BCn", ["/%C3%BCber/uns", "/grün"], ["/ueber", "/gr"]],
      ["*", ["/", "/any/page"], []],
      ["", [], ["/", "/any"]],
    ] as const) {
      test(`"${patterns}" skips ${skipped.join(" ") || "nothing"}, not ${counted.join(" ") || "anything else"}`, async ({ expect }) => {
        const [first = "/", ...moves] = [...skipped, ...counted];
        const visit = await bench.visit({ attributes: { "data-exclude": patterns }, path: first });
        await visit.run(`svc("Signup")`);
        for (const path of moves) await visit.run(`history.pushState(null, "", "${path}"); svc("Signup")`);
        expect(await visit.events()).toEqual(counted.flatMap((path) => [visit.pageview(path), visit.event("Signup", path)]));
      });
    }

    test("applies to each page that the visitor navigates to", async ({ expect }) => {
      const visit = await bench.visit({ attributes: { "data-exclude": "/admin/*" }, path: "/admin/users" });
      await visit.run(`history.pushState(null, "", "/shop")`);
      await visit.run(`history.pushState(null, "", "/admin/orders")`);
      await visit.page.goBack();
      expect(await visit.events()).toEqual([visit.pageview("/shop"), visit.pageview("/shop")]);
    });

    test("applies to the address that would be sent", async ({ expect }) => {
      const attributes = { "data-exclude": "/admin/*", "data-hash": "" };
      const visit = await bench.visit({ attributes, path: "/#/admin/users" });
      await visit.run(`svc("Hidden", { url: "/admin/orders" })`);
      await visit.run(`svc("Shown", { url: "/shop" })`);
      expect(await visit.events()).toEqual([visit.event("Shown", "/shop")]);
    });
  });
}
