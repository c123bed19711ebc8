/** What the installation check says about the answers of the service, of the browser and of the page. */
import { afterAll, describe, expect, it, vi } from "vitest";
import type { Installation, InstallationPage } from "../../../../dashboard/api/types.ts";

const { eventChecks } = await import("../../../../dashboard/setup/checks.ts");
const { pageChecks } = await import("../../../../dashboard/setup/checks.ts");
const { addressChecks, browserChecks } = await import("../../../../dashboard/setup/checks.ts");
afterAll(() => vi.unstubAllGlobals());

const SCRIPT = "https://stats.example.com/svc.js";

type Counted = Installation["events"][number];

const counted = (outcome: Counted["outcome"], name = "example.com", count = 1): Counted => ({
  name,
  outcome,
  count,
  latest_at: "2026-03-15T12:01:00.000Z",
});

const installation = (fields: Partial<Installation> = {}): Installation => ({
  since: "2026-03-15T12:00:00.000Z",
  is_allowed: true,
  has_events: false,
  first_event_date: null,
  last_event_date: null,
  proxy: null,
  files_left_out: 0,
  rollups: { days_made: 0, days_due: 0 },
  events: [],
  other_events: [],
  unknown_aliases: [],
  ...fields,
});

/** Verdicts and findings, as one text for each check. */
const saying = (checks: readonly { readonly verdict: string; readonly finding: string }[]): string[] =>
  checks.map(({ verdict, finding }) => `${verdict}: ${finding}`);

const eventsOf = (fields: Partial<Installation>) => saying(eventChecks("example.com", installation(fields), "UTC"));

describe("the checks of events", () => {
  it("the checks of events say that no request has come", () => {
    expect(eventsOf({})).toEqual(["problem: Nothing received for `example.com` since 15 Mar 2026, 12:00 UTC"]);
  });

  it("the checks of events say how many came, and nothing of other sites", () => {
    expect(
      eventsOf({ has_events: true, events: [counted("accepted", "example.com", 12)], other_events: [counted("accepted", "b.org")] }),
    ).toEqual(["ok: 12 events since 15 Mar 2026, 12:00 UTC, the latest at 15 Mar 2026, 12:01 UTC"]);
  });

  it("the checks of events say that the demo site takes no events, whatever site_ids has", () => {
    const demo = installation({ has_events: true, events: [counted("site_not_allowed", "demo.example", 2)] });
    expect(saying(eventChecks("demo.example", demo, "UTC")).at(-1)).toBe(
      "problem: 2 events for `demo.example` were refused: the demo site takes no events",
    );
  });

  it("the checks of events say that trust_proxy is wrong, and which value fits", () => {
    const adviceOf = (proxy: Installation["proxy"]) =>
      eventChecks("example.com", installation({ has_events: true, proxy }), "UTC").map(({ verdict, advice }) => `${verdict}: ${advice}`)[1];
    expect(adviceOf({ problem: "too_few", trust_proxy: 1 })).toBe(
      "problem: Set `trust_proxy = 1` and restart if that is the number of your proxies. Otherwise clients make up the header `X-Forwarded-For`: change nothing.",
    );
    expect(adviceOf({ problem: "too_many", trust_proxy: 2 })).toBe(
      "problem: Set `trust_proxy = 2` and restart if that is the number of your proxies. Otherwise let clients reach only the outermost proxy.",
    );
    expect(adviceOf({ problem: "too_many", trust_proxy: 0 })).toBe(
      "problem: Have the proxy send `X-Forwarded-For`, or set `trust_proxy = 0` if there is none, and restart.",
    );
    expect(adviceOf(null)).toBeUndefined();
  });

  it("the checks of events say that reports leave out files", () => {
    expect(eventsOf({ has_events: true, files_left_out: 2 })).toContain(
      "problem: Reports leave out 2 files of events: damaged, missing or in the wrong folder",
    );
  });

  it("the checks of events say how many days have sums, until nearly all have", () => {
    const notes = (days_made: number) => eventsOf({ has_events: true, rollups: { days_made, days_due: 1460 } }).slice(1);
    expect(notes(0)).toEqual(["note: Sums of past days are being made, newest days first: 0 of 1,460 days"]);
    expect(notes(1300)).toHaveLength(1);
    expect(notes(1400)).toEqual([]);
  });

  it("the checks of events say that events came before the start only", () => {
    expect(eventsOf({ has_events: true })).toEqual(["note: No events since 15 Mar 2026, 12:00 UTC"]);
  });

  it("the checks of events say under which name events came instead", () => {
    expect(eventsOf({ other_events: [counted("accepted", "www.example.com", 2), counted("accepted", "b.org")] }).slice(1)).toEqual([
      "problem: 2 events arrived as `www.example.com`",
      "note: Events arrive under other names: `b.org`",
    ]);
    expect(eventsOf({ events: [counted("accepted")], other_events: [counted("accepted", "Example.com:8443")] }).slice(1)).toEqual([
      "problem: 1 event arrived as `Example.com:8443`",
    ]);
  });

  it("the checks of events give the reason of every refusal, with what to do", () => {
    const outcomes = ["bot", "excluded", "site_not_allowed", "too_many_sites", "rate_limited", "invalid", "not_stored"] as const;
    const checks = eventChecks(
      "example.com",
      installation({ is_allowed: false, events: outcomes.map((outcome) => counted(outcome)) }),
      "UTC",
    );
    expect(saying(checks)).toEqual([
      "problem: No event of `example.com` was accepted",
      "problem: 1 event was dropped as bot traffic",
      "note: 1 event was not stored, because the settings of the site exclude it",
      "problem: 1 event for `example.com` was refused: it isn't in `site_ids`",
      "problem: 1 event for `example.com` was refused: the limit `max_sites` is reached",
      "problem: 1 event was refused by a rate limit",
      "problem: 1 event was invalid",
      "problem: 1 event could not be stored",
    ]);
    expect(checks.filter(({ advice }) => advice === undefined)).toEqual([]);
  });

  it("the checks of events say that site_ids lacks the site, and which page's host it refuses", () => {
    expect(eventsOf({ is_allowed: false, other_events: [counted("origin_not_allowed", "www.example.com", 3)] }).slice(1)).toEqual([
      "problem: `example.com` isn't in `site_ids`",
      "problem: 3 events of pages on `www.example.com` were refused: it isn't in `site_ids`",
    ]);
  });
});

