/** Paths and hosts: one stored spelling, and a readable one that leads back to it. */
import { describe, expect, it } from "vitest";
import {
  normalizeHost,
  normalizeHostPart,
  normalizePath,
  normalizePathPart,
  readableHost,
  readablePath,
} from "../../../src/shared/paths.ts";
import { filled, GROWTH_MAX, growthOf, SIZE_RATIO } from "../../support/growth.ts";

const KIKAI = "/%E6%A9%9F%E6%A2%B0";

describe("normalizePath", () => {
  it.each([
    ["/", "/"],
    ["///", "/"],
    ["/pricing/", "/pricing"],
    ["/Pricing", "/Pricing"],
    ["/menü", "/men%C3%BC"],
    ["/men%c3%bc/", "/men%C3%BC"],
    ["/機械", KIKAI],
    [KIKAI.toLowerCase(), KIKAI],
    ["/%7ejo%2E%6Cog", "/~jo.log"],
    ["/a%2fb%3fc%25", "/a%2Fb%3Fc%25"],
    ['/a b"<>`{}^', "/a%20b%22%3C%3E%60%7B%7D%5E"],
    ["/a|b[c]!$&'()*+,;=:@", "/a|b[c]!$&'()*+,;=:@"],
    ["/a#b", "/a%23b"],
    ["/a\\b", "/a/b"],
    ["/x/./y/../z", "/x/z"],
    ["/%2E%2e/z/%2e", "/z"],
    ["/../..", "/"],
    ["/.well-known/...", "/.well-known/..."],
    ["/a//b", "/a//b"],
    ["/\u017Ftra\u00DFe/\u212A", "/%C5%BFtra%C3%9Fe/%E2%84%AA"],
    ["/\ud800", "/%EF%BF%BD"],
    ["(unknown)", "(unknown)"],
    ["*?*", "*?*"],
    ["/topic?t=*&*", "/topic?*&t=*"],
    ["/topic?t", "/topic"],
    ["/*/", "/*/"],
    ["*/", "*/"],
    ["/blog/*/", "/blog/*"],
  ])("makes one spelling of %j: %s", (typed, stored) => {
    expect(normalizePath(typed)).toBe(stored);
    expect(normalizePath(stored)).toBe(stored);
  });

  it.each([
    ["/100%", "/100%"],
    ["/100%/%c3%a9", "/100%/%C3%A9"],
    ["/%%341", "/%%341"],
    ["/%4%31", "/%4%31"],
  ])("decodes nothing beside a percent sign that begins no encoding: %s", (typed, stored) => {
    expect(normalizePath(typed)).toBe(stored);
    expect(normalizePath(stored)).toBe(stored);
  });

  it.each([
    ["/blog/*/", "/blog/*"],
    ["/*/entwürfe/*", "/*/entw%C3%BCrfe/*"],
    ["*/draft/", "*/draft"],
    ["*/", "*/"],
    ["*", "*"],
  ])("keeps the wildcards of %s", (typed, pattern) => {
    expect(normalizePath(typed)).toBe(pattern);
  });

  it.each([
    ["/topic.php?t=1", "/topic.php?t=1"],
    ["/topic/?t=1&f=2", "/topic?f=2&t=1"],
    ["/?q=a+b&é=%c3%a9", "/?q=a%20b&%C3%A9=%C3%A9"],
    ["/wiki?title=Main:Page/Über%26", "/wiki?title=Main:Page/%C3%9Cber%26"],
    ["/x?t=&u", "/x"],
    ["/x?t=50%25%2541", "/x?t=50%25%2541"],
  ])("sorts and encodes the parameters of %s", (typed, stored) => {
    expect(normalizePath(typed)).toBe(stored);
    expect(normalizePath(stored)).toBe(stored);
  });

  it("takes linear time", async () => {
    for (const piece of ["/", "/.", "/..", "%", "%4", "%C3", "%41", "é", "*", "?", "&a=b", "\\"]) {
      const growth = await growthOf(
        () => normalizePath(filled(100_000 / SIZE_RATIO, piece, "/")),
        () => normalizePath(filled(100_000, piece, "/")),
      );
      expect(growth, piece).toBeLessThan(GROWTH_MAX);
    }
  });
});

describe("normalizePathPart", () => {
  it.each([
    ["/Blog/", "/Blog/"],
    ["é/", "%C3%A9/"],
    ["%c3", "%C3"],
    ["caf%C", "caf%C"],
    ["?t=1", "?t=1"],
    ["..", ".."],
  ])("changes the characters of %s only", (typed, part) => {
    expect(normalizePathPart(typed)).toBe(part);
  });
});

