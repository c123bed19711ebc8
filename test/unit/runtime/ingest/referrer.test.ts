import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseReferrer } from "../../../../src/runtime/ingest/referrer.ts";

const keepQuery = { stripQuery: false };
const unrecorded = { referrer: null, source: null };

describe("parseReferrer", () => {
  it.each([
    ["https://www.google.com/", "https://www.google.com/", "Google"],
    ["https://old.reddit.com/r/x?a=b", "https://old.reddit.com/r/x?a=b", "Reddit"],
    ["https://www.some-blog.example/post", "https://www.some-blog.example/post", "some-blog.example"],
    ["https://blog.some.example", "https://blog.some.example/", "blog.some.example"],
    ["HTTP://Some.Example:8080/A", "http://some.example:8080/A", "some.example"],
    ["https://some.example:443/", "https://some.example/", "some.example"],
    ["https://user:secret@some.example/a", "https://some.example/a", "some.example"],
    ["https://some.example/a?b#token=secret", "https://some.example/a?b", "some.example"],
    ["https://some.example/?", "https://some.example/", "some.example"],
    ["https://some.example./a", "https://some.example./a", "some.example"],
    ["https://münchen.example/ü", "https://xn--mnchen-3ya.example/%C3%BC", "xn--mnchen-3ya.example"],
    ["http://192.0.2.1/a", "http://192.0.2.1/a", "192.0.2.1"],
    ["http://[2001:db8::1]/a", "http://[2001:db8::1]/a", "[2001:db8::1]"],
    ["http://localhost:3000/", "http://localhost:3000/", "localhost"],
    ["android-app://com.google.android.gm/", "android-app://com.google.android.gm/", "Gmail"],
    ["android-app://com.google.android.gm", "android-app://com.google.android.gm", "Gmail"],
    ["android-app://org.unknown.app/https/x?y#z", "android-app://org.unknown.app/https/x?y", "org.unknown.app"],
    ["ANDROID-APP://com.slack/", "android-app://com.slack/", "Slack"],
  ])("%s is stored as %s and belongs to %s", (url, referrer, source) => {
    expect(parseReferrer(url, "example.com", keepQuery)).toEqual({ referrer, source });
  });

  it.each([
    null,
    "",
    " ",
    "google.com",
    "/a/b",
    "//google.com/",
    "https://",
    "https:// x/",
    "http://./",
    "http://www../",
    "ftp://some.example/",
    "ios-app://123/",
    "android-app:///",
    "android-app:com.slack",
    "javascript:alert(1)",
    "about:blank",
    "data:,x",
    "file:///home/",
    "blob:https://some.example/1",
    "null",
    "\ud800",
    "\u0000",
  ])("%j is not recorded", (url) => {
    expect(parseReferrer(url, "example.com", keepQuery)).toEqual(unrecorded);
    expect(parseReferrer(url, null, keepQuery)).toEqual(unrecorded);
  });

  it.each([
    ["https://example.com/a", "example.com"],
    ["https://www.example.com/a", "example.com"],
    ["https://example.com/a", "www.example.com"],
    ["https://EXAMPLE.com:8443/a", "example.com"],
    ["http://example.com./a", "example.com"],
    ["https://www.google.com/", "google.com"],
    ["http://[2001:db8::1]/a", "[2001:db8::1]"],
  ])("%s is not recorded on a page of %s", (url, pageHostname) => {
    expect(parseReferrer(url, pageHostname, keepQuery)).toEqual(unrecorded);
  });

  it.each([
    ["https://shop.example.com/a", "example.com", "shop.example.com"],
    ["https://example.com/a", "shop.example.com", "example.com"],
    ["https://notexample.com/", "example.com", "notexample.com"],
    ["https://example.com.evil.test/", "example.com", "example.com.evil.test"],
    ["https://example.com/a", null, "example.com"],
    ["android-app://example.com/", "example.com", "example.com"],
  ])("%s on a page of %s is recorded with the source %s", (url, pageHostname, source) => {
    expect(parseReferrer(url, pageHostname, keepQuery).source).toBe(source);
  });

  it("drops the query with stripQuery", () => {
    const strip = { stripQuery: true };
    expect(parseReferrer("https://some.example/a?token=secret#b", null, strip).referrer).toBe("https://some.example/a");
    expect(parseReferrer("android-app://com.slack/a?b", null, strip).referrer).toBe("android-app://com.slack/a");
  });

  it("stores at most 2048 characters", () => {
    const { referrer, source } = parseReferrer(`https://t.co/${"漢".repeat(2000)}`, null, keepQuery);
    expect(referrer).toHaveLength(2048);
    expect(source).toBe("X");
  });

  it.each(["__proto__", "constructor", "toString", "hasOwnProperty"])("uses a host called %s as its own source", (name) => {
    expect(parseReferrer(`http://${name}/`, null, keepQuery).source).toBe(name.toLowerCase());
    expect(parseReferrer(`android-app://${name}/`, null, keepQuery).source).toBe(name);
  });

  it("never throws, and its result contains no credentials and no fragment", () => {
    const scheme = fc.constantFrom("https://", "http:", "android-app://", "ftp://", "");
    const pieces = fc.array(fc.constantFrom("user", ":", "@", "a.b", "www.", "/", "?q", "#f", "%", "é", "\ud800", "[", "\\"), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(scheme, pieces, (start, parts) => {
        const { referrer, source } = parseReferrer(start + parts.join(""), "example.com", keepQuery);
        expect(referrer === null).toBe(source === null);
        if (referrer === null) return;
        expect(source).not.toBe("");
        const url = new URL(referrer);
        expect([url.username, url.password, url.hash]).toEqual(["", "", ""]);
      }),
    );
  });
});
