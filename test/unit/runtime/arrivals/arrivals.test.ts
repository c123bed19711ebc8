import { describe, expect, it } from "vitest";
import { arrivalNamer, type Arrival, type ArrivalRules } from "../../../../src/runtime/arrivals/arrivals.ts";
import { IGNORED_REFERRERS } from "../../../../src/runtime/arrivals/ignored-referrers.ts";
import { AI_ASSISTANTS, HOSTS_BY_KIND } from "../../../../src/runtime/arrivals/source-hosts.ts";
import { ALIASES, AMBIGUOUS_NAMES, ANDROID_PACKAGES } from "../../../../src/runtime/arrivals/source-aliases.ts";
import { kindOfSource } from "../../../../src/runtime/arrivals/source-names.ts";
import { CHANNELS, type ChannelRule } from "../../../../src/shared/channels.ts";
import { ARRIVALS } from "./arrival-table.ts";

const NO_RULES: ArrivalRules = { ownHosts: [], ignoredReferrers: [], channelRules: [] };

const arrivalOf = (facts: Partial<Arrival>): Arrival => ({ referrerHost: null, utmSource: null, utmMedium: null, clickId: null, ...facts });

const rule = (channel: ChannelRule["channel"], conditions: Partial<ChannelRule>): ChannelRule => ({
  ...{ channel, source: [], referrer: [], utm_source: [], utm_medium: [], click_id: [] },
  ...conditions,
});

describe("arrivals", () => {
  const rules = {
    ownHosts: ["*.shop.example", "brand.example", "checkout.brand.example"],
    ignoredReferrers: ["pay.ignored.example", "ignored.example", "*.sub.ignored.example"],
    channelRules: [],
  };
  const namer = arrivalNamer(rules, "shop.example");

  it.each(ARRIVALS)("%s | %s | %s | %s: source %s, channel %s", (referrerHost, utmSource, utmMedium, clickId, source, channel) => {
    const arrival = { referrerHost, utmSource, utmMedium, clickId } as Arrival;
    expect({ source: namer.source(arrival), channel: namer.channel(arrival) }).toEqual({ source, channel });
  });

  it("the table has at least 250 inputs, and every channel at least three times", () => {
    expect(ARRIVALS.length).toBeGreaterThanOrEqual(250);
    const counts = CHANNELS.map((channel) => [channel, ARRIVALS.filter((row) => row[5] === channel).length] as const);
    expect(counts.filter(([, count]) => count < 3)).toEqual([]);
  });

  it("a referrer is foreign unless it is the site's or ignored", () => {
    expect(["www.google.com", "partner.example", "shop.example.test"].map((host) => namer.isForeign(host))).toEqual([true, true, true]);
    const own = ["shop.example", "www.shop.example", "a.b.shop.example", "checkout.stripe.com", "ignored.example"];
    expect(own.filter((host) => namer.isForeign(host))).toEqual([]);
  });

  it("a site id that is no host, and one in capitals, has no referrer of its own by accident", () => {
    expect(arrivalNamer(NO_RULES, "My Blog").isForeign("blog")).toBe(true);
    expect(arrivalNamer(NO_RULES, "Shop.Example").isForeign("www.shop.example")).toBe(false);
    expect(arrivalNamer(NO_RULES, "shop.example:8080").isForeign("www.shop.example")).toBe(false);
  });

  it("subdomains are foreign unless the site's settings name them", () => {
    expect(arrivalNamer(NO_RULES, "shop.example").isForeign("blog.shop.example")).toBe(true);
    expect(arrivalNamer({ ...NO_RULES, ownHosts: ["*.shop.example"] }, "shop.example").isForeign("blog.shop.example")).toBe(false);
  });
});