describe("readablePath", () => {
  it.each([
    ["/caf%C3%A9", "/café"],
    [KIKAI, "/機械"],
    ["/%F0%9F%9A%80/a%20b", "/🚀/a b"],
    ["/%d7%a9%d7%9c%d7%95%d7%9d", "/שלום"],
    ["/topic?t=%C3%A9", "/topic?t=é"],
    ["/a%2Fb%3Fc%23d%25e", "/a%2Fb%3Fc%23d%25e"],
    ["/plain", "/plain"],
  ])("of %s is %s", (stored, readable) => {
    expect(readablePath(stored)).toBe(readable);
    expect(normalizePath(readable)).toBe(normalizePath(stored));
  });

  it.each([
    ["a control character", "/a%00%1B%7F%C2%85b"],
    ["a change of direction", "/a%E2%80%AEb%E2%81%A6c%D8%9C"],
    ["invisible characters", "/a%E2%80%8Bb%EF%BB%BF%C2%AD%E3%85%A4%F3%A0%80%81%EF%B8%8F%E2%A0%80"],
    ["blanks that are not spaces", "/a%C2%A0b%E3%80%80c%E2%80%A8"],
    ["private use and no character", "/%EE%80%80%EF%BF%BF%F4%8F%BF%BF"],
    ["bytes that are not UTF-8", "/a%FF%C3%28%E2%82%ED%A0%80%C0%AF%F5%80%80%80"],
    ["spaces that nobody would see", "/a%20"],
  ])("keeps %s encoded", (_name, path) => {
    const stored = normalizePath(path);
    expect(readablePath(stored)).toBe(stored);
    expect(readablePath(decodeSome(stored))).toBe(stored);
  });

  it("decodes what is beside them", () => {
    expect(readablePath("/%C3%A9%E2%80%AE%C3%A9%FF%C3%A9%20%20x")).toBe("/é%E2%80%AEé%FFé %20x");
  });

  it("leads back to the stored path, whatever characters it has", () => {
    for (let code = 0; code < 0x3000; code++) {
      if (code === 0x2f || code === 0x5c) continue;
      for (const around of ["", "%25", "%"]) {
        const stored = normalizePath(
          `/a${encodeURIComponent(String.fromCodePoint(code))}${around}b?q=${encodeURIComponent(String.fromCodePoint(code))}`,
        );
        if (normalizePath(readablePath(stored)) !== stored) expect.fail(`${stored} is shown as ${readablePath(stored)}`);
      }
    }
  });
});

/** The path with characters in place of their encodings, unless it would end with a blank. */
function decodeSome(path: string): string {
  try {
    return decodeURIComponent(path).trimEnd() === decodeURIComponent(path) ? decodeURIComponent(path) : path;
  } catch {
    return path;
  }
}

describe("hosts", () => {
  it.each([
    ["shop.example", "shop.example"],
    ["shop.example.", "shop.example"],
    ["Shop.Example..", "shop.example"],
    ["shop.example:8443", "shop.example"],
    ["Bücher.example", "xn--bcher-kva.example"],
    ["127.0.0.1", "127.0.0.1"],
    ["[2001:DB8::1]", "[2001:db8::1]"],
    ["localhost", "localhost"],
    ["(unknown)", "(unknown)"],
    ["no host", "no host"],
    ["a/b", "a/b"],
    [".", "."],
  ])("%s is stored as %s", (typed, stored) => {
    expect(normalizeHost(typed)).toBe(stored);
    expect(normalizeHost(stored)).toBe(stored);
  });

  it.each([
    ["*.Bücher.example", "*.xn--bcher-kva.example"],
    ["bücher", "xn--bcher-kva"],
    ["büch*", "büch*"],
    [".Example.", ".example."],
  ])("the part %s is looked for as %s", (typed, part) => {
    expect(normalizeHostPart(typed)).toBe(part);
  });

  it.each([
    ["xn--bcher-kva.example", "bücher.example"],
    ["shop.xn--e1afmkfd.xn--p1ai", "shop.пример.рф"],
    ["xn--wgv71a119e.jp", "日本語.jp"],
    ["xn--mgba3a4f16a.ir", "ایران.ir"],
    ["example.com", "example.com"],
  ])("%s is read as %s", (stored, readable) => {
    expect(readableHost(stored)).toBe(readable);
    expect(normalizeHost(readable)).toBe(stored);
  });

  it.each([
    ["mixes scripts", "xn--pple-43d.com"],
    ["looks Latin", "xn--80ak6aa92e.com"],
    ["is no punycode", "xn--zz--.com"],
    ["is empty", "xn--.com"],
    ["decodes to ASCII", "xn--a-.com"],
    ["overflows", "xn--99999999999.com"],
  ])("a label that %s stays as it is", (_name, host) => {
    expect(readableHost(host)).toBe(host);
  });
});
