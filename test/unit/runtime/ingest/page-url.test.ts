import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normalizePath } from "../../../../src/shared/paths.ts";
import { AppError } from "../../../../src/runtime/base/errors.ts";
import { type PageRules, parsePageUrl as parseWith } from "../../../../src/runtime/ingest/urls.ts";
import { CLICK_IDS } from "../../../../src/shared/click-ids.ts";
import { DEFAULT_SETTINGS } from "../../../../src/runtime/sites/site-settings.ts";

const parsePageUrl = (url: string, rules: Partial<PageRules> = {}) => parseWith(url, { ...DEFAULT_SETTINGS, ...rules });

const noCampaign = { utmSource: null, utmMedium: null, utmCampaign: null, utmContent: null, utmTerm: null, clickId: null };

describe("pathname and hostname", () => {
  it.each([
    ["https://example.com", "/", "example.com"],
    ["https://example.com/", "/", "example.com"],
    ["https://example.com///", "/", "example.com"],
    ["https://example.com/blog/", "/blog", "example.com"],
    ["https://example.com/blog///", "/blog", "example.com"],
    ["https://example.com/Blog/Post", "/Blog/Post", "example.com"],
    ["http://EXAMPLE.com:8080/a?b=c#d", "/a", "example.com"],
    ["HTTPS://Example.COM/a/../b/./c", "/b/c", "example.com"],
    ["https://user:secret@example.com/a", "/a", "example.com"],
    ["https://example.com?x=/y/", "/", "example.com"],
    ["https://example.com#/hash", "/", "example.com"],
    ["  https://example.com/a\n", "/a", "example.com"],
    ["https://münchen.example/straße", "/stra%C3%9Fe", "xn--mnchen-3ya.example"],
    ["https://example.com/stra%c3%9fe%20x", "/stra%C3%9Fe%20x", "example.com"],
    ["https://example.com/%7Eann/%2e%2e/%41%2fb", "/A%2Fb", "example.com"],
    ["https://shop.example./x", "/x", "shop.example"],
    ["https://www.Shop.Example..:8443/x/", "/x", "www.shop.example"],
    ["https://[2001:DB8::1]/a", "/a", "[2001:db8::1]"],
    ["https://192.0.2.7/a", "/a", "192.0.2.7"],
    ["http://localhost:3000/a/", "/a", "localhost"],
    ["https://example.com//a//b/", "//a//b", "example.com"],
    ["/", "/", null],
    ["/a/b/?utm_x=1#c", "/a/b", null],
    ["/Case/Kept", "/Case/Kept", null],
    ["/a:b@c", "/a:b@c", null],
    ["//host/path", "//host/path", null],
    ["//host", "//host", null],
    ["///", "/", null],
    ["/\\host/path", "//host/path", null],
    ["/../../etc/passwd", "/etc/passwd", null],
    ["/?a", "/", null],
    ["/#a", "/", null],
    ["/https://example.com/", "/https://example.com", null],
    ["/a\u0000b", "/a%00b", null],
    ["/a\ud800b", "/a%EF%BF%BDb", null],
    ["/😀", "/%F0%9F%98%80", null],
  ])("%j is stored as %j of %j", (url, pathname, hostname) => {
    expect(parsePageUrl(url)).toEqual({ pathname, hostname, ...noCampaign });
  });

  it.each([
    "example.com/a",
    "a",
    "?a",
    "#a",
    " /a",
    "\\a",
    "ftp://example.com/a",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:text/html,x",
    "about:blank",
    "mailto:a@example.com",
    "https://",
    "https://exa mple.com/",
    "https://example.com:99999/",
    "http://[::1/",
    "android-app://com.example/",
    "chrome-extension://abc/page.html",
    "\ud800",
    "\u0000",
  ])("%j gives 400", (url) => {
    expect(() => parsePageUrl(url)).toThrow(AppError);
    expect(() => parsePageUrl(url)).toThrow(
      'Field "u" must be an absolute http or https URL whose host has at most 320 characters, or a path that starts with "/"',
    );
    expect(() => parsePageUrl(url)).toThrow(expect.objectContaining({ failure: { code: "invalid_input" } }));
  });

  it.each([
    ["a long path is cut", `/${"x".repeat(3000)}`, `/${"x".repeat(2047)}`],
    ["no part of an escape is left", `/${"x".repeat(2045)}é`, `/${"x".repeat(2045)}`],
    ["nor one character less", `/${"x".repeat(2046)}é`, `/${"x".repeat(2046)}`],
    ["a whole escape stays", `/${"x".repeat(2044)}%21%22`, `/${"x".repeat(2044)}%21`],
    ["a slash at the cut goes", `/${"x".repeat(2046)}/yyy`, `/${"x".repeat(2046)}`],
    ["a path that grows by its escapes is cut", `/${"漢".repeat(2047)}`, `/${"%E6%BC%A2".repeat(227)}%E6`],
  ])("is cut to 2048 characters: %s", (_case, url, pathname) => {
    expect(parsePageUrl(url).pathname).toBe(pathname);
    expect(parsePageUrl(`https://example.com${url}`).pathname).toBe(pathname);
  });

  it.each([
    ["/viewtopic.php?t=1&sid=9", ["t"], "/viewtopic.php?t=1"],
    ["/viewtopic.php?start=15&t=1", ["t", "start", "f"], "/viewtopic.php?start=15&t=1"],
    ["/?page_id=12", ["page_id"], "/?page_id=12"],
    ["/forum/?t=1", ["t"], "/forum?t=1"],
    ["/a?t=1&t=2&t=", ["t"], "/a?t=2"],
    ["/a?t=", ["t"], "/a"],
    ["/a?x=1&amp;t=2", ["t"], "/a?t=2"],
    ["/a?T=1", ["t"], "/a"],
    ["/a?q=%c3%a9+%26b", ["q"], "/a?q=%C3%A9%20%26b"],
    ["/a?item[id]=3", ["item[id]"], "/a?item[id]=3"],
    [`/${"x".repeat(2000)}?a=1&b=${"y".repeat(46)}`, ["a", "b"], `/${"x".repeat(2000)}?a=1`],
    [`/${"x".repeat(2046)}?a=1`, ["a"], `/${"x".repeat(2046)}`],
  ])("has the parameters that the site names: %s with %j is %s", (url, pageParameters, pathname) => {
    expect(parsePageUrl(url, { pageParameters }).pathname).toBe(pathname);
    expect(normalizePath(pathname)).toBe(pathname);
  });

  it("has one slash for several if the site says so", () => {
    expect(parsePageUrl("https://a.test//x///y//?z=//", { mergeSlashes: true }).pathname).toBe("/x/y");
    expect(parsePageUrl("//x", { mergeSlashes: true })).toMatchObject({ pathname: "/x", hostname: null });
  });

  it.each([
    ["capacitor://localhost/tabs/home/?utm_source=a#x", "/tabs/home", "localhost"],
    ["ionic://localhost", "/", "localhost"],
    ["tauri://localhost/caf%c3%a9", "/caf%C3%A9", "localhost"],
    ["APP://Com.Example./index.html", "/index.html", "com.example"],
    ["app:///index.html", "/index.html", null],
    ["app:/index.html", "/index.html", null],
    ["app://user:secret@host/a", "/a", "host"],
  ])("of an app is %s only where the site accepts these: as %s of %s", (url, pathname, hostname) => {
    expect(() => parsePageUrl(url)).toThrow(AppError);
    expect(parsePageUrl(url, { appPages: true })).toMatchObject({ pathname, hostname });
  });

  it.each(["app:index.html", "capacitor:", "file:///etc/passwd", "javascript:alert(1)", "chrome-extension://abc/page.html"])(
    "%s is refused even where the site accepts pages of apps",
    (url) => {
      expect(() => parsePageUrl(url, { appPages: true })).toThrow(AppError);
    },
  );

  it("is rejected for any text, or is a path that parses to itself", () => {
    const pieces = fc.constantFrom(
      "/",
      "//",
      "\\",
      "a",
      "%",
      "%4",
      "%C3%A9",
      "é",
      "😀",
      "\ud800",
      "?",
      "#",
      ":",
      "@",
      ".",
      "..",
      " ",
      "\t",
    );
    const texts = fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.constantFrom("", "/", "https://example.com", "https://example.com/"), texts, (start, rest) => {
        let page;
        try {
          page = parsePageUrl(start + rest);
        } catch (error) {
          expect(error).toBeInstanceOf(AppError);
          return;
        }
        expect(page.pathname).toMatch(/^\/(?:[\x21-\x7e]*[^/])?$/);
        expect(parsePageUrl(page.pathname).pathname).toBe(page.pathname);
      }),
    );
  });
});