const page = (fields: Partial<NonNullable<InstallationPage["findings"]>>, status = 200): InstallationPage => ({
  problem: null,
  status,
  findings: {
    script: "found",
    data_domain: "example.com",
    uses_tag_manager: false,
    script_blocked_by: null,
    events_blocked_by: null,
    ...fields,
  },
});

const pageOf = (answer: InstallationPage) => saying(pageChecks("example.com", SCRIPT, answer));

describe("the checks of a page", () => {
  it("the checks of a page say that all is right", () => {
    expect(pageOf(page({}))).toEqual([
      "ok: The page has the script tag",
      "ok: The script tag is for `example.com`",
      "ok: The page's Content Security Policy allows the script and its events",
    ]);
  });

  it.each<[InstallationPage, string[]]>([
    [page({ script: "absent", data_domain: null }), ["problem: The page has no script tag"]],
    [page({ script: "absent", data_domain: null, uses_tag_manager: true }), ["note: The page has no script tag, but loads Tag Manager"]],
    [page({ script: "mentioned", data_domain: null }), ["note: The page has no script tag, but names the script"]],
    [
      page({ script: "other_address" }),
      ["problem: The page's script tag points to another address", "ok: The script tag is for `example.com`"],
    ],
    [page({ script: "absent", data_domain: null }, 404), ["problem: The page answered 404", "problem: The page has no script tag"]],
  ])("the checks of a page say what is wrong with the script tag: %#", (answer, wanted) => {
    expect(pageOf(answer)).toEqual(wanted);
  });

  it("the checks of a page say that the tag names no site, or another", () => {
    expect(pageOf(page({ data_domain: null }))[1]).toBe("problem: The script tag names no site");
    expect(pageOf(page({ data_domain: "www.example.com,example.com" }))[1]).toBe("ok: The script tag is for `example.com`");
    expect(pageOf(page({ data_domain: "www.example.com" }))[1]).toBe("problem: The script tag is for `www.example.com`");
  });

  it("the checks of a page name the directive that blocks the script or events, and the origin to add", () => {
    const blocked = pageChecks("example.com", SCRIPT, page({ script_blocked_by: "policy", events_blocked_by: "policy" })).slice(2);
    expect(blocked.map(({ finding, advice }) => `${finding}. ${advice}`)).toEqual([
      "The page's Content Security Policy blocks the script. Add `https://stats.example.com` to `script-src`.",
      "The page's Content Security Policy blocks events. Add `https://stats.example.com` to `connect-src`.",
    ]);
    expect(pageOf(page({ script_blocked_by: "mixed_content", events_blocked_by: "mixed_content" })).slice(2)).toEqual([
      "problem: Browsers block the script: the page uses https and the script http",
    ]);
  });

  it("the checks of a page say why it could not be read", () => {
    const unread = pageChecks("example.com", SCRIPT, { problem: "foreign_redirect", status: 302, findings: null });
    expect(saying(unread)).toEqual(["problem: The page redirects to another site"]);
  });
});

describe("the checks of the browser and the addresses", () => {
  const facts = { blocked: "nothing", asksNotToBeTracked: false, hasOptedOut: false } as const;

  it("the checks of the browser say what keeps its visits from being counted", () => {
    expect(saying(browserChecks(facts)).every((text) => text.startsWith("ok: "))).toBe(true);
    expect(saying(browserChecks({ blocked: "script", asksNotToBeTracked: true, hasOptedOut: true }))).toEqual([
      "problem: Something in this browser blocks the script",
      "note: This browser asks not to be tracked",
      "problem: This browser has opted out",
    ]);
    expect(saying(browserChecks({ ...facts, blocked: "events", hasOptedOut: null }))).toEqual([
      "problem: Something in this browser blocks events",
      "ok: This browser sends neither Do Not Track nor Global Privacy Control",
      "note: Can't tell from here whether you've opted out",
    ]);
    expect(saying(browserChecks({ ...facts, blocked: null }))[0]).toBe(
      "note: Whether this browser blocks the script can't be seen from here",
    );
  });

  it("the checks of addresses say that a local site needs an attribute, and that visitors cannot reach a local script", () => {
    expect(addressChecks("example.com", SCRIPT)).toEqual([]);
    expect(saying(addressChecks("localhost:3000", "http://localhost:8000/svc.js"))).toEqual(["note: `localhost:3000` is a local address"]);
    expect(saying(addressChecks("example.com", "http://192.168.1.5:8000/svc.js"))).toEqual([
      "problem: The script's address is local: visitors can't load it from `192.168.1.5:8000`",
    ]);
  });
});
