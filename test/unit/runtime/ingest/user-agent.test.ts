import { describe, expect, it } from "vitest";
import { isBot, parseUserAgent } from "../../../../src/runtime/ingest/device.ts";
import { USER_AGENT_CHARS_MAX } from "../../../../src/runtime/base/config/limits.ts";
import { CHROME_ANDROID, CHROME_TABLET, CHROME_TV, CHROME_WINDOWS } from "../../../support/user-agents.ts";
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

describe("parseUserAgent", () => {
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
    [CHROME_ANDROID, "Chrome", "124", "Android", "10", "mobile"],
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
    [`${CHROME_ANDROID} EdgA/124.0.2478.50`, "Edge", "124", "Android", "10", "mobile"],
    [`${CHROME_WINDOWS} OPR/109.0.0.0`, "Opera", "109", "Windows", "10", "desktop"],
    [`${CHROME_ANDROID} OPR/81.0.0.0`, "Opera", "81", "Android", "10", "mobile"],
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
    // Of no known browser
    ["", null, null, null, null, null],
    [" ", null, null, null, null, null],
    ["MyShop/2.1 (build 7)", null, null, null, null, null],
    ["__proto__ constructor/1.0", null, null, null, null, null],
  ])(
    "parseUserAgent reads browser, system, their versions and the type of device of %j",
    (userAgent, browser, browserVersion, os, osVersion, deviceType) => {
      expect(parseUserAgent(userAgent)).toEqual({ browser, browserVersion, os, osVersion, deviceType });
    },
  );

  it("finds no browser in a hostile User-Agent, and ignores everything after the first 512 characters", () => {
    expect(parseUserAgent(`${CHROME_WINDOWS} ${"droid ; ".repeat(50)}`).browser).toBeNull();
    expect(parseUserAgent(CHROME_WINDOWS.padEnd(20_000, "x")).browser).toBe("Chrome");
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

describe("the cost of a hostile User-Agent", () => {
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
    ["", "musical_ly_"],
    ["", "trill_1 app_version/"],
    ["", "aweme_1. "],
    ["", "BytedanceWebview/"],
    ["", "FBAN/Messengera"],
    ["", "ArkWeb/1."],
    ["Macintosh ", "CriOS"],
  ])("%j, then %j repeated, is linear in its length", async (start, unit) => {
    const growth = await growthIn(
      (length) => filled(length, unit, start),
      (text) => [parseUserAgent(text), isBot(text)],
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
  ])("is bounded without a change to the result of a similar real one: %s", (userAgent, facts) => {
    expect(parseUserAgent(userAgent)).toMatchObject(facts);
  });
});

describe("isBot", () => {
  it.each([
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/116.0.1938.76 Safari/537.36",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)",
    "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)",
    "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/124.0.0.0 Safari/537.36",
    "Mozilla/5.0 (compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)",
    "curl/8.5.0",
    "Wget/1.21.4",
    "python-requests/2.31.0",
    "node",
    "okhttp/4.12.0",
    "Go-http-client/2.0",
  ])("%s is a bot", (userAgent) => {
    expect(isBot(userAgent)).toBe(true);
  });

  it.each([
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4.1 Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (Linux; Android 8.1.0; CUBOT_POWER) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Mobile Safari/537.36",
    "Mozilla/5.0 (X11; Linux x86_64; rv:125.0) Gecko/20100101 Firefox/125.0",
  ])("%s is not a bot", (userAgent) => {
    expect(isBot(userAgent)).toBe(false);
  });

  it("an empty User-Agent is not a bot", () => {
    expect(isBot("")).toBe(false);
  });

  it("text after the first 512 characters is ignored", () => {
    const browser = "Mozilla/5.0 (X11; Linux x86_64; rv:125.0) Gecko/20100101 Firefox/125.0";
    expect(isBot(`${browser.padEnd(499)}Googlebot/2.1`)).toBe(true);
    expect(isBot(`${browser.padEnd(512)}Googlebot/2.1`)).toBe(false);
  });
});
