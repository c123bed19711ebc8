/** The site id of a typed domain. */
import { describe, expect, it } from "vitest";
import { siteIdFrom, siteIdsFrom } from "../../../../dashboard/setup/site-id.ts";

describe("a typed domain", () => {
  it.each([
    ["example.com", "example.com"],
    ["Example.COM", "example.com"],
    ["  example.com. ", "example.com"],
    ["https://example.com/shop?a=b#c", "example.com"],
    ["HTTPS://Example.com:443", "example.com"],
    ["http://example.com:80/", "example.com"],
    ["example.com:8443/", "example.com:8443"],
    ["https://www.example.com/", "www.example.com"],
    ["localhost:3000", "localhost:3000"],
    ["192.168.1.2:3000", "192.168.1.2:3000"],
    ["Bücher.example", "xn--bcher-kva.example"],
    ["exämple.de", "xn--exmple-cua.de"],
    ["my_shop.example", "my_shop.example"],
  ])("the typed domain %j is the site %s", (typed, siteId) => {
    expect(siteIdFrom(typed)).toBe(siteId);
  });

  it.each(["", "https://", "example .com", "*.example.com", "example.com:port", "[::1]:3000", "a.com, b.com", `${"a".repeat(256)}.com`])(
    "%j is no site",
    (typed) => {
      expect(siteIdFrom(typed)).toBeNull();
    },
  );

  it.each([
    ["https://www.myshop.com/", ["myshop.com", "www.myshop.com"]],
    ["WWW.Bücher.example:8443", ["xn--bcher-kva.example:8443", "www.xn--bcher-kva.example:8443"]],
    ["myshop.com", ["myshop.com"]],
    ["www.com", ["www.com"]],
    ["www2.myshop.com", ["www2.myshop.com"]],
    ["example .com", []],
  ])("the typed domain %j offers %j", (typed, siteIds) => {
    expect(siteIdsFrom(typed)).toEqual(siteIds);
  });
});
