/** `trust_proxy` against what arrives, and the headers of a trusted proxy with a visitor's location. */
import { describe, expect, it, onTestFinished } from "vitest";
import { bodyOf } from "../support/auth-requests.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { createNodeTarget } from "../support/node-target.ts";
import { getBreakdown, getPixel, pixelPath, record, wireEvent, type RequestHeaders } from "../support/requests.ts";
import type { Environment, Target } from "../support/target.ts";
import { HIDDEN_EVENTS_MIN, PROXY_EVENTS_MIN } from "../../src/runtime/base/config/limits.ts";

const SITE = "proxied.test";

async function aTarget(environment: Environment): Promise<InProcessTarget> {
  const target = await createInProcessTarget(environment);
  onTestFinished(() => target.close());
  return target;
}

const proxyOf = async (target: Target): Promise<unknown> =>
  (await bodyOf<{ readonly proxy: unknown }>(await target.fetch(`/api/installation?site_id=${SITE}`))).proxy;

const visitor = (event: number): RequestHeaders => ({ "x-forwarded-for": `198.51.100.${event}` });

describe("the installation check", () => {
  it("the installation check names the right trust_proxy after a few events and pixels through a proxy that is not trusted", async () => {
    const target = await aTarget({ SVC_TRUST_PROXY: "0" });
    for (let event = 1; event < HIDDEN_EVENTS_MIN; event++) await record(target, wireEvent(SITE), visitor(event));
    expect(await proxyOf(target)).toBeNull();
    expect((await getPixel(target, { d: SITE, u: "/" }, visitor(HIDDEN_EVENTS_MIN))).status).toBe(200);
    expect(await proxyOf(target)).toEqual({ problem: "too_few", trust_proxy: 1 });
    expect(target.log.lines.filter(({ level }) => level === "warn").map(({ message }) => message)).toEqual([
      expect.stringContaining("Set trust_proxy = 1"),
    ]);
  });

  it("the installation check names the right trust_proxy if the header contains fewer addresses than proxies are trusted", async () => {
    const target = await aTarget({ SVC_TRUST_PROXY: "2" });
    for (let event = 0; event < PROXY_EVENTS_MIN; event++) await record(target, wireEvent(SITE), visitor(event));
    expect(await proxyOf(target)).toEqual({ problem: "too_many", trust_proxy: 1 });
  });

  it("the installation check judges only stored events of visitors: no bots, refused events or other requests", async () => {
    const target = await aTarget({ SVC_TRUST_PROXY: "0" });
    for (let event = 0; event < PROXY_EVENTS_MIN; event++) {
      await record(target, wireEvent(SITE), { ...visitor(event), "user-agent": "Googlebot/2.1" });
      expect((await target.fetch("/api/event", { method: "POST", headers: visitor(event), body: "{}" })).status).toBe(422);
      expect((await target.fetch(pixelPath({}), { headers: visitor(event) })).status).toBe(422);
      await target.fetch("/api/sites", { headers: visitor(event) });
    }
    expect([await proxyOf(target), target.log.lines.filter(({ level }) => level === "warn")]).toEqual([null, []]);
  });
});

describe("the program behind a proxy that is not trusted", () => {
  it("the program behind a proxy that is not trusted logs one warning with the right value, and no address", async () => {
    const target = await createNodeTarget({ SVC_TRUST_PROXY: "0" });
    onTestFinished(() => target.close());
    for (let event = 1; event <= PROXY_EVENTS_MIN; event++) await record(target, wireEvent(SITE), visitor(event));
    expect(await proxyOf(target)).toEqual({ problem: "too_few", trust_proxy: 1 });
    const warnings = target
      .log()
      .split("\n")
      .filter((line) => line.includes("X-Forwarded-For"));
    expect(warnings).toEqual([expect.stringMatching(/ WARN {2}visitors seem to share the address of a proxy: .* Set trust_proxy = 1 /)]);
    expect(target.log()).not.toContain("198.51.100.");
  });
});

const GEO_HEADERS = "country=CF-IPCountry, region=CF-Region, city=CF-IPCity";
const PLACE = { "CF-IPCountry": "NL", "CF-Region": "North Holland", "CF-IPCity": "Amsterdam" };

async function placesOf(target: Target): Promise<readonly unknown[]> {
  const places = [];
  for (const dimension of ["countries", "regions", "cities"])
    places.push((await getBreakdown(target, SITE, dimension)).map(({ value }) => value));
  return places;
}

describe("geo_headers", () => {
  /** In the country database. */
  const AMERICAN = { "x-forwarded-for": "8.8.8.8" };

  it("geo_headers gives an event the place in the headers of a trusted proxy, in place of the database's", async () => {
    const target = await aTarget({ SVC_TRUST_PROXY: "1", SVC_GEO_HEADERS: GEO_HEADERS });
    await record(target, wireEvent(SITE), { ...AMERICAN, ...PLACE });
    expect(await placesOf(target)).toEqual([["NL"], ["North Holland"], ["Amsterdam"]]);
  });

  it.each<readonly [string, Environment, RequestHeaders]>([
    ["without geo_headers", { SVC_TRUST_PROXY: "1" }, { ...AMERICAN, ...PLACE }],
    [
      "without a country in the headers",
      { SVC_TRUST_PROXY: "1", SVC_GEO_HEADERS: GEO_HEADERS },
      { ...AMERICAN, ...PLACE, "CF-IPCountry": "XX" },
    ],
    ["if geo_headers names other headers", { SVC_TRUST_PROXY: "1", SVC_GEO_HEADERS: "country=X-Country" }, { ...AMERICAN, ...PLACE }],
  ])("the database decides the place %s", async (_, environment, headers) => {
    const target = await aTarget(environment);
    await record(target, wireEvent(SITE), headers);
    expect((await placesOf(target))[0]).toEqual(["US"]);
  });

  it.each<readonly [string, Environment, RequestHeaders]>([
    ["has no X-Forwarded-For", { SVC_TRUST_PROXY: "1" }, PLACE],
    ["came through one of two trusted proxies", { SVC_TRUST_PROXY: "2" }, { ...PLACE, "x-forwarded-for": "8.8.8.8" }],
  ])("the headers of geo_headers are ignored if the request %s", async (_, environment, headers) => {
    const target = await aTarget({ ...environment, SVC_GEO_HEADERS: GEO_HEADERS });
    await record(target, wireEvent(SITE), headers);
    expect((await placesOf(target))[0]).toEqual(["(unknown)"]);
  });

  it("places of geo_headers are recorded no finer than geoip_precision allows", async () => {
    const target = await aTarget({ SVC_TRUST_PROXY: "1", SVC_GEO_HEADERS: GEO_HEADERS, SVC_GEOIP_PRECISION: "region" });
    await record(target, wireEvent(SITE), { ...AMERICAN, ...PLACE });
    expect(await placesOf(target)).toEqual([["NL"], ["North Holland"], ["(unknown)"]]);
  });
});
