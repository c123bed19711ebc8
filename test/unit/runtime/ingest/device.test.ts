import { describe, expect, it } from "vitest";
import {
  type ClientHints,
  detectDevice,
  type DeviceInfo,
  NO_CLIENT_HINTS,
  parseScreenWidth,
  parseUserAgent,
} from "../../../../src/runtime/ingest/device.ts";
import { CHROME_ANDROID, CHROME_TABLET, CHROME_TV, CHROME_WINDOWS } from "../../../support/user-agents.ts";

describe("detectDevice", () => {
  const hintsOf = (hints: Partial<ClientHints>): ClientHints => ({ ...NO_CLIENT_HINTS, ...hints });

  const deviceOf = (userAgent: string, hints: ClientHints, screenWidth: number | null): DeviceInfo =>
    detectDevice(parseUserAgent(userAgent), hints, screenWidth);

  it("a hint overrides the User-Agent", () => {
    const hints = hintsOf({ browser: "Brave", browserVersion: "125", os: "macOS", mobile: false });
    expect(deviceOf(CHROME_WINDOWS, hints, null)).toEqual({
      browser: "Brave",
      browserVersion: "125",
      os: "macOS",
      osVersion: null,
      deviceType: "desktop",
    });
  });

  it("the system's version comes from the User-Agent when both name the same system", () => {
    expect(deviceOf(CHROME_WINDOWS, hintsOf({ os: "Windows" }), null).osVersion).toBe("10");
  });

  it("the browser's minor version comes from the User-Agent when both name the same major version", () => {
    const userAgent = `${CHROME_WINDOWS} YaBrowser/24.4.1.899`;
    const versionWith = (browserVersion: string) =>
      deviceOf(userAgent, hintsOf({ browser: "Yandex", browserVersion }), null).browserVersion;
    expect(versionWith("24")).toBe("24.4");
    expect(versionWith("24.4")).toBe("24.4");
    expect(versionWith("2")).toBe("2");
    expect(versionWith("25")).toBe("25");
  });

  it("an app keeps its name when its web view sends hints", () => {
    const instagram = `${CHROME_ANDROID} Instagram 330.0.0.40.92 Android`;
    const view = hintsOf({ browser: "Android WebView", browserVersion: "124" });
    expect(deviceOf(instagram, view, null)).toMatchObject({ browser: "Instagram", browserVersion: "330" });
    expect(deviceOf(CHROME_ANDROID, view, null)).toMatchObject({ browser: "Android WebView", browserVersion: "124" });
    expect(deviceOf("", view, null)).toMatchObject({ browser: "Android WebView", browserVersion: "124" });
  });

  it.each<[string, string, Partial<ClientHints>, number | null, string | null]>([
    ["a phone", CHROME_ANDROID, { os: "Android", mobile: true }, 412, "mobile"],
    ["a tablet says that it is not mobile", CHROME_TABLET, { os: "Android", mobile: false }, 1280, "tablet"],
    ["also with a phone's User-Agent", CHROME_ANDROID, { os: "Android", mobile: false }, 1280, "tablet"],
    ["also when only the User-Agent names Android", CHROME_TABLET, { mobile: false }, null, "tablet"],
    ["a desktop", CHROME_WINDOWS, { os: "Windows", mobile: false }, 1920, "desktop"],
    ["a desktop with a narrow window", CHROME_WINDOWS, { os: "Windows", mobile: false }, 500, "desktop"],
    ["a hint of mobile against a desktop's User-Agent", CHROME_WINDOWS, { mobile: true }, 1920, "mobile"],
    ["a television says that it is not mobile", CHROME_TV, { os: "Android", mobile: false }, 1920, "tv"],
    ["a Chromebook", "", { os: "ChromeOS", mobile: false }, null, "desktop"],
    ["no hint: the User-Agent's word", CHROME_ANDROID, {}, 1920, "mobile"],
    ["no hint: a desktop's User-Agent with a narrow window", CHROME_WINDOWS, {}, 500, "desktop"],
    ["nothing but the width: just a phone", "", {}, 767, "mobile"],
    ["nothing but the width: just a tablet", "", {}, 768, "tablet"],
    ["nothing but the width: still a tablet", "", {}, 1023, "tablet"],
    ["nothing but the width: just a desktop", "", {}, 1024, "desktop"],
    ["an unknown User-Agent and a width", "MyShop/2.1 (build 7)", {}, 390, "mobile"],
    ["nothing at all", "", {}, null, null],
    ["an unknown User-Agent", "MyShop/2.1 (build 7)", {}, null, null],
  ])("the device type of %s", (_case, userAgent, hints, width, expected) => {
    expect(deviceOf(userAgent, hintsOf(hints), width).deviceType).toBe(expected);
  });
});

describe("parseScreenWidth", () => {
  it.each([
    [null, null],
    [1440, 1440],
    [390.4, 390],
    [390.5, 391],
    [1, 1],
    [0.5, 1],
    [0.4, null],
    [0, null],
    [-0, null],
    [-1440, null],
    [99_999, 99_999],
    [100_000, null],
    [1e300, null],
    [Number.POSITIVE_INFINITY, null],
    [Number.NaN, null],
  ])("reads %s as %s", (width, expected) => {
    expect(parseScreenWidth(width)).toBe(expected);
  });
});