describe("channel rules of a site", () => {
  const channelBy = (channelRules: readonly ChannelRule[], facts: Partial<Arrival>) =>
    arrivalNamer({ ...NO_RULES, channelRules }, "shop.example").channel(arrivalOf(facts));

  it("the first that matches counts, before the built-in ones", () => {
    const rules = [rule("Email", { source: ["Google"] }), rule("Push", { source: ["Google", "Bing"] })];
    expect(channelBy(rules, { referrerHost: "www.google.de" })).toBe("Email");
    expect(channelBy(rules, { referrerHost: "www.bing.com" })).toBe("Push");
    expect(channelBy(rules, { referrerHost: "duckduckgo.com" })).toBe("Organic Search");
  });

  it("all conditions of a rule must hold, in any case and with wildcards", () => {
    const rules = [rule("Affiliates", { utm_source: ["Partner-*"], utm_medium: ["CPC", "cpa"] })];
    expect(channelBy(rules, { utmSource: "partner-7", utmMedium: "cpc" })).toBe("Affiliates");
    expect(channelBy(rules, { utmSource: "partner-7", utmMedium: "CPA" })).toBe("Affiliates");
    expect(channelBy(rules, { utmSource: "partner-7", utmMedium: "email" })).toBe("Email");
    expect(channelBy(rules, { utmSource: "partner-7" })).toBe("Referral");
    expect(channelBy(rules, { utmMedium: "cpc" })).toBe("Paid Search");
  });

  it("referrers are compared as hosts, click ids by their kind", () => {
    const rules = [rule("Affiliates", { referrer: ["*.partner.example"] }), rule("Display", { click_id: ["gclid"] })];
    expect(channelBy(rules, { referrerHost: "go.partner.example" })).toBe("Affiliates");
    expect(channelBy(rules, { referrerHost: "partner.example" })).toBe("Referral");
    expect(channelBy(rules, { clickId: "gclid" })).toBe("Display");
  });

  it("an ignored referrer, and one of the site itself, matches no condition", () => {
    const rules = [rule("Affiliates", { referrer: ["*"] })];
    expect(channelBy(rules, { referrerHost: "checkout.stripe.com" })).toBe("Direct");
    expect(channelBy(rules, { referrerHost: "www.shop.example" })).toBe("Internal");
    expect(channelBy(rules, { referrerHost: "partner.example" })).toBe("Affiliates");
  });
});

describe("the tables of sources", () => {
  const hosts = [
    ...Object.values(HOSTS_BY_KIND).flatMap((names) => Object.values(names)),
    ...Object.values(AI_ASSISTANTS).map((ai) => ai.hosts),
  ].flat();
  const sources = [...Object.values(HOSTS_BY_KIND).flatMap((names) => Object.keys(names)), ...Object.keys(AI_ASSISTANTS)];

  it("a host, a source, a package and an alias each stand once", () => {
    const aliases = Object.values(ALIASES).flat();
    for (const list of [hosts, sources, Object.values(ANDROID_PACKAGES).flat(), aliases, IGNORED_REFERRERS])
      expect(list.filter((entry, i) => list.indexOf(entry) !== i)).toEqual([]);
  });

  it("hosts are in lower case, without www. and a final dot, and of at most five labels", () => {
    expect(hosts.filter((host) => !/^(?!www\.)[a-z\d-]+(?:\.[a-z\d-]+){1,4}$/.test(host))).toEqual([]);
    expect(IGNORED_REFERRERS.filter((host) => !/^(?:\*\.)?(?!www\.)[a-z\d-]+(?:\.[a-z\d-]+)+$/.test(host))).toEqual([]);
  });

  it("apps and aliases belong to sources that have a kind", () => {
    const named = [...Object.keys(ANDROID_PACKAGES), ...Object.keys(ALIASES), ...AMBIGUOUS_NAMES];
    expect(named.filter((source) => kindOfSource(source) === null)).toEqual([]);
    expect(
      Object.values(ALIASES)
        .flat()
        .filter((alias) => !/^[a-z\d]+$/.test(alias)),
    ).toEqual([]);
  });

  it("each AI assistant has the date on which it was added", () => {
    const dates = Object.values(AI_ASSISTANTS).map(({ added }) => added);
    expect(dates.length).toBeGreaterThan(30);
    expect(dates.filter((date) => new Date(date).toISOString().slice(0, 10) !== date)).toEqual([]);
  });
});
