import { describe, expect, it } from "vitest";
import { browserNameFrom, osNameFrom, osVersionFrom, versionFrom } from "../../../../src/runtime/ingest/device.ts";

describe("recorded names", () => {
  it.each([
    ["Chrome", "Chrome"],
    ["Google Chrome", "Chrome"],
    ["Mobile Safari", "Safari"],
    ["MICROSOFT EDGE", "Edge"],
    ["Opera Mini", "Opera Mini"],
    ["constructor", "constructor"],
  ])("browser %s is recorded as %s", (name, expected) => {
    expect(browserNameFrom(name)).toBe(expected);
  });

  it.each([
    ["Mac OS", "macOS"],
    ["macOS", "macOS"],
    ["Chromium OS", "ChromeOS"],
    ["Ubuntu", "Linux"],
    ["linux", "Linux"],
    ["Windows", "Windows"],
    ["__proto__", "__proto__"],
  ])("system %s is recorded as %s", (name, expected) => {
    expect(osNameFrom(name)).toBe(expected);
  });
});

describe("recorded versions", () => {
  it.each([
    ["124.0.6367.60", "124"],
    ["124", "124"],
    ["17.4.1", "17.4"],
    ["17.0.1", "17"],
    ["17.00", "17"],
    ["10.15.7", "10.15"],
    ["9.80", "9.80"],
    ["125.0a1", "125"],
    ["", null],
    [".5", null],
    ["x86_64", null],
    ["v12", null],
    ["1".repeat(10), null],
    [`12.${"1".repeat(10)}`, "12"],
  ])("%s is recorded as %s", (version, expected) => {
    expect(versionFrom(version)).toBe(expected);
  });

  it.each([
    ["10", "Windows", "10"],
    ["8.1", "Windows", "8.1"],
    ["XP", "Windows", "XP"],
    ["NT 4.0", "Windows", "NT 4.0"],
    ["One", "Xbox", "One"],
    ["Switch", "Nintendo", "Switch"],
    ["i686", "Linux", null],
    ["6.1", "Linux", null],
    ["amd64", "FreeBSD", null],
    ["x".repeat(21), "Windows", null],
    ["", "Windows", null],
  ])("%s of %s is recorded as %s", (version, os, expected) => {
    expect(osVersionFrom(version, os)).toBe(expected);
  });
});
