import { describe, expect, it } from "vitest";
import { MATOMO_REQUESTS_MAX } from "../../../../src/runtime/base/config/limits.ts";
import { parseAlias } from "../../../../src/runtime/sites/aliases.ts";
import { matomoQueriesIn, matomoQueryOf, readGoatcounter, readMatomo, readUmami } from "../../../../src/runtime/ingest/earlier-tags.ts";

const WEBSITE = "0b1b3f5a-6c1d-4e5e-9d5f-111111111111";

const umami = (payload: object, type = "event") => readUmami(JSON.stringify({ type, payload: { website: WEBSITE, ...payload } }));

const matomo = (query: string) => readMatomo(new URLSearchParams(`idsite=7&rec=1&${query}`));

describe("aliases of sites", () => {
  it.each([
    [`umami:${WEBSITE.toUpperCase()}`, `umami:${WEBSITE}`],
    ["goatcounter:my-code", "goatcounter:my-code"],
    ["matomo:7", "matomo:7"],
    ["plausible:7", null],
    ["matomo:", null],
    ["matomo:7:8", null],
    ["matomo:a b", null],
    [`umami:${"a".repeat(65)}`, null],
  ])("%s is %s", (text, alias) => {
    expect(parseAlias(text)).toBe(alias);
  });
});

describe("Umami", () => {
  const page = {
    hostname: "example.com",
    screen: "1920x1080",
    language: "en",
    title: "A",
    url: "/a?utm_source=x",
    referrer: "https://e.org/",
  };

  it("sends page views", () => {
    expect(umami(page)).toEqual({
      alias: `umami:${WEBSITE}`,
      fields: { n: "pageview", u: "https://example.com/a?utm_source=x", r: "https://e.org/", w: 1920, p: null, ra: null, rc: null },
    });
    expect(umami({ ...page, url: "https://example.com/b" }).fields).toMatchObject({ u: "https://example.com/b" });
  });

  it("sends events with data, of which revenue is an amount", () => {
    const { fields } = umami({ ...page, name: "buy", data: { plan: "pro", revenue: "19.90", currency: "EUR" } });
    expect(fields).toMatchObject({ n: "buy", p: '{"plan":"pro"}', ra: 19.9, rc: "EUR" });
    expect(umami({ ...page, name: "buy", data: { currency: "EUR" } }).fields).toMatchObject({ p: '{"currency":"EUR"}', ra: null });
  });

  it("identifies visitors, which is no event", () => {
    expect(umami({ ...page, id: "person@example.com" }, "identify").fields).toBeNull();
  });

  it.each(["{}", '{"type":"event","payload":[]}', '{"type":"event","payload":{}}', '{"type":"event","payload":{"website":7}}', "{"])(
    "is refused for %s",
    (body) => {
      expect(() => readUmami(body)).toThrow(/payload|website|JSON/);
    },
  );
});

describe("GoatCounter", () => {
  const read = (query: string, referer: string | null = "https://example.com/") =>
    readGoatcounter(new URLSearchParams(query), "code", referer);

  it("sends page views, whose host is that of the page", () => {
    expect(read("p=/a&r=https%3A%2F%2Fe.org%2F&t=A&e=false&s=1280,800,2&q=%3Futm_source%3Dx")).toEqual({
      alias: "goatcounter:code",
      fields: { n: "pageview", u: "https://example.com/a?utm_source=x", r: "https://e.org/", w: 1280 },
    });
    expect(read("p=/a", null).fields).toMatchObject({ u: "/a", r: null, w: null });
  });

  it("sends events, whose path is their name", () => {
    expect(read("p=signup&e=true").fields).toMatchObject({ n: "signup", u: "https://example.com/" });
  });

  it("is refused without a path", () => {
    expect(() => read("t=A")).toThrow('Parameter "p" is missing');
  });
});

describe("Matomo", () => {
  it("sends page views", () => {
    expect(matomo("action_name=A&url=https%3A%2F%2Fexample.com%2Fa&urlref=https%3A%2F%2Fe.org%2F&res=1920x1080&cip=1.2.3.4")).toEqual({
      alias: "matomo:7",
      fields: { n: "pageview", u: "https://example.com/a", r: "https://e.org/", w: 1920, p: null },
    });
  });

  it.each([
    ["e_c=Video&e_a=Play&e_n=Intro", "Video/Play", { category: "Video", action: "Play", name: "Intro" }],
    ["search=shoes", "search", { keyword: "shoes" }],
    ["link=https%3A%2F%2Fe.org%2F", "Outbound Link: Click", { url: "https://e.org/" }],
    ["download=https%3A%2F%2Fexample.com%2Fa.pdf", "File Download", { url: "https://example.com/a.pdf" }],
  ])("sends events: %s", (query, name, props) => {
    expect(matomo(query).fields).toMatchObject({ n: name, p: JSON.stringify(props) });
  });

  it.each(["ping=1", "idgoal=3", "c_n=Ad"])("sends what is no event: %s", (query) => {
    expect(matomo(query).fields).toBeNull();
  });

  it("posts a form or a bounded number of requests", () => {
    expect(matomoQueriesIn("idsite=7&url=%2Fa")).toBeNull();
    expect(String(matomoQueryOf("?idsite=7&url=%2Fa"))).toBe("idsite=7&url=%2Fa");
    const bulk = (count: number) => JSON.stringify({ requests: Array.from({ length: count }, (_, i) => `?idsite=7&url=/${i}`) });
    expect(matomoQueriesIn(bulk(2))?.map((query) => query.get("url"))).toEqual(["/0", "/1"]);
    expect(() => matomoQueriesIn(bulk(MATOMO_REQUESTS_MAX + 1))).toThrow(`at most ${MATOMO_REQUESTS_MAX} entries`);
    expect(() => matomoQueriesIn('{"requests":[7]}')).toThrow("array of strings");
    expect(() => matomoQueryOf("a&".repeat(101))).toThrow("query parameters");
  });
});
