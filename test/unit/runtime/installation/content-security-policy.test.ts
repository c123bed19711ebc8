/** What a Content Security Policy lets a page load, as browsers decide (CSP Level 3). */
import { describe, expect, it } from "vitest";
import { ContentSecurityPolicy, type Wanted } from "../../../../src/runtime/installation/content-security-policy.ts";

const wanted = (fields: Partial<Wanted> = {}): Wanted => ({
  url: new URL("https://stats.example.com/svc.js"),
  page: new URL("https://shop.example/pricing"),
  nonce: null,
  isAdded: false,
  ...fields,
});

const allowsScript = (policy: string, fields?: Partial<Wanted>) => new ContentSecurityPolicy([policy]).allowsScript(wanted(fields));

const ALLOWING = ["", "img-src 'none'", "script-src *", "script-src https:", "script-src HTTP:", "script-src stats.example.com"].concat(
  ["script-src https://stats.example.com", "script-src http://stats.example.com", "script-src *.example.com", "script-src *.com:*"],
  ["script-src STATS.example.com:443", "script-src stats.example.com/", "script-src stats.example.com/svc.js", "default-src https://*"],
  ["script-src-elem stats.example.com; script-src 'none'", "script-src stats.example.com; default-src 'none'"],
  ["script-src 'self' stats.example.com 'unsafe-inline'", "SCRIPT-SRC\thttps:", ";; script-src https: ; script-src 'none'"],
);

const BLOCKING = ["script-src", "script-src 'none'", "script-src 'self'", "default-src 'self'", "script-src example.com"].concat(
  ["script-src *.stats.example.com", "script-src stats.example.com:8443", "script-src stats.example.com/js/", "script-src wss:"],
  ["script-src https://stats.example.com/svc", "script-src 'unsafe-inline' 'unsafe-eval'", "script-src 'nonce-abc'"],
  ["script-src https: 'strict-dynamic' 'nonce-abc'", "script-src https:, script-src 'none'", "script-src 'sha256-abc='"],
);

describe("a Content Security Policy", () => {
  it("is read up to the hundredth policy, not counting blank ones", () => {
    const allowing = Array.from({ length: 99 }, () => "script-src *").join(" , ,");
    expect(allowsScript(`${allowing},,, ,script-src 'none'`)).toBe(false);
    expect(allowsScript(`${allowing},script-src *,script-src 'none'`)).toBe(true);
  });

  it.each(ALLOWING)("allows the script: %s", (policy) => {
    expect(allowsScript(policy)).toBe(true);
  });

  it.each(BLOCKING)("blocks the script: %s", (policy) => {
    expect(allowsScript(policy)).toBe(false);
  });

  it("allows a script with the policy's nonce, and one that a trusted script adds", () => {
    expect(allowsScript("script-src 'nonce-abc'", { nonce: "abc" })).toBe(true);
    expect(allowsScript("script-src 'nonce-abc'", { nonce: "abcd" })).toBe(false);
    expect(allowsScript("script-src 'strict-dynamic' 'nonce-abc'", { nonce: "abc" })).toBe(true);
    expect(allowsScript("script-src 'strict-dynamic' 'nonce-abc'", { isAdded: true })).toBe(true);
    expect(allowsScript("script-src 'nonce-abc'", { isAdded: true })).toBe(false);
  });

  it("treats the page's own origin, and its https variant, as self", () => {
    const [page, url] = [new URL("http://shop.example/"), new URL("https://shop.example/lib/hello.js")];
    expect(allowsScript("script-src 'self'", { page, url })).toBe(true);
    expect(allowsScript("script-src 'self'", { page: url, url: new URL("http://shop.example/lib/hello.js") })).toBe(false);
    expect(allowsScript("script-src shop.example", { page: url, url: new URL("http://shop.example/lib/hello.js") })).toBe(false);
  });

  it("decides about events by connect-src, else default-src, in all policies", () => {
    const allowsEvents = (...policies: string[]) =>
      new ContentSecurityPolicy(policies).allowsEvents(wanted({ url: new URL("https://stats.example.com/api/event"), nonce: "abc" }));
    expect(allowsEvents("script-src 'none'")).toBe(true);
    expect(allowsEvents("default-src 'none'; connect-src https://stats.example.com/api/")).toBe(true);
    expect(allowsEvents("default-src 'self'")).toBe(false);
    expect(allowsEvents("connect-src 'nonce-abc'")).toBe(false);
    expect(allowsEvents("connect-src *", "connect-src 'self'")).toBe(false);
  });
});
