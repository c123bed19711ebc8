/** Every field of POST /api/event: valid and invalid, at its limit and over it (docs/http-api.md, "Event fields"). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  expectAccepted,
  expectError,
  getBreakdown,
  getMain,
  getValues,
  post,
  postBody,
  record,
  wireEvent,
  type WireFields,
} from "../support/requests.ts";
import { siteNames, type MakeTarget, type Target } from "../support/target.ts";

const EMOJI = "\u{1f600}";

const siteName = siteNames("fields");

/** Values of every JSON type but text. */
const NO_TEXTS: readonly (readonly [name: string, value: unknown])[] = [
  ["a number", 7],
  ["zero", 0],
  ["true", true],
  ["a list", ["a"]],
  ["an object", { a: "b" }],
];

/** Values of every JSON type but number. */
const NO_NUMBERS: readonly (readonly [name: string, value: unknown])[] = [
  ["a text", "1024"],
  ["an empty text", ""],
  ["false", false],
  ["a list", [1024]],
  ["an object", {}],
];

const ENTRIES: readonly (readonly [field: string, texts: readonly string[]])[] = [
  ["d", ["a b.test", "a/b", "<script>", "münchen.test", "a\u0000b", "a.test\n", "a'--", "a%2Fb", EMOJI]],
  ["u", ["page.test/x", "ftp://page.test/", "javascript:alert(1)", "mailto:a@b.test", "http://", "not a url", "about:blank", " "]],
];

/** Text of exactly `chars` code points, each outside the basic plane. */
const emojis = (chars: number): string => EMOJI.repeat(chars);

interface Limit {
  readonly field: string;
  readonly charsMax: number;
  /** A value of so many characters. */
  readonly valueOf: (chars: number) => string;
}

const ORIGIN = "https://page.test/";
const PROPS_ENDS = '{"k":""}';

const LIMITS: readonly (Limit & { readonly chars: string })[] = [
  { field: "d", chars: "ASCII", charsMax: 256, valueOf: (chars) => "d".repeat(chars) },
  { field: "n", chars: "ASCII", charsMax: 256, valueOf: (chars) => "n".repeat(chars) },
  { field: "n", chars: "emoji", charsMax: 256, valueOf: emojis },
  { field: "u", chars: "ASCII", charsMax: 2048, valueOf: (chars) => ORIGIN + "u".repeat(chars - ORIGIN.length) },
  { field: "u", chars: "emoji", charsMax: 2048, valueOf: (chars) => ORIGIN + emojis(chars - ORIGIN.length) },
  { field: "r", chars: "ASCII", charsMax: 2048, valueOf: (chars) => ORIGIN + "r".repeat(chars - ORIGIN.length) },
  { field: "r", chars: "emoji", charsMax: 2048, valueOf: (chars) => ORIGIN + emojis(chars - ORIGIN.length) },
  { field: "p", chars: "ASCII", charsMax: 4096, valueOf: (chars) => `{"k":"${"p".repeat(chars - PROPS_ENDS.length)}"}` },
  { field: "p", chars: "emoji", charsMax: 4096, valueOf: (chars) => `{"k":"${emojis(chars - PROPS_ENDS.length)}"}` },
  { field: "rc", chars: "ASCII", charsMax: 3, valueOf: (chars) => "C".repeat(chars) },
  { field: "rc", chars: "emoji", charsMax: 3, valueOf: emojis },
];

