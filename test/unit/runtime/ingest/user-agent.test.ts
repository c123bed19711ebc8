import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isBot } from "../../../../src/runtime/ingest/bot-filter.ts";
import {
  factsFromUserAgent,
  factsWithHints,
  NO_CLIENT_HINTS,
  parseClientHints,
  parseUserAgent,
  type ClientHints,
} from "../../../../src/runtime/ingest/user-agent.ts";
import { USER_AGENT_CHARS_MAX } from "../../../../src/runtime/config/limits.ts";
import { filled, growthOf, GROWTH_MAX, SIZE_RATIO } from "../../../support/growth.ts";

type Row = [
  userAgent: string,
  browser: string | null,
  version: string | null,
  os: string | null,
  osVersion: string | null,
  device: string | null,
];

const WEBKIT_PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)";
const CHROME_WINDOWS = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36";
const CHROME_PHONE = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Mobile Safari/537.36";
const CHROME_TABLET = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36";
const CHROME_TV = "Mozilla/5.0 (Linux; Android 9; BRAVIA 4K GB) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36";

describe("the User-Agent alone", () => {
  it.each<Row>([
    // Chrome on each system
    [CHROME_WINDOWS, "Chrome", "124", "Windows", "10", "desktop"],
    [
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36",
      "Chrome",
      "124",
      "macOS",
      "10.15",
      "desktop",
    ],
    [
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36",
      "Chrome",
      "124",
      "Linux",
      null,
      "desktop",
    ],
    [
      "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36",
      "Chrome",
      "124",
      "ChromeOS",
      "14541",
      "desktop",
    ],
    [CHROME_PHONE, "Chrome", "124", "Android", "10", "mobile"],
    [CHROME_TABLET, "Chrome", "124", "Android", "10", "tablet"],
    [`${WEBKIT_PHONE} CriOS/124.0.6367.71 Mobile/15E148 Safari/604.1`, "Chrome", "124", "iOS", "17.4", "mobile"],
    // Safari
    [`${WEBKIT_PHONE} Version/17.4.1 Mobile/15E148 Safari/604.1`, "Safari", "17.4", "iOS", "17.4", "mobile"],
    [
      "Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 Mobile/15E148 Safari/604.1",
      "Safari",
      "16.6",
      "iOS",
      "16.6",
      "tablet",
    ],
    [
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Safari/605.1.15",
      "Safari",
      "17",
      "macOS",
      "10.15",
      "desktop",
    ],
    // Firefox
    ["Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:125.0) Gecko/20100101 Firefox/125.0", "Firefox", "125", "Windows", "10", "desktop"],
    ["Mozilla/5.0 (Macintosh; Intel Mac OS X 14.4; rv:125.0) Gecko/20100101 Firefox/125.0", "Firefox", "125", "macOS", "14.4", "desktop"],
    ["Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:125.0) Gecko/20100101 Firefox/125.0", "Firefox", "125", "Linux", null, "desktop"],
    ["Mozilla/5.0 (X11; Linux i686; rv:115.0) Gecko/20100101 Firefox/115.0", "Firefox", "115", "Linux", null, "desktop"],
    ["Mozilla/5.0 (X11; FreeBSD amd64; rv:125.0) Gecko/20100101 Firefox/125.0", "Firefox", "125", "FreeBSD", null, "desktop"],
    ["Mozilla/5.0 (Android 14; Mobile; rv:125.0) Gecko/125.0 Firefox/125.0", "Firefox", "125", "Android", "14", "mobile"],
    ["Mozilla/5.0 (Android 13; Tablet; rv:125.0) Gecko/125.0 Firefox/125.0", "Firefox", "125", "Android", "13", "tablet"],
    [`${WEBKIT_PHONE} FxiOS/125.0 Mobile/15E148 Safari/605.1.15`, "Firefox", "125", "iOS", "17.4", "mobile"],
    // Others built on Chromium
    [`${CHROME_WINDOWS} Edg/124.0.2478.51`, "Edge", "124", "Windows", "10", "desktop"],
    [`${CHROME_PHONE} EdgA/124.0.2478.50`, "Edge", "124", "Android", "10", "mobile"],
    [`${CHROME_WINDOWS} OPR/109.0.0.0`, "Opera", "109", "Windows", "10", "desktop"],
    [`${CHROME_PHONE} OPR/81.0.0.0`, "Opera", "81", "Android", "10", "mobile"],
    [
      "Mozilla/5.0 (Linux; Android 14; SAMSUNG SM-S911B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/24.0 Chrome/117.0.0.0 Mobile Safari/537.36",
      "Samsung Internet",
      "24",
      "Android",
      "14",
      "mobile",
    ],
    [
      "Mozilla/5.0 (Linux; Android 13; SAMSUNG SM-X700) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/24.0 Chrome/117.0.0.0 Safari/537.36",
      "Samsung Internet",
      "24",
      "Android",
      "13",
      "tablet",
    ],
    [
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/122.0.0.0 YaBrowser/24.4.1.899 Safari/537.36",
      "Yandex",
      "24.4",
      "Windows",
      "10",
      "desktop",
    ],
    [`${CHROME_WINDOWS} Vivaldi/6.7.3329.17`, "Vivaldi", "6.7", "Windows", "10", "desktop"],
    [
      "Mozilla/5.0 (Linux; Android 9; KFTRWI) AppleWebKit/537.36 (KHTML, like Gecko) Silk/122.5.1 like Chrome/122.0.6261.140 Safari/537.36",
      "Silk",
      "122.5",
      "Android",
      "9",
      "tablet",
    ],
    // Old ones
    ["Mozilla/5.0 (Windows NT 6.1; WOW64; Trident/7.0; rv:11.0) like Gecko", "Internet Explorer", "11", "Windows", "7", "desktop"],
    ["Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 5.1; Trident/4.0)", "Internet Explorer", "8", "Windows", "XP", "desktop"],
    [
      "Mozilla/5.0 (Linux; U; Android 4.0.3; de-de; GT-I9100 Build/IML74K) AppleWebKit/534.30 (KHTML, like Gecko) Version/4.0 Mobile Safari/534.30",
      "Android Browser",
      "4",
      "Android",
      "4",
      "mobile",
    ],
    // Apps
    [
      `${WEBKIT_PHONE} Mobile/15E148 Instagram 325.0.3.34.90 (iPhone14,5; iOS 17_4; en_US; en; scale=3.00; 1170x2532; 584240014)`,
      "Instagram",
      "325",
      "iOS",
      "17.4",
      "mobile",
    ],
    [
      `${WEBKIT_PHONE} Mobile/21E219 [FBAN/FBIOS;FBAV/456.0.0.40.107;FBBV/581234567;FBDV/iPhone14,5;FBMD/iPhone;FBSN/iOS;FBSV/17.4;FBSS/3]`,
      "Facebook",
      "456",
      "iOS",
      "17.4",
      "mobile",
    ],
    [`${WEBKIT_PHONE} GSA/310.0.623131475 Mobile/15E148 Safari/604.1`, "Google App", "310", "iOS", "17.4", "mobile"],
    [
      "Mozilla/5.0 (Linux; Android 14; SM-S911B Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/124.0.6367.54 Mobile Safari/537.36",
      "Android WebView",
      "124",
      "Android",
      "14",
      "mobile",
    ],
    // Televisions, consoles and other things
    [
      "Mozilla/5.0 (SMART-TV; Linux; Tizen 6.0) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/4.0 Chrome/76.0.3809.146 TV Safari/537.36",
      "Samsung Internet",
      "4",
      "Tizen",
      "6",
      "tv",
    ],
    [
      "Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/94.0.4606.128 Safari/537.36 WebAppManager",
      "Chrome",
      "94",
      "webOS",
      null,
      "tv",
    ],
    [CHROME_TV, "Chrome", "124", "Android", "9", "tv"],
    [
      "Mozilla/5.0 (PlayStation; PlayStation 5/4.03) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.0 Safari/605.1.15",
      "Safari",
      "13",
      "PlayStation",
      "5",
      "console",
    ],
    [
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64; Xbox; Xbox One) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/64.0.3282.140 Safari/537.36 Edge/18.0",
      "Edge",
      "18",
      "Xbox",
      "One",
      "console",
    ],
    [
      "Mozilla/5.0 (X11; Linux x86_64; Quest 3) AppleWebKit/537.36 (KHTML, like Gecko) OculusBrowser/32.0.0.10.66 Chrome/122.0.6261.140 VR Safari/537.36",
      "Oculus Browser",
      "32",
      "Linux",
      null,
      "wearable",
    ],
    [
      "Mozilla/5.0 (X11; GNU/Linux) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/79.0.3945.130 Safari/537.36 Tesla/2020.16.2.1-e99c70fff409",
      "Tesla",
      "2020.16",
      "Linux",
      null,
      "embedded",
    ],
    // Nobody's
    ["", null, null, null, null, null],
    [" ", null, null, null, null, null],
    ["MyShop/2.1 (build 7)", null, null, null, null, null],
    ["__proto__ constructor/1.0", null, null, null, null, null],
  ])("%s", (userAgent, browser, browserVersion, os, osVersion, deviceType) => {
    expect(factsFromUserAgent(userAgent)).toEqual({ browser, browserVersion, os, osVersion, deviceType });
  });

  it("is nobody's when it runs on and on", () => {
    expect(factsFromUserAgent(`${CHROME_WINDOWS} ${"droid ; ".repeat(50)}`).browser).toBeNull();
    expect(factsFromUserAgent(CHROME_WINDOWS.padEnd(20_000, "x")).browser).toBe("Chrome");
  });
});

