import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseUrl, storedLink, withStoredLink } from "../../../../src/runtime/ingest/urls.ts";
import { parseProps } from "../../../../src/runtime/ingest/props.ts";
import { growthOf, GROWTH_MAX, repeated, SIZE_RATIO } from "../../../support/growth.ts";

const keep = { stripQuery: false };
const strip = { stripQuery: true };

const OUTBOUND = "Outbound Link: Click";

describe("credentials in a clicked link", () => {
  it.each([
    ["https://away.example/a?b=c#d", "https://away.example/a?b=c#d"],
    ["https://user:secret@away.example/a?b=c#d", "https://away.example/a?b=c#d"],
    ["https://user@away.example/", "https://away.example/"],
    ["https://:secret@away.example/", "https://away.example/"],
    ["https://user:p@ss:w@rd@away.example/", "https://away.example/"],
    ["HTTPS:user:secret@away.example", "https://away.example/"],
    ["https:\\\\user:secret@away.example", "https://away.example/"],
    [" ht\ntps://user:secret@away.example", "https://away.example/"],
    ["ftp://user:secret@away.example/file", "ftp://away.example/file"],
    ["app://user:secret@away/x", "app://away/x"],
    // Not those of the link
    ["https://away.example/@user", "https://away.example/@user"],
    ["https://away.example/?to=user:secret@away.example", "https://away.example/?to=user:secret@away.example"],
    ["mailto:user@away.example", "mailto:user@away.example"],
    // Not URLs, or not any more
    ["//user:secret@away.example/a?b", "//away.example/a?b"],
    ["https://user:secret@away.example:99999/", "https://away.example:99999/"],
    ["https://user:secret@[::1/", "https://[::1/"],
    ["https:///user:secret@away.example:99999/", "https://away.example:99999/"],
    ["http:@/user@away.example", "http:away.example"],
    ["HTTP:user:secret@away.example:99999", "HTTP:away.example:99999"],
    ["/a@b", "/a@b"],
    ["user@away.example", "user@away.example"],
    ["user", "user"],
    ["", ""],
  ])("are removed from %j, which becomes %j", (link, kept) => {
    expect(storedLink(link, keep)).toBe(kept);
  });

  it("are removed however the URL is written", () => {
    const parts = fc.constantFrom(
      "http",
      "https",
      "ftp",
      "app",
      ":",
      "/",
      "\\",
      "//",
      "user",
      "secret",
      "@",
      "away.example",
      "?",
      "#",
      "\t",
      " ",
      "[",
      "::1",
      "%40",
      "é",
      ":99999",
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 14 }), (all) => {
        const url = parseUrl(storedLink(all.join(""), keep));
        expect([url?.username ?? "", url?.password ?? ""]).toEqual(["", ""]);
      }),
      { numRuns: 5000 },
    );
  });

  it("are removed without making the link longer than 2048 characters, however many are escaped", () => {
    expect(storedLink(`https://user@away.example/${"漢".repeat(2000)}`, keep)).toHaveLength(2048);
  });
});

describe("query and fragment of a clicked link", () => {
  it.each([
    ["https://away.example/a?b=c#d", "https://away.example/a"],
    ["https://away.example/a#b?c", "https://away.example/a"],
    ["https://user:secret@away.example?token", "https://away.example/"],
    ["https://away.example/a", "https://away.example/a"],
    ["https://away.example/a?b\nc#d", "https://away.example/a"],
    ["mailto:user@away.example?body=secret", "mailto:user@away.example"],
    ["//away.example/a?b", "//away.example/a"],
    ["a?b", "a"],
  ])("are removed from %j, which becomes %j", (link, kept) => {
    expect(storedLink(link, strip)).toBe(kept);
  });
});