describe("campaign parameters", () => {
  it("are read from the query string", () => {
    const url = "https://example.com/?utm_source=News&utm_medium=email&utm_campaign=May&utm_content=top&utm_term=shoes&x=1";
    expect(parsePageUrl(url)).toEqual({
      pathname: "/",
      hostname: "example.com",
      utmSource: "News",
      utmMedium: "email",
      utmCampaign: "May",
      utmContent: "top",
      utmTerm: "shoes",
      clickId: null,
    });
  });

  it.each([
    ["a bare path has them too", "/?utm_source=a", "a"],
    ["escapes are decoded", "/?utm_source=caf%C3%A9%20au+lait", "café au lait"],
    ["names may be escaped", "/?utm_source=a&utm%5Fsource=b", "b"],
    ["names may be escaped from their beginning on", "/?%75tm_source=a", "a"],
    ["space around is trimmed", "/?utm_source=%20%09a%20b%C2%A0", "a b"],
    ["empty is unrecorded", "/?utm_source=", null],
    ["blank is unrecorded", "/?utm_source=+%20", null],
    ["a name without a value is unrecorded", "/?utm_source", null],
    ["the last of several wins", "/?utm_source=a&utm_source=b", "b"],
    ["an empty one after it does not count", "/?utm_source=a&utm_source=&utm_source=%20", "a"],
    ["&amp; separates as & does", "/?x=1&amp;utm_source=a&amp;utm_medium=b", "a"],
    ["&amp; that was escaped twice separates", "/?x=1&amp;amp;utm_source=a", "a"],
    ["an escaped &amp; is part of a value", "/?utm_source=a%26amp;b", "a&amp;b"],
    ["no other entity is read", "/?x=1&lt;utm_source=a", null],
    ["names are told apart by case", "/?UTM_SOURCE=a", null],
    ["other names do not count", "/?my_utm_source=a&utm_source2=b", null],
    ["the fragment does not count", "/#?utm_source=a", null],
    ["damaged escapes become U+FFFD", "/?utm_source=%ff%zz", "\uFFFD%zz"],
    ["NUL stays", "/?utm_source=a%00b", "a\u0000b"],
    ["lone surrogates become U+FFFD", "/?utm_source=\ud800", "\uFFFD"],
    ["a long value is cut at 256 characters", `/?utm_source=${"x".repeat(300)}`, "x".repeat(256)],
    ["and not within one", `/?utm_source=${"😀".repeat(300)}`, "😀".repeat(256)],
  ])("parsePageUrl reads utm_source by the rules of queries: %s", (_case, url, expected) => {
    expect(parsePageUrl(url).utmSource).toBe(expected);
  });
});