/** Of the length and a quarter of it: what is cut off at the parser's limit costs nothing. */
const growthIn = (makeText: (length: number) => string, use: (text: string) => unknown): Promise<number> => {
  const [small, large] = [makeText(USER_AGENT_CHARS_MAX / SIZE_RATIO), makeText(USER_AGENT_CHARS_MAX)];
  return growthOf(
    () => use(small),
    () => use(large),
  );
};

describe("the cost of a User-Agent that was written to be dear", () => {
  it.each([
    ["naver(", "1."],
    ["naver(naver(naver(naver(naver(naver(", ".1"],
    ["", "naver(1.1;"],
    ["archos ", "1"],
    ["archos ", "t1 "],
    ["", "archos"],
    ["archosarchosarchosarchosarchos", "1"],
    ["", "archos 1"],
    ["tridenttridenttridenttrident", "rv:1"],
    ["", "tridentrv:1"],
    ["droiddroiddroiddroid", " version/1"],
    ["", "droid"],
    ["", "droid; "],
    ["", "aft"],
    ["", "a"],
    ["", "1.1/"],
    ["", "(KHTML, like Gecko)"],
  ])("%j, and %j over and over, is as good as linear in its length", async (start, unit) => {
    const growth = await growthIn(
      (length) => filled(length, unit, start),
      (text) => [factsFromUserAgent(text), isBot(text)],
    );
    expect(growth).toBeLessThan(GROWTH_MAX);
  });

  it.each([
    [
      "Mozilla/5.0 (Linux; Android 12; SM-G988N; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/90.0.4430.232 Whale/1.0.0.0 Mobile Safari/537.36 NAVER(inapp; search; 1010; 11.11.2)",
      { browser: "NAVER", browserVersion: "11.11" },
    ],
    [
      "Mozilla/5.0 (Linux; Android 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/90.0.4430.232 Mobile Safari/537.36 NAVER(inapp)",
      { browser: "NAVER", browserVersion: null },
    ],
    [
      "Mozilla/5.0 (Linux; Android 8.1.0; Archos 101 Oxygen 4G Build/O11019; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/103.0.5060.71 Safari/537.36",
      { deviceType: "tablet" },
    ],
    [
      "Mozilla/5.0 (Linux; U; Android 4.0.4; zh-tw; ARCHOS 80G9 Build/IMM76D) AppleWebKit/534.30 (KHTML, like Gecko) Version/4.0 Safari/534.30",
      { deviceType: "tablet" },
    ],
    [
      "Mozilla/5.0 (Linux; U; Android 1.6; fr-fr; Archos5 Build/Donut) AppleWebKit/528.5+ (KHTML, like Gecko) Version/3.1.2 Mobile Safari/525.20.1",
      { deviceType: "tablet" },
    ],
    [
      "Mozilla/5.0 (Linux; Android 4.4.2; Archos 45 Neon Build/KOT49H) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/58.0.3029.83 Mobile Safari/537.36",
      { deviceType: "mobile" },
    ],
  ])("does not change what real ones of the same kind say: %s", (userAgent, facts) => {
    expect(factsFromUserAgent(userAgent)).toMatchObject(facts);
  });
});

