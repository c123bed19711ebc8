/** What the HTML of a page says about the installation. */
import { describe, expect, it } from "vitest";
import { findingsIn, type HtmlFindings } from "../../../../src/runtime/installation/page-findings.ts";
import { growthOf, GROWTH_MAX, SIZE_RATIO } from "../../../support/growth.ts";

const SCRIPT = "https://stats.example.com/svc.js";
const TAG = `<script defer data-domain="shop.example" src="${SCRIPT}"></script>`;

function findings(html: string, { policy = "", page = "https://shop.example/a/b", proxiedPaths = ["/lib/hello.js"] } = {}): HtmlFindings {
  const fetched = { status: 200, location: null, contentType: "text/html", policy, html };
  return findingsIn(fetched, new URL(page), { scriptUrl: new URL(SCRIPT), proxiedPaths });
}

const FOUND: HtmlFindings = {
  script: "found",
  dataDomain: "shop.example",
  usesTagManager: false,
  scriptBlockedBy: null,
  eventsBlockedBy: null,
};

describe("the findings in a page", () => {
  it.each([
    ["the tag", TAG],
    ["a tag with a query", TAG.replace("svc.js", "svc.js?v=2")],
    ["a tag with the scheme of the page", TAG.replace("https:", "")],
    ["a tag with the alias", TAG.replace("/svc.js", "/js/script.js")],
    ["a tag with a path that the site proxies", TAG.replace(SCRIPT, "/lib/hello.js")],
    ["a tag relative to the base element", `<base href="https://stats.example.com/x/">${TAG.replace(SCRIPT, "../svc.js")}`],
    ["the tag behind one of another service", `<script data-domain="a" src="https://other.example/svc.js"></script>${TAG}`],
    ["the tag behind others", `<script src="/js/script.js"></script><script src="https://[">  </script>${TAG}`],
  ])("are complete with %s", (_name, html) => {
    expect(findings(html)).toEqual(FOUND);
  });

  it("recognize the script below a path of its host", () => {
    const findingsBelow = (html: string, policy: string) => {
      const fetched = { status: 200, location: null, contentType: "text/html", policy, html };
      const installed = { scriptUrl: new URL("https://example.com/stats/svc.js"), proxiedPaths: ["/lib/hello.js"] };
      return findingsIn(fetched, new URL("https://shop.example/"), installed);
    };
    const policy = "connect-src https://example.com/stats/api/event";
    expect(findingsBelow(TAG.replace(SCRIPT, "https://example.com/stats/svc.js"), policy)).toEqual(FOUND);
    expect(findingsBelow(TAG.replace(SCRIPT, "https://example.com/stats/js/script.js"), policy)).toEqual(FOUND);
    expect(findingsBelow(TAG.replace(SCRIPT, "https://example.com/stats/lib/hello.js"), policy)).toEqual(FOUND);
    expect(findingsBelow(TAG.replace(SCRIPT, "https://example.com/svc.js"), policy).script).toBe("other_address");
    expect(findingsBelow(TAG.replace(SCRIPT, "https://example.com/other/svc.js"), policy).script).toBe("absent");
  });

  it("ignore a second base element, and addresses that are too long", () => {
    const bases = `<base href="https://["><base href="https://other.example/x/">`;
    expect(findings(`${bases}${TAG.replace(SCRIPT, "/lib/hello.js")}`, { policy: "script-src 'self'" })).toMatchObject({
      script: "found",
      scriptBlockedBy: null,
    });
    expect(findings(TAG.replace("svc.js", `svc.js?${"a".repeat(5_000)}`)).script).not.toBe("found");
  });

  it.each([
    [
      "many scripts below a long base",
      (n: number) => `<base href="https://a.example/${"a".repeat(n)}/">${"<script src=x></script>".repeat(n / 20)}`,
    ],
    ["many scripts", (n: number) => "<script src=/svc.js data-domain=a></script>".repeat(n / 20)],
    [
      "a long policy",
      (n: number) => `<meta http-equiv="content-security-policy" content="script-src ${"https://a.b:1/c ".repeat(n / 10)}">`,
    ],
  ])("take time linear in the length of the page: %s", async (_name, pageOf) => {
    const growth = await growthOf(
      () => findings(pageOf(100_000 / SIZE_RATIO)),
      () => findings(pageOf(100_000)),
    );
    expect(growth).toBeLessThan(GROWTH_MAX);
  });

  it("name the site of the tag, unless it is not a site id", () => {
    expect(findings(TAG.replace("shop.example", "www.shop.example")).dataDomain).toBe("www.shop.example");
    expect(findings(TAG.replace("shop.example", "shop.example, <secret>, all.example")).dataDomain).toBe("shop.example,all.example");
    expect(findings(TAG.replace("shop.example", "<secret text>")).dataDomain).toBeNull();
    expect(findings(`<script src="${SCRIPT}"></script>`)).toEqual({ ...FOUND, dataDomain: null });
  });

  it("distinguish a tag that points elsewhere, an address outside tags, and nothing", () => {
    expect(findings(TAG.replace("stats.example.com", "old.example.com"))).toMatchObject({
      script: "other_address",
      dataDomain: "shop.example",
    });
    expect(findings(`<link rel="preload" as="script" href="${SCRIPT}">`)).toMatchObject({ script: "mentioned", dataDomain: null });
    expect(findings(`<!-- ${TAG} --><noscript>${TAG}</noscript>`)).toMatchObject({ script: "mentioned" });
    expect(findings("<h1>Shop</h1>")).toMatchObject({ script: "absent", usesTagManager: false });
    expect(findings(`<script>a("https://www.googletagmanager.com/gtm.js")</script>`)).toMatchObject({
      script: "absent",
      usesTagManager: true,
    });
  });

  it("check where the tag sends events: to data-api, else beside the script", () => {
    const policy = "connect-src 'self' https://stats.example.com/api/event";
    expect(findings(TAG, { policy })).toEqual(FOUND);
    expect(findings(TAG.replace("/svc.js", "/js/script.js"), { policy })).toEqual(FOUND);
    expect(findings(TAG.replace(SCRIPT, "/lib/hello.js"), { policy: "connect-src https://shop.example/api/event" })).toEqual(FOUND);
    const toOther = TAG.replace("defer", `data-api="https://other.example/api/event"`);
    expect(findings(toOther, { policy }).eventsBlockedBy).toBe("policy");
    expect(findings(toOther.replace("https://other.example", ""), { policy })).toEqual(FOUND);
  });

  it("report that an https page loads nothing over http, whatever its policy says", () => {
    expect(findings(TAG.replace("https:", "http:"), { policy: "script-src 'none'" })).toMatchObject({
      scriptBlockedBy: "mixed_content",
      eventsBlockedBy: "mixed_content",
    });
    expect(findings(TAG.replace("https:", "http:"), { page: "http://shop.example/" })).toEqual(FOUND);
  });

  it("consider the nonce of the tag", () => {
    const policy = "script-src 'nonce-abc' 'strict-dynamic'";
    expect(findings(TAG, { policy }).scriptBlockedBy).toBe("policy");
    expect(findings(TAG.replace("defer", `nonce="abc"`), { policy }).scriptBlockedBy).toBeNull();
    expect(findings("", { policy }).scriptBlockedBy).toBeNull();
  });
});
