import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { geoPlaceFromRecord, NOWHERE } from "../../../../src/runtime/ingest/geo.ts";

describe("geoPlaceFromRecord", () => {
  it("reads MaxMind's layout", () => {
    const record = {
      continent: { code: "EU", names: { en: "Europe" } },
      country: { geoname_id: 2750405, iso_code: "NL", names: { en: "The Netherlands", de: "Niederlande" } },
      subdivisions: [
        { iso_code: "NH", names: { en: "North Holland", nl: "Noord-Holland" } },
        { iso_code: "AMS", names: { en: "Amsterdam region" } },
      ],
      city: { geoname_id: 2759794, names: { en: "Amsterdam", ja: "アムステルダム" } },
      location: { latitude: 52.4, longitude: 4.9 },
    };
    expect(geoPlaceFromRecord(record)).toEqual({ countryCode: "NL", region: "North Holland", city: "Amsterdam" });
  });

  it("reads the flat layout", () => {
    const record = { country_code: "US", state1: "California", state2: "Santa Clara County", city: "Mountain View", postcode: "94043" };
    expect(geoPlaceFromRecord(record)).toEqual({ countryCode: "US", region: "California", city: "Mountain View" });
  });

  it.each([
    ["a country alone, nested", { country: { iso_code: "NL" } }, { countryCode: "NL" }],
    ["a country alone, flat", { country_code: "NL" }, { countryCode: "NL" }],
    ["small letters", { country_code: "nl" }, { countryCode: "NL" }],
    ["no record", null, {}],
    ["nothing", undefined, {}],
    ["text", "NL", {}],
    ["a number", 7, {}],
    ["an empty record", {}, {}],
    ["a list", [], {}],
    ["a code of three letters", { country_code: "NLD" }, {}],
    ["a code with a digit", { country_code: "A1" }, {}],
    ["an empty code", { country_code: "" }, {}],
    ["a code that is no text", { country_code: 12, country: { iso_code: ["NL"] } }, {}],
    ["letters that are not ASCII", { country_code: "ÑL" }, {}],
    ["places in another language only", { city: { names: { de: "Köln" } }, subdivisions: [{ names: {} }] }, {}],
    ["no subdivisions", { subdivisions: [], country_code: "NL" }, { countryCode: "NL" }],
    ["subdivisions of the wrong type", { subdivisions: "abc", state1: 5, city: {} }, {}],
    ["blank names", { city: "  ", state1: "" }, {}],
    ["space around names", { city: " Paris ", state1: "Île-de-France\n" }, { city: "Paris", region: "Île-de-France" }],
    ["a lone surrogate", { city: "a\ud800" }, { city: "a\uFFFD" }],
    ["a name without end", { city: "x".repeat(1000) }, { city: "x".repeat(256) }],
    ["inherited fields", Object.create({ country_code: "NL" }) as unknown, {}],
  ])("a record yields its places in a known form, and no others: %s", (_case, record, place) => {
    expect(geoPlaceFromRecord(record)).toEqual({ ...NOWHERE, ...place });
  });

  it("geoPlaceFromRecord never throws", () => {
    fc.assert(
      fc.property(fc.object({ key: fc.constantFrom("country", "iso_code", "subdivisions", "names", "en", "city", "0") }), (record) => {
        geoPlaceFromRecord(record);
      }),
    );
  });
});
