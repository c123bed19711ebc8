/** Evidence: what each code means, through which doors it comes, and that no person's browser is accused. */
import { describe, expect, it } from "vitest";
import { parseClientHints, parseUserAgent } from "../../../../src/runtime/ingest/device.ts";
import { EVIDENCE, EVIDENCE_CODES, type EvidenceFacts, evidenceOf, parseEvidence } from "../../../../src/runtime/ingest/evidence.ts";
import {
  CHROME_ANDROID,
  CHROME_TABLET,
  CHROME_TV,
  CHROME_WINDOWS,
  EDGE_WINDOWS,
  FIREFOX_LINUX,
  SAFARI_IPAD,
  SAFARI_IPHONE,
  SAFARI_MAC,
  TV_TIZEN,
} from "../../../support/user-agents.ts";

type Hints = readonly [brands: string | null, platform: string | null, mobile: string | null];

const NO_HINTS: Hints = [null, null, null];

const hintsOf = ([brands, platform, mobile]: Hints) => parseClientHints({ brands, platform, mobile });

/** What the tracking script sends from a page over HTTPS. */
const sent = (userAgent: string, hints = NO_HINTS, fields: Partial<EvidenceFacts> = {}): EvidenceFacts => ({
  door: "api",
  origin: "https://shop.example",
  userAgent,
  named: parseUserAgent(userAgent),
  clientHints: hintsOf(hints),
  mark: 0,
  isSignedAgent: false,
  network: null,
  ...fields,
});

const HETZNER = { asn: 24_940, organization: null };

const chrome = (version: number, platform = "Windows", mobile = "?0"): Hints => [
  `"Chromium";v="${version}", "Google Chrome";v="${version}", "Not-A.Brand";v="99"`,
  `"${platform}"`,
  mobile,
];

const CHROME_LINUX = CHROME_WINDOWS.replace("Windows NT 10.0; Win64; x64", "X11; Linux x86_64");
const CHROME_MAC = CHROME_WINDOWS.replace("Windows NT 10.0; Win64; x64", "Macintosh; Intel Mac OS X 10_15_7");
const CHROME_IPHONE = SAFARI_IPHONE.replace("Version/17.4.1", "CriOS/124.0.6367.88");
const WEB_VIEW =
  "Mozilla/5.0 (Linux; Android 14; SM-S911B; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/124.0.0.0 Mobile Safari/537.36";
const SAMSUNG =
  "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36";
const OPERA = `${CHROME_WINDOWS.replace("Chrome/124", "Chrome/122")} OPR/108.0.0.0`;

describe("browsers of people give no evidence", () => {
  it.each<[string, string, Hints]>([
    ["Chrome on Windows", CHROME_WINDOWS, chrome(124)],
    ["Chrome on macOS", CHROME_MAC, chrome(124, "macOS")],
    ["Chrome on Linux", CHROME_LINUX, chrome(124, "Linux")],
    ["Chrome on Android", CHROME_ANDROID, chrome(124, "Android", "?1")],
    ["Chrome on a tablet", CHROME_TABLET, chrome(124, "Android")],
    ["Chrome on a phone that asks for pages of a desktop", CHROME_LINUX, chrome(124, "Android", "?1")],
    ["Chrome on a television", CHROME_TV, chrome(124, "Android")],
    ["Edge", EDGE_WINDOWS, ['"Chromium";v="124", "Microsoft Edge";v="124", "Not-A.Brand";v="99"', '"Windows"', "?0"]],
    ["Opera", OPERA, ['"Not(A:Brand";v="24", "Chromium";v="122", "Opera";v="108"', '"Windows"', "?0"]],
    ["Brave", CHROME_WINDOWS, ['"Chromium";v="124", "Brave";v="124", "Not-A.Brand";v="99"', '"Windows"', "?0"]],
    ["Samsung Internet", SAMSUNG, ['"Chromium";v="121", "Samsung Internet";v="25.0", "Not A;Brand";v="99"', '"Android"', "?1"]],
    ["a web view of an app that has changed its User-Agent", WEB_VIEW, NO_HINTS],
    ["Chrome on an iPhone", CHROME_IPHONE, NO_HINTS],
    ["Chrome from before client hints", CHROME_WINDOWS.replace("/124", "/84"), NO_HINTS],
    ["Firefox", FIREFOX_LINUX, NO_HINTS],
    ["Safari", SAFARI_MAC, NO_HINTS],
    ["Safari on an iPhone", SAFARI_IPHONE, NO_HINTS],
    ["Safari on an iPad", SAFARI_IPAD, NO_HINTS],
    ["a television", TV_TIZEN, NO_HINTS],
    ["no User-Agent", "", NO_HINTS],
  ])("%s", (_name, userAgent, hints) => {
    expect(evidenceOf(sent(userAgent, hints))).toBeNull();
    expect(evidenceOf(sent(userAgent, hints, { network: { asn: 64_496, organization: "Example Hosting" } }))).toBeNull();
  });
});