export function describeIngestFields(makeTarget: MakeTarget): void {
  describe("fields of POST /api/event", () => {
    let target: Target;
    beforeAll(async () => {
      target = await makeTarget();
    });
    afterAll(() => target.close());

    it("an event with every field valid gives 202 with an empty body and is counted", async () => {
      const site = siteName();
      const response = await post(target, {
        d: site,
        n: "Signup",
        u: `https://${site}/pricing/?utm_source=letter`,
        r: "https://www.google.com/search?q=x",
        w: 1440,
        p: '{"plan":"pro"}',
        ra: 19.99,
        rc: "EUR",
        e: 42,
      });
      await expectAccepted(response);
      expect(await getBreakdown(target, site, "events")).toEqual([{ value: "Signup", visitors: 1, pageviews: 0, events: 1 }]);
    });

    it("an event with only the required fields gives 202", async () => {
      const site = siteName();
      await record(target, { d: site, n: "pageview", u: "/" });
      expect((await getMain(target, site)).total_events).toBe(1);
    });

    it("unknown fields are ignored", async () => {
      const site = siteName();
      await record(target, wireEvent(site, { x: 1, D: "other", domain: "other", constructor: "x", toString: null }));
      expect((await getMain(target, site)).total_events).toBe(1);
    });

    it.each(["d", "n", "u"])("missing %s gives 422", async (field) => {
      const { [field]: _left, ...rest } = wireEvent(siteName());
      await expectError(await post(target, rest), 422, `"${field}"`, /missing/);
    });

    it.each(["d", "n", "u"])("%s of null gives 422", async (field) => {
      await expectError(await post(target, wireEvent(siteName(), { [field]: null })), 422, `"${field}"`, /missing/);
    });

    it("a rejected event is not counted", async () => {
      const site = siteName();
      await expectError(await post(target, wireEvent(site, { u: "ftp://page.test/" })), 400, '"u"');
      await expectError(await post(target, wireEvent(site, { w: "wide" })), 422, '"w"');
      expect((await getMain(target, site)).total_events).toBe(0);
    });

    it.each(["d", "n", "u"])("empty %s gives 400", async (field) => {
      await expectError(await post(target, wireEvent(siteName(), { [field]: "" })), 400, `"${field}"`, /empty/);
    });

    describe.each(["d", "n", "u", "r", "p", "rc"])("the text field %s", (field) => {
      // Properties may be an object, as other products' clients send them.
      const wrong = NO_TEXTS.filter(([name]) => !(field === "p" && name === "an object"));
      it.each(wrong)("gives 422 for %s, which is not a string", async (_name, value) => {
        await expectError(await post(target, wireEvent(siteName(), { [field]: value })), 422, `"${field}"`, /string/);
      });
    });

    describe.each(["w", "ra", "e"])("the numeric field %s", (field) => {
      it.each(NO_NUMBERS)("gives 422 for %s, which is not a number", async (_name, value) => {
        await expectError(await post(target, wireEvent(siteName(), { [field]: value })), 422, `"${field}"`, /number/);
      });
    });

    it.each(["r", "w", "p", "ra", "rc", "e"])("%s of null counts as absent", async (field) => {
      const site = siteName();
      await record(target, wireEvent(site, { [field]: null }));
      expect((await getMain(target, site)).total_events).toBe(1);
    });

    it.each(["r", "p", "rc"])("empty %s counts as absent", async (field) => {
      const site = siteName();
      await record(target, wireEvent(site, { [field]: "" }));
      expect((await getMain(target, site)).total_events).toBe(1);
    });

    it.each(LIMITS)("$field of $charsMax characters of $chars is accepted", async ({ field, charsMax, valueOf }) => {
      const value = valueOf(charsMax);
      expect([...value]).toHaveLength(charsMax);
      await record(target, wireEvent(siteName(), { [field]: value }));
    });

    it.each(LIMITS)("$field of one more than $charsMax characters of $chars gives 400", async ({ field, charsMax, valueOf }) => {
      const response = await post(target, wireEvent(siteName(), { [field]: valueOf(charsMax + 1) }));
      await expectError(response, 400, `"${field}"`, String(charsMax));
    });

    it("an event name of 256 emoji is stored whole", async () => {
      const site = siteName();
      await record(target, wireEvent(site, { n: emojis(256) }));
      expect(await getValues(target, site, "events")).toEqual([emojis(256)]);
    });

    describe.each(ENTRIES)("%s that breaks its rule", (field, texts) => {
      it.each(texts)("gives 400: %j", async (text) => {
        await expectError(await post(target, wireEvent(siteName(), { [field]: text })), 400, `"${field}"`, /must/);
      });
    });

    it.each(["A-b_C.9:x", "..", ".", ":", "-", "__proto__", "constructor", "hasOwnProperty", "COM1", "a.", "x".repeat(256)])(
      "%s is a site id",
      async (site) => {
        await record(target, wireEvent(site));
        expect((await getMain(target, site)).total_events).toBe(1);
      },
    );

    it("site ids that differ in case are different sites", async () => {
      const site = siteName();
      await record(target, wireEvent(site.toUpperCase()));
      expect((await getMain(target, site)).total_events).toBe(0);
      expect((await getMain(target, site.toUpperCase())).total_events).toBe(1);
    });

    it("u may be a path that starts with a slash", async () => {
      const site = siteName();
      await record(target, wireEvent(site, { u: "/docs/start/?q=1#top" }));
      expect(await getValues(target, site, "pages")).toEqual(["/docs/start"]);
    });

    const NAMES: readonly (readonly [name: string, eventName: string, stored: string])[] = [
      ["SQL quotes", `'); DROP TABLE events; --"`, `'); DROP TABLE events; --"`],
      ["control characters", "a\u0001b\u001fc\u007fd", "a\u0001b\u001fc\u007fd"],
      ["NUL", "a\u0000b", "a\u0000b"],
      ["line breaks", "a\nb\r\nc\u2028d", "a\nb\r\nc\u2028d"],
      ["text that turns its direction", "\u202eabc\u202c", "\u202eabc\u202c"],
      ["__proto__", "__proto__", "__proto__"],
      ["the name of a method", "toString", "toString"],
      ["markup", "<img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)>"],
      ["parameter signs", "$1 ${x} %s ? :a", "$1 ${x} %s ? :a"],
      ["a character that ends no line", "\u{10ffff}\ufffe", "\u{10ffff}\ufffe"],
      ["a lone high surrogate", "a\ud800b", "a\ufffdb"],
      ["a lone low surrogate", "\udc00", "\ufffd"],
      ["surrogates the wrong way round", "\udc00\ud800", "\ufffd\ufffd"],
    ];

    it.each(NAMES)("a name of %s is stored unchanged, except that it is made well-formed", async (_name, eventName, stored) => {
      const site = siteName();
      await record(target, wireEvent(site, { n: eventName }));
      expect(await getBreakdown(target, site, "events")).toEqual([{ value: stored, visitors: 1, pageviews: 0, events: 1 }]);
    });

    it("a field of the prototype counts as missing", async () => {
      const site = siteName();
      const body = `{"__proto__":{"d":"${site}","n":"pageview","u":"/"}}`;
      await expectError(await postBody(target, body), 422, '"d"', /missing/);
    });

    it("of a duplicate key, the last value counts", async () => {
      const [first, last] = [siteName(), siteName()];
      await expectAccepted(await postBody(target, `{"d":"${first}","n":"pageview","u":"/","d":"${last}"}`));
      expect((await getMain(target, first)).total_events).toBe(0);
      expect((await getMain(target, last)).total_events).toBe(1);
    });

    it.each([-5, 0, 0.2, 100_000, 1e308, -1e308])("a screen width of %d is not recorded", async (w) => {
      const site = siteName();
      await record(target, wireEvent(site, { w }));
      expect(await getValues(target, site, "screen-sizes")).toEqual(["(unknown)"]);
    });

    it.each([0, 1, 86_400, 1e3])("%d engaged seconds are accepted", async (e) => {
      const site = siteName();
      await record(target, wireEvent(site, { e }));
      expect((await getMain(target, site)).total_events).toBe(1);
    });

    it.each([-1, 0.5, 86_401, 1e308])("%d engaged seconds give 400 with the rule and what was sent", async (e) => {
      const site = siteName();
      const response = await post(target, wireEvent(site, { e }));
      await expectError(response, 400, `Field "e" must be an integer from 0 to 86400, got ${JSON.stringify(e)}`);
      expect((await getMain(target, site)).total_events).toBe(0);
    });

    it.each(["w", "ra"])("a %s too large for a double is not recorded", async (field) => {
      const site = siteName();
      await expectAccepted(await postBody(target, `{"d":"${site}","n":"pageview","u":"/","${field}":1e999}`));
      expect((await getMain(target, site)).total_events).toBe(1);
    });

    const DROPPED: readonly (readonly [name: string, fields: WireFields])[] = [
      ["props that are no JSON", { p: "{oops" }],
      ["props that are a JSON list", { p: "[1]" }],
      ["props that are JSON null", { p: "null" }],
      ["props that nest 1000 deep", { p: `${'{"a":'.repeat(600)}1${"}".repeat(600)}` }],
      ["props whose list nests deep", { p: `{"a":${"[".repeat(2000)}${"]".repeat(2000)}}` }],
      ["props with __proto__", { p: '{"__proto__":{"polluted":true},"constructor":{"prototype":1}}' }],
      ["a currency of digits", { ra: 1, rc: "123" }],
      ["revenue beyond what is kept", { ra: 1e12, rc: "EUR" }],
      ["revenue of no size", { ra: -0 }],
      ["a referrer that is no URL", { r: "not a url" }],
    ];

    it.each(DROPPED)("%s do not make the event fail", async (_name, fields) => {
      const site = siteName();
      await record(target, wireEvent(site, fields));
      expect((await getMain(target, site)).total_events).toBe(1);
    });
  });
}
