/** Labels of versions that browsers say whatever the system is. */
import { expect, it } from "vitest";
import { osVersionLabel } from "../../../src/shared/versions.ts";

it.each([
  ["10.15", "macOS", "10.15 or later"],
  ["10.14", "macOS", "10.14"],
  ["14", "macOS", "14"],
  ["10", "Windows", "10 or 11"],
  ["8.1", "Windows", "8.1"],
  ["XP", "Windows", "XP"],
  ["10", "Android", "10 or later"],
  ["14", "Android", "14"],
  ["18.6", "iOS", "18.6 or later"],
  ["18.5", "iOS", "18.5"],
  ["18.7", "iPadOS", "18.7 or later"],
  ["14541", "ChromeOS", "14541 or later"],
  ["10", "HarmonyOS", "10"],
  ["10", "constructor", "10"],
  ["constructor", "macOS", "constructor"],
  ["10", null, "10 or later"],
  ["10.15", null, "10.15 or later"],
  ["18.6", null, "18.6"],
])("version %s of %s is shown as %s", (version, os, label) => {
  expect(osVersionLabel(version, os)).toBe(label);
});