describe("client hints", () => {
  const brandsOf = (...brands: [name: string, version: string][]) => brands.map(([name, version]) => `"${name}";v="${version}"`).join(", ");

  it.each([
    ['"Chromium";v="124", "Google Chrome";v="124", "Not-A.Brand";v="99"', "Chrome", "124"],
    ['"Not-A.Brand";v="99", "Chromium";v="124", "Google Chrome";v="124"', "Chrome", "124"],
    ['" Not A;Brand";v="99", "Chromium";v="96", "Microsoft Edge";v="96"', "Edge", "96"],
    ['"(Not(A:Brand";v="8", "Chromium";v="99", "Opera";v="85"', "Opera", "85"],
    ['"Not;A=Brand";v="24", "Chromium";v="128", "Samsung Internet";v="27.0"', "Samsung Internet", "27"],
    ['"Yowser";v="2.5", "Chromium";v="122", "Not(A:Brand";v="24", "YaBrowser";v="24.4"', "Yandex", "24.4"],
    ['"Chromium";v="124", "Brave";v="124", "Not-A.Brand";v="99"', "Brave", "124"],
    ['"Google Chrome";v="124", "Chromium";v="124", "Avast Secure Browser";v="124"', "Avast Secure Browser", "124"],
    ['"Android WebView";v="124", "Chromium";v="124", "Not-A.Brand";v="99"', "Android WebView", "124"],
    ['"Chromium";v="124", "Not-A.Brand";v="99"', "Chromium", "124"],
    ['"HeadlessChrome";v="124", "Chromium";v="124"', "Chrome Headless", "124"],
    ['"\\\\Not\\"A;Brand";v="99", "Chromium";v="88", "Google Chrome";v="88"', "Chrome", "88"],
    ['"Google Chrome" ; v="124"', "Chrome", "124"],
    ['"Google Chrome";v=""', "Chrome", null],
    ['"Google Chrome";v="?"', "Chrome", null],
    ['"Not A Brand";v="99"', null, null],
    ["", null, null],
    ["Google Chrome", null, null],
    ['"Google Chrome"', null, null],
    ['"";v="1"', null, null],
    [`"${"x".repeat(65)}";v="1"`, null, null],
    ['"caf\u00e9";v="1"', null, null],
    ['"a\u0000b";v="1"', null, null],
    ['"\ud800";v="1"', null, null],
    [`${'"x" '.repeat(500)}"Google Chrome";v="124"`, null, null],
  ])("Sec-CH-UA: %s", (brands, browser, browserVersion) => {
    expect(parseClientHints({ brands, platform: null, mobile: null })).toEqual({ browser, browserVersion, os: null, mobile: null });
  });

  it.each([
    ['"Windows"', "Windows"],
    ['"macOS"', "macOS"],
    ['"Linux"', "Linux"],
    ['"Android"', "Android"],
    ['"Chrome OS"', "ChromeOS"],
    ['"Chromium OS"', "ChromeOS"],
    ['"iOS"', "iOS"],
    ['"Fuchsia"', "Fuchsia"],
    [" Windows ", "Windows"],
    ['"Unknown"', null],
    ['""', null],
    ["", null],
    ['"', null],
    ['"a"b"', null],
    ['"\u00fc"', null],
    [`"${"x".repeat(65)}"`, null],
  ])("Sec-CH-UA-Platform: %s -> %s", (platform, os) => {
    expect(parseClientHints({ brands: null, platform, mobile: null }).os).toBe(os);
  });

  it.each([
    ["?1", true],
    ["?0", false],
    [" ?1 ", true],
    ["1", null],
    ["true", null],
    ["", null],
  ])("Sec-CH-UA-Mobile: %s -> %s", (mobile, expected) => {
    expect(parseClientHints({ brands: null, platform: null, mobile }).mobile).toBe(expected);
  });

  it("say nothing when none was sent", () => {
    expect(parseClientHints({ brands: null, platform: null, mobile: null })).toEqual(NO_CLIENT_HINTS);
  });

  it("never throw", () => {
    const hostile = fc.string({ unit: fc.constantFrom('"', "\\", ";", "v", "=", ",", "a", " ", "\ud800"), maxLength: 600 });
    fc.assert(
      fc.property(hostile, (header) => {
        parseClientHints({ brands: header, platform: header, mobile: header });
      }),
    );
  });

  it("name systems as User-Agents do, so that no figure splits", () => {
    const macOs = parseClientHints({ brands: null, platform: '"macOS"', mobile: null });
    expect(macOs.os).toBe(factsFromUserAgent("Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:125.0) Gecko/20100101 Firefox/125.0").os);
    const chromeOs = parseClientHints({ brands: null, platform: '"Chrome OS"', mobile: null });
    expect(chromeOs.os).toBe(
      factsFromUserAgent("Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36")
        .os,
    );
  });

  it("name browsers as User-Agents do", () => {
    const rows = [
      ["Google Chrome", CHROME_WINDOWS],
      ["Microsoft Edge", `${CHROME_WINDOWS} Edg/124.0.2478.51`],
      ["Opera", `${CHROME_WINDOWS} OPR/109.0.0.0`],
      ["YaBrowser", `${CHROME_WINDOWS} YaBrowser/24.4.1.899`],
      ["Samsung Internet", `${CHROME_PHONE} SamsungBrowser/24.0`],
    ] as const;
    for (const [brand, userAgent] of rows) {
      const hints = parseClientHints({ brands: brandsOf([brand, "1"], ["Chromium", "1"]), platform: null, mobile: null });
      expect(hints.browser).toBe(factsFromUserAgent(userAgent).browser);
    }
  });
});

