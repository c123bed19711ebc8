import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/runtime/base/errors.ts";
import { checkEventInput, type EventInput, parseEventBody, parsePixelQuery } from "../../../../src/runtime/ingest/event-input.ts";

const required = { d: "example.com", n: "signup", u: "https://example.com/a" };

const bodyOf = (fields: Record<string, unknown>): string => JSON.stringify({ ...required, ...fields });

/** The code and the sentence with which `read` fails. */
function failureOf(read: () => unknown): [string, string] {
  try {
    read();
  } catch (error) {
    if (error instanceof AppError) return [error.failure.code, error.message];
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("the body of a posted event", () => {
  it("maps every short field name", () => {
    const body = bodyOf({ r: "https://ref.example/", w: 1440.5, p: '{"a":1}', ra: -9.99, rc: "eur", e: 7, interactive: false, t: 2 });
    expect(parseEventBody(body)).toEqual({
      siteId: "example.com",
      eventName: "signup",
      url: "https://example.com/a",
      referrer: "https://ref.example/",
      screenWidth: 1440.5,
      props: '{"a":1}',
      revenue: -9.99,
      currency: "eur",
      engagedSeconds: 7,
      interactive: false,
      mark: 2,
    });
  });

  const bare = {
    siteId: "example.com",
    eventName: "signup",
    url: "https://example.com/a",
    referrer: null,
    screenWidth: null,
    props: null,
    revenue: null,
    currency: null,
    engagedSeconds: null,
    interactive: null,
    mark: null,
  };

  it.each([
    ["are absent", bodyOf({})],
    ["are null", bodyOf({ r: null, w: null, p: null, ra: null, rc: null, e: null, interactive: null, t: null })],
    ["stand beside unknown ones", bodyOf({ x: 1, constructor: 2, toString: "3" })],
    ["are inherited from a __proto__ key", `{"__proto__":{"r":"x","w":1},"d":"example.com","n":"signup","u":"https://example.com/a"}`],
  ])("may omit optional fields: they %s", (_case, body) => {
    expect(parseEventBody(body)).toEqual(bare);
  });

  it.each(["", " ", "{", "{'d':1}", "undefined", '{"d":"a",}', "[".repeat(60_000), '{"a":'.repeat(10_000)])(
    "malformed JSON is 400: case %#",
    (body) => {
      expect(failureOf(() => parseEventBody(body))).toEqual(["invalid_input", "The body is not valid JSON"]);
    },
  );

  it.each(["null", "1", '"text"', "true", "[]", `[${bodyOf({})}]`])("%s is not an object and gives 422", (body) => {
    expect(failureOf(() => parseEventBody(body))).toEqual(["malformed_body", "The body must be a JSON object"]);
  });

  it.each([
    [{ d: undefined }, 'Field "d" is missing'],
    [{ n: undefined }, 'Field "n" is missing'],
    [{ u: undefined }, 'Field "u" is missing'],
    [{ d: null }, 'Field "d" is missing'],
    [{ d: 1 }, 'Field "d" must be a string'],
    [{ n: ["pageview"] }, 'Field "n" must be a string'],
    [{ u: { href: "/" } }, 'Field "u" must be a string'],
    [{ r: 1 }, 'Field "r" must be a string'],
    [{ w: "1440" }, 'Field "w" must be a number'],
    [{ p: ["pro"] }, 'Field "p" must be a string'],
    [{ ra: "9.99" }, 'Field "ra" must be a number'],
    [{ rc: false }, 'Field "rc" must be a string'],
    [{ e: "7" }, 'Field "e" must be a number'],
  ])("%j gives 422", (fields, message) => {
    expect(failureOf(() => parseEventBody(bodyOf(fields)))).toEqual(["malformed_body", message]);
  });

  it.each([-1, 3, 0.5, "0", true, [0], {}])("%j is no mark of the tracking script, and is ignored", (t) => {
    expect(parseEventBody(bodyOf({ t })).mark).toBeNull();
  });

  it("an empty object gives 422 for its missing site", () => {
    expect(failureOf(() => parseEventBody("{}"))).toEqual(["malformed_body", 'Field "d" is missing']);
  });

  it("every string is made well-formed", () => {
    const lone = '"\\ud83d"';
    const body = `{"d":${lone},"n":${lone},"u":${lone},"r":${lone},"p":${lone},"rc":${lone}}`;
    const { siteId, eventName, url, referrer, props, currency } = parseEventBody(body);
    expect([siteId, eventName, url, referrer, props, currency]).toEqual(Array(6).fill("\uFFFD"));
  });
});

describe("the query string of a pixel", () => {
  const parse = (query: string) => parsePixelQuery(new URLSearchParams(query));

  it("takes d, u, n, r and w, and ignores other parameters", () => {
    expect(parse("d=example.com&u=%2Fa%3Fb&n=open&r=https%3A%2F%2Fref.example&w=320&ra=5&rc=EUR&p=%7B%7D")).toEqual({
      siteId: "example.com",
      eventName: "open",
      url: "/a?b",
      referrer: "https://ref.example",
      screenWidth: 320,
      props: null,
      revenue: null,
      currency: null,
      engagedSeconds: null,
      interactive: null,
      mark: null,
    });
  });

  it("is a pageview by default", () => {
    expect(parse("d=example.com&u=/")).toMatchObject({ eventName: "pageview", referrer: null, screenWidth: null });
    expect(parse("d=example.com&u=/&n=")).toMatchObject({ eventName: "" });
  });

  it.each([
    ["u=/", 'Parameter "d" is missing'],
    ["d=example.com", 'Parameter "u" is missing'],
    ["d=a&u=/&w=", 'Parameter "w" must be a number'],
    ["d=a&u=/&w=wide", 'Parameter "w" must be a number'],
    ["d=a&u=/&w=0x10", 'Parameter "w" must be a number'],
    ["d=a&u=/&w=Infinity", 'Parameter "w" must be a number'],
    ["d=a&u=/&w=12px", 'Parameter "w" must be a number'],
    ["d=a&u=/&w=%2012", 'Parameter "w" must be a number'],
  ])("%s is 422", (query, message) => {
    expect(failureOf(() => parse(query))).toEqual(["malformed_body", message]);
  });

  it.each([
    ["1440", 1440],
    ["-1", -1],
    ["390.5", 390.5],
    ["1e3", 1000],
  ])("w=%s is a number", (width, expected) => {
    expect(parse(`d=a&u=/&w=${width}`).screenWidth).toBe(expected);
  });
});

describe("the limits of the fields", () => {
  const input: EventInput = {
    siteId: "example.com",
    eventName: "signup",
    url: "/",
    referrer: null,
    screenWidth: null,
    props: null,
    revenue: null,
    currency: null,
    engagedSeconds: null,
    interactive: null,
    mark: null,
  };
  const check = (fields: Partial<EventInput>) => checkEventInput({ ...input, ...fields });

  it("an input within them comes back unchanged", () => {
    expect(check({})).toEqual(input);
  });

  it.each<[Partial<EventInput>, string]>([
    [{ siteId: "" }, 'Field "d" must not be empty'],
    [{ eventName: "" }, 'Field "n" must not be empty'],
    [{ url: "" }, 'Field "u" must not be empty'],
    [{ siteId: "x".repeat(257) }, 'Field "d" must be at most 256 characters'],
    [{ eventName: "x".repeat(257) }, 'Field "n" must be at most 256 characters'],
    [{ url: `/${"x".repeat(2048)}` }, 'Field "u" must be at most 2048 characters'],
    [{ referrer: "x".repeat(2049) }, 'Field "r" must be at most 2048 characters'],
    [{ props: "x".repeat(4097) }, 'Field "p" must be at most 4096 characters'],
    [{ currency: "EURO" }, 'Field "rc" must be at most 3 characters'],
    [{ eventName: "😀".repeat(257) }, 'Field "n" must be at most 256 characters'],
    [{ siteId: "not a site" }, '"d" must be 1 to 256 characters long and hold only ASCII letters, digits, ".", "-", "_" and ":"'],
  ])("case %# is 400 and names the field", (fields, message) => {
    expect(failureOf(() => check(fields))).toEqual(["invalid_input", message]);
  });

  it.each<Partial<EventInput>>([
    { siteId: "x".repeat(256) },
    { eventName: "x".repeat(256) },
    { eventName: "😀".repeat(256) },
    { url: `/${"漢".repeat(2047)}` },
    { url: "😀".repeat(2048) },
    { referrer: "x".repeat(2048) },
    { referrer: "" },
    { props: "😀".repeat(4096) },
    { currency: "💶💶💶" },
    { currency: "" },
    { props: "" },
  ])("case %# is just within the limits", (fields) => {
    expect(check(fields)).toEqual({ ...input, ...fields });
  });
});