describe("withStoredLink", () => {
  it.each([OUTBOUND, "File Download"])("changes the url of %s, and of no other event", (name) => {
    const props = '{"url":"https://user:secret@away.example/a?b#c"}';
    expect(withStoredLink(name, props, keep)).toBe('{"url":"https://away.example/a?b#c"}');
    expect(withStoredLink(name, props, strip)).toBe('{"url":"https://away.example/a"}');
    for (const other of ["pageview", "Signup", name.toLowerCase(), `${name} `]) {
      expect(withStoredLink(other, props, strip)).toBe(props);
    }
    expect(withStoredLink(name, null, strip)).toBeNull();
  });

  const LINK = '"https://user@away.example/?b"';
  const KEPT = '"https://away.example/"';
  it.each([
    // Other properties, to the digit and to the space
    [`{"id":9007199254740993,"url":${LINK},"n":1.50}`, `{"id":9007199254740993,"url":${KEPT},"n":1.50}`],
    [` { "url" : ${LINK} , "a" : [ 1e2 ] } `, ` { "url" : ${KEPT} , "a" : [ 1e2 ] } `],
    [`{"to":${LINK},"text":"\\"url\\":"}`, `{"to":${LINK},"text":"\\"url\\":"}`],
    [`{"a":{"url":${LINK}},"b":[{"url":${LINK}},"url",${LINK}]}`, `{"a":{"url":${LINK}},"b":[{"url":${LINK}},"url",${LINK}]}`],
    [`{"a":"url","b":${LINK}}`, `{"a":"url","b":${LINK}}`],
    ['{"url":{"url":"https://user@away.example/?b"}}', '{"url":{"url":"https://user@away.example/?b"}}'],
    ['{"url":1,"a":"url"}', '{"url":1,"a":"url"}'],
    ["{}", "{}"],
    // However the key is written, and however often
    [`{"\\u0075rl":${LINK}}`, `{"\\u0075rl":${KEPT}}`],
    [`{"url":${LINK},"url":${LINK}}`, `{"url":${KEPT},"url":${KEPT}}`],
    [`{"a":[{},[]],"b":{"c":"}"},"url":${LINK}}`, `{"a":[{},[]],"b":{"c":"}"},"url":${KEPT}}`],
    // However the link is written
    ['{"url":"https:\\/\\/user:\\u0040\\"@away.example\\/?b"}', `{"url":${KEPT}}`],
    ['{"url":"a\\"b\\\\"}', '{"url":"a\\"b\\\\"}'],
  ])("turns %j into %j with strip_referrer_query", (props, kept) => {
    expect(withStoredLink(OUTBOUND, props, strip)).toBe(kept);
  });

  it("changes the property like in the parsed object, and nothing else", () => {
    const keys = fc.constantFrom("url", "a", 'u"rl', "\\", "{");
    const links = fc.constantFrom("https://user:p@away.example/?b#c", "https://away.example/", "{,", '"', "url");
    const values = fc.oneof(links, fc.jsonValue({ maxDepth: 2 }));
    fc.assert(
      fc.property(fc.dictionary(keys, values, { noNullPrototype: true }), fc.constantFrom(keep, strip), (object, options) => {
        const props = parseProps(JSON.stringify(object)) ?? "";
        const wanted = JSON.parse(props) as Record<string, unknown>;
        if (typeof wanted["url"] === "string") wanted["url"] = storedLink(wanted["url"], options);
        expect(withStoredLink(OUTBOUND, props, options)).toBe(JSON.stringify(wanted));
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ["@", 5_000, (length: number) => `{"url":"//${"@".repeat(length)}"}`],
    ["letters", 5_000, (length: number) => `{"url":"//${"a".repeat(length)}"}`],
    ["slashes", 5_000, (length: number) => `{"url":"${"/".repeat(length)}"}`],
    ["escapes", 5_000, (length: number) => `{"a":"${'\\"'.repeat(length)}"}`],
    // Up to `PROPS_CHARS_MAX`: lists as deep as that has room for. Deeper ones cost the collector more than the reading.
    ["lists", 500, (length: number) => `{"a":${"[".repeat(length)}${"]".repeat(length)}}`],
  ])("takes linear time: %s", async (_case, shortLength, propsOf) => {
    const [short, long] = [propsOf(shortLength), propsOf(shortLength * SIZE_RATIO)];
    const growth = await growthOf(
      repeated(20, () => withStoredLink(OUTBOUND, short, strip)),
      repeated(20, () => withStoredLink(OUTBOUND, long, strip)),
    );
    // A pattern tried from each character would be quadratic.
    expect(growth).toBeLessThan(GROWTH_MAX);
  });
});