describe("the User-Agent, the hints and the width together", () => {
  const hintsOf = (hints: Partial<ClientHints>): ClientHints => ({ ...NO_CLIENT_HINTS, ...hints });

  it("a hint wins over the User-Agent", () => {
    const hints = hintsOf({ browser: "Brave", browserVersion: "125", os: "macOS", mobile: false });
    expect(parseUserAgent(CHROME_WINDOWS, hints, null)).toEqual({
      browser: "Brave",
      browserVersion: "125",
      os: "macOS",
      osVersion: null,
      deviceType: "desktop",
    });
  });

  it("the system's version comes from the User-Agent when both mean the same system", () => {
    expect(parseUserAgent(CHROME_WINDOWS, hintsOf({ os: "Windows" }), null).osVersion).toBe("10");
  });

  it("the browser's minor version comes from the User-Agent when both mean the same version", () => {
    const userAgent = `${CHROME_WINDOWS} YaBrowser/24.4.1.899`;
    const versionWith = (browserVersion: string) =>
      parseUserAgent(userAgent, hintsOf({ browser: "Yandex", browserVersion }), null).browserVersion;
    expect(versionWith("24")).toBe("24.4");
    expect(versionWith("24.4")).toBe("24.4");
    expect(versionWith("2")).toBe("2");
    expect(versionWith("25")).toBe("25");
  });

  it("an app keeps its name although its web view sends hints", () => {
    const instagram = `${CHROME_PHONE} Instagram 330.0.0.40.92 Android`;
    const view = hintsOf({ browser: "Android WebView", browserVersion: "124" });
    expect(parseUserAgent(instagram, view, null)).toMatchObject({ browser: "Instagram", browserVersion: "330" });
    expect(parseUserAgent(CHROME_PHONE, view, null)).toMatchObject({ browser: "Android WebView", browserVersion: "124" });
    expect(parseUserAgent("", view, null)).toMatchObject({ browser: "Android WebView", browserVersion: "124" });
  });

  it.each<[string, string, Partial<ClientHints>, number | null, string | null]>([
    ["a phone", CHROME_PHONE, { os: "Android", mobile: true }, 412, "mobile"],
    ["a tablet says that it is not mobile", CHROME_TABLET, { os: "Android", mobile: false }, 1280, "tablet"],
    ["also with a phone's User-Agent", CHROME_PHONE, { os: "Android", mobile: false }, 1280, "tablet"],
    ["also when only the User-Agent names Android", CHROME_TABLET, { mobile: false }, null, "tablet"],
    ["a desktop", CHROME_WINDOWS, { os: "Windows", mobile: false }, 1920, "desktop"],
    ["a desktop with a narrow window", CHROME_WINDOWS, { os: "Windows", mobile: false }, 500, "desktop"],
    ["a hint of mobile against a desktop's User-Agent", CHROME_WINDOWS, { mobile: true }, 1920, "mobile"],
    ["a television says that it is not mobile", CHROME_TV, { os: "Android", mobile: false }, 1920, "tv"],
    ["a Chromebook", "", { os: "ChromeOS", mobile: false }, null, "desktop"],
    ["no hint: the User-Agent's word", CHROME_PHONE, {}, 1920, "mobile"],
    ["no hint: a desktop's User-Agent with a narrow window", CHROME_WINDOWS, {}, 500, "desktop"],
    ["nothing but the width: just a phone", "", {}, 767, "mobile"],
    ["nothing but the width: just a tablet", "", {}, 768, "tablet"],
    ["nothing but the width: still a tablet", "", {}, 1023, "tablet"],
    ["nothing but the width: just a desktop", "", {}, 1024, "desktop"],
    ["an unknown User-Agent and a width", "MyShop/2.1 (build 7)", {}, 390, "mobile"],
    ["nothing at all", "", {}, null, null],
    ["an unknown User-Agent", "MyShop/2.1 (build 7)", {}, null, null],
  ])("device: %s", (_case, userAgent, hints, width, expected) => {
    expect(parseUserAgent(userAgent, hintsOf(hints), width).deviceType).toBe(expected);
  });

  it("parsing in two steps is the same as in one", () => {
    const hints = hintsOf({ browser: "Edge", browserVersion: "124", os: "Windows", mobile: false });
    expect(factsWithHints(factsFromUserAgent(CHROME_WINDOWS), hints, 800)).toEqual(parseUserAgent(CHROME_WINDOWS, hints, 800));
  });
});