describe("click ids", () => {
  it.each(CLICK_IDS)("a URL with %s has this kind, and its value is in no field", (kind) => {
    const page = parsePageUrl(`https://example.com/a?x=1&${kind}=Secret-42`);
    expect(page).toEqual({ ...noCampaign, pathname: "/a", hostname: "example.com", clickId: kind });
  });

  it.each([
    ["an empty one does not count", "/?gclid=", null],
    ["one without a value does not count", "/?gclid", null],
    ["other names do not count", "/?my_gclid=1&gclid2=1&GCLID=1", null],
    ["a value does not count", "/?x=gclid", null],
    ["the fragment does not count", "/#?gclid=1", null],
    ["a name may be escaped", "/?%67clid=1", "gclid"],
    ["&amp; separates", "/?utm_source=a&amp;msclkid=1", "msclkid"],
    ["the last one counts, which its platform appended", "/?gclid=1&fbclid=2", "fbclid"],
    ["an empty last one does not hide another", "/?gclid=1&fbclid=", "gclid"],
    ["it may be the only parameter of a path", "/sale?ScCid=8f", "ScCid"],
  ])("parsePageUrl finds the kind of a click id: %s", (_case, url, expected) => {
    expect(parsePageUrl(url).clickId).toBe(expected);
  });

  it.each([
    ["ref where there is no utm_source", "/?ref=producthunt", "producthunt"],
    ["source, too", "https://example.com/?source=letter&x=1", "letter"],
    ["utm_source comes first", "/?ref=a&utm_source=b", "b"],
    ["the first of the settings that has a value", "/?source=b&ref=a", "a"],
    ["an empty one is passed over", "/?ref=&source=b", "b"],
    ["other names do not count", "/?my_ref=a&resource=b", null],
    ["nothing of them in the URL", "/?x=1", null],
  ])("a site may count ref and source as utm_source: %s", (_case, url, expected) => {
    expect(parsePageUrl(url, { sourceParameters: ["ref", "source"] }).utmSource).toBe(expected);
    if (!url.includes("utm_source")) expect(parsePageUrl(url).utmSource).toBe(null);
  });
});
