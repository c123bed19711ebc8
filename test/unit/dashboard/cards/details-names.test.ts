/** What the search of the details asks the service for, so that values are found by what readers see. */
import { describe, expect, it, vi } from "vitest";
import { filterBy } from "../../../../dashboard/state/filters.ts";

const { searchParameters } = await import("../../../../dashboard/cards/details-names.ts");
vi.unstubAllGlobals();

const CHROME = [filterBy("browsers", "Chrome")];

describe("the search of the details", () => {
  it.each([
    ["sources", "Direct", { search: "Direct", unknown_label: "Direct / none" }],
    ["utm-terms", "none", { search: "none", unknown_label: "(none)" }],
    ["cities", "Unk", { search: "Unk", unknown_label: "Unknown" }],
    ["pages", "", { search: "" }],
    ["screen-sizes", "1920 px", { search: "1920", unknown_label: "Unknown" }],
    ["screen-sizes", "20 P", { search: "20", unknown_label: "Unknown" }],
    ["screen-sizes", "px", { search: "" }],
    ["browser-versions", "Chrome", { search: "Chrome", unknown_label: "Unknown" }],
  ] as const)("the search of %s for %j asks for the stored text", (dimension, typed, parameters) => {
    expect(searchParameters(dimension, typed, [])).toEqual(parameters);
  });

  it.each([
    ["Chrome 147", "147"],
    ["ome 14", "14"],
    ["147", "147"],
    ["chr", ""],
    ["Safari 17", "safari 17"],
  ])("the search of a browser's versions for %j asks for the stored text", (typed, search) => {
    expect(searchParameters("browser-versions", typed, CHROME).search).toBe(search);
  });
});