describe("what is sent by other programs than the tracking script is accused of nothing that they leave out", () => {
  it.each<[string, Partial<EvidenceFacts>]>([
    ["a server that passes on the User-Agent of its visitor", { origin: null, mark: null }],
    ["a server in a data centre", { origin: null, mark: null, network: HETZNER }],
    ["a pixel", { door: "pixel", origin: null, mark: null }],
    ["a tag of another product on a page without HTTPS", { door: "tag", origin: "http://shop.example", mark: null }],
    ["a tag of another product in a program's own page", { door: "tag", origin: "null", mark: null }],
  ])("%s", (_name, fields) => {
    expect(evidenceOf(sent(CHROME_WINDOWS, NO_HINTS, fields))).toBeNull();
  });

  it("a tag of another product is not unmarked, and its browser has to send hints like any other", () => {
    expect(evidenceOf(sent(CHROME_WINDOWS, chrome(124), { door: "tag", mark: null }))).toBeNull();
    expect(evidenceOf(sent(CHROME_WINDOWS, NO_HINTS, { door: "tag", mark: null }))).toBe("no_hints");
  });
});

describe("codes", () => {
  it.each<[string, EvidenceFacts]>([
    ["no_hints", sent(CHROME_WINDOWS)],
    ["no_hints", sent(EDGE_WINDOWS)],
    ["no_hints", sent(CHROME_ANDROID, ["nonsense", '"Unknown"', "yes"])],
    ["unmarked", sent(CHROME_WINDOWS, chrome(124), { mark: null })],
    ["unmarked", sent(FIREFOX_LINUX, NO_HINTS, { mark: null, origin: "http://shop.example" })],
    ["webdriver", sent(CHROME_WINDOWS, chrome(124), { mark: 2 })],
    ["data_centre", sent(FIREFOX_LINUX, NO_HINTS, { network: HETZNER })],
    ["data_centre", sent(FIREFOX_LINUX, NO_HINTS, { door: "pixel", origin: null, mark: null, network: HETZNER })],
    ["data_centre no_hints", sent(CHROME_WINDOWS, NO_HINTS, { door: "tag", mark: null, network: HETZNER })],
    ["no_screen", sent(CHROME_WINDOWS, chrome(124), { mark: 1 })],
    ["signed_agent", sent(CHROME_WINDOWS, chrome(124), { isSignedAgent: true })],
    ["headless", sent(CHROME_WINDOWS, ['"HeadlessChrome";v="124", "Chromium";v="124"', '"Windows"', "?0"])],
    ["headless", sent(CHROME_LINUX.replace("Chrome/", "HeadlessChrome/"), NO_HINTS)],
    ["automation", sent("Mozilla/5.0 (linux) AppleWebKit/537.36 (KHTML, like Gecko) jsdom/22.1.0")],
    ["automation", sent("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HappyDOM/12.0.0")],
    ["automation", sent("Mozilla/5.0 (X11; Linux x86_64) Lightpanda/1.0")],
    ["impossible", sent(FIREFOX_LINUX, chrome(124, "Linux"))],
    ["impossible", sent(SAFARI_IPHONE, chrome(124, "Linux"))],
    ["impossible", sent(CHROME_WINDOWS, chrome(110))],
    ["impossible", sent(CHROME_WINDOWS, chrome(124, "Linux"))],
    ["impossible", sent(CHROME_MAC, chrome(124, "Windows"))],
    ["impossible", sent(CHROME_ANDROID, chrome(124, "Linux", "?1"))],
    ["impossible", sent(CHROME_WINDOWS, chrome(124, "Windows", "?1"))],
    ["impossible", sent(CHROME_WINDOWS.replace("NT 10.0", "NT 11.0"), chrome(124))],
    ["no_hints unmarked", sent(CHROME_WINDOWS, NO_HINTS, { mark: null })],
    ["headless impossible unmarked", sent(CHROME_MAC, ['"HeadlessChrome";v="124", "Chromium";v="124"', '"Linux"', "?0"], { mark: null })],
  ])("%s", (expected, facts) => {
    expect(evidenceOf(facts)).toBe(expected);
  });

  it.each([
    ["NT 6.1", null],
    ["NT 6.3", null],
    ["NT 10.0", null],
    ["NT 110", null],
    ["NT 7.0", "impossible"],
  ])("a Windows %s: %s", (version, expected) => {
    expect(evidenceOf(sent(CHROME_WINDOWS.replace("NT 10.0", version), chrome(124)))).toBe(expected);
  });

  it("are read from the start of a User-Agent, in which nothing behind 512 characters counts", () => {
    expect(evidenceOf(sent(`${"x".repeat(600)} jsdom/22`, NO_HINTS))).toBeNull();
  });

  it("are words, so that a space separates them, and none has more than 12 letters", () => {
    for (const code of EVIDENCE_CODES) expect(code).toMatch(/^[a-z_]{1,12}$/);
    expect(Object.keys(EVIDENCE).sort()).toEqual(EVIDENCE_CODES);
  });

  it("of an imported event are those that are known, sorted", () => {
    expect(parseEvidence("unmarked no_hints")).toBe("no_hints unmarked");
    expect(parseEvidence("no_hints 198.51.100.7 no_hints")).toBe("no_hints");
    expect(parseEvidence("")).toBeNull();
    expect(parseEvidence("x ".repeat(100_000))).toBeNull();
  });
});
