import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NO_CLIENT_HINTS, parseClientHints, parseUserAgent } from "../../../../src/runtime/ingest/device.ts";
import { CHROME_ANDROID, CHROME_WINDOWS } from "../../../support/user-agents.ts";

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
  ])("Sec-CH-UA names the browser: %s", (brands, browser, browserVersion) => {
    expect(parseClientHints({ brands, platform: null, mobile: null })).toMatchObject({ browser, browserVersion, os: null, mobile: null });
  });

  it.each([
    ['"Not-A.Brand";v="99", "Chromium";v="122", "Opera";v="108"', "122"],
    ['"Chromium";v="124"', "124"],
    ['"Google Chrome";v="124"', null],
    ['"Chromium";v="?"', null],
    ["", null],
  ])("Sec-CH-UA names the version of Chromium: %s", (brands, engineVersion) => {
    expect(parseClientHints({ brands, platform: null, mobile: null }).engineVersion).toBe(engineVersion);
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
  ])("Sec-CH-UA-Platform %s names the system %s", (platform, os) => {
    expect(parseClientHints({ brands: null, platform, mobile: null }).os).toBe(os);
  });

  it.each([
    ["?1", true],
    ["?0", false],
    [" ?1 ", true],
    ["1", null],
    ["true", null],
    ["", null],
  ])("Sec-CH-UA-Mobile %s means the device %s", (mobile, expected) => {
    expect(parseClientHints({ brands: null, platform: null, mobile }).mobile).toBe(expected);
  });

  it("are all null if no header was sent", () => {
    expect(parseClientHints({ brands: null, platform: null, mobile: null })).toEqual(NO_CLIENT_HINTS);
  });

  it("are parsed without an exception, whatever the headers contain", () => {
    const hostile = fc.string({ unit: fc.constantFrom('"', "\\", ";", "v", "=", ",", "a", " ", "\ud800"), maxLength: 600 });
    fc.assert(
      fc.property(hostile, (header) => {
        parseClientHints({ brands: header, platform: header, mobile: header });
      }),
    );
  });

  it("use the names of systems that User-Agents use, so that counts are not split", () => {
    const macOs = parseClientHints({ brands: null, platform: '"macOS"', mobile: null });
    expect(macOs.os).toBe(parseUserAgent("Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:125.0) Gecko/20100101 Firefox/125.0").os);
    const chromeOs = parseClientHints({ brands: null, platform: '"Chrome OS"', mobile: null });
    expect(chromeOs.os).toBe(
      parseUserAgent("Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36").os,
    );
  });

  it("use the names of browsers that User-Agents use", () => {
    const rows = [
      ["Google Chrome", CHROME_WINDOWS],
      ["Microsoft Edge", `${CHROME_WINDOWS} Edg/124.0.2478.51`],
      ["Opera", `${CHROME_WINDOWS} OPR/109.0.0.0`],
      ["YaBrowser", `${CHROME_WINDOWS} YaBrowser/24.4.1.899`],
      ["Samsung Internet", `${CHROME_ANDROID} SamsungBrowser/24.0`],
    ] as const;
    for (const [brand, userAgent] of rows) {
      const hints = parseClientHints({ brands: brandsOf([brand, "1"], ["Chromium", "1"]), platform: null, mobile: null });
      expect(hints.browser).toBe(parseUserAgent(userAgent).browser);
    }
  });
});
