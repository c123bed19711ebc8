/** Outbound clicks and downloads: each is counted once, however the visitor triggers it, and none is delayed. */

import { describe, test } from "vitest";
import type { TrackerBench, Visit, VisitOptions } from "./support/tracker-bench.ts";

export function describeLinks(bench: TrackerBench): void {
  const OUTBOUND = { "data-outbound": "" };
  const DOWNLOADS = { "data-downloads": "" };

  /** Another site with a page and files, and a visit to a page with links to it. */
  const visitWithLinks = async (
    attributes: Record<string, string>,
    links: (elsewhere: string) => string,
    options: VisitOptions = {},
  ): Promise<{ visit: Visit; elsewhere: string }> => {
    const other = bench.createSite();
    other.publish("/", "<h1>elsewhere</h1>");
    // Of a kind that no browser shows in a tab of its own.
    const file = { body: "a file", headers: { "content-type": "application/octet-stream", "content-disposition": "attachment" } };
    for (const path of ["/report.zip", "/report.ZIP", "/report.xyz", "/report.", "/song.flac"]) other.publish(path, file);
    const visit = await bench.visit({ attributes, body: links(other.origin), ...options });
    visit.site.publish("/own.zip", file);
    return { visit, elsewhere: other.origin };
  };

  const outbound = (visit: Visit, url: string) => visit.event("Outbound Link: Click", "/", { p: JSON.stringify({ url }) });

  const download = (visit: Visit, url: string) => visit.event("File Download", "/", { p: JSON.stringify({ url }) });

  describe.concurrent("data-outbound", () => {
    test("a click on a link to another origin is one event, and the link works", async ({ expect }) => {
      const { visit, elsewhere } = await visitWithLinks(OUTBOUND, (origin) => `<a href="${origin}/?a=1#b">away</a>`);
      await visit.page.click("a");
      await visit.page.waitForURL(`${elsewhere}/?a=1#b`);
      expect(await visit.events()).toEqual([visit.pageview("/"), outbound(visit, `${elsewhere}/?a=1#b`)]);
    });

    test("a user name and a password in a link are not sent", async ({ expect }) => {
      const { visit, elsewhere } = await visitWithLinks({ ...OUTBOUND, ...DOWNLOADS }, (origin) =>
        ["/?a=1#b", "/report.zip"]
          .map((path) => `<a href="${origin.replace("//", "//me:secret@")}${path}" target="_blank">link</a>`)
          .join(" "),
      );
      for (const link of await visit.page.locator("a").all()) await link.click();
      expect(await visit.events()).toEqual([
        visit.pageview("/"),
        outbound(visit, `${elsewhere}/?a=1#b`),
        download(visit, `${elsewhere}/report.zip`),
      ]);
    });

    test("the host of a link is the one after its credentials", async ({ expect }) => {
      const { visit, elsewhere } = await visitWithLinks(OUTBOUND, () => "");
      visit.site.publish("/next", "<h1>next</h1>");
      const withUser = (origin: string, user: string) => origin.replace("//", `//${user}@`);
      await visit.run(`document.body.innerHTML =
        '<a href="${withUser(elsewhere, new URL(visit.site.origin).hostname)}/" target="_blank">away</a>' +
        '<a href="${withUser(visit.site.origin, "me:secret")}/next">next</a>'`);
      for (const link of await visit.page.locator("a").all()) await link.click();
      await visit.page.waitForURL("**/next");
      expect(await visit.events()).toEqual([visit.pageview("/"), outbound(visit, `${elsewhere}/`)]);
    });

    test("links to the page's host are not counted, with or without www., of any scheme and port", async ({ expect }) => {
      const { visit } = await visitWithLinks(OUTBOUND, () => "", { hostname: "www.shop.example" });
      for (const url of ["http://shop.example/", "https://www.shop.example/", "http://shop.example:8080/a"]) {
        await visit.run(`document.body.innerHTML = '<a href="${url}" target="_blank">own</a>'`);
        await visit.page.click("a");
      }
      await visit.run(`document.body.innerHTML = '<a href="http://blog.shop.example/" target="_blank">other</a>'`);
      await visit.page.click("a");
      expect(await visit.events()).toEqual([visit.pageview("/"), outbound(visit, "http://blog.shop.example/")]);
    });

    test("links to the hosts of data-own-hosts are not counted", async ({ expect }) => {
      const attributes = { ...OUTBOUND, "data-own-hosts": "*.shop.example, pay.example" };
      const { visit } = await visitWithLinks(attributes, () => "", { hostname: "shop.example" });
      const hosts = ["blog.shop.example", "a.b.shop.example", "pay.example", "notshop.example", "pay.example.net"];
      for (const host of hosts) {
        await visit.run(`document.body.innerHTML = '<a href="http://${host}/" target="_blank">link</a>'`);
        await visit.page.click("a");
      }
      const others = ["http://notshop.example/", "http://pay.example.net/"];
      expect(await visit.events()).toEqual([visit.pageview("/"), ...others.map((url) => outbound(visit, url))]);
    });

    test("nothing is sent without the attribute", async ({ expect }) => {
      const { visit, elsewhere } = await visitWithLinks({}, (origin) => `<a href="${origin}/">away</a>`);
      await visit.page.click("a");
      await visit.page.waitForURL(`${elsewhere}/`);
      expect(await visit.events()).toEqual([visit.pageview("/")]);
    });

    test("a link within the site is not counted", async ({ expect }) => {
      const { visit } = await visitWithLinks(OUTBOUND, () => `<a href="/next">next</a>`);
      visit.site.publish("/next", "<h1>next</h1>");
      await visit.page.click("a");
      await visit.page.waitForURL("**/next");
      expect(await visit.events()).toEqual([visit.pageview("/")]);
    });

    for (const href of ["mailto:a@shop.example", "tel:+4912345", "javascript:void 0", "data:text/plain,a", "#"]) {
      test(`a link to ${href} is not counted`, async ({ expect }) => {
        const { visit } = await visitWithLinks({ ...OUTBOUND, ...DOWNLOADS }, () => `<a href="${href}">link</a>`);
        await visit.page.click("a", { noWaitAfter: true });
        expect(await visit.events()).toEqual([visit.pageview("/")]);
      });
    }

    test("a link with an invalid address is not counted and causes no error", async ({ expect }) => {
      const { visit } = await visitWithLinks({ ...OUTBOUND, ...DOWNLOADS }, () => `<a href="http://[">link</a>`);
      await visit.page.click("a");
      expect(await visit.events()).toEqual([visit.pageview("/")]);
    });

    test("a click beside a link, or on an anchor without an address, is not counted", async ({ expect }) => {
      const { visit } = await visitWithLinks(OUTBOUND, () => `<p>text</p><a>no link</a>`);
      await visit.page.click("p");
      await visit.page.click("a");
      expect(await visit.events()).toEqual([visit.pageview("/")]);
    });

    test("a click with the right button is not counted", async ({ expect }) => {
      const { visit } = await visitWithLinks(OUTBOUND, (origin) => `<a href="${origin}/">away</a>`);
      await visit.page.click("a", { button: "right" });
      expect(await visit.events()).toEqual([visit.pageview("/")]);
    });

    test("a click with the middle button opens a tab and is one event", async ({ expect }) => {
      const { visit, elsewhere } = await visitWithLinks(OUTBOUND, (origin) => `<a href="${origin}/">away</a>`);
      const tab = visit.context.waitForEvent("page");
      await visit.page.click("a", { button: "middle" });
      await (await tab).waitForURL(`${elsewhere}/`);
      expect(await visit.events()).toEqual([visit.pageview("/"), outbound(visit, `${elsewhere}/`)]);
    });

    for (const key of ["Control", "Shift"] as const) {
      test(`a click with ${key} opens a tab or window and is one event`, async ({ expect }) => {
        const { visit, elsewhere } = await visitWithLinks(OUTBOUND, (origin) => `<a href="${origin}/">away</a>`);
        const tab = visit.context.waitForEvent("page");
        await visit.page.click("a", { modifiers: [key] });
        await (await tab).waitForURL(`${elsewhere}/`);
        expect(await visit.events()).toEqual([visit.pageview("/"), outbound(visit, `${elsewhere}/`)]);
      });
    }

    test("a click with Meta is one event", async ({ expect }) => {
      const { visit, elsewhere } = await visitWithLinks(OUTBOUND, (origin) => `<a href="${origin}/">away</a>`);
      await visit.page.click("a", { modifiers: ["Meta"] });
      expect(await visit.events()).toEqual([visit.pageview("/"), outbound(visit, `${elsewhere}/`)]);
    });

    test("Enter on a link is one event", async ({ expect }) => {
      const { visit, elsewhere } = await visitWithLinks(OUTBOUND, (origin) => `<a href="${origin}/">away</a>`);
      await visit.page.focus("a");
      await visit.page.keyboard.press("Enter");
      await visit.page.waitForURL(`${elsewhere}/`);
      expect(await visit.events()).toEqual([visit.pageview("/"), outbound(visit, `${elsewhere}/`)]);
    });

    const FORMS: Record<string, (origin: string) => string> = {
      "an element inside the link": (origin) => `<a href="${origin}/"><b>a <i class="target">way</i></b></a>`,
      "a link of SVG": (origin) => `<svg><a href="${origin}/"><text y="20" class="target">away</text></a></svg>`,
      "a link of SVG in its older form": (origin) => `<svg><a xlink:href="${origin}/"><text y="20" class="target">away</text></a></svg>`,
      "a picture with a link in it": (origin) => `
        <svg width="0" height="0"><symbol id="sign"><rect width="50" height="50"/></symbol></svg>
        <a href="${origin}/"><svg class="target" width="50" height="50"><use href="#sign"/></svg></a>`,
      "an area of an image map": (origin) => `
        <img class="target" usemap="#map" width="50" height="50" alt="map"
          src="data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==">
        <map name="map"><area shape="rect" coords="0,0,50,50" href="${origin}/" alt="away"></map>`,
      "a link in a shadow tree": (origin) => `
        <span class="target"></span>
        <script>
          document.querySelector(".target").attachShadow({ mode: "open" }).innerHTML = '<a href="${origin}/">away</a>';
        </script>`,
      "a relative link under a foreign base": (origin) => `<base href="${origin}/"><a class="target" href="./">away</a>`,
      "a relative link of SVG under a foreign base": (origin) =>
        `<base href="${origin}/"><svg><a href="./"><text y="20" class="target">away</text></a></svg>`,
      "a link added later": (origin) => `
        <script>
          document.body.insertAdjacentHTML("beforeend", '<a class="target" href="${origin}/">away</a>');
        </script>`,
    };
    for (const [form, links] of Object.entries(FORMS)) {
      test(`${form} is counted like any other link`, async ({ expect }) => {
        const { visit, elsewhere } = await visitWithLinks(OUTBOUND, links);
        await visit.page.click(".target");
        await visit.page.waitForURL(`${elsewhere}/`);
        expect(await visit.events()).toEqual([visit.pageview("/"), outbound(visit, `${elsewhere}/`)]);
      });
    }

    test("an SVG link within the site is not counted", async ({ expect }) => {
      const { visit } = await visitWithLinks(OUTBOUND, () => `<svg><a href="/next"><text y="20">next</text></a></svg>`);
      visit.site.publish("/next", "<h1>next</h1>");
      await visit.page.click("text");
      await visit.page.waitForURL("**/next");
      expect(await visit.events()).toEqual([visit.pageview("/")]);
    });

    test("a link with target=_blank opens its tab and is one event", async ({ expect }) => {
      const { visit, elsewhere } = await visitWithLinks(OUTBOUND, (origin) => `<a href="${origin}/" target="_blank">away</a>`);
      const tab = visit.context.waitForEvent("page");
      await visit.page.click("a");
      await (await tab).waitForURL(`${elsewhere}/`);
      expect(await visit.events()).toEqual([visit.pageview("/"), outbound(visit, `${elsewhere}/`)]);
    });

    for (const place of [`document.querySelector("a")`, "document.body", "document"]) {
      test(`a click that the site prevented at ${place} is not counted`, async ({ expect }) => {
        const { visit } = await visitWithLinks(
          { ...OUTBOUND, ...DOWNLOADS },
          (origin) => `
            <a href="${origin}/report.zip">away</a>
            <script>${place}.addEventListener("click", (event) => event.preventDefault())</script>`,
        );
        await visit.page.click("a");
        expect(await visit.events()).toEqual([visit.pageview("/")]);
      });
    }

    test("a click is neither prevented nor delayed, even while the service does not respond", async ({ expect }) => {
      const { visit, elsewhere } = await visitWithLinks(OUTBOUND, (origin) => `<a href="${origin}/">away</a>`);
      visit.recording.answer = "none";
      const isPrevented = visit.run(`new Promise((resolve) =>
        addEventListener("click", (event) => setTimeout(() => resolve(event.defaultPrevented))))`);
      // A tab of its own, so that this page lives to tell.
      await visit.page.click("a", { modifiers: ["Control"] });
      expect(await isPrevented).toBe(false);
      await visit.page.click("a");
      await visit.page.waitForURL(`${elsewhere}/`);
      const away = outbound(visit, `${elsewhere}/`);
      expect(await visit.events()).toEqual([visit.pageview("/"), away, away]);
    });
  });

  describe.concurrent("data-downloads", () => {
    test("a click on a file of the site is one event", async ({ expect }) => {
      const { visit } = await visitWithLinks(DOWNLOADS, () => `<a href="/own.zip">file</a>`);
      const file = visit.page.waitForEvent("download");
      await visit.page.click("a");
      await file;
      expect(await visit.events()).toEqual([visit.pageview("/"), download(visit, `${visit.site.origin}/own.zip`)]);
    });

    test("a click on a file of another origin is only a download event", async ({ expect }) => {
      const { visit, elsewhere } = await visitWithLinks(
        { ...OUTBOUND, ...DOWNLOADS },
        (origin) => `<a href="${origin}/report.zip">file</a>`,
      );
      const file = visit.page.waitForEvent("download");
      await visit.page.click("a");
      await file;
      expect(await visit.events()).toEqual([visit.pageview("/"), download(visit, `${elsewhere}/report.zip`)]);
    });

    test("without the attribute, a click on a file of another origin is an outbound event", async ({ expect }) => {
      const { visit, elsewhere } = await visitWithLinks(OUTBOUND, (origin) => `<a href="${origin}/report.zip">file</a>`);
      await visit.page.click("a");
      expect(await visit.events()).toEqual([visit.pageview("/"), outbound(visit, `${elsewhere}/report.zip`)]);
    });

    test("a link with the attribute download is one event, whatever its address ends in", async ({ expect }) => {
      const { visit, elsewhere } = await visitWithLinks(
        { ...OUTBOUND, ...DOWNLOADS },
        (origin) => `<a href="/export?format=xyz" download="all.xyz">own</a><a id="away" href="${origin}/report.xyz" download>away</a>`,
      );
      visit.site.publish("/export", "data");
      await visit.page.click("a");
      await visit.page.click("#away");
      expect(await visit.events()).toEqual([
        visit.pageview("/"),
        download(visit, `${visit.site.origin}/export`),
        download(visit, `${elsewhere}/report.xyz`),
      ]);
    });

    test("a file that opens in a new tab is one event", async ({ expect }) => {
      const { visit, elsewhere } = await visitWithLinks(DOWNLOADS, (origin) => `<a href="${origin}/report.zip" target="_blank">file</a>`);
      const tab = visit.context.waitForEvent("page");
      await visit.page.click("a");
      await tab;
      expect(await visit.events()).toEqual([visit.pageview("/"), download(visit, `${elsewhere}/report.zip`)]);
    });

    test("a file with a query is recognized, and its query is not sent", async ({ expect }) => {
      const { visit, elsewhere } = await visitWithLinks(
        DOWNLOADS,
        (origin) => `<a href="${origin}/report.ZIP?signature=secret#page=2">file</a>`,
      );
      await visit.page.click("a");
      expect(await visit.events()).toEqual([visit.pageview("/"), download(visit, `${elsewhere}/report.ZIP`)]);
    });

    test("links without a default file extension are not counted", async ({ expect }) => {
      const paths = ["/report.xyz", "/?file=report.pdf", "/#report.pdf", "/pdf", "/report.zip.html", "/report."];
      const { visit } = await visitWithLinks(DOWNLOADS, (origin) =>
        paths.map((path) => `<a href="${origin}${path}" target="_blank">link</a>`).join(" "),
      );
      for (const link of await visit.page.locator("a").all()) await link.click();
      expect(await visit.events()).toEqual([visit.pageview("/")]);
    });

    for (const extensions of ["xyz,flac", " .xyz , .FLAC ", "xyz;flac,"]) {
      test(`data-download-ext="${extensions}" replaces the default extensions`, async ({ expect }) => {
        const { visit, elsewhere } = await visitWithLinks(
          { ...DOWNLOADS, "data-download-ext": extensions },
          (origin) => `
            <a id="listed" href="${origin}/report.xyz">file</a>
            <a id="also" href="${origin}/song.flac">file</a>
            <a id="unlisted" href="${origin}/report.zip">file</a>
            <a id="without" href="${origin}/report.">file</a>`,
        );
        for (const id of ["#listed", "#also", "#unlisted", "#without"]) await visit.page.click(id);
        expect(await visit.events()).toEqual([
          visit.pageview("/"),
          download(visit, `${elsewhere}/report.xyz`),
          download(visit, `${elsewhere}/song.flac`),
        ]);
      });
    }
  });
}
