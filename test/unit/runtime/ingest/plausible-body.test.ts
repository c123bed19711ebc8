import { describe, expect, it } from "vitest";
import { EVENT_SITES_MAX, PROPS_CHARS_MAX } from "../../../../src/runtime/base/config/limits.ts";
import { checkEventInput, type EventInput, parseEventBody } from "../../../../src/runtime/ingest/event-input.ts";
import { sitesNamedBy } from "../../../../src/runtime/ingest/plausible-body.ts";

const SHORT = { d: "example.com", n: "signup", u: "https://example.com/a" };

const parsed = (body: object): EventInput => parseEventBody(JSON.stringify(body));

describe("bodies of Plausible's clients", () => {
  it("takes what @plausible-analytics/tracker sends", () => {
    const body = {
      n: "Purchase",
      v: 22,
      u: "https://example.com/a",
      d: "example.com",
      r: null,
      p: { plan: "pro", seats: 3 },
      i: false,
      $: { amount: "19.90", currency: "EUR" },
      h: 1,
    };
    expect(parsed(body)).toMatchObject({
      siteId: "example.com",
      eventName: "Purchase",
      props: '{"plan":"pro","seats":3}',
      revenue: 19.9,
      currency: "EUR",
      interactive: false,
    });
  });

  it("takes what plausible-tracker sends, whose properties are text", () => {
    const body = {
      n: "signup",
      u: "https://example.com/a",
      d: "example.com",
      r: "https://example.org/",
      w: 1280,
      h: 0,
      p: '{"plan":"pro"}',
    };
    expect(parsed(body)).toMatchObject({
      eventName: "signup",
      referrer: "https://example.org/",
      screenWidth: 1280,
      props: '{"plan":"pro"}',
    });
  });

  it("takes the long names of servers", () => {
    const body = {
      name: "Purchase",
      url: "https://example.com/a",
      domain: "example.com",
      referrer: "https://example.org/",
      props: { plan: "pro" },
      revenue: { amount: 5, currency: "usd" },
      interactive: false,
    };
    expect(parsed(body)).toMatchObject({
      siteId: "example.com",
      eventName: "Purchase",
      url: "https://example.com/a",
      referrer: "https://example.org/",
      props: '{"plan":"pro"}',
      revenue: 5,
      currency: "usd",
      interactive: false,
    });
  });

  it("keeps the contract's fields where both are sent", () => {
    const body = {
      ...SHORT,
      r: "https://a.example/",
      ra: 1,
      rc: "EUR",
      name: "other",
      referrer: "https://b.example/",
      $: { amount: 2, currency: "USD" },
      interactive: true,
      i: false,
    };
    expect(parsed(body)).toMatchObject({
      eventName: "signup",
      referrer: "https://a.example/",
      revenue: 1,
      currency: "EUR",
      interactive: true,
    });
  });

  it.each([
    { referrer: "https://example.org/" },
    { props: { plan: "pro" } },
    { revenue: { amount: 5, currency: "EUR" } },
    { $: 5 },
    { $: { amount: "much", currency: "EUR" } },
    { $: { amount: 5, currency: "EURO" } },
    { i: "no" },
    { domain: 7, name: [], url: {} },
  ])("leaves an event of the contract as it is beside %j", (added) => {
    expect(parsed({ ...SHORT, ...added })).toEqual(parsed(SHORT));
  });

  it.each([{ domain: 7 }, { domain: null }, {}])("names the contract's field if the site is missing: %j", (site) => {
    expect(() => parsed({ name: "pageview", url: "/", ...site })).toThrow('Field "d" is missing');
  });

  it("is an engagement only with both measures of it, and has seconds", () => {
    const ping = { ...SHORT, n: "engagement", sd: 40, e: 12_345 };
    expect(parsed(ping)).toMatchObject({ isNoEvent: true, engagedSeconds: 12 });
    expect(parsed({ ...ping, e: 1e12 })).toMatchObject({ engagedSeconds: 86_400 });
    expect(parsed({ ...SHORT, n: "engagement" })).not.toHaveProperty("isNoEvent");
    expect(parsed({ ...SHORT, n: "engagement", e: 12 })).not.toHaveProperty("isNoEvent");
    expect(parsed({ ...SHORT, e: 12, sd: 40 })).not.toHaveProperty("isNoEvent");
  });

  it("bounds properties like those in text, however deep they are nested", () => {
    const long = parsed({ ...SHORT, p: { k: "x".repeat(PROPS_CHARS_MAX) } });
    const message = `Field "p" must be at most ${PROPS_CHARS_MAX} characters`;
    expect(() => checkEventInput(long)).toThrow(message);
    const depth = 10_000;
    const deep = `{"d":"a","n":"n","u":"/","p":${'{"a":'.repeat(depth)}1${"}".repeat(depth)}}`;
    expect(() => checkEventInput(parseEventBody(deep))).toThrow(message);
  });

  it("names several sites, each once, up to the limit", () => {
    expect(sitesNamedBy("a.test, b.test,,a.test")).toEqual(["a.test", "b.test"]);
    expect(sitesNamedBy("a.test")).toEqual(["a.test"]);
    expect(sitesNamedBy(",")).toEqual([","]);
    const tooMany = Array.from({ length: EVENT_SITES_MAX + 1 }, (_, i) => `${i}.test`).join(",");
    expect(sitesNamedBy(tooMany)).toEqual([tooMany]);
  });
});
